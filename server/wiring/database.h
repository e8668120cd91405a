/* SPDX-License-Identifier: MIT */
/* server/wiring/database.h - a url -> the engine that speaks to it. The one place that names SQL
 * implementations. */
#ifndef SERVER_WIRING_DATABASE_H
#define SERVER_WIRING_DATABASE_H

#include "backends/pool/conn_pool.h"
#include "server/config/config.h"

struct database_options {          /* zero: the engines' defaults */
    const char *program;           /* askd's, whose children run SQLite; NULL: threads do */
    unsigned threads;              /* SQLite: processes, or threads */
    struct conn_pool_options pool; /* PostgreSQL, MySQL; queue_limit counts for SQLite, too */
    uint64_t connect_ms, wait_ms;
};

/* The engine for url; opens no connection yet. NULL: not a url of ours (ERR_INVALID in err), or no
 * memory. */
struct sql *database_open(struct loop *loop, struct str url, const struct database_options *options,
                          struct err *err);
/* The name of the engine of the configured url, as in sql_vtable.name; NULL: there is none. */
const char *database_engine(const struct config *config);
/* The options of one worker's connections, as configured. */
struct database_options database_options_of(const struct config *config);
/* Open the configured database on a loop of its own, and close it again: for `config check`. */
MUST_USE enum err_code database_try(const struct config *config, struct err *err);
/* What a child process does that was started with DATABASE_WORKER and a path: its exit status. */
#define DATABASE_WORKER "sqlite-worker"
int database_worker(const char *path);

#endif
