/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_conn.h - one connection to MySQL or MariaDB as a reactor: calls in order, one
 * at a time.
 *
 * Not a pool and not an interface for SQL: it knows how to connect, run a text without rows, and
 * prepare, execute and read one statement. A call ends exactly once, later; when the socket broke,
 * was given up or spoke nonsense, the connection is broken for good and only close is left.
 *
 * Sessions begin with: utf8mb4; sql_mode STRICT_TRANS_TABLES (with ONLY_FULL_GROUP_BY on MySQL,
 * which knows functional dependence; MariaDB would refuse honest statements), so no ANSI_QUOTES, no
 * PIPES_AS_CONCAT, no NO_BACKSLASH_ESCAPES: the lexis agents/sql assumes; group_concat_max_len 1
 * MiB; transactions read only. The time zone is the server's. Never on: several statements in one
 * text, LOCAL INFILE, reconnecting behind our back, compression.
 *
 * TLS is Connector/C 3.3's, whose handshake blocks and therefore goes on in the thread pool, as
 * does freeing it. Without ssl-ca the library reads all authorities of the system for each
 * connection, even where none is asked for: with ssl-ca a connection is made ten times as fast.
 * required: a server without TLS is refused, but only after the login (the password went out as a
 * hash). verify_ca and verify_identity check the certificate before the login; the identity is the
 * address, not a name. One loop, one thread. */
#ifndef BACKENDS_SQL_MYSQL_CONN_H
#define BACKENDS_SQL_MYSQL_CONN_H

#include "backends/sql/mysql_rows.h"
#include "backends/sql/mysql_url.h"

struct mysql_conn;

/* One exchange with the server. Its op is "mysql.call"; cancelling one in flight breaks the
 * connection: the server is not told (that is what KILL QUERY is for). */
struct mysql_call {
    struct op op;
    unsigned number;  /* the server's or the client library's own code when it failed, or 0 */
    char sqlstate[8]; /* the SQLSTATE of that failure, or "" */
    /* private */
    struct mysql_conn *conn;
};

struct mysql_conn_options {
    const struct mysql_url *url; /* borrowed until closed */
    uint64_t connect_ms;         /* looking the name up and all addresses together */
    /* Called once, on the loop, when an idle connection turns out to be gone. May be NULL. */
    void (*on_lost)(void *owner);
    void *owner;
};

/* NULL: no memory. Opens nothing yet. */
struct mysql_conn *mysql_conn_create(struct loop *loop, const struct mysql_conn_options *options);
/* Drop the connection whatever it does and free it; a call in flight ends with ERR_CANCELLED
 * (later). No callback comes after. */
void mysql_conn_destroy(struct mysql_conn *conn);

/* Connect, log in, begin the session. ERR_UNAVAILABLE: the server cannot be reached, or not in time
 * (text says what and where); ERR_DENIED: the server refuses the login. Called once, before any
 * other call. */
void mysql_conn_open_start(struct mysql_call *call, struct mysql_conn *conn,
                           struct op_waiter waiter);

/* The other calls need an open, idle, unbroken connection; a broken one answers ERR_UNAVAILABLE.
 * timeout_ms 0: none; else ERR_TIMEOUT after it and the connection is broken. The server's own
 * refusals end with the code and text of mysql_error.h, with number and sqlstate set. */

/* Run text (kept until done), which gives no rows. */
void mysql_conn_run_start(struct mysql_call *call, struct mysql_conn *conn, struct str text,
                          uint64_t timeout_ms, struct op_waiter waiter);
/* Ask the server whether the connection is alive. */
void mysql_conn_ping_start(struct mysql_call *call, struct mysql_conn *conn, uint64_t timeout_ms,
                           struct op_waiter waiter);

/* Two statements can be prepared at a time. */
enum mysql_slot { MYSQL_SLOT_SETTINGS, MYSQL_SLOT_QUERY, MYSQL_SLOT_COUNT };

/* Prepare text (kept until done) in a slot that is empty. */
void mysql_conn_prepare_start(struct mysql_call *call, struct mysql_conn *conn,
                              enum mysql_slot slot, struct str text, struct op_waiter waiter);
size_t mysql_conn_param_count(const struct mysql_conn *conn, enum mysql_slot slot);
/* Columns of the result; 0: it is not a statement that gives rows. */
size_t mysql_conn_column_count(const struct mysql_conn *conn, enum mysql_slot slot);
/* Execute the statement of a slot with its param_count values (kept until done). */
void mysql_conn_execute_start(struct mysql_call *call, struct mysql_conn *conn,
                              enum mysql_slot slot, const struct sql_value *params,
                              struct op_waiter waiter);
/* Read rows of MYSQL_SLOT_QUERY into rows until the last one or until result.truncated; with
 * rows NULL read and forget what is left. Errors of mysql_rows_keep, too: then more are left. */
void mysql_conn_fetch_start(struct mysql_call *call, struct mysql_conn *conn, struct sql_rows *rows,
                            struct op_waiter waiter);
/* Forget the statement of a slot; what is left of its rows must have been read. */
void mysql_conn_discard_start(struct mysql_call *call, struct mysql_conn *conn,
                              enum mysql_slot slot, struct op_waiter waiter);

/* Whether a slot holds a prepared statement, and whether rows of it may still come. */
bool mysql_conn_is_prepared(const struct mysql_conn *conn, enum mysql_slot slot);
bool mysql_conn_has_rows(const struct mysql_conn *conn);
/* False once the connection is broken. */
bool mysql_conn_is_usable(const struct mysql_conn *conn);
/* Whether the server is MariaDB, and the server's number of the connection: valid once opened. */
bool mysql_conn_is_mariadb(const struct mysql_conn *conn);
unsigned long mysql_conn_id(const struct mysql_conn *conn);

#endif
