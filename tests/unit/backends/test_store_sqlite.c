/* SPDX-License-Identifier: MIT */
/* What is SQLite's own about store_sqlite: locks of others, files that are not what they should
 * be, formats, and that what is erased is not left in the file. */
#include "backends/stores/store_sqlite.h"
#include "core/store/store.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

struct fixture {
    struct rig rig;
    struct sqlite_file file;
    struct store *store;
    struct store_call call;
};

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

static void begin(struct fixture *f, uint64_t timeout_ms)
{
    rig_begin(&f->rig);
    f->call = (struct store_call){0};
    f->store = store_sqlite_create(
        f->rig.loop, &(struct store_sqlite_options){
                         .path = f->file.path, .timeout_ms = timeout_ms, .retry_ms = 1});
    assert_non_null(f->store);
}

static void end(struct fixture *f)
{
    op_release(&f->call.op);
    store_close(f->store, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static enum err_code wait(struct fixture *f)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    return f->call.op.err.code;
}

static enum err_code say(struct fixture *f, uint64_t expected_version, const char *text)
{
    const struct store_turn turn = {.question = str_of(text), .answer = str_of(text)};
    const struct store_save save = {.key = ann,
                                    .expected_version = expected_version,
                                    .checkpoint = {.is_full = true, .bytes = str_of(text)},
                                    .turns = &turn,
                                    .turn_count = 1};
    op_release(&f->call.op);
    store_save_start(&f->call, f->store, &save, rig_waiter(&f->rig));
    return wait(f);
}

static enum err_code load(struct fixture *f)
{
    const struct store_load ask = {.key = ann};
    op_release(&f->call.op);
    store_load_start(&f->call, f->store, &ask, rig_waiter(&f->rig));
    return wait(f);
}

TEST(a_locked_file_ends_in_time)
{
    struct fixture f;
    struct err err = {0};
    sqlite3 *other = NULL;
    sqlite_file_name(&f.file);
    begin(&f, 50);
    EXPECT_INT("ready", store_ready(f.store, &err), ERR_OK);
    sqlite_file_run(&f.file, "PRAGMA journal_mode=WAL");
    assert_int_equal(sqlite3_open(f.file.path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    enum err_code code = say(&f, 0, "x");
    EXPECT_TRUE("not now", code == ERR_UNAVAILABLE || code == ERR_TIMEOUT);
    EXPECT_TRUE("says so", store_ready(f.store, &err) != ERR_OK);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    end(&f);
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("again", say(&f, 0, "x"), ERR_OK);
    EXPECT_INT("ready", store_ready(f.store, &err), ERR_OK);
    end(&f);
    sqlite3_close(other);
    sqlite_file_remove(&f.file);
}

TEST(not_a_database)
{
    struct fixture f;
    sqlite_file_name(&f.file);
    sqlite_file_write(&f.file, "this is not a database, and long enough to be looked at as one");
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("unavailable", load(&f), ERR_UNAVAILABLE);
    EXPECT_INT("still so", say(&f, 0, "x"), ERR_UNAVAILABLE);
    end(&f);
    sqlite_file_remove(&f.file);
}

/* Closed at every turn of a call that is tried again and again: it ends, and so does the store. */
static void close_after(unsigned turns, bool is_run, bool *is_over)
{
    static const struct store_begin ask = {.run = {.key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}},
                                                   .run_id = {"r", 1},
                                                   .instance = {"i", 1}},
                                           .lease_ms = 1000};
    static const struct store_load load_ask = {.key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}}};
    struct fixture f;
    sqlite_file_name(&f.file);
    sqlite_file_write(&f.file, "this is not a database, and long enough to be looked at as one");
    begin(&f, RIG_SWEEP_MAX);
    if (is_run)
        store_begin_start(&f.call, f.store, &ask, rig_waiter(&f.rig));
    else
        store_load_start(&f.call, f.store, &load_ask, rig_waiter(&f.rig));
    *is_over = rig_turn(&f.rig, turns, 1);
    store_close(f.store, rig_on_closed, &f.rig);
    assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
    EXPECT_INT("ended", f.rig.done_calls, 1);
    EXPECT_TRUE("how", f.rig.err.code == ERR_CANCELLED || f.rig.err.code == ERR_UNAVAILABLE);
    EXPECT_INT("closed", f.rig.closed_calls, 1);
    op_release(&f.call.op);
    loop_destroy(f.rig.loop);
    sqlite_file_remove(&f.file);
}

TEST(closed_while_it_tries_again)
{
    for (unsigned is_run = 0; is_run <= 1; is_run++) {
        bool is_over = false;
        for (unsigned turns = 0; !is_over; turns = rig_after(turns))
            close_after(turns, is_run, &is_over);
    }
}

