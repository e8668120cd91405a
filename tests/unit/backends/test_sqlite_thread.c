/* SPDX-License-Identifier: MIT */
/* backends/sqlite_thread: order, cancel, deadlines, files that are missing or come later. */
#include "backends/sqlite/sqlite_thread.h"

#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                              "SELECT count(*) FROM n";

static enum err_code run_sql(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    int code = sqlite3_exec(db, job->arg, NULL, NULL, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

/* The same, telling that it has begun: other threads write this, so it lives here. */
static _Atomic bool begun;

static enum err_code run_and_tell(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    atomic_store(&begun, true);
    return run_sql(job, db, err);
}

static struct sqlite_thread *open_thread(struct rig *rig, const struct sqlite_file *file,
                                         bool read_only)
{
    struct sqlite_thread *thread = sqlite_thread_create(rig->loop, &(struct sqlite_thread_options){
                                                                       .path = file->path,
                                                                       .read_only = read_only,
                                                                       .busy_ms = 50,
                                                                       .queue_limit = 2,
                                                                   });
    assert_non_null(thread);
    return thread;
}

static void run_one(struct rig *rig, struct sqlite_thread *thread, const char *sql)
{
    struct sqlite_job job = {0};
    unsigned before = rig->done_calls;
    sqlite_job_start(&job, thread, run_sql, (void *)(uintptr_t)sql, 0, rig_waiter(rig));
    EXPECT_INT("done inside start", rig->done_calls, before);
    rig_wait(sql, rig, before + 1);
}

TEST(writes_then_reads)
{
    struct rig rig;
    struct sqlite_file file;
    rig_begin(&rig);
    sqlite_file_name(&file);
    struct sqlite_thread *thread = open_thread(&rig, &file, false);
    run_one(&rig, thread, "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)");
    EXPECT_INT("write", rig.err.code, ERR_OK);
    run_one(&rig, thread, "INSERT INTO t VALUES (1)");
    EXPECT_INT("constraint", rig.err.code, ERR_CONFLICT);
    sqlite_thread_close(thread, rig_on_closed, &rig);
    rig_end(&rig);
    EXPECT_INT("closed", rig.closed_calls, 1);
    sqlite_file_remove(&file);
}

TEST(file_that_appears_later_or_is_replaced)
{
    struct rig rig;
    struct sqlite_file file;
    rig_begin(&rig);
    sqlite_file_name(&file);
    struct sqlite_thread *thread = open_thread(&rig, &file, true);
    run_one(&rig, thread, "SELECT a FROM t");
    EXPECT_INT("missing", rig.err.code, ERR_UNAVAILABLE);
    EXPECT_TRUE("missing says what to do", strstr(rig.err.text, "check that it exists") != NULL);
    sqlite_file_write(&file, "this is not a database, whatever its name says, and it is long");
    run_one(&rig, thread, "SELECT a FROM t");
    EXPECT_INT("no database", rig.err.code, ERR_UNAVAILABLE);
    EXPECT_TRUE("no database says so", strstr(rig.err.text, "not an SQLite") != NULL);
    unlink(file.path);
    sqlite_file_run(&file, "CREATE TABLE t(a)");
    run_one(&rig, thread, "SELECT a FROM t");
    EXPECT_INT("there now", rig.err.code, ERR_OK);
    unlink(file.path);
    sqlite_file_run(&file, "CREATE TABLE other(a)");
    run_one(&rig, thread, "SELECT a FROM t");
    EXPECT_INT("replaced", rig.err.code, ERR_REJECTED);
    sqlite_thread_close(thread, NULL, NULL);
    rig_end(&rig);
    sqlite_file_remove(&file);
}

TEST(locked_by_another)
{
    struct rig rig;
    struct sqlite_file file;
    sqlite3 *other = NULL;
    rig_begin(&rig);
    sqlite_file_make(&file, "CREATE TABLE t(a)");
    assert_int_equal(sqlite3_open(file.path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    struct sqlite_thread *thread = open_thread(&rig, &file, true);
    run_one(&rig, thread, "SELECT a FROM t");
    EXPECT_INT("locked", rig.err.code, ERR_UNAVAILABLE);
    EXPECT_TRUE("locked says so", strstr(rig.err.text, "is locked") != NULL);
    sqlite3_close(other);
    run_one(&rig, thread, "SELECT a FROM t");
    EXPECT_INT("free again", rig.err.code, ERR_OK);
    sqlite_thread_close(thread, NULL, NULL);
    rig_end(&rig);
    sqlite_file_remove(&file);
}

TEST(deadline_cancel_queue_and_close)
{
    struct rig rig;
    struct sqlite_file file;
    struct sqlite_job jobs[4] = {0};
    rig_begin(&rig);
    sqlite_file_make(&file, "CREATE TABLE t(a)");
    struct sqlite_thread *thread = open_thread(&rig, &file, true);
    void *sql = (void *)(uintptr_t)endless;
    sqlite_job_start(&jobs[0], thread, run_sql, sql, 20, rig_waiter(&rig));
    rig_wait("deadline", &rig, 1);
    EXPECT_INT("deadline", rig.err.code, ERR_TIMEOUT);

    sqlite_job_start(&jobs[0], thread, run_and_tell, sql, 0, rig_waiter(&rig));
    while (!atomic_load(&begun))
        loop_turn(rig.loop, 1);
    sqlite_job_start(&jobs[1], thread, run_sql, sql, 0, rig_waiter(&rig));
    sqlite_job_start(&jobs[2], thread, run_sql, sql, 0, rig_waiter(&rig));
    sqlite_job_start(&jobs[3], thread, run_sql, sql, 0, rig_waiter(&rig));
    rig_wait("queue of two is full", &rig, 2);
    EXPECT_INT("full", jobs[3].op.err.code, ERR_BUSY);
    op_cancel(&jobs[1].op);
    op_cancel(&jobs[1].op);
    EXPECT_INT("done inside cancel", rig.done_calls, 2);
    rig_wait("waiting one cancelled", &rig, 3);
    EXPECT_INT("waiting", jobs[1].op.err.code, ERR_CANCELLED);
    op_cancel(&jobs[0].op);
    rig_wait("running one cancelled", &rig, 4);
    EXPECT_INT("running", jobs[0].op.err.code, ERR_CANCELLED);
    sqlite_thread_close(thread, rig_on_closed, &rig);
    EXPECT_INT("done inside close", rig.done_calls, 4);
    rig_end(&rig);
    EXPECT_INT("rest", jobs[2].op.err.code, ERR_CANCELLED);
    EXPECT_INT("all done", rig.done_calls, 5);
    EXPECT_INT("closed", rig.closed_calls, 1);
    sqlite_file_remove(&file);
}

/* Grouping keeps what it grouped: in memory, for there are no files to put it into. */
TEST(a_statement_that_takes_too_much_is_ended)
{
    static const struct {
        const char *sql;
        enum err_code want;
    } cases[] = {
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) "
         "SELECT i FROM n ORDER BY hex(i) || hex(zeroblob(500))",
         ERR_TOO_LARGE},
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
         "SELECT group_concat(hex(zeroblob(500))) FROM n",
         ERR_TOO_LARGE},
        {"WITH RECURSIVE n(i, t) AS (SELECT 1, '' UNION SELECT i + 1, hex(zeroblob(500)) FROM n) "
         "SELECT count(*) FROM n",
         ERR_TOO_LARGE},
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) "
         "SELECT count(*), max(hex(zeroblob(500)) || i) FROM n",
         ERR_OK},
        {"SELECT 1", ERR_OK},
    };
    struct rig rig;
    struct sqlite_file file;
    rig_begin(&rig);
    sqlite_file_make(&file, "CREATE TABLE t(a)");
    struct sqlite_thread *thread = sqlite_thread_create(
        rig.loop, &(struct sqlite_thread_options){
                      .path = file.path, .read_only = true, .memory_bytes = 4 << 20});
    assert_non_null(thread);
    TEST_EACH(c, cases) {
        run_one(&rig, thread, c->sql);
        EXPECT_INT(c->sql, rig.err.code, c->want);
        EXPECT_TRUE("says how much",
                    c->want == ERR_OK || strstr(rig.err.text, "more than 4 MiB") != NULL);
    }
    sqlite_thread_close(thread, NULL, NULL);
    rig_end(&rig);
    sqlite_file_remove(&file);
}

