/* SPDX-License-Identifier: MIT */
/* core/base/map.h - string -> pointer.
 *
 * Keys are borrowed: their bytes live at least as long as the entry. Order of map_next is
 * unspecified. Keys come from configuration, schemas and ids we make; where a client chooses
 * them the owner bounds their number. One thread. */
#ifndef CORE_BASE_MAP_H
#define CORE_BASE_MAP_H

#include "core/base/str.h"

struct map_slot;

struct map {
    struct map_slot *slots;
    size_t cap, count, used; /* used also counts graves: places of removed keys */
};

struct map_entry {
    struct str key;
    void *value;
};

void map_init(struct map *map);
/* Free the table, not what it points at. */
void map_fini(struct map *map);

/* The value of key, or NULL. */
void *map_find(const struct map *map, struct str key);
/* Set key's value (not NULL); an old value is replaced and its key kept. False: no memory, nothing
 * changed. */
MUST_USE bool map_put(struct map *map, struct str key, void *value);
/* Remove key and return its value, or NULL. */
void *map_take(struct map *map, struct str key);
static inline size_t map_count(const struct map *map)
{
    return map->count;
}
/* The next entry at or after *cursor (start with 0); false at the end. No map_put meanwhile. */
bool map_next(const struct map *map, size_t *cursor, struct map_entry *entry);

#endif
