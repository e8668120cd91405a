/* SPDX-License-Identifier: MIT */
/* backends/hnsw, vec_index: nearly always what looking at every vector finds, the same graph each
 * time; through filters, burials and rows behind the index; no memory. */
#include "backends/vectors/hnsw.h"

#include "backends/vectors/vec_index.h"
#include "tests/unit/backends/vectors.h"

enum { ROWS = 3000, QUERIES = 50, TOP_K = 10 };

static struct hnsw *build(struct vectors *f, size_t limit, uint64_t seed)
{
    struct err err;
    struct hnsw *hnsw =
        hnsw_create(vectors_collection(f)->rows, limit, &(struct hnsw_options){.seed = seed});
    assert_non_null(hnsw);
    while (!hnsw_is_full(hnsw))
        EXPECT_INT("add", hnsw_add(hnsw, &err), ERR_OK);
    return hnsw;
}

TEST(same_rows_and_seed_same_answers)
{
    static float vector[64];
    struct vectors f;
    vectors_begin(&f, 32, ROWS);
    struct hnsw *one = build(&f, ROWS, 7), *two = build(&f, ROWS, 7);
    struct hnsw_room *first = hnsw_room_create(20, 32), *second = hnsw_room_create(20, 32);
    for (int i = 0; i < QUERIES; i++) {
        const struct hnsw_hit *a, *b;
        vectors_make(&f, vector);
        size_t count = hnsw_search(one, vector, first, &a);
        EXPECT_INT("as many", hnsw_search(two, vector, second, &b), count);
        for (size_t at = 0; at < count; at++) {
            EXPECT_INT("same", a[at].row, b[at].row);
            EXPECT_TRUE("in order", at == 0 || a[at - 1].score >= a[at].score);
        }
    }
    hnsw_room_destroy(first);
    hnsw_room_destroy(second);
    hnsw_unref(one);
    hnsw_unref(two);
    vectors_end(&f);
}

TEST(few_rows)
{
    static const size_t sizes[] = {0, 1, 2, 3, 20};
    TEST_EACH(size, sizes) {
        struct vectors f;
        const struct hnsw_hit *hits;
        float vector[64] = {0};
        vectors_begin(&f, 16, *size);
        struct hnsw *hnsw = build(&f, *size, 1);
        struct hnsw_room *room = hnsw_room_create(64, 32);
        vectors_make(&f, vector);
        EXPECT_INT("all", hnsw_search(hnsw, vector, room, &hits), *size);
        hnsw_room_destroy(room);
        hnsw_unref(hnsw);
        vectors_end(&f);
    }
}

/* How many of the hits of an exact scan one through the index has. */
static size_t common(struct vectors *f, const struct vec_query *query, bool *indexed)
{
    struct vec_scan scan, exact;
    struct arena arena;
    struct err err;
    atomic_bool stop = false;
    size_t count = 0;
    arena_init(&arena, 1 << 20);
    EXPECT_INT("scan", vec_scan_begin(&scan, vectors_collection(f), query, &arena, &err), ERR_OK);
    EXPECT_INT("scan", vec_scan_begin(&exact, vectors_collection(f), query, &arena, &err), ERR_OK);
    *indexed = vec_index_scan(&scan, &stop);
    for (size_t i = 0; i < vec_scan_blocks(&exact); i++)
        vec_scan_block(&exact, i);
    for (size_t i = 0; i < scan.hit_count; i++) {
        EXPECT_TRUE("passes", vec_scan_passes(&scan, scan.hits[i].row));
        for (size_t j = 0; j < exact.hit_count; j++)
            count += scan.hits[i].row == exact.hits[j].row;
    }
    arena_fini(&arena);
    return count;
}

TEST(recall_through_filters_and_burials)
{
    static const struct str zero[] = {{"0", 1}}, eight[] = {{"8", 1}};
    static const struct passage_filter third = {{"third", 5}, zero, 1},
                                       rare = {{"rare", 4}, eight, 1};
    struct vectors f;
    struct err err;
    bool indexed;
    float vector[64];
    vectors_begin(&f, 32, ROWS);
    EXPECT_TRUE("not yet", vec_index_wanted(f.image, ROWS + 1) == NULL);
    EXPECT_TRUE("wanted", vec_index_wanted(f.image, ROWS) == vectors_collection(&f));
    struct hnsw *index = vec_index_begin(vectors_collection(&f));
    atomic_bool stop = false;
    for (bool done = false; !done;)
        EXPECT_INT("build", vec_index_build(index, 1000000, &stop, &done, &err), ERR_OK);
    vectors_collection(&f)->index = index;
    EXPECT_TRUE("has one", vec_index_wanted(f.image, ROWS) == NULL);
    vectors_append(&f, 100);
    for (int64_t id = 1; id < ROWS; id += 5)
        EXPECT_INT("bury", vec_image_bury(f.image, id, &err), ERR_OK);
    size_t plain = 0, filtered = 0;
    for (int i = 0; i < QUERIES; i++) {
        struct vec_query query = {.vector = vector, .dimensions = 32, .top_k = TOP_K};
        vectors_make(&f, vector);
        plain += common(&f, &query, &indexed);
        EXPECT_TRUE("indexed", indexed);
        query.filters = &third;
        query.filter_count = 1;
        filtered += common(&f, &query, &indexed);
        EXPECT_TRUE("indexed", indexed);
        query.filters = &rare;
        (void)common(&f, &query, &indexed);
        EXPECT_TRUE("too few pass: exact", !indexed);
    }
    EXPECT_TRUE("recall", plain >= QUERIES * TOP_K * 98 / 100);
    EXPECT_TRUE("recall through a filter", filtered >= QUERIES * TOP_K * 98 / 100);
    vectors_append(&f, ROWS);
    EXPECT_TRUE("outgrown", vec_index_wanted(f.image, ROWS) == vectors_collection(&f));
    vectors_end(&f);
}

TEST(every_allocation_may_fail)
{
    struct vectors f;
    struct err err;
    vectors_begin(&f, 16, 300);
    uint64_t n = 0;
    for (bool whole = false; !whole;) {
        mem_fail_nth(++n);
        struct hnsw *hnsw =
            hnsw_create(vectors_collection(&f)->rows, 300, &(struct hnsw_options){.seed = 1});
        whole = hnsw != NULL;
        while (whole && !hnsw_is_full(hnsw))
            whole = hnsw_add(hnsw, &err) == ERR_OK;
        mem_fail_nth(0);
        hnsw_unref(hnsw);
    }
    EXPECT_TRUE("some", n > 5);
    vectors_end(&f);
}

RUN_TESTS(T(same_rows_and_seed_same_answers), T(few_rows), T(recall_through_filters_and_burials),
          T(every_allocation_may_fail))
