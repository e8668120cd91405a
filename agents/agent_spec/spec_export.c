/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export.c - a graph's nodes as components, its fields as edges of data.
 *
 * Happy path: each graph becomes a Flow, whose components stand in $referenced_components of the
 * document; a field is an edge from each node that writes it to each that reads it. Failure: the
 * first member, type or text that has no place there. */
#include "agents/agent_spec/spec_export.h"

#include <stdio.h>
#include <string.h>

#include "agents/agent_spec/spec_doc.h"
#include "agents/agent_spec/spec_text.h"
#include "core/base/mem.h"
#include "proto/json_write.h"

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 4 << 20, MAX_PORTS = 512, MAX_GRAPHS = 16 };

struct port {
    const char *node;
    bool is_input;
    struct str title, field;
    bool is_caught; /* of a node whose failure is a branch: the field is absent then */
};

struct graph {
    struct spec_doc doc; /* of its file */
    const struct json_value *state, *nodes;
    struct str name;
    const char *node; /* whose ports are added */
    struct port ports[MAX_PORTS];
    size_t port_count;
    bool is_inner;
};

struct exporting {
    struct arena arena;
    struct err *err;
    spec_export_find_fn *find;
    void *owner;
    struct json_write json; /* the components, as members */
    struct buf text;
    struct graph *graphs[MAX_GRAPHS];
    size_t graph_count;
};

/* ---- fields ---- */

static struct str field_type(const struct graph *graph, struct str field)
{
    const struct json_value *slot = json_value_member(graph->state, field);
    const struct json_value *type =
        slot != NULL && slot->type == JSON_OBJECT ? json_value_member(slot, STR("type")) : slot;
    return type != NULL && type->type == JSON_STRING ? type->text : STR("");
}

static bool add_port(struct graph *graph, bool is_input, struct str title, struct str field)
{
    if (graph->port_count == MAX_PORTS)
        return spec_doc_fail(&graph->doc, graph->doc.root, "more than %d values", MAX_PORTS);
    for (size_t i = 0; i < graph->port_count; i++)
        if (graph->ports[i].node == graph->node && graph->ports[i].is_input == is_input &&
            str_equal(graph->ports[i].title, title))
            return true;
    graph->ports[graph->port_count++] = (struct port){graph->node, is_input, title, field, false};
    return true;
}

static void write_property(const struct graph *graph, const struct port *port,
                           struct json_write *json)
{
    static const struct {
        const char *field, *schema, *nothing;
    } types[] = {{"text", "string", "\"\""},
                 {"int", "integer", "0"},
                 {"real", "number", "0"},
                 {"bool", "boolean", "false"},
                 {"list", "array", "[]"}};
    const char *nothing = "null";
    struct str type = field_type(graph, port->field);
    const struct json_value *start =
        json_value_member(json_value_member(graph->state, port->field), STR("start"));
    json_write_object(json);
    json_write_member_str(json, STR("title"), port->title);
    for (size_t i = 0; i < countof(types); i++)
        if (str_equal(type, str_of(types[i].field))) {
            json_write_member_str(json, STR("type"), str_of(types[i].schema));
            nothing = types[i].nothing;
        }
    if (port->is_caught) { /* where Agent Spec has a value, a field has none */
        json_write_member_raw(json, STR("default"), str_of(nothing));
        json_write_member_bool(json, STR("askd_absent"), true);
    }
    if (start != NULL && start->type != JSON_OBJECT && strcmp(port->node, "START") == 0) {
        json_write_key(json, STR("default"));
        json_value_write(start, json);
    }
    if (!str_equal(port->title, port->field))
        json_write_member_str(json, STR("askd_field"), port->field);
    json_write_object_end(json);
}

static void write_properties(const struct graph *graph, const char *node, bool is_input,
                             const char *key, struct json_write *json)
{
    json_write_key(json, str_of(key));
    json_write_array(json);
    for (size_t i = 0; i < graph->port_count; i++)
        if (strcmp(graph->ports[i].node, node) == 0 && graph->ports[i].is_input == is_input)
            write_property(graph, &graph->ports[i], json);
    json_write_array_end(json);
}

/* ---- nodes ---- */

struct naming {
    struct graph *graph;
    bool is_unknown;
};

static struct str place_name(void *owner, struct str name)
{
    struct naming *naming = owner;
    naming->is_unknown = json_value_member(naming->graph->state, name) == NULL;
    if (naming->is_unknown || !add_port(naming->graph, true, name, name))
        return str_make(NULL, 0);
    return name;
}

