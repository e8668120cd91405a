/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_import.c - each flow as the file of a graph.
 *
 * Happy path: the root's flow and those that it runs are read, one after another; each is written
 * with its fields, nodes and edges. A cycle gets a budget, since askd has none without. Failure:
 * the first mistake, or the first thing that has no place here. */
#include "agents/agent_spec/spec_import.h"

#include <string.h>

#include "agents/agent_spec/spec_nodes.h"
#include "core/base/mem.h"

enum {
    ARENA_BYTES = 32 << 20,
    TEXT_BYTES = 4 << 20,
    LOOP_LIMIT = 100,
    SUPERSTEPS = 1000,
};

struct spec_import {
    struct arena arena;
    struct spec_doc doc;
    struct spec_tools tools;
    struct spec_flow *flows[SPEC_FLOW_MAX];
    struct str texts[SPEC_FLOW_MAX];
    size_t flow_count;
    struct str tools_text;
};

static bool is_type(const struct spec_node *node, const char *type)
{
    return str_equal(node->type, str_of(type));
}

/* ---- flows ---- */

/* The flow of the component, read once; NULL: a mistake was noted. */
static struct spec_flow *take_flow(struct spec_import *import, const struct json_value *value,
                                   bool is_inner)
{
    const struct json_value *component = spec_doc_component(&import->doc, value);
    if (component == NULL)
        return NULL;
    for (size_t i = 0; i < import->flow_count; i++)
        if (import->flows[i]->value == component)
            return import->flows[i];
    if (import->flow_count == SPEC_FLOW_MAX || !str_equal(spec_doc_type(component), STR("Flow"))) {
        struct str type = spec_doc_type(component);
        spec_doc_fail(&import->doc, component, "expected a Flow (at most %d), got '%.*s'",
                      SPEC_FLOW_MAX, STR_ARG(type));
        return NULL;
    }
    struct spec_flow *flow = arena_alloc(&import->arena, sizeof *flow);
    if (flow == NULL) {
        spec_doc_no_memory(&import->doc);
        return NULL;
    }
    flow->value = component;
    import->flows[import->flow_count++] = flow;
    return spec_flow_read(&import->doc, component, is_inner, flow) ? flow : NULL;
}

static struct spec_flow *take_inner(void *owner, const struct json_value *value)
{
    return take_flow(owner, value, true);
}

static bool is_end(const struct spec_node *node)
{
    return is_type(node, "StartNode") || is_type(node, "EndNode");
}

static bool write_nodes(struct spec_import *import, const struct spec_flow *flow,
                        struct json_write *json)
{
    json_write_key(json, STR("nodes"));
    json_write_object(json);
    for (unsigned i = 0; i < flow->node_count; i++) {
        struct spec_writing w = {&import->doc, &import->tools,  take_inner, import,
                                 flow,         &flow->nodes[i], i,          json};
        struct str branch = is_type(w.node, "EndNode")
                                ? spec_doc_text(&import->doc, w.node->value, "branch_name", false)
                                : str_make(NULL, 0);
        if (!str_is_absent(branch) && !str_equal(branch, STR("next")))
            return spec_doc_fail(&import->doc, json_value_member(w.node->value, STR("branch_name")),
                                 "a graph has one end: branches of a flow cannot be mapped");
        if (import->doc.failed || (!is_end(w.node) && !spec_nodes_write(&w)))
            return false;
    }
    json_write_object_end(json);
    return true;
}

/* ---- edges ---- */

struct road {
    unsigned from, to;
    struct str label; /* absent: none */
    bool is_back;     /* closes a cycle */
};

