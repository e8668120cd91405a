/* SPDX-License-Identifier: MIT */
/* backends/vectors/sqlite_vectors.h - collections of vectors in tables of an SQLite file: change
 * them, read them into an image, read the passages that were found.
 *
 * vec_passages holds points under ids that only rise; vec_removed says which of them are gone, so
 * that an image reads what is new and buries what is not there any more. The tables are made when
 * the file is first opened. For jobs of sqlite_thread; the loop never comes here. */
#ifndef BACKENDS_VECTORS_SQLITE_VECTORS_H
#define BACKENDS_VECTORS_SQLITE_VECTORS_H

#include "backends/vectors/vec_image.h"
#include "backends/vectors/vec_scan.h"

struct sqlite3;

/* sqlite_open_fn: tables and functions. */
MUST_USE enum err_code sqlite_vectors_prepare(void *owner, struct sqlite3 *db, struct err *err);

/* Do a change, whole or not at all. ERR_INVALID: not a change any store takes, or the collection
 * holds vectors of another kind. */
MUST_USE enum err_code sqlite_vectors_change(struct sqlite3 *db, const struct vec_change *change,
                                             struct err *err);

/* Set *fresh to the image of now, made from old (NULL: there is none yet), to be published; NULL:
 * nothing changed. One thread at a time and image. */
MUST_USE enum err_code sqlite_vectors_refresh(struct sqlite3 *db, const struct vec_image *old,
                                              struct vec_image **fresh, struct err *err);

struct sqlite_vectors_fetch {
    const struct vec_scan *scan; /* sorted */
    const struct vec_query *query;
    struct arena *arena;
    /* result, in arena */
    struct passage_hit *hits;
    size_t hit_count;
    size_t lost; /* hits that are not there any more, or were none */
};
/* Read the passages of a scan's hits; the filters are asked again, of the values themselves. */
MUST_USE enum err_code sqlite_vectors_fetch(struct sqlite3 *db, struct sqlite_vectors_fetch *fetch,
                                            struct err *err);

#endif
