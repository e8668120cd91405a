/* SPDX-License-Identifier: MIT */
/* backends/vec_local, vec_shared: files that are missing, damaged, read-only, full, locked or
 * replaced; scans in the pool; two loops over one image. What all stores have in common is in
 * tests/contract. */
#include "backends/vectors/vec_local.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { DIMENSIONS = 4, PATIENCE_MS = 600000 };

struct local {
    struct rig rig;
    struct sqlite_file file;
    struct vec_shared *shared;
    struct vec *vec;
    struct vec_search search;
    struct vec_write write;
};

static const float east[DIMENSIONS] = {1}, north[DIMENSIONS] = {0, 1};
static const struct vec_point points[] = {{{{"a", 1}, {"alpha", 5}, NULL, 0}, east},
                                          {{{"b", 1}, {"beta", 4}, NULL, 0}, north}};

static void open_local(struct local *f)
{
    f->shared = vec_shared_create(f->file.path, 1);
    assert_non_null(f->shared);
    f->vec = vec_local_create(f->rig.loop, f->shared);
    assert_non_null(f->vec);
}

static void local_begin(struct local *f)
{
    *f = (struct local){0};
    rig_begin(&f->rig);
    sqlite_file_name(&f->file);
    open_local(f);
}

static void local_end(struct local *f)
{
    op_release(&f->search.op);
    op_release(&f->write.op);
    vec_close(f->vec, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    vec_shared_unref(f->shared);
    sqlite_file_remove(&f->file);
}

static void wait_for(struct local *f, struct op *op)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(op); run++)
        loop_run(f->rig.loop);
    EXPECT_TRUE("done", !op_is_pending(op));
}

static enum err_code put(struct local *f, const struct vec_point *from, size_t count)
{
    const struct vec_change change = {.collection = STR("docs"),
                                      .model = STR("m"),
                                      .dimensions = DIMENSIONS,
                                      .upsert = from,
                                      .upsert_count = count,
                                      .timeout_ms = PATIENCE_MS};
    op_release(&f->write.op);
    vec_write_start(&f->write, f->vec, &change, rig_waiter(&f->rig));
    wait_for(f, &f->write.op);
    return f->write.op.err.code;
}

static enum err_code find_within(struct local *f, struct vec *vec, uint64_t timeout_ms)
{
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = STR("m"),
                                    .vector = east,
                                    .dimensions = DIMENSIONS,
                                    .top_k = 10,
                                    .timeout_ms = timeout_ms};
    op_release(&f->search.op);
    vec_search_start(&f->search, vec, &query, rig_waiter(&f->rig));
    wait_for(f, &f->search.op);
    return f->search.op.err.code;
}

static enum err_code find(struct local *f)
{
    return find_within(f, f->vec, PATIENCE_MS);
}

#define EXPECT_CODE(name, got, want)                                                               \
    do {                                                                                           \
        enum err_code code_ = (got);                                                               \
        if (code_ != (want))                                                                       \
            fail_msg("%s: got %s (%s), want %s", (name), err_name(code_), f.rig.err.text,          \
                     err_name(want));                                                              \
    } while (0)

static void expect_said(struct local *f, const char *word)
{
    EXPECT_TRUE(f->rig.err.text, str_find(str_of(f->rig.err.text), str_of(word)) != STR_NONE);
}

TEST(files_and_folders_are_made)
{
    struct local f = {0};
    char folder[96];
    rig_begin(&f.rig);
    sqlite_file_name(&f.file);
    snprintf(folder, sizeof folder, "%s/one", f.file.folder);
    snprintf(f.file.path, sizeof f.file.path, "%.60s/one/two.db", f.file.folder);
    open_local(&f);
    EXPECT_CODE("nothing there", find(&f), ERR_OK);
    EXPECT_INT("nothing", f.search.hit_count, 0);
    EXPECT_CODE("put", put(&f, points, 2), ERR_OK);
    EXPECT_CODE("find", find(&f), ERR_OK);
    EXPECT_INT("both", f.search.hit_count, 2);
    local_end(&f);
    rmdir(folder);
    EXPECT_INT("only what was asked for", rmdir(f.file.folder), 0);
}

