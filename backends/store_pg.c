/* SPDX-License-Identifier: MIT */
/* backends/store_pg.c - core/store over pg_task: a call is one function in one transaction.
 *
 * Happy path: its turn comes, companies in turns; the ask goes out as a function's parameters, its
 * rows are copied into the call.
 * Failure paths:
 *   no such schema or function    the tables are made, once a call; then again
 *   no connection, lost, deadlock again after a short jittered pause, while the deadline lasts; the
 *                                 functions know by the token, or by what they find, what they did
 *   the deadline                  ERR_TIMEOUT, or ERR_UNAVAILABLE saying what was wrong
 *   another format                ERR_PROTOCOL; what else PostgreSQL refuses: ERR_UNAVAILABLE, in
 *                                 its words
 *   the store closes              all calls end with ERR_CANCELLED */
#include "backends/store_pg.h"

#include <string.h>

#include "backends/backoff.h"
#include "backends/store_caller.h"
#include "backends/store_pg_sql.h"
#include "backends/store_pg_wire.h"
#include "core/base/id.h"
#include "core/base/mem.h"
#include "core/delay.h"
#include "core/gate.h"

enum { MOST_WAITING = 4096 };
enum { DEFAULT_CONNECTIONS = 4, PAUSE_MS = 50, MOST_PAUSE_MS = 400 };

static const size_t ask_bytes = (size_t)256 << 20;
static const size_t message_bytes = (size_t)2 * STORE_ANSWER_BYTES + (1 << 20); /* bytes in hex */
static const char other_format[] = "AK001"; /* as tables.sql raises it */

struct store_pg {
    struct store store;
    struct pg_target *target;
    struct pg_conn_site site;
    struct conn_pool *pool;
    struct gate gate; /* a place for each connection */
    char *sql;        /* that makes the tables */
    uint64_t timeout_ms;
    struct backoff backoff;
    struct list asked; /* calls not yet ended */
    bool is_closing;
    void (*on_closed)(void *owner);
    void *owner;
    struct loop_task close_task;
};

struct asked { /* one call on its way: call->impl */
    struct list link;
    struct store_call *call;
    struct store_pg *pg;
    struct gate_ticket ticket;
    struct pg_task task;
    struct delay pause;
    struct arena arena; /* of the parameters */
    struct id token;
    uint64_t due_ms;
    unsigned attempts;
    enum err_code verdict; /* of the function; ERR_OK: none, or that */
    bool is_making, was_made, is_cancelled;
};

static struct store_pg *pg_of(struct store *store)
{
    return container_of(store, struct store_pg, store);
}

/* The one way a call ends that was begun. */
static void finish(struct asked *asked, const struct err *err)
{
    struct store_call *call = asked->call;
    op_release(&asked->task.op);
    op_release(&asked->ticket.op);
    arena_fini(&asked->arena);
    list_remove(&asked->link);
    call->impl = NULL;
    op_finish_err(&call->op, err);
    mem_free(asked);
}

static void finish_as(struct asked *asked, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    finish(asked, &err);
}

static void on_answered(struct op *op);

static enum err_code take_rows(struct pg_task *task, size_t step UNUSED,
                               const struct pg_result *result, struct err *err)
{
    struct asked *asked = task->arg;
    if (!asked->is_making)
        asked->verdict = store_pg_answer(asked->call, result, err);
    return asked->verdict;
}

static void send(struct asked *asked)
{
    struct loop *loop = asked->pg->store.loop;
    uint64_t now = loop_now_ms(loop);
    asked->attempts++;
    asked->verdict = ERR_OK;
    arena_fini(&asked->arena);
    arena_fini(&asked->call->arena); /* of an attempt before */
    store_call_begin(asked->call);
    if (asked->is_making) {
        asked->task.statements[0] = (struct pg_task_statement){.text = asked->pg->sql};
        asked->task.count = 1;
        asked->task.writes = true;
    } else if (!store_pg_ask(&asked->task, &asked->arena, asked->call, str_of(asked->token.text))) {
        finish_as(asked, ERR_NO_MEMORY, "no memory to ask the store");
        return;
    }
    asked->task.timeout_ms = asked->due_ms > now ? asked->due_ms - now : 1;
    asked->task.message_bytes = message_bytes;
    asked->task.on_rows = take_rows;
    asked->task.arg = asked;
    pg_task_start(&asked->task, loop, asked->pg->pool,
                  (struct op_waiter){.done = on_answered, .owner = asked});
}

