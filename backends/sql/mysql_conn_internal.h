/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_conn_internal.h - what the files of mysql_conn share: the connection and its
 * steps.
 *
 * A step is one pair of Connector/C's non-blocking calls. mysql_conn.c drives it: start, then cont
 * whenever what it waits for has come, then ended. One step at a time, several to a call. */
#ifndef BACKENDS_SQL_MYSQL_CONN_INTERNAL_H
#define BACKENDS_SQL_MYSQL_CONN_INTERNAL_H

#include "backends/sql/mysql_conn.h"
#include "backends/http/resolve.h"
#include "core/loop/timer.h"
#include "core/loop/work.h"

struct st_mysql;
struct st_mysql_bind;
struct mysql_conn_poll;

enum { MYSQL_CONN_PLACE_BYTES = 128 };

enum mysql_conn_state {
    MYSQL_CONN_NEW,
    MYSQL_CONN_RESOLVING,
    MYSQL_CONN_SHAKING, /* with TLS connecting goes on in the thread pool */
    MYSQL_CONN_BUSY,    /* a call is in flight, a step of it waits or is about to start */
    MYSQL_CONN_IDLE,
    MYSQL_CONN_BROKEN,
};

/* start and cont return what to wait for, 0: the step is over; ended: whether to start it again. */
struct mysql_conn_step {
    const char *name;
    bool may_block; /* under TLS cont may block, or take long */
    int (*start)(struct mysql_conn *conn);
    int (*cont)(struct mysql_conn *conn, int events);
    bool (*ended)(struct mysql_conn *conn);
};

struct mysql_conn {
    struct loop *loop;
    struct mysql_conn_options options;
    bool tls; /* wanted, and possible */
    enum mysql_conn_state state;
    struct st_mysql *mysql; /* NULL: not connecting and not connected */
    struct st_mysql_stmt *stmts[MYSQL_SLOT_COUNT];
    bool rows_left;

    struct mysql_call *call; /* in flight, or NULL */
    struct timer deadline;   /* of the call */
    const struct mysql_conn_step *step;
    int waiting;           /* MYSQL_WAIT_* of the suspended step; 0: none is suspended */
    struct timer patience; /* the library's own timeout for this wait */
    struct mysql_conn_poll *poll;
    struct loop_task resume_task; /* a long fetch goes on in the next turn */
    unsigned turn_rows;           /* rows read in this turn */

    /* arguments and results of the step */
    struct str text;
    enum mysql_slot slot;
    struct st_mysql_bind *binds;
    struct sql_rows *rows;
    int result_int;
    char result_bool;
    struct st_mysql *result_mysql;

    /* while opening */
    struct resolve resolve;
    struct work shake;
    int shake_events, shake_waiting; /* cont's argument and result, on the other thread */
    bool given_up;                   /* while resolving or shaking: last_failure says why */
    bool destroyed;                  /* to be freed after resolving or shaking */
    size_t address_at, setting_at;
    uint64_t give_up_ms;       /* 0: not opening */
    struct timer address_late; /* the next address's turn */
    struct err last_failure;   /* of the addresses tried */
    char place[MYSQL_CONN_PLACE_BYTES];
};

/* Begin call on conn. False: the call is finished already (the connection is broken). */
MUST_USE bool mysql_conn_begin(struct mysql_call *call, struct mysql_conn *conn,
                               uint64_t timeout_ms, struct op_waiter waiter);
/* Run a step of the call in flight. */
void mysql_conn_go(struct mysql_conn *conn, const struct mysql_conn_step *step);
/* End the call in flight; the connection becomes idle, or broken when it is not usable. */
void mysql_conn_end(struct mysql_conn *conn, const struct err *err, bool usable);
/* End the call in flight with what the library says went wrong in a query. */
void mysql_conn_end_failed(struct mysql_conn *conn, unsigned number, const char *sqlstate,
                           const char *text);
/* Busy again after what ran elsewhere (a lookup, a handshake). False: that failed, or the call was
 * given up meanwhile; it has ended, and the connection may be gone. */
MUST_USE bool mysql_conn_resume(struct mysql_conn *conn, const struct op *op);
/* Drop the library's handle and its socket, unwinding a suspended step first. */
void mysql_conn_drop(struct mysql_conn *conn);
/* End what another thread does for conn, soon: its result comes as if the server had gone away.
 * False: no thread does anything. */
bool mysql_conn_interrupt(struct mysql_conn *conn);
/* From here on the socket never blocks, TLS or not. */
void mysql_conn_unblock(struct mysql_conn *conn);
/* The one writer of state. */
void mysql_conn_set_state(struct mysql_conn *conn, enum mysql_conn_state next);

#endif
