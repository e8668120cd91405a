/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_index.h - when a large collection gets an index, how it is built in slices,
 * and how a search uses it.
 *
 * A search that filters out too much, or finds too little through the index, is left to the exact
 * scan; rows newer than the index are scanned exactly. */
#ifndef BACKENDS_VECTORS_VEC_INDEX_H
#define BACKENDS_VECTORS_VEC_INDEX_H

#include "backends/vectors/hnsw.h"
#include "backends/vectors/vec_scan.h"

enum { VEC_INDEX_ROWS = 100000 }; /* from how many rows on; below, the scan is as fast */

/* The collection of image that most needs an index, with at least least rows; NULL: none. */
const struct vec_collection *vec_index_wanted(const struct vec_image *image, size_t least);
/* Whether an index of so many of the collection's rows must be made anew. */
bool vec_index_is_outgrown(const struct vec_collection *collection, size_t indexed);
/* An empty index over the whole blocks of collection. NULL: no memory. */
struct hnsw *vec_index_begin(const struct vec_collection *collection);
/* Put rows in for about slice_ns, or until stop. *done: all are in. ERR_NO_MEMORY. */
MUST_USE enum err_code vec_index_build(struct hnsw *index, uint64_t slice_ns,
                                       const atomic_bool *stop, bool *done, struct err *err);

/* Scan through the collection's index, if it has one that will do. False: nothing was found, scan
 * exactly. */
bool vec_index_scan(struct vec_scan *scan, const atomic_bool *stop);

#endif