static void on_let_in(struct op *op)
{
    struct asked *asked = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_BUSY)
        err.code = ERR_UNAVAILABLE;
    if (err.code == ERR_OK && !asked->is_cancelled)
        send(asked);
    else if (err.code == ERR_OK)
        finish_as(asked, ERR_CANCELLED, "the call of the store was cancelled");
    else
        finish(asked, &err);
}

static void on_paused(struct op *op)
{
    struct asked *asked = op_owner(op);
    if (asked->is_cancelled)
        finish_as(asked, ERR_CANCELLED, "the call of the store was cancelled");
    else
        send(asked);
}

static bool is_state(const struct asked *asked, const char *sqlstate)
{
    return strncmp(asked->task.sqlstate, sqlstate, strlen(sqlstate)) == 0;
}

/* What PostgreSQL refuses is not our caller's input. */
static void rename_refusal(const struct asked *asked, struct err *err)
{
    if (is_state(asked, other_format) || is_state(asked, "XX00")) /* or what is stored is broken */
        err->code = ERR_PROTOCOL;
    else if (err->code == ERR_REJECTED || err->code == ERR_DENIED || err->code == ERR_BUSY)
        err->code = ERR_UNAVAILABLE;
}

static bool lacks_tables(const struct asked *asked)
{
    static const char *const states[] = {"3F000", "42883", "42P01"}; /* schema, function, table */
    for (size_t i = 0; i < countof(states); i++)
        if (is_state(asked, states[i]))
            return !asked->was_made;
    return false;
}

/* A deadlock or a lost connection passes by itself. */
static bool may_repeat(const struct asked *asked, uint64_t pause_ms)
{
    uint64_t now = loop_now_ms(asked->pg->store.loop);
    return (asked->task.op.err.code == ERR_UNAVAILABLE || is_state(asked, "40")) &&
           now + pause_ms < asked->due_ms;
}

static void fail_or_repeat(struct asked *asked)
{
    struct store_pg *pg = asked->pg;
    struct err err = asked->task.op.err;
    uint64_t pause_ms = backoff_wait_ms(&pg->backoff, asked->attempts, UINT64_MAX) + 1;
    if (asked->is_cancelled || (!lacks_tables(asked) && !may_repeat(asked, pause_ms))) {
        rename_refusal(asked, &err);
        finish(asked, &err);
    } else if (lacks_tables(asked)) {
        asked->is_making = asked->was_made = true;
        send(asked);
    } else {
        delay_start(&asked->pause, pg->store.loop, pause_ms,
                    (struct op_waiter){.done = on_paused, .owner = asked});
    }
}

static void on_answered(struct op *op)
{
    struct asked *asked = op_owner(op);
    struct err err = op->err;
    bool is_verdict = asked->verdict != ERR_OK && err.code == asked->verdict;
    if (err.code == ERR_OK && asked->is_making) {
        asked->is_making = false;
        send(asked);
    } else if (is_verdict && err.code == ERR_NOT_FOUND && asked->call->verb == STORE_ERASE &&
               (asked->attempts > 1 || asked->task.is_retried)) {
        err = (struct err){.code = ERR_OK}; /* by an earlier attempt, perhaps: it is gone */
        finish(asked, &err);
    } else if (err.code == ERR_OK || is_verdict) {
        finish(asked, &err);
    } else {
        fail_or_repeat(asked);
    }
}

/* ---- the vtable ---- */

static void give_up(struct asked *asked)
{
    asked->is_cancelled = true;
    op_cancel(&asked->ticket.op);
    op_cancel(&asked->task.op);
    op_cancel(&asked->pause.op);
}

static void cancel_call(struct op *op)
{
    struct asked *asked = container_of(op, struct store_call, op)->impl;
    if (asked != NULL) /* else it is finishing since its start */
        give_up(asked);
}

static const struct op_kind call_kind = {
    .name = "store.postgres", .cancel = cancel_call, .release = store_call_release};

