/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_pg_cancel.c - two ways to reach the server process, the second after the first.
 *
 * Happy path: an idle connection of the pool is taken, asks pg_cancel_backend, is put back.
 * Failure paths:
 *   no idle connection; it is lost,   PQcancel in core/work, over a connection of its own
 *   refused, or silent too long
 *   that fails, too                   done all the same: the owner's own deadline goes on
 *   abandoned                         ends by itself
 * Frees itself at its end. */
#include "backends/sql/sql_pg_cancel.h"

#include <stdio.h>

#include "backends/sql/pg_rows.h"
#include "core/base/mem.h"
#include "core/loop/work.h"

enum { ANSWER_MS = 500, ANSWER_BYTES = 64 << 10 };

struct sql_pg_cancel {
    struct loop *loop;
    struct pg_connection *victim; /* NULL: abandoned */
    void (*done)(void *owner);
    void *owner;
    struct pool_conn *taken;
    struct pg_conn_user user;
    bool is_refused;
    struct timer timer;
    struct work work;
    struct loop_task end_task;
};

/* The only end. */
static void finish(struct loop_task *task)
{
    struct sql_pg_cancel *cancel = container_of(task, struct sql_pg_cancel, end_task);
    void (*done)(void *owner) = cancel->victim != NULL ? cancel->done : NULL;
    void *owner = cancel->owner;
    mem_free(cancel);
    if (done != NULL)
        done(owner);
}

/* ---- the second way ---- */

static enum err_code send_request(struct work *work, struct err *err)
{
    return pg_conn_cancel(work->arg, err);
}

static void on_sent(struct op *op)
{
    struct sql_pg_cancel *cancel = op_owner(op);
    pg_conn_canceller_free(cancel->work.arg);
    finish(&cancel->end_task);
}

static void ask_by_request(struct sql_pg_cancel *cancel)
{
    void *canceller = cancel->victim == NULL ? NULL : pg_conn_canceller(cancel->victim);
    if (canceller == NULL)
        loop_post(cancel->loop, &cancel->end_task, finish);
    else
        work_start(&cancel->work, cancel->loop, send_request, canceller,
                   (struct op_waiter){.done = on_sent, .owner = cancel});
}

/* ---- the first way ---- */

static struct sql_pg_cancel *cancel_of(struct pg_conn_user *user)
{
    return container_of(user, struct sql_pg_cancel, user);
}

static void give_back(struct sql_pg_cancel *cancel, bool usable)
{
    timer_stop(&cancel->timer);
    conn_pool_put(cancel->taken, usable);
    cancel->taken = NULL;
}

static void on_result(struct pg_conn_user *user, unsigned step, struct pg_result *result)
{
    (void)step;
    if (pg_rows_kind(result) != PG_ROWS_SOME)
        cancel_of(user)->is_refused = true;
}

static void on_done(struct pg_conn_user *user)
{
    struct sql_pg_cancel *cancel = cancel_of(user);
    give_back(cancel, pg_conn_is_clean(pg_conn_of(cancel->taken)));
    if (cancel->is_refused)
        ask_by_request(cancel);
    else
        finish(&cancel->end_task);
}

static void on_lost(struct pg_conn_user *user, const struct err *err)
{
    struct sql_pg_cancel *cancel = cancel_of(user);
    (void)err;
    give_back(cancel, false);
    ask_by_request(cancel);
}

static void on_silent(struct timer *timer)
{
    struct sql_pg_cancel *cancel = container_of(timer, struct sql_pg_cancel, timer);
    give_back(cancel, false);
    ask_by_request(cancel);
}

static void ask_by_query(struct sql_pg_cancel *cancel)
{
    struct pg_connection *conn = pg_conn_of(cancel->taken);
    char pid[16];
    int len = snprintf(pid, sizeof pid, "%d", pg_conn_pid(cancel->victim));
    const struct pg_conn_param param = {.value = pid, .len = (size_t)len};
    cancel->user =
        (struct pg_conn_user){.on_result = on_result, .on_done = on_done, .on_lost = on_lost};
    timer_start(&cancel->timer, cancel->loop, ANSWER_MS, on_silent);
    pg_conn_begin(conn, &cancel->user, PG_CONN_WHOLE, ANSWER_BYTES);
    pg_conn_send(conn, "SELECT pg_catalog.pg_cancel_backend($1)", &param, 1);
    pg_conn_sync(conn);
}

struct sql_pg_cancel *sql_pg_cancel_start(struct loop *loop, struct conn_pool *pool,
                                          struct pg_connection *victim, void (*done)(void *owner),
                                          void *owner)
{
    struct sql_pg_cancel *cancel = mem_zalloc(1, sizeof *cancel);
    if (cancel == NULL)
        return NULL;
    *cancel = (struct sql_pg_cancel){.loop = loop, .victim = victim, .done = done, .owner = owner};
    cancel->taken = conn_pool_take_idle(pool);
    if (cancel->taken != NULL)
        ask_by_query(cancel);
    else
        ask_by_request(cancel);
    return cancel;
}

void sql_pg_cancel_abandon(struct sql_pg_cancel *cancel)
{
    cancel->victim = NULL;
}
