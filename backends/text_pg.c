/* SPDX-License-Identifier: MIT */
/* backends/text_pg.c - searches and changes as tasks over a pool.
 *
 * Happy path: statements are made on the thread pool, since texts may be long; a task runs them;
 * rows become hits as they come.
 * Failure paths: the table is not there: no hits; else as pg_task.h; cancelled or closed: what is
 * under way is given up. */
#include "backends/text_pg.h"

#include <string.h>

#include "backends/pg_task.h"
#include "backends/text_pg_wire.h"
#include "core/base/mem.h"
#include "core/work.h"

enum { DEFAULT_SEARCH_MS = 10000, DEFAULT_WRITE_MS = 60000, CONNECT_MS = 5000 };
enum { MESSAGE_BYTES = 1 << 20, POOL_SIZE = 2, POOL_OVERFLOW = 4 };

static const size_t run_bytes = (size_t)512 << 20; /* a thousand hits of the longest */
static const char undefined_table[] = "42P01";

struct text_pg {
    struct text text;
    struct pg_target *target;
    struct pg_conn_site site;
    struct conn_pool *pool;
    struct list runs;
    bool closing;
    void (*on_closed)(void *owner);
    void *closed_owner;
    struct loop_task closed_task;
};

struct run { /* of one operation, from start to release */
    struct list link;
    struct text_pg *store;
    struct op *op;
    struct text_search *search; /* or */
    struct text_write *write;
    uint64_t deadline_ms;
    bool is_cancelled;
    struct arena arena;
    struct work work;
    struct pg_task task;
    struct passage_hit *hits;
    size_t hit_count;
};

static struct text_pg *store_of(struct text *text)
{
    return container_of(text, struct text_pg, text);
}

/* ---- the end ---- */

static void finish(struct run *run, const struct err *err)
{
    struct err cancelled = *err;
    if (run->is_cancelled)
        err_set(&cancelled, ERR_CANCELLED, "PostgreSQL was not waited for: cancelled");
    list_remove(&run->link);
    op_release(&run->work.op);
    op_release(&run->task.op);
    if (cancelled.code == ERR_OK && run->search != NULL) {
        run->search->hits = run->hits;
        run->search->hit_count = run->hit_count;
    }
    op_finish_err(run->op, &cancelled);
}

static void stop(struct run *run)
{
    run->is_cancelled = true;
    op_cancel(&run->work.op);
    op_cancel(&run->task.op);
}

static void free_run(struct run *run)
{
    if (run != NULL)
        arena_fini(&run->arena);
    mem_free(run);
}

static void cancel_search(struct op *op)
{
    struct run *run = container_of(op, struct text_search, op)->impl;
    if (run != NULL)
        stop(run);
}

static void cancel_write(struct op *op)
{
    struct run *run = container_of(op, struct text_write, op)->impl;
    if (run != NULL)
        stop(run);
}

static void release_search(struct op *op)
{
    struct text_search *search = container_of(op, struct text_search, op);
    free_run(search->impl);
    search->impl = NULL;
    search->hits = NULL;
    search->hit_count = 0;
}

static void release_write(struct op *op)
{
    struct text_write *write = container_of(op, struct text_write, op);
    free_run(write->impl);
    write->impl = NULL;
}

static const struct op_kind search_kind = {
    .name = "text.search", .cancel = cancel_search, .release = release_search};
static const struct op_kind write_kind = {
    .name = "text.write", .cancel = cancel_write, .release = release_write};

/* ---- the course of a run ---- */

static enum err_code take_hits(struct pg_task *task, size_t step, const struct pg_result *result,
                               struct err *err)
{
    struct run *run = task->arg;
    (void)step;
    return text_pg_wire_hits(result, &run->arena, &run->hits, &run->hit_count, err);
}

static void on_run(struct op *op)
{
    struct run *run = op_owner(op);
    struct err err = op->err;
    if (err.code != ERR_OK && run->search != NULL &&
        strcmp(run->task.sqlstate, undefined_table) == 0)
        err = (struct err){0}; /* nothing was ever added */
    finish(run, &err);
}

static void on_prepared(struct op *op)
{
    struct run *run = op_owner(op);
    struct loop *loop = run->store->text.loop;
    struct err err = op->err;
    uint64_t now_ms = loop_now_ms(loop);
    if (err.code == ERR_OK && run->task.count > 0 && now_ms >= run->deadline_ms)
        err_set(&err, ERR_TIMEOUT, "there was no time left to ask PostgreSQL");
    if (err.code != ERR_OK || run->is_cancelled || run->task.count == 0) {
        finish(run, &err);
        return;
    }
    run->task.writes = run->write != NULL;
    run->task.timeout_ms = run->deadline_ms - now_ms;
    run->task.message_bytes = MESSAGE_BYTES;
    run->task.on_rows = run->search != NULL ? take_hits : NULL;
    run->task.arg = run;
    pg_task_start(&run->task, loop, run->store->pool,
                  (struct op_waiter){.done = on_run, .owner = run});
}