TEST(no_database_at_all)
{
    static const char *const kinds[] = {"no SQLite file", "its folder is a file"};
    TEST_EACH(kind, kinds) {
        struct local f;
        struct err err;
        local_begin(&f);
        sqlite_file_write(&f.file,
                          "This is not an SQLite database, but a text that is long enough");
        if (kind == &kinds[1])
            snprintf(f.file.path + strlen(f.file.path), 8, "/x.db");
        op_release(&f.search.op);
        vec_close(f.vec, rig_on_closed, &f.rig);
        assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
        f.rig.closed_calls = 0;
        vec_shared_unref(f.shared);
        open_local(&f);
        EXPECT_CODE(*kind, find(&f), ERR_UNAVAILABLE);
        EXPECT_TRUE(*kind, f.rig.err.text[0] != '\0');
        EXPECT_CODE(*kind, put(&f, points, 2), ERR_UNAVAILABLE);
        EXPECT_CODE("readiness", vec_ready(f.vec, &err), ERR_UNAVAILABLE);
        if (kind == &kinds[1])
            f.file.path[strlen(f.file.path) - 5] = '\0';
        if (kind == &kinds[0]) { /* put right: the next one works */
            unlink(f.file.path);
            EXPECT_CODE("mended", put(&f, points, 2), ERR_OK);
            EXPECT_CODE("mended", find(&f), ERR_OK);
            EXPECT_CODE("readiness", vec_ready(f.vec, &err), ERR_OK);
        }
        local_end(&f);
    }
}

/* Root writes everywhere, so the test is somebody else meanwhile. */
TEST(read_only_files_are_searched)
{
    struct local f;
    local_begin(&f);
    EXPECT_CODE("put", put(&f, points, 1), ERR_OK);
    vec_close(f.vec, rig_on_closed, &f.rig);
    assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
    f.rig.closed_calls = 0;
    vec_shared_unref(f.shared);
    bool is_root = geteuid() == 0;
    sqlite_file_run(&f.file, "PRAGMA journal_mode=DELETE");
    chmod(f.file.path, 0444);
    chmod(f.file.folder, 0555);
    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    open_local(&f);
    EXPECT_CODE("write", put(&f, points, 2), ERR_UNAVAILABLE);
    expect_said(&f, "cannot be written");
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    chmod(f.file.folder, 0755);
    chmod(f.file.path, 0644);
    EXPECT_CODE("again", put(&f, points, 2), ERR_OK);
    EXPECT_CODE("find", find(&f), ERR_OK);
    EXPECT_INT("both", f.search.hit_count, 2);
    local_end(&f);
}

TEST(full_disks_are_told)
{
    static char text[60000];
    static struct vec_point many[100];
    static char ids[100][8];
    struct local f;
    struct rlimit before, tight;
    local_begin(&f);
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < countof(many); i++) {
        snprintf(ids[i], sizeof ids[i], "x%zu", i);
        many[i] = (struct vec_point){{str_of(ids[i]), {text, sizeof text}, NULL, 0}, north};
    }
    EXPECT_CODE("put", put(&f, points, 2), ERR_OK);
    EXPECT_CODE("find", find(&f), ERR_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    EXPECT_CODE("no room", put(&f, many, countof(many)), ERR_UNAVAILABLE);
    EXPECT_TRUE("a sentence", f.rig.err.text[0] != '\0');
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_CODE("as before", find(&f), ERR_OK);
    EXPECT_INT("nothing of it", f.search.hit_count, 2);
    EXPECT_CODE("room again", put(&f, many, countof(many)), ERR_OK);
    EXPECT_CODE("find", find(&f), ERR_OK);
    EXPECT_INT("ten", f.search.hit_count, 10);
    local_end(&f);
}

