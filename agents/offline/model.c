/* SPDX-License-Identifier: MIT */
/* agents/offline/model.c - the llm interface over offline_question_read.
 *
 * Happy path: the whole answer is made when the call starts (milliseconds, no I/O), then goes out a
 * few words a turn; hold stops the words, go restarts them.
 * Failure: nothing known yet ends with ERR_UNAVAILABLE, cancel with ERR_CANCELLED and the words
 * that went out, no memory with ERR_NO_MEMORY. What it cannot read it says, as text. */
#include "agents/offline/model.h"

#include "agents/offline/tasks.h"
#include "core/base/mem.h"

enum { WORDS_PER_TURN = 3, CALL_BYTES = 1 << 20 };

struct offline_model {
    struct llm llm; /* first */
    struct offline_options options;
    struct offline_source source;
    struct list calls;
    struct loop_task close_task;
    void (*on_closed)(void *owner);
    void *closed_owner;
};

struct call {
    struct list link; /* in calls */
    struct loop_task task;
    struct llm_chat *chat;
    struct offline_model *model;
    struct buf text;       /* left to say lies behind said */
    size_t said, together; /* together: how much of the beginning is one piece */
    bool held;
};

static struct offline_model *model_of(struct llm *llm)
{
    return container_of(llm, struct offline_model, llm);
}

/* Words as a rough token count. */
static uint64_t count_words(struct str text)
{
    uint64_t words = 0;
    for (size_t i = 0; i < text.len; i++)
        words += !str_is_blank(text.at[i]) && (i == 0 || str_is_blank(text.at[i - 1]));
    return words;
}

/* The only end. */
static void finish(struct call *call, enum err_code code)
{
    struct llm_chat *chat = call->chat;
    const struct llm_prompt *prompt = chat->prompt;
    struct str said = str_slice(buf_str(&call->text), 0, call->said);
    chat->text = arena_str(prompt->arena, said);
    chat->asked = chat->model = STR("offline");
    chat->attempts = 1;
    chat->usage = (struct llm_usage){.completion_tokens = count_words(said), .estimated = true};
    for (size_t i = 0; i < prompt->field_count; i++)
        chat->usage.prompt_tokens += count_words(prompt->fields[i].value);
    if (code == ERR_OK && str_is_absent(chat->text))
        code = ERR_NO_MEMORY;
    loop_unpost(&call->task);
    list_remove(&call->link);
    chat->impl = NULL;
    buf_fini(&call->text);
    mem_free(call);
    op_finish(&chat->op, code, "%s",
              code == ERR_OK          ? ""
              : code == ERR_CANCELLED ? "the offline model was asked to stop"
                                      : "the offline model has no memory for its answer");
}

/* What belongs together, then the next few words, each with the blanks before it. */
static struct str next_piece(const struct call *call)
{
    struct str left = str_from(buf_str(&call->text), call->said);
    size_t end = 0;
    if (call->said < call->together)
        return str_slice(left, 0, call->together);
    for (unsigned words = 0; words < WORDS_PER_TURN && end < left.len; words++) {
        while (end < left.len && str_is_blank(left.at[end]))
            end++;
        while (end < left.len && !str_is_blank(left.at[end]))
            end++;
    }
    return str_slice(left, 0, end);
}

static void say(struct loop_task *task)
{
    struct call *call = container_of(task, struct call, task);
    if (call->held)
        return;
    struct str piece = next_piece(call);
    if (piece.len == 0) {
        finish(call, ERR_OK);
        return;
    }
    call->said += piece.len;
    loop_post(call->model->llm.loop, &call->task, say);
    if (call->chat->on_text != NULL)
        call->chat->on_text(call->chat, piece);
}

static void on_cancel(struct op *op)
{
    struct call *call = container_of(op, struct llm_chat, op)->impl;
    if (call != NULL)
        finish(call, ERR_CANCELLED);
}

