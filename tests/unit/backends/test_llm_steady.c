/* SPDX-License-Identifier: MIT */
/* backends/llm_steady over a scripted llm, under a fake clock: when it tries again, how long it
 * waits, when it does not, the breaker, the fallback, the gate, cancel at every turn. */
#include "backends/models/llm_steady.h"

#include "tests/unit/backends/rig.h"

/* An llm that ends its n-th call as the script says, a set time after it began. */
struct scripted_end {
    enum err_code code;
    uint64_t retry_after_ms; /* 0: none */
    const char *text;        /* relayed before the end */
};

struct scripted {
    struct llm llm;
    const struct scripted_end *ends;
    size_t end_count;
    uint64_t takes_ms;
    unsigned calls, in_flight, most_in_flight, held, gone, cancelled;
    uint64_t began_ms[16], timeout_ms[16];
    bool is_closed;
    void (*on_closed)(void *owner);
    void *closed_owner;
    struct loop_task closed_task;
};

struct scripted_call { /* in chat->impl */
    struct scripted *scripted;
    struct llm_chat *chat;
    const struct scripted_end *end;
    struct timer timer;
};

static void end_call(struct scripted_call *call, enum err_code code)
{
    struct llm_chat *chat = call->chat;
    timer_stop(&call->timer);
    call->scripted->in_flight--;
    chat->impl = NULL;
    mem_free(call);
    op_finish(&chat->op, code, "%s", "scripted");
}

static void on_call_over(struct timer *timer)
{
    struct scripted_call *call = container_of(timer, struct scripted_call, timer);
    const struct scripted_end *end = call->end;
    if (end->text != NULL) {
        call->chat->text = str_of(end->text);
        call->chat->on_text(call->chat, call->chat->text);
    }
    if (end->retry_after_ms != 0)
        call->chat->retry_after_ms = end->retry_after_ms;
    end_call(call, end->code);
}

static void cancel_call(struct op *op)
{
    struct scripted_call *call = container_of(op, struct llm_chat, op)->impl;
    call->scripted->cancelled++;
    end_call(call, ERR_CANCELLED);
}

static void hold_call(struct op *op)
{
    ((struct scripted_call *)container_of(op, struct llm_chat, op)->impl)->scripted->held++;
}

static void let_call_go(struct op *op)
{
    ((struct scripted_call *)container_of(op, struct llm_chat, op)->impl)->scripted->gone++;
}

static const struct op_kind call_kind = {
    .name = "llm.chat", .cancel = cancel_call, .hold = hold_call, .go = let_call_go};

static void start_call(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct scripted *scripted = container_of(llm, struct scripted, llm);
    struct scripted_call *call = mem_zalloc(1, sizeof *call);
    assert_non_null(call);
    op_begin(&chat->op, &call_kind, llm->loop, waiter);
    size_t n = size_min(scripted->calls, scripted->end_count - 1);
    if (scripted->calls < countof(scripted->began_ms)) {
        scripted->began_ms[scripted->calls] = loop_now_ms(llm->loop);
        scripted->timeout_ms[scripted->calls] = chat->prompt->timeout_ms;
    }
    scripted->calls++;
    if (++scripted->in_flight > scripted->most_in_flight)
        scripted->most_in_flight = scripted->in_flight;
    *call = (struct scripted_call){.scripted = scripted, .chat = chat, .end = &scripted->ends[n]};
    chat->impl = call;
    chat->model = STR("scripted");
    timer_start(&call->timer, llm->loop, scripted->takes_ms, on_call_over);
}

static enum err_code tell_ready(struct llm *llm, struct err *err)
{
    (void)llm;
    (void)err;
    return ERR_OK;
}

static void report_closed(struct loop_task *task)
{
    struct scripted *scripted = container_of(task, struct scripted, closed_task);
    scripted->on_closed(scripted->closed_owner);
}