TEST(a_newer_format_is_left_alone)
{
    struct fixture f;
    sqlite_file_make(&f.file, "PRAGMA user_version = 99; CREATE TABLE later (x)");
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("refused", load(&f), ERR_NOT_CONFIGURED);
    EXPECT_TRUE("says what to do", str_find(str_of(f.call.op.err.text), STR("newer")) >= 0);
    end(&f);
    sqlite_file_remove(&f.file);
}

/* As the first version made it: the tables that were there then, and a conversation in them. */
static const char first_format[] =
    "CREATE TABLE conversations (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " company_id TEXT NOT NULL, user_id TEXT NOT NULL, version INTEGER NOT NULL,"
    " turns INTEGER NOT NULL, began_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,"
    " title TEXT NOT NULL);"
    "CREATE TABLE checkpoints (conversation INTEGER NOT NULL, version INTEGER NOT NULL,"
    " time_ms INTEGER NOT NULL, run_id TEXT NOT NULL, step INTEGER NOT NULL,"
    " is_full INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (conversation, version))"
    " WITHOUT ROWID;"
    "CREATE TABLE turns (conversation INTEGER NOT NULL, number INTEGER NOT NULL,"
    " version INTEGER NOT NULL, time_ms INTEGER NOT NULL, run_id TEXT NOT NULL,"
    " question TEXT NOT NULL, answer TEXT NOT NULL, details BLOB NOT NULL,"
    " partial INTEGER NOT NULL, PRIMARY KEY (conversation, number)) WITHOUT ROWID;"
    "CREATE TABLE notes (conversation INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY (conversation, name)) WITHOUT ROWID;"
    "CREATE TABLE user_notes (company_id TEXT NOT NULL, user_id TEXT NOT NULL, name TEXT NOT NULL,"
    " bytes BLOB NOT NULL, PRIMARY KEY (company_id, user_id, name)) WITHOUT ROWID;"
    "CREATE TABLE runs (run_id TEXT NOT NULL PRIMARY KEY, conversation_id TEXT NOT NULL,"
    " company_id TEXT NOT NULL, user_id TEXT NOT NULL, graph TEXT NOT NULL, input BLOB NOT NULL,"
    " idempotency_key TEXT NOT NULL, instance TEXT NOT NULL, epoch INTEGER NOT NULL,"
    " began_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL, lease_until_ms INTEGER NOT NULL,"
    " last_event_id INTEGER NOT NULL, status INTEGER NOT NULL, cancel_asked INTEGER NOT NULL);"
    "CREATE TABLE events (run_id TEXT NOT NULL, first_id INTEGER NOT NULL,"
    " count INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (run_id, first_id)) WITHOUT ROWID;"
    "CREATE INDEX runs_by_conversation ON runs (conversation_id);"
    "INSERT INTO runs VALUES ('r1', 'c-1', 'acme', 'ann', 'banking', x'41', '', 'i1', 1, 5, 6,"
    " 9000000000000, 0, 0, 0);"
    "INSERT INTO conversations VALUES (1, 'c-1', 'acme', 'ann', 2, 1, 5, 6, 'hello');"
    "INSERT INTO checkpoints VALUES (1, 1, 5, 'r', 1, 1, x'41'), (1, 2, 6, 'r', 2, 0, x'42');"
    "INSERT INTO turns VALUES (1, 1, 2, 6, 'r', 'hello', 'there', x'7b7d', 0);"
    "PRAGMA user_version = 1;";

static enum err_code claim(struct fixture *f)
{
    const struct store_claim ask = {.run_id = STR(""), .instance = STR("i2"), .lease_ms = 60000};
    op_release(&f->call.op);
    store_claim_start(&f->call, f->store, &ask, rig_waiter(&f->rig));
    return wait(f);
}

/* Another server's clock is years ahead: it takes over nobody's live run. After the machine has
 * started anew nobody's run is live. */
TEST(leases_heed_no_wall_clock)
{
    struct fixture f;
    const struct store_begin ask = {
        .run = {.run_id = STR("r1"), .key = ann, .instance = STR("i1"), .graph = STR("g")},
        .lease_ms = 600000};
    sqlite_file_name(&f.file);
    begin(&f, RIG_SWEEP_MAX);
    store_begin_start(&f.call, f.store, &ask, rig_waiter(&f.rig));
    EXPECT_INT("begin", wait(&f), ERR_OK);
    loop_fake_clock(f.rig.loop, 9000000000000);
    EXPECT_INT("alive", claim(&f), ERR_NOT_FOUND);
    end(&f);
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("alive after its file was opened again", claim(&f), ERR_NOT_FOUND);
    end(&f);
    sqlite_file_run(&f.file, "UPDATE boot SET id = 'another'");
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("over", claim(&f), ERR_OK);
    EXPECT_TRUE("told by the wall clock", f.call.runs[0].lease_until_ms > f.call.runs[0].began_ms);
    end(&f);
    sqlite_file_remove(&f.file);
}