static bool read_road(struct spec_import *import, const struct spec_flow *flow,
                      const struct json_value *item, struct road *road)
{
    static const char *const members[] = {SPEC_DOC_MEMBERS, "from_node", "from_branch", "to_node",
                                          NULL};
    struct spec_doc *doc = &import->doc;
    const struct json_value *edge = spec_doc_component(doc, item);
    if (edge == NULL || !spec_doc_known(doc, edge, members))
        return false;
    int from = spec_flow_node(doc, flow, edge, "from_node");
    int to = from < 0 ? -1 : spec_flow_node(doc, flow, edge, "to_node");
    if (to < 0)
        return false;
    struct str branch = spec_doc_text(doc, edge, "from_branch", false);
    const struct spec_node *node = &flow->nodes[from];
    bool routes = is_type(node, "BranchingNode") || is_type(node, "CatchExceptionNode");
    *road = (struct road){.from = (unsigned)from, .to = (unsigned)to};
    if (routes)
        road->label = !str_is_absent(branch)           ? branch
                      : is_type(node, "BranchingNode") ? STR("default")
                                                       : STR("next");
    else if (!str_is_absent(branch) && !str_equal(branch, STR("next")))
        return spec_doc_fail(doc, json_value_member(edge, STR("from_branch")),
                             "node '%s' has one branch", node->name);
    return !doc->failed;
}

/* Mark the roads that lead back to a node on the way to them. */
static void find_cycles(struct road *roads, size_t count, unsigned node, unsigned char *state)
{
    state[node] = 1;
    for (size_t i = 0; i < count; i++) {
        if (roads[i].from != node)
            continue;
        if (state[roads[i].to] == 1)
            roads[i].is_back = true;
        else if (state[roads[i].to] == 0)
            find_cycles(roads, count, roads[i].to, state);
    }
    state[node] = 2;
}

static void write_roads(const struct spec_flow *flow, const struct road *roads, size_t count,
                        struct json_write *json)
{
    json_write_key(json, STR("edges"));
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        json_write_object(json);
        json_write_member_str(json, STR("from"), str_of(flow->nodes[roads[i].from].name));
        json_write_member_str(json, STR("to"), str_of(flow->nodes[roads[i].to].name));
        if (!str_is_absent(roads[i].label))
            json_write_member_str(json, STR("label"), roads[i].label);
        if (roads[i].is_back)
            json_write_member_str(json, STR("budget"), STR("loop"));
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* The roads; *has_cycle: one leads back. NULL: a mistake was noted. */
static struct road *read_roads(struct spec_import *import, const struct spec_flow *flow,
                               size_t *count, bool *has_cycle)
{
    unsigned char state[SPEC_FLOW_NODES] = {0};
    const struct json_value *list =
        spec_doc_member(&import->doc, flow->value, "control_flow_connections", JSON_ARRAY, true);
    struct road *roads =
        list == NULL ? NULL : arena_array(&import->arena, list->count + 1, sizeof *roads);
    if (roads == NULL)
        return NULL;
    JSON_EACH(item, list)
        if (!read_road(import, flow, item, &roads[(*count)++]))
            return NULL;
    find_cycles(roads, *count, flow->start, state);
    for (size_t i = 0; i < *count; i++)
        *has_cycle = *has_cycle || roads[i].is_back;
    return roads;
}

/* ---- a graph ---- */

static void write_field(const struct spec_field *field, struct json_write *json)
{
    json_write_key(json, str_of(field->name));
    if (field->start == NULL && !field->is_input && strcmp(field->type, "list") != 0) {
        json_write_str(json, str_of(field->type));
        return;
    }
    json_write_object(json);
    json_write_member_str(json, STR("type"), str_of(field->type));
    if (strcmp(field->type, "list") == 0)
        json_write_member_str(json, STR("reduce"), STR("append"));
    if (field->is_input)
        json_write_member_bool(json, STR("input"), true);
    if (field->start != NULL) {
        json_write_key(json, STR("start"));
        json_value_write(field->start, json);
    }
    json_write_object_end(json);
}

static bool has_saying_agent(const struct spec_flow *flow)
{
    for (unsigned i = 0; i < flow->node_count; i++) {
        bool has_output = !is_type(&flow->nodes[i], "AgentNode");
        for (size_t j = 0; !has_output && j < flow->port_count; j++)
            has_output = flow->ports[j].node == i && !flow->ports[j].is_input;
        if (!has_output)
            return true;
    }
    return false;
}

static void write_state(const struct spec_flow *flow, bool has_cycle, struct json_write *json)
{
    json_write_key(json, STR("state"));
    json_write_object(json);
    if (flow->question < 0)
        json_write_member_str(json, str_of(flow->asked), STR("text"));
    for (size_t i = 0; i < flow->field_count; i++)
        write_field(&flow->fields[i], json);
    if (has_saying_agent(flow))
        json_write_member_str(json, str_of(flow->said), STR("text"));
    if (has_cycle)
        json_write_member_str(json, str_of(flow->turns), STR("int"));
    json_write_object_end(json);
    json_write_member_str(json, STR("question"), str_of(spec_nodes_question(flow)));
    if (has_cycle) {
        json_write_key(json, STR("budgets"));
        json_write_object(json);
        json_write_key(json, STR("loop"));
        json_write_object(json);
        json_write_member_i64(json, STR("limit"), LOOP_LIMIT);
        json_write_member_str(json, STR("counter"), str_of(flow->turns));
        json_write_object_end(json);
        json_write_object_end(json);
        json_write_member_i64(json, STR("recursion_limit"), SUPERSTEPS);
    }
}

static void write_report(const struct spec_flow *flow, struct json_write *json)
{
    json_write_key(json, STR("report"));
    json_write_object(json);
    for (size_t i = 0; i < flow->port_count; i++) {
        const struct spec_port *port = &flow->ports[i];
        bool is_first = is_type(&flow->nodes[port->node], "EndNode") && port->is_input;
        for (size_t j = 0; is_first && j < i; j++)
            is_first = !(is_type(&flow->nodes[flow->ports[j].node], "EndNode") &&
                         str_equal(flow->ports[j].name, port->name));
        if (is_first)
            json_write_member_str(json, port->name, str_of(flow->fields[port->field].name));
    }
    json_write_object_end(json);
}

static bool write_graph(struct spec_import *import, const struct spec_flow *flow, struct buf *out)
{
    struct json_write json;
    size_t count = 0;
    bool has_cycle = false;
    struct str says = spec_doc_text(&import->doc, flow->value, "description", false);
    const struct road *roads =
        import->doc.failed ? NULL : read_roads(import, flow, &count, &has_cycle);
    if (roads == NULL)
        return false;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("name"), str_of(flow->name));
    json_write_member_str(&json, STR("purpose"), str_is_empty(says) ? str_of(flow->name) : says);
    write_state(flow, has_cycle, &json);
    if (!write_nodes(import, flow, &json))
        return false;
    write_roads(flow, roads, count, &json);
    write_report(flow, &json);
    json_write_object_end(&json);
    return true;
}