static void on_hold(struct op *op)
{
    struct call *call = container_of(op, struct llm_chat, op)->impl;
    if (call != NULL)
        call->held = true;
}

static void on_go(struct op *op)
{
    struct call *call = container_of(op, struct llm_chat, op)->impl;
    if (call == NULL)
        return;
    call->held = false;
    loop_post(call->model->llm.loop, &call->task, say);
}

static const struct op_kind kind = {
    .name = "llm.offline", .cancel = on_cancel, .hold = on_hold, .go = on_go};

/* It is always there: without a database it answers from documents. */
static enum err_code ready(struct llm *llm, struct err *err)
{
    (void)llm;
    (void)err;
    return ERR_OK;
}

static void chat_start(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct offline_model *model = model_of(llm);
    int year, month, day;
    op_begin(&chat->op, &kind, llm->loop, waiter);
    if (offline_tasks_needs_database(chat->prompt) && model->source.lexicon == NULL) {
        op_finish(&chat->op, ERR_UNAVAILABLE, "the offline model knows no database yet");
        return;
    }
    struct call *call = mem_zalloc(1, sizeof *call);
    if (call == NULL) {
        op_finish(&chat->op, ERR_NO_MEMORY, "the offline model has no memory for a call");
        return;
    }
    call->chat = chat;
    call->model = model;
    chat->impl = call;
    buf_init(&call->text, CALL_BYTES);
    list_push(&model->calls, &call->link);
    struct offline_source source = model->source;
    struct lexicon seen;
    if (source.lexicon != NULL) {
        seen = lexicon_index_seen_by(source.lexicon, chat->prompt->caller.company_id);
        source.lexicon = &seen;
    }
    if (model->options.today != NULL &&
        model->options.today(model->options.today_owner, &year, &month, &day))
        source.today = english_dates_day(year, month, day);
    else
        source.today = (int32_t)(loop_wall_ms(llm->loop) / 86400000);
    if (!offline_tasks_answer(&source, chat->prompt, &call->text, &call->together) ||
        !buf_ok(&call->text)) {
        finish(call, ERR_NO_MEMORY);
        return;
    }
    loop_post(llm->loop, &call->task, say);
}

static void on_close(struct loop_task *task)
{
    struct offline_model *model = container_of(task, struct offline_model, close_task);
    void (*on_closed)(void *owner) = model->on_closed;
    void *owner = model->closed_owner;
    join_finder_destroy(model->source.finder);
    mem_free(model);
    on_closed(owner);
}

static void close_model(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    struct offline_model *model = model_of(llm);
    LIST_EACH_SAFE(link, &model->calls)
        finish(list_item(link, struct call, link), ERR_CANCELLED);
    model->on_closed = on_closed;
    model->closed_owner = owner;
    loop_post(llm->loop, &model->close_task, on_close);
}

static const struct llm_vtable vtable = {
    .name = "offline", .chat_start = chat_start, .ready = ready, .close = close_model};

struct llm *offline_model_create(struct loop *loop, const struct offline_options *options)
{
    struct offline_model *model = mem_zalloc(1, sizeof *model);
    if (model == NULL)
        return NULL;
    model->llm = (struct llm){&vtable, loop};
    if (options != NULL)
        model->options = *options;
    list_init(&model->calls);
    return &model->llm;
}

void offline_model_know(struct llm *llm, const struct catalog *catalog,
                        const struct lexicon *lexicon, const struct join_graph *joins,
                        enum sql_dialect dialect)
{
    struct offline_model *model = model_of(llm);
    CHECK(llm->vtable == &vtable && (lexicon == NULL || lexicon->catalog == catalog));
    join_finder_destroy(model->source.finder);
    /* without memory for a finder, questions on one table still work */
    model->source = (struct offline_source){
        .lexicon = lexicon,
        .joins = joins,
        .finder = joins != NULL ? join_finder_create(joins, &model->options.joining) : NULL,
        .dialect = dialect,
        .words = model->options.words,
    };
}