static void start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct store_pg *pg = pg_of(store);
    op_begin(&call->op, &call_kind, store->loop, waiter);
    store_call_begin(call);
    struct asked *asked = mem_zalloc(1, sizeof *asked);
    call->impl = asked;
    if (asked == NULL) {
        op_finish(&call->op, ERR_NO_MEMORY, "no memory to ask the store");
        return;
    }
    asked->call = call;
    asked->pg = pg;
    asked->token = id_random();
    asked->due_ms = loop_now_ms(store->loop) + pg->timeout_ms;
    arena_init(&asked->arena, ask_bytes);
    list_push(&pg->asked, &asked->link);
    if (pg->is_closing) {
        finish_as(asked, ERR_CANCELLED, "the store is being closed");
        return;
    }
    store_caller_tell(call, &asked->ticket);
    gate_enter_start(&asked->ticket, &pg->gate, pg->timeout_ms,
                     (struct op_waiter){.done = on_let_in, .owner = asked});
}

static enum err_code ready(struct store *store, struct err *err)
{
    return conn_pool_ready(pg_of(store)->pool, err);
}

static void free_store(struct store_pg *pg)
{
    gate_fini(&pg->gate);
    pg_target_destroy(pg->target);
    mem_free(pg->sql);
    mem_free(pg);
}

static void on_pool_closed(void *owner)
{
    struct store_pg *pg = owner;
    void (*on_closed)(void *) = pg->on_closed;
    void *closed_owner = pg->owner;
    free_store(pg);
    if (on_closed != NULL)
        on_closed(closed_owner);
}

/* Again on every turn until the last call has ended. */
static void close_when_empty(struct loop_task *task)
{
    struct store_pg *pg = container_of(task, struct store_pg, close_task);
    if (list_is_empty(&pg->asked))
        conn_pool_close(pg->pool, on_pool_closed, pg);
    else
        loop_post(pg->store.loop, task, close_when_empty);
}

static void close_store(struct store *store, void (*on_closed)(void *owner), void *owner)
{
    struct store_pg *pg = pg_of(store);
    pg->is_closing = true;
    pg->on_closed = on_closed;
    pg->owner = owner;
    LIST_EACH(link, &pg->asked)
        give_up(list_item(link, struct asked, link));
    loop_post(store->loop, &pg->close_task, close_when_empty);
}

/* With a terminator, as libpq wants it. NULL: no memory. */
static char *copy_sql(void)
{
    char *sql = mem_alloc(store_pg_sql.len + 1);
    if (sql != NULL) {
        memcpy(sql, store_pg_sql.at, store_pg_sql.len);
        sql[store_pg_sql.len] = '\0';
    }
    return sql;
}

struct store *store_pg_create(struct loop *loop, const struct store_pg_options *options,
                              struct err *err)
{
    static const struct store_vtable vtable = {"postgres", start, ready, close_store};
    struct store_pg *pg = mem_zalloc(1, sizeof *pg);
    if (pg == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a store");
        return NULL;
    }
    pg->store = (struct store){&vtable, loop};
    pg->timeout_ms = options->timeout_ms == 0 ? STORE_TIMEOUT_MS : options->timeout_ms;
    pg->backoff = backoff_of(1, PAUSE_MS, MOST_PAUSE_MS);
    list_init(&pg->asked);
    pg->target = pg_target_create(options->url, err);
    if (pg->target == NULL)
        goto fail;
    pg->site =
        (struct pg_conn_site){.loop = loop, .target = pg->target, .connect_ms = pg->timeout_ms};
    size_t size = options->connections == 0 ? DEFAULT_CONNECTIONS : options->connections;
    gate_init(&pg->gate, loop, "connections of the store", size, MOST_WAITING);
    pg->sql = copy_sql();
    if (pg->sql != NULL)
        pg->pool = conn_pool_create(
            loop, &pg_conn_kind, &pg->site,
            &(struct conn_pool_options){.size = size, .queue_limit = MOST_WAITING});
    if (pg->pool != NULL)
        return &pg->store;
    err_set(err, ERR_NO_MEMORY, "no memory for a store");
fail:
    free_store(pg);
    return NULL;
}