TEST(the_first_format_is_opened)
{
    struct fixture f;
    sqlite_file_make(&f.file, first_format);
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("load", load(&f), ERR_OK);
    EXPECT_INT("version", f.call.version, 2);
    EXPECT_STR("answer", f.call.turns[0].answer, STR("there"));
    op_release(&f.call.op);
    const struct store_restore all = {.key = ann};
    store_restore_start(&f.call, f.store, &all, rig_waiter(&f.rig));
    EXPECT_INT("restore", wait(&f), ERR_OK);
    EXPECT_STR("a checkpoint of then", f.call.checkpoints[0].bytes, STR("A"));
    EXPECT_INT("goes on", say(&f, 2, "more"), ERR_OK);
    const struct store_load others = {.key = {STR("c-1"), STR("acme"), STR("bob")}};
    op_release(&f.call.op);
    store_load_start(&f.call, f.store, &others, rig_waiter(&f.rig));
    EXPECT_INT("nobody else's", wait(&f), ERR_OK);
    EXPECT_INT("is empty", f.call.version, 0);
    const struct store_mark mark = {
        .fence = {STR("r1"), STR("i1"), 1},
        .checkpoint = {.version = 1, .is_full = true, .bytes = STR("c")},
    };
    op_release(&f.call.op);
    store_mark_start(&f.call, f.store, &mark, rig_waiter(&f.rig));
    EXPECT_INT("a run of then gets what is new", wait(&f), ERR_OK);
    end(&f);
    sqlite_file_remove(&f.file);
}

/* Whether any of the database's files holds text. */
static bool is_in_files(const struct sqlite_file *file, const char *text)
{
    static const char *const suffixes[] = {"", "-wal"};
    static char bytes[4 << 20];
    bool found = false;
    for (size_t i = 0; i < countof(suffixes); i++) {
        char path[112];
        snprintf(path, sizeof path, "%s%s", file->path, suffixes[i]);
        FILE *in = fopen(path, "rb");
        if (in == NULL)
            continue;
        size_t len = fread(bytes, 1, sizeof bytes, in);
        found |= str_find(str_make(bytes, len), str_of(text)) != STR_NONE;
        fclose(in);
    }
    return found;
}

TEST(what_is_erased_is_not_in_the_file)
{
    struct fixture f;
    const struct store_erase erase = {.key = ann};
    sqlite_file_name(&f.file);
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("say", say(&f, 0, "nobody-may-know"), ERR_OK);
    EXPECT_TRUE("it is there", is_in_files(&f.file, "nobody-may-know"));
    op_release(&f.call.op);
    store_erase_start(&f.call, f.store, &erase, rig_waiter(&f.rig));
    EXPECT_INT("erase", wait(&f), ERR_OK);
    EXPECT_TRUE("it is gone", !is_in_files(&f.file, "nobody-may-know"));
    end(&f);
    sqlite_file_remove(&f.file);
}

/* What the statement gives of the file. */
static uint64_t ask_file(const struct sqlite_file *file, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    uint64_t number = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static enum err_code restore(struct fixture *f)
{
    const struct store_restore ask = {.key = ann};
    op_release(&f->call.op);
    store_restore_start(&f->call, f->store, &ask, rig_waiter(&f->rig));
    return wait(f);
}

TEST(a_long_answer_is_stored_with_its_turn_only)
{
    static char text[3000];
    struct fixture f;
    memset(text, 'x', sizeof text - 1);
    sqlite_file_name(&f.file);
    begin(&f, RIG_SWEEP_MAX);
    EXPECT_INT("say", say(&f, 0, text), ERR_OK);
    EXPECT_INT("say", say(&f, 1, "short"), ERR_OK);
    EXPECT_INT("the short one", ask_file(&f.file, "SELECT sum(length(bytes)) FROM checkpoints"), 5);
    EXPECT_INT("the turns", ask_file(&f.file, "SELECT sum(length(answer)) FROM turns"),
               sizeof text - 1 + 5);
    sqlite_file_run(&f.file, "DELETE FROM checkpoints WHERE version = 2;"
                             "UPDATE conversations SET version = 1");
    EXPECT_INT("restore", restore(&f), ERR_OK);
    EXPECT_STR("whole", f.call.checkpoints[0].bytes, str_of(text));
    end(&f);
    sqlite_file_remove(&f.file);
}

/* The transactions that have changed the file, as its index in shared memory counts them. */
static uint32_t count_transactions(const struct sqlite_file *file)
{
    char path[112];
    uint32_t words[3];
    snprintf(path, sizeof path, "%s-shm", file->path);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fread(words, sizeof words, 1, in), 1);
    fclose(in);
    return words[2];
}

