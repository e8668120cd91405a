/* SPDX-License-Identifier: MIT */
/* backends/models/llm_steady.c - a model call that is tried again, elsewhere, or not at all.
 *
 * Happy path: a place at the gate, the breaker lets it through, the inner call's text is relayed,
 * its result handed on.
 * Failure paths, all in on_inner_done:
 *   a token was relayed, or the error is not one of weather   the error is the result
 *   attempts and deadline left                                 a delay (the provider's wish, else
 *                                                              full jitter), then again
 *   none left, or the breaker is open                          the fallback, once; else the error
 *   no place, cancel                                           the error of the wait
 * The deadline needs no timer: every wait and every inner call is bounded by what is left of it. */
#include "backends/models/llm_steady.h"

#include <inttypes.h>

#include "core/loop/ahead.h"
#include "core/loop/backoff.h"
#include "core/loop/breaker.h"
#include "core/base/mem.h"
#include "core/base/pool.h"
#include "core/loop/closing.h"

enum { KEPT_TRIES = 64, DEFAULT_TOTAL_MS = 120000 };

enum try_state { TRY_NEW, TRY_QUEUED, TRY_ASKING, TRY_WAITING, TRY_OVER };
static const bool try_moves[5][5] = {
    [TRY_NEW] = {[TRY_QUEUED] = true, [TRY_ASKING] = true, [TRY_OVER] = true},
    [TRY_QUEUED] = {[TRY_ASKING] = true, [TRY_OVER] = true},
    [TRY_ASKING] = {[TRY_ASKING] = true, [TRY_WAITING] = true, [TRY_OVER] = true},
    [TRY_WAITING] = {[TRY_ASKING] = true, [TRY_OVER] = true},
};

struct llm_steady {
    struct llm llm;
    struct llm *inner;
    struct llm_steady_options options;
    struct backoff backoff;
    struct pool *pool;
    struct list tries;
    struct gate gate;
    struct breaker breaker;
    struct closing closing; /* out: tries, inner, the fallback */
};

struct
try { /* one chat of ours */
    struct list link;
    struct llm_steady *steady;
    struct llm_chat *chat; /* the caller's */
    union {
        struct op op; /* of either */
        struct llm_chat inner;
        struct delay delay; /* before the next one */
    } step;
    struct llm_prompt prompt; /* the caller's, with the time that is left */
    struct gate_ticket ticket;
    enum try_state state;
    uint64_t deadline_ms;
    bool is_relayed, is_cancelled, is_held, is_fallback, is_probe;
};

/* ---- ending ---- */

static void set_state(struct try *try, enum try_state next)
{
    CHECK(try_moves[try->state][next]);
    try->state = next;
}

static void finish_try(struct try *try, const struct err *err)
{
    struct llm_steady *steady = try->steady;
    struct llm_chat *chat = try->chat;
    set_state(try, TRY_OVER);
    op_release(&try->step.op);
    op_release(&try->ticket.op); /* leaves the gate */
    list_remove(&try->link);
    pool_give(steady->pool, try);
    chat->impl = NULL;
    op_finish_err(&chat->op, err);
    closing_leave(&steady->closing);
}

static void finish_cancelled(struct try *try)
{
    struct err err;
    err_set(&err, ERR_CANCELLED, "the model call was cancelled");
    finish_try(try, &err);
}

static void take_result(struct try *try)
{
    struct llm_chat *chat = try->chat;
    const struct llm_chat *inner = &try->step.inner;
    chat->text = inner->text;
    chat->asked = inner->asked;
    chat->model = inner->model;
    chat->calls = inner->calls;
    chat->call_count = inner->call_count;
    chat->usage = inner->usage;
    chat->finish = inner->finish;
    chat->had_reasoning = inner->had_reasoning;
    chat->cost = inner->cost;
    chat->retry_after_ms = inner->retry_after_ms;
}

/* ---- asking ---- */

static void on_inner_done(struct op *op);

/* The chat's span, under which the inner llm is traced; a chat without one: its parent's; NULL: not
 * traced. */
static const struct trace_place *traced_place(const struct llm_chat *chat)
{
    return chat->place.trace != NULL ? &chat->place : chat->op.waiter.trace;
}

static void relay_text(struct llm_chat *inner, struct str text)
{
    struct try *try = container_of(inner, struct try, step.inner);
    AHEAD_NOTE(inner->op.loop, &try->is_relayed, &try->chat, &try->chat->on_text);
    if (!try->is_relayed && try->chat->llm->observe != NULL)
        try->chat->first_text_ns = loop_precise_ns();
    try->is_relayed = true;
    if (try->chat->on_text != NULL)
        try->chat->on_text(try->chat, text);
    inner->is_enough = try->chat->is_enough;
}