/* An Agent alone: a graph of it, which says what it says. */
static bool write_alone(struct spec_import *import, struct spec_flow *flow, struct buf *out)
{
    struct json_write json;
    struct spec_doc *doc = &import->doc;
    struct str name = spec_doc_text(doc, doc->root, "name", true);
    flow->value = doc->root;
    flow->name = doc->failed ? NULL : spec_flow_name(doc, name);
    if (flow->name == NULL)
        return false;
    flow->nodes[0] = (struct spec_node){doc->root, STR("Agent"), flow->name};
    flow->node_count = 1;
    flow->question = -1;
    struct spec_writing w = {doc,  &import->tools,  take_inner, import,
                             flow, &flow->nodes[0], 0,          &json};
    struct str says = spec_doc_text(doc, doc->root, "description", false);
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("name"), str_of(flow->name));
    json_write_member_str(&json, STR("purpose"), str_is_empty(says) ? str_of(flow->name) : says);
    json_write_key(&json, STR("state"));
    json_write_raw(&json, STR("{\"question\":\"text\",\"said\":\"text\"}"));
    json_write_member_str(&json, STR("question"), STR("question"));
    json_write_key(&json, STR("nodes"));
    json_write_object(&json);
    json_write_key(&json, str_of(flow->name));
    json_write_object(&json);
    if (!spec_nodes_write_agent(&w, doc->root, "question"))
        return false;
    json_write_member_bool(&json, STR("answer"), true);
    json_write_member_str(&json, STR("output"), STR("said"));
    json_write_object_end(&json);
    json_write_object_end(&json);
    json_write_key(&json, STR("edges"));
    json_write_raw(&json, arena_printf(&import->arena,
                                       "[{\"from\":\"START\",\"to\":\"%s\"},"
                                       "{\"from\":\"%s\",\"to\":\"END\"}]",
                                       flow->name, flow->name));
    json_write_object_end(&json);
    return true;
}

