/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_rows.h - one collection's vectors in memory: rows that are only ever
 * appended.
 *
 * Whoever reads was told a count of rows and looks at no later one, so one thread may append while
 * others read. Values of fields are kept as hashes, a column of them per field name, so that a
 * filter is a look at whole columns; what passes is compared for real when it is read from the
 * store. Rows, names and columns never move. */
#ifndef BACKENDS_VECTORS_VEC_ROWS_H
#define BACKENDS_VECTORS_VEC_ROWS_H

#include <stdatomic.h>

#include "backends/passage.h"
#include "backends/vectors/vec_kernel.h"
#include "core/base/arena.h"
#include "core/base/err.h"

enum {
    VEC_ROWS_BLOCK = 256,
    VEC_ROWS_MAX_BLOCKS = 16384, /* four million rows */
    VEC_ROWS_MAX_FIELDS = 64     /* names of fields in one collection */
};

struct vec_rows_block {
    int64_t ids[VEC_ROWS_BLOCK]; /* of the store, rising */
    struct str keys[VEC_ROWS_BLOCK];
    uint64_t *_Atomic columns[VEC_ROWS_MAX_FIELDS]; /* NULL: no row of the block has the field */
    struct vec_kernel_code scales[VEC_ROWS_BLOCK];  /* of codes */
    int8_t *codes;                                  /* VEC_ROWS_BLOCK * stride, of vectors */
    float vectors[];                                /* VEC_ROWS_BLOCK * stride */
};

struct vec_rows {
    size_t dimensions, stride; /* stride: floats from one row to the next */
    struct vec_rows_block *blocks[VEC_ROWS_MAX_BLOCKS];
    struct str names[VEC_ROWS_MAX_FIELDS];
    /* the appending thread's */
    size_t count, name_count;
    struct arena arena; /* keys and names */
    atomic_size_t holders;
};

struct vec_rows_new { /* a row to append */
    int64_t id;
    struct str key, fields; /* as passage_codec writes them */
    const void *vector;     /* dimensions floats, not aligned */
};

/* Held once. NULL: no memory. */
struct vec_rows *vec_rows_create(size_t dimensions);
/* One holder more or less; any thread. The last one frees. */
void vec_rows_ref(struct vec_rows *rows);
void vec_rows_unref(struct vec_rows *rows);

/* Copy a row in. ERR_NO_MEMORY; ERR_TOO_LARGE: too many rows or names of fields. */
MUST_USE enum err_code vec_rows_append(struct vec_rows *rows, const struct vec_rows_new *row,
                                       struct err *err);
/* Copy row index of other in, with fields among its first name_count names. */
MUST_USE enum err_code vec_rows_copy(struct vec_rows *rows, const struct vec_rows *other,
                                     size_t index, size_t name_count, struct err *err);

static inline const float *vec_rows_vector(const struct vec_rows *rows, size_t index)
{
    const struct vec_rows_block *block = rows->blocks[index / VEC_ROWS_BLOCK];
    return &block->vectors[index % VEC_ROWS_BLOCK * rows->stride];
}

static inline int64_t vec_rows_id(const struct vec_rows *rows, size_t index)
{
    return rows->blocks[index / VEC_ROWS_BLOCK]->ids[index % VEC_ROWS_BLOCK];
}

static inline struct str vec_rows_key(const struct vec_rows *rows, size_t index)
{
    return rows->blocks[index / VEC_ROWS_BLOCK]->keys[index % VEC_ROWS_BLOCK];
}

/* The column of a field among the first name_count names, or VEC_ROWS_MAX_FIELDS. */
size_t vec_rows_column(const struct vec_rows *rows, size_t name_count, struct str name);
/* What stands in a column for value; 0 for the empty value, which is what a missing field has. */
uint64_t vec_rows_hash(struct str value);

#endif
