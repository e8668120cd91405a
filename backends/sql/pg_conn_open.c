/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_conn_open.c - places, addresses, PQconnectPoll.
 *
 * Happy path: a place's host is resolved (libpq would block), PQconnectStartParams begins with its
 * first address, PQconnectPoll says each time what to wait for until it is in.
 * Failure paths, each to the next address, then the next place, then finish():
 *   no such name, nobody there, refused   noted, with where it was
 *   its share of the time is up           likewise
 *   cancelled                             finish() at once, or when the lookup has let go
 * The socket may be another after each PQconnectPoll, so polling pauses around it. */
#include "backends/sql/pg_conn_open.h"

#include <libpq-fe.h>

#include "backends/sql/pg_error.h"

static void try_place(struct pg_conn_open *open);
static void try_address(struct pg_conn_open *open);

/* The one way a login ends. */
static void finish(struct pg_conn_open *open, const struct err *err)
{
    timer_stop(&open->deadline);
    pg_conn_poll_stop(&open->poll);
    if (err->code != ERR_OK) {
        PQfinish(open->pg); /* NULL is fine */
        open->pg = NULL;
    }
    op_finish_err(&open->op, err);
}

static void fail_attempt(struct pg_conn_open *open, const char *text)
{
    char where[PG_TARGET_WHERE_BYTES];
    pg_target_where(open->target, open->place, where);
    pg_error_connect(text, where, &open->why);
    pg_conn_poll_stop(&open->poll);
    PQfinish(open->pg);
    open->pg = NULL;
    if (++open->address < open->resolve.address_count) {
        try_address(open);
    } else if (open->place + 1 < pg_target_count(open->target)) {
        open->place++;
        try_place(open);
    } else {
        finish(open, &open->why);
    }
}

static void on_deadline(struct timer *timer)
{
    struct pg_conn_open *open = container_of(timer, struct pg_conn_open, deadline);
    if (op_is_pending(&open->resolve.op))
        op_cancel(&open->resolve.op); /* on_resolved goes on */
    else
        fail_attempt(open, "no answer in time");
}

static void arm(struct pg_conn_open *open)
{
    uint64_t now = loop_now_ms(open->op.loop);
    uint64_t left = open->give_up_ms > now ? open->give_up_ms - now : 0;
    size_t attempts = pg_target_count(open->target) - open->place;
    if (open->resolve.address_count > open->address)
        attempts += open->resolve.address_count - open->address - 1;
    timer_start(&open->deadline, open->op.loop, left / attempts, on_deadline);
}

static void ignore_notice(void *owner, const PGresult *result)
{
    (void)owner; /* libpq would write it to stderr */
    (void)result;
}

static void on_ready(void *owner)
{
    struct pg_conn_open *open = owner;
    pg_conn_poll_pause(&open->poll); /* libpq may close the socket now */
    PostgresPollingStatusType want = PQconnectPoll(open->pg);
    if (want == PGRES_POLLING_OK)
        finish(open, &(struct err){0});
    else if (want == PGRES_POLLING_FAILED)
        fail_attempt(open, PQerrorMessage(open->pg));
    else if (!pg_conn_poll_start(&open->poll, open->op.loop, PQsocket(open->pg),
                                 want == PGRES_POLLING_WRITING, on_ready, open))
        fail_attempt(open, "no memory");
}

static void try_address(struct pg_conn_open *open)
{
    struct pg_target_params params;
    bool is_resolved = open->address < open->resolve.address_count;
    pg_target_fill(open->target, open->place,
                   is_resolved ? open->resolve.addresses[open->address] : NULL, &params);
    arm(open);
    open->pg = PQconnectStartParams(params.keywords, params.values, 0);
    if (open->pg == NULL) {
        fail_attempt(open, "no memory"); /* untested: libpq's own allocation */
    } else if (PQstatus(open->pg) == CONNECTION_BAD) {
        fail_attempt(open, PQerrorMessage(open->pg));
    } else {
        PQsetErrorVerbosity(open->pg, PQERRORS_VERBOSE); /* with the SQLSTATE */
        PQsetNoticeReceiver(open->pg, ignore_notice, NULL);
        if (!pg_conn_poll_start(&open->poll, open->op.loop, PQsocket(open->pg), true, on_ready,
                                open))
            fail_attempt(open, "no memory");
    }
}

static void on_resolved(struct op *op)
{
    struct pg_conn_open *open = op_owner(op);
    if (open->op.cancel_asked) {
        finish(open, &op->err);
    } else if (op->err.code == ERR_OK) {
        try_address(open);
    } else {
        open->resolve.address_count = 0;
        fail_attempt(open, op->err.code == ERR_CANCELLED ? "its name was not resolved in time"
                                                         : op->err.text);
    }
}

static void try_place(struct pg_conn_open *open)
{
    const char *host = pg_target_host(open->target, open->place);
    open->address = open->resolve.address_count = 0;
    if (host == NULL) {
        try_address(open);
        return;
    }
    arm(open);
    resolve_start(&open->resolve, open->op.loop, str_of(host),
                  (struct op_waiter){.done = on_resolved, .owner = open});
}

static void cancel_open(struct op *op)
{
    struct pg_conn_open *open = container_of(op, struct pg_conn_open, op);
    struct err err;
    timer_stop(&open->deadline);
    if (op_is_pending(&open->resolve.op)) {
        op_cancel(&open->resolve.op);
        return;
    }
    err_set(&err, ERR_CANCELLED, "the login was cancelled");
    finish(open, &err);
}

static const struct op_kind open_kind = {.name = "pg.open", .cancel = cancel_open};

void pg_conn_open_start(struct pg_conn_open *open, struct loop *loop,
                        const struct pg_target *target, uint64_t connect_ms,
                        struct op_waiter waiter)
{
    op_begin(&open->op, &open_kind, loop, waiter);
    open->target = target;
    open->give_up_ms = loop_now_ms(loop) + connect_ms;
    open->place = 0;
    open->pg = NULL;
    try_place(open);
}
