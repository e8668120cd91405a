/* SPDX-License-Identifier: MIT */
/* backends/hnsw_file: what was kept is found again, over the rows of now; what does not belong to
 * them, or is damaged anywhere, is no index. */
#include "backends/vectors/hnsw.h"

#include "tests/unit/backends/sqlite_file.h"
#include "tests/unit/backends/vectors.h"

enum { ROWS = 3000, FEW = 600, DIMENSIONS = 32, QUERIES = 40, TOP_K = 10, WIDTH = 80 };

struct kept { /* an index in a file */
    struct vectors vectors;
    struct sqlite_file file; /* of the store; it need not be there */
    struct hnsw_place place;
    struct hnsw *hnsw;
    char path[112];
};

static size_t blocks(size_t rows)
{
    return rows / VEC_ROWS_BLOCK * VEC_ROWS_BLOCK;
}

static void keep(struct kept *kept, size_t rows)
{
    struct err err = {0};
    vectors_begin(&kept->vectors, DIMENSIONS, rows);
    sqlite_file_name(&kept->file);
    kept->place = (struct hnsw_place){kept->file.path, 77, 1};
    snprintf(kept->path, sizeof kept->path, "%s-index1", kept->file.path);
    kept->hnsw = hnsw_create(vectors_collection(&kept->vectors)->rows, blocks(rows),
                             &(struct hnsw_options){.seed = 3});
    assert_non_null(kept->hnsw);
    while (!hnsw_is_full(kept->hnsw))
        EXPECT_INT("add", hnsw_add(kept->hnsw, &err), ERR_OK);
    EXPECT_INT(err.text, hnsw_file_save(kept->hnsw, &kept->place, &err), ERR_OK);
}

static void drop(struct kept *kept)
{
    hnsw_unref(kept->hnsw);
    vectors_end(&kept->vectors);
    sqlite_file_remove(&kept->file);
}

static enum err_code load(const struct kept *kept, struct vec_rows *rows, size_t count,
                          struct hnsw **out)
{
    struct err err = {0};
    return hnsw_file_load(&kept->place, rows, count, out, &err);
}

/* Both find the same. */
static void compare(struct kept *kept, const struct hnsw *one, const struct hnsw *two)
{
    static float vector[64];
    struct hnsw_room *first = hnsw_room_create(WIDTH, 32), *second = hnsw_room_create(WIDTH, 32);
    for (int i = 0; i < QUERIES; i++) {
        const struct hnsw_hit *a, *b;
        vectors_make(&kept->vectors, vector);
        size_t count = hnsw_search(one, vector, first, &a);
        EXPECT_INT("as many", hnsw_search(two, vector, second, &b), count);
        for (size_t at = 0; at < count; at++)
            EXPECT_INT("same", a[at].row, b[at].row);
    }
    hnsw_room_destroy(first);
    hnsw_room_destroy(second);
}

TEST(found_again_also_with_new_rows)
{
    struct kept kept;
    struct hnsw *again;
    keep(&kept, ROWS);
    struct vec_collection *collection = vectors_collection(&kept.vectors);
    EXPECT_INT("found", load(&kept, collection->rows, collection->count, &again), ERR_OK);
    EXPECT_INT("all", hnsw_count(again), blocks(ROWS));
    EXPECT_TRUE("full", hnsw_is_full(again));
    compare(&kept, kept.hnsw, again);
    hnsw_unref(again);
    vectors_append(&kept.vectors, 500);
    EXPECT_INT("more", load(&kept, collection->rows, collection->count, &again), ERR_OK);
    EXPECT_INT("behind it", hnsw_count(again), blocks(ROWS));
    compare(&kept, kept.hnsw, again);
    hnsw_unref(again);
    drop(&kept);
}

/* The rows of kept without every step-th one, as read from the store after a restart. */
static struct vec_rows *without(struct kept *kept, size_t step)
{
    struct err err;
    struct vec_collection *collection = vectors_collection(&kept->vectors);
    struct vec_rows *rows = vec_rows_create(DIMENSIONS);
    assert_non_null(rows);
    for (size_t i = 0; i < collection->count; i++)
        if (i % step != 0)
            EXPECT_INT("copied", vec_rows_copy(rows, collection->rows, i, 0, &err), ERR_OK);
    return rows;
}

/* Of the exact TOP_K of the first count rows, how many the index finds. */
static size_t recalled(const struct hnsw *hnsw, const struct vec_rows *rows, const float *vector,
                       struct hnsw_room *room)
{
    const struct hnsw_hit *hits;
    size_t found = hnsw_search(hnsw, vector, room, &hits), recall = 0;
    for (size_t i = 0; i < TOP_K && i < found; i++) {
        size_t better = 0;
        EXPECT_TRUE("a row", hits[i].row < hnsw_count(hnsw));
        for (size_t row = 0; row < hnsw_count(hnsw); row++)
            better +=
                vec_kernel_dot(vector, vec_rows_vector(rows, row), rows->stride) > hits[i].score;
        recall += better < TOP_K;
    }
    return recall;
}

