/* SPDX-License-Identifier: MIT */
/* backends/hnsw_state.h - the inside of an index, for those that build it and those that keep it in
 * a file. */
#ifndef BACKENDS_HNSW_STATE_H
#define BACKENDS_HNSW_STATE_H

#include "backends/hnsw.h"

enum { HNSW_MAX_NEIGHBOURS = 64 };

struct hnsw {
    atomic_size_t holders;
    struct vec_rows *rows;
    size_t count, limit, neighbours;
    uint64_t seed;
    uint32_t entry;
    unsigned top;     /* entry's layer */
    uint32_t *lowest; /* per row: how many, then 2 * neighbours places */
    uint32_t **upper; /* per row: layers 1.., each how many and neighbours places; NULL: none */
    struct arena arena;
    struct hnsw_room *room; /* of building */
};

/* The links of a row in a layer that it has: how many, then the rows. */
static inline uint32_t *hnsw_state_links(const struct hnsw *hnsw, uint32_t row, unsigned layer)
{
    if (layer == 0)
        return hnsw->lowest + row * (2 * hnsw->neighbours + 1);
    return hnsw->upper[row] + (layer - 1) * (hnsw->neighbours + 1);
}

/* Most links of a row in a layer. */
static inline size_t hnsw_state_most(const struct hnsw *hnsw, unsigned layer)
{
    return layer == 0 ? 2 * hnsw->neighbours : hnsw->neighbours;
}

/* The highest layer of a row when it is built: by its number and the seed. */
unsigned hnsw_layer_of(const struct hnsw *hnsw, uint32_t row);
/* Make room for a row's layers above the lowest. False: no memory. */
MUST_USE bool hnsw_raise(struct hnsw *hnsw, uint32_t row, unsigned layer);

#endif
