/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_nodes.c - each type of a graph's nodes as a component.
 *
 * Failure: the first member, type or text that has no place there. */
#include "agents/agent_spec/spec_export_nodes.h"

#include <string.h>

#include "agents/agent_spec/spec_export_ends.h"
#include "agents/agent_spec/spec_text.h"

enum { TEXT_BYTES = 4 << 20 };

struct naming {
    struct exporting_graph *graph;
    bool is_unknown;
};

static struct str place_name(void *owner, struct str name)
{
    struct naming *naming = owner;
    naming->is_unknown = json_value_member(naming->graph->state, name) == NULL;
    if (naming->is_unknown || !exporting_add_port(naming->graph, true, name, name))
        return str_make(NULL, 0);
    return name;
}

/* The text at a place, as Agent Spec has it, in the arena; absent: a mistake was noted. */
static struct str take_text(struct exporting *x, struct exporting_graph *graph,
                            const struct json_value *at)
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

static void end_node(struct exporting *x, const struct exporting_graph *graph,
                     const struct json_value *node)
{
    put_kept(x, node);
    exporting_ports(x, graph, graph->node);
    json_write_object_end(&x->json);
}

static bool add_output(struct exporting_graph *graph, const struct json_value *node)
{
    struct str field = exporting_text(graph, node, "output");
    return !graph->doc.failed && exporting_add_port(graph, false, field, field);
}

static void put_model(struct exporting *x, bool is_exact)
{
    json_write_key(&x->json, STR("llm_config"));
    exporting_ref_value(x, is_exact ? STR("llm_exact") : STR("llm"));
}

static bool write_ask(struct exporting *x, struct exporting_graph *graph,
                      const struct json_value *node)
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
    exporting_begin_node(x, graph, "LlmNode");
    exporting_put(x, "prompt_template",
                  arena_printf(&x->arena, "%.*s%s%.*s", STR_ARG(head), head.len > 0 ? "\n\n" : "",
                               STR_ARG(user)));
    put_model(x, exact != NULL && exact->boolean);
    end_node(x, graph, node);
    return true;
}

static bool write_message(struct exporting *x, struct exporting_graph *graph,
                          const struct json_value *node, const char *type)
{
    struct str text = take_text(x, graph, json_value_member(node, STR("text")));
    if (graph->doc.failed)
        return false;
    exporting_begin_node(x, graph, type);
    exporting_put(x, "message", text);
    end_node(x, graph, node);
    return true;
}

static bool write_answer(struct exporting *x, struct exporting_graph *graph,
                         const struct json_value *node)
{
    return write_message(x, graph, node, "OutputMessageNode");
}

static bool write_interrupt(struct exporting *x, struct exporting_graph *graph,
                            const struct json_value *node)
{
    return add_output(graph, node) && write_message(x, graph, node, "InputMessageNode");
}

/* What a tool says: all of it, members of the object that it is, or nothing. */
static bool add_answers(struct exporting_graph *graph, const struct json_value *node)
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
        struct str field = exporting_text(graph, item, "field"),
                   at = exporting_text(graph, item, "at");
        struct str title = at.len > 0 ? str_make(at.at + 1, at.len - 1) : STR("/");
        if (graph->doc.failed)
            return false;
        if (str_find_char(title, '/') != STR_NONE || str_find_char(title, '~') != STR_NONE)
            return spec_doc_fail(&graph->doc, json_value_member(item, STR("at")),
                                 "a part that is no member of what a tool says cannot be mapped");
        if (!exporting_add_port(graph, false, title, field))
            return false;
    }
    return true;
}

/* Begin a tool of graph->node; part: what its id has behind the node's; from: says "confirm", or
 * does not. */
static void begin_tool(struct exporting *x, const struct exporting_graph *graph, struct str part,
                       struct str name, const struct json_value *from)
{
    const struct json_value *confirm = json_value_member(from, STR("confirm"));
    exporting_begin_value(
        x, "ServerTool",
        arena_printf(&x->arena, "%.*s.%s.%.*s", STR_ARG(graph->name), graph->node, STR_ARG(part)),
        name);
    if (confirm != NULL && confirm->boolean)
        json_write_member_bool(&x->json, STR("requires_confirmation"), true);
}

