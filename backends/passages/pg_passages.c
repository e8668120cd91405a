/* SPDX-License-Identifier: MIT */
/* backends/passages/pg_passages.c - runs from the thread pool to the connections.
 *
 * Happy path: statements are made on the thread pool; a task runs them; its store looks at the end.
 * Failure paths: as pg_task.h; late before anything was asked; cancelled or closed: what is under
 * way is given up, and the run ends when it has. */
#include "backends/passages/pg_passages.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { DEFAULT_READ_MS = 10000, DEFAULT_WRITE_MS = 60000, CONNECT_MS = 5000 };
enum { MESSAGE_BYTES = 128 << 20, POOL_SIZE = 2, POOL_OVERFLOW = 4 }; /* a result, whole */

static const size_t run_bytes = (size_t)512 << 20; /* a thousand hits of the longest */
static const char undefined_table[] = "42P01";

struct pg_passages {
    struct loop *loop;
    struct pg_target *target;
    struct pg_conn_site site;
    struct conn_pool *pool;
    struct list runs;
    struct closing closing; /* out: runs, then the pool */
};

/* ---- the end ---- */

/* The one way a run ends. */
static void finish(struct pg_passages_run *run, const struct err *err)
{
    struct pg_passages *store = run->store;
    struct err last = *err;
    list_remove(&run->link);
    op_release(&run->work.op);
    op_release(&run->task.op);
    if (run->is_cancelled)
        err_set(&last, ERR_CANCELLED, "PostgreSQL was not waited for: cancelled");
    else
        run->kind->end(run, &last);
    op_finish_err(run->op, &last);
    closing_leave(&store->closing);
}

void pg_passages_cancel(struct pg_passages_run *run)
{
    if (run == NULL)
        return;
    run->is_cancelled = true;
    op_cancel(&run->work.op);
    op_cancel(&run->task.op);
}

void pg_passages_release(struct pg_passages_run *run)
{
    if (run != NULL)
        arena_fini(&run->arena);
    mem_free(run);
}

bool pg_passages_lacks_table(const struct pg_passages_run *run)
{
    return strcmp(run->task.sqlstate, undefined_table) == 0;
}

/* ---- the course of a run ---- */

static void on_run(struct op *op)
{
    struct err err = op->err;
    finish(op_owner(op), &err);
}

static void on_prepared(struct op *op)
{
    struct pg_passages_run *run = op_owner(op);
    struct loop *loop = run->store->loop;
    struct err err = op->err;
    uint64_t now_ms = loop_now_ms(loop);
    if (err.code == ERR_OK && run->task.count > 0 && now_ms >= run->deadline_ms)
        err_set(&err, ERR_TIMEOUT, "there was no time left to ask PostgreSQL");
    if (err.code != ERR_OK || run->is_cancelled || run->task.count == 0) {
        finish(run, &err);
        return;
    }
    run->task.writes = run->kind->writes;
    run->task.timeout_ms = run->deadline_ms - now_ms;
    run->task.message_bytes = MESSAGE_BYTES;
    run->task.arg = run;
    pg_task_start(&run->task, loop, run->store->pool,
                  (struct op_waiter){.done = on_run, .owner = run});
}

static enum err_code prepare(struct work *work, struct err *err)
{
    struct pg_passages_run *run = work->arg;
    return run->kind->prepare(run, err);
}

struct pg_passages_run *pg_passages_start(struct pg_passages *store, struct op *op,
                                          const struct pg_passages_kind *kind, const void *request,
                                          uint64_t timeout_ms)
{
    bool is_closing = closing_is_begun(&store->closing);
    struct pg_passages_run *run = is_closing ? NULL : mem_zalloc(1, sizeof *run);
    if (run == NULL) {
        op_finish(op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the store is being closed" : "no memory to ask PostgreSQL");
        return NULL;
    }
    if (timeout_ms == 0)
        timeout_ms = kind->writes ? DEFAULT_WRITE_MS : DEFAULT_READ_MS;
    run->store = store;
    run->op = op;
    run->kind = kind;
    run->request = request;
    run->deadline_ms = loop_now_ms(store->loop) + timeout_ms;
    arena_init(&run->arena, run_bytes);
    list_push(&store->runs, &run->link);
    closing_enter(&store->closing);
    work_start(&run->work, store->loop, prepare, run,
               (struct op_waiter){.done = on_prepared, .owner = run});
    return run;
}

enum err_code pg_passages_ready(const struct pg_passages *store, struct err *err)
{
    if (conn_pool_ready(store->pool, err) == ERR_OK)
        return ERR_OK;
    err->code = ERR_UNAVAILABLE;
    return ERR_UNAVAILABLE;
}

/* ---- making, closing ---- */

static void close_pool(struct closing *closing)
{
    closing_enter(closing);
    conn_pool_close(container_of(closing, struct pg_passages, closing)->pool, closing_leave_part,
                    closing);
}

static void free_store(struct closing *closing)
{
    struct pg_passages *store = container_of(closing, struct pg_passages, closing);
    pg_target_destroy(store->target);
    mem_free(store);
}

void pg_passages_close(struct pg_passages *store, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&store->closing, on_closed, owner);
    LIST_EACH(link, &store->runs)
        pg_passages_cancel(list_item(link, struct pg_passages_run, link));
}

struct pg_passages *pg_passages_create(struct loop *loop, const char *url, struct err *err)
{
    static closing_fn *const steps[] = {close_pool, free_store, NULL};
    struct pg_passages *store = mem_zalloc(1, sizeof *store);
    if (store == NULL)
        goto no_memory;
    store->loop = loop;
    list_init(&store->runs);
    closing_init(&store->closing, loop, steps);
    store->target = pg_target_create(url, err);
    if (store->target == NULL)
        goto fail;
    store->site =
        (struct pg_conn_site){.loop = loop, .target = store->target, .connect_ms = CONNECT_MS};
    store->pool =
        conn_pool_create(loop, &pg_conn_kind, &store->site,
                         &(struct conn_pool_options){.size = POOL_SIZE, .overflow = POOL_OVERFLOW});
    if (store->pool != NULL)
        return store;
    pg_target_destroy(store->target);
no_memory:
    err_set(err, ERR_NO_MEMORY, "no memory for a store in PostgreSQL");
fail:
    mem_free(store);
    return NULL;
}