static void close_scripted(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    struct scripted *scripted = container_of(llm, struct scripted, llm);
    EXPECT_INT("closed with calls in flight", scripted->in_flight, 0);
    scripted->is_closed = true;
    scripted->on_closed = on_closed;
    scripted->closed_owner = owner;
    loop_post(llm->loop, &scripted->closed_task, report_closed);
}

static const struct llm_vtable scripted_vtable = {
    .name = "scripted", .chat_start = start_call, .ready = tell_ready, .close = close_scripted};

static void scripted_init(struct scripted *scripted, struct loop *loop,
                          const struct scripted_end *ends, size_t end_count)
{
    *scripted = (struct scripted){.llm = {.vtable = &scripted_vtable, .loop = loop},
                                  .ends = ends,
                                  .end_count = end_count,
                                  .takes_ms = 10};
}

/* ---- the rig ---- */

struct steady_rig {
    struct rig rig;
    struct scripted inner, fallback;
    struct llm *llm;
    struct llm_prompt prompt;
    struct llm_chat chat;
    unsigned pieces;
};

static void hear(struct llm_chat *chat, struct str text)
{
    struct steady_rig *f = container_of(chat, struct steady_rig, chat);
    (void)text;
    f->pieces++;
}

static void steady_rig_begin(struct steady_rig *f, const struct scripted_end *ends, size_t count,
                             struct llm_steady_options options, bool has_fallback)
{
    static const struct scripted_end well[] = {{.code = ERR_OK, .text = "from the fallback"}};
    *f = (struct steady_rig){0};
    rig_begin(&f->rig);
    loop_fake_clock(f->rig.loop, 0);
    scripted_init(&f->inner, f->rig.loop, ends, count);
    scripted_init(&f->fallback, f->rig.loop, well, 1);
    options.fallback = has_fallback ? &f->fallback.llm : NULL;
    f->llm = llm_steady_create(f->rig.loop, &f->inner.llm, &options);
    assert_non_null(f->llm);
    f->prompt = (struct llm_prompt){.task = "test", .timeout_ms = 10000};
}