/* A tool of ASKD_TOOLS, which whoever runs the flow has by its name. */
static bool write_call(struct exporting *x, struct exporting_graph *graph,
                       const struct json_value *node)
{
    const struct json_value *arguments =
        spec_doc_member(&graph->doc, node, "arguments", JSON_OBJECT, false);
    struct str call = exporting_text(graph, node, "call");
    if (graph->doc.failed)
        return false;
    for (const struct json_value *one = arguments == NULL ? NULL : arguments->first; one != NULL;
         one = one->next) {
        struct str field;
        if (json_value_str(one, "/field", &field, NULL) != ERR_OK)
            return spec_doc_fail(&graph->doc, one, "an argument that is no field cannot be mapped");
        if (!exporting_add_port(graph, true, one->key, field))
            return false;
    }
    if (!add_answers(graph, node))
        return false;
    exporting_begin_node(x, graph, "ToolNode");
    json_write_key(&x->json, STR("tool"));
    begin_tool(x, graph, STR("tool"), call, node);
    exporting_ports(x, graph, graph->node);
    json_write_object_end(&x->json);
    end_node(x, graph, node);
    return true;
}

static bool write_branch(struct exporting *x, struct exporting_graph *graph,
                         const struct json_value *node)
{
    static const char *const members[] = {"field", "equals", NULL};
    const struct json_value *route = spec_doc_member(&graph->doc, node, "route", JSON_ARRAY, true);
    struct str field = {NULL, 0}, value, label;
    if (route == NULL)
        return false;
    exporting_begin_node(x, graph, "BranchingNode");
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
    if (!exporting_add_port(graph, true, STR("branching_mapping_key"), field))
        return false;
    end_node(x, graph, node);
    return true;
}

/* A tool by its name, or {"tool","confirm"}; *asks_back: it is the one that asks the user. */
static bool write_agent_tool(struct exporting *x, struct exporting_graph *graph,
                             const struct json_value *tool, bool *asks_back)
{
    static const char *const members[] = {"tool", "confirm", NULL};
    const struct json_value *named = json_value_member(tool, STR("tool"));
    if (named != NULL && !spec_doc_known(&graph->doc, tool, members))
        return false;
    named = named == NULL ? tool : named;
    if (named->type != JSON_STRING || str_find_char(named->text, '*') != STR_NONE)
        return spec_doc_fail(&graph->doc, tool, "a tool that is no name cannot be mapped");
    if (str_equal(named->text, STR("ask_user"))) {
        *asks_back = true;
        return true;
    }
    begin_tool(x, graph, named->text, named->text, tool);
    json_write_object_end(&x->json);
    return true;
}

static bool write_agent(struct exporting *x, struct exporting_graph *graph,
                        const struct json_value *node)
{
    struct str user, question = exporting_text(graph, node, "question");
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
    exporting_begin_node(x, graph, "AgentNode");
    json_write_key(&x->json, STR("agent"));
    exporting_begin_value(
        x, "Agent", arena_printf(&x->arena, "%.*s.%s.agent", STR_ARG(graph->name), graph->node),
        str_of(graph->node));
    exporting_put(x, "system_prompt", prompt);
    put_model(x, false);
    json_write_key(&x->json, STR("tools"));
    json_write_array(&x->json);
    JSON_EACH(tool, tools) {
        if (!write_agent_tool(x, graph, tool, &asks_back))
            return false;
    }
    json_write_array_end(&x->json);
    json_write_member_bool(&x->json, STR("human_in_the_loop"), asks_back);
    exporting_ports(x, graph, graph->node);
    json_write_object_end(&x->json);
    end_node(x, graph, node);
    return true;
}

/* ---- graphs within graphs ---- */

/* The graph that a member names; NULL: a mistake was noted. */
static const struct exporting_graph *find_graph(struct exporting *x, struct exporting_graph *graph,
                                                const struct json_value *node)
{
    struct str name = exporting_text(graph, node, "graph");
    if (graph->doc.failed)
        return NULL;
    for (size_t i = 0; i < x->graph_count; i++)
        if (str_equal(x->graphs[i]->name, name))
            return x->graphs[i];
    if (x->graph_count == EXPORTING_GRAPHS) {
        spec_doc_fail(&graph->doc, json_value_member(node, STR("graph")), "more than %d graphs",
                      EXPORTING_GRAPHS);
        return NULL;
    }
    struct str text = x->find(x->owner, name, &x->arena);
    if (str_is_absent(text)) {
        spec_doc_fail(&graph->doc, json_value_member(node, STR("graph")),
                      "graph '%.*s' stands in no file and cannot be mapped", STR_ARG(name));
        return NULL;
    }
    const struct exporting_graph *inner = x->take(
        x, arena_cstr(&x->arena, arena_printf(&x->arena, "%.*s.json", STR_ARG(name))), text, true);
    if (inner == NULL)
        graph->doc.failed = true;
    return inner;
}

