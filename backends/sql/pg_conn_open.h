/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_conn_open.h - logging in to a PostgreSQL target, as an operation.
 *
 * Every place of the target in order, every address of a place in order, until one lets us in or
 * the time is up; each address gets an even share of the time that is left. One loop, one thread.
 */
#ifndef BACKENDS_SQL_PG_CONN_OPEN_H
#define BACKENDS_SQL_PG_CONN_OPEN_H

#include "backends/sql/pg_conn_poll.h"
#include "backends/sql/pg_target.h"
#include "backends/http/resolve.h"
#include "core/loop/timer.h"

struct pg_conn; /* libpq's PGconn */

struct pg_conn_open {
    struct op op;       /* "pg.open" */
    struct pg_conn *pg; /* with ERR_OK: the caller's to take and finish, else NULL */
    size_t place;       /* of the target, where it ended */
    /* private */
    const struct pg_target *target;
    struct pg_conn_poll poll;
    struct timer deadline;
    uint64_t give_up_ms;
    size_t address;
    struct resolve resolve;
    struct err why; /* of the last attempt */
};

/* target is kept until done. ERR_UNAVAILABLE nobody answers or can be found (text says where and
 * why, of the last attempt), ERR_DENIED the login is refused, ERR_CANCELLED. */
void pg_conn_open_start(struct pg_conn_open *open, struct loop *loop,
                        const struct pg_target *target, uint64_t connect_ms,
                        struct op_waiter waiter);

#endif