TEST(locked_files_are_not_waited_for_longer)
{
    struct local f;
    sqlite3 *other = NULL;
    local_begin(&f);
    EXPECT_CODE("put", put(&f, points, 2), ERR_OK);
    assert_int_equal(sqlite3_open(f.file.path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    const struct vec_change change = {.collection = STR("docs"),
                                      .model = STR("m"),
                                      .dimensions = DIMENSIONS,
                                      .upsert = points,
                                      .upsert_count = 1,
                                      .timeout_ms = 30};
    op_release(&f.write.op);
    vec_write_start(&f.write, f.vec, &change, rig_waiter(&f.rig));
    wait_for(&f, &f.write.op);
    EXPECT_INT("late", f.write.op.err.code, ERR_UNAVAILABLE);
    EXPECT_CODE("readers go on", find(&f), ERR_OK);
    sqlite3_close(other);
    EXPECT_CODE("after", put(&f, points, 2), ERR_OK);
    local_end(&f);
}

/* Statements of another program, then what must be found soon. */
TEST(changes_in_the_file_are_followed)
{
    static const struct {
        const char *name, *sql;
        size_t hits;
        enum err_code want;
    } cases[] = {
        {"removed", "DELETE FROM vec_passages WHERE key = 'a'", 1, ERR_OK},
        {"what was removed is forgotten", "DELETE FROM vec_removed", 2, ERR_OK},
        {"removed and forgotten",
         "DELETE FROM vec_passages WHERE key = 'b'; INSERT INTO vec_removed(passage) VALUES (9);"
         "INSERT INTO vec_removed(passage) VALUES (9);"
         "DELETE FROM vec_removed WHERE id < (SELECT max(id) FROM vec_removed)",
         1, ERR_OK},
        {"another store", "DELETE FROM vec_passages; UPDATE vec_store SET number = number + 1", 0,
         ERR_OK},
        {"a damaged vector", "UPDATE vec_passages SET id = id + 1000, vector = x'00'", 0,
         ERR_UNAVAILABLE},
    };
    TEST_EACH(c, cases) {
        struct local f;
        local_begin(&f);
        EXPECT_CODE(c->name, put(&f, points, 2), ERR_OK);
        EXPECT_CODE(c->name, find(&f), ERR_OK);
        EXPECT_INT(c->name, f.search.hit_count, 2);
        sqlite_file_run(&f.file, c->sql);
        enum err_code code = ERR_OK;
        for (unsigned try = 0; try < 100000; try++) {
            code = find(&f);
            if (code == c->want && f.search.hit_count == c->hits)
                break;
        }
        EXPECT_CODE(c->name, code, c->want);
        EXPECT_INT(c->name, f.search.hit_count, c->hits);
        local_end(&f);
    }
}

TEST(two_loops_share_an_image)
{
    struct local f;
    local_begin(&f);
    struct vec *other = vec_local_create(f.rig.loop, f.shared);
    assert_non_null(other);
    EXPECT_CODE("put", put(&f, points, 2), ERR_OK);
    EXPECT_CODE("the other finds it", find_within(&f, other, PATIENCE_MS), ERR_OK);
    EXPECT_INT("both", f.search.hit_count, 2);
    struct vec_image *image = vec_shared_take(f.shared);
    EXPECT_CODE("and the one", find(&f), ERR_OK);
    struct vec_image *same = vec_shared_take(f.shared);
    EXPECT_TRUE("one image", image == same);
    vec_image_unref(image);
    vec_image_unref(same);
    vec_close(other, NULL, NULL);
    local_end(&f);
}

/* More than is scanned on the loop; cancelled at every turn. */
TEST(scans_in_the_pool_are_cancelled)
{
    enum { WIDE = 4096, ROWS = 200 };
    static float vector[WIDE] = {1};
    static struct vec_point wide[ROWS];
    static char ids[ROWS][8];
    struct local f;
    local_begin(&f);
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(ids[i], sizeof ids[i], "w%zu", i);
        wide[i] = (struct vec_point){{str_of(ids[i]), STR("wide"), NULL, 0}, vector};
    }
    const struct vec_change change = {.collection = STR("wide"),
                                      .model = STR("m"),
                                      .dimensions = WIDE,
                                      .upsert = wide,
                                      .upsert_count = ROWS,
                                      .timeout_ms = PATIENCE_MS};
    const struct vec_query query = {.collection = STR("wide"),
                                    .model = STR("m"),
                                    .vector = vector,
                                    .dimensions = WIDE,
                                    .top_k = 150,
                                    .timeout_ms = PATIENCE_MS};
    vec_write_start(&f.write, f.vec, &change, rig_waiter(&f.rig));
    wait_for(&f, &f.write.op);
    EXPECT_INT(f.write.op.err.text, f.write.op.err.code, ERR_OK);
    for (unsigned turns = 0; turns < 16; turns++) {
        struct vec_search search = {0};
        unsigned before = f.rig.done_calls;
        vec_search_start(&search, f.vec, &query, rig_waiter(&f.rig));
        for (unsigned turn = 0; turn < turns && op_is_pending(&search.op); turn++)
            if (loop_run_dry(f.rig.loop, 1))
                break;
        op_cancel(&search.op);
        wait_for(&f, &search.op);
        EXPECT_INT("once", f.rig.done_calls, before + 1);
        EXPECT_TRUE(search.op.err.text,
                    search.op.err.code == ERR_CANCELLED ||
                        (search.op.err.code == ERR_OK && search.hit_count == 150));
        op_release(&search.op);
    }
    local_end(&f);
}

static void search_once(struct local *f, const struct vec_query *query)
{
    op_release(&f->search.op);
    vec_search_start(&f->search, f->vec, query, rig_waiter(&f->rig));
    wait_for(f, &f->search.op);
    EXPECT_INT(f->search.op.err.text, f->search.op.err.code, ERR_OK);
    EXPECT_TRUE("itself", f->search.hits[0].score > 0.9999);
}

static bool search_until_indexed(struct local *f, const struct vec_query *query)
{
    for (unsigned try = 0; try < 100000; try++) {
        search_once(f, query);
        struct vec_image *image = vec_shared_take(f->shared);
        bool indexed = image->collections[0].index != NULL;
        vec_image_unref(image);
        if (indexed)
            return true;
    }
    return false;
}

/* As a new process would: the index comes from its file, which is not written again; a damaged one
 * is. */
static void expect_index_kept(struct local *f, const struct vec_query *query)
{
    char path[128];
    struct stat seen[3];
    snprintf(path, sizeof path, "%s-index1", f->file.path);
    for (int restart = 0; restart < 3; restart++) {
        op_release(&f->search.op);
        vec_close(f->vec, rig_on_closed, &f->rig); /* a slice that writes has ended then */
        loop_run(f->rig.loop);
        f->rig.closed_calls = 0;
        vec_shared_unref(f->shared);
        EXPECT_INT("kept", stat(path, &seen[restart]), 0);
        if (restart == 1)
            EXPECT_INT("cut", truncate(path, seen[0].st_size - 1), 0);
        open_local(f);
        vec_shared_index_from(f->shared, 2 * VEC_ROWS_BLOCK);
        EXPECT_TRUE("after a restart", search_until_indexed(f, query));
    }
    EXPECT_TRUE("as it was, then whole again",
                seen[1].st_ino == seen[0].st_ino && seen[2].st_size == seen[0].st_size);
}

/* An index is built beside the searches, found through, dropped when its rows are replaced; closing
 * does not wait for one. */
TEST(large_collections_get_an_index)
{
    enum { ROWS = 1024, WIDE = 24 };
    static float vectors[ROWS][WIDE];
    static struct vec_point many[ROWS];
    static char ids[ROWS][8];
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(ids[i], sizeof ids[i], "i%zu", i);
        vectors[i][i % WIDE] = 0.8F;
        vectors[i][(i % WIDE + 1 + i / WIDE % (WIDE - 1)) % WIDE] = 0.6F;
        many[i] = (struct vec_point){{str_of(ids[i]), STR("indexed"), NULL, 0}, vectors[i]};
    }
    const struct vec_change change = {.collection = STR("docs"),
                                      .model = STR("m"),
                                      .dimensions = WIDE,
                                      .upsert = many,
                                      .upsert_count = ROWS,
                                      .timeout_ms = PATIENCE_MS};
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = STR("m"),
                                    .vector = vectors[77],
                                    .dimensions = WIDE,
                                    .top_k = 5,
                                    .timeout_ms = PATIENCE_MS};
    for (int close_early = 0; close_early < 2; close_early++) {
        struct local f;
        local_begin(&f);
        vec_shared_index_from(f.shared, ROWS);
        vec_write_start(&f.write, f.vec, &change, rig_waiter(&f.rig));
        wait_for(&f, &f.write.op);
        EXPECT_INT(f.write.op.err.text, f.write.op.err.code, ERR_OK);
        EXPECT_TRUE("it gets one", close_early || search_until_indexed(&f, &query));
        if (close_early)
            search_once(&f, &query);
        else
            expect_index_kept(&f, &query);
        local_end(&f);
    }
}

RUN_TESTS(T(files_and_folders_are_made), T(no_database_at_all), T(read_only_files_are_searched),
          T(full_disks_are_told), T(locked_files_are_not_waited_for_longer),
          T(changes_in_the_file_are_followed), T(two_loops_share_an_image),
          T(scans_in_the_pool_are_cancelled), T(large_collections_get_an_index))