static uint64_t time_left(const struct try *try)
{
    uint64_t now_ms = loop_now_ms(try->steady->llm.loop);
    return try->deadline_ms > now_ms ? try->deadline_ms - now_ms : 0;
}

static void ask(struct try *try, struct llm *llm)
{
    set_state(try, TRY_ASKING);
    try->chat->attempts++;
    try->prompt = *try->chat->prompt;
    try->prompt.timeout_ms = size_max(1, time_left(try));
    op_release(&try->step.op);
    try->step.inner = (struct llm_chat){0};
    llm_chat_start(
        &try->step.inner, llm, &try->prompt, relay_text,
        (struct op_waiter){.done = on_inner_done, .owner = try, .trace = traced_place(try->chat)});
    if (try->is_held)
        op_hold(&try->step.op);
}

/* The fallback, if there is one and it was not asked yet; else the error is the result. */
static void ask_fallback_or_fail(struct try *try, const struct err *err)
{
    struct llm_steady *steady = try->steady;
    if (steady->options.fallback == NULL || try->is_fallback || try->is_relayed ||
        (time_left(try) == 0 && steady->options.fallback_ms == 0)) {
        finish_try(try, err);
        return;
    }
    try->is_fallback = true;
    if (time_left(try) < steady->options.fallback_ms)
        try->deadline_ms = loop_now_ms(steady->llm.loop) + steady->options.fallback_ms;
    if (steady->options.log != NULL)
        LOG(steady->options.log, WARN, "llm.fallback", "code=%s reason=\"%s\"", err_name(err->code),
            err->text);
    ask(try, steady->options.fallback);
}

static void begin_attempt(struct try *try)
{
    struct llm_steady *steady = try->steady;
    struct err err;
    if (breaker_admits(&steady->breaker, loop_now_ms(steady->llm.loop), &try->is_probe)) {
        ask(try, steady->inner);
        return;
    }
    err_set(&err, ERR_UNAVAILABLE,
            "the model server failed %u times in a row and is left alone for a while",
            steady->breaker.failures);
    ask_fallback_or_fail(try, &err);
}

static void on_delay_done(struct op *op)
{
    struct try *try = op_owner(op);
    if (try->is_cancelled)
        finish_cancelled(try);
    else
        begin_attempt(try);
}

static void on_inner_done(struct op *op)
{
    struct try *try = op_owner(op);
    struct llm_steady *steady = try->steady;
    struct err err = op->err;
    take_result(try);
    if (!try->is_fallback)
        breaker_tell(&steady->breaker, loop_now_ms(steady->llm.loop), err.code, try->is_probe);
    bool may_retry = (backoff_is_weather(err.code) || err.code == ERR_BUSY) && !try->is_relayed &&
                     !try->is_cancelled;
    if (!may_retry) {
        finish_try(try, &err);
        return;
    }
    uint64_t wait_ms =
        backoff_wait_ms(&steady->backoff, try->chat->attempts, try->chat->retry_after_ms);
    if (try->is_fallback || try->chat->attempts >= steady->backoff.max_attempts ||
        wait_ms >= time_left(try)) {
        ask_fallback_or_fail(try, &err);
        return;
    }
    if (steady->options.log != NULL)
        LOG(steady->options.log, WARN, "llm.retry",
            "attempt=%u wait_ms=%" PRIu64 " code=%s reason=\"%s\"", try->chat->attempts, wait_ms,
            err_name(err.code), err.text);
    set_state(try, TRY_WAITING);
    op_release(&try->step.op);
    try->step.delay = (struct delay){0};
    delay_start(&try->step.delay, steady->llm.loop, wait_ms,
                (struct op_waiter){.done = on_delay_done, .owner = try});
}

static void on_place(struct op *op)
{
    struct try *try = op_owner(op);
    if (try->is_cancelled)
        finish_cancelled(try);
    else if (op->err.code != ERR_OK)
        finish_try(try, &op->err);
    else
        begin_attempt(try);
}

/* ---- the interface ---- */

static struct llm_steady *steady_of(struct llm *llm)
{
    return container_of(llm, struct llm_steady, llm);
}

static struct try *try_of(struct op *op)
{
    return container_of(op, struct llm_chat, op)->impl;
}

/* Whichever wait it is in; the ones that are over ignore it. */
static void cancel_try(struct try *try)
{
    try->is_cancelled = true;
    op_cancel(&try->ticket.op);
    op_cancel(&try->step.op);
}