/* Ports for what is passed in; names there are those of the fields inside. */
static bool add_passed_in(struct exporting *x, struct exporting_graph *graph,
                          const struct json_value *node, const char *prefix)
{
    const struct json_value *in = spec_doc_member(&graph->doc, node, "in", JSON_OBJECT, false);
    for (const struct json_value *one = in == NULL ? NULL : in->first; one != NULL;
         one = one->next) {
        struct str title = arena_printf(&x->arena, "%s%.*s", prefix, STR_ARG(one->key));
        if (one->type != JSON_STRING)
            return spec_doc_fail(&graph->doc, one, "expected the name of a field");
        if (!exporting_add_port(graph, true, title, one->text))
            return false;
    }
    return !graph->doc.failed;
}

/* What the inner graph reports a field as, which is what its flow gives out; absent: it does not.
 */
static struct str reported_as(const struct exporting_graph *inner, struct str field)
{
    const struct json_value *report = json_value_member(inner->doc.root, STR("report"));
    for (const struct json_value *one = report == NULL ? NULL : report->first; one != NULL;
         one = one->next)
        if (one->type == JSON_STRING && str_equal(one->text, field))
            return one->key;
    return str_make(NULL, 0);
}

static bool add_given_out(struct exporting_graph *graph, const struct exporting_graph *inner,
                          const struct json_value *at, struct str field, struct str outer)
{
    struct str title = reported_as(inner, field);
    return str_is_absent(title)
               ? spec_doc_fail(&graph->doc, at, "graph '%.*s' does not report its field '%.*s'",
                               STR_ARG(inner->name), STR_ARG(field))
               : exporting_add_port(graph, false, title, outer);
}

static void put_subflow(struct exporting *x, const struct exporting_graph *inner)
{
    json_write_key(&x->json, STR("subflow"));
    exporting_ref_value(x, inner->name);
}

/* With "catch" a failure is a branch, as CatchExceptionNode has it. */
static bool check_catch(struct exporting_graph *graph, const struct json_value *node)
{
    static const char *const members[] = {"field", "is", NULL};
    struct str caught = spec_doc_text(&graph->doc, node, "catch", false), field, is;
    const struct json_value *route = json_value_member(node, STR("route"));
    const struct json_value *condition = json_value_find(route, "/0/if");
    if (str_is_absent(caught))
        return !graph->doc.failed;
    bool is_fine = route != NULL && route->count >= 2 && condition != NULL &&
                   json_value_str(condition, "/field", &field, NULL) == ERR_OK &&
                   json_value_str(condition, "/is", &is, NULL) == ERR_OK &&
                   str_equal(field, caught) && str_equal(is, STR("set"));
    if (is_fine)
        return spec_doc_known(&graph->doc, condition, members);
    return spec_doc_fail(&graph->doc, json_value_member(node, STR("catch")),
                         "a failure that is caught cannot be mapped without a route whose first "
                         "choice is that it is set");
}

/* The ports of a node that runs inner. False: a mistake was noted. */
static bool add_inner_ports(struct exporting_graph *graph, const struct exporting_graph *inner,
                            struct exporting *x, const struct json_value *node)
{
    struct str caught = spec_doc_text(&graph->doc, node, "catch", false);
    const struct json_value *outs = spec_doc_member(&graph->doc, node, "out", JSON_OBJECT, true);
    if (outs == NULL || !check_catch(graph, node) || !add_passed_in(x, graph, node, "") ||
        !spec_export_ends_check(graph, node, inner, str_is_absent(caught) ? 0 : 1))
        return false;
    struct str heard = spec_export_ends_heard(node, inner);
    JSON_EACH(one, outs) {
        if (one->type != JSON_STRING)
            return spec_doc_fail(&graph->doc, one, "expected the name of a field");
        if ((str_is_absent(heard) || !str_equal(one->key, heard)) &&
            !add_given_out(graph, inner, one, one->text, one->key))
            return false;
    }
    if (!str_is_absent(caught) &&
        !exporting_add_port(graph, false, STR("caught_exception_info"), caught))
        return false;
    for (struct exporting_port *port = graph->ports; port < graph->ports + graph->port_count;
         port++)
        if (port->node == graph->node && !port->is_input)
            port->is_caught = !str_is_absent(caught);
    return true;
}

