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
    unsigned runs[SPEC_FLOW_MAX]; /* the flows that each one runs, a bit for each */
    size_t writing;               /* the flow whose nodes are written */
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
                                   enum spec_place place)
{
    const struct json_value *component = spec_doc_component(&import->doc, value);
    if (component == NULL)
        return NULL;
    for (size_t i = 0; i < import->flow_count; i++)
        if (import->flows[i]->value == component)
            return import->flows[i];
    struct str type = spec_doc_type(component);
    if (!str_equal(type, STR("Flow")))
        spec_doc_fail(&import->doc, component, "a %.*s cannot be mapped: expected a Flow%s",
                      STR_ARG(str_is_empty(type) ? STR("component without a type") : type),
                      place == SPEC_ROOT ? " or an Agent" : "");
    else if (import->flow_count == SPEC_FLOW_MAX)
        spec_doc_fail(&import->doc, component, "more than %d flows", SPEC_FLOW_MAX);
    if (import->doc.failed)
        return NULL;
    struct spec_flow *flow = arena_alloc(&import->arena, sizeof *flow);
    if (flow == NULL) {
        spec_doc_no_memory(&import->doc);
        return NULL;
    }
    flow->value = component;
    import->flows[import->flow_count++] = flow;
    return spec_flow_read(&import->doc, component, place, flow) ? flow : NULL;
}

static struct spec_flow *take_inner(void *owner, const struct json_value *value)
{
    struct spec_import *import = owner;
    struct spec_flow *flow = take_flow(import, value, SPEC_INNER);
    for (size_t i = 0; flow != NULL && i < import->flow_count; i++)
        if (import->flows[i] == flow)
            import->runs[import->writing] |= 1u << i;
    return flow;
}

/* Whether no flow runs itself, over others or not. */
static bool check_runs(struct spec_import *import)
{
    for (size_t i = 0; i < import->flow_count; i++) {
        unsigned reached = import->runs[i], before = 0;
        while (reached != before) {
            before = reached;
            for (size_t j = 0; j < import->flow_count; j++)
                if ((before & 1u << j) != 0)
                    reached |= import->runs[j];
        }
        if ((reached & 1u << i) != 0)
            return spec_doc_fail(&import->doc, import->flows[i]->value, "flow '%s' runs itself",
                                 import->flows[i]->name);
    }
    return true;
}

static bool is_end(const struct spec_node *node)
{
    return is_type(node, "StartNode") || (is_type(node, "EndNode") && str_is_absent(node->branch));
}

