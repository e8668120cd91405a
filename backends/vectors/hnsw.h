/* SPDX-License-Identifier: MIT */
/* backends/vectors/hnsw.h - approximate nearest neighbours: a navigable graph in layers (Malkov and
 * Yashunin 2018) over the first rows of a collection.
 *
 * Reads the rows' vectors and does not copy them. Built once, row by row, by one thread at a time;
 * then immutable and searched by any number of threads. The same rows and seed give the same graph.
 * Knows nothing of filters and deletion: the caller drops what it does not want. Held by
 * counting. */
#ifndef BACKENDS_VECTORS_HNSW_H
#define BACKENDS_VECTORS_HNSW_H

#include "backends/vectors/vec_rows.h"

struct hnsw;
struct hnsw_room;

enum { HNSW_LOWEST_NEIGHBOURS = 32 }; /* of a node in the lowest layer, by default */

struct hnsw_options {   /* 0: the default */
    size_t neighbours;  /* of a node in a layer, twice as many in the lowest; 16 */
    size_t build_width; /* candidates looked at to place a node; 100 */
    uint64_t seed;
};

struct hnsw_hit {
    uint32_t row;
    float score;
};

/* An empty index over rows, which it holds, for the first limit of them. NULL: no memory. */
struct hnsw *hnsw_create(struct vec_rows *rows, size_t limit, const struct hnsw_options *options);
/* One holder more or less; the last one frees. NULL is fine. */
struct hnsw *hnsw_ref(struct hnsw *hnsw);
void hnsw_unref(struct hnsw *hnsw);

/* Put the next row in; not past the limit. ERR_NO_MEMORY: the row is not in. */
MUST_USE enum err_code hnsw_add(struct hnsw *hnsw, struct err *err);
/* How many rows are in the index; whether it is at its limit; the rows it is over. */
size_t hnsw_count(const struct hnsw *hnsw);
bool hnsw_is_full(const struct hnsw *hnsw);
const struct vec_rows *hnsw_rows(const struct hnsw *hnsw);

/* The room that a search needs beside the index: one per search at a time, for width candidates;
 * neighbours: of a node in the lowest layer. NULL: no memory. */
struct hnsw_room *hnsw_room_create(size_t width, size_t neighbours);
void hnsw_room_destroy(struct hnsw_room *room);
/* Find the rows near to vector (padded to the stride): up to room's width of them, the nearest
 * first, in *hits, which is room's until its next search. Returns how many. */
size_t hnsw_search(const struct hnsw *hnsw, const float *vector, struct hnsw_room *room,
                   const struct hnsw_hit **hits);

/* ---- an index in a file beside the store of its vectors, so that a restart need not build it
 * again ----
 *
 * The file names its rows by the store's ids, which never come back: rows that went since are left
 * out of the graph, rows that came are behind it. A file of another version, store, collection or
 * machine, or one whose checksum is not right, is no file. Written whole under another name, then
 * renamed. Blocking; one thread at a time writes an index's file, any may read it. */

struct hnsw_place {
    const char *store_path; /* of the store; the index's is made from it */
    uint64_t store;         /* the store's random number */
    int64_t collection;     /* id */
};

/* Write a full index. ERR_UNAVAILABLE: it cannot be written, and nothing changed. */
MUST_USE enum err_code hnsw_file_save(const struct hnsw *hnsw, const struct hnsw_place *place,
                                      struct err *err);
/* Set *out to the index in the file over the first rows of rows, of which there are row_count; held
 * once, full. ERR_NOT_FOUND: there is none that belongs to them, or it has lost more than one in
 * sixteen of its rows; ERR_NO_MEMORY. */
MUST_USE enum err_code hnsw_file_load(const struct hnsw_place *place, struct vec_rows *rows,
                                      size_t row_count, struct hnsw **out, struct err *err);
/* Remove what lies beside the store for other collections than these. */
void hnsw_file_keep_only(const char *store_path, const int64_t *collections, size_t count);

#endif