/* The text at a place, as Agent Spec has it, in the arena; absent: a mistake was noted. */
static struct str take_text(struct exporting *x, struct graph *graph, const struct json_value *at)
{
    struct naming naming = {.graph = graph};
    struct buf out;
    struct str text = {NULL, 0};
    if (at == NULL || at->type != JSON_STRING) {
        spec_doc_fail(&graph->doc, at == NULL ? graph->doc.root : at, "expected a text");
        return text;
    }
    buf_init(&out, TEXT_BYTES);
    if (spec_text_to_spec(at->text, place_name, &naming, &out))
        text = buf_str(&out).len == 0 ? STR("") : arena_str(&x->arena, buf_str(&out));
    else
        spec_doc_fail(&graph->doc, at,
                      naming.is_unknown ? "a placeholder that is no field cannot be mapped"
                                        : "braces in a row cannot be mapped");
    buf_fini(&out);
    return text;
}

static void put(struct exporting *x, const char *key, struct str value)
{
    json_write_member_str(&x->json, str_of(key), value);
}

static void put_ref(struct exporting *x, const char *key, const struct graph *graph,
                    const char *node)
{
    json_write_key(&x->json, str_of(key));
    json_write_object(&x->json);
    put(x, "$component_ref", arena_printf(&x->arena, "%.*s.%s", STR_ARG(graph->name), node));
    json_write_object_end(&x->json);
}

static struct str member_text(struct graph *graph, const struct json_value *object,
                              const char *member)
{
    return spec_doc_text(&graph->doc, object, member, true);
}

/* Begin a component; key: of the table. */
static void begin(struct exporting *x, struct str key, const char *type, struct str name)
{
    json_write_key(&x->json, key);
    json_write_object(&x->json);
    put(x, "component_type", str_of(type));
    put(x, "id", key);
    put(x, "name", name);
}

static void begin_node(struct exporting *x, const struct graph *graph, const char *type)
{
    begin(x, arena_printf(&x->arena, "%.*s.%s", STR_ARG(graph->name), graph->node), type,
          str_of(graph->node));
}

/* Members that only say how askd runs a node, which have no place there, as metadata. */
static void put_kept(struct exporting *x, const struct json_value *node)
{
    static const char *const kept[] = {"/answer", "/task",          "/timeout_ms", "/retries",
                                       "/tool",   "/turns",         "/tokens",     "/seconds",
                                       "/cost",   "/prompt/system", NULL};
    bool any = false;
    for (size_t i = 0; kept[i] != NULL; i++) {
        const struct json_value *value = json_value_find(node, kept[i]);
        if (value == NULL)
            continue;
        if (!any) {
            json_write_key(&x->json, STR("metadata"));
            json_write_object(&x->json);
            json_write_key(&x->json, STR("askd"));
            json_write_object(&x->json);
        }
        any = true;
        json_write_key(&x->json, value->key);
        json_value_write(value, &x->json);
    }
    if (any) {
        json_write_object_end(&x->json);
        json_write_object_end(&x->json);
    }
}

static void end_node(struct exporting *x, const struct graph *graph, const struct json_value *node)
{
    put_kept(x, node);
    write_properties(graph, graph->node, true, "inputs", &x->json);
    write_properties(graph, graph->node, false, "outputs", &x->json);
    json_write_object_end(&x->json);
}

static bool add_output(struct graph *graph, const struct json_value *node)
{
    struct str field = member_text(graph, node, "output");
    return !graph->doc.failed && add_port(graph, false, field, field);
}

static void put_model(struct exporting *x, bool is_exact)
{
    json_write_key(&x->json, STR("llm_config"));
    json_write_object(&x->json);
    put(x, "$component_ref", is_exact ? STR("llm_exact") : STR("llm"));
    json_write_object_end(&x->json);
}

static bool write_ask(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    const struct json_value *prompt =
        spec_doc_member(&graph->doc, node, "prompt", JSON_OBJECT, true);
    const struct json_value *system = json_value_member(prompt, STR("system"));
    const struct json_value *exact = json_value_member(node, STR("exact"));
    struct str head = STR(""), user = {NULL, 0};
    if (prompt == NULL)
        return false;
    if (system != NULL)
        head = take_text(x, graph, system);
    if (!graph->doc.failed)
        user = take_text(x, graph, json_value_member(prompt, STR("user")));
    if (graph->doc.failed || !add_output(graph, node))
        return false;
    begin_node(x, graph, "LlmNode");
    put(x, "prompt_template",
        arena_printf(&x->arena, "%.*s%s%.*s", STR_ARG(head), head.len > 0 ? "\n\n" : "",
                     STR_ARG(user)));
    put_model(x, exact != NULL && exact->boolean);
    end_node(x, graph, node);
    return true;
}

