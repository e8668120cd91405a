/* SPDX-License-Identifier: MIT */
/* backends/hnsw_file.h - an index in a file beside the store of its vectors, so that a restart need
 * not build it again.
 *
 * The file names its rows by the store's ids, which never come back: rows that went since are left
 * out of the graph, rows that came are behind it. A file of another version, store, collection or
 * machine, or one whose checksum is not right, is no file. Written whole under another name, then
 * renamed. Blocking; one thread at a time writes an index's file, any may read it. */
#ifndef BACKENDS_HNSW_FILE_H
#define BACKENDS_HNSW_FILE_H

#include "backends/hnsw.h"

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
