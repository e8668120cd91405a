/* SPDX-License-Identifier: MIT */
/* backends/models/embed_memory.h - the vectors asked for last, in memory: embed_cache's front.
 *
 * A fixed number of places, in groups of four by key; a new vector takes the place of the group's
 * longest unused one. All vectors have as many dimensions as the first. One thread. */
#ifndef BACKENDS_MODELS_EMBED_MEMORY_H
#define BACKENDS_MODELS_EMBED_MEMORY_H

#include "backends/sqlite/sqlite_embeddings.h"

struct embed_memory_slot {
    struct sqlite_embeddings_key key;
    uint64_t used; /* 0: empty */
};

struct embed_memory {
    size_t limit_bytes, dimensions, slot_count;
    struct embed_memory_slot *slots; /* NULL until the first vector */
    float *vectors;                  /* one per slot */
    uint64_t clock;
};

void embed_memory_init(struct embed_memory *memory, size_t limit_bytes);
void embed_memory_fini(struct embed_memory *memory);
/* The vector of key, borrowed until the next put, or NULL. */
const float *embed_memory_find(struct embed_memory *memory,
                               const struct sqlite_embeddings_key *key);
/* Keep a copy; without memory for it nothing is kept. */
void embed_memory_put(struct embed_memory *memory, const struct sqlite_embeddings_key *key,
                      const float *vector, size_t dimensions);

#endif
