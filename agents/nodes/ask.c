/* SPDX-License-Identifier: MIT */
/* agents/nodes/ask.c - renders a prompt, calls a model, keeps its answer.
 *
 * Happy path: render the fields into the prompt, with as much history as the context takes, start
 * the call (its text streams out as it comes), count its usage, keep the answer. An answer that
 * does not hold against its rows is asked for again, with what is wrong about it; then it is made
 * from the rows. Where the beginning of an answer is enough, it is kept as soon as it has come, and
 * the rest is only counted. Failure: the call's error ends the node, except of the second call
 * about rows; a spent arena is ERR_NO_MEMORY. */
#include "agents/nodes/ask.h"

#include "agents/common/prompt.h"
#include "agents/common/texts.h"
#include "agents/nodes/hold.h"
#include "proto/json_value.h"

enum { BYTES_PER_TOKEN = 3 }; /* a safe bound, PLATFORM 3.10 */

static node_fn keep, keep_again; /* in running order */
static llm_text_fn stream_text;

static size_t make_fields(struct node *node, const struct ask_config *config, struct ask_call *f)
{
    size_t count = 0;
    for (; count < ASK_MAX_FIELDS && config->fields[count].name != NULL; count++) {
        const struct ask_field *field = &config->fields[count];
        struct str value = field->make_of != NULL ? field->make_of(node, field->source)
                           : field->make != NULL  ? field->make(node)
                                                  : node_str(node, slot_index(field->slot));
        f->fields[count] = (struct llm_field){str_of(field->name), value};
    }
    return count;
}

/* One stored message; false when it is not one. */
static bool read_message(struct arena *arena, struct str item, struct llm_message *message)
{
    struct str role, text;
    const struct json_value *value = json_value_parse(arena, item, NULL, NULL);
    if (value == NULL || json_value_str(value, "/role", &role, NULL) != ERR_OK ||
        json_value_str(value, "/content", &text, NULL) != ERR_OK)
        return false;
    *message = (struct llm_message){str_equal(role, STR("assistant")) ? LLM_ASSISTANT
                                    : str_equal(role, STR("system"))  ? LLM_SYSTEM
                                                                      : LLM_USER,
                                    text};
    return true;
}

/* The memory beside the messages: the text of the first item, when its role is "system". */
static struct str pick_memory(struct node *node, const struct ask_config *config)
{
    struct str role, text;
    if (!slot_is_named(config->messages_slot) ||
        state_list_count(node_state(node), slot_index(config->messages_slot)) == 0)
        return STR("");
    const struct json_value *first = json_value_parse(
        node_scratch(node), state_list_item(node_state(node), slot_index(config->messages_slot), 0),
        NULL, NULL);
    bool is_memory = json_value_str(first, "/role", &role, NULL) == ERR_OK &&
                     str_equal(role, STR("system")) &&
                     json_value_str(first, "/content", &text, NULL) == ERR_OK;
    return is_memory ? text : STR("");
}

/* The newest messages that fit into budget_bytes, without the last one (the question itself) and
 * what pick_memory picks, at most max. Returns how many were put into messages, oldest first. */
static size_t pick_history(struct node *node, const struct ask_config *config, size_t budget_bytes,
                           struct llm_message *messages, size_t max)
{
    const struct state *state = node_state(node);
    size_t count = state_list_count(state, slot_index(config->messages_slot)), picked = 0;
    for (size_t i = count > 0 ? count - 1 : 0; i > 0 && picked < max; i--) {
        struct llm_message message;
        struct str item = state_list_item(state, slot_index(config->messages_slot), i - 1);
        if (item.len > budget_bytes)
            break;
        if (!read_message(node_scratch(node), item, &message) || message.role == LLM_SYSTEM)
            continue;
        budget_bytes -= item.len;
        messages[picked++] = message;
    }
    for (size_t i = 0; i < picked / 2; i++) {
        struct llm_message other = messages[i];
        messages[i] = messages[picked - 1 - i];
        messages[picked - 1 - i] = other;
    }
    return picked;
}

