/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_pg.c - the sql interface over a pool of PostgreSQL connections.
 *
 * Happy path: the statement is made a batch and waits for a connection; the batch goes out in one
 * write; rows are kept as they come; when every part of the batch is answered the connection goes
 * back, rolled back and at rest, and the query is done.
 *   waiting -leased-> running -answered-> over
 *                        `-stop-> stopping -answered and canceller done-> over
 *                                     `-too long-> ending -server process gone-> over
 * Failure paths:
 *   no connection in time, none possible   the lease's error
 *   lost before BEGIN was answered         once more on another connection: it had died while idle
 *   lost later                             ERR_UNAVAILABLE
 *   the statement fails                    its SQLSTATE says which code; the rest of the batch runs
 *   cancelled, late, more rows than wanted stopping: the server is asked to cancel, and the query
 *                                          waits until it did, at most DRAIN_MS
 *   the cancel is not heeded               the query is told; a second session asks the server to
 *                                          end the process, at most END_MS; meanwhile the first
 *                                          keeps its place, so that its process's number is no
 *                                          other's; then it is dropped
 *   the statement was no plain read        ERR_REJECTED, and the connection is dropped: who knows
 *                                          what it left there
 *   one value larger than all may be       ERR_TOO_LARGE, and the connection is dropped: the rest
 *                                          of that value would have to be read
 * A query whose cancel was heeded is told at its very end: what it says has stopped has stopped. */
#include "backends/sql/sql_pg.h"

#include <stdio.h>
#include <string.h>

#include "backends/sql/pg_conn.h"
#include "backends/sql/pg_error.h"
#include "backends/sql/pg_rows.h"
#include "backends/sql/pg_task.h"
#include "backends/sql/sql_caller.h"
#include "backends/sql/sql_pg_batch.h"
#include "backends/sql/sql_pg_cancel.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { DEFAULT_TIMEOUT_MS = 30000, DEFAULT_CONNECT_MS = 5000, DEFAULT_QUEUE_MS = 10000 };
/* The server's own timer is to be first; ours is for a server that does not keep to it. */
enum { GRACE_MS = 100, DRAIN_MS = 500, END_MS = 2000 };
/* Rows past the cap are read for a moment (they may be few) before the server is asked to stop. */
enum { SURPLUS_MS = 2, SURPLUS_ROWS = 1000 };
enum { MESSAGE_SLACK = 256 << 10 };

struct sql_pg {
    struct sql sql;
    struct pg_target *target;
    struct pg_conn_site site;
    struct conn_pool *pool;
    struct conn_pool *enders; /* one connection at a time, for ending what runs on the others */
    uint64_t queue_ms;
    struct list runs;
    struct closing closing; /* out: runs, then the pools */
};

enum run_state { RUN_WAITING, RUN_RUNNING, RUN_STOPPING, RUN_ENDING, RUN_OVER, RUN_STATES };

static const unsigned may_become[RUN_STATES] = {
    [RUN_WAITING] = 1U << RUN_RUNNING | 1U << RUN_OVER,
    [RUN_RUNNING] = 1U << RUN_STOPPING | 1U << RUN_OVER | 1U << RUN_WAITING,
    [RUN_STOPPING] = 1U << RUN_ENDING | 1U << RUN_OVER,
    [RUN_ENDING] = 1U << RUN_OVER,
};

struct run { /* what a query holds until it is released; it stays until it is over, too */
    struct list link;
    struct sql_pg *pg;
    struct sql_query *query; /* NULL: released */
    enum run_state state;
    struct conn_lease lease;
    struct pg_conn_user user;
    struct sql_pg_batch batch;
    struct sql_rows rows;
    struct timer timer;
    struct sql_pg_cancel *cancel;
    struct pg_task end; /* the end of the server's process */
    char pid[16];
    struct pg_conn_param pid_param;
    struct err err; /* decided already */
    uint64_t began_ms, timeout_ms, sent_ns;
    size_t surplus_rows;
    bool is_answered; /* the server began with the batch */
    bool is_drained;  /* it is done with it, or gone */
    bool is_retried;
    bool is_spoiled; /* the connection is of no use to others */
};

