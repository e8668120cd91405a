/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_conn.h - one libpq connection on the loop: connect, pipelines, losses.
 *
 * A conn_kind for a pool whose owner is a struct pg_conn_site. The holder of a connection sends
 * batches of statements by the extended protocol, each closed by a sync, and is told the results in
 * order. What statements mean is the user's affair. The type is pg_connection, since libpq's own is
 * called struct pg_conn. One loop, one thread. */
#ifndef BACKENDS_SQL_PG_CONN_H
#define BACKENDS_SQL_PG_CONN_H

#include "backends/pool/conn_pool.h"
#include "backends/sql/pg_target.h"
#include "core/base/str.h"

struct pg_connection;
struct pg_result; /* libpq's PGresult */

struct pg_conn_site { /* the pool's owner; all borrowed until the pool is closed */
    struct loop *loop;
    const struct pg_target *target;
    uint64_t connect_ms; /* for one connection, all its addresses */
};

extern const struct conn_kind pg_conn_kind;

/* The user of a connection, who is told what a batch gives; on the loop, never from inside
 * pg_conn_send and pg_conn_sync. on_done or on_lost comes once, last, and may end the lease. */
struct pg_conn_user {
    /* A result of statement number step (from 0), borrowed for the call. Nothing of pg_conn but
     * pg_conn_pid may be called from inside. */
    void (*on_result)(struct pg_conn_user *user, unsigned step, struct pg_result *result);
    /* Every sync was answered. */
    void (*on_done)(struct pg_conn_user *user);
    /* The connection is lost: ERR_UNAVAILABLE, ERR_TOO_LARGE (one message over the limit). */
    void (*on_lost)(struct pg_conn_user *user, const struct err *err);
};

struct pg_conn_param { /* text format, but for bytes */
    const char *value; /* terminated; NULL: NULL */
    size_t len;
    unsigned type; /* PostgreSQL's number of the type; 0: as the statement makes of it */
    bool is_binary;
};

enum { PG_CONN_WHOLE = -1, PG_CONN_MOST_PARAMS = 1024 };

struct pg_connection *pg_conn_of(struct pool_conn *conn);

/* Begin a batch for user, on a connection that is leased and at rest (CHECK). The rows of statement
 * number row_step come one by one (PG_CONN_WHOLE: of none). A single message of the server over
 * message_bytes loses the connection. */
void pg_conn_begin(struct pg_connection *conn, struct pg_conn_user *user, int row_step,
                   size_t message_bytes);
/* Add one statement, sent byte for byte; params (at most
 * PG_CONN_MOST_PARAMS) may be NULL. */
void pg_conn_send(struct pg_connection *conn, const char *text, const struct pg_conn_param *params,
                  size_t param_count);
/* Close what was sent so far: an error skips to here, not further. */
void pg_conn_sync(struct pg_connection *conn);

/* Whether the connection rests outside any transaction, so that the next user finds it as if new.
 */
bool pg_conn_is_clean(const struct pg_connection *conn);
/* The server process behind the connection, as pg_stat_activity names it. */
int pg_conn_pid(const struct pg_connection *conn);

/* What PQcancel needs, the caller's to free; NULL: no memory or no connection. */
void *pg_conn_canceller(struct pg_connection *conn);
void pg_conn_canceller_free(void *canceller);
/* Ask the server over a connection of its own to cancel what runs. Blocking; any thread. */
MUST_USE enum err_code pg_conn_cancel(void *canceller, struct err *err);

#endif
