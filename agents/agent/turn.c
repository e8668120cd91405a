/* SPDX-License-Identifier: MIT */
/* agents/agent/turn.c - the prompt of the first turn, what was called since, and an answer or
 * calls.
 *
 * Happy path: the tools outside are learnt; the prompt is rendered, the transcript put behind it,
 * the tools offered; the model's text streams; its calls are put for the node of calls, or its text
 * as the answer.
 * Failure: the call's error ends the node; so does a turn without a word and without a call, and
 * an engine that calls no tools. */
#include "agents/agent/turn.h"

#include "agents/agent/cited.h"
#include "agents/agent/transcript.h"
#include "agents/tools/client.h"
#include "agents/tools/list.h"

enum { BYTES_PER_TOKEN = 3 };

struct turn {
    struct ask_call ask;
    struct remote_learn learn;
    uint64_t began_ms;
    bool is_last;   /* a budget is spent: no calls any more */
    bool is_forced; /* the client wants a call of one of its tools, and has got none yet */
};

static node_fn ask, keep; /* in running order */

static void stream_text(struct llm_chat *chat, struct str text)
{
    struct node *node = node_of(&chat->op);
    const struct agent_config *config = node_config(node);
    node_emit_token(node, config->ask.final_channel ? EVENT_FINAL_CHANNEL : node_name(node), text);
}

/* Put the transcript, and in the last turn why it is the last, behind the prompt's messages. */
static bool add_messages(struct node *node, const struct agent_config *config, struct turn *f)
{
    struct arena *arena = node_arena(node);
    struct llm_prompt *prompt = &f->ask.prompt;
    size_t most = services(node)->limits->max_context_tokens * BYTES_PER_TOKEN / 2, count;
    const struct llm_message *said =
        agent_transcript_messages(node, slot_index(config->transcript_slot), most, &count);
    struct llm_message *all = arena_array(arena, prompt->message_count + count + 1, sizeof *all);
    if (said == NULL || all == NULL)
        return false;
    for (size_t i = 0; i < prompt->message_count; i++)
        all[i] = prompt->messages[i];
    for (size_t i = 0; i < count; i++)
        all[prompt->message_count + i] = said[i];
    prompt->messages = all;
    prompt->message_count += count;
    if (f->is_last)
        all[prompt->message_count++] = (struct llm_message){
            LLM_USER,
            arena_printf(
                arena,
                "No more tools can be called: %.*s. Answer now with what you have, and say "
                "what is missing or was not checked.",
                STR_ARG(node_str(node, slot_index(config->reason_slot))))};
    return arena_ok(arena);
}

static bool offer_tools(struct node *node, const struct agent_config *config, struct turn *f)
{
    struct arena *arena = node_arena(node);
    struct llm_prompt *prompt = &f->ask.prompt;
    const struct tool *const *tools =
        tools_list_pick(node, &(struct tools_wanted){config->graphs, config->tools, config->asking,
                                                     config->with_client_tools});
    if (tools == NULL)
        return false;
    f->is_forced = config->with_client_tools && !f->is_last && tools_client_is_forced(node) &&
                   !agent_transcript_was_forced(node, slot_index(config->transcript_slot),
                                                node_session(node)->run_id);
    tools = tools_client_choose(node, tools, f->is_forced);
    if (tools == NULL)
        return false;
    prompt->tools = tools_list_offer(tools, arena, &prompt->tool_count);
    prompt->tool_choice = f->is_last     ? LLM_TOOLS_NONE
                          : f->is_forced ? LLM_TOOLS_REQUIRED
                                         : LLM_TOOLS_AUTO;
    return prompt->tools != NULL;
}

static enum step enter(struct node *node)
{
    struct turn *f = node_frame(node);
    struct err err;
    if (services(node)->limits->no_model) {
        err_set(&err, ERR_REJECTED,
                "node '%s' needs a model that calls tools: askd's own engine "
                "does not",
                node_name(node));
        return node_fail_as(node, "model_unavailable", &err);
    }
    f->began_ms = loop_now_ms(node_loop(node));
    tools_list_learn(node, &f->learn);
    return services(node)->remote != NULL ? node_await(node, ask) : ask(node);
}

