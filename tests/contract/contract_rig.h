/* SPDX-License-Identifier: MIT */
/* tests/contract/contract_rig.h - every implementation of sql, driven by the same tests.
 *
 *   CONTRACT_TEST(rows_are_capped)
 *   {
 *       EXPECT_INT(f->engine->name, contract_ask(f, "SELECT 1"), ERR_OK);
 *   }
 * is a cmocka test that runs once per engine, with a database of the test program's own, made from
 * setup_<engine>.sql. Texts that differ come as one per dialect; NULL: not for this engine. A new
 * engine is a line in contract_engines. */
#ifndef TESTS_CONTRACT_CONTRACT_RIG_H
#define TESTS_CONTRACT_CONTRACT_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "backends/sql/sql_sqlite.h"
#include "backends/sql/child/sql_sqlite_child.h"
#include "backends/sql/child/sqlite_worker.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { CONTRACT_DIALECTS = 3, CONTRACT_URL_BYTES = 256 };

/* Of statements that are to succeed: no machine is so slow. */
enum { CONTRACT_PATIENCE_MS = 600000 };

struct contract_options { /* 0: the engine's own */
    size_t size, queue_limit;
    uint64_t queue_ms, connect_ms;
};

typedef struct sql *contract_open_fn(struct loop *loop, const char *url,
                                     const struct contract_options *options);

struct contract;

struct contract_engine {
    const char *name;   /* in failures, and of the setup file */
    const char *server; /* test_server's name of it; NULL: a file of ours */
    enum sql_dialect dialect;
    contract_open_fn *open;
    const char *sleep;    /* a statement that does not end by itself, called sleeper */
    const char *sleepers; /* how many of them this database executes now; NULL: nobody can say */
    const char *others;   /* the connections to this database but the one that asks */
    /* Begin to end every connection to this database but those of watcher. */
    void (*kill)(struct contract *f, struct sql *watcher);
};

struct contract {
    struct rig rig;
    const struct contract_engine *engine;
    const char *url;
    struct sql *sql;
    struct sql_query query;
};

static inline struct sql *contract_open_sqlite(struct loop *loop, const char *url,
                                               const struct contract_options *options)
{
    unsigned threads = options->size == 0 ? 2 : (unsigned)options->size;
    return sql_sqlite_create(loop, url, threads, options->queue_limit);
}

/* The test program is its own child: CONTRACT_RUN. */
static inline struct sql *contract_open_sqlite_child(struct loop *loop, const char *url,
                                                     const struct contract_options *options)
{
    return sql_sqlite_child_create(
        loop, &(struct sql_sqlite_child_options){
                  .program = "/proc/self/exe",
                  .path = url,
                  .processes = (unsigned)options->size,
                  .queue_limit = options->queue_limit,
                  .queue_ms = options->queue_ms == 0 ? 60000 : options->queue_ms});
}

static inline struct sql *contract_open_pg(struct loop *loop, const char *url,
                                           const struct contract_options *options)
{
    struct err err = {0};
    struct sql *sql = sql_pg_create(
        loop,
        &(struct sql_pg_options){
            .url = url,
            .pool = {.size = options->size, .queue_limit = options->queue_limit, .retry_ms = 1},
            .queue_ms = options->queue_ms == 0 ? 60000 : options->queue_ms,
            .connect_ms = options->connect_ms == 0 ? 60000 : options->connect_ms},
        &err);
    if (sql == NULL && err.code != ERR_NO_MEMORY)
        fail_msg("%s", err.text);
    return sql;
}

static inline struct sql *contract_open_mysql(struct loop *loop, const char *url,
                                              const struct contract_options *options)
{
    struct err err = {0};
    struct sql *sql = sql_mysql_create(
        loop,
        &(struct sql_mysql_options){
            .url = url,
            .pool = {.size = options->size, .queue_limit = options->queue_limit, .retry_ms = 1},
            .queue_ms = options->queue_ms == 0 ? 60000 : options->queue_ms,
            .connect_ms = options->connect_ms == 0 ? 60000 : options->connect_ms},
        &err);
    if (sql == NULL && err.code != ERR_NO_MEMORY)
        fail_msg("%s", err.text);
    return sql;
}

static inline void contract_kill_pg(struct contract *f, struct sql *watcher);
static inline void contract_kill_mysql(struct contract *f, struct sql *watcher);