static bool write_inner(struct exporting *x, struct exporting_graph *graph,
                        const struct json_value *node)
{
    const struct exporting_graph *inner = find_graph(x, graph, node);
    if (inner == NULL || !add_inner_ports(graph, inner, x, node))
        return false;
    exporting_begin_node(x, graph,
                         json_value_member(node, STR("catch")) == NULL ? "FlowNode"
                                                                       : "CatchExceptionNode");
    put_subflow(x, inner);
    end_node(x, graph, node);
    return true;
}

const struct exporting_graph *spec_export_nodes_ports(struct exporting *x,
                                                      struct exporting_graph *graph,
                                                      const struct json_value *node)
{
    static const char *const members[] = {"type", "graph", "in", "out"};
    struct str type = exporting_text(graph, node, "type");
    size_t known = 0;
    for (size_t i = 0; i < countof(members); i++)
        known += json_value_member(node, str_of(members[i])) != NULL;
    if (graph->doc.failed || !str_equal(type, STR("graph")) || known != node->count)
        return NULL;
    const struct exporting_graph *inner = find_graph(x, graph, node);
    return inner != NULL && add_inner_ports(graph, inner, x, node) ? inner : NULL;
}

static bool write_map(struct exporting *x, struct exporting_graph *graph,
                      const struct json_value *node)
{
    const struct json_value *at_once = json_value_member(node, STR("at_once"));
    const struct json_value *at = json_value_member(node, STR("at"));
    const struct exporting_graph *inner = find_graph(x, graph, node);
    struct str over = inner == NULL ? STR("") : exporting_text(graph, node, "over");
    struct str take = inner == NULL ? STR("") : exporting_text(graph, node, "take");
    struct str output = inner == NULL ? STR("") : exporting_text(graph, node, "output");
    if (inner == NULL || graph->doc.failed)
        return false;
    struct str item = spec_doc_text(&graph->doc, node, "item", false);
    if (str_is_absent(item))
        item = spec_doc_text(&graph->doc, inner->doc.root, "question", true);
    if (at != NULL && (at->type != JSON_STRING || at->text.len > 0))
        return spec_doc_fail(&graph->doc, at, "a list within a field cannot be mapped");
    if (!exporting_add_port(graph, true, arena_printf(&x->arena, "iterated_%.*s", STR_ARG(item)),
                            over) ||
        !add_passed_in(x, graph, node, "iterated_"))
        return false;
    struct str title = reported_as(inner, take);
    if (str_is_absent(title))
        return spec_doc_fail(&graph->doc, json_value_member(node, STR("take")),
                             "graph '%.*s' does not report its field '%.*s'", STR_ARG(inner->name),
                             STR_ARG(take));
    if (!exporting_add_port(graph, false, arena_printf(&x->arena, "collected_%.*s", STR_ARG(title)),
                            output))
        return false;
    bool is_one = at_once != NULL && at_once->type == JSON_INT && at_once->integer == 1;
    exporting_begin_node(x, graph, is_one ? "MapNode" : "ParallelMapNode");
    put_subflow(x, inner);
    end_node(x, graph, node);
    return true;
}

#define KEPT "type", "answer", "task", "timeout_ms", "retries", "tool"

static const struct {
    const char *type;
    bool (*write)(struct exporting *x, struct exporting_graph *graph,
                  const struct json_value *node);
    const char *members[20];
} types[] = {
    {"ask", write_ask, {KEPT, "prompt", "output", "exact"}},
    {"agent",
     write_agent,
     {KEPT, "prompt", "question", "tools", "output", "turns", "tokens", "seconds", "cost"}},
    {"http", write_call, {KEPT, "call", "arguments", "output", "outputs", "confirm"}},
    {"mcp", write_call, {KEPT, "call", "arguments", "output", "outputs", "confirm"}},
    {"branch", write_branch, {KEPT, "route"}},
    {"interrupt", write_interrupt, {KEPT, "text", "output"}},
    {"answer", write_answer, {KEPT, "text"}},
    {"graph", write_inner, {KEPT, "graph", "in", "out", "catch", "route"}},
    {"map",
     write_map,
     {KEPT, "over", "at", "graph", "item", "in", "take", "output", "at_once", "seconds"}},
};

bool spec_export_nodes_write(struct exporting *x, struct exporting_graph *graph,
                             const struct json_value *node)
{
    struct str type = exporting_text(graph, node, "type");
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