TEST(rows_that_went_are_left_out)
{
    static float vector[64];
    struct kept kept;
    struct hnsw *again;
    size_t recall = 0;
    keep(&kept, ROWS);
    struct vec_rows *most = without(&kept, 20), *few = without(&kept, 10);
    EXPECT_INT("one in twenty", load(&kept, most, most->count, &again), ERR_OK);
    EXPECT_INT("the rest, in whole blocks", hnsw_count(again), blocks(blocks(ROWS) * 19 / 20));
    struct hnsw_room *room = hnsw_room_create(WIDTH, 32);
    for (int i = 0; i < QUERIES; i++) {
        vectors_make(&kept.vectors, vector);
        recall += recalled(again, most, vector, room);
    }
    EXPECT_TRUE("nearly all", recall >= QUERIES * TOP_K * 97 / 100);
    hnsw_room_destroy(room);
    hnsw_unref(again);
    EXPECT_INT("one in ten is too much", load(&kept, few, few->count, &again), ERR_NOT_FOUND);
    EXPECT_INT("nothing is left", load(&kept, few, 0, &again), ERR_NOT_FOUND);
    vec_rows_unref(most);
    vec_rows_unref(few);
    drop(&kept);
}

TEST(what_does_not_belong)
{
    struct kept kept;
    struct hnsw *again;
    struct vectors wider;
    keep(&kept, FEW);
    struct vec_collection *collection = vectors_collection(&kept.vectors);
    const struct hnsw_place places[] = {
        {kept.file.path, 78, 1}, {kept.file.path, 77, 2}, {"/nowhere/at/all", 77, 1}};
    for (size_t i = 0; i < countof(places); i++) {
        struct err err = {0};
        EXPECT_INT("another",
                   hnsw_file_load(&places[i], collection->rows, collection->count, &again, &err),
                   ERR_NOT_FOUND);
        EXPECT_TRUE("none", again == NULL);
    }
    struct err err = {0};
    EXPECT_INT("no such folder", hnsw_file_save(kept.hnsw, &places[2], &err), ERR_UNAVAILABLE);
    vectors_begin(&wider, 2 * DIMENSIONS, FEW);
    EXPECT_INT("wider", load(&kept, vectors_collection(&wider)->rows, FEW, &again), ERR_NOT_FOUND);
    vectors_end(&wider);
    drop(&kept);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    EXPECT_INT("written", fwrite(bytes, 1, len, out), len);
    fclose(out);
}

TEST(damaged_anywhere)
{
    enum { HEAD = 64, STEP = 61, CUT_STEP = 997 };
    static char bytes[1 << 20];
    struct kept kept;
    struct hnsw *again;
    keep(&kept, FEW);
    struct vec_collection *collection = vectors_collection(&kept.vectors);
    FILE *in = fopen(kept.path, "rb");
    assert_non_null(in);
    size_t len = fread(bytes, 1, sizeof bytes - 1, in);
    fclose(in);
    EXPECT_TRUE("whole", len > FEW * 100 && len < sizeof bytes - 1);
    for (size_t at = 0; at < len; at += at < HEAD ? 1 : STEP) {
        bytes[at] ^= 0x41;
        write_file(kept.path, bytes, len);
        EXPECT_INT("a bit", load(&kept, collection->rows, FEW, &again), ERR_NOT_FOUND);
        bytes[at] ^= 0x41;
    }
    for (size_t cut = 0; cut < len; cut += cut < HEAD ? 1 : CUT_STEP) {
        write_file(kept.path, bytes, cut);
        EXPECT_INT("cut", load(&kept, collection->rows, FEW, &again), ERR_NOT_FOUND);
    }
    write_file(kept.path, bytes, len + 1);
    EXPECT_INT("too long", load(&kept, collection->rows, FEW, &again), ERR_NOT_FOUND);
    write_file(kept.path, bytes, len);
    EXPECT_INT("as it was", load(&kept, collection->rows, FEW, &again), ERR_OK);
    hnsw_unref(again);
    drop(&kept);
}

TEST(every_allocation_may_fail)
{
    struct kept kept;
    struct hnsw *again = NULL;
    keep(&kept, FEW);
    struct vec_collection *collection = vectors_collection(&kept.vectors);
    for (uint64_t n = 1; again == NULL; n++) {
        assert_true(n < 100);
        mem_fail_nth(n);
        enum err_code code = load(&kept, collection->rows, FEW, &again);
        mem_fail_nth(0);
        EXPECT_TRUE("or there is none", (code == ERR_OK) == (again != NULL));
    }
    hnsw_unref(again);
    drop(&kept);
}

TEST(only_those_of_collections_stay)
{
    static const char *const suffixes[] = {"-index1", "-index2", "-index12", "-index2.4711",
                                           "-wal"};
    const int64_t collections[] = {12, 1};
    struct kept kept;
    char path[128];
    keep(&kept, FEW);
    for (size_t i = 0; i < countof(suffixes); i++) {
        snprintf(path, sizeof path, "%s%s", kept.file.path, suffixes[i]);
        if (i > 0)
            write_file(path, "x", 1);
    }
    hnsw_file_keep_only(kept.file.path, collections, countof(collections));
    for (size_t i = 0; i < countof(suffixes); i++) {
        snprintf(path, sizeof path, "%s%s", kept.file.path, suffixes[i]);
        EXPECT_INT(suffixes[i], access(path, F_OK) == 0, i != 1 && i != 3);
        unlink(path);
    }
    hnsw_file_keep_only("/nowhere/at/all", collections, 0);
    drop(&kept);
}

RUN_TESTS(T(found_again_also_with_new_rows), T(rows_that_went_are_left_out),
          T(what_does_not_belong), T(damaged_anywhere), T(every_allocation_may_fail),
          T(only_those_of_collections_stay))
