/* SPDX-License-Identifier: MIT */
/* backends/models/llm_router.c - a call that is handed to one model after another.
 *
 * Happy path: the task's route, its first model; text is relayed, the result handed on.
 * Failure paths, all in on_inner_done: a failure that another model may not have asks the next of
 * the route; any other, and the last one's, is the result. */
#include "backends/models/llm_router.h"

#include "core/base/mem.h"
#include "core/base/pool.h"
#include "core/loop/ahead.h"
#include "core/loop/closing.h"

enum { KEPT_CALLS = 64, DEFAULT_TOTAL_MS = 120000 };

struct llm_router {
    struct llm llm;
    struct llm_router_options options;
    struct pool *pool;
    struct list calls;
    struct closing closing; /* out: calls, then models */
};

struct routed { /* one chat of ours */
    struct list link;
    struct llm_router *router;
    struct llm_chat *chat; /* the caller's */
    struct llm_chat inner;
    struct llm_prompt prompt; /* the caller's, with the time that is left */
    const struct llm_route *route;
    size_t next; /* of the route */
    uint64_t deadline_ms;
    bool is_relayed, is_cancelled, is_held;
};

/* ---- the route ---- */

static const struct llm_route *route_of(const struct llm_router *router, const char *task)
{
    const struct llm_router_options *options = &router->options;
    const struct llm_route *other = NULL;
    for (size_t i = 0; i < options->route_count; i++) {
        const struct llm_route *route = &options->routes[i];
        if (route->task == NULL)
            other = route;
        else if (task != NULL && str_equal(str_of(route->task), str_of(task)))
            return route;
    }
    CHECK(other != NULL);
    return other;
}

/* Whether another model may do better. */
static bool may_pass_on(const struct routed *routed, enum err_code code)
{
    if (routed->is_relayed || routed->is_cancelled || routed->next == routed->route->count ||
        loop_now_ms(routed->router->llm.loop) >= routed->deadline_ms)
        return false;
    switch (code) {
    case ERR_OK:
    case ERR_CANCELLED:
    case ERR_NO_MEMORY:
    case ERR_TOO_LARGE:
        return false;
    default:
        return routed->inner.finish != LLM_FINISH_FILTER;
    }
}

/* ---- asking ---- */

static void on_inner_done(struct op *op);

static void relay_text(struct llm_chat *inner, struct str text)
{
    struct routed *routed = container_of(inner, struct routed, inner);
    AHEAD_NOTE(inner->op.loop, &routed->is_relayed, &routed->chat, &routed->chat->on_text);
    if (!routed->is_relayed && routed->chat->llm->observe != NULL)
        routed->chat->first_text_ns = loop_precise_ns();
    routed->is_relayed = true;
    if (routed->chat->on_text != NULL)
        routed->chat->on_text(routed->chat, text);
    inner->is_enough = routed->chat->is_enough;
}

static void ask_next(struct routed *routed)
{
    struct llm_router *router = routed->router;
    const struct llm_chat *chat = routed->chat;
    struct llm *model = router->options.models[routed->route->models[routed->next++]];
    uint64_t now_ms = loop_now_ms(router->llm.loop);
    routed->prompt = *chat->prompt;
    routed->prompt.timeout_ms =
        routed->deadline_ms > now_ms ? routed->deadline_ms - now_ms : 1; /* 0 is none */
    op_release(&routed->inner.op);
    llm_chat_start(&routed->inner, model, &routed->prompt, relay_text,
                   (struct op_waiter){.done = on_inner_done,
                                      .owner = routed,
                                      .trace = chat->place.trace != NULL ? &chat->place
                                                                         : chat->op.waiter.trace});
    if (routed->is_held)
        op_hold(&routed->inner.op);
}

static void take_result(struct routed *routed)
{
    struct llm_chat *chat = routed->chat;
    const struct llm_chat *inner = &routed->inner;
    chat->text = inner->text;
    chat->asked = inner->asked;
    chat->model = inner->model;
    chat->calls = inner->calls;
    chat->call_count = inner->call_count;
    chat->usage = inner->usage;
    chat->finish = inner->finish;
    chat->had_reasoning = inner->had_reasoning;
    chat->cost = inner->cost;
    chat->attempts += inner->attempts;
    chat->retry_after_ms = inner->retry_after_ms;
}

static void finish_routed(struct routed *routed, const struct err *err)
{
    struct llm_router *router = routed->router;
    struct llm_chat *chat = routed->chat;
    op_release(&routed->inner.op);
    list_remove(&routed->link);
    pool_give(router->pool, routed);
    chat->impl = NULL;
    op_finish_err(&chat->op, err);
    closing_leave(&router->closing);
}

