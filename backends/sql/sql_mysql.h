/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_mysql.h - MySQL and MariaDB through Connector/C's non-blocking calls: a pool of
 * connections, prepared statements only.
 *
 * Session variables are user variables: "company_id" is read in SQL as @company_id; they are set
 * with bound values when a statement begins, and cleared to NULL before the connection goes back.
 * Each statement runs in START TRANSACTION READ ONLY with a time limit of the server's own, and its
 * rows are fetched one by one, with caps; what is too much, too long or unwanted ends by KILL QUERY
 * from another connection. */
#ifndef BACKENDS_SQL_SQL_MYSQL_H
#define BACKENDS_SQL_SQL_MYSQL_H

#include "backends/pool/conn_pool.h"
#include "backends/sql.h"

struct sql_mysql_options { /* strings are copied */
    const char *url;       /* mysql://user:password@host:port/database?ssl-mode=...&socket=...;
                              percent-encoded parts. The password is never in an error or a log. */
    struct conn_pool_options pool;
    uint64_t connect_ms; /* for one connection. 0: 5,000 */
    uint64_t queue_ms; /* a statement's wait for a connection; at most its own timeout. 0: 10,000 */
};

/* NULL with err: the url is not one (ERR_INVALID, names the part), or no memory. Opens nothing yet.
 */
struct sql *sql_mysql_create(struct loop *loop, const struct sql_mysql_options *options,
                             struct err *err);

#endif