TEST(cancelled_at_every_turn)
{
    struct sqlite_file file;
    sqlite_file_make(&file, "CREATE TABLE t(a)");
    bool ended = false;
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct rig rig;
        struct sqlite_job job = {0};
        rig_begin(&rig);
        struct sqlite_thread *thread = open_thread(&rig, &file, true);
        sqlite_job_start(&job, thread, run_sql, (void *)(uintptr_t) "SELECT 1", 0,
                         rig_waiter(&rig));
        ended = rig_turn(&rig, turns, 1);
        op_cancel(&job.op);
        op_cancel(&job.op);
        rig_wait("cancelled", &rig, 1);
        EXPECT_TRUE("code", rig.err.code == ERR_OK || (!ended && rig.err.code == ERR_CANCELLED));
        sqlite_thread_close(thread, rig_on_closed, &rig);
        rig_end(&rig);
        EXPECT_INT("done calls", rig.done_calls, 1);
        EXPECT_INT("closed calls", rig.closed_calls, 1);
    }
    sqlite_file_remove(&file);
}

TEST(create_copes_without_memory)
{
    struct rig rig;
    struct sqlite_file file;
    rig_begin(&rig);
    sqlite_file_name(&file);
    for (uint64_t n = 1;; n++) {
        mem_fail_nth(n);
        struct sqlite_thread *thread = sqlite_thread_create(
            rig.loop, &(struct sqlite_thread_options){.path = file.path, .read_only = true});
        mem_fail_nth(0);
        if (thread == NULL)
            continue;
        EXPECT_TRUE("failed at least twice", n >= 3);
        sqlite_thread_close(thread, NULL, NULL);
        break;
    }
    rig_end(&rig);
    sqlite_file_remove(&file);
}

RUN_TESTS(T(writes_then_reads), T(file_that_appears_later_or_is_replaced), T(locked_by_another),
          T(deadline_cancel_queue_and_close), T(a_statement_that_takes_too_much_is_ended),
          T(cancelled_at_every_turn), T(create_copes_without_memory))