static size_t history_budget(struct node *node, const struct ask_call *f, size_t field_count)
{
    size_t budget = services(node)->limits->max_context_tokens * BYTES_PER_TOKEN, used = 0;
    for (size_t i = 0; i < field_count; i++)
        used += f->fields[i].value.len;
    return used >= budget ? 0 : budget - used;
}

bool ask_render(struct node *node, const struct ask_config *config, struct ask_call *f)
{
    const struct ask_form form =
        config->choose != NULL ? config->choose(node)
                               : (struct ask_form){config->task, config->prompt, config->answer};
    size_t field_count = make_fields(node, config, f), history_count = 0, count, extra_at;
    size_t budget = history_budget(node, f, field_count);
    struct str memory = pick_memory(node, config);
    struct llm_message *history = NULL;
    memory = memory.len > budget ? STR("") : memory;
    if (slot_is_named(config->messages_slot)) {
        size_t stored = state_list_count(node_state(node), slot_index(config->messages_slot));
        size_t max = size_min(stored, services(node)->limits->max_conversation_messages);
        history = arena_array(node_scratch(node), max, sizeof *history);
        if (history != NULL)
            history_count = pick_history(node, config, budget - memory.len, history, max);
    }
    struct llm_message *messages =
        config->own_prompt != NULL
            ? prompt_write(config->own_prompt, f->fields, field_count, history_count,
                           node_scratch(node), &count, &extra_at)
            : prompt_render(knowledge(node)->prompts, form.prompt, f->fields, field_count,
                            history_count, node_scratch(node), &count, &extra_at);
    if (messages == NULL)
        return false;
    for (size_t i = 0; i < history_count; i++)
        messages[extra_at + i] = history[i];
    if (memory.len > 0 && messages[count - 1].role == LLM_USER) /* data stands with the question */
        messages[count - 1].text = arena_printf(node_scratch(node), "%.*s\n\n%.*s", STR_ARG(memory),
                                                STR_ARG(messages[count - 1].text));
    const struct limits *limits = services(node)->limits;
    const struct session *session = node_session(node);
    f->prompt = (struct llm_prompt){
        .task = form.task,
        .messages = messages,
        .message_count = count,
        .fields = f->fields,
        .field_count = field_count,
        .form = form.answer != NULL ? str_of(form.answer) : STR(""),
        .temperature = config->zero_temperature ? 0 : limits->temperature,
        .max_output_tokens = limits->max_output_tokens,
        .timeout_ms = limits->llm_timeout_ms,
        .arena = node_scratch(node),
        .caller = session->caller,
    };
    return arena_ok(node_arena(node));
}

bool ask_begin(struct node *node, const struct ask_config *config, struct ask_call *call)
{
    if (!ask_render(node, config, call))
        return false;
    llm_chat_start(&call->chat, services(node)->llm, &call->prompt, stream_text, node_waiter(node));
    return true;
}

/* What an answer about rows begins with, whatever the model writes; empty: nothing. */
static struct str lead_of(struct node *node, const struct ask_config *config)
{
    const bool has_rows =
        config->hold != NULL && node_has(node, slot_index(config->hold->shown_slot));
    return has_rows && slot_is_named(config->lead_slot) &&
                   node_has(node, slot_index(config->lead_slot))
               ? node_str(node, slot_index(config->lead_slot))
               : STR("");
}

/* Begin the answer's text. */
static void say_lead(struct node *node, const struct ask_config *config)
{
    struct str lead = lead_of(node, config);
    if (lead.len == 0 || !config->final_channel)
        return;
    node_emit_token(node, EVENT_FINAL_CHANNEL, lead);
    node_emit_token(node, EVENT_FINAL_CHANNEL, STR("\n\n"));
}

static enum step enter(struct node *node)
{
    const struct ask_config *config = node_config(node);
    enum step step = config->first == NULL ? STEP_WAIT : config->first(node);
    if (step != STEP_WAIT)
        return step;
    say_lead(node, config);
    if (!ask_begin(node, config, node_frame(node))) {
        struct err err;
        err_set(&err, ERR_NO_MEMORY, "the prompt of node '%s' does not fit into the run's memory",
                node_name(node));
        return node_fail(node, &err);
    }
    return node_await(node, keep);
}