static bool write_message(struct exporting *x, struct graph *graph, const struct json_value *node,
                          const char *type)
{
    struct str text = take_text(x, graph, json_value_member(node, STR("text")));
    if (graph->doc.failed)
        return false;
    begin_node(x, graph, type);
    put(x, "message", text);
    end_node(x, graph, node);
    return true;
}

static bool write_answer(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    return write_message(x, graph, node, "OutputMessageNode");
}

static bool write_interrupt(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    return add_output(graph, node) && write_message(x, graph, node, "InputMessageNode");
}

/* What a tool says: all of it, members of the object that it is, or nothing. */
static bool add_answers(struct graph *graph, const struct json_value *node)
{
    static const char *const members[] = {"field", "at", NULL};
    const struct json_value *outputs =
        spec_doc_member(&graph->doc, node, "outputs", JSON_ARRAY, false);
    if (outputs == NULL)
        return !graph->doc.failed &&
               (json_value_member(node, STR("output")) == NULL || add_output(graph, node));
    if (outputs->count < 2)
        return spec_doc_fail(&graph->doc, outputs, "one part of what a tool says cannot be mapped");
    JSON_EACH(item, outputs) {
        if (!spec_doc_known(&graph->doc, item, members))
            return false;
        struct str field = member_text(graph, item, "field"), at = member_text(graph, item, "at");
        struct str title = at.len > 0 ? str_make(at.at + 1, at.len - 1) : STR("/");
        if (graph->doc.failed)
            return false;
        if (str_find_char(title, '/') != STR_NONE || str_find_char(title, '~') != STR_NONE)
            return spec_doc_fail(&graph->doc, json_value_member(item, STR("at")),
                                 "a part that is no member of what a tool says cannot be mapped");
        if (!add_port(graph, false, title, field))
            return false;
    }
    return true;
}

/* A tool of ASKD_TOOLS, which whoever runs the flow has by its name. */
static bool write_call(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    const struct json_value *arguments =
        spec_doc_member(&graph->doc, node, "arguments", JSON_OBJECT, false);
    struct str call = member_text(graph, node, "call");
    if (graph->doc.failed)
        return false;
    for (const struct json_value *one = arguments == NULL ? NULL : arguments->first; one != NULL;
         one = one->next) {
        struct str field;
        if (json_value_str(one, "/field", &field, NULL) != ERR_OK)
            return spec_doc_fail(&graph->doc, one, "an argument that is no field cannot be mapped");
        if (!add_port(graph, true, one->key, field))
            return false;
    }
    if (!add_answers(graph, node))
        return false;
    begin_node(x, graph, "ToolNode");
    json_write_key(&x->json, STR("tool"));
    json_write_object(&x->json);
    put(x, "component_type", STR("ServerTool"));
    put(x, "id", arena_printf(&x->arena, "%.*s.%s.tool", STR_ARG(graph->name), graph->node));
    put(x, "name", call);
    write_properties(graph, graph->node, true, "inputs", &x->json);
    write_properties(graph, graph->node, false, "outputs", &x->json);
    json_write_object_end(&x->json);
    end_node(x, graph, node);
    return true;
}

static bool write_branch(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    static const char *const members[] = {"field", "equals", NULL};
    const struct json_value *route = spec_doc_member(&graph->doc, node, "route", JSON_ARRAY, true);
    struct str field = {NULL, 0}, value, label;
    if (route == NULL)
        return false;
    begin_node(x, graph, "BranchingNode");
    json_write_key(&x->json, STR("mapping"));
    json_write_object(&x->json);
    JSON_EACH(choice, route) {
        const struct json_value *condition = json_value_member(choice, STR("if"));
        struct str name = field;
        if (condition == NULL)
            continue; /* the last: "default" */
        if (!spec_doc_known(&graph->doc, condition, members))
            return false;
        if (json_value_str(condition, "/field", &name, NULL) != ERR_OK ||
            json_value_str(condition, "/equals", &value, NULL) != ERR_OK ||
            json_value_str(choice, "/label", &label, NULL) != ERR_OK ||
            (!str_is_absent(field) && !str_equal(field, name)))
            return spec_doc_fail(&graph->doc, condition,
                                 "a choice by anything but texts of one field cannot be mapped");
        field = name;
        json_write_member_str(&x->json, value, label);
    }
    json_write_object_end(&x->json);
    if (str_is_absent(field))
        return spec_doc_fail(&graph->doc, route, "a route without a choice cannot be mapped");
    if (!add_port(graph, true, STR("branching_mapping_key"), field))
        return false;
    end_node(x, graph, node);
    return true;
}