/* A call that may wait goes with the next one that may not, or by itself when its time is over. */
TEST(what_may_wait_goes_with_others)
{
    enum { TURNS = 5 };
    struct fixture f;
    struct store_call others[2] = {0};
    const struct store_fence fence = {STR("r1"), STR("i1"), 1};
    const struct store_begin record = {
        .run = {.run_id = STR("r1"), .key = ann, .instance = STR("i1"), .graph = STR("g")},
        .lease_ms = 600000};
    struct store_mark mark = {
        .fence = fence,
        .checkpoint = {.version = 1, .is_full = true, .bytes = STR("c")},
        .may_wait = true};
    struct store_renew renew = {.fence = fence, .lease_ms = 600000, .may_wait = true};
    sqlite_file_name(&f.file);
    begin(&f, RIG_SWEEP_MAX);
    store_begin_start(&f.call, f.store, &record, rig_waiter(&f.rig));
    EXPECT_INT("begin", wait(&f), ERR_OK);
    loop_fake_clock(f.rig.loop, 9000000000000);
    loop_advance(f.rig.loop, 1000);
    uint32_t before = count_transactions(&f.file);

    store_mark_start(&others[0], f.store, &mark, rig_waiter(&f.rig));
    loop_turn(f.rig.loop, TURNS);
    store_renew_start(&others[1], f.store, &renew, rig_waiter(&f.rig));
    loop_turn(f.rig.loop, TURNS);
    EXPECT_INT("says", say(&f, 0, "x"), ERR_OK);
    rig_wait("with it", &f.rig, 4);
    EXPECT_INT("marked", others[0].op.err.code, ERR_OK);
    EXPECT_INT("renewed", others[1].op.err.code, ERR_OK);
    EXPECT_INT("at once", count_transactions(&f.file) - before, 1);

    op_release(&others[1].op);
    store_renew_start(&others[1], f.store, &renew, rig_waiter(&f.rig));
    loop_advance(f.rig.loop, STORE_WAIT_MS - 1);
    loop_turn(f.rig.loop, TURNS);
    EXPECT_TRUE("waits", op_is_pending(&others[1].op));
    loop_advance(f.rig.loop, 1);
    rig_wait("by itself", &f.rig, 5);
    op_release(&others[0].op);
    op_release(&others[1].op);
    end(&f);
    sqlite_file_remove(&f.file);
}

TEST(two_begin_one_file_at_once)
{
    struct fixture f;
    static struct store_call calls[2];
    const struct store_load ask = {.key = ann};
    sqlite_file_name(&f.file);
    begin(&f, RIG_SWEEP_MAX);
    struct store *second = store_sqlite_create(
        f.rig.loop,
        &(struct store_sqlite_options){.path = f.file.path, .timeout_ms = RIG_SWEEP_MAX});
    store_load_start(&calls[0], f.store, &ask, rig_waiter(&f.rig));
    store_load_start(&calls[1], second, &ask, rig_waiter(&f.rig));
    rig_wait("both", &f.rig, 2);
    EXPECT_INT("first", calls[0].op.err.code, ERR_OK);
    EXPECT_INT("second", calls[1].op.err.code, ERR_OK);
    op_release(&calls[0].op);
    op_release(&calls[1].op);
    EXPECT_INT("say", say(&f, 0, "x"), ERR_OK);
    store_load_start(&calls[1], second, &ask, rig_waiter(&f.rig));
    rig_wait("the other", &f.rig, 4);
    EXPECT_INT("sees it", calls[1].version, 1);
    op_release(&calls[1].op);
    store_close(second, NULL, NULL);
    end(&f);
    sqlite_file_remove(&f.file);
}

RUN_TESTS(T(a_locked_file_ends_in_time), T(not_a_database), T(closed_while_it_tries_again),
          T(a_newer_format_is_left_alone), T(leases_heed_no_wall_clock),
          T(the_first_format_is_opened), T(what_is_erased_is_not_in_the_file),
          T(a_long_answer_is_stored_with_its_turn_only), T(what_may_wait_goes_with_others),
          T(two_begin_one_file_at_once))
