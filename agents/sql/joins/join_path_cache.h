/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_path_cache.h - plans already found, by tables and words; for join_path.c
 * only.
 *
 * A fixed number of places; an old plan gives way to a new one. One thread: it is its finder's, and
 * a finder is its worker's for as long as that keeps one serial of knowledge, which stands for the
 * graph's hash (C31). Shared by all workers it would need a lock for what a search costs. */
#ifndef AGENTS_SQL_JOINS_JOIN_PATH_CACHE_H
#define AGENTS_SQL_JOINS_JOIN_PATH_CACHE_H

#include "agents/sql/joins/join_plan.h"

struct join_cache;

struct join_cache_key {
    uint64_t words;
    int tables[JOIN_PATH_MAX_TABLES];
    unsigned count;
    unsigned kind; /* a path or a tree */
};

struct join_cache *join_cache_create(void);
void join_cache_destroy(struct join_cache *cache);
/* A hash of the words in their order. */
uint64_t join_cache_words(const struct str *words, size_t count);
/* The plan, borrowed until the next put; NULL: none. */
const struct join_plan *join_cache_find(const struct join_cache *cache,
                                        const struct join_cache_key *key);
void join_cache_put(struct join_cache *cache, const struct join_cache_key *key,
                    const struct join_plan *plan);

#endif