static bool write_agent(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    struct str user, question = member_text(graph, node, "question");
    const struct json_value *system = json_value_find(node, "/prompt/system");
    const struct json_value *tools = spec_doc_member(&graph->doc, node, "tools", JSON_ARRAY, true);
    bool asks_back = false;
    if (graph->doc.failed)
        return false;
    if (json_value_str(node, "/prompt/user", &user, NULL) != ERR_OK ||
        !str_equal(user, arena_printf(&x->arena, "{%.*s}", STR_ARG(question))))
        return spec_doc_fail(&graph->doc, json_value_member(node, STR("prompt")),
                             "a user's prompt other than the question cannot be mapped");
    struct str prompt = system == NULL ? STR("") : take_text(x, graph, system);
    if (graph->doc.failed || !add_output(graph, node))
        return false;
    begin_node(x, graph, "AgentNode");
    json_write_key(&x->json, STR("agent"));
    json_write_object(&x->json);
    put(x, "component_type", STR("Agent"));
    put(x, "id", arena_printf(&x->arena, "%.*s.%s.agent", STR_ARG(graph->name), graph->node));
    put(x, "name", str_of(graph->node));
    put(x, "system_prompt", prompt);
    put_model(x, false);
    json_write_key(&x->json, STR("tools"));
    json_write_array(&x->json);
    JSON_EACH(tool, tools) {
        if (tool->type != JSON_STRING || str_find_char(tool->text, '*') != STR_NONE)
            return spec_doc_fail(&graph->doc, tool, "a tool that is no name cannot be mapped");
        asks_back = asks_back || str_equal(tool->text, STR("ask_user"));
        if (str_equal(tool->text, STR("ask_user")))
            continue;
        json_write_object(&x->json);
        put(x, "component_type", STR("ServerTool"));
        put(x, "id",
            arena_printf(&x->arena, "%.*s.%s.%.*s", STR_ARG(graph->name), graph->node,
                         STR_ARG(tool->text)));
        put(x, "name", tool->text);
        json_write_object_end(&x->json);
    }
    json_write_array_end(&x->json);
    json_write_member_bool(&x->json, STR("human_in_the_loop"), asks_back);
    write_properties(graph, graph->node, true, "inputs", &x->json);
    write_properties(graph, graph->node, false, "outputs", &x->json);
    json_write_object_end(&x->json);
    end_node(x, graph, node);
    return true;
}

/* ---- graphs within graphs ---- */

static struct graph *take_graph(struct exporting *x, const char *path, struct str text,
                                bool is_inner);

/* The graph that a member names; NULL: a mistake was noted. */
static const struct graph *find_graph(struct exporting *x, struct graph *graph,
                                      const struct json_value *node)
{
    struct str name = member_text(graph, node, "graph");
    if (graph->doc.failed)
        return NULL;
    for (size_t i = 0; i < x->graph_count; i++)
        if (str_equal(x->graphs[i]->name, name))
            return x->graphs[i];
    if (x->graph_count == MAX_GRAPHS) {
        spec_doc_fail(&graph->doc, json_value_member(node, STR("graph")), "more than %d graphs",
                      MAX_GRAPHS);
        return NULL;
    }
    struct str text = x->find(x->owner, name, &x->arena);
    if (str_is_absent(text)) {
        spec_doc_fail(&graph->doc, json_value_member(node, STR("graph")),
                      "graph '%.*s' stands in no file and cannot be mapped", STR_ARG(name));
        return NULL;
    }
    const struct graph *inner = take_graph(
        x, arena_cstr(&x->arena, arena_printf(&x->arena, "%.*s.json", STR_ARG(name))), text, true);
    if (inner == NULL)
        graph->doc.failed = true;
    return inner;
}

/* Ports for what is passed in; names there are those of the fields inside. */
static bool add_passed_in(struct exporting *x, struct graph *graph, const struct json_value *node,
                          const char *prefix)
{
    const struct json_value *in = spec_doc_member(&graph->doc, node, "in", JSON_OBJECT, false);
    for (const struct json_value *one = in == NULL ? NULL : in->first; one != NULL;
         one = one->next) {
        struct str title = arena_printf(&x->arena, "%s%.*s", prefix, STR_ARG(one->key));
        if (one->type != JSON_STRING)
            return spec_doc_fail(&graph->doc, one, "expected the name of a field");
        if (!add_port(graph, true, title, one->text))
            return false;
    }
    return !graph->doc.failed;
}

