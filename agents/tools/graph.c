/* SPDX-License-Identifier: MIT */
/* agents/tools/graph.c - arguments as the input of another graph, its answer as the result.
 *
 * Happy path: the question and the fields go in, the graph runs inside the node of calls
 * (core/run/inner.h), what it said and reports is the result; a statement and rows that it reports
 * can be cited and drawn like those of run_sql.
 * Failure: the graph's, told to the model; its time or its number of calls is spent: likewise. A
 * graph that pauses for a person pauses the agent. */
#include "agents/tools/graph.h"

#include "agents/common/members.h"
#include "agents/services/ask_graph.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { SCHEMA_BYTES = 16 * 1024, RESULT_BYTES = 8 << 20 };

#define QUESTION STR("question")

struct graph_frame {
    struct inner inner;
};

static tool_fn keep;

/* ---- arguments ---- */

/* Whether slot i is a field that an argument fills. */
static bool is_argument(const struct tools_graph *graph, unsigned i)
{
    const struct slot *slot = &graph->entry->def->schema.slots[i];
    bool is_plain = slot->type != SLOT_LIST && slot->type != SLOT_JSON;
    return (graph->entry->inputs >> i & 1) != 0 && is_plain && i != graph->entry->question &&
           !str_equal(str_of(slot->name), QUESTION);
}

static void write_parameters(const struct tools_graph *graph, struct json_write *json)
{
    static const char *const types[] = {[SLOT_TEXT] = "string",
                                        [SLOT_INT] = "integer",
                                        [SLOT_REAL] = "number",
                                        [SLOT_BOOL] = "boolean"};
    const struct schema *schema = &graph->entry->def->schema;
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("object"));
    json_write_key(json, STR("properties"));
    json_write_object(json);
    json_write_key(json, QUESTION);
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("string"));
    json_write_member_u64(json, STR("minLength"), 1);
    json_write_member_str(json, STR("description"), STR("What it is asked, in whole sentences."));
    json_write_object_end(json);
    for (unsigned i = 0; i < schema->slot_count; i++) {
        if (!is_argument(graph, i))
            continue;
        json_write_key(json, str_of(schema->slots[i].name));
        json_write_object(json);
        json_write_member_str(json, STR("type"), str_of(types[schema->slots[i].type]));
        json_write_object_end(json);
    }
    json_write_object_end(json);
    json_write_key(json, STR("required"));
    json_write_array(json);
    json_write_str(json, QUESTION);
    json_write_array_end(json);
    json_write_member_bool(json, STR("additionalProperties"), false);
    json_write_object_end(json);
}

/* The arguments fit the schema that write_parameters wrote. */
static void fill(const struct tool_call *call, const struct tools_graph *graph,
                 struct update *input)
{
    const struct schema *schema = &graph->entry->def->schema;
    ask_graph_begin(graph->entry, input, node_session(call->node));
    update_put_str(input, graph->entry->question, tools_call_str(call, QUESTION));
    for (unsigned i = 0; i < schema->slot_count; i++) {
        const struct json_value *value =
            is_argument(graph, i)
                ? json_value_member(call->arguments, str_of(schema->slots[i].name))
                : NULL;
        if (value == NULL)
            continue;
        if (schema->slots[i].type == SLOT_TEXT)
            update_put_str(input, i, value->text);
        else if (schema->slots[i].type == SLOT_INT)
            update_put_int(input, i, value->integer);
        else if (schema->slots[i].type == SLOT_REAL)
            update_put_real(input, i, value->number);
        else
            update_put_bool(input, i, value->boolean);
    }
}

/* ---- one call ---- */

static void start(struct tool_call *call)
{
    const struct tools_graph *graph = call->tool->data;
    struct graph_frame *f = call->frame;
    struct update *input;
    if (graph->most_runs > 0 && call->earlier >= graph->most_runs) {
        tools_call_fail(call, "It was called %u times already, which is all that it may be.",
                        call->earlier);
        return;
    }
    f->inner.most_ms = graph->most_ms;
    if (!inner_make(&f->inner, call->node, graph->which, tools_call_key(call), &input)) {
        tools_call_fail(call, "There is no memory to run it.");
        return;
    }
    if (input != NULL)
        fill(call, graph, input);
    inner_start(&f->inner, tools_call_waiter(call));
    tools_call_settle(call, keep);
}

/* What a reader of the agent's answer may use as if a tool of askd's own had given it. */
static void take_report(struct tool_call *call, struct str members)
{
    struct arena *arena = node_arena(call->node);
    struct tool_result *result = &call->result;
    struct {
        struct str name, *to;
    } parts[] = {{STR("sql"), &result->sql},
                 {STR("data"), &result->data},
                 {STR("tables"), &result->tables},
                 {STR("chart"), &result->chart}};
    const struct json_value *root =
        json_value_parse(arena, arena_printf(arena, "{%.*s}", STR_ARG(members)), NULL, NULL);
    for (size_t i = 0; i < countof(parts); i++) {
        const struct json_value *value = json_value_member(root, parts[i].name);
        if (value != NULL && value->type == JSON_STRING)
            *parts[i].to = value->text;
        else if (value != NULL && value->type != JSON_NULL)
            *parts[i].to = json_value_text(value, arena, RESULT_BYTES);
    }
}

static void keep(struct tool_call *call)
{
    const struct tools_graph *graph = call->tool->data;
    const struct graph_frame *f = call->frame;
    struct str text, members;
    struct buf out;
    if (f->inner.is_paused) {
        tools_call_pause(call);
        return;
    }
    if (!ask_graph_result(graph->entry, &f->inner, node_arena(call->node), &text, &members)) {
        tools_call_fail(call, "It failed: %.*s", STR_ARG(text));
        return;
    }
    take_report(call, members);
    buf_init(&out, RESULT_BYTES);
    members_str(&out, "answer", text);
    if (members.len > 0)
        buf_printf(&out, ",%.*s", STR_ARG(members));
    struct str result = arena_printf(node_arena(call->node), "{%.*s}", STR_ARG(buf_str(&out)));
    if (buf_ok(&out) && !str_is_absent(result))
        tools_call_done(call, result);
    else
        tools_call_fail(call, "What it says is too long.");
    buf_fini(&out);
}

bool tools_graph_make(struct tools_graph *graph, const char *name, const char *description,
                      struct arena *arena)
{
    struct buf out;
    struct json_write json;
    buf_init(&out, SCHEMA_BYTES);
    json_write_init(&json, &out);
    write_parameters(graph, &json);
    const char *parameters = buf_ok(&out) ? arena_cstr(arena, buf_str(&out)) : NULL;
    buf_fini(&out);
    graph->tool = (struct tool){.name = name,
                                .description = description,
                                .parameters = parameters,
                                .start = start,
                                .frame_bytes = sizeof(struct graph_frame),
                                .is_counted = graph->most_runs > 0,
                                .data = graph};
    return parameters != NULL;
}