static void on_inner_done(struct op *op)
{
    struct routed *routed = op_owner(op);
    struct err err = op->err;
    take_result(routed);
    if (!may_pass_on(routed, err.code)) {
        finish_routed(routed, &err);
        return;
    }
    if (routed->router->options.log != NULL)
        LOG(routed->router->options.log, WARN, "llm.fallback", "model=%.*s code=%s reason=\"%s\"",
            STR_ARG(routed->chat->asked), err_name(err.code), err.text);
    ask_next(routed);
}

/* ---- the interface ---- */

static struct llm_router *router_of(struct llm *llm)
{
    return container_of(llm, struct llm_router, llm);
}

static struct routed *routed_of(struct op *op)
{
    return container_of(op, struct llm_chat, op)->impl;
}

static void cancel_routed(struct routed *routed)
{
    routed->is_cancelled = true;
    op_cancel(&routed->inner.op);
}

static void cancel_chat(struct op *op)
{
    if (routed_of(op) != NULL)
        cancel_routed(routed_of(op));
}

static void hold_chat(struct op *op)
{
    if (routed_of(op) == NULL)
        return;
    routed_of(op)->is_held = true;
    op_hold(&routed_of(op)->inner.op);
}

static void let_chat_go(struct op *op)
{
    if (routed_of(op) == NULL)
        return;
    routed_of(op)->is_held = false;
    op_go(&routed_of(op)->inner.op);
}

static const struct op_kind chat_kind = {
    .name = "llm.chat", .cancel = cancel_chat, .hold = hold_chat, .go = let_chat_go};

static void start_chat(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct llm_router *router = router_of(llm);
    op_begin(&chat->op, &chat_kind, llm->loop, waiter);
    bool is_closing = closing_is_begun(&router->closing);
    struct routed *routed = is_closing ? NULL : pool_take(router->pool);
    chat->impl = routed;
    if (routed == NULL) {
        op_finish(&chat->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the model is being closed" : "no memory for a model call");
        return;
    }
    uint64_t total_ms = chat->prompt->timeout_ms;
    routed->router = router;
    routed->chat = chat;
    routed->route = route_of(router, chat->prompt->task);
    routed->deadline_ms =
        loop_now_ms(llm->loop) + (total_ms == 0 ? router->options.total_ms : total_ms);
    list_push(&router->calls, &routed->link);
    closing_enter(&router->closing);
    ask_next(routed);
}

/* One of the models that most prompts may be answered by is ready. */
static enum err_code tell_ready(struct llm *llm, struct err *err)
{
    struct llm_router *router = router_of(llm);
    const struct llm_route *route = route_of(router, NULL);
    struct err first = {0};
    for (size_t i = 0; i < route->count; i++) {
        enum err_code code = llm_ready(router->options.models[route->models[i]], err);
        if (code == ERR_OK)
            return ERR_OK;
        if (i == 0 && err != NULL)
            first = *err;
    }
    if (err != NULL)
        *err = first;
    return first.code == ERR_OK ? ERR_UNAVAILABLE : first.code;
}

/* Nobody of ours is inside a model any more. */
static void close_models(struct closing *closing)
{
    const struct llm_router_options *options =
        &container_of(closing, struct llm_router, closing)->options;
    for (size_t i = 0; i < options->model_count; i++)
        closing_enter(closing);
    for (size_t i = 0; i < options->model_count; i++)
        llm_close(options->models[i], closing_leave_part, closing);
}

static void free_router(struct closing *closing)
{
    struct llm_router *router = container_of(closing, struct llm_router, closing);
    pool_destroy(router->pool);
    mem_free(router);
}

static void close_router(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    struct llm_router *router = router_of(llm);
    closing_begin(&router->closing, on_closed, owner);
    LIST_EACH(link, &router->calls)
        cancel_routed(list_item(link, struct routed, link));
}

static const struct llm_vtable vtable = {
    .name = "router", .chat_start = start_chat, .ready = tell_ready, .close = close_router};

struct llm *llm_router_create(struct loop *loop, const struct llm_router_options *options)
{
    static closing_fn *const steps[] = {close_models, free_router, NULL};
    struct llm_router *router = mem_zalloc(1, sizeof *router);
    struct pool *pool = router == NULL ? NULL : pool_create(sizeof(struct routed), KEPT_CALLS);
    if (pool == NULL) {
        mem_free(router);
        return NULL;
    }
    router->pool = pool;
    router->options = *options;
    if (options->total_ms == 0)
        router->options.total_ms = DEFAULT_TOTAL_MS;
    router->llm = (struct llm){.vtable = &vtable, .loop = loop};
    list_init(&router->calls);
    closing_init(&router->closing, loop, steps);
    (void)route_of(router, NULL); /* there is one */
    return &router->llm;
}
