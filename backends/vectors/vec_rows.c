/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_rows.c - blocks of rows and their columns of hashes.
 *
 * Happy path: a row goes behind the last one; its block, and the columns of the fields it has, are
 * made when first needed; in every column that is there its place is written, be it with 0.
 * Failure: no memory or too many; the count stays, so what was half written is written over. */
#include "backends/vectors/vec_rows.h"

#include <string.h>

#include "backends/passages/passage_codec.h"
#include "core/base/mem.h"

enum { NO_COLUMN = VEC_ROWS_MAX_FIELDS };

static const size_t arena_bytes =
    (size_t)VEC_ROWS_MAX_BLOCKS * VEC_ROWS_BLOCK * (PASSAGE_MAX_ID + 32);

struct vec_rows *vec_rows_create(size_t dimensions)
{
    struct vec_rows *rows = mem_zalloc(1, sizeof *rows);
    if (rows == NULL)
        return NULL;
    rows->dimensions = dimensions;
    rows->stride = vec_kernel_stride(dimensions);
    arena_init(&rows->arena, arena_bytes);
    atomic_init(&rows->holders, 1);
    return rows;
}

void vec_rows_ref(struct vec_rows *rows)
{
    atomic_fetch_add_explicit(&rows->holders, 1, memory_order_relaxed);
}

void vec_rows_unref(struct vec_rows *rows)
{
    if (rows == NULL || atomic_fetch_sub_explicit(&rows->holders, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < VEC_ROWS_MAX_BLOCKS && rows->blocks[i] != NULL; i++) {
        for (size_t column = 0; column < VEC_ROWS_MAX_FIELDS; column++)
            mem_free(atomic_load(&rows->blocks[i]->columns[column]));
        mem_free(rows->blocks[i]);
    }
    arena_fini(&rows->arena);
    mem_free(rows);
}

uint64_t vec_rows_hash(struct str value)
{
    uint64_t hash = value.len == 0 ? 0 : str_hash(value);
    return value.len > 0 && hash == 0 ? 1 : hash;
}

size_t vec_rows_column(const struct vec_rows *rows, size_t name_count, struct str name)
{
    for (size_t i = 0; i < name_count; i++)
        if (str_equal(rows->names[i], name))
            return i;
    return NO_COLUMN;
}

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the vectors of a collection");
}

static struct vec_rows_block *make_block(size_t stride)
{
    struct vec_rows_block *block;
    size_t numbers = VEC_ROWS_BLOCK * stride;
    block = mem_zalloc(1, sizeof *block + numbers * (sizeof(float) + sizeof(int8_t)));
    if (block != NULL)
        block->codes = (int8_t *)(block->vectors + numbers);
    return block;
}

/* The block of the next row, made when it is its first. */
static enum err_code next_block(struct vec_rows *rows, struct vec_rows_block **block,
                                struct err *err)
{
    size_t index = rows->count / VEC_ROWS_BLOCK;
    if (index >= VEC_ROWS_MAX_BLOCKS)
        return err_set(err, ERR_TOO_LARGE, "a collection holds more than %d passages",
                       VEC_ROWS_MAX_BLOCKS * VEC_ROWS_BLOCK);
    if (rows->blocks[index] == NULL)
        rows->blocks[index] = make_block(rows->stride);
    *block = rows->blocks[index];
    return *block == NULL ? no_memory(err) : ERR_OK;
}

static enum err_code find_column(struct vec_rows *rows, struct str name, size_t *column,
                                 struct err *err)
{
    *column = vec_rows_column(rows, rows->name_count, name);
    if (*column != NO_COLUMN)
        return ERR_OK;
    if (rows->name_count == VEC_ROWS_MAX_FIELDS)
        return err_set(err, ERR_TOO_LARGE, "the passages of a collection have more than %d fields",
                       VEC_ROWS_MAX_FIELDS);
    struct str copy = arena_str(&rows->arena, name);
    if (str_is_absent(copy))
        return no_memory(err);
    *column = rows->name_count;
    rows->names[rows->name_count++] = copy;
    return ERR_OK;
}

static enum err_code put_hash(struct vec_rows *rows, struct vec_rows_block *block, struct str name,
                              uint64_t hash, struct err *err)
{
    size_t column;
    enum err_code code = find_column(rows, name, &column, err);
    if (code != ERR_OK)
        return code;
    uint64_t *values = atomic_load_explicit(&block->columns[column], memory_order_relaxed);
    if (values == NULL) {
        values = mem_zalloc(VEC_ROWS_BLOCK, sizeof *values);
        if (values == NULL)
            return no_memory(err);
        atomic_store_explicit(&block->columns[column], values, memory_order_release);
    }
    values[rows->count % VEC_ROWS_BLOCK] = hash;
    return ERR_OK;
}

static void clear_hashes(struct vec_rows *rows, struct vec_rows_block *block)
{
    for (size_t column = 0; column < VEC_ROWS_MAX_FIELDS; column++) {
        uint64_t *values = atomic_load_explicit(&block->columns[column], memory_order_relaxed);
        if (values != NULL)
            values[rows->count % VEC_ROWS_BLOCK] = 0;
    }
}

/* id, key and vector of the next row, with no field yet. */
static enum err_code put_row(struct vec_rows *rows, const struct vec_rows_new *row,
                             struct vec_rows_block **block, struct err *err)
{
    size_t at = rows->count % VEC_ROWS_BLOCK;
    enum err_code code = next_block(rows, block, err);
    if (code != ERR_OK)
        return code;
    struct str key = arena_str(&rows->arena, row->key);
    if (str_is_absent(key))
        return no_memory(err);
    (*block)->ids[at] = row->id;
    (*block)->keys[at] = key;
    memcpy(&(*block)->vectors[at * rows->stride], row->vector, rows->dimensions * sizeof(float));
    (*block)->scales[at] = vec_kernel_encode(&(*block)->vectors[at * rows->stride], rows->stride,
                                             &(*block)->codes[at * rows->stride]);
    clear_hashes(rows, *block);
    return ERR_OK;
}

enum err_code vec_rows_append(struct vec_rows *rows, const struct vec_rows_new *row,
                              struct err *err)
{
    struct vec_rows_block *block;
    struct passage_field field;
    struct str bytes = row->fields;
    enum err_code code = put_row(rows, row, &block, err);
    while (code == ERR_OK && passage_codec_next(&bytes, &field))
        code = put_hash(rows, block, field.name, vec_rows_hash(field.value), err);
    rows->count += code == ERR_OK;
    return code;
}

enum err_code vec_rows_copy(struct vec_rows *rows, const struct vec_rows *other, size_t index,
                            size_t name_count, struct err *err)
{
    const struct vec_rows_block *from = other->blocks[index / VEC_ROWS_BLOCK];
    const struct vec_rows_new row = {.id = vec_rows_id(other, index),
                                     .key = vec_rows_key(other, index),
                                     .vector = vec_rows_vector(other, index)};
    struct vec_rows_block *block;
    enum err_code code = put_row(rows, &row, &block, err);
    for (size_t column = 0; column < name_count && code == ERR_OK; column++) {
        const uint64_t *values = atomic_load_explicit(&from->columns[column], memory_order_relaxed);
        uint64_t hash = values == NULL ? 0 : values[index % VEC_ROWS_BLOCK];
        if (hash != 0)
            code = put_hash(rows, block, other->names[column], hash, err);
    }
    rows->count += code == ERR_OK;
    return code;
}