static const struct contract_engine contract_engines[] = {
    {"sqlite", NULL, SQL_SQLITE, contract_open_sqlite,
     "WITH RECURSIVE sleeper(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM sleeper) "
     "SELECT count(*) FROM sleeper",
     NULL, NULL, NULL},
    {"sqlite_child", NULL, SQL_SQLITE, contract_open_sqlite_child,
     "WITH RECURSIVE sleeper(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM sleeper) "
     "SELECT count(*) FROM sleeper",
     NULL, NULL, NULL}, /* on the file of the one before */
    {"postgres", "postgres", SQL_POSTGRES, contract_open_pg, "SELECT pg_sleep(600) AS sleeper",
     "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = current_database()"
     " AND query LIKE '%sleep' || 'er%'",
     "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
     " AND pid <> pg_backend_pid()",
     contract_kill_pg},
    {"mysql", "mysql", SQL_MYSQL, contract_open_mysql, "SELECT sleep(600) AS sleeper",
     "SELECT count(*) FROM information_schema.processlist WHERE db = database()"
     " AND info LIKE concat('%sleep', 'er%')",
     "SELECT id FROM information_schema.processlist WHERE db = database()"
     " AND id <> connection_id()",
     contract_kill_mysql},
};

/* The url of the program's own database on engine, made at first use. */
static inline const char *contract_url(const struct contract_engine *engine)
{
    static char urls[CONTRACT_DIALECTS][CONTRACT_URL_BYTES];
    static struct sqlite_file file;
    char *url = urls[engine->dialect], setup[512], name[64];
    if (url[0] != '\0')
        return url;
    snprintf(setup, sizeof setup, "%s/setup_%s.sql", CONTRACT_FOLDER, engine->name);
    if (engine->server != NULL) {
        snprintf(name, sizeof name, "contract_%s", CONTRACT_NAME);
        test_server_create(engine->server, name, setup, url, CONTRACT_URL_BYTES);
        return url;
    }
    char sql[8192];
    FILE *in = fopen(setup, "rb");
    assert_non_null(in);
    size_t len = fread(sql, 1, sizeof sql - 1, in);
    sql[len] = '\0';
    fclose(in);
    sqlite_file_make(&file, sql);
    snprintf(url, CONTRACT_URL_BYTES, "%s", file.path);
    return url;
}

static inline void contract_drop_all(void)
{
    TEST_EACH(engine, contract_engines) {
        const char *url = contract_url(engine);
        struct sqlite_file file = {0};
        char name[64];
        snprintf(name, sizeof name, "contract_%s", CONTRACT_NAME);
        if (engine->server != NULL) {
            test_server_drop(engine->server, name);
            continue;
        }
        if (access(url, F_OK) != 0) /* another engine's, gone with it */
            continue;
        snprintf(file.path, sizeof file.path, "%.95s", url);
        snprintf(file.folder, sizeof file.folder, "%.*s", (int)(strrchr(url, '/') - url), url);
        sqlite_file_remove(&file);
    }
}

static inline void contract_begin_with(struct contract *f, const struct contract_engine *engine,
                                       const struct contract_options *options)
{
    *f = (struct contract){.engine = engine, .url = contract_url(engine)};
    rig_begin(&f->rig);
    f->sql = engine->open(f->rig.loop, f->url, options);
    assert_non_null(f->sql);
}

static inline void contract_begin(struct contract *f, const struct contract_engine *engine)
{
    contract_begin_with(f, engine, &(struct contract_options){0});
}

static inline void contract_end(struct contract *f)
{
    op_release(&f->query.op);
    if (f->sql != NULL)
        sql_close(f->sql, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT(f->engine->name, f->rig.closed_calls, f->sql != NULL);
}

/* Turn until query is done, whatever else is. */
static inline void contract_wait(struct contract *f, struct sql_query *query)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&query->op); run++)
        loop_run(f->rig.loop);
    EXPECT_TRUE(f->engine->name, !op_is_pending(&query->op));
}

/* One statement on sql, waited for; its result is in f->query. */
static inline enum err_code contract_run(struct contract *f, struct sql *sql,
                                         const struct sql_statement *statement)
{
    op_release(&f->query.op);
    unsigned before = f->rig.done_calls;
    sql_query_start(&f->query, sql, statement, rig_waiter(&f->rig));
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    contract_wait(f, &f->query);
    return f->query.op.err.code;
}