static struct sql_pg *pg_of(struct sql *sql)
{
    return container_of(sql, struct sql_pg, sql);
}

static void set_state(struct run *run, enum run_state next)
{
    CHECK(may_become[run->state] & (1U << next));
    run->state = next;
}

/* The first reason stands. */
static void decide(struct run *run, enum err_code code, const char *text)
{
    if (run->err.code == ERR_OK)
        err_set(&run->err, code, "%s", text);
}

static uint64_t left_ms(const struct run *run)
{
    uint64_t passed = loop_now_ms(run->pg->sql.loop) - run->began_ms;
    return passed < run->timeout_ms ? run->timeout_ms - passed : 0;
}

/* ---- the end ---- */

static void free_run(struct run *run)
{
    sql_rows_fini(&run->rows);
    sql_pg_batch_fini(&run->batch);
    mem_free(run);
}

static void tell(struct run *run)
{
    struct sql_query *query = run->query;
    if (run->err.code == ERR_OK) {
        query->result = run->rows.result;
        query->result.duration_us = (loop_precise_ns() - run->sent_ns) / 1000;
    }
    if (run->err.code == ERR_TIMEOUT && run->lease.conn != NULL) {
        struct identity caller = sql_caller_of(run->query->statement);
        conn_pool_note_late(run->pg->pool, &caller);
    }
    op_finish_err(&query->op, &run->err);
}

static void leave(struct run *run)
{
    struct sql_pg *pg = run->pg;
    bool usable = run->lease.conn != NULL && !run->is_spoiled &&
                  pg_conn_is_clean(pg_conn_of(run->lease.conn));
    set_state(run, RUN_OVER);
    list_remove(&run->link);
    timer_stop(&run->timer);
    conn_lease_end(&run->lease, usable);
    if (run->query == NULL)
        free_run(run);
    closing_leave(&pg->closing);
}

/* The connection goes back after the end is queued, so that closing the pool cannot overtake it. */
static void finish(struct run *run)
{
    tell(run);
    leave(run);
}

static void finish_if_drained(struct run *run)
{
    if (run->is_drained && run->cancel == NULL)
        finish(run);
}

static void on_cancelled(void *owner)
{
    struct run *run = owner;
    run->cancel = NULL;
    finish_if_drained(run);
}

static void leave_if_ended(struct run *run)
{
    if (run->is_drained && !op_is_pending(&run->end.op))
        leave(run);
}

/* What runs there goes on, but has nobody to tell. */
static void give_up_ending(struct run *run)
{
    run->is_drained = true;
    leave_if_ended(run);
}

static void on_unended(struct timer *timer)
{
    give_up_ending(container_of(timer, struct run, timer));
}

static void on_end_asked(struct op *op)
{
    struct run *run = op_owner(op);
    if (op->err.code != ERR_OK)
        give_up_ending(run);
    else
        leave_if_ended(run); /* else the connection will be lost soon */
}

/* The cancel is not heeded. */
static void on_stuck(struct timer *timer)
{
    struct run *run = container_of(timer, struct run, timer);
    int pid = pg_conn_pid(pg_conn_of(run->lease.conn));
    int len = snprintf(run->pid, sizeof run->pid, "%d", pid);
    if (run->cancel != NULL)
        sql_pg_cancel_abandon(run->cancel);
    run->cancel = NULL;
    run->is_spoiled = true;
    set_state(run, RUN_ENDING);
    tell(run);
    run->pid_param = (struct pg_conn_param){.value = run->pid, .len = (size_t)len};
    run->end.statements[0] = (struct pg_task_statement){
        "SELECT pg_catalog.pg_terminate_backend($1)", &run->pid_param, 1};
    run->end.count = 1;
    run->end.timeout_ms = END_MS;
    run->end.message_bytes = MESSAGE_SLACK;
    timer_start(&run->timer, run->pg->sql.loop, END_MS, on_unended);
    pg_task_start(&run->end, run->pg->sql.loop, run->pg->enders,
                  (struct op_waiter){.done = on_end_asked, .owner = run});
}

