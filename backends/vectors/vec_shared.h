/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_shared.h - the image of one file of vectors, for all loops of the process.
 *
 * The only part of the store that threads have in common: the image in use is swapped whole under a
 * lock held for a moment; images are made one at a time, by whichever thread of a database finds
 * that there is something new. Held by counting: one holder is whoever made it, one each vec. */
#ifndef BACKENDS_VECTORS_VEC_SHARED_H
#define BACKENDS_VECTORS_VEC_SHARED_H

#include "backends/vectors/vec_image.h"

struct sqlite3;
struct vec_shared;

/* poll_ms: how old knowledge of the file may be, 0: 1000; path is copied. NULL: no memory. */
struct vec_shared *vec_shared_create(const char *path, uint64_t poll_ms);
struct vec_shared *vec_shared_ref(struct vec_shared *shared);
/* NULL is fine. The last holder frees. */
void vec_shared_unref(struct vec_shared *shared);
const char *vec_shared_path(const struct vec_shared *shared);

/* The image in use, held once more; NULL: none was made yet. */
struct vec_image *vec_shared_take(struct vec_shared *shared);
/* Whether the image in use is young enough and has seen every write noted so far. */
bool vec_shared_is_fresh(struct vec_shared *shared);
/* Note that there was a write, or that the image turned out old: the next search looks at the file
 * again. */
void vec_shared_note_write(struct vec_shared *shared);
/* Collections of at least so many rows get an index; 0: as by default, VEC_INDEX_ROWS. Before the
 * first search. */
void vec_shared_index_from(struct vec_shared *shared, size_t rows);
/* Build one more slice, of some milliseconds, of whatever index is wanted; on any thread that may
 * block, one at a time. *more: there is more to do. ERR_OK with *more false: nothing is left to do,
 * or another thread does it. A stopped slice is given up, and its index with it. */
MUST_USE enum err_code vec_shared_index(struct vec_shared *shared, const atomic_bool *stop,
                                        struct hnsw **building, bool *more, struct err *err);
/* Give a half-built index up. */
void vec_shared_index_end(struct vec_shared *shared, struct hnsw **building);
/* Whether an index is wanted and nobody builds it. */
bool vec_shared_wants_index(struct vec_shared *shared);
/* On a thread of a database: look at the file, make and publish an image when there is something
 * new. Waits while another thread does so. */
MUST_USE enum err_code vec_shared_refresh(struct vec_shared *shared, struct sqlite3 *db,
                                          struct err *err);

#endif