/* What the inner graph reports a field as, which is what its flow gives out; absent: it does not.
 */
static struct str reported_as(const struct graph *inner, struct str field)
{
    const struct json_value *report = json_value_member(inner->doc.root, STR("report"));
    for (const struct json_value *one = report == NULL ? NULL : report->first; one != NULL;
         one = one->next)
        if (one->type == JSON_STRING && str_equal(one->text, field))
            return one->key;
    return str_make(NULL, 0);
}

static bool add_given_out(struct graph *graph, const struct graph *inner,
                          const struct json_value *at, struct str field, struct str outer)
{
    struct str title = reported_as(inner, field);
    return str_is_absent(title)
               ? spec_doc_fail(&graph->doc, at, "graph '%.*s' does not report its field '%.*s'",
                               STR_ARG(inner->name), STR_ARG(field))
               : add_port(graph, false, title, outer);
}

static void put_subflow(struct exporting *x, const struct graph *inner)
{
    json_write_key(&x->json, STR("subflow"));
    json_write_object(&x->json);
    put(x, "$component_ref", inner->name);
    json_write_object_end(&x->json);
}

/* With "catch" a failure is a branch, as CatchExceptionNode has it. */
static bool check_catch(struct graph *graph, const struct json_value *node)
{
    static const char *const members[] = {"field", "is", NULL};
    struct str caught = spec_doc_text(&graph->doc, node, "catch", false), field, is, label;
    const struct json_value *route = json_value_member(node, STR("route"));
    if (str_is_absent(caught))
        return !graph->doc.failed &&
               (route == NULL || spec_doc_fail(&graph->doc, route, "a route cannot be mapped"));
    const struct json_value *condition = json_value_find(route, "/0/if");
    bool is_fine = route != NULL && route->count == 2 && condition != NULL &&
                   json_value_str(condition, "/field", &field, NULL) == ERR_OK &&
                   json_value_str(condition, "/is", &is, NULL) == ERR_OK &&
                   json_value_str(route, "/0/label", &label, NULL) == ERR_OK &&
                   str_equal(field, caught) && str_equal(is, STR("set")) &&
                   str_equal(label, STR("caught_exception_branch"));
    if (is_fine)
        return spec_doc_known(&graph->doc, condition, members);
    return spec_doc_fail(&graph->doc, json_value_member(node, STR("catch")),
                         "a failure that is caught cannot be mapped without a route to "
                         "'caught_exception_branch' when it is set");
}

static bool write_inner(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    struct str caught = spec_doc_text(&graph->doc, node, "catch", false);
    const struct json_value *outs = spec_doc_member(&graph->doc, node, "out", JSON_OBJECT, true);
    const struct graph *inner = outs == NULL ? NULL : find_graph(x, graph, node);
    if (inner == NULL || !check_catch(graph, node) || !add_passed_in(x, graph, node, ""))
        return false;
    JSON_EACH(one, outs) {
        if (one->type != JSON_STRING)
            return spec_doc_fail(&graph->doc, one, "expected the name of a field");
        if (!add_given_out(graph, inner, one, one->text, one->key))
            return false;
    }
    if (!str_is_absent(caught) && !add_port(graph, false, STR("caught_exception_info"), caught))
        return false;
    for (struct port *port = graph->ports; port < graph->ports + graph->port_count; port++)
        if (port->node == graph->node && !port->is_input)
            port->is_caught = !str_is_absent(caught);
    begin_node(x, graph, str_is_absent(caught) ? "FlowNode" : "CatchExceptionNode");
    put_subflow(x, inner);
    end_node(x, graph, node);
    return true;
}

