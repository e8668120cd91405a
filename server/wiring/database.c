/* SPDX-License-Identifier: MIT */
/* server/wiring/database.c - the scheme of the url chooses the engine, which reads the rest.
 *
 * Happy path: a well-formed url is copied with its plain scheme and given to the engine.
 * Failure: the error of database_url_check, the engine's own about a parameter, or no memory. */
#include "server/wiring/database.h"

#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "backends/sql/sql_sqlite.h"
#include "backends/sql/child/sql_sqlite_child.h"
#include "backends/sql/child/sqlite_worker.h"
#include "server/config/database_url.h"

enum { URL_BYTES = 64 * 1024, WORKER_FD = 3 /* as sqlite_child has it */ };

enum {
    SQLITE_THREADS = 2,       /* processes of SQLite, each worker: more readers of one file wait for
                                 the same disk; ASKD_WORKERS adds more */
    QUEUED_STATEMENTS = 256,  /* statements waiting for a connection, each worker; WAIT_MS ends most
                                 of them before */
    RECYCLE_MS = 3600 * 1000, /* an older connection is closed: proxies and servers end old ones */
    CONNECT_MS = 5000,        /* for a connection to open, across an ocean and with TLS */
    WAIT_MS = 10 * 1000       /* how long a statement waits for a connection: after that the pool is
                                 overloaded */
};

static struct sql *open_engine(struct loop *loop, enum sql_dialect dialect, const char *target,
                               const struct database_options *options, struct err *err)
{
    struct sql *sql = NULL;
    switch (dialect) {
    case SQL_POSTGRES: {
        const struct sql_pg_options pg = {.url = target,
                                          .pool = options->pool,
                                          .connect_ms = options->connect_ms,
                                          .queue_ms = options->wait_ms};
        return sql_pg_create(loop, &pg, err);
    }
    case SQL_MYSQL: {
        const struct sql_mysql_options mysql = {.url = target,
                                                .pool = options->pool,
                                                .connect_ms = options->connect_ms,
                                                .queue_ms = options->wait_ms};
        return sql_mysql_create(loop, &mysql, err);
    }
    case SQL_SQLITE:
        sql = options->program == NULL
                  ? sql_sqlite_create(loop, target, options->threads, options->pool.queue_limit)
                  : sql_sqlite_child_create(loop, &(struct sql_sqlite_child_options){
                                                      .program = options->program,
                                                      .path = target,
                                                      .processes = options->threads,
                                                      .queue_limit = options->pool.queue_limit,
                                                      .queue_ms = options->wait_ms});
        break;
    }
    if (sql == NULL)
        err_set(err, ERR_NO_MEMORY, "no memory for the database");
    return sql;
}

struct sql *database_open(struct loop *loop, struct str url, const struct database_options *options,
                          struct err *err)
{
    static const char *const schemes[] = {
        [SQL_SQLITE] = "", [SQL_POSTGRES] = "postgresql://", [SQL_MYSQL] = "mysql://"};
    enum sql_dialect dialect;
    struct str rest;
    struct sql *sql = NULL;
    struct buf target;
    if (database_url_check(url, err) != ERR_OK || !database_url_engine(url, &dialect, &rest))
        return NULL;
    buf_init(&target, URL_BYTES);
    buf_push(&target, str_of(schemes[dialect]));
    buf_push(&target, rest);
    buf_push_char(&target, '\0');
    if (buf_ok(&target))
        sql = open_engine(loop, dialect, buf_str(&target).at, options, err);
    else
        err_set(err, ERR_NO_MEMORY, "no memory for the database");
    buf_fini(&target);
    return sql;
}

const char *database_engine(const struct config *config)
{
    static const char *const names[] = {
        [SQL_SQLITE] = "sqlite", [SQL_POSTGRES] = "postgresql", [SQL_MYSQL] = "mysql"};
    enum sql_dialect dialect;
    struct str rest;
    return database_url_engine(str_of(config->database_url), &dialect, &rest) ? names[dialect]
                                                                              : NULL;
}

struct database_options database_options_of(const struct config *config)
{
    return (struct database_options){
        .program = config->program,
        .threads = SQLITE_THREADS,
        .pool = {.size = config->pool_size,
                 .overflow = config->pool_size == 1 ? 0 : 2 * config->pool_size, /* R193 */
                 .queue_limit = QUEUED_STATEMENTS,
                 .recycle_ms = RECYCLE_MS},
        .connect_ms = CONNECT_MS,
        .wait_ms = WAIT_MS,
    };
}

enum err_code database_try(const struct config *config, struct err *err)
{
    const struct database_options options = database_options_of(config);
    err->code = ERR_OK;
    if (config->database_url[0] == '\0')
        return ERR_OK;
    struct loop *loop = loop_create();
    if (loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    struct sql *sql = database_open(loop, str_of(config->database_url), &options, err);
    if (sql != NULL)
        sql_close(sql, NULL, NULL);
    loop_run(loop);
    loop_destroy(loop);
    return sql == NULL ? err->code : ERR_OK;
}

int database_worker(const char *path)
{
    return sqlite_worker_main(WORKER_FD, path);
}
