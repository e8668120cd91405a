/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_index.c - index first, newer rows exactly.
 *
 * Happy path: a sample of rows says what share passes the filters; the index is asked for as many
 * candidates more; those that pass are kept, then the rows behind the index are scanned. Failure:
 * too small a share, no memory, too few found: the exact scan does it.
 *
 * WIDTH is a guess that bench/search.c checks: with it recall@10 of 100,000 clustered vectors was
 * 0.997 without filters. */
#include "backends/vectors/vec_index.h"

#include "core/loop/loop.h"

enum { WIDTH = 160, WIDTH_MOST = 1024, SAMPLE = 2000, SAMPLE_PASSES = SAMPLE / 8 };

bool vec_index_is_outgrown(const struct vec_collection *collection, size_t indexed)
{
    return indexed < collection->count / 5 * 4 - VEC_ROWS_BLOCK;
}

static bool wants_index(const struct vec_collection *collection)
{
    return collection->index == NULL ||
           vec_index_is_outgrown(collection, hnsw_count(collection->index));
}

const struct vec_collection *vec_index_wanted(const struct vec_image *image, size_t least)
{
    const struct vec_collection *wanted = NULL;
    for (size_t i = 0; i < image->count; i++) {
        const struct vec_collection *collection = &image->collections[i];
        if (collection->count >= least && collection->count >= 2 * VEC_ROWS_BLOCK &&
            wants_index(collection) && (wanted == NULL || wanted->count < collection->count))
            wanted = collection;
    }
    return wanted;
}

struct hnsw *vec_index_begin(const struct vec_collection *collection)
{
    const struct hnsw_options options = {.seed = 1};
    return hnsw_create(collection->rows, collection->count / VEC_ROWS_BLOCK * VEC_ROWS_BLOCK,
                       &options);
}

enum err_code vec_index_build(struct hnsw *index, uint64_t slice_ns, const atomic_bool *stop,
                              bool *done, struct err *err)
{
    uint64_t begin = loop_precise_ns();
    enum err_code code = ERR_OK;
    while (code == ERR_OK && !hnsw_is_full(index) && !atomic_load(stop) &&
           loop_precise_ns() - begin < slice_ns)
        code = hnsw_add(index, err);
    *done = hnsw_is_full(index);
    return code;
}

/* How many of SAMPLE rows, evenly spread, pass. */
static size_t sample(const struct vec_scan *scan, size_t rows)
{
    size_t passed = 0;
    for (size_t i = 0; i < SAMPLE; i++)
        passed += vec_scan_passes(scan, i * rows / SAMPLE);
    return passed;
}

bool vec_index_scan(struct vec_scan *scan, const atomic_bool *stop)
{
    const struct hnsw *index = scan->collection->index;
    const struct hnsw_hit *hits;
    if (index == NULL || hnsw_count(index) < SAMPLE)
        return false;
    size_t passing = sample(scan, hnsw_count(index));
    size_t width = size_max(WIDTH, 2 * scan->top_k);
    if (passing < SAMPLE_PASSES || width * SAMPLE / passing > WIDTH_MOST)
        return false;
    struct hnsw_room *room = hnsw_room_create(width * SAMPLE / passing, HNSW_LOWEST_NEIGHBOURS);
    if (room == NULL)
        return false;
    size_t count = hnsw_search(index, scan->vector, room, &hits);
    for (size_t i = 0; i < count; i++)
        if (vec_scan_passes(scan, hits[i].row))
            vec_scan_keep(scan, hits[i].row, hits[i].score);
    scan->scored += count;
    hnsw_room_destroy(room);
    if (scan->hit_count < scan->top_k) {
        scan->hit_count = 0;
        return false;
    }
    for (size_t block = hnsw_count(index) / VEC_ROWS_BLOCK;
         block < vec_scan_blocks(scan) && !atomic_load(stop); block++)
        vec_scan_block(scan, block);
    return true;
}
