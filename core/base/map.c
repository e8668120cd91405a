/* SPDX-License-Identifier: MIT */
/* core/base/map.c - open addressing with linear probing and graves, at most 3/4 full. A table that
 * is made anew is at most half full: so many keys come and go before the next one is made. */
#include "core/base/map.h"

#include <string.h>

#include "core/base/mem.h"

enum { FIRST_CAP = 16 };

struct map_slot {
    struct str key;
    void *value;   /* NULL with a key: a grave; NULL without: never used */
    uint64_t hash; /* of key: other keys are passed without a look at their bytes */
};

void map_init(struct map *map)
{
    *map = (struct map){0};
}

void map_fini(struct map *map)
{
    mem_free(map->slots);
    map_init(map);
}

/* Eight bytes in each step, since most keys are ids of some dozen bytes; the low bits, which choose
 * the slot, come from all of them. For this process alone: it depends on the order of bytes. */
static uint64_t hash_of(struct str key)
{
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t hash = key.len * odd, word;
    for (; key.len >= sizeof word; key = str_from(key, sizeof word)) {
        memcpy(&word, key.at, sizeof word);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    }
    word = 0;
    if (key.len > 0)
        memcpy(&word, key.at, key.len);
    hash = (hash ^ word) * odd;
    hash = (hash ^ hash >> 32) * odd;
    return hash ^ hash >> 29;
}

/* The slot that holds key, or NULL. */
static struct map_slot *find_slot(const struct map *map, struct str key)
{
    if (map->cap == 0)
        return NULL;
    uint64_t hash = hash_of(key);
    for (size_t i = hash & (map->cap - 1);; i = (i + 1) & (map->cap - 1)) {
        struct map_slot *slot = &map->slots[i];
        if (slot->value == NULL && slot->key.at == NULL)
            return NULL;
        if (slot->value != NULL && slot->hash == hash && str_equal(slot->key, key))
            return slot;
    }
}

static void insert_new(struct map *map, struct str key, void *value)
{
    uint64_t hash = hash_of(key);
    size_t i = hash & (map->cap - 1);
    while (map->slots[i].value != NULL || map->slots[i].key.at != NULL)
        i = (i + 1) & (map->cap - 1);
    map->slots[i] = (struct map_slot){str_is_absent(key) ? STR("") : key, value, hash};
    map->used++;
    map->count++;
}

static bool rebuild(struct map *map)
{
    size_t cap = FIRST_CAP;
    while (cap / 2 <= map->count)
        cap *= 2;
    struct map bigger = {.slots = mem_zalloc(cap, sizeof(struct map_slot)), .cap = cap};
    if (bigger.slots == NULL)
        return false;
    struct map_entry entry;
    for (size_t cursor = 0; map_next(map, &cursor, &entry);)
        insert_new(&bigger, entry.key, entry.value);
    mem_free(map->slots);
    *map = bigger;
    return true;
}

void *map_find(const struct map *map, struct str key)
{
    struct map_slot *slot = find_slot(map, key);
    return slot == NULL ? NULL : slot->value;
}

bool map_put(struct map *map, struct str key, void *value)
{
    CHECK(value != NULL);
    struct map_slot *slot = find_slot(map, key);
    if (slot != NULL) {
        slot->value = value;
        return true;
    }
    if (map->used + 1 > map->cap * 3 / 4 && !rebuild(map))
        return false;
    insert_new(map, key, value);
    return true;
}

void *map_take(struct map *map, struct str key)
{
    struct map_slot *slot = find_slot(map, key);
    if (slot == NULL)
        return NULL;
    void *value = slot->value;
    slot->value = NULL;
    slot->key = STR(""); /* a grave keeps no pointer to the caller's bytes */
    map->count--;
    return value;
}

bool map_next(const struct map *map, size_t *cursor, struct map_entry *entry)
{
    for (; *cursor < map->cap; (*cursor)++) {
        const struct map_slot *slot = &map->slots[*cursor];
        if (slot->value == NULL)
            continue;
        *entry = (struct map_entry){slot->key, slot->value};
        (*cursor)++;
        return true;
    }
    return false;
}
