/* SPDX-License-Identifier: MIT */
/* agents/agent/calls.c - the calls of a turn as operations, their results as items.
 *
 * Happy path: all calls start at once; each keeps its result as a memo of the visit and says
 * tool_end as it ends; when all have, their results are put in the order in which the model asked.
 * A call that a person has to allow pauses the run; whoever goes on with it, there or on another
 * server, finds the memos of the calls that had ended and starts only the others.
 * Failure: what a model can do better is a result (agents/tools/call.h); a cancelled call or a
 * spent arena ends the node. */
#include "agents/agent/calls.h"

#include <stdio.h>

#include "agents/agent/cited.h"
#include "agents/agent/transcript.h"
#include "agents/common/members.h"
#include "agents/sql_agent/clarify.h"
#include "agents/tools/client.h"
#include "agents/tools/list.h"
#include "core/run/inner.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    SAID_BYTES = 8 * 1024, /* of arguments and results in an event */
    MEMO_BYTES = 32 << 20,
};

struct calls {
    struct remote_learn learn;
    struct tool_call *at;
    const struct llm_tool_call *asked;
    size_t count;
    uint64_t began_ms;
};

static node_fn begin, keep; /* in running order */

/* The members of an event about a call, without the tool's name. */
static void emit_call(struct node *node, enum event_kind kind, const struct tool_call *call,
                      const char *what, struct str text)
{
    struct buf out;
    buf_init(&out, 16 * SAID_BYTES);
    members_str(&out, "id", call->id);
    members_str(&out, what, str_utf8_prefix(text, SAID_BYTES));
    if (kind == EVENT_TOOL_END && call->result.is_error)
        members_raw(&out, "failed", STR("true"));
    if (buf_ok(&out))
        node_emit(node, kind, call->name, buf_str(&out), (int64_t)call->took_ms);
    buf_fini(&out);
}

/* ---- memos: results that are not to be made again ---- */

#define ASKED_MEMO STR("asked") /* which call a person is asked about */
#define SAID_MEMO  STR("said")  /* what the user says beside results */
#define BEGAN      "began"      /* a call that changes what is outside was on its way */

static const struct {
    const char *name;
    size_t offset;
} texts[] = {
    {"text", offsetof(struct tool_result, text)},
    {"sql", offsetof(struct tool_result, sql)},
    {"data", offsetof(struct tool_result, data)},
    {"tables", offsetof(struct tool_result, tables)},
    {"chart", offsetof(struct tool_result, chart)},
    {"clarify", offsetof(struct tool_result, clarify)},
    {"passages", offsetof(struct tool_result, passages)},
};

static struct str *text_of(struct tool_result *result, size_t i)
{
    return (struct str *)(void *)((char *)result + texts[i].offset);
}

static struct str name_memo(struct node *node, const char *what, size_t i)
{
    return arena_printf(node_arena(node), "%s %zu", what, i);
}

