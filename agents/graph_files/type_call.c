/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_call.c - "http" and "mcp": one call of a tool outside, with arguments of
 * the file's choice.
 *
 * "call" names the tool of ASKD_TOOLS; "arguments" has a member for each argument: a text with
 * placeholders, a number, true or false, or {"field":NAME}, the field's own value as JSON. What the
 * tool says goes into "output", or values of the JSON that it is into "outputs", each found by a
 * JSON pointer; where it fails, why goes into "failed", or the node fails.
 * Happy path: the tools are learnt, the arguments written and held against the schema, the call is
 * made, past a person where the tool asks one. Failure: no such tool, or one that fails. */
#include "agents/services/slot_text.h"
#include "agents/graph_files/graph_fields.h"
#include "agents/graph_files/node_types.h"
#include "agents/tools/list.h"
#include "agents/tools/remote.h"
#include "proto/json_write.h"

enum { MAX_ARGUMENTS = 32, MAX_OUTPUTS = 16, ARGUMENT_BYTES = 1 << 20 };

#define BEGAN STR("began")

struct argument {
    struct str name;
    const struct graph_text *text;
    struct slot_ref slot;           /* in the place of text */
    const struct json_value *plain; /* in the place of both */
};

struct call_file {
    const char *tool;
    struct argument arguments[MAX_ARGUMENTS];
    size_t count;
    struct slot_ref output, failed; /* output: none, where there are outputs or none is wanted */
    struct {
        struct slot_ref slot;
        const char *at;
    } outputs[MAX_OUTPUTS];
    size_t output_count;
    bool confirm; /* a person is asked, whatever the file of tools says */
};

struct call_frame {
    struct remote_learn learn;
    struct tool tool;
    const struct tool *offered[2];
    struct tool_call call;
};

static node_fn begin, keep;

/* ---- at run time ---- */