static void stop(struct run *run)
{
    if (run->state != RUN_RUNNING)
        return;
    set_state(run, RUN_STOPPING);
    timer_start(&run->timer, run->pg->sql.loop, DRAIN_MS, on_stuck);
    run->cancel = sql_pg_cancel_start(run->pg->sql.loop, run->pg->pool, pg_conn_of(run->lease.conn),
                                      on_cancelled, run);
    if (run->cancel == NULL) /* no memory to ask: a closed connection is an answer, too */
        timer_start(&run->timer, run->pg->sql.loop, 0, on_stuck);
}

static void on_late(struct timer *timer)
{
    struct run *run = container_of(timer, struct run, timer);
    decide(run, ERR_TIMEOUT, "the statement ran into its deadline");
    stop(run);
}

static void on_surplus(struct timer *timer)
{
    stop(container_of(timer, struct run, timer)); /* the rows that were wanted are there */
}

/* ---- what the connection tells ---- */

static struct run *run_of(struct pg_conn_user *user)
{
    return container_of(user, struct run, user);
}

/* 57014: by our timeout, or by somebody else; what we asked for ourselves is decided already. */
static void explain_cancel(struct run *run, struct err *err)
{
    if (left_ms(run) <= 1)
        err_set(err, ERR_TIMEOUT, "the statement ran into its deadline");
    else
        err_set(err, ERR_UNAVAILABLE, "the statement was cancelled on the server");
}

static void take_failure(struct run *run, const struct pg_result *result)
{
    char sqlstate[PG_ERROR_STATE_BYTES];
    struct err err;
    if (pg_error_take(result, sqlstate, &err) == ERR_TIMEOUT)
        explain_cancel(run, &err);
    if (err.code == ERR_DENIED)
        err.code = ERR_REJECTED;
    if (run->err.code != ERR_OK || run->rows.result.truncated)
        return;
    memcpy(run->query->sqlstate, sqlstate, sizeof sqlstate);
    run->err = err;
}

static void skip_rows(struct run *run)
{
    struct loop *loop = run->pg->sql.loop;
    if (run->state != RUN_RUNNING)
        return;
    if (run->surplus_rows++ == 0)
        timer_start(&run->timer, loop, SURPLUS_MS, on_surplus);
    else if (run->surplus_rows == SURPLUS_ROWS)
        timer_start(&run->timer, loop, 0, on_surplus);
}

static void take_rows(struct run *run, const struct pg_result *result)
{
    struct err err;
    if (run->err.code == ERR_OK && !run->rows.result.truncated &&
        pg_rows_keep(&run->rows, result, &err) != ERR_OK)
        run->err = err;
    if (run->err.code != ERR_OK || run->rows.result.truncated)
        skip_rows(run);
}

static void on_result(struct pg_conn_user *user, unsigned step, struct pg_result *result)
{
    struct run *run = run_of(user);
    if (run->state == RUN_ENDING) /* told already */
        return;
    switch (pg_rows_kind(result)) {
    case PG_ROWS_SOME:
        if (step == SQL_PG_BATCH_STATEMENT)
            take_rows(run, result);
        break;
    case PG_ROWS_NONE:
        if (step == SQL_PG_BATCH_BEGIN)
            run->is_answered = true;
        if (step == SQL_PG_BATCH_STATEMENT) {
            decide(run, ERR_REJECTED, "the statement does not only read");
            run->is_spoiled = true;
        }
        break;
    case PG_ROWS_FAILED:
        take_failure(run, result);
        break;
    case PG_ROWS_SKIPPED:
        break;
    }
}

static void on_done(struct pg_conn_user *user)
{
    struct run *run = run_of(user);
    run->is_drained = true;
    if (run->state == RUN_ENDING)
        leave_if_ended(run);
    else
        finish_if_drained(run);
}

static void wait_for_connection(struct run *run);