static void write_memo(struct tool_call *call)
{
    const struct calls *f = node_frame(call->node);
    struct json_write writer;
    struct buf out;
    buf_init(&out, MEMO_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_bool(&writer, STR("is_error"), call->result.is_error);
    for (size_t i = 0; i < countof(texts); i++)
        json_write_member_str(&writer, str_of(texts[i].name), *text_of(&call->result, i));
    json_write_object_end(&writer);
    if (buf_ok(&out))
        node_put_memo(call->node, name_memo(call->node, "result", (size_t)(call - f->at)),
                      buf_str(&out));
    buf_fini(&out);
}

/* Whether the call had ended before: its result is then in place. */
static bool read_memo(struct node *node, struct tool_call *call, size_t at)
{
    struct str kept = node_find_memo(node, name_memo(node, "result", at));
    const struct json_value *memo =
        str_is_absent(kept) ? NULL : json_value_parse(node_arena(node), kept, NULL, NULL);
    const struct json_value *is_error = json_value_member(memo, STR("is_error"));
    if (memo == NULL || is_error == NULL)
        return false;
    call->result.is_error = is_error->boolean;
    for (size_t i = 0; i < countof(texts); i++) {
        const struct json_value *text = json_value_member(memo, str_of(texts[i].name));
        if (text != NULL && text->type == JSON_STRING)
            *text_of(&call->result, i) = text->text;
    }
    return !str_is_absent(call->result.text);
}

/* ---- the start ---- */

static void on_call_ended(struct tool_call *call)
{
    write_memo(call);
    if (call->tool != NULL && call->tool->is_client)
        return; /* the client knows */
    emit_call(call->node, EVENT_TOOL_END, call, "result", call->result.text);
}

/* What a person said about this call; absent: it is not the one that somebody was asked about. */
static struct str hear(struct node *node, const struct tool *tool, size_t i)
{
    uint64_t asked;
    if (tool != NULL && tool->is_client)
        return node_resume(node);
    bool is_asked = str_to_u64(node_find_memo(node, ASKED_MEMO), &asked) && asked == i;
    return is_asked ? node_resume(node) : (struct str){NULL, 0};
}

static const struct json_value *find_result(struct tool_call *call, struct str statement)
{
    const struct agent_config *config = node_config(call->node);
    return agent_transcript_find(call->node, slot_index(config->transcript_slot), statement);
}

/* Whether the call, which changes what is outside, was on its way when a server ended: nobody knows
 * whether it was made, so the model is told, and it is not made again. */
static bool was_begun(struct node *node, struct tool_call *call, size_t i)
{
    if (str_is_absent(node_find_memo(node, name_memo(node, BEGAN, i))))
        return false;
    call->result.is_error = true;
    call->result.text = STR("This call was on its way when the server stopped. Whether it was made "
                            "is not known; it was not made again. Look first, or ask.");
    return true;
}

static void on_call_begins(struct tool_call *call)
{
    const struct calls *f = node_frame(call->node);
    if (call->tool->writes)
        node_put_memo(call->node, name_memo(call->node, BEGAN, (size_t)(call - f->at)), STR("1"));
}

/* How often the tool of call i was called before it. */
static unsigned count_earlier(struct node *node, const struct agent_config *config,
                              const struct calls *f, size_t i)
{
    unsigned count =
        agent_transcript_count(node, slot_index(config->transcript_slot), f->asked[i].name);
    for (size_t j = 0; j < i; j++)
        count += str_equal(f->asked[j].name, f->asked[i].name);
    return count;
}

static void start_call(struct node *node, struct calls *f, const struct tool *const *tools,
                       size_t i)
{
    const struct agent_config *config = node_config(node);
    struct tool_call *call = &f->at[i];
    const struct tool *tool = tools_call_find(tools, f->asked[i].name);
    *call = (struct tool_call){
        .node = node,
        .offered = tools,
        .guard = config->guard,
        .question = node_str(node, slot_index(config->question_slot)),
        .id = f->asked[i].id,
        .name = f->asked[i].name,
        .written = f->asked[i].arguments,
        .earlier = tool != NULL && tool->is_counted ? count_earlier(node, config, f, i) : 0,
        .number = (unsigned)node_int(node, slot_index(config->called_slot)) + (unsigned)i + 1,
        .data_slot = config->data_slot,
        .find_result = find_result,
        .said = hear(node, tool, i),
        .on_begins = on_call_begins,
        .on_ended = on_call_ended,
    };
    if (read_memo(node, call, i) || was_begun(node, call, i))
        return;
    if (tool == NULL || !tool->is_client)
        emit_call(node, EVENT_TOOL_START, call, "arguments", call->written);
    tools_call_start(call, node_waiter(node));
}

static enum step fail_memory(struct node *node)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "the calls of node '%s' do not fit into the run's memory",
            node_name(node));
    return node_fail(node, &err);
}

static enum step enter(struct node *node)
{
    struct calls *f = node_frame(node);
    tools_list_learn(node, &f->learn);
    return services(node)->remote != NULL ? node_await(node, begin) : begin(node);
}