/* ---- answers whose beginning is enough ---- */

static enum step count_late(struct node *node)
{
    ask_count(node, node_config(node), node_frame(node));
    return STEP_DONE;
}

static enum step keep_head(struct node *node)
{
    const struct ask_config *config = node_config(node);
    const struct ask_call *f = node_frame(node);
    enum step step = config->keep(node, str_make(f->head, f->head_len));
    return step == STEP_DONE ? node_leave(node, count_late) : step;
}

static void look_at_head(struct node *node, struct str text)
{
    const struct ask_config *config = node_config(node);
    struct ask_call *f = node_frame(node);
    size_t len = size_min(text.len, sizeof f->head - f->head_len);
    if (len == 0)
        return;
    memcpy(f->head + f->head_len, text.at, len);
    f->head_len += len;
    f->chat.is_enough = config->is_enough(str_make(f->head, f->head_len));
    if (f->chat.is_enough)
        node_hasten(node, keep_head);
}

static void stream_text(struct llm_chat *chat, struct str text)
{
    struct node *node = node_of(&chat->op);
    const struct ask_config *config = node_config(node);
    node_emit_token(node, config->final_channel ? EVENT_FINAL_CHANNEL : node_name(node), text);
    if (config->is_enough != NULL)
        look_at_head(node, text);
}

void ask_count(struct node *node, const struct ask_config *config, const struct ask_call *call)
{
    struct node_usage usage = {
        .prompt_tokens = call->chat.usage.prompt_tokens,
        .completion_tokens = call->chat.usage.completion_tokens,
        .cached_tokens = call->chat.usage.cached_tokens,
        .reasoning_tokens = call->chat.usage.reasoning_tokens,
        .cost = call->chat.cost,
        .estimated = call->chat.usage.estimated,
        .final_channel = config->final_channel,
        .model = call->chat.model,
    };
    node_count_llm(node, &usage);
}

static void warn(struct node *node, const struct ask_config *config, const char *rule,
                 struct str text)
{
    node_emit(node, EVENT_WARNING, str_of(rule), text, 0);
    if (!slot_is_named(config->warnings_slot))
        return;
    const unsigned slot = slot_index(config->warnings_slot);
    struct str warnings = texts_with(node_scratch(node), node_str(node, slot), text);
    if (!str_is_absent(warnings))
        node_put_str(node, slot, warnings);
}

/* Why the model stopped short, for the log and for an error; NULL: it came to its end. */
static const char *cut_reason(const struct llm_chat *chat)
{
    switch (chat->finish) {
    case LLM_FINISH_LENGTH:
        return "it may not write more (MAX_OUTPUT_TOKENS)";
    case LLM_FINISH_FILTER:
        return "its server's filter held the text back";
    case LLM_FINISH_REFUSAL:
        return "it refused";
    case LLM_FINISH_TOOL_CALL:
        return "it called a tool that nobody offered";
    case LLM_FINISH_STOP:
    case LLM_FINISH_EMPTY:
    case LLM_FINISH_OTHER:
        break;
    }
    return NULL;
}

/* Whether what came is what was asked for: an answer without a word and half a statement are not.
 * False: the node has failed with *step. */
static bool is_usable(struct node *node, const struct ask_config *config,
                      const struct ask_call *call, enum step *step)
{
    struct err err;
    const char *cut = cut_reason(&call->chat);
    const bool is_answer = config->final_channel || slot_is_named(config->warnings_slot);
    const char *code = cut != NULL ? "model_rejected" : "model_unavailable";
    if (is_answer && str_is_empty(str_trim(call->chat.text))) {
        err_set(&err, ERR_PROTOCOL, "the model gave an answer without a word%s%s",
                cut != NULL ? ": " : "", cut != NULL ? cut : "");
        *step = node_fail_as(node, code, &err);
        return false;
    }
    if (cut != NULL && config->is_statement) {
        err_set(&err, ERR_TOO_LARGE, "the model's statement was cut: %s", cut);
        *step = node_fail_as(node, code, &err);
        return false;
    }
    if (cut != NULL && is_answer && call->chat.finish != LLM_FINISH_REFUSAL)
        warn(node, config, "answer_cut",
             STR("the answer is cut: the model may not write more, or its server held it back"));
    return true;
}

