/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_path_cache.c - sets of four places; the oldest of a set gives way.
 *
 * Happy path: hash, compare at most four keys. No failure paths but create's memory. */
#include "agents/sql/joins/join_path_cache.h"

#include <string.h>

#include "core/base/mem.h"

enum { SETS = 128, WAYS = 4 };

struct place {
    struct join_cache_key key; /* count 0: free */
    struct join_plan plan;
};

struct join_cache {
    struct place places[SETS * WAYS];
    unsigned char next[SETS];
};

struct join_cache *join_cache_create(void)
{
    return mem_zalloc(1, sizeof(struct join_cache));
}

void join_cache_destroy(struct join_cache *cache)
{
    mem_free(cache);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

uint64_t join_cache_words(const struct str *words, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = mix(mix(hash, words[i].len), str_hash(words[i]));
    return hash;
}

static size_t set_of(const struct join_cache_key *key)
{
    uint64_t hash = mix(key->words, (uint64_t)key->count << 8 | key->kind);
    for (unsigned i = 0; i < key->count; i++)
        hash = mix(hash, (uint64_t)key->tables[i]);
    return (size_t)(hash >> 32) % SETS;
}

static bool same_key(const struct join_cache_key *a, const struct join_cache_key *b)
{
    return a->count == b->count && a->kind == b->kind && a->words == b->words &&
           memcmp(a->tables, b->tables, a->count * sizeof a->tables[0]) == 0;
}

const struct join_plan *join_cache_find(const struct join_cache *cache,
                                        const struct join_cache_key *key)
{
    const struct place *set = &cache->places[set_of(key) * WAYS];
    for (size_t i = 0; i < WAYS; i++) {
        if (same_key(&set[i].key, key))
            return &set[i].plan;
    }
    return NULL;
}

void join_cache_put(struct join_cache *cache, const struct join_cache_key *key,
                    const struct join_plan *plan)
{
    size_t set = set_of(key);
    struct place *place = &cache->places[set * WAYS + cache->next[set]];
    cache->next[set] = (unsigned char)((cache->next[set] + 1) % WAYS);
    place->key = *key;
    place->plan = *plan;
}
