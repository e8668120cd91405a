/* SPDX-License-Identifier: MIT */
/* backends/sqlite_vectors: changes, images and hits on one thread, where a writer can be let in
 * between any two rows and allocations can be made to fail. */
#include "backends/vectors/sqlite_vectors.h"

#include "tests/unit/backends/sqlite_file.h"

enum { DIMENSIONS = 4 };

static const float east[DIMENSIONS] = {1}, north[DIMENSIONS] = {0, 1};
static const struct vec_point points[] = {{{{"a", 1}, {"alpha", 5}, NULL, 0}, east},
                                          {{{"b", 1}, {"beta", 4}, NULL, 0}, north}};
static const struct vec_change put = {.collection = {"docs", 4},
                                      .model = {"m", 1},
                                      .dimensions = DIMENSIONS,
                                      .upsert = points,
                                      .upsert_count = 2};
static const struct vec_query query = {.vector = east, .dimensions = DIMENSIONS, .top_k = 5};

/* What image holds of "docs", read; in arena. */
static enum err_code find_all(sqlite3 *db, const struct vec_image *image, struct arena *arena,
                              struct sqlite_vectors_fetch *fetch, struct err *err)
{
    struct vec_scan scan;
    enum err_code code =
        vec_scan_begin(&scan, vec_image_find(image, STR("docs")), &query, arena, err);
    if (code != ERR_OK)
        return code;
    *fetch = (struct sqlite_vectors_fetch){.scan = &scan, .query = &query, .arena = arena};
    vec_scan_block(&scan, 0);
    vec_scan_sort(&scan);
    code = sqlite_vectors_fetch(db, fetch, err);
    fetch->scan = NULL;
    return code;
}

/* Take all away, on a connection of its own, as soon as the other has read its first row. */
static int remove_all(unsigned what, void *context, void *statement, void *more)
{
    sqlite3 *other = context;
    (void)what, (void)statement, (void)more;
    EXPECT_INT("removed", sqlite3_exec(other, "DELETE FROM vec_passages", NULL, NULL, NULL),
               SQLITE_OK);
    return 0;
}

TEST(hits_are_read_whole_or_not_at_all)
{
    struct sqlite_file file;
    struct err err = {0};
    sqlite3 *db = NULL, *other = NULL;
    struct vec_image *image = NULL;
    struct sqlite_vectors_fetch fetch;
    struct arena arena;
    arena_init(&arena, 1 << 20);
    sqlite_file_make(&file, "PRAGMA journal_mode = WAL");
    assert_int_equal(sqlite3_open(file.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_open(file.path, &other), SQLITE_OK);
    EXPECT_INT("tables", sqlite_vectors_prepare(NULL, db, &err), ERR_OK);
    EXPECT_INT("put", sqlite_vectors_change(db, &put, &err), ERR_OK);
    EXPECT_INT("image", sqlite_vectors_refresh(db, NULL, &image, &err), ERR_OK);
    sqlite3_trace_v2(db, SQLITE_TRACE_ROW, remove_all, other);
    EXPECT_INT("read", find_all(db, image, &arena, &fetch, &err), ERR_OK);
    sqlite3_trace_v2(db, 0, NULL, NULL);
    EXPECT_INT("those of before the change", fetch.hit_count, 2);
    EXPECT_INT("read again", find_all(db, image, &arena, &fetch, &err), ERR_OK);
    EXPECT_INT("those of after it", fetch.hit_count, 0);
    EXPECT_INT("known to be lost", fetch.lost, 2);
    vec_image_unref(image);
    arena_fini(&arena);
    sqlite3_close(db);
    sqlite3_close(other);
    sqlite_file_remove(&file);
}

/* Change, refresh, change, refresh, read. */
static enum err_code play(sqlite3 *db, struct err *err)
{
    struct vec_image *image = NULL, *next = NULL;
    struct sqlite_vectors_fetch fetch;
    struct arena arena;
    arena_init(&arena, 1 << 20);
    enum err_code code = sqlite_vectors_change(db, &put, err);
    if (code == ERR_OK)
        code = sqlite_vectors_refresh(db, NULL, &image, err);
    if (code == ERR_OK)
        code = sqlite_vectors_change(db, &put, err);
    if (code == ERR_OK)
        code = sqlite_vectors_refresh(db, image, &next, err);
    if (code == ERR_OK)
        code = find_all(db, next, &arena, &fetch, err);
    if (code == ERR_OK)
        EXPECT_INT("hits", fetch.hit_count, 2);
    arena_fini(&arena);
    vec_image_unref(image);
    vec_image_unref(next);
    return code;
}

TEST(every_allocation_may_fail)
{
    struct err err = {0};
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    EXPECT_INT("tables", sqlite_vectors_prepare(NULL, db, &err), ERR_OK);
    uint64_t made = mem_alloc_count();
    EXPECT_INT("plays", play(db, &err), ERR_OK);
    made = mem_alloc_count() - made;
    EXPECT_TRUE("allocations", made > 8);
    for (uint64_t n = 1; n <= made; n++) {
        mem_fail_nth(n);
        enum err_code code = play(db, &err);
        mem_fail_nth(0);
        if (code != ERR_OK) /* some are not needed the second time */
            EXPECT_INT(err.text, code, ERR_NO_MEMORY);
        EXPECT_TRUE("no transaction is left", sqlite3_get_autocommit(db));
        EXPECT_INT("plays on", play(db, &err), ERR_OK);
    }
    sqlite3_close(db);
}

RUN_TESTS(T(hits_are_read_whole_or_not_at_all), T(every_allocation_may_fail))
