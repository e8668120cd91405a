/* SPDX-License-Identifier: MIT */
/* backends/models/embed_memory.c - a table of fixed size, four places a key.
 *
 * Happy path: the key's first bytes choose a group, its four places are compared. Failure: no
 * memory, or a limit under one group: nothing is ever found. */
#include "backends/models/embed_memory.h"

#include <string.h>

#include "core/base/mem.h"

enum { GROUP = 4 };

void embed_memory_init(struct embed_memory *memory, size_t limit_bytes)
{
    *memory = (struct embed_memory){.limit_bytes = limit_bytes};
}

void embed_memory_fini(struct embed_memory *memory)
{
    mem_free(memory->slots);
    mem_free(memory->vectors);
    memory->slots = NULL;
    memory->vectors = NULL;
}

/* The first of the places where key may be. */
static size_t group_of(const struct embed_memory *memory, const struct sqlite_embeddings_key *key)
{
    uint64_t number;
    memcpy(&number, key->bytes, sizeof number);
    return number % (memory->slot_count / GROUP) * GROUP;
}

static bool make_slots(struct embed_memory *memory, size_t dimensions)
{
    size_t bytes = dimensions * sizeof(float) + sizeof(struct embed_memory_slot);
    memory->slot_count = memory->limit_bytes / bytes / GROUP * GROUP;
    if (memory->slot_count == 0)
        return false;
    memory->dimensions = dimensions;
    memory->slots = mem_zalloc(memory->slot_count, sizeof *memory->slots);
    memory->vectors = mem_zalloc(memory->slot_count, dimensions * sizeof(float));
    if (memory->slots != NULL && memory->vectors != NULL)
        return true;
    embed_memory_fini(memory);
    return false;
}

const float *embed_memory_find(struct embed_memory *memory, const struct sqlite_embeddings_key *key)
{
    if (memory->slots == NULL)
        return NULL;
    size_t first = group_of(memory, key);
    for (size_t i = first; i < first + GROUP; i++) {
        struct embed_memory_slot *slot = &memory->slots[i];
        if (slot->used == 0 || memcmp(slot->key.bytes, key->bytes, sizeof key->bytes) != 0)
            continue;
        slot->used = ++memory->clock;
        return memory->vectors + i * memory->dimensions;
    }
    return NULL;
}

void embed_memory_put(struct embed_memory *memory, const struct sqlite_embeddings_key *key,
                      const float *vector, size_t dimensions)
{
    if (embed_memory_find(memory, key) != NULL ||
        (memory->slots == NULL && !make_slots(memory, dimensions)) ||
        dimensions != memory->dimensions)
        return;
    size_t first = group_of(memory, key), oldest = first;
    for (size_t i = first; i < first + GROUP; i++)
        if (memory->slots[i].used < memory->slots[oldest].used)
            oldest = i;
    memory->slots[oldest] = (struct embed_memory_slot){*key, ++memory->clock};
    memcpy(memory->vectors + oldest * dimensions, vector, dimensions * sizeof *vector);
}