/* What the user says beside results of the client's tools comes behind the last of them, which may
 * be given later. */
static void keep_said(struct node *node)
{
    struct arena *arena = node_arena(node);
    struct str said = tools_client_message(node_resume(node), arena);
    struct str before = node_find_memo(node, SAID_MEMO);
    if (said.len == 0 || str_equal(before, said) || str_ends_with(before, said))
        return;
    node_put_memo(node, SAID_MEMO,
                  str_is_absent(before)
                      ? said
                      : arena_printf(arena, "%.*s\n\n%.*s", STR_ARG(before), STR_ARG(said)));
}

static enum step begin(struct node *node)
{
    struct calls *f = node_frame(node);
    const struct agent_config *config = node_config(node);
    struct arena *arena = node_arena(node);
    f->began_ms = loop_now_ms(node_loop(node));
    keep_said(node);
    f->count = agent_transcript_calls(node, slot_index(config->transcript_slot), &f->asked);
    f->at = arena_array(arena, f->count + 1, sizeof *f->at);
    const struct tool *const *tools =
        tools_list_pick(node, &(struct tools_wanted){config->graphs, config->tools, config->asking,
                                                     config->with_client_tools});
    if (f->at == NULL || tools == NULL || f->count == 0)
        return fail_memory(node);
    for (size_t i = 0; i < f->count; i++)
        start_call(node, f, tools, i);
    return node_await(node, keep);
}

/* ---- results ---- */

static void put_if_any(struct node *node, struct slot_ref slot, struct str value)
{
    if (!str_is_absent(value) && slot_is_named(slot))
        node_put_str(node, slot_index(slot), value);
}

/* {"id","sql","rows"} of a statement that ran, so that an answer can cite it. */
static void push_statement(struct node *node, const struct agent_config *config,
                           const struct tool_call *call)
{
    const struct json_value *data =
        json_value_parse(node_arena(node), call->result.data, NULL, NULL);
    const struct json_value *rows = json_value_member(data, STR("row_count"));
    struct buf out;
    struct json_write writer;
    if (str_is_absent(call->result.sql) || !slot_is_named(config->statements_slot))
        return;
    buf_init(&out, 64 * 1024);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_key(&writer, STR("id"));
    char id[16];
    snprintf(id, sizeof id, "s%u", call->number);
    json_write_str(&writer, str_of(id));
    json_write_member_str(&writer, STR("sql"), call->result.sql);
    if (rows != NULL)
        json_write_member_i64(&writer, STR("rows"), rows->integer);
    json_write_object_end(&writer);
    if (buf_ok(&out))
        node_push_item(node, slot_index(config->statements_slot), buf_str(&out));
    buf_fini(&out);
}

static bool keep_result(struct node *node, const struct agent_config *config,
                        const struct tool_call *call)
{
    const struct tool_result *result = &call->result;
    const struct llm_tool_call asked = {call->id, call->name, call->written};
    struct str item =
        agent_transcript_result(node_arena(node), &asked, result->text, result->is_error);
    if (str_is_absent(item))
        return false;
    node_push_item(node, slot_index(config->transcript_slot), item);
    push_statement(node, config, call);
    put_if_any(node, config->sql_slot, result->sql);
    put_if_any(node, config->data_slot, result->data);
    put_if_any(node, config->tables_slot, result->tables);
    put_if_any(node, config->chart_slot, result->chart);
    if (!str_is_absent(result->passages) && slot_is_named(config->passages_slot) &&
        !agent_cited_keep(node, slot_index(config->passages_slot), result->passages))
        return false;
    if (str_is_absent(result->clarify) || !slot_is_named(config->clarify_slot))
        return true;
    struct str text = sql_agent_clarify_text(node_arena(node), result->clarify);
    if (str_is_absent(text))
        return false;
    node_put_str(node, slot_index(config->clarify_slot), result->clarify);
    node_put_str(node, slot_index(config->answer_slot), text);
    return true;
}

