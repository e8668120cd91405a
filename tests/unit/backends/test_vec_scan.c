/* SPDX-License-Identifier: MIT */
/* backends/vec_scan, vec_image, vec_rows, vec_kernel: what is found is what looking at every vector
 * finds, through filters, burials, growth and compaction; old images stay as they were. */
#include "backends/vectors/vec_scan.h"

#include "tests/unit/backends/vectors.h"

enum { QUERIES = 12, TOP_K = 10 };

static const struct str zero[] = {{"0", 1}}, either[] = {{"0", 1}, {"2", 1}}, lacks[] = {{"", 0}},
                        seven[] = {{"8", 1}};
static const struct {
    const char *name;
    struct passage_filter filters[2];
    size_t count;
} cases[] = {
    {"all", {{{NULL, 0}, NULL, 0}}, 0},
    {"a third", {{{"third", 5}, zero, 1}}, 1},
    {"two thirds", {{{"third", 5}, either, 2}}, 1},
    {"few", {{{"rare", 4}, seven, 1}}, 1},
    {"those that lack it", {{{"rare", 4}, lacks, 1}}, 1},
    {"both", {{{"rare", 4}, lacks, 1}, {{"third", 5}, zero, 1}}, 2},
    {"none has it", {{{"color", 5}, zero, 1}}, 1},
};

/* Whether a row passes, from how the rows were made. */
static bool passes(size_t made, const struct passage_filter *filters, size_t count)
{
    char third[8], rare[8];
    snprintf(third, sizeof third, "%zu", made % 3);
    snprintf(rare, sizeof rare, "%zu", made % 50);
    const struct passage_field fields[] = {{STR("third"), str_of(third)},
                                           {STR("rare"), str_of(rare)}};
    const struct passage passage = {.fields = fields, .field_count = made % 4 == 0 ? 2 : 1};
    return passage_passes(&passage, filters, count);
}

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Every row whose score is clearly above the last hit's must be a hit, and none too many. */
static void check_hits(const char *name, const struct vec_scan *scan, const struct vec_query *query)
{
    const struct vec_collection *all = scan->collection;
    double last =
        scan->hit_count == query->top_k ? (double)scan->hits[scan->hit_count - 1].score : -2;
    size_t passing = 0, above = 0;
    for (size_t row = 0; row < all->count; row++) {
        size_t made = (size_t)vec_rows_id(all->rows, row) - 1;
        if (vec_collection_is_dead(all, row) || !passes(made, query->filters, query->filter_count))
            continue;
        passing++;
        above +=
            dot(vec_rows_vector(all->rows, row), query->vector, query->dimensions) > last + 1e-5;
    }
    EXPECT_INT(name, scan->hit_count, size_min(passing, query->top_k));
    EXPECT_TRUE(name, above <= scan->hit_count);
    for (size_t i = 0; i < scan->hit_count; i++) {
        const struct vec_scan_hit *hit = &scan->hits[i];
        size_t made = (size_t)vec_rows_id(all->rows, hit->row) - 1;
        double score = dot(vec_rows_vector(all->rows, hit->row), query->vector, query->dimensions);
        EXPECT_TRUE(name, fabs(score - (double)hit->score) < 1e-5);
        EXPECT_TRUE(name, passes(made, query->filters, query->filter_count));
        EXPECT_TRUE(name, !vec_collection_is_dead(all, hit->row));
        EXPECT_TRUE(name, i == 0 || scan->hits[i - 1].score >= hit->score);
    }
}

static void check_all(struct vectors *f, const struct vec_collection *collection)
{
    float vector[64];
    for (size_t i = 0; i < QUERIES; i++) {
        vectors_make(f, vector);
        TEST_EACH(c, cases) {
            const struct vec_query query = {.vector = vector,
                                            .dimensions = f->dimensions,
                                            .top_k = TOP_K,
                                            .filters = c->filters,
                                            .filter_count = c->count};
            struct vec_scan scan;
            struct arena arena;
            struct err err;
            arena_init(&arena, 1 << 20);
            EXPECT_INT(c->name, vec_scan_begin(&scan, collection, &query, &arena, &err), ERR_OK);
            for (size_t block = 0; block < vec_scan_blocks(&scan); block++)
                vec_scan_block(&scan, block);
            vec_scan_sort(&scan);
            check_hits(c->name, &scan, &query);
            arena_fini(&arena);
        }
    }
}

TEST(finds_what_looking_at_all_finds)
{
    static const size_t sizes[] = {0, 1, 9, 255, 256, 257, 3000}, dimensions[] = {1, 16, 37, 64};
    TEST_EACH(size, sizes) {
        TEST_EACH(count, dimensions) {
            struct vectors f;
            vectors_begin(&f, *count, *size);
            check_all(&f, vectors_collection(&f));
            vectors_end(&f);
        }
    }
}

TEST(buried_and_compacted)
{
    struct vectors f;
    struct err err;
    vectors_begin(&f, 37, 5000);
    for (int64_t id = 1; id <= 5000; id += id % 2 == 0 ? 1 : 3)
        EXPECT_INT("bury", vec_image_bury(f.image, id, &err), ERR_OK);
    EXPECT_INT("no such", vec_image_bury(f.image, 999999, &err), ERR_OK);
    size_t dead = vectors_collection(&f)->dead_count;
    EXPECT_TRUE("many", dead > 5000 / 4);
    check_all(&f, vectors_collection(&f));
    EXPECT_INT("compact", vec_image_compact(f.image, &err), ERR_OK);
    EXPECT_INT("none dead", vectors_collection(&f)->dead_count, 0);
    EXPECT_INT("the others", vectors_collection(&f)->count, 5000 - dead);
    check_all(&f, vectors_collection(&f));
    vectors_end(&f);
}

/* The image before does not change, whatever becomes of the next one. */
TEST(old_images_stay)
{
    struct vectors f;
    struct err err;
    vectors_begin(&f, 16, 700);
    struct vec_image *old = f.image, *failed = vec_image_grow(old);
    assert_non_null(failed);
    f.image = failed;
    vectors_append(&f, 100);
    vec_image_unref(failed); /* never published: its rows are void */
    f.count = 700;
    f.image = vec_image_grow(old);
    assert_non_null(f.image);
    vectors_append(&f, 300);
    for (int64_t id = 600; id < 800; id++)
        EXPECT_INT("bury", vec_image_bury(f.image, id, &err), ERR_OK);
    EXPECT_INT("old", old->collections[0].count, 700);
    EXPECT_INT("old", old->collections[0].dead_count, 0);
    EXPECT_INT("new", vectors_collection(&f)->count, 1000);
    check_all(&f, &old->collections[0]);
    check_all(&f, vectors_collection(&f));
    vec_image_unref(old);
    check_all(&f, vectors_collection(&f));
    vectors_end(&f);
}

RUN_TESTS(T(finds_what_looking_at_all_finds), T(buried_and_compacted), T(old_images_stay))
