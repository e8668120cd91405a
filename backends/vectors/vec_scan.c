/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_scan.c - block by block: which rows pass, their dot products, the best in a
 * heap.
 *
 * Happy path: the filters' columns mark rows of a block, marked rows are scored, a row better than
 * the worst of the best takes its place; at the end the heap is sorted. Most rows are far enough
 * off by what their codes say, with the codes' own error added, so the result is that of reading
 * every vector. Failure: only memory, at
 * the beginning. */
#include "backends/vectors/vec_scan.h"

#include <math.h>
#include <string.h>

#include "backends/vectors/vec_kernel.h"

enum { AHEAD = 3 };

/* More than sums of 4096 products of unit vectors are off. */
static const float rounding = 1e-5F;

/* Whether row a of collection comes before row b: the score, then the key. */
static bool is_better(const struct vec_collection *collection, const struct vec_scan_hit *a,
                      const struct vec_scan_hit *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return str_compare(vec_rows_key(collection->rows, a->row),
                       vec_rows_key(collection->rows, b->row)) < 0;
}

static void sink(struct vec_scan *scan, size_t at, size_t count)
{
    struct vec_scan_hit *hits = scan->hits;
    struct vec_scan_hit moving = hits[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(scan->collection, &hits[child], &hits[child + 1]))
            child++;
        if (is_better(scan->collection, &hits[child], &moving))
            break;
        hits[at] = hits[child];
    }
    hits[at] = moving;
}

void vec_scan_keep(struct vec_scan *scan, size_t row, float score)
{
    struct vec_scan_hit *hits = scan->hits;
    const struct vec_scan_hit hit = {row, score};
    if (scan->hit_count == scan->top_k) {
        if (score < hits[0].score || !is_better(scan->collection, &hit, &hits[0]))
            return;
        hits[0] = hit;
        sink(scan, 0, scan->hit_count);
        return;
    }
    size_t at = scan->hit_count++;
    for (; at > 0 && is_better(scan->collection, &hits[(at - 1) / 2], &hit); at = (at - 1) / 2)
        hits[at] = hits[(at - 1) / 2];
    hits[at] = hit;
}

static bool has_hash(const struct vec_scan_filter *filter, uint64_t hash)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->hashes[i] == hash)
            return true;
    return false;
}

/* Leave of count marked rows those that pass filter. */
static size_t narrow(const struct vec_scan_filter *filter, const struct vec_rows_block *block,
                     uint16_t *marked, size_t count)
{
    const uint64_t *values =
        filter->column == VEC_ROWS_MAX_FIELDS
            ? NULL
            : atomic_load_explicit(&block->columns[filter->column], memory_order_acquire);
    if (values == NULL)
        return has_hash(filter, 0) ? count : 0;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        marked[left] = marked[i];
        left += has_hash(filter, values[marked[i]]);
    }
    return left;
}

/* The row's codes say how near it can be at most; only if that is enough its vector is read. */
static void score(struct vec_scan *scan, const struct vec_rows_block *block, size_t first,
                  size_t at)
{
    size_t stride = scan->collection->rows->stride;
    if (scan->hit_count == scan->top_k) {
        const struct vec_kernel_code *code = &block->scales[at];
        int32_t units = vec_kernel_dot_codes(scan->codes, &block->codes[at * stride], stride);
        float about = (float)units * scan->code.scale * code->scale;
        float most =
            about + code->error * scan->length + scan->code.error * code->length + rounding;
        if (most < scan->hits[0].score)
            return;
    }
    scan->scored++;
    vec_scan_keep(scan, first + at,
                  vec_kernel_dot(scan->vector, &block->vectors[at * stride], stride));
}

size_t vec_scan_blocks(const struct vec_scan *scan)
{
    return (scan->collection->count + VEC_ROWS_BLOCK - 1) / VEC_ROWS_BLOCK;
}

void vec_scan_block(struct vec_scan *scan, size_t index)
{
    const struct vec_collection *collection = scan->collection;
    const struct vec_rows_block *block = collection->rows->blocks[index];
    size_t first = index * VEC_ROWS_BLOCK, count = 0;
    size_t rows = size_min(VEC_ROWS_BLOCK, collection->count - first);
    size_t stride = collection->rows->stride;
    uint16_t marked[VEC_ROWS_BLOCK];
    for (size_t i = 0; i < rows; i++) {
        marked[count] = (uint16_t)i;
        count += !vec_collection_is_dead(collection, first + i);
    }
    for (size_t i = 0; i < scan->filter_count && count > 0; i++)
        count = narrow(&scan->filters[i], block, marked, count);
    for (size_t i = 0; i < count; i++) {
        if (count < rows && i + AHEAD < count) /* the processor cannot guess the next */
            vec_kernel_fetch(&block->codes[marked[i + AHEAD] * stride], stride);
        score(scan, block, first, marked[i]);
    }
}

bool vec_scan_passes(const struct vec_scan *scan, size_t row)
{
    const struct vec_rows_block *block = scan->collection->rows->blocks[row / VEC_ROWS_BLOCK];
    uint16_t at = (uint16_t)(row % VEC_ROWS_BLOCK);
    if (vec_collection_is_dead(scan->collection, row))
        return false;
    for (size_t i = 0; i < scan->filter_count; i++)
        if (narrow(&scan->filters[i], block, &at, 1) == 0)
            return false;
    return true;
}

static enum err_code begin_filters(struct vec_scan *scan, const struct vec_query *query,
                                   struct arena *arena)
{
    for (size_t i = 0; i < query->filter_count; i++) {
        const struct passage_filter *from = &query->filters[i];
        uint64_t *hashes = arena_array(arena, from->value_count, sizeof *hashes);
        if (hashes == NULL)
            return ERR_NO_MEMORY;
        for (size_t j = 0; j < from->value_count; j++)
            hashes[j] = vec_rows_hash(from->values[j]);
        scan->filters[i] = (struct vec_scan_filter){
            .column =
                vec_rows_column(scan->collection->rows, scan->collection->name_count, from->name),
            .hashes = hashes,
            .count = from->value_count};
    }
    scan->filter_count = query->filter_count;
    return ERR_OK;
}

enum err_code vec_scan_begin(struct vec_scan *scan, const struct vec_collection *collection,
                             const struct vec_query *query, struct arena *arena, struct err *err)
{
    *scan = (struct vec_scan){.collection = collection, .top_k = query->top_k};
    float *vector = arena_array(arena, collection->rows->stride, sizeof *vector);
    int16_t *codes = arena_array(arena, collection->rows->stride, sizeof *codes);
    scan->hits = arena_array(arena, query->top_k, sizeof *scan->hits);
    if (!arena_ok(arena) || begin_filters(scan, query, arena) != ERR_OK)
        return err_set(err, ERR_NO_MEMORY, "no memory for a search");
    memcpy(vector, query->vector, query->dimensions * sizeof *vector);
    scan->vector = vector;
    scan->codes = codes;
    scan->code = vec_kernel_encode_query(vector, collection->rows->stride, codes);
    scan->length = sqrtf(vec_kernel_dot(vector, vector, collection->rows->stride));
    return ERR_OK;
}

/* In place: the worst goes to the end, again and again. */
void vec_scan_sort(struct vec_scan *scan)
{
    for (size_t count = scan->hit_count; count > 1; count--) {
        struct vec_scan_hit worst = scan->hits[0];
        scan->hits[0] = scan->hits[count - 1];
        sink(scan, 0, count - 1);
        scan->hits[count - 1] = worst;
    }
}