/* Whether the statement may go out again: it was never begun, and a fresh connection may do. */
static bool may_retry(const struct run *run)
{
    bool is_wanted = run->err.code == ERR_OK || run->err.code == ERR_UNAVAILABLE;
    return run->state == RUN_RUNNING && !run->is_answered && !run->is_retried && is_wanted &&
           !closing_is_begun(&run->pg->closing) && left_ms(run) > 0;
}

static void on_lost(struct pg_conn_user *user, const struct err *err)
{
    struct run *run = run_of(user);
    bool is_cut = run->rows.result.truncated;
    run->is_spoiled = run->is_drained = true;
    if (run->state == RUN_ENDING) {
        leave_if_ended(run);
        return;
    }
    if (may_retry(run) && err->code == ERR_UNAVAILABLE) {
        run->err = (struct err){0};
        run->query->sqlstate[0] = '\0';
        run->is_retried = true;
        timer_stop(&run->timer);
        conn_lease_end(&run->lease, false);
        set_state(run, RUN_WAITING);
        wait_for_connection(run);
        return;
    }
    if (!is_cut)
        decide(run, err->code, err->text);
    if (run->cancel != NULL)
        sql_pg_cancel_abandon(run->cancel);
    run->cancel = NULL;
    finish(run);
}

static void send_batch(struct run *run)
{
    struct pg_connection *conn = pg_conn_of(run->lease.conn);
    uint64_t left = left_ms(run);
    set_state(run, RUN_RUNNING);
    run->is_answered = run->is_drained = run->is_spoiled = false;
    run->user =
        (struct pg_conn_user){.on_result = on_result, .on_done = on_done, .on_lost = on_lost};
    run->sent_ns = loop_precise_ns();
    timer_start(&run->timer, run->pg->sql.loop, left + GRACE_MS, on_late);
    sql_pg_batch_send(&run->batch, conn, &run->user, size_max(left, 1),
                      run->rows.max_bytes + MESSAGE_SLACK);
}

static void on_leased(struct op *op)
{
    struct run *run = op_owner(op);
    if (op->err.code != ERR_OK && run->err.code == ERR_OK)
        run->err = op->err;
    if (run->err.code == ERR_DENIED) /* ours, not the statement's: the login */
        run->err.code = ERR_UNAVAILABLE;
    if (run->err.code == ERR_OK && left_ms(run) == 0)
        decide(run, ERR_TIMEOUT, "the statement ran into its deadline while it waited");
    if (run->err.code == ERR_OK)
        send_batch(run);
    else
        finish(run);
}

static void wait_for_connection(struct run *run)
{
    uint64_t left = left_ms(run), queue = run->pg->queue_ms;
    run->lease.caller = sql_caller_of(run->query->statement);
    conn_lease_start(&run->lease, run->pg->pool, left < queue ? left : queue,
                     (struct op_waiter){.done = on_leased, .owner = run});
}

/* ---- the interface ---- */

static void cancel_query(struct op *op)
{
    struct run *run = container_of(op, struct sql_query, op)->impl;
    if (run == NULL || run->state == RUN_OVER || run->state == RUN_ENDING)
        return;
    if (!run->rows.result.truncated)
        decide(run, ERR_CANCELLED, "the statement was cancelled");
    if (run->state == RUN_WAITING)
        op_cancel(&run->lease.op);
    else
        stop(run);
}

static void release_query(struct op *op)
{
    struct sql_query *query = container_of(op, struct sql_query, op);
    struct run *run = query->impl;
    query->impl = NULL;
    query->result = (struct sql_result){0};
    if (run == NULL)
        return;
    run->query = NULL;
    if (run->state == RUN_OVER)
        free_run(run);
}

static const struct op_kind query_kind = {
    .name = "sql.postgresql", .cancel = cancel_query, .release = release_query};