static enum step put(struct node *node, struct str answer)
{
    const struct ask_config *config = node_config(node);
    struct str lead = lead_of(node, config);
    if (lead.len > 0 && config->final_channel)
        answer = arena_printf(node_arena(node), "%.*s\n\n%.*s", STR_ARG(lead),
                              STR_ARG(str_trim(answer)));
    if (config->keep != NULL)
        return config->keep(node, answer);
    node_put_str(node, slot_index(config->output_slot), str_trim(answer));
    return STEP_DONE;
}

/* ---- answers that do not hold ---- */

/* The same conversation, with the answer and what is wrong about it. False: no memory. */
static bool add_turn(struct node *node, struct ask_call *f, struct str wrong)
{
    const size_t count = f->prompt.message_count;
    struct llm_message *messages = arena_array(node_scratch(node), count + 2, sizeof *messages);
    struct str said = arena_str(node_scratch(node), f->chat.text);
    if (messages == NULL || str_is_absent(said))
        return false;
    memcpy(messages, f->prompt.messages, count * sizeof *messages);
    messages[count] = (struct llm_message){.role = LLM_ASSISTANT, .text = said};
    messages[count + 1] = (struct llm_message){.role = LLM_USER, .text = wrong};
    f->prompt.messages = messages;
    f->prompt.message_count = count + 2;
    return true;
}

static enum step ask_again(struct node *node, struct ask_call *f, struct str wrong)
{
    if (!add_turn(node, f, wrong))
        return put(node, f->chat.text);
    node_emit(node, EVENT_RETRY, str_of(node_name(node)), wrong, 1);
    LOG(node_log(node), WARN, "answer.not_held", "node=%s", node_name(node));
    node_begin_attempt(node);
    say_lead(node, node_config(node));
    op_release(&f->chat.op);
    f->chat = (struct llm_chat){0};
    llm_chat_start(&f->chat, services(node)->llm, &f->prompt, stream_text, node_waiter(node));
    return node_settle(node, keep_again);
}

/* The answer that the rows give, in the place of the model's. */
static enum step put_plain(struct node *node)
{
    const struct ask_config *config = node_config(node);
    struct str text = hold_plain(node, config->hold);
    node_begin_attempt(node);
    say_lead(node, config);
    if (config->final_channel)
        node_emit_token(node, EVENT_FINAL_CHANNEL, text);
    warn(node, config, "answer_not_held",
         STR("the model's answer had figures that are not in the data; this one was made from the "
             "data alone"));
    return put(node, text);
}

/* A second call that failed leaves the first answer, which does not hold. */
static enum step keep_again(struct node *node)
{
    struct ask_call *f = node_frame(node);
    const struct ask_config *config = node_config(node);
    struct str wrong;
    if (f->chat.op.err.code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", &f->chat.op.err);
    if (f->chat.op.err.code != ERR_OK)
        return put_plain(node);
    ask_count(node, config, f);
    if (str_is_empty(str_trim(f->chat.text)) || cut_reason(&f->chat) != NULL ||
        !hold_check(node, config->hold, f->chat.text, &wrong))
        return put_plain(node);
    return put(node, f->chat.text);
}

static enum step keep(struct node *node)
{
    struct ask_call *f = node_frame(node);
    const struct ask_config *config = node_config(node);
    enum step failed;
    struct str wrong;
    ask_count(node, config, f);
    if (!is_usable(node, config, f, &failed))
        return failed;
    if (config->hold != NULL && !hold_check(node, config->hold, f->chat.text, &wrong))
        return ask_again(node, f, wrong);
    return put(node, f->chat.text);
}

_Static_assert(sizeof(struct ask_call) <= ASK_FRAME_BYTES, "others keep room for it");

const struct graph_node_type ask_node = {.enter = enter, .frame_bytes = sizeof(struct ask_call)};