static void steady_rig_end(struct steady_rig *f)
{
    op_release(&f->chat.op);
    llm_close(f->llm, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    EXPECT_TRUE("inner closed", f->inner.is_closed);
}

static void settle(struct steady_rig *f)
{
    assert_true(loop_run_dry(f->rig.loop, 2000));
}

static enum err_code chat(struct steady_rig *f)
{
    op_release(&f->chat.op);
    llm_chat_start(&f->chat, f->llm, &f->prompt, hear, rig_waiter(&f->rig));
    settle(f);
    return f->chat.op.err.code;
}

/* ---- tests ---- */

static const struct {
    const char *name;
    struct scripted_end ends[4];
    enum err_code want;
    unsigned calls, pieces;
} scripts[] = {
    {"at once", {{.code = ERR_OK, .text = "a"}}, ERR_OK, 1, 1},
    {"second time", {{.code = ERR_UNAVAILABLE}, {.code = ERR_OK, .text = "a"}}, ERR_OK, 2, 1},
    {"third time",
     {{.code = ERR_BUSY}, {.code = ERR_TIMEOUT}, {.code = ERR_OK, .text = "a"}},
     ERR_OK,
     3,
     1},
    {"three are enough",
     {{.code = ERR_BUSY}, {.code = ERR_BUSY}, {.code = ERR_BUSY}},
     ERR_BUSY,
     3,
     0},
    {"not when rejected", {{.code = ERR_REJECTED}}, ERR_REJECTED, 1, 0},
    {"not when denied", {{.code = ERR_DENIED}}, ERR_DENIED, 1, 0},
    {"not when not configured", {{.code = ERR_NOT_CONFIGURED}}, ERR_NOT_CONFIGURED, 1, 0},
    {"not after a token", {{.code = ERR_UNAVAILABLE, .text = "a"}}, ERR_UNAVAILABLE, 1, 1},
};

TEST(when_it_tries_again)
{
    TEST_EACH(c, scripts) {
        struct steady_rig f;
        steady_rig_begin(&f, c->ends, 4, (struct llm_steady_options){.base_ms = 100, .cap_ms = 150},
                         false);
        EXPECT_INT(c->name, chat(&f), c->want);
        EXPECT_INT(c->name, f.rig.done_calls, 1);
        EXPECT_INT(c->name, f.inner.calls, c->calls);
        EXPECT_INT(c->name, f.chat.attempts, c->calls);
        EXPECT_INT(c->name, f.pieces, c->pieces);
        for (unsigned i = 1; i < c->calls; i++)
            EXPECT_TRUE(c->name, f.inner.began_ms[i] - f.inner.began_ms[i - 1] <= 10 + 150);
        steady_rig_end(&f);
    }
}

TEST(the_providers_wish_and_the_deadline)
{
    static const struct scripted_end ends[] = {{.code = ERR_BUSY, .retry_after_ms = 3000},
                                               {.code = ERR_OK}};
    struct steady_rig f;
    steady_rig_begin(&f, ends, 2, (struct llm_steady_options){.base_ms = 1, .cap_ms = 1}, false);
    EXPECT_INT("waited", chat(&f), ERR_OK);
    EXPECT_INT("as long as asked", f.inner.began_ms[1] - f.inner.began_ms[0], 3010);
    EXPECT_INT("all of it", f.inner.timeout_ms[0], 10000);
    EXPECT_INT("what was left", f.inner.timeout_ms[1], 10000 - 3010);
    steady_rig_end(&f);

    steady_rig_begin(&f, ends, 2, (struct llm_steady_options){.base_ms = 1, .cap_ms = 1}, false);
    f.prompt.timeout_ms = 2000;
    EXPECT_INT("no wait past the deadline", chat(&f), ERR_BUSY);
    EXPECT_INT("one call", f.inner.calls, 1);
    steady_rig_end(&f);
}

TEST(breaker_opens_probes_and_closes)
{
    static const struct scripted_end ends[] = {{.code = ERR_UNAVAILABLE},
                                               {.code = ERR_UNAVAILABLE},
                                               {.code = ERR_UNAVAILABLE},
                                               {.code = ERR_OK}};
    struct steady_rig f;
    struct err err;
    steady_rig_begin(&f, ends, 4,
                     (struct llm_steady_options){
                         .max_attempts = 1, .breaker_failures = 2, .breaker_open_ms = 1000},
                     false);
    EXPECT_INT("first", chat(&f), ERR_UNAVAILABLE);
    EXPECT_INT("ready", llm_ready(f.llm, &err), ERR_OK);
    EXPECT_INT("second", chat(&f), ERR_UNAVAILABLE);
    EXPECT_INT("open", llm_ready(f.llm, &err), ERR_UNAVAILABLE);
    EXPECT_INT("left alone", chat(&f), ERR_UNAVAILABLE);
    EXPECT_INT("not asked", f.inner.calls, 2);
    loop_advance(f.rig.loop, 1000);
    EXPECT_INT("probe fails", chat(&f), ERR_UNAVAILABLE);
    EXPECT_INT("asked", f.inner.calls, 3);
    EXPECT_INT("open again", chat(&f), ERR_UNAVAILABLE);
    EXPECT_INT("not asked again", f.inner.calls, 3);
    loop_advance(f.rig.loop, 1000);
    EXPECT_INT("probe is well", chat(&f), ERR_OK);
    EXPECT_INT("closed", llm_ready(f.llm, &err), ERR_OK);
    EXPECT_INT("goes on", chat(&f), ERR_OK);
    steady_rig_end(&f);
}

TEST(cancelled_probe_leaves_the_breaker_open)
{
    static const struct scripted_end ends[] = {{.code = ERR_UNAVAILABLE}, {.code = ERR_OK}};
    struct steady_rig f;
    steady_rig_begin(&f, ends, 2,
                     (struct llm_steady_options){
                         .max_attempts = 1, .breaker_failures = 1, .breaker_open_ms = 1000},
                     false);
    EXPECT_INT("opens", chat(&f), ERR_UNAVAILABLE);
    loop_advance(f.rig.loop, 1000);
    op_release(&f.chat.op);
    llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
    op_cancel(&f.chat.op);
    settle(&f);
    EXPECT_INT("cancelled", f.chat.op.err.code, ERR_CANCELLED);
    EXPECT_INT("the next one probes", chat(&f), ERR_OK);
    steady_rig_end(&f);
}

TEST(fallback_answers)
{
    static const struct scripted_end down[] = {{.code = ERR_UNAVAILABLE}};
    static const struct scripted_end cut[] = {{.code = ERR_UNAVAILABLE, .text = "half"}};
    static const struct scripted_end refused[] = {{.code = ERR_REJECTED}};
    struct steady_rig f;
    const struct llm_steady_options options = {.max_attempts = 2,
                                               .base_ms = 1,
                                               .cap_ms = 1,
                                               .breaker_failures = 2,
                                               .breaker_open_ms = 5000};
    steady_rig_begin(&f, down, 1, options, true);
    EXPECT_INT("after the last attempt", chat(&f), ERR_OK);
    EXPECT_STR("its text", f.chat.text, STR("from the fallback"));
    EXPECT_INT("tries", f.chat.attempts, 3);
    EXPECT_INT("breaker is open now", chat(&f), ERR_OK);
    EXPECT_INT("inner was not asked", f.inner.calls, 2);
    EXPECT_INT("fallback was", f.fallback.calls, 2);
    steady_rig_end(&f);
    EXPECT_TRUE("fallback closed", f.fallback.is_closed);
    steady_rig_begin(&f, cut, 1, options, true);
    EXPECT_INT("not after a token", chat(&f), ERR_UNAVAILABLE);
    EXPECT_STR("what had come", f.chat.text, STR("half"));
    steady_rig_end(&f);
    steady_rig_begin(&f, refused, 1, options, true);
    EXPECT_INT("not for a bad question", chat(&f), ERR_REJECTED);
    EXPECT_INT("fallback not asked", f.fallback.calls, 0);
    steady_rig_end(&f);
}

/* The call's time is up with its only attempt; the fallback may have some of its own. */
TEST(fallback_answers_after_the_deadline)
{
    static const struct scripted_end late[] = {{.code = ERR_TIMEOUT}};
    struct llm_steady_options options = {.max_attempts = 1};
    struct steady_rig f;
    for (unsigned more = 0; more < 2; more++) {
        options.fallback_ms = more * 50;
        steady_rig_begin(&f, late, 1, options, true);
        f.inner.takes_ms = 100;
        f.prompt.timeout_ms = 100;
        EXPECT_INT("ends", chat(&f), more > 0 ? ERR_OK : ERR_TIMEOUT);
        EXPECT_INT("fallback", f.fallback.calls, more);
        EXPECT_INT("its time", f.fallback.timeout_ms[0], more * 50);
        steady_rig_end(&f);
    }
}

TEST(gate_bounds_what_is_in_flight)
{
    static const struct scripted_end well[] = {{.code = ERR_OK}};
    struct steady_rig f;
    struct llm_chat chats[5] = {0};
    unsigned busy = 0;
    steady_rig_begin(&f, well, 1, (struct llm_steady_options){.max_in_flight = 2, .max_queued = 2},
                     false);
    for (size_t i = 0; i < countof(chats); i++)
        llm_chat_start(&chats[i], f.llm, &f.prompt, NULL, rig_waiter(&f.rig));
    settle(&f);
    EXPECT_INT("all done", f.rig.done_calls, 5);
    EXPECT_INT("never more than two", f.inner.most_in_flight, 2);
    EXPECT_INT("asked", f.inner.calls, 4);
    for (size_t i = 0; i < countof(chats); i++) {
        busy += chats[i].op.err.code == ERR_BUSY;
        op_release(&chats[i].op);
    }
    EXPECT_INT("one too many", busy, 1);
    steady_rig_end(&f);
}

TEST(cancelled_and_closed_at_every_turn)
{
    static const struct scripted_end ends[] = {
        {.code = ERR_BUSY}, {.code = ERR_BUSY}, {.code = ERR_OK}};
    const struct llm_steady_options options = {.base_ms = 50, .cap_ms = 50, .max_in_flight = 1};
    bool ended = false;
    for (unsigned turn = 0; !ended; turn++) {
        for (unsigned closes = 0; closes <= 1; closes++) {
            struct steady_rig f;
            steady_rig_begin(&f, ends, 3, options, false);
            llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
            for (unsigned i = 0; i < turn; i++) {
                loop_turn(f.rig.loop, 1);
                loop_advance(f.rig.loop, 10);
            }
            ended = f.rig.done_calls == 1;
            if (!closes) {
                op_cancel(&f.chat.op);
                op_cancel(&f.chat.op);
                settle(&f);
            }
            llm_close(f.llm, rig_on_closed, &f.rig);
            rig_end(&f.rig);
            EXPECT_INT("done calls", f.rig.done_calls, 1);
            EXPECT_TRUE("code", f.chat.op.err.code == ERR_OK ||
                                    (!ended && f.chat.op.err.code == ERR_CANCELLED));
            assert_true(turn < 1000);
            EXPECT_INT("nothing left", f.inner.in_flight, 0);
        }
    }
}

TEST(hold_and_go_reach_the_inner_call)
{
    static const struct scripted_end ends[] = {{.code = ERR_BUSY, .retry_after_ms = 100},
                                               {.code = ERR_OK}};
    struct steady_rig f;
    steady_rig_begin(&f, ends, 2, (struct llm_steady_options){.base_ms = 1}, false);
    llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
    op_hold(&f.chat.op);
    EXPECT_INT("held", f.inner.held, 1);
    loop_advance(f.rig.loop, 10);
    loop_turn(f.rig.loop, 6);
    loop_advance(f.rig.loop, 100);
    loop_turn(f.rig.loop, 6);
    EXPECT_INT("the next attempt is held, too", f.inner.held, 2);
    op_go(&f.chat.op);
    EXPECT_INT("gone", f.inner.gone, 1);
    settle(&f);
    EXPECT_INT("done", f.chat.op.err.code, ERR_OK);
    steady_rig_end(&f);
}

TEST(copes_without_memory)
{
    static const struct scripted_end well[] = {{.code = ERR_OK}};
    struct rig rig;
    struct scripted inner;
    rig_begin(&rig);
    scripted_init(&inner, rig.loop, well, 1);
    for (uint64_t n = 1; n < 4; n++) {
        mem_fail_nth(n);
        struct llm *llm = llm_steady_create(rig.loop, &inner.llm, &(struct llm_steady_options){0});
        mem_fail_nth(0);
        if (llm == NULL)
            continue;
        EXPECT_INT("two allocations", n, 3);
        struct llm_chat first = {0};
        const struct llm_prompt prompt = {.task = "test"};
        mem_fail_nth(1);
        llm_chat_start(&first, llm, &prompt, NULL, rig_waiter(&rig));
        mem_fail_nth(0);
        rig_wait("chat", &rig, 1);
        EXPECT_INT("no memory", first.op.err.code, ERR_NO_MEMORY);
        op_release(&first.op);
        llm_close(llm, rig_on_closed, &rig);
    }
    rig_end(&rig);
}

RUN_TESTS(T(when_it_tries_again), T(the_providers_wish_and_the_deadline),
          T(breaker_opens_probes_and_closes), T(cancelled_probe_leaves_the_breaker_open),
          T(fallback_answers), T(fallback_answers_after_the_deadline),
          T(gate_bounds_what_is_in_flight), T(cancelled_and_closed_at_every_turn),
          T(hold_and_go_reach_the_inner_call), T(copes_without_memory))