static bool write_map(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    const struct json_value *at_once = json_value_member(node, STR("at_once"));
    const struct json_value *at = json_value_member(node, STR("at"));
    const struct graph *inner = find_graph(x, graph, node);
    struct str over = inner == NULL ? STR("") : member_text(graph, node, "over");
    struct str take = inner == NULL ? STR("") : member_text(graph, node, "take");
    struct str output = inner == NULL ? STR("") : member_text(graph, node, "output");
    if (inner == NULL || graph->doc.failed)
        return false;
    struct str item = spec_doc_text(&graph->doc, node, "item", false);
    if (str_is_absent(item))
        item = spec_doc_text(&graph->doc, inner->doc.root, "question", true);
    if (at != NULL && (at->type != JSON_STRING || at->text.len > 0))
        return spec_doc_fail(&graph->doc, at, "a list within a field cannot be mapped");
    if (!add_port(graph, true, arena_printf(&x->arena, "iterated_%.*s", STR_ARG(item)), over) ||
        !add_passed_in(x, graph, node, "iterated_"))
        return false;
    struct str title = reported_as(inner, take);
    if (str_is_absent(title))
        return spec_doc_fail(&graph->doc, json_value_member(node, STR("take")),
                             "graph '%.*s' does not report its field '%.*s'", STR_ARG(inner->name),
                             STR_ARG(take));
    if (!add_port(graph, false, arena_printf(&x->arena, "collected_%.*s", STR_ARG(title)), output))
        return false;
    bool is_one = at_once != NULL && at_once->type == JSON_INT && at_once->integer == 1;
    begin_node(x, graph, is_one ? "MapNode" : "ParallelMapNode");
    put_subflow(x, inner);
    end_node(x, graph, node);
    return true;
}

#define KEPT "type", "answer", "task", "timeout_ms", "retries", "tool"

static const struct {
    const char *type;
    bool (*write)(struct exporting *x, struct graph *graph, const struct json_value *node);
    const char *members[20];
} types[] = {
    {"ask", write_ask, {KEPT, "prompt", "output", "exact"}},
    {"agent",
     write_agent,
     {KEPT, "prompt", "question", "tools", "output", "turns", "tokens", "seconds", "cost"}},
    {"http", write_call, {KEPT, "call", "arguments", "output", "outputs"}},
    {"mcp", write_call, {KEPT, "call", "arguments", "output", "outputs"}},
    {"branch", write_branch, {KEPT, "route"}},
    {"interrupt", write_interrupt, {KEPT, "text", "output"}},
    {"answer", write_answer, {KEPT, "text"}},
    {"graph", write_inner, {KEPT, "graph", "in", "out", "catch", "route"}},
    {"map",
     write_map,
     {KEPT, "over", "at", "graph", "item", "in", "take", "output", "at_once", "seconds"}},
};

static bool write_node(struct exporting *x, struct graph *graph, const struct json_value *node)
{
    struct str type = member_text(graph, node, "type");
    graph->node = arena_cstr(&x->arena, node->key);
    if (graph->node == NULL)
        return spec_doc_no_memory(&graph->doc);
    for (size_t i = 0; i < countof(types); i++)
        if (str_equal(type, str_of(types[i].type)))
            return spec_doc_known(&graph->doc, node, types[i].members) &&
                   types[i].write(x, graph, node);
    return spec_doc_fail(&graph->doc, node, "a node of type '%.*s' cannot be mapped",
                         STR_ARG(type));
}

/* ---- a graph ---- */

static bool write_ends(struct exporting *x, struct graph *graph)
{
    const struct json_value *report =
        spec_doc_member(&graph->doc, graph->doc.root, "report", JSON_OBJECT, false);
    struct str question = member_text(graph, graph->doc.root, "question");
    if (graph->doc.failed)
        return false;
    graph->node = "START";
    if (!add_port(graph, false, question, question))
        return false;
    JSON_EACH(slot, graph->state) {
        const struct json_value *start = json_value_member(slot, STR("start"));
        const struct json_value *input = json_value_member(slot, STR("input"));
        if (start != NULL && start->type == JSON_OBJECT)
            return spec_doc_fail(&graph->doc, start, "what the caller is cannot be mapped");
        if ((start != NULL || (graph->is_inner && input != NULL && input->boolean)) &&
            !add_port(graph, false, slot->key, slot->key))
            return false;
    }
    begin_node(x, graph, "StartNode");
    write_properties(graph, "START", false, "inputs", &x->json);
    write_properties(graph, "START", false, "outputs", &x->json);
    json_write_object_end(&x->json);
    graph->node = "END";
    for (const struct json_value *one = report == NULL ? NULL : report->first; one != NULL;
         one = one->next) {
        if (one->type != JSON_STRING)
            return spec_doc_fail(&graph->doc, one, "a member by a condition cannot be mapped");
        if (!add_port(graph, true, one->key, one->text))
            return false;
    }
    begin_node(x, graph, "EndNode");
    write_properties(graph, "END", true, "inputs", &x->json);
    write_properties(graph, "END", true, "outputs", &x->json);
    json_write_object_end(&x->json);
    return true;
}

