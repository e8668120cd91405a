/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_embeddings.h - vectors by model and text, in an SQLite file: embed_cache's
 * disk.
 *
 * For jobs of sqlite_thread. Several processes may share the file; what is not a vector in it
 * counts as missing. The size is kept by dropping what was not used for longest, a few at a time.
 */
#ifndef BACKENDS_SQLITE_SQLITE_EMBEDDINGS_H
#define BACKENDS_SQLITE_SQLITE_EMBEDDINGS_H

#include "core/base/err.h"
#include "core/base/str.h"

struct sqlite3;

struct sqlite_embeddings_key {
    unsigned char bytes[32]; /* SHA-256 of the text */
};

struct sqlite_embeddings {
    struct str model;
    const struct sqlite_embeddings_key *keys;
    size_t count;
    uint64_t now_s;      /* seconds since 1970 */
    uint64_t file_bytes; /* the file should not hold more */
    size_t dimensions;   /* 0: not known yet; the first that is found says */
    float *vectors;      /* count rows, mem's; NULL until something is found */
    bool *found;         /* count: whether its row is there; such keys are skipped */
};

/* Make the table if it is not there. */
MUST_USE enum err_code sqlite_embeddings_make(struct sqlite3 *db, struct err *err);
/* Fill the rows of keys that are there, and note that they were used. */
MUST_USE enum err_code sqlite_embeddings_load(struct sqlite3 *db, struct sqlite_embeddings *rows,
                                              struct err *err);
/* Keep the rows of keys that were not found. */
MUST_USE enum err_code
sqlite_embeddings_save(struct sqlite3 *db, const struct sqlite_embeddings *rows, struct err *err);

#endif