static void start_query(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    struct sql_pg *pg = pg_of(sql);
    const struct sql_statement *statement = query->statement;
    struct err err = {0};
    op_begin(&query->op, &query_kind, sql->loop, waiter);
    struct run *run = mem_zalloc(1, sizeof *run);
    query->impl = run;
    if (run == NULL) {
        op_finish(&query->op, ERR_NO_MEMORY, "no memory for a statement");
        return;
    }
    run->pg = pg;
    run->query = query;
    run->began_ms = loop_now_ms(sql->loop);
    run->timeout_ms = statement->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : statement->timeout_ms;
    sql_rows_init(&run->rows, statement);
    if (sql_pg_batch_init(&run->batch, statement, &err) != ERR_OK) {
        run->state = RUN_OVER;
        op_finish_err(&query->op, &err);
        return;
    }
    list_push(&pg->runs, &run->link);
    closing_enter(&pg->closing);
    wait_for_connection(run);
}

static enum err_code tell_ready(struct sql *sql, struct err *err)
{
    if (conn_pool_ready(pg_of(sql)->pool, err) == ERR_OK)
        return ERR_OK;
    err->code = ERR_UNAVAILABLE;
    return ERR_UNAVAILABLE;
}

static void close_pools(struct closing *closing)
{
    struct sql_pg *pg = container_of(closing, struct sql_pg, closing);
    closing_enter(closing);
    closing_enter(closing);
    conn_pool_close(pg->pool, closing_leave_part, closing);
    conn_pool_close(pg->enders, closing_leave_part, closing);
}

static void free_pg(struct closing *closing)
{
    struct sql_pg *pg = container_of(closing, struct sql_pg, closing);
    pg_target_destroy(pg->target);
    mem_free(pg);
}

static void close_all(struct sql *sql, void (*on_closed)(void *owner), void *owner)
{
    struct sql_pg *pg = pg_of(sql);
    closing_begin(&pg->closing, on_closed, owner);
    LIST_EACH_SAFE(link, &pg->runs) {
        struct run *run = list_item(link, struct run, link);
        if (run->state != RUN_ENDING)
            op_cancel(&run->query->op);
    }
}

static struct sql_counts count_connections(const struct sql *sql)
{
    const struct sql_pg *pg = container_of(sql, const struct sql_pg, sql);
    const struct conn_pool_counts counts = conn_pool_count(pg->pool);
    return (struct sql_counts){counts.opening, counts.idle, counts.leased, counts.waiting};
}

static const struct sql_vtable vtable = {.name = "postgresql",
                                         .query_start = start_query,
                                         .ready = tell_ready,
                                         .close = close_all,
                                         .count = count_connections};

struct sql *sql_pg_create(struct loop *loop, const struct sql_pg_options *options, struct err *err)
{
    static closing_fn *const steps[] = {close_pools, free_pg, NULL};
    struct sql_pg *pg = mem_zalloc(1, sizeof *pg);
    if (pg == NULL)
        goto no_memory;
    pg->sql = (struct sql){.vtable = &vtable, .loop = loop, .dialect = SQL_POSTGRES};
    list_init(&pg->runs);
    closing_init(&pg->closing, loop, steps);
    pg->queue_ms = options->queue_ms == 0 ? DEFAULT_QUEUE_MS : options->queue_ms;
    pg->target = pg_target_create(options->url, err);
    if (pg->target == NULL)
        goto fail;
    pg->site = (struct pg_conn_site){.loop = loop,
                                     .target = pg->target,
                                     .connect_ms = options->connect_ms == 0 ? DEFAULT_CONNECT_MS
                                                                            : options->connect_ms};
    pg->enders = conn_pool_create(loop, &pg_conn_kind, &pg->site,
                                  &(struct conn_pool_options){.overflow = 1});
    if (pg->enders == NULL)
        goto no_pools;
    pg->pool = conn_pool_create(loop, &pg_conn_kind, &pg->site, &options->pool);
    if (pg->pool != NULL)
        return &pg->sql;
    conn_pool_close(pg->enders, NULL, NULL);
no_pools:
    pg_target_destroy(pg->target);
no_memory:
    err_set(err, ERR_NO_MEMORY, "no memory for a database");
fail:
    mem_free(pg);
    return NULL;
}
