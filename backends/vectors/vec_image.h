/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_image.h - all collections of a store of vectors as they were at one moment.
 *
 * Immutable once published, held by counting, any thread. The next image is made from the last one
 * by one thread at a time: rows are appended to what both share, so the last image is the only one
 * that may be grown. */
#ifndef BACKENDS_VECTORS_VEC_IMAGE_H
#define BACKENDS_VECTORS_VEC_IMAGE_H

#include "backends/vectors/hnsw.h"

struct vec_collection {
    int64_t id; /* the store's; another model or number of dimensions is another id */
    struct str name, model;
    struct vec_rows *rows;    /* held */
    size_t count, name_count; /* rows and names of fields that this image sees */
    struct hnsw *index;       /* held; NULL: none */
    size_t dead_count;
    uint64_t *dead; /* bits; rows at or after dead_bits are alive */
    size_t dead_bits;
    bool is_listed; /* while an image is made: the store still has it */
};

struct vec_image {
    struct vec_collection *collections;
    size_t count;
    int64_t last_passage, last_removed; /* how far the store was read */
    uint64_t store;                     /* which one: its own random number */
    uint64_t writes;                    /* vec_shared's, from before it was read */
    /* private */
    size_t room;
    struct arena arena;
    atomic_size_t holders;
};

/* An image like old (NULL: an empty one) to be changed and published; held once. NULL: no memory.
 */
struct vec_image *vec_image_grow(const struct vec_image *old);
/* NULL is fine. The last holder frees. */
struct vec_image *vec_image_ref(struct vec_image *image);
void vec_image_unref(struct vec_image *image);

/* NULL: there is none. */
const struct vec_collection *vec_image_find(const struct vec_image *image, struct str name);

static inline bool vec_collection_is_dead(const struct vec_collection *collection, size_t index)
{
    return index < collection->dead_bits && collection->dead[index / 64] >> (index % 64) & 1;
}

/* ---- for the one thread that makes the next image, before it is published ---- */

struct vec_collection *vec_image_find_id(struct vec_image *image, int64_t id);
/* A collection of no rows; views are copied. ERR_NO_MEMORY. */
MUST_USE enum err_code vec_image_add(struct vec_image *image, const struct vec_collection *like,
                                     size_t dimensions, struct err *err);
/* Take collection, one of image's, out of image. */
void vec_image_drop(struct vec_image *image, struct vec_collection *collection);
/* Count in what was appended to the rows; once, after all of it. */
void vec_image_settle(struct vec_image *image);
/* Bury the passage with the store's id; after settling. An id that image does not have is fine.
 * ERR_NO_MEMORY. */
MUST_USE enum err_code vec_image_bury(struct vec_image *image, int64_t passage, struct err *err);
/* Move collections that are more than a quarter dead into rows of their own. ERR_NO_MEMORY. */
MUST_USE enum err_code vec_image_compact(struct vec_image *image, struct err *err);

#endif