static bool write_nodes(struct spec_import *import, const struct spec_flow *flow,
                        struct json_write *json)
{
    json_write_key(json, STR("nodes"));
    json_write_object(json);
    for (unsigned i = 0; i < flow->node_count; i++) {
        struct spec_writing w = {&import->doc, &import->tools,  take_inner, import,
                                 flow,         &flow->nodes[i], i,          json};
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
    bool routes = is_type(node, "BranchingNode") || is_type(node, "CatchExceptionNode") ||
                  node->branch_count > 0;
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

/* road: whose label and budget the edge has; NULL: none. */
static void write_edge(const char *from, const char *to, const struct road *road,
                       struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("from"), str_of(from));
    json_write_member_str(json, STR("to"), str_of(to));
    if (road != NULL && !str_is_absent(road->label))
        json_write_member_str(json, STR("label"), road->label);
    if (road != NULL && road->is_back)
        json_write_member_str(json, STR("budget"), STR("loop"));
    json_write_object_end(json);
}

static void write_roads(const struct spec_flow *flow, const struct road *roads, size_t count,
                        struct json_write *json)
{
    json_write_key(json, STR("edges"));
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        write_edge(flow->nodes[roads[i].from].last, flow->nodes[roads[i].to].name, &roads[i], json);
    for (const struct spec_node *node = flow->nodes; node < flow->nodes + flow->node_count;
         node++) {
        if (!str_is_absent(node->branch))
            write_edge(node->name, "END", NULL, json);
        for (size_t i = 0; i < node->part_count; i++) {
            write_edge(node->name, node->parts[i], NULL, json);
            write_edge(node->parts[i], node->last, NULL, json);
        }
    }
    json_write_array_end(json);
}

/* Whether exactly one road leads from the node's branch; absent: from a node without branches. */
static bool check_branch(struct spec_doc *doc, const struct spec_node *node, unsigned index,
                         struct str branch, const struct road *roads, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += roads[i].from == index && str_equal(roads[i].label, branch);
    return found == 1 ||
           spec_doc_fail(doc, node->value, "%zu edges lead from branch '%.*s', expected one", found,
                         STR_ARG(str_is_absent(branch) ? STR("next") : branch));
}

static bool check_branches(struct spec_doc *doc, const struct spec_flow *flow,
                           const struct road *roads, size_t count)
{
    for (unsigned i = 0; i < flow->node_count; i++) {
        const struct spec_node *node = &flow->nodes[i];
        bool routes = is_type(node, "BranchingNode"), catches = is_type(node, "CatchExceptionNode");
        const struct json_value *mapping = json_value_member(node->value, STR("mapping"));
        struct str first = routes                   ? STR("default")
                           : node->branch_count > 0 ? node->branches[0]
                           : catches                ? STR("next")
                                                    : str_make(NULL, 0);
        if (is_type(node, "EndNode"))
            continue;
        for (size_t j = 1; j < node->branch_count; j++)
            if (!check_branch(doc, node, i, node->branches[j], roads, count))
                return false;
        if (!check_branch(doc, node, i, first, roads, count) ||
            (catches && !check_branch(doc, node, i, STR("caught_exception_branch"), roads, count)))
            return false;
        if (routes && mapping != NULL && mapping->type == JSON_OBJECT)
            JSON_EACH(item, mapping)
                if (item->type == JSON_STRING &&
                    !check_branch(doc, node, i, item->text, roads, count))
                    return false;
    }
    return true;
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
    if (!check_branches(&import->doc, flow, roads, *count))
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
    const char *end = flow->place == SPEC_ALONE ? "AgentNode" : "EndNode";
    json_write_key(json, STR("report"));
    json_write_object(json);
    for (size_t i = 0; i < flow->port_count; i++) {
        const struct spec_port *port = &flow->ports[i];
        bool is_first =
            is_type(&flow->nodes[port->node], end) && port->is_input == (flow->place != SPEC_ALONE);
        for (size_t j = 0; is_first && j < i; j++)
            is_first = !(is_type(&flow->nodes[flow->ports[j].node], end) &&
                         flow->ports[j].is_input == port->is_input &&
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

/* ---- the document ---- */

static bool check_version(struct spec_doc *doc)
{
    static const char *const known[] = {"25.4.1", "25.4.2", "26.1.0", "26.1.2", "26.2.0", "26.3.1"};
    struct str version = spec_doc_text(doc, doc->root, "agentspec_version", true);
    for (size_t i = 0; i < countof(known); i++)
        if (str_equal(version, str_of(known[i])))
            return true;
    return spec_doc_fail(doc, json_value_member(doc->root, STR("agentspec_version")),
                         "expected 25.4.1, 25.4.2, 26.1.0, 26.1.2, 26.2.0 or 26.3.1");
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

/* A text as JSON writes it. */
static struct str quote(struct spec_doc *doc, struct str text)
{
    struct json_write json;
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    json_write_init(&json, &out);
    json_write_str(&json, text);
    struct str quoted = buf_ok(&out) ? arena_str(doc->arena, buf_str(&out)) : str_make(NULL, 0);
    buf_fini(&out);
    if (str_is_absent(quoted))
        spec_doc_no_memory(doc);
    return quoted;
}

#define NODE(type, id) "{\"component_type\":\"" type "\",\"id\":\"" id "\",\"name\":\"" id "\"}"
#define START          NODE("StartNode", "start")
#define END            NODE("EndNode", "end")
#define AGENT                                                                                      \
    "{\"component_type\":\"AgentNode\",\"id\":\"agent\",\"name\":%.*s,"                            \
    "\"agent\":{\"$component_ref\":%.*s}}"
#define EDGE(from, to)                                                                             \
    "{\"component_type\":\"ControlFlowEdge\",\"name\":\"edge\",\"from_node\":" from                \
    ",\"to_node\":" to "}"

/* An Agent alone as a Flow: a start, the agent, an end. NULL: a mistake was noted. */
static const struct json_value *make_flow(struct spec_doc *doc)
{
    static const char flow[] =
        "{\"component_type\":\"Flow\",\"name\":%.*s,\"description\":%.*s,"
        "\"start_node\":" START ",\"nodes\":[" START "," AGENT "," END "],"
        "\"control_flow_connections\":[" EDGE(START, AGENT) "," EDGE(AGENT, END) "]}";
    struct str name = quote(doc, spec_doc_text(doc, doc->root, "name", true));
    struct str says = quote(doc, spec_doc_text(doc, doc->root, "description", false));
    struct str id = quote(doc, spec_doc_text(doc, doc->root, "id", true));
    if (doc->failed)
        return NULL;
    struct str text =
        arena_printf(doc->arena, flow, STR_ARG(name), STR_ARG(says), STR_ARG(name), STR_ARG(id),
                     STR_ARG(name), STR_ARG(id), STR_ARG(name), STR_ARG(id));
    const struct json_value *made = json_value_parse(doc->arena, text, NULL, NULL);
    if (made == NULL)
        spec_doc_no_memory(doc);
    return made;
}

static bool read_all(struct spec_import *import)
{
    struct spec_doc *doc = &import->doc;
    struct buf out;
    if (doc->root->type != JSON_OBJECT)
        return spec_doc_fail(doc, doc->root, "expected an object");
    if (!spec_doc_index(doc) || !check_version(doc))
        return false;
    bool is_alone = str_equal(spec_doc_type(doc->root), STR("Agent"));
    const struct json_value *root = is_alone ? make_flow(doc) : doc->root;
    if (root == NULL || take_flow(import, root, is_alone ? SPEC_ALONE : SPEC_ROOT) == NULL)
        return false;
    for (size_t i = 0; i < import->flow_count; i++) { /* grows by the flows that nodes run */
        buf_init(&out, TEXT_BYTES);
        import->writing = i;
        bool ok = write_graph(import, import->flows[i], &out);
        if (!keep_text(import, i, &out, ok))
            return false;
    }
    return same_names(import) && check_runs(import);
}

static bool write_tools_file(struct spec_import *import)
{
    struct buf out;
    if (import->tools.count == 0)
        return true;
    buf_init(&out, TEXT_BYTES);
    if (spec_tools_write(&import->doc, &import->tools, &out) && buf_ok(&out))
        import->tools_text = arena_str(&import->arena, buf_str(&out));
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
