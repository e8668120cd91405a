/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_conn_poll.h - watching a socket that libpq owns and may exchange.
 *
 * A poll is stopped before anything that may close the socket, and started anew after it. Zeroed
 * storage watches nothing. One loop, one thread. */
#ifndef BACKENDS_SQL_PG_CONN_POLL_H
#define BACKENDS_SQL_PG_CONN_POLL_H

#include "core/loop/loop.h"

struct pg_conn_poll_handle;

/* The socket is ready, or in error: libpq finds out which. */
typedef void pg_conn_poll_fn(void *owner);

struct pg_conn_poll {
    /* private */
    struct pg_conn_poll_handle *handle;
};

/* Tell owner when fd can be written (or only read). False: no memory. */
MUST_USE bool pg_conn_poll_start(struct pg_conn_poll *poll, struct loop *loop, int fd, bool write,
                                 pg_conn_poll_fn *on_ready, void *owner);
/* Keep quiet until the next start. */
void pg_conn_poll_pause(struct pg_conn_poll *poll);
/* Let go of the handle. Idempotent. */
void pg_conn_poll_stop(struct pg_conn_poll *poll);

#endif
