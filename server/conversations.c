/* SPDX-License-Identifier: MIT */
/* server/conversations.c - loads that fill the history.
 *
 * Happy path: a load says that memory is as new as the store, or brings the last turns, which
 * replace what memory had.
 * Failure: the store cannot be read: logged; memory stays as it is. */
#include "agents/memory/recall.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "server/conversations_internal.h"

enum { DETAILS_BYTES = 1024 * 1024 };

struct conversations *conversations_create(const struct conversations_options *options)
{
    struct conversations *conversations = mem_zalloc(1, sizeof *conversations);
    if (conversations == NULL)
        return NULL;
    conversations->options = *options;
    list_init(&conversations->savings);
    list_init(&conversations->settlings);
    list_init(&conversations->late);
    return conversations;
}

void conversations_destroy(struct conversations *conversations)
{
    if (conversations == NULL)
        return;
    CHECK(list_is_empty(&conversations->savings) && list_is_empty(&conversations->settlings));
    CHECK(conversations->opening_count == 0);
    timer_stop(&conversations->retry_timer);
    loop_unpost(&conversations->idle_task);
    mem_free(conversations);
}

struct store *conversations_store(const struct conversations *conversations)
{
    return conversations->options.store;
}

bool conversations_is_settled(const struct conversations *conversations, struct str conversation_id)
{
    return !conversations_saving_has(conversations, conversation_id, false);
}

/* ---- settling ---- */

static void finish_settling(struct conversations_settling *settling, enum err_code code)
{
    list_remove(&settling->link);
    op_finish(&settling->op, code, "%s", code == ERR_OK ? "" : "it was given up");
}

static void cancel_settling(struct op *op)
{
    struct conversations_settling *settling = container_of(op, struct conversations_settling, op);
    if (!op_is_finishing(op))
        finish_settling(settling, ERR_CANCELLED);
}

void conversations_tell_settled(struct conversations *conversations)
{
    LIST_EACH_SAFE(link, &conversations->settlings) {
        struct conversations_settling *settling =
            list_item(link, struct conversations_settling, link);
        if (conversations_is_settled(conversations, settling->conversation_id))
            finish_settling(settling, ERR_OK);
    }
}

void conversations_settle_start(struct conversations_settling *settling,
                                struct conversations *conversations, struct str conversation_id,
                                struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "conversation.settle", .cancel = cancel_settling};
    op_begin(&settling->op, &kind, conversations->options.loop, waiter);
    settling->conversations = conversations;
    settling->conversation_id = conversation_id;
    list_init(&settling->link);
    list_push(&conversations->settlings, &settling->link);
    if (conversations_is_settled(conversations, conversation_id))
        finish_settling(settling, ERR_OK);
}

/* ---- opening ---- */

/* What the question meant, where its words alone do not say it (server/turn_details.h). */
static void take_meant(struct history *history, const struct history_key *key, struct str details)
{
    struct arena arena;
    struct str meant;
    arena_init(&arena, DETAILS_BYTES);
    if (json_value_str(json_value_parse(&arena, details, NULL, NULL), "/meant", &meant, NULL) ==
        ERR_OK)
        history_set_meant(history, key, meant);
    arena_fini(&arena);
}

/* What the store has takes the place of what memory had. */
static enum err_code refill(struct history *history, const struct history_key *key,
                            const struct store_call *call)
{
    enum err_code code = ERR_OK;
    (void)history_forget(history, key);
    for (size_t i = 0; i < call->turn_count && code == ERR_OK; i++) {
        const struct store_turn *turn = &call->turns[i];
        code = history_append(history, key, LLM_USER, turn->question, false);
        if (code == ERR_OK)
            take_meant(history, key, turn->details);
        if (code == ERR_OK)
            code = history_append(history, key, LLM_ASSISTANT, turn->answer, turn->partial);
    }
    if (code == ERR_OK)
        history_set_version(history, key, call->version);
    history_set_said(history, key, 2 * call->total);
    return code;
}

static void on_loaded(struct op *op)
{
    struct conversations_opening *opening = op_owner(op);
    struct conversations *conversations = opening->conversations;
    struct history *history = conversations->options.history;
    const struct store_key *of = &opening->ask.key;
    const struct history_key key = {of->conversation_id, of->company_id, of->user_id};
    struct err err = op->err;
    bool is_new = err.code == ERR_OK && opening->call.version != opening->ask.since_version;
    if (is_new)
        err.code = refill(history, &key, &opening->call);
    if (err.code == ERR_OK)
        recall_take(history, &key, opening->call.notes, opening->call.note_count, is_new);
    if (err.code != ERR_OK && err.code != ERR_NOT_FOUND && err.code != ERR_CANCELLED) {
        LOG(conversations->options.log, WARN, "conversation.not_loaded", "code=%s text=\"%s\"",
            err_name(err.code), err.text);
        err = (struct err){0}; /* memory has what it has */
    }
    op_release(op);
    conversations->opening_count--;
    op_finish_err(&opening->op, &err);
}

static void load(struct conversations_opening *opening)
{
    const struct conversations_options *o = &opening->conversations->options;
    const struct store_key *of = &opening->ask.key;
    const struct history_key key = {of->conversation_id, of->company_id, of->user_id};
    if (conversations_saving_has(opening->conversations, of->conversation_id, true) &&
        history_count(o->history, &key) > 0) { /* memory knows more than the store */
        opening->conversations->opening_count--;
        op_finish_err(&opening->op, &(struct err){0});
        return;
    }
    opening->ask.since_version = history_version(o->history, &key);
    store_load_start(&opening->call, o->store, &opening->ask,
                     (struct op_waiter){.done = on_loaded, .owner = opening});
}

static void on_settled(struct op *op)
{
    struct conversations_opening *opening = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK) {
        load(opening);
        return;
    }
    opening->conversations->opening_count--;
    op_finish_err(&opening->op, &err);
}

static void cancel_opening(struct op *op)
{
    struct conversations_opening *opening = container_of(op, struct conversations_opening, op);
    op_cancel(&opening->settling.op);
    op_cancel(&opening->call.op);
}

void conversations_open_start(struct conversations_opening *opening,
                              struct conversations *conversations, const struct history_key *key,
                              struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "conversation.open", .cancel = cancel_opening};
    const struct conversations_options *o = &conversations->options;
    op_begin(&opening->op, &kind, o->loop, waiter);
    opening->conversations = conversations;
    if (history_check(o->history, key) != ERR_OK) {
        op_finish(&opening->op, ERR_NOT_FOUND, "there is no such conversation");
        return;
    }
    if (o->store == NULL) {
        op_finish_err(&opening->op, &(struct err){0});
        return;
    }
    opening->ask = (struct store_load){
        .key = {key->conversation_id, key->company_id, key->user_id},
        .turn_limit = o->turns,
    };
    conversations->opening_count++;
    /* what is on its way to the store is in memory only: the store may not speak before */
    if (!conversations_is_settled(conversations, key->conversation_id))
        conversations_settle_start(&opening->settling, conversations, key->conversation_id,
                                   (struct op_waiter){.done = on_settled, .owner = opening});
    else
        load(opening);
}

void conversations_forget(struct conversations *conversations, const struct history_key *key)
{
    if (str_is_empty(key->conversation_id))
        history_forget_user(conversations->options.history, key);
    else
        (void)history_forget(conversations->options.history, key);
}