/* Why the agent may call nothing more; absent: it may. */
static struct str find_spent(struct node *node, const struct agent_config *config, uint64_t ms)
{
    struct arena *arena = node_arena(node);
    int64_t tokens = node_int(node, slot_index(config->tokens_slot));
    uint64_t all_ms = (uint64_t)node_int(node, slot_index(config->ms_slot)) + ms;
    if (!graph_budget_left(node_graph(node), node_state(node), config->turns_budget))
        return arena_printf(arena, "all %u turns are used",
                            graph_budget_limit(node_graph(node), config->turns_budget) + 1);
    if (config->most_tokens > 0 && (uint64_t)tokens >= config->most_tokens)
        return arena_printf(arena, "%lld tokens are used, of at most %llu", (long long)tokens,
                            (unsigned long long)config->most_tokens);
    double cost = 0;
    if (config->most_cost > 0)
        cost = state_real(node_state(node), slot_index(config->cost_slot));
    if (config->most_cost > 0 && cost >= config->most_cost)
        return arena_printf(arena, "it cost %.6g, of at most %.6g", cost, config->most_cost);
    if (config->most_ms > 0 && all_ms >= config->most_ms)
        return arena_printf(arena, "it took %llu seconds, of at most %llu",
                            (unsigned long long)(all_ms / 1000),
                            (unsigned long long)(config->most_ms / 1000));
    return (struct str){NULL, 0};
}

/* Pause the run for a call that a person has to allow. */
static enum step ask_person(struct node *node, size_t i, struct str details)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", i);
    node_put_memo(node, ASKED_MEMO, str_of(number));
    return node_interrupt(node, details);
}

static enum step keep(struct node *node)
{
    struct calls *f = node_frame(node);
    const struct agent_config *config = node_config(node);
    uint64_t ms = loop_now_ms(node_loop(node)) - f->began_ms;
    for (size_t i = 0; i < f->count; i++)
        if (!str_is_absent(f->at[i].asks) && !f->at[i].tool->is_client)
            return ask_person(node, i, f->at[i].asks);
    for (size_t i = 0; i < f->count; i++)
        if (f->at[i].is_paused)
            return inner_interrupt(node);
    struct str details = tools_client_details(f->at, f->count, node_arena(node));
    if (!str_is_absent(details))
        return node_interrupt(node, details);
    if (!arena_ok(node_arena(node)))
        return fail_memory(node);
    for (size_t i = 0; i < f->count; i++)
        if (!keep_result(node, config, &f->at[i]))
            return fail_memory(node);
    struct str said = node_find_memo(node, SAID_MEMO);
    if (!str_is_absent(said))
        node_push_item(node, slot_index(config->transcript_slot),
                       agent_transcript_said(node_arena(node), said));
    node_put_int(node, slot_index(config->called_slot), (int64_t)f->count);
    node_put_int(node, slot_index(config->ms_slot), (int64_t)ms);
    struct str spent = find_spent(node, config, ms);
    if (!str_is_absent(spent)) {
        LOG(node_log(node), WARN, "agent.spent", "reason=\"%.*s\"", STR_ARG(spent));
        node_put_str(node, slot_index(config->reason_slot), spent);
    }
    return STEP_DONE;
}

const char *agent_calls_route(const struct agent_config *config, const struct state *state)
{
    if (slot_is_named(config->clarify_slot) && state_has(state, slot_index(config->clarify_slot)))
        return "asked";
    return state_has(state, slot_index(config->reason_slot)) ? "spent" : "again";
}

void agent_calls_report(const struct state *state, unsigned slot, struct buf *out)
{
    size_t count = state_list_count(state, slot);
    if (count == 0)
        return;
    buf_push(out, buf_len(out) > 0 ? STR(",\"statements\":[") : STR("\"statements\":["));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push_char(out, ',');
        buf_push(out, state_list_item(state, slot, i));
    }
    buf_push_char(out, ']');
}

const struct graph_node_type agent_calls_node = {.enter = enter,
                                                 .frame_bytes = sizeof(struct calls)};