static void cancel_chat(struct op *op)
{
    if (try_of(op) != NULL)
        cancel_try(try_of(op));
}

static void hold_chat(struct op *op)
{
    if (try_of(op) == NULL)
        return;
    try_of(op)->is_held = true;
    op_hold(&try_of(op)->step.op);
}

static void let_chat_go(struct op *op)
{
    if (try_of(op) == NULL)
        return;
    try_of(op)->is_held = false;
    op_go(&try_of(op)->step.op);
}

static const struct op_kind chat_kind = {
    .name = "llm.chat", .cancel = cancel_chat, .hold = hold_chat, .go = let_chat_go};

static void start_chat(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct llm_steady *steady = steady_of(llm);
    op_begin(&chat->op, &chat_kind, llm->loop, waiter);
    bool is_closing = closing_is_begun(&steady->closing);
    struct try *try = is_closing ? NULL : pool_take(steady->pool);
    chat->impl = try;
    if (try == NULL) {
        op_finish(&chat->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the model is being closed" : "no memory for a model call");
        return;
    }
    uint64_t total_ms = chat->prompt->timeout_ms;
    try->steady = steady;
    try->chat = chat;
    try->deadline_ms =
        loop_now_ms(llm->loop) + (total_ms == 0 ? steady->options.total_ms : total_ms);
    list_push(&steady->tries, &try->link);
    closing_enter(&steady->closing);
    if (steady->options.max_in_flight == 0) {
        begin_attempt(try);
        return;
    }
    set_state(try, TRY_QUEUED);
    try->ticket.caller = chat->prompt->caller;
    gate_enter_start(&try->ticket, &steady->gate, time_left(try),
                     (struct op_waiter){.done = on_place, .owner = try});
}

static enum err_code tell_ready(struct llm *llm, struct err *err)
{
    struct llm_steady *steady = steady_of(llm);
    if (steady->breaker.state == BREAKER_OPEN && steady->options.fallback == NULL)
        return err_set(err, ERR_UNAVAILABLE, "the model server failed %u times in a row",
                       steady->breaker.failures);
    return llm_ready(steady->inner, err);
}

/* Nobody of ours is inside inner any more. */
static void close_inner(struct closing *closing)
{
    closing_enter(closing);
    llm_close(container_of(closing, struct llm_steady, closing)->inner, closing_leave_part,
              closing);
}

static void close_fallback(struct closing *closing)
{
    struct llm *fallback = container_of(closing, struct llm_steady, closing)->options.fallback;
    if (fallback == NULL)
        return;
    closing_enter(closing);
    llm_close(fallback, closing_leave_part, closing);
}

static void free_steady(struct closing *closing)
{
    struct llm_steady *steady = container_of(closing, struct llm_steady, closing);
    gate_fini(&steady->gate);
    pool_destroy(steady->pool);
    mem_free(steady);
}

static void close_steady(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    struct llm_steady *steady = steady_of(llm);
    closing_begin(&steady->closing, on_closed, owner);
    LIST_EACH(link, &steady->tries)
        cancel_try(list_item(link, struct try, link));
}

static const struct llm_vtable vtable = {
    .name = "steady", .chat_start = start_chat, .ready = tell_ready, .close = close_steady};

struct llm *llm_steady_create(struct loop *loop, struct llm *inner,
                              const struct llm_steady_options *options)
{
    static closing_fn *const steps[] = {close_inner, close_fallback, free_steady, NULL};
    struct llm_steady *steady = mem_zalloc(1, sizeof *steady);
    if (steady == NULL)
        return NULL;
    steady->pool = pool_create(sizeof(struct try), KEPT_TRIES);
    if (steady->pool == NULL) {
        mem_free(steady);
        return NULL;
    }
    struct llm_steady_options *set = &steady->options;
    *set = *options;
    steady->backoff = backoff_of(set->max_attempts, set->base_ms, set->cap_ms);
    steady->breaker =
        (struct breaker){set->breaker_failures, set->breaker_open_ms, "llm.breaker", set->log};
    set->total_ms = set->total_ms == 0 ? DEFAULT_TOTAL_MS : set->total_ms;
    steady->llm = (struct llm){.vtable = &vtable, .loop = loop};
    steady->inner = inner;
    list_init(&steady->tries);
    closing_init(&steady->closing, loop, steps);
    gate_init(&steady->gate, loop, "model", set->max_in_flight,
              set->max_queued == 0 ? SIZE_MAX : set->max_queued);
    gate_limit_company(&steady->gate, set->company_in_flight);
    return &steady->llm;
}