/* ---- the document ---- */

static bool check_version(struct spec_doc *doc)
{
    static const char *const known[] = {"25.4.1", "25.4.2", "26.1.0", "26.1.2", "26.2.0"};
    struct str version = spec_doc_text(doc, doc->root, "agentspec_version", true);
    for (size_t i = 0; i < countof(known); i++)
        if (str_equal(version, str_of(known[i])))
            return true;
    return spec_doc_fail(doc, json_value_member(doc->root, STR("agentspec_version")),
                         "expected 25.4.1, 25.4.2, 26.1.0, 26.1.2 or 26.2.0");
}

static bool keep_text(struct spec_import *import, size_t i, struct buf *out, bool ok)
{
    if (ok && buf_ok(out))
        import->texts[i] = arena_str(&import->arena, buf_str(out));
    buf_fini(out);
    return (ok && !str_is_absent(import->texts[i])) || spec_doc_no_memory(&import->doc);
}

static bool same_names(struct spec_import *import)
{
    for (size_t i = 0; i < import->flow_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(import->flows[i]->name, import->flows[j]->name) == 0)
                return spec_doc_fail(&import->doc, import->flows[i]->value,
                                     "two flows are called '%s'", import->flows[i]->name);
    return true;
}

static bool read_all(struct spec_import *import)
{
    struct spec_doc *doc = &import->doc;
    struct buf out;
    if (doc->root->type != JSON_OBJECT)
        return spec_doc_fail(doc, doc->root, "expected an object");
    if (!check_version(doc))
        return false;
    if (str_equal(spec_doc_type(doc->root), STR("Agent"))) {
        import->flows[0] = arena_alloc(&import->arena, sizeof *import->flows[0]);
        import->flow_count = 1;
        buf_init(&out, TEXT_BYTES);
        bool ok = import->flows[0] != NULL && write_alone(import, import->flows[0], &out);
        return keep_text(import, 0, &out, ok);
    }
    if (take_flow(import, doc->root, false) == NULL)
        return false;
    for (size_t i = 0; i < import->flow_count; i++) { /* grows by the flows that nodes run */
        buf_init(&out, TEXT_BYTES);
        bool ok = write_graph(import, import->flows[i], &out);
        if (!keep_text(import, i, &out, ok))
            return false;
    }
    return same_names(import);
}

static bool write_tools_file(struct spec_import *import)
{
    struct buf out;
    if (import->tools.count == 0)
        return true;
    buf_init(&out, TEXT_BYTES);
    spec_tools_write(&import->tools, &out);
    import->tools_text = buf_ok(&out) ? arena_str(&import->arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return !str_is_empty(import->tools_text) || spec_doc_no_memory(&import->doc);
}

enum err_code spec_import_read(const char *path, struct str text, struct spec_import **out,
                               struct err *err)
{
    struct err why = {0};
    struct spec_import *import = mem_zalloc(1, sizeof *import);
    if (import == NULL)
        return err_set(err, ERR_NO_MEMORY, "%s: no memory", path);
    arena_init(&import->arena, ARENA_BYTES);
    import->doc = (struct spec_doc){.arena = &import->arena, .path = path, .err = &why};
    struct str kept = arena_str(&import->arena, text);
    import->doc.root = json_value_parse(&import->arena, kept, NULL, &why);
    if (import->doc.root == NULL)
        err_prefix(&why, path);
    if (import->doc.root != NULL && read_all(import) && write_tools_file(import)) {
        import->doc.err = NULL;
        *out = import;
        return ERR_OK;
    }
    spec_import_destroy(import);
    if (err != NULL)
        *err = why;
    return why.code;
}

void spec_import_destroy(struct spec_import *import)
{
    if (import == NULL)
        return;
    arena_fini(&import->arena);
    mem_free(import);
}

size_t spec_import_count(const struct spec_import *import)
{
    return import->flow_count;
}

const char *spec_import_name(const struct spec_import *import, size_t i)
{
    return import->flows[i]->name;
}

struct str spec_import_text(const struct spec_import *import, size_t i)
{
    return import->texts[i];
}

struct str spec_import_tools(const struct spec_import *import)
{
    return import->tools_text;
}
