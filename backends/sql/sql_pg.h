/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_pg.h - PostgreSQL through libpq, non-blocking: a pool of connections, each
 * statement in one round trip.
 *
 * BEGIN READ ONLY, the timeout, the session variables (set_config(..., true): the transaction's
 * own), the statement by the extended protocol, ROLLBACK: pipelined. A variable "company_id" is
 * read in SQL as current_setting('app.company_id', true). Rows come one by one, with caps; what is
 * too much, too long or unwanted is cancelled on the server, by pg_cancel_backend on an idle
 * connection, else by PQcancel on another thread. */
#ifndef BACKENDS_SQL_SQL_PG_H
#define BACKENDS_SQL_SQL_PG_H

#include "backends/pool/conn_pool.h"
#include "backends/sql.h"

struct sql_pg_options { /* strings are copied */
    const char *url;    /* postgresql://user:password@host:port/database?sslmode=...; all that libpq
                           knows. The password is never in an error or a log. */
    struct conn_pool_options pool;
    uint64_t connect_ms; /* for one connection. 0: 5,000 */
    uint64_t queue_ms; /* a statement's wait for a connection; at most its own timeout. 0: 10,000 */
};

/* NULL with err: the url is not one (ERR_INVALID, names the part), or no memory. Opens nothing yet.
 */
struct sql *sql_pg_create(struct loop *loop, const struct sql_pg_options *options, struct err *err);

#endif