static enum step ask(struct node *node)
{
    struct turn *f = node_frame(node);
    const struct agent_config *config = node_config(node);
    struct err err;
    f->is_last = node_has(node, slot_index(config->reason_slot));
    if (!ask_render(node, &config->ask, &f->ask) || !add_messages(node, config, f) ||
        !offer_tools(node, config, f)) {
        err_set(&err, ERR_NO_MEMORY, "the prompt of node '%s' does not fit into the run's memory",
                node_name(node));
        return node_fail(node, &err);
    }
    llm_chat_start(&f->ask.chat, services(node)->llm, &f->ask.prompt, stream_text,
                   node_waiter(node));
    return node_await(node, keep);
}

static void put_answer(struct node *node, const struct agent_config *config, struct str text)
{
    node_put_str(node, slot_index(config->answer_slot), text);
    if (!slot_is_named(config->passages_slot) || !slot_is_named(config->citations_slot))
        return;
    struct str cited = agent_cited_find(node, slot_index(config->passages_slot), text);
    if (!str_is_absent(cited))
        node_put_str(node, slot_index(config->citations_slot), cited);
}

static enum step keep(struct node *node)
{
    struct turn *f = node_frame(node);
    const struct agent_config *config = node_config(node);
    const struct llm_chat *chat = &f->ask.chat;
    size_t call_count = f->is_last ? 0 : chat->call_count;
    struct str text = str_trim(chat->text);
    struct err err;
    ask_count(node, &config->ask, &f->ask);
    node_put_int(node, slot_index(config->tokens_slot),
                 (int64_t)(chat->usage.prompt_tokens + chat->usage.completion_tokens));
    node_put_int(node, slot_index(config->ms_slot),
                 (int64_t)(loop_now_ms(node_loop(node)) - f->began_ms));
    node_put_int(node, slot_index(config->pending_slot), (int64_t)call_count);
    if (config->most_cost > 0)
        node_put_real(node, slot_index(config->cost_slot), chat->cost);
    if (config->most_cost > 0 && !(chat->cost > 0)) {
        err_set(&err, ERR_INVALID,
                "node '%s' may cost so much, and its model has no prices: give it some in "
                "ASKD_MODELS, or take \"cost\" away",
                node_name(node));
        return node_fail(node, &err);
    }
    if (call_count == 0 && str_is_empty(text)) {
        err_set(&err, ERR_PROTOCOL, "the model gave an answer without a word");
        return node_fail_as(node, "model_unavailable", &err);
    }
    if (f->is_forced && call_count == 0) {
        err_set(&err, ERR_PROTOCOL, "the model called no tool, although the client wants a call");
        return node_fail_as(node, "model_unavailable", &err);
    }
    struct str item =
        agent_transcript_turn(node_arena(node), text, chat->calls, call_count,
                              f->is_forced ? node_session(node)->run_id : (struct str){NULL, 0});
    if (str_is_absent(item)) {
        err_set(&err, ERR_NO_MEMORY, "the model's turn does not fit into the run's memory");
        return node_fail(node, &err);
    }
    node_push_item(node, slot_index(config->transcript_slot), item);
    if (call_count == 0)
        put_answer(node, config, text);
    if (call_count == 0 && chat->finish == LLM_FINISH_LENGTH)
        node_emit(node, EVENT_WARNING, STR("answer_cut"),
                  STR("the answer is cut: the model may not write more"), 0);
    return STEP_DONE;
}

const char *agent_turn_route(const struct agent_config *config, const struct state *state)
{
    return state_int(state, slot_index(config->pending_slot)) > 0 ? "tools" : "done";
}

const struct graph_node_type agent_turn_node = {.enter = enter, .frame_bytes = sizeof(struct turn)};
