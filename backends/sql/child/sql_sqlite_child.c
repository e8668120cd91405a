/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sql_sqlite_child.c - the sql interface over a pool of child processes.
 *
 * Happy path: the statement waits for a process, goes to it as one frame, and its reply is the
 * query's result, views of the reply's own bytes.
 *   waiting -leased-> running -reply-> over
 *                        `-late, cancelled-> stopping -reply, or KILL_MS-> over
 * Failure paths:
 *   no process in time, none can be started   the lease's error
 *   the statement fails                       the child's error
 *   it does not heed its interrupt            decided already; the process is killed
 *   the process ends by itself                ERR_REJECTED: it was this statement that did it
 *   no memory for frame or reply              ERR_NO_MEMORY */
#include "backends/sql/child/sql_sqlite_child.h"

#include <string.h>

#include "backends/sql/child/sqlite_child.h"
#include "backends/sql/sql_caller.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { DEFAULT_PROCESSES = 2, MAX_PROCESSES = 64, DEFAULT_TIMEOUT_MS = 30000 };
enum { DEFAULT_QUEUE_MS = 10000, DEFAULT_MAX_BYTES = 4 << 20 };
enum { GRACE_MS = 100, KILL_MS = 500 };
enum { FRAME_BYTES = 16 << 20, REPLY_SLACK = 64 << 20, ARENA_SLACK = 1 << 20 };

struct sql_processes {
    struct sql sql;
    struct sqlite_child_site site;
    char *program, *path;
    struct conn_pool *pool;
    uint64_t queue_ms;
    struct list runs;
    struct err last;        /* of the last statement, when it was ERR_UNAVAILABLE */
    struct closing closing; /* out: runs, then the pool */
};

enum run_state { RUN_WAITING, RUN_RUNNING, RUN_STOPPING, RUN_OVER };

struct run {
    struct list link;
    struct sql_processes *processes;
    struct sql_query *query;
    enum run_state state;
    struct conn_lease lease;
    struct sqlite_child_user user;
    struct timer timer;
    struct buf reply;   /* the result's bytes */
    struct arena arena; /* its lists */
    struct sql_result result;
    struct err err; /* decided already */
    uint64_t began_ms, timeout_ms;
};

static void decide(struct run *run, enum err_code code, const char *text)
{
    if (run->err.code == ERR_OK)
        err_set(&run->err, code, "%s", text);
}

static uint64_t left_ms(const struct run *run)
{
    uint64_t passed = loop_now_ms(run->processes->sql.loop) - run->began_ms;
    return passed < run->timeout_ms ? run->timeout_ms - passed : 0;
}

/* ---- the end ---- */

/* The one way a query ends: its process goes back when it waits for the next, else it is killed. */
static void finish(struct run *run)
{
    struct sql_processes *processes = run->processes;
    bool ran = run->lease.conn != NULL;
    bool usable = ran && sqlite_child_end(sqlite_child_of(run->lease.conn));
    run->state = RUN_OVER;
    list_remove(&run->link);
    timer_stop(&run->timer);
    if (run->err.code == ERR_OK)
        run->query->result = run->result;
    if (ran && (run->err.code == ERR_OK || run->err.code == ERR_UNAVAILABLE))
        processes->last = run->err;
    if (run->err.code == ERR_TIMEOUT && run->lease.conn != NULL) {
        struct identity caller = sql_caller_of(run->query->statement);
        conn_pool_note_late(run->processes->pool, &caller);
    }
    op_finish_err(&run->query->op, &run->err);
    conn_lease_end(&run->lease, usable);
    closing_leave(&processes->closing);
}

static void on_stuck(struct timer *timer)
{
    finish(container_of(timer, struct run, timer));
}

static void stop(struct run *run)
{
    if (run->state != RUN_RUNNING)
        return;
    run->state = RUN_STOPPING;
    sqlite_child_interrupt(sqlite_child_of(run->lease.conn));
    timer_start(&run->timer, run->processes->sql.loop, KILL_MS, on_stuck);
}

static void on_late(struct timer *timer)
{
    struct run *run = container_of(timer, struct run, timer);
    decide(run, ERR_TIMEOUT, "the statement ran into its deadline");
    stop(run);
}

/* ---- what the child tells ---- */

static void take_reply(struct run *run, struct str body)
{
    struct sql_wire_reply reply;
    enum err_code code = sql_wire_read_reply(body, &run->arena, &reply);
    if (code == ERR_NO_MEMORY) {
        decide(run, code, "no memory for a result");
    } else if (code != ERR_OK) {
        decide(run, ERR_UNAVAILABLE, "SQLite's process answers nonsense");
    } else if (run->err.code == ERR_OK) {
        run->err = reply.err;
        run->result = reply.result;
        memcpy(run->query->sqlstate, reply.sqlstate, sizeof reply.sqlstate);
    }
}

static void on_reply(struct sqlite_child_user *user, struct buf *bytes, struct str body)
{
    struct run *run = container_of(user, struct run, user);
    run->reply = *bytes;
    buf_init(bytes, SIZE_MAX);
    /* A value takes a byte or more of the body, and a struct of the arena. */
    arena_init(&run->arena, ARENA_SLACK + body.len * (sizeof(struct sql_value) + 1));
    take_reply(run, body);
    finish(run);
}

static void on_lost(struct sqlite_child_user *user, const struct err *err)
{
    struct run *run = container_of(user, struct run, user);
    if (err->code == ERR_NO_MEMORY)
        decide(run, err->code, err->text);
    else if (run->err.code == ERR_OK)
        err_set(&run->err, ERR_REJECTED,
                "%s while it ran this statement; ask for less, or more simply", err->text);
    finish(run);
}

static void send_statement(struct run *run)
{
    struct sql_statement statement = *run->query->statement;
    struct buf frame;
    uint64_t left = left_ms(run);
    size_t bytes = statement.max_bytes == 0 ? DEFAULT_MAX_BYTES : statement.max_bytes;
    statement.timeout_ms = left == 0 ? 1 : left;
    buf_init(&frame, FRAME_BYTES);
    sql_wire_put_statement(&frame, &statement);
    if (!buf_ok(&frame)) {
        buf_fini(&frame);
        decide(run, ERR_NO_MEMORY, "no memory for a statement and its values");
        finish(run);
        return;
    }
    run->state = RUN_RUNNING;
    run->user = (struct sqlite_child_user){.on_reply = on_reply, .on_lost = on_lost};
    timer_start(&run->timer, run->processes->sql.loop, left + GRACE_MS, on_late);
    if (sqlite_child_begin(sqlite_child_of(run->lease.conn), &run->user, &frame,
                           size_min(bytes, FRAME_BYTES) * 2 + REPLY_SLACK))
        return;
    decide(run, ERR_NO_MEMORY, "no memory to send a statement");
    finish(run);
}

static void on_leased(struct op *op)
{
    struct run *run = op_owner(op);
    if (op->err.code != ERR_OK && run->err.code == ERR_OK)
        run->err = op->err;
    if (run->err.code == ERR_OK && left_ms(run) == 0)
        decide(run, ERR_TIMEOUT, "the statement ran into its deadline while it waited");
    if (run->err.code == ERR_OK)
        send_statement(run);
    else
        finish(run);
}

/* ---- the interface ---- */

static struct sql_processes *processes_of(struct sql *sql)
{
    return container_of(sql, struct sql_processes, sql);
}

static void cancel_query(struct op *op)
{
    struct run *run = container_of(op, struct sql_query, op)->impl;
    if (run == NULL || run->state == RUN_OVER)
        return;
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
    arena_fini(&run->arena);
    buf_fini(&run->reply);
    mem_free(run);
}

static const struct op_kind query_kind = {
    .name = "sql.sqlite", .cancel = cancel_query, .release = release_query};

static void start_query(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    struct sql_processes *processes = processes_of(sql);
    const struct sql_statement *statement = query->statement;
    op_begin(&query->op, &query_kind, sql->loop, waiter);
    struct run *run = mem_zalloc(1, sizeof *run);
    query->impl = run;
    if (run == NULL) {
        op_finish(&query->op, ERR_NO_MEMORY, "no memory for a statement");
        return;
    }
    run->processes = processes;
    run->query = query;
    run->began_ms = loop_now_ms(sql->loop);
    run->timeout_ms = statement->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : statement->timeout_ms;
    list_push(&processes->runs, &run->link);
    closing_enter(&processes->closing);
    run->lease.caller = sql_caller_of(run->query->statement);
    conn_lease_start(&run->lease, processes->pool, size_min(run->timeout_ms, processes->queue_ms),
                     (struct op_waiter){.done = on_leased, .owner = run});
}

static enum err_code tell_ready(struct sql *sql, struct err *err)
{
    const struct sql_processes *processes = processes_of(sql);
    if (processes->last.code != ERR_OK)
        return err_set(err, processes->last.code, "%s", processes->last.text);
    return conn_pool_ready(processes->pool, err);
}

static void close_pool(struct closing *closing)
{
    closing_enter(closing);
    conn_pool_close(container_of(closing, struct sql_processes, closing)->pool, closing_leave_part,
                    closing);
}

static void free_processes(struct closing *closing)
{
    struct sql_processes *processes = container_of(closing, struct sql_processes, closing);
    mem_free(processes->program);
    mem_free(processes->path);
    mem_free(processes);
}

static void close_all(struct sql *sql, void (*on_closed)(void *owner), void *owner)
{
    struct sql_processes *processes = processes_of(sql);
    closing_begin(&processes->closing, on_closed, owner);
    LIST_EACH_SAFE(link, &processes->runs)
        op_cancel(&list_item(link, struct run, link)->query->op);
}

static struct sql_counts count_processes(const struct sql *sql)
{
    const struct sql_processes *processes = container_of(sql, const struct sql_processes, sql);
    const struct conn_pool_counts counts = conn_pool_count(processes->pool);
    return (struct sql_counts){counts.opening, counts.idle, counts.leased, counts.waiting};
}

static const struct sql_vtable vtable = {.name = "sqlite",
                                         .query_start = start_query,
                                         .ready = tell_ready,
                                         .close = close_all,
                                         .count = count_processes};

static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *made = mem_alloc(bytes);
    if (made != NULL)
        memcpy(made, text, bytes);
    return made;
}

struct sql *sql_sqlite_child_create(struct loop *loop,
                                    const struct sql_sqlite_child_options *options)
{
    static closing_fn *const steps[] = {close_pool, free_processes, NULL};
    size_t count = options->processes == 0 ? DEFAULT_PROCESSES : options->processes;
    struct sql_processes *processes = mem_zalloc(1, sizeof *processes);
    if (processes == NULL)
        return NULL;
    processes->sql = (struct sql){.vtable = &vtable, .loop = loop, .dialect = SQL_SQLITE};
    list_init(&processes->runs);
    closing_init(&processes->closing, loop, steps);
    processes->queue_ms = options->queue_ms == 0 ? DEFAULT_QUEUE_MS : options->queue_ms;
    processes->program = copy(options->program);
    processes->path = copy(options->path);
    if (processes->program == NULL || processes->path == NULL)
        goto fail;
    processes->site = (struct sqlite_child_site){
        .loop = loop, .program = processes->program, .path = processes->path};
    processes->pool = conn_pool_create(
        loop, &sqlite_child_kind, &processes->site,
        &(struct conn_pool_options){.size = size_min(count, MAX_PROCESSES),
                                    .queue_limit = options->queue_limit,
                                    .recycle_ms = UINT64_MAX, /* nothing between ages */
                                    .check_after_ms = UINT64_MAX});
    if (processes->pool != NULL)
        return &processes->sql;
fail:
    mem_free(processes->program);
    mem_free(processes->path);
    mem_free(processes);
    return NULL;
}
