/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_llm.c - one task in the loop's queue per call; a piece of the reply each turn. */
#include "tests/lib/fake_llm.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"

enum { PIECE_BYTES = 5 };

struct call {
    struct loop_task task;
    struct llm_chat *chat;
    struct fake_llm *fake;
    struct str left, whole;
    const struct fake_reply *reply; /* NULL: none was scripted */
    enum err_code failure;
    bool held;
};

static void finish(struct call *call, enum err_code code)
{
    struct llm_chat *chat = call->chat;
    struct str sent = str_slice(call->whole, 0, call->whole.len - call->left.len);
    loop_unpost(&call->task);
    chat->impl = NULL;
    chat->text = arena_str(chat->prompt->arena, sent);
    chat->model = STR("fake");
    chat->attempts = 1;
    chat->usage = (struct llm_usage){10, 5, false};
    bool may_call = chat->prompt->tool_count > 0 && chat->prompt->tool_choice != LLM_TOOLS_NONE;
    if (code == ERR_OK && call->reply != NULL && may_call) {
        chat->calls = call->reply->calls;
        chat->call_count = call->reply->call_count;
    }
    mem_free(call);
    if (code == ERR_OK)
        op_finish(&chat->op, ERR_OK, "%s", "");
    else
        op_finish(&chat->op, code, "the fake model says %s", err_name(code));
}

static void step(struct loop_task *task)
{
    struct call *call = container_of(task, struct call, task);
    if (call->held)
        return;
    if (call->left.len == 0) {
        if (!call->fake->stall)
            finish(call, call->failure);
        return;
    }
    struct llm_chat *chat = call->chat;
    struct str piece = str_utf8_prefix(call->left, PIECE_BYTES);
    call->left = str_from(call->left, piece.len);
    loop_post(call->fake->llm.loop, &call->task, step);
    if (chat->on_text != NULL)
        chat->on_text(chat, piece); /* which may cancel the call */
}

static void on_cancel(struct op *op)
{
    struct llm_chat *chat = container_of(op, struct llm_chat, op);
    finish(chat->impl, ERR_CANCELLED);
}

static void on_hold(struct op *op)
{
    struct call *call = container_of(op, struct llm_chat, op)->impl;
    call->held = true;
}

static void on_go(struct op *op)
{
    struct call *call = container_of(op, struct llm_chat, op)->impl;
    call->held = false;
    loop_post(call->fake->llm.loop, &call->task, step);
}

static const struct op_kind kind = {
    .name = "llm.fake", .cancel = on_cancel, .hold = on_hold, .go = on_go};

static const struct fake_reply *pick(struct fake_llm *fake, const char *task)
{
    const struct fake_reply *last = NULL;
    for (size_t i = 0; i < fake->script_count; i++) {
        if (strcmp(fake->script[i].task, task) != 0)
            continue;
        last = &fake->script[i];
        if (!fake->used[i]) {
            fake->used[i] = true;
            return last;
        }
    }
    return last;
}

static void write_call(struct buf *out, const struct llm_prompt *prompt)
{
    buf_printf(out, "== %s max_output_tokens=%u temperature=%.2f\n", prompt->task,
               prompt->max_output_tokens, prompt->temperature);
    for (size_t i = 0; i < prompt->message_count; i++)
        buf_printf(out, "%.*s\n", STR_ARG(prompt->messages[i].text));
}

static void start(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct fake_llm *fake = container_of(llm, struct fake_llm, llm);
    const struct fake_reply *reply = pick(fake, chat->prompt->task);
    struct call *call = mem_zalloc(1, sizeof *call);
    fake->calls++;
    for (size_t i = 0; i < chat->prompt->message_count; i++) {
        const struct llm_message *message = &chat->prompt->messages[i];
        if (message->role == LLM_USER)
            snprintf(fake->last_user, sizeof fake->last_user, "%.*s", STR_ARG(message->text));
        else if (message->role == LLM_SYSTEM)
            snprintf(fake->last_system, sizeof fake->last_system, "%.*s", STR_ARG(message->text));
    }
    if (fake->transcript != NULL)
        write_call(fake->transcript, chat->prompt);
    op_begin(&chat->op, &kind, llm->loop, waiter);
    if (call == NULL) {
        op_finish(&chat->op, ERR_NO_MEMORY, "no memory for a fake call");
        return;
    }
    if (reply == NULL)
        fake->unscripted++;
    call->whole = call->left = str_of(reply == NULL ? "?" : reply->reply);
    call->failure = reply == NULL ? ERR_INTERNAL : reply->failure;
    call->reply = reply;
    call->chat = chat;
    call->fake = fake;
    chat->impl = call;
    loop_post(llm->loop, &call->task, step);
}

static enum err_code ready(struct llm *llm, struct err *err)
{
    (void)llm;
    (void)err;
    return ERR_OK;
}

static void close_llm(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    (void)llm;
    on_closed(owner);
}

static const struct llm_vtable vtable = {"fake", start, ready, close_llm};

void fake_llm_init(struct fake_llm *fake, struct loop *loop, const struct fake_reply *script,
                   size_t count)
{
    CHECK(count <= countof(fake->used));
    *fake = (struct fake_llm){.llm = {&vtable, loop}, .script = script, .script_count = count};
}