static enum err_code prepare(struct work *work, struct err *err)
{
    struct run *run = work->arg;
    return run->search != NULL
               ? text_pg_wire_search(&run->task, &run->arena, run->search->query, err)
               : text_pg_wire_change(&run->task, &run->arena, run->write->change, err);
}

static struct run *begin_run(struct text_pg *store, struct op *op, uint64_t timeout_ms)
{
    struct run *run = store->closing ? NULL : mem_zalloc(1, sizeof *run);
    if (run == NULL) {
        op_finish(op, store->closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  store->closing ? "the store of words is being closed"
                                 : "no memory to ask the store of words");
        return NULL;
    }
    run->store = store;
    run->op = op;
    run->deadline_ms = loop_now_ms(store->text.loop) + timeout_ms;
    arena_init(&run->arena, run_bytes);
    list_push(&store->runs, &run->link);
    return run;
}

static void begin_work(struct run *run)
{
    work_start(&run->work, run->store->text.loop, prepare, run,
               (struct op_waiter){.done = on_prepared, .owner = run});
}

static void start_search(struct text *text, struct text_search *search, struct op_waiter waiter)
{
    uint64_t timeout_ms = search->query->timeout_ms;
    op_begin(&search->op, &search_kind, text->loop, waiter);
    struct run *run =
        begin_run(store_of(text), &search->op, timeout_ms == 0 ? DEFAULT_SEARCH_MS : timeout_ms);
    search->impl = run;
    if (run == NULL)
        return;
    run->search = search;
    begin_work(run);
}

static void start_write(struct text *text, struct text_write *write, struct op_waiter waiter)
{
    uint64_t timeout_ms = write->change->timeout_ms;
    op_begin(&write->op, &write_kind, text->loop, waiter);
    struct run *run =
        begin_run(store_of(text), &write->op, timeout_ms == 0 ? DEFAULT_WRITE_MS : timeout_ms);
    write->impl = run;
    if (run == NULL)
        return;
    run->write = write;
    begin_work(run);
}

static enum err_code tell_ready(struct text *text, struct err *err)
{
    if (conn_pool_ready(store_of(text)->pool, err) == ERR_OK)
        return ERR_OK;
    err->code = ERR_UNAVAILABLE;
    return ERR_UNAVAILABLE;
}

/* ---- closing ---- */

static void on_pool_closed(void *owner)
{
    struct text_pg *store = owner;
    void (*on_closed)(void *owner) = store->on_closed;
    void *closed_owner = store->closed_owner;
    pg_target_destroy(store->target);
    mem_free(store);
    if (on_closed != NULL)
        on_closed(closed_owner);
}

/* Again on every turn until the last run has ended. */
static void close_when_empty(struct loop_task *task)
{
    struct text_pg *store = container_of(task, struct text_pg, closed_task);
    if (list_is_empty(&store->runs))
        conn_pool_close(store->pool, on_pool_closed, store);
    else
        loop_post(store->text.loop, task, close_when_empty);
}

static void close_store(struct text *text, void (*on_closed)(void *owner), void *owner)
{
    struct text_pg *store = store_of(text);
    CHECK(!store->closing);
    store->closing = true;
    store->on_closed = on_closed;
    store->closed_owner = owner;
    LIST_EACH(link, &store->runs)
        stop(list_item(link, struct run, link));
    loop_post(text->loop, &store->closed_task, close_when_empty);
}

static const struct text_vtable vtable = {"postgresql", start_search, start_write, tell_ready,
                                          close_store};

struct text *text_pg_create(struct loop *loop, const char *url, struct err *err)
{
    struct text_pg *store = mem_zalloc(1, sizeof *store);
    if (store == NULL)
        goto no_memory;
    store->text = (struct text){.vtable = &vtable, .loop = loop};
    list_init(&store->runs);
    store->target = pg_target_create(url, err);
    if (store->target == NULL)
        goto fail;
    store->site =
        (struct pg_conn_site){.loop = loop, .target = store->target, .connect_ms = CONNECT_MS};
    store->pool =
        conn_pool_create(loop, &pg_conn_kind, &store->site,
                         &(struct conn_pool_options){.size = POOL_SIZE, .overflow = POOL_OVERFLOW});
    if (store->pool != NULL)
        return &store->text;
    pg_target_destroy(store->target);
no_memory:
    err_set(err, ERR_NO_MEMORY, "no memory for the store of words");
fail:
    mem_free(store);
    return NULL;
}
