/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_task.c - a lease, one batch, an end.
 *
 * Happy path: a connection is leased; the batch goes out; rows are given on; when all is answered
 * the connection goes back.
 * Failure paths:
 *   no connection in time             the lease's error
 *   lost before BEGIN was answered    once more on another connection: it had died while idle
 *   lost later                        ERR_UNAVAILABLE
 *   a statement fails                 nothing holds; its SQLSTATE says which code
 *   cancelled or late                 the connection is dropped at once, and with it what ran
 * there; the server's own timer ends what it does not notice */
#include "backends/sql/pg_task.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>

#include "backends/sql/pg_rows.h"

enum { GRACE_MS = 200, BEGIN_STEP = 0, FIRST_STEP = 2 };

static void lease(struct pg_task *task);

static uint64_t left_ms(const struct pg_task *task)
{
    uint64_t now_ms = loop_now_ms(task->op.loop);
    return now_ms < task->deadline_ms ? task->deadline_ms - now_ms : 0;
}

/* The one way a task ends: the connection goes back after the end is queued. */
static void finish(struct pg_task *task, bool usable)
{
    bool is_clean = usable && task->lease.conn != NULL && task->is_sent &&
                    pg_conn_is_clean(pg_conn_of(task->lease.conn));
    timer_stop(&task->timer);
    task->is_sent = false;
    op_finish_err(&task->op, &task->err);
    conn_lease_end(&task->lease, is_clean);
}

static void decide(struct pg_task *task, enum err_code code, const char *text)
{
    if (task->err.code == ERR_OK)
        err_set(&task->err, code, "%s", text);
}

static void on_late(struct timer *timer)
{
    struct pg_task *task = container_of(timer, struct pg_task, timer);
    decide(task, ERR_TIMEOUT, "PostgreSQL did not answer in time");
    finish(task, false);
}

static void on_result(struct pg_conn_user *user, unsigned step, struct pg_result *result)
{
    struct pg_task *task = container_of(user, struct pg_task, user);
    struct err err;
    task->is_answered = task->is_answered || step == BEGIN_STEP;
    switch (pg_rows_kind(result)) {
    case PG_ROWS_FAILED:
        if (task->err.code == ERR_OK)
            pg_error_take(result, task->sqlstate, &task->err);
        break;
    case PG_ROWS_SOME:
        if (step >= FIRST_STEP && step < FIRST_STEP + task->count && task->on_rows != NULL &&
            task->err.code == ERR_OK &&
            task->on_rows(task, step - FIRST_STEP, result, &err) != ERR_OK)
            task->err = err;
        break;
    case PG_ROWS_NONE:
    case PG_ROWS_SKIPPED:
        break;
    }
}

static void on_done(struct pg_conn_user *user)
{
    finish(container_of(user, struct pg_task, user), true);
}

static void on_lost(struct pg_conn_user *user, const struct err *err)
{
    struct pg_task *task = container_of(user, struct pg_task, user);
    if (task->err.code == ERR_OK && err->code == ERR_UNAVAILABLE && !task->is_answered &&
        !task->is_retried && left_ms(task) > 0) {
        task->is_retried = true;
        task->is_sent = false;
        timer_stop(&task->timer);
        conn_lease_end(&task->lease, false);
        lease(task);
        return;
    }
    decide(task, err->code, err->text);
    finish(task, false);
}

static void send_all(struct pg_task *task)
{
    struct pg_connection *conn = pg_conn_of(task->lease.conn);
    uint64_t left = left_ms(task);
    int len = snprintf(task->timeout, sizeof task->timeout, "%" PRIu64, left);
    task->timeout_param = (struct pg_conn_param){.value = task->timeout, .len = (size_t)len};
    task->user =
        (struct pg_conn_user){.on_result = on_result, .on_done = on_done, .on_lost = on_lost};
    task->is_sent = true;
    timer_start(&task->timer, task->op.loop, left + GRACE_MS, on_late);
    pg_conn_begin(conn, &task->user, PG_CONN_WHOLE, task->message_bytes);
    pg_conn_send(conn, task->writes ? "BEGIN READ WRITE" : "BEGIN READ ONLY", NULL, 0);
    pg_conn_send(conn, "SELECT pg_catalog.set_config('statement_timeout',$1,true)",
                 &task->timeout_param, 1);
    for (size_t i = 0; i < task->count; i++)
        pg_conn_send(conn, task->statements[i].text, task->statements[i].params,
                     task->statements[i].param_count);
    pg_conn_send(conn, "COMMIT", NULL, 0);
    pg_conn_sync(conn);
    pg_conn_send(conn, "ROLLBACK", NULL, 0); /* of what failed; else it does nothing */
    pg_conn_sync(conn);
}

static void on_leased(struct op *op)
{
    struct pg_task *task = op_owner(op);
    if (op->err.code != ERR_OK)
        decide(task, op->err.code, op->err.text);
    if (task->err.code == ERR_DENIED || task->err.code == ERR_BUSY)
        task->err.code = ERR_UNAVAILABLE;
    if (task->err.code == ERR_OK && left_ms(task) == 0)
        decide(task, ERR_TIMEOUT, "no connection to PostgreSQL came free in time");
    if (task->err.code == ERR_OK)
        send_all(task);
    else
        finish(task, true);
}

static void lease(struct pg_task *task)
{
    conn_lease_start(&task->lease, task->pool, left_ms(task),
                     (struct op_waiter){.done = on_leased, .owner = task});
}

static void cancel_task(struct op *op)
{
    struct pg_task *task = container_of(op, struct pg_task, op);
    if (op_is_finishing(op))
        return;
    decide(task, ERR_CANCELLED, "cancelled");
    if (task->is_sent)
        finish(task, false);
    else
        op_cancel(&task->lease.op);
}

static const struct op_kind task_kind = {.name = "pg.task", .cancel = cancel_task};

void pg_task_start(struct pg_task *task, struct loop *loop, struct conn_pool *pool,
                   struct op_waiter waiter)
{
    CHECK(task->count <= PG_TASK_MOST);
    op_begin(&task->op, &task_kind, loop, waiter);
    task->pool = pool;
    task->deadline_ms = loop_now_ms(loop) + task->timeout_ms;
    task->err = (struct err){0};
    task->sqlstate[0] = '\0';
    task->is_sent = task->is_answered = task->is_retried = false;
    lease(task);
}

size_t pg_task_row_count(const struct pg_result *result)
{
    return (size_t)PQntuples(result);
}

size_t pg_task_column_count(const struct pg_result *result)
{
    return (size_t)PQnfields(result);
}

struct str pg_task_cell(const struct pg_result *result, size_t row, size_t column)
{
    return str_make(PQgetvalue(result, (int)row, (int)column),
                    (size_t)PQgetlength(result, (int)row, (int)column));
}