/* The arguments as JSON; fields that are absent leave theirs out. Absent: no memory. */
static struct str write_arguments(struct node *node, const struct call_file *file)
{
    struct buf out;
    struct json_write json;
    buf_init(&out, ARGUMENT_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    for (size_t i = 0; i < file->count; i++) {
        const struct argument *argument = &file->arguments[i];
        bool is_field = slot_is_named(argument->slot);
        if (is_field && !node_has(node, slot_index(argument->slot)))
            continue;
        json_write_key(&json, argument->name);
        if (is_field)
            slot_text_write(node_state(node), slot_index(argument->slot), &json);
        else if (argument->plain != NULL)
            json_value_write(argument->plain, &json);
        else
            json_write_str(&json, graph_fields_write(node, argument->text));
    }
    json_write_object_end(&json);
    struct str text =
        buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

static enum step fail(struct node *node, enum err_code code, struct str text)
{
    const struct call_file *file = node_config(node);
    struct err err;
    if (slot_is_named(file->failed)) {
        node_put_str(node, slot_index(file->failed), text);
        return STEP_DONE;
    }
    err_set(&err, code, "node '%s', tool '%s': %.*s", node_name(node), file->tool, STR_ARG(text));
    return node_fail(node, &err);
}

static void on_begins(struct tool_call *call)
{
    if (call->tool->writes)
        node_put_memo(call->node, BEGAN, STR("1"));
}

/* Fill tool from the one outside. False: there is none, or no memory. */
static bool find_tool(struct node *node, const char *name, struct tool *tool)
{
    size_t count;
    const struct remote_tool *at = remote_list(services(node)->remote, &count);
    for (size_t i = 0; i < count; i++)
        if (str_equal(at[i].name, str_of(name)))
            return tools_remote_make(&at[i], node_arena(node), tool);
    return false;
}

static enum step enter(struct node *node)
{
    struct call_frame *f = node_frame(node);
    if (services(node)->remote == NULL)
        return fail(node, ERR_NOT_CONFIGURED, STR("there are no tools: set ASKD_TOOLS"));
    tools_list_learn(node, &f->learn);
    return node_await(node, begin);
}

static enum step begin(struct node *node)
{
    const struct call_file *file = node_config(node);
    struct call_frame *f = node_frame(node);
    if (!find_tool(node, file->tool, &f->tool))
        return fail(node, ERR_UNAVAILABLE, STR("there is no such tool now"));
    if (!str_is_absent(node_find_memo(node, BEGAN)))
        return fail(node, ERR_UNAVAILABLE,
                    STR("the call was on its way before; whether it was made is not known, and it "
                        "is not made again"));
    f->tool.asks = f->tool.asks || file->confirm;
    f->offered[0] = &f->tool;
    f->call = (struct tool_call){
        .node = node,
        .offered = f->offered,
        .id = str_of(node_name(node)),
        .name = str_of(file->tool),
        .written = write_arguments(node, file),
        .said = node_resume(node),
        .on_begins = on_begins,
    };
    if (str_is_absent(f->call.written))
        return fail(node, ERR_TOO_LARGE, STR("the arguments do not fit into memory"));
    tools_call_start(&f->call, node_waiter(node));
    return node_await(node, keep);
}

/* Put what the tool says; false: it is not the JSON that is wanted. */
static bool put_answer(struct node *node, const struct call_file *file, struct str text)
{
    bool is_named = slot_is_named(file->output);
    unsigned slot = is_named ? slot_index(file->output) : 0;
    bool is_json = file->output_count > 0 ||
                   (is_named && state_schema(node_state(node))->slots[slot].type == SLOT_JSON);
    const struct json_value *value =
        is_json ? json_value_parse(node_arena(node), text, NULL, NULL) : NULL;
    if (is_json && value == NULL)
        return false;
    if (is_named)
        node_put_str(node, slot, text);
    for (size_t i = 0; i < file->output_count; i++)
        graph_fields_put(node, slot_index(file->outputs[i].slot),
                         json_value_find(value, file->outputs[i].at));
    return true;
}

static enum step keep(struct node *node)
{
    const struct call_file *file = node_config(node);
    const struct call_frame *f = node_frame(node);
    if (!str_is_absent(f->call.asks))
        return node_interrupt(node, f->call.asks);
    if (f->call.result.is_error)
        return fail(node, ERR_REJECTED, f->call.result.text);
    if (!put_answer(node, file, f->call.result.text))
        return fail(node, ERR_PROTOCOL, STR("what it says is not JSON"));
    return STEP_DONE;
}

static const struct graph_node_type call_node = {.enter = enter,
                                                 .frame_bytes = sizeof(struct call_frame)};

/* ---- at load ---- */

static bool read_argument(struct graph_reader *r, const struct json_value *parent,
                          const struct json_value *value, struct argument *argument)
{
    static const char *const members[] = {"field", NULL};
    const char *name = arena_cstr(r->json.arena, value->key);
    argument->name = value->key;
    if (name == NULL)
        return graph_reader_no_memory(r);
    if (value->type == JSON_STRING) {
        argument->text = graph_fields_read(r, parent, name, true, NULL);
    } else if (value->type == JSON_OBJECT) {
        size_t mark = graph_reader_enter(r, value->key);
        if (graph_reader_members(r, value, members, NULL))
            argument->slot = graph_reader_slot(r, value, "field", true, 63);
        graph_reader_leave(r, mark);
    } else if (value->type == JSON_ARRAY || value->type == JSON_NULL) {
        return graph_reader_fail(r, name, "expected a text, a number, true, false or {\"field\"}");
    } else {
        argument->plain = value;
    }
    return graph_reader_ok(r);
}

static bool read_arguments(struct graph_reader *r, const struct json_value *object,
                           struct call_file *file)
{
    const struct json_value *list = graph_reader_object(r, object, "arguments", false);
    size_t mark = graph_reader_enter(r, STR("arguments"));
    if (list != NULL)
        JSON_EACH(item, list) {
            if (file->count == MAX_ARGUMENTS)
                return graph_reader_fail(r, NULL, "more than %d arguments", MAX_ARGUMENTS);
            if (!read_argument(r, list, item, &file->arguments[file->count++]))
                return false;
        }
    graph_reader_leave(r, mark);
    return graph_reader_ok(r);
}

static bool read_outputs(struct graph_reader *r, const struct json_value *list, unsigned index,
                         struct call_file *file)
{
    static const char *const members[] = {"field", "at", NULL};
    size_t outer = graph_reader_enter(r, STR("outputs"));
    if (list->count > MAX_OUTPUTS)
        return graph_reader_fail(r, NULL, "more than %d outputs", MAX_OUTPUTS);
    JSON_EACH(item, list) {
        size_t mark = graph_reader_enter_item(r, file->output_count);
        if (!graph_reader_members(r, item, members, NULL))
            return false;
        struct str at = graph_reader_text(r, item, "at", true);
        if (at.len > 0 && at.at[0] != '/')
            return graph_reader_fail(r, "at", "expected a JSON pointer, such as \"/name\"");
        file->outputs[file->output_count].at =
            str_is_absent(at) ? NULL : arena_cstr(r->json.arena, at);
        file->outputs[file->output_count++].slot =
            graph_reader_output(r, item, "field", true, GRAPH_FIELDS_TYPES, index);
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    return graph_reader_ok(r);
}

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct call_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    file->tool = graph_reader_name(r, object, "call", true);
    if (file->tool != NULL && (r->has_tool == NULL || !r->has_tool(r->tools, str_of(file->tool))))
        return graph_reader_fail(r, "call", "'%s' is no tool of ASKD_TOOLS", file->tool);
    const struct json_value *outputs = graph_reader_array(r, object, "outputs", false);
    file->output =
        graph_reader_output(r, object, "output", false, 1u << SLOT_TEXT | 1u << SLOT_JSON, index);
    if (outputs != NULL && slot_is_named(file->output))
        return graph_reader_fail(r, "outputs", "expected \"output\" or \"outputs\", one of them");
    if (outputs != NULL && !read_outputs(r, outputs, index, file))
        return false;
    file->failed = graph_reader_output(r, object, "failed", false, 1u << SLOT_TEXT, index);
    file->confirm = graph_reader_flag(r, object, "confirm");
    node->type = &call_node;
    node->config = file;
    return read_arguments(r, object, file);
}

const struct node_type type_call_http_node = {
    "http", {"call", "arguments", "output", "outputs", "failed", "confirm"}, read};
const struct node_type type_call_mcp_node = {
    "mcp", {"call", "arguments", "output", "outputs", "failed", "confirm"}, read};