/* The branch of an edge: labels of a branch's last choice are "default" there. */
static struct str branch_of(const struct graph *graph, struct str from, struct str label,
                            bool *is_both)
{
    const struct json_value *node = json_value_member(graph->nodes, from);
    const struct json_value *route = json_value_member(node, STR("route"));
    bool is_last = false, is_other = false;
    struct str type = {NULL, 0};
    if (json_value_str(node, "/type", &type, NULL) != ERR_OK || route == NULL ||
        !str_equal(type, STR("branch")))
        return label;
    JSON_EACH(choice, route) {
        const struct json_value *name = json_value_member(choice, STR("label"));
        bool is_it = name != NULL && name->type == JSON_STRING && str_equal(name->text, label);
        if (choice->next == NULL)
            is_last = is_it;
        else
            is_other = is_other || is_it;
    }
    *is_both = is_last && is_other;
    return is_last && !is_other ? STR("default") : label;
}

static void write_edge(struct exporting *x, const struct graph *graph, struct str from,
                       struct str to, struct str branch)
{
    const char *one = arena_cstr(&x->arena, from), *other = arena_cstr(&x->arena, to);
    json_write_object(&x->json);
    put(x, "component_type", STR("ControlFlowEdge"));
    put(x, "name", arena_printf(&x->arena, "%.*s to %.*s", STR_ARG(from), STR_ARG(to)));
    put_ref(x, "from_node", graph, one == NULL ? "" : one);
    if (!str_is_absent(branch))
        put(x, "from_branch", branch);
    put_ref(x, "to_node", graph, other == NULL ? "" : other);
    json_write_object_end(&x->json);
}

static bool write_edges(struct exporting *x, struct graph *graph)
{
    static const char *const members[] = {"from", "to", "label", NULL};
    const struct json_value *list =
        spec_doc_member(&graph->doc, graph->doc.root, "edges", JSON_ARRAY, true);
    if (list == NULL)
        return false;
    json_write_key(&x->json, STR("control_flow_connections"));
    json_write_array(&x->json);
    JSON_EACH(edge, list) {
        bool is_both = false;
        struct str from = member_text(graph, edge, "from"), to = member_text(graph, edge, "to");
        struct str label = spec_doc_text(&graph->doc, edge, "label", false);
        if (graph->doc.failed || !spec_doc_known(&graph->doc, edge, members))
            return false;
        JSON_EACH(other, list)
            if (other != edge && str_is_absent(label) &&
                str_equal(member_text(graph, other, "from"), from))
                return spec_doc_fail(&graph->doc, edge, "nodes side by side cannot be mapped");
        struct str branch = str_is_absent(label) ? label : branch_of(graph, from, label, &is_both);
        write_edge(x, graph, from, to, branch);
        if (is_both)
            write_edge(x, graph, from, to, STR("default"));
    }
    json_write_array_end(&x->json);
    return true;
}

/* A field is an edge from each node that writes it to each that reads it. */
static void write_data(struct exporting *x, const struct graph *graph)
{
    json_write_key(&x->json, STR("data_flow_connections"));
    json_write_array(&x->json);
    for (size_t i = 0; i < graph->port_count; i++)
        for (size_t j = 0; j < graph->port_count; j++) {
            const struct port *from = &graph->ports[i], *to = &graph->ports[j];
            if (from->is_input || !to->is_input || !str_equal(from->field, to->field))
                continue;
            json_write_object(&x->json);
            put(x, "component_type", STR("DataFlowEdge"));
            put(x, "name", from->field);
            put_ref(x, "source_node", graph, from->node);
            put(x, "source_output", from->title);
            put_ref(x, "destination_node", graph, to->node);
            put(x, "destination_input", to->title);
            json_write_object_end(&x->json);
        }
    json_write_array_end(&x->json);
}

/* The members of the Flow, behind its type, id and name. */
static bool write_flow(struct exporting *x, struct graph *graph)
{
    put(x, "description", member_text(graph, graph->doc.root, "purpose"));
    write_properties(graph, "START", false, "inputs", &x->json);
    write_properties(graph, "END", true, "outputs", &x->json);
    put_ref(x, "start_node", graph, "START");
    json_write_key(&x->json, STR("nodes"));
    json_write_array(&x->json);
    JSON_EACH(node, graph->nodes) {
        json_write_object(&x->json);
        put(x, "$component_ref",
            arena_printf(&x->arena, "%.*s.%.*s", STR_ARG(graph->name), STR_ARG(node->key)));
        json_write_object_end(&x->json);
    }
    static const char *const ends[] = {"START", "END"};
    for (size_t i = 0; i < countof(ends); i++) {
        json_write_object(&x->json);
        put(x, "$component_ref", arena_printf(&x->arena, "%.*s.%s", STR_ARG(graph->name), ends[i]));
        json_write_object_end(&x->json);
    }
    json_write_array_end(&x->json);
    if (!write_edges(x, graph))
        return false;
    write_data(x, graph);
    return true;
}