static inline enum err_code contract_ask(struct contract *f, const char *text)
{
    return contract_run(
        f, f->sql,
        &(struct sql_statement){.text = str_of(text), .timeout_ms = CONTRACT_PATIENCE_MS});
}

static inline const struct sql_value *contract_cell(struct contract *f, size_t row, size_t column)
{
    EXPECT_TRUE(f->engine->name,
                row < f->query.result.row_count && column < f->query.result.column_count);
    return sql_result_at(&f->query.result, row, column);
}

static inline void contract_kill_pg(struct contract *f, struct sql *watcher)
{
    static const char kill[] = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                               " WHERE datname = current_database() AND pid <> pg_backend_pid()";
    contract_run(f, watcher, &(struct sql_statement){.text = str_of(kill)});
    EXPECT_INT(f->query.op.err.text, f->query.op.err.code, ERR_OK);
}

static inline void contract_kill_mysql(struct contract *f, struct sql *watcher)
{
    char command[4096];
    contract_run(f, watcher, &(struct sql_statement){.text = str_of(f->engine->others)});
    EXPECT_INT(f->query.op.err.text, f->query.op.err.code, ERR_OK);
    for (size_t row = 0; row < f->query.result.row_count; row++) {
        snprintf(command, sizeof command, "echo 'KILL %lld' | %s run %s mysql contract_%s",
                 (long long)contract_cell(f, row, 0)->integer, getenv("ASKD_TEST_DATABASE"),
                 getenv("ASKD_TEST_SERVERS"), CONTRACT_NAME);
        assert_int_equal(system(command), 0);
    }
}

/* Kill until watcher is the only one connected to the database: some may be just coming. */
static inline void contract_kill_all(struct contract *f, struct sql *watcher)
{
    for (unsigned try = 0; try < 100000; try++) {
        f->engine->kill(f, watcher);
        contract_run(f, watcher, &(struct sql_statement){.text = str_of(f->engine->others)});
        EXPECT_INT(f->query.op.err.text, f->query.op.err.code, ERR_OK);
        if (f->query.result.row_count == 0)
            return;
    }
    fail_msg("%s: others are still connected", f->engine->name);
}

/* Wait until so many sleepers are executed, as watcher, another sql on the database, sees it. */
static inline void contract_await_sleepers(struct contract *f, struct sql *watcher, int64_t want)
{
    int64_t seen = -1;
    for (unsigned try = 0; try < 100000 && seen != want; try++) {
        contract_run(f, watcher, &(struct sql_statement){.text = str_of(f->engine->sleepers)});
        EXPECT_INT(f->query.op.err.text, f->query.op.err.code, ERR_OK);
        seen = contract_cell(f, 0, 0)->integer;
    }
    EXPECT_INT("sleepers", seen, want);
}

/* Demand a code, with the engine, the case and what was said in the failure. */
#define CONTRACT_CODE(f, what, got, want)                                                          \
    do {                                                                                           \
        enum err_code code_ = (got);                                                               \
        if (code_ != (want))                                                                       \
            fail_msg("%s: %s: got %s (%s: %s), want %s", (f)->engine->name, (what),                \
                     err_name(code_), (f)->query.sqlstate, (f)->query.op.err.text,                 \
                     err_name(want));                                                              \
    } while (0)

#define CONTRACT_TEST(test)                                                                        \
    static void test##_on(struct contract *f);                                                     \
    TEST(test)                                                                                     \
    {                                                                                              \
        TEST_EACH(engine, contract_engines) {                                                      \
            struct contract f;                                                                     \
            contract_begin(&f, engine);                                                            \
            test##_on(&f);                                                                         \
            contract_end(&f);                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void test##_on(struct contract *f)

static inline int contract_teardown(void **state)
{
    (void)state;
    contract_drop_all();
    return 0;
}

#define CONTRACT_RUN(...)                                                                          \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        if (argc == 3 && strcmp(argv[1], "sqlite-worker") == 0)                                    \
            return sqlite_worker_main(3, argv[2]);                                                 \
        const struct CMUnitTest all[] = {__VA_ARGS__};                                             \
        return cmocka_run_group_tests(all, NULL, contract_teardown);                               \
    }

#endif
