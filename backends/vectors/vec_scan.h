/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_scan.h - the nearest rows of one collection that pass filters: an exact
 * scan.
 *
 * Filters are looked up in the columns of hashes before any vector is touched; whoever reads the
 * hits compares real values. Nearness is the dot product, which is the cosine of vectors of unit
 * length. Done in steps, on any thread, one at a time. */
#ifndef BACKENDS_VECTORS_VEC_SCAN_H
#define BACKENDS_VECTORS_VEC_SCAN_H

#include "backends/vec.h"
#include "backends/vectors/vec_image.h"

struct vec_scan_hit {
    size_t row;
    float score;
};

struct vec_scan_filter {
    size_t column; /* VEC_ROWS_MAX_FIELDS: no passage of the collection has the field */
    const uint64_t *hashes;
    size_t count;
};

struct vec_scan {
    const struct vec_collection *collection;
    const float *vector;  /* padded to the rows' stride */
    const int16_t *codes; /* of vector */
    struct vec_kernel_code code;
    float length; /* of vector: 1, if the caller keeps its word */
    struct vec_scan_filter filters[PASSAGE_MAX_FILTERS];
    size_t filter_count, top_k;
    struct vec_scan_hit *hits; /* until sorted a heap, the worst first */
    size_t hit_count;
    size_t scored; /* rows whose vector was looked at */
};

/* Prepare to look for query in collection, both borrowed until the scan's end; memory is arena's.
 * The query must fit the collection. ERR_NO_MEMORY. */
MUST_USE enum err_code vec_scan_begin(struct vec_scan *scan,
                                      const struct vec_collection *collection,
                                      const struct vec_query *query, struct arena *arena,
                                      struct err *err);
/* How many blocks there are to look at, and look at one. */
size_t vec_scan_blocks(const struct vec_scan *scan);
void vec_scan_block(struct vec_scan *scan, size_t index);
/* For a row that was found in another way: whether it is alive and passes the filters; keep it as a
 * hit. */
bool vec_scan_passes(const struct vec_scan *scan, size_t row);
void vec_scan_keep(struct vec_scan *scan, size_t row, float score);
/* After the last block: hits in order, the best first, ties by key. */
void vec_scan_sort(struct vec_scan *scan);

#endif