/* Read the graph and write its nodes, and before them those of the graphs that it runs. */
static struct graph *take_graph(struct exporting *x, const char *path, struct str text,
                                bool is_inner)
{
    static const char *const members[] = {"$schema", "name",  "purpose", "state", "question",
                                          "nodes",   "edges", "report",  NULL};
    struct graph *graph = arena_alloc(&x->arena, sizeof *graph);
    if (graph == NULL || path == NULL) {
        err_set(x->err, ERR_NO_MEMORY, "no memory for the graphs");
        return NULL;
    }
    graph->is_inner = is_inner;
    graph->doc = (struct spec_doc){.arena = &x->arena, .path = path, .err = x->err};
    graph->doc.root = json_value_parse(&x->arena, text, NULL, x->err);
    if (graph->doc.root == NULL || !spec_doc_known(&graph->doc, graph->doc.root, members))
        return NULL;
    x->graphs[x->graph_count++] = graph;
    graph->name = member_text(graph, graph->doc.root, "name");
    graph->state = spec_doc_member(&graph->doc, graph->doc.root, "state", JSON_OBJECT, true);
    graph->nodes = spec_doc_member(&graph->doc, graph->doc.root, "nodes", JSON_OBJECT, true);
    if (graph->doc.failed || !write_ends(x, graph))
        return NULL;
    JSON_EACH(node, graph->nodes)
        if (!write_node(x, graph, node))
            return NULL;
    return graph;
}

static void write_models(struct exporting *x)
{
    for (int exact = 0; exact < 2; exact++) {
        begin(x, exact ? STR("llm_exact") : STR("llm"), "OpenAiCompatibleConfig",
              STR("the model of the deployment"));
        put(x, "model_id", STR("default"));
        put(x, "url", STR("http://localhost:8080/v1"));
        if (exact) {
            json_write_key(&x->json, STR("default_generation_parameters"));
            json_write_object(&x->json);
            json_write_member_i64(&x->json, STR("temperature"), 0);
            json_write_object_end(&x->json);
        }
        json_write_object_end(&x->json);
    }
}

static bool write_document(struct exporting *x, const char *path, struct str text)
{
    json_write_init(&x->json, &x->text);
    json_write_object(&x->json);
    put(x, "agentspec_version", STR(SPEC_EXPORT_VERSION));
    json_write_key(&x->json, STR("$referenced_components"));
    json_write_object(&x->json);
    write_models(x);
    struct graph *root = take_graph(x, path, text, false);
    if (root == NULL)
        return false;
    for (size_t i = 1; i < x->graph_count; i++) {
        begin(x, x->graphs[i]->name, "Flow", x->graphs[i]->name);
        if (!write_flow(x, x->graphs[i]))
            return false;
        json_write_object_end(&x->json);
    }
    json_write_object_end(&x->json);
    put(x, "component_type", STR("Flow"));
    put(x, "id", root->name);
    put(x, "name", root->name);
    if (!write_flow(x, root))
        return false;
    json_write_object_end(&x->json);
    return true;
}

enum err_code spec_export_write(const char *path, struct str text, spec_export_find_fn *find,
                                void *owner, struct buf *out, struct err *err)
{
    struct err why = {0};
    struct exporting *x = mem_zalloc(1, sizeof *x);
    if (x == NULL)
        return err_set(err, ERR_NO_MEMORY, "%s: no memory", path);
    *x = (struct exporting){.err = &why, .find = find, .owner = owner};
    arena_init(&x->arena, ARENA_BYTES);
    buf_init(&x->text, TEXT_BYTES);
    if (write_document(x, path, arena_str(&x->arena, text)) && buf_ok(&x->text) &&
        arena_ok(&x->arena))
        buf_push(out, buf_str(&x->text));
    else if (why.code == ERR_OK)
        err_set(&why, ERR_NO_MEMORY, "%s: no memory for the document", path);
    buf_fini(&x->text);
    arena_fini(&x->arena);
    mem_free(x);
    if (why.code != ERR_OK && err != NULL)
        *err = why;
    return why.code;
}
