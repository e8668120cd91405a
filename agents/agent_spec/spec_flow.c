/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_flow.c - nodes and ports of a flow, joined into fields.
 *
 * Happy path: each node's ports are those that it lists, else those that its type says it has;
 * edges of data join them; each class of ports that are joined is a field. Failure: the first
 * mistake, at its place. */
#include "agents/agent_spec/spec_flow.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64, MAX_JOINTS = 256 };

static bool is_type(const struct spec_node *node, const char *type)
{
    return str_equal(node->type, str_of(type));
}

const char *spec_flow_name(struct spec_doc *doc, struct str name)
{
    char *copy = arena_alloc(doc->arena, NAME_BYTES + 2);
    size_t len = 0;
    if (copy == NULL) {
        spec_doc_no_memory(doc);
        return NULL;
    }
    if (name.len > 0 && name.at[0] >= '0' && name.at[0] <= '9')
        copy[len++] = '_';
    for (size_t i = 0; i < name.len && len < NAME_BYTES; i++) {
        char c = name.at[i];
        bool is_fine = str_is_alpha(c) || str_is_digit(c) || c == '_';
        copy[len++] = is_fine ? c : '_';
    }
    if (len == 0)
        copy[len++] = '_';
    copy[len] = '\0';
    return copy;
}

/* name, or one with a number behind it where name is taken. NULL: no memory. */
static const char *make_distinct(struct spec_doc *doc, const struct spec_flow *flow,
                                 bool (*is_taken)(const struct spec_flow *flow, const char *name),
                                 const char *name)
{
    const char *made = name;
    for (unsigned i = 2; made != NULL && is_taken(flow, made); i++)
        made = arena_cstr(doc->arena, arena_printf(doc->arena, "%.40s_%u", name, i));
    if (made == NULL)
        spec_doc_no_memory(doc);
    return made;
}

/* ---- ports ---- */

static bool add_port(struct spec_doc *doc, struct spec_flow *flow, struct spec_port port)
{
    if (flow->port_count == SPEC_FLOW_PORTS)
        return spec_doc_fail(doc, flow->value, "more than %d inputs and outputs", SPEC_FLOW_PORTS);
    for (size_t i = 0; i < flow->port_count; i++)
        if (flow->ports[i].node == port.node && flow->ports[i].is_input == port.is_input &&
            str_equal(flow->ports[i].name, port.name))
            return true;
    flow->ports[flow->port_count++] = port;
    return true;
}

/* A port for each property of the list; prefix is put before the names. */
static bool add_listed(struct spec_doc *doc, struct spec_flow *flow, unsigned node, bool is_input,
                       const struct json_value *list, const char *prefix)
{
    JSON_EACH(property, list) {
        struct str name = property->type == JSON_OBJECT
                              ? spec_doc_text(doc, property, "title", true)
                              : str_make(NULL, 0);
        if (str_is_absent(name))
            return spec_doc_fail(doc, property, "expected a property with a title");
        if (prefix[0] != '\0')
            name = arena_printf(doc->arena, "%s%.*s", prefix, STR_ARG(name));
        if (!add_port(doc, flow, (struct spec_port){name, property, node, is_input, 0}))
            return false;
    }
    return true;
}

static bool add_named(struct spec_doc *doc, struct spec_flow *flow, unsigned node, bool is_input,
                      const char *name)
{
    return add_port(doc, flow, (struct spec_port){str_of(name), NULL, node, is_input, 0});
}

struct placing {
    struct spec_doc *doc;
    struct spec_flow *flow;
    unsigned node;
};

static bool add_place(void *owner, struct str name)
{
    const struct placing *placing = owner;
    return add_port(placing->doc, placing->flow,
                    (struct spec_port){name, NULL, placing->node, true, 0});
}

static const struct json_value *end_of(struct spec_doc *doc, const struct json_value *flow)
{
    const struct json_value *nodes = spec_doc_member(doc, flow, "nodes", JSON_ARRAY, true);
    for (const struct json_value *item = nodes == NULL ? NULL : nodes->first; item != NULL;
         item = item->next) {
        const struct json_value *node = spec_doc_component(doc, item);
        if (node != NULL && str_equal(spec_doc_type(node), STR("EndNode")))
            return node;
    }
    return NULL;
}

static const struct json_value *listed(struct spec_doc *doc, const struct json_value *component,
                                       bool inputs)
{
    return spec_doc_member(doc, component, inputs ? "inputs" : "outputs", JSON_ARRAY, false);
}

/* The branches that a flow ends by, where these are more than "next". False: a mistake was noted.
 */
static bool find_branches(struct spec_doc *doc, const struct json_value *flow,
                          struct str names[SPEC_FLOW_BRANCHES], size_t *count)
{
    const struct json_value *nodes = spec_doc_member(doc, flow, "nodes", JSON_ARRAY, true);
    bool has_names = false;
    *count = 0;
    for (const struct json_value *item = nodes == NULL ? NULL : nodes->first; item != NULL;
         item = item->next) {
        const struct json_value *node = spec_doc_component(doc, item);
        if (node == NULL || !str_equal(spec_doc_type(node), STR("EndNode")))
            continue;
        struct str name = spec_doc_text(doc, node, "branch_name", false);
        size_t i = 0;
        name = str_is_absent(name) ? STR("next") : name;
        has_names = has_names || !str_equal(name, STR("next"));
        while (i < *count && !str_equal(names[i], name))
            i++;
        if (i == SPEC_FLOW_BRANCHES)
            return spec_doc_fail(doc, node, "more than %d branches", SPEC_FLOW_BRANCHES);
        names[i] = name;
        *count = i == *count ? i + 1 : *count;
    }
    *count = has_names ? *count : 0;
    return !doc->failed;
}

const struct json_value *spec_flow_properties(struct spec_doc *doc, const struct json_value *flow,
                                              bool inputs)
{
    const struct json_value *list = listed(doc, flow, inputs);
    if (list != NULL || doc->failed)
        return list;
    const struct json_value *node =
        inputs ? spec_doc_component(doc, json_value_member(flow, STR("start_node")))
               : end_of(doc, flow);
    if (node == NULL)
        return NULL;
    list = listed(doc, node, inputs);
    return list != NULL || doc->failed ? list : listed(doc, node, !inputs);
}

/* What a node that holds another component (of the member) takes over from it. */
static const struct json_value *inherited(struct spec_doc *doc, const struct spec_node *node,
                                          const char *member, bool inputs)
{
    const struct json_value *held =
        spec_doc_component(doc, json_value_member(node->value, str_of(member)));
    if (held == NULL)
        return NULL;
    return str_equal(spec_doc_type(held), STR("Flow")) ? spec_flow_properties(doc, held, inputs)
                                                       : listed(doc, held, inputs);
}

static const char *held_by(const struct spec_node *node)
{
    return is_type(node, "ToolNode")    ? "tool"
           : is_type(node, "AgentNode") ? "agent"
           : is_type(node, "FlowNode") || is_type(node, "MapNode") ||
                   is_type(node, "ParallelMapNode") || is_type(node, "CatchExceptionNode")
               ? "subflow"
               : NULL;
}

static bool is_map(const struct spec_node *node)
{
    return is_type(node, "MapNode") || is_type(node, "ParallelMapNode");
}

static bool add_default_inputs(struct spec_doc *doc, struct spec_flow *flow, unsigned node)
{
    static const char *const templates[] = {"prompt_template", "message", "url", "query_params",
                                            "headers",         "data",    NULL};
    const struct spec_node *at = &flow->nodes[node];
    struct placing placing = {doc, flow, node};
    if (is_type(at, "BranchingNode"))
        return add_named(doc, flow, node, true, "branching_mapping_key");
    for (size_t i = 0; templates[i] != NULL; i++)
        if (!spec_doc_places(json_value_member(at->value, str_of(templates[i])), add_place,
                             &placing))
            return false;
    if (!is_type(at, "AgentNode"))
        return true;
    const struct json_value *agent =
        spec_doc_component(doc, json_value_member(at->value, STR("agent")));
    return agent != NULL &&
           spec_doc_places(json_value_member(agent, STR("system_prompt")), add_place, &placing);
}

static bool add_default_outputs(struct spec_doc *doc, struct spec_flow *flow, unsigned node)
{
    const struct spec_node *at = &flow->nodes[node];
    if (is_type(at, "LlmNode"))
        return add_named(doc, flow, node, false, "generated_text");
    if (is_type(at, "InputMessageNode"))
        return add_named(doc, flow, node, false, "user_input");
    if (is_type(at, "ToolNode") || is_type(at, "ApiNode"))
        return add_named(doc, flow, node, false, "tool_output");
    return true;
}

/* A StartNode gives out what the flow takes in, an EndNode takes in what it gives out. */
static bool add_edge_ports(struct spec_doc *doc, struct spec_flow *flow, unsigned node, bool inputs)
{
    const struct json_value *list = listed(doc, flow->nodes[node].value, inputs);
    if (list == NULL)
        list = listed(doc, flow->nodes[node].value, !inputs);
    if (list == NULL)
        list = listed(doc, flow->value, inputs);
    return !doc->failed && (list == NULL || add_listed(doc, flow, node, !inputs, list, ""));
}

static bool add_side(struct spec_doc *doc, struct spec_flow *flow, unsigned node, bool inputs)
{
    const struct spec_node *at = &flow->nodes[node];
    const struct json_value *list = listed(doc, at->value, inputs);
    const char *held = held_by(at), *prefix = "";
    if (list == NULL && held != NULL && !doc->failed) {
        list = inherited(doc, at, held, inputs);
        prefix = !is_map(at) ? "" : inputs ? "iterated_" : "collected_";
    }
    if (doc->failed || (list != NULL && !add_listed(doc, flow, node, inputs, list, prefix)))
        return false;
    if (!inputs && is_type(at, "CatchExceptionNode") &&
        !add_named(doc, flow, node, false, "caught_exception_info"))
        return false;
    if (list != NULL)
        return true;
    return inputs ? add_default_inputs(doc, flow, node) : add_default_outputs(doc, flow, node);
}

/* What the flows of a ParallelFlowNode take in or give out. */
static bool add_parts(struct spec_doc *doc, struct spec_flow *flow, unsigned node, bool inputs)
{
    const struct json_value *value = flow->nodes[node].value;
    const struct json_value *list = listed(doc, value, inputs);
    if (doc->failed || list != NULL)
        return !doc->failed && add_listed(doc, flow, node, inputs, list, "");
    JSON_EACH(item, json_value_member(value, STR("subflows"))) {
        const struct json_value *subflow = spec_doc_component(doc, item);
        list = subflow == NULL ? NULL : spec_flow_properties(doc, subflow, inputs);
        if (doc->failed || (list != NULL && !add_listed(doc, flow, node, inputs, list, "")))
            return false;
    }
    return true;
}

static bool add_ports(struct spec_doc *doc, struct spec_flow *flow, unsigned node)
{
    if (is_type(&flow->nodes[node], "ParallelFlowNode"))
        return add_parts(doc, flow, node, true) && add_parts(doc, flow, node, false);
    if (is_type(&flow->nodes[node], "StartNode"))
        return add_edge_ports(doc, flow, node, true);
    if (is_type(&flow->nodes[node], "EndNode"))
        return add_edge_ports(doc, flow, node, false);
    return add_side(doc, flow, node, true) && add_side(doc, flow, node, false);
}

/* ---- nodes ---- */

static bool is_node(const struct spec_flow *flow, const char *name)
{
    for (size_t i = 0; i < flow->node_count; i++) {
        const struct spec_node *node = &flow->nodes[i];
        if (strcmp(node->name, name) == 0 || (node->last != NULL && strcmp(node->last, name) == 0))
            return true;
        for (size_t j = 0; j < node->part_count; j++)
            if (node->parts[j] != NULL && strcmp(node->parts[j], name) == 0)
                return true;
    }
    return str_equal_nocase(str_of(name), STR("START")) ||
           str_equal_nocase(str_of(name), STR("END"));
}

static bool name_node(struct spec_doc *doc, struct spec_flow *flow, struct spec_node *node)
{
    struct str given = spec_doc_text(doc, node->value, "name", true);
    bool is_branch = is_type(node, "EndNode") && flow->branch_count > 0;
    if (is_branch) {
        struct str branch = spec_doc_text(doc, node->value, "branch_name", false);
        node->branch = str_is_absent(branch) ? STR("next") : branch;
    } else if (is_type(node, "StartNode") || is_type(node, "EndNode")) {
        node->name = is_type(node, "StartNode") ? "START" : "END";
        return !doc->failed;
    }
    const char *name = doc->failed ? NULL : spec_flow_name(doc, given);
    node->name = name == NULL ? NULL : make_distinct(doc, flow, is_node, name);
    return node->name != NULL;
}

/* The names of a ParallelFlowNode's parts, which no node of the flow has. */
static bool name_parts(struct spec_doc *doc, struct spec_flow *flow, struct spec_node *node)
{
    const struct json_value *subflows =
        spec_doc_member(doc, node->value, "subflows", JSON_ARRAY, true);
    if (subflows == NULL)
        return false;
    const char **parts = arena_array(doc->arena, subflows->count + 1, sizeof *parts);
    if (parts == NULL)
        return spec_doc_no_memory(doc);
    node->parts = parts;
    for (node->part_count = 0; node->part_count < subflows->count;) {
        const char *made = make_distinct(doc, flow, is_node, node->name);
        if (made == NULL)
            return false;
        parts[node->part_count++] = made;
    }
    node->last = make_distinct(doc, flow, is_node, node->name);
    return node->last != NULL;
}

static bool read_nodes(struct spec_doc *doc, struct spec_flow *flow)
{
    const struct json_value *nodes = spec_doc_member(doc, flow->value, "nodes", JSON_ARRAY, true);
    const struct json_value *start =
        nodes == NULL ? NULL
                      : spec_doc_component(doc, json_value_member(flow->value, STR("start_node")));
    bool is_found = false;
    if (nodes == NULL || start == NULL)
        return false;
    JSON_EACH(item, nodes) {
        if (flow->node_count == SPEC_FLOW_NODES)
            return spec_doc_fail(doc, nodes, "more than %d nodes", SPEC_FLOW_NODES);
        struct spec_node *node = &flow->nodes[flow->node_count];
        node->value = spec_doc_component(doc, item);
        if (node->value == NULL)
            return false;
        node->type = spec_doc_type(node->value);
        if (!name_node(doc, flow, node))
            return false;
        if (is_type(node, "StartNode")) {
            flow->start = (unsigned)flow->node_count;
            is_found = true;
        }
        flow->node_count++;
    }
    for (size_t i = 0; i < flow->node_count; i++) {
        struct spec_node *node = &flow->nodes[i];
        node->last = node->name;
        if (is_type(node, "ParallelFlowNode") && !name_parts(doc, flow, node))
            return false;
    }
    return is_found || spec_doc_fail(doc, nodes, "expected the StartNode among the nodes");
}

int spec_flow_node(struct spec_doc *doc, const struct spec_flow *flow,
                   const struct json_value *edge, const char *member)
{
    const struct json_value *value = json_value_member(edge, str_of(member));
    const struct json_value *node = spec_doc_component(doc, value);
    for (size_t i = 0; node != NULL && i < flow->node_count; i++)
        if (spec_doc_is_same(flow->nodes[i].value, node))
            return (int)i;
    spec_doc_fail(doc, value == NULL ? edge : value, "'%s' is no node of the flow", member);
    return -1;
}

/* ---- which ports are one ---- */

static unsigned find_root(const struct spec_flow *flow, unsigned port)
{
    while (flow->ports[port].field != port)
        port = flow->ports[port].field;
    return port;
}

static void join(struct spec_flow *flow, unsigned a, unsigned b)
{
    a = find_root(flow, a);
    b = find_root(flow, b);
    flow->ports[a < b ? b : a].field = a < b ? a : b;
}

static int find_port(const struct spec_flow *flow, unsigned node, bool is_input, struct str name)
{
    for (size_t i = 0; i < flow->port_count; i++)
        if (flow->ports[i].node == node && flow->ports[i].is_input == is_input &&
            str_equal(flow->ports[i].name, name))
            return (int)i;
    return -1;
}

static int edge_port(struct spec_doc *doc, const struct spec_flow *flow,
                     const struct json_value *edge, bool is_input)
{
    const char *member = is_input ? "destination_input" : "source_output";
    struct str name = spec_doc_text(doc, edge, member, true);
    int node = doc->failed
                   ? -1
                   : spec_flow_node(doc, flow, edge, is_input ? "destination_node" : "source_node");
    if (node < 0)
        return -1;
    int port = find_port(flow, (unsigned)node, is_input, name);
    if (port < 0)
        spec_doc_fail(doc, json_value_member(edge, str_of(member)), "node '%s' has no %s '%.*s'",
                      flow->nodes[node].name, is_input ? "input" : "output", STR_ARG(name));
    return port;
}

struct joint { /* an edge of data, by its ports */
    unsigned from, to;
};

/* Whether the inputs a and b hear of the same outputs. */
static bool hear_the_same(const struct joint *joints, size_t count, unsigned a, unsigned b)
{
    for (size_t i = 0; i < count; i++) {
        bool is_heard = joints[i].to != a && joints[i].to != b;
        unsigned other = joints[i].to == a ? b : a;
        for (size_t j = 0; !is_heard && j < count; j++)
            is_heard = joints[j].to == other && joints[j].from == joints[i].from;
        if (!is_heard)
            return false;
    }
    return true;
}

/* The first of the flow's ends that gives out what port does; port, where it belongs to none. */
static unsigned first_end(const struct spec_flow *flow, unsigned port)
{
    const struct spec_port *one = &flow->ports[port];
    for (unsigned i = 0; i < port; i++)
        if (is_type(&flow->nodes[one->node], "EndNode") &&
            is_type(&flow->nodes[flow->ports[i].node], "EndNode") && flow->ports[i].is_input &&
            str_equal(flow->ports[i].name, one->name))
            return i;
    return port;
}

/* One field cannot be two values at a time. */
static bool check_joints(struct spec_doc *doc, const struct spec_flow *flow,
                         const struct json_value *edges, const struct joint *joints, size_t count)
{
    size_t i = 0;
    JSON_EACH(edge, edges) {
        size_t j = 0; /* the first of the field: who hears what it hears is one with the others */
        while (find_root(flow, joints[i].to) != find_root(flow, joints[j].to))
            j++;
        if (!hear_the_same(joints, count, joints[i].to, joints[j].to))
            return spec_doc_fail(doc, edge,
                                 "input '%.*s' of '%s' hears of other outputs than '%.*s' of "
                                 "'%s', with which it shares one: they cannot be one field",
                                 STR_ARG(flow->ports[joints[i].to].name),
                                 flow->nodes[flow->ports[joints[i].to].node].name,
                                 STR_ARG(flow->ports[joints[j].to].name),
                                 flow->nodes[flow->ports[joints[j].to].node].name);
        i++;
    }
    return true;
}

static bool join_edges(struct spec_doc *doc, struct spec_flow *flow, const struct json_value *edges)
{
    static const char *const members[] = {SPEC_DOC_MEMBERS,   "source_node",       "source_output",
                                          "destination_node", "destination_input", NULL};
    struct joint *joints = arena_array(doc->arena, edges->count + 1, sizeof *joints);
    size_t count = 0;
    if (joints == NULL)
        return spec_doc_no_memory(doc);
    if (edges->count > MAX_JOINTS)
        return spec_doc_fail(doc, edges, "more than %d edges of data", MAX_JOINTS);
    JSON_EACH(item, edges) {
        const struct json_value *edge = spec_doc_component(doc, item);
        if (edge == NULL || !spec_doc_known(doc, edge, members))
            return false;
        int from = edge_port(doc, flow, edge, false);
        int to = from < 0 ? -1 : edge_port(doc, flow, edge, true);
        if (to < 0)
            return false;
        joints[count++] = (struct joint){(unsigned)from, first_end(flow, (unsigned)to)};
        join(flow, (unsigned)from, (unsigned)to);
    }
    return check_joints(doc, flow, edges, joints, count);
}

static bool join_ports(struct spec_doc *doc, struct spec_flow *flow)
{
    const struct json_value *edges =
        spec_doc_member(doc, flow->value, "data_flow_connections", JSON_ARRAY, false);
    for (unsigned i = 0; i < flow->port_count; i++)
        flow->ports[i].field = i;
    for (unsigned i = 0; i < flow->port_count; i++) /* whichever end it comes to */
        join(flow, i, first_end(flow, i));
    if (edges != NULL || doc->failed)
        return !doc->failed && join_edges(doc, flow, edges);
    for (unsigned i = 0; i < flow->port_count; i++) /* one space of names */
        for (unsigned j = 0; j < i; j++)
            if (str_equal(flow->ports[i].name, flow->ports[j].name))
                join(flow, i, j);
    return true;
}

/* ---- fields ---- */

static size_t count_outputs(const struct spec_flow *flow, unsigned node)
{
    size_t count = 0;
    for (size_t i = 0; i < flow->port_count; i++)
        count += flow->ports[i].node == node && !flow->ports[i].is_input;
    return count;
}

static const char *type_of(const struct spec_flow *flow, const struct spec_port *port)
{
    static const struct {
        const char *schema, *field;
    } types[] = {{"string", "text"}, {"integer", "int"}, {"number", "real"}, {"boolean", "bool"}};
    const struct spec_node *node = &flow->nodes[port->node];
    struct str type = {NULL, 0};
    bool is_tool = (is_type(node, "ToolNode") || is_type(node, "ApiNode")) &&
                   count_outputs(flow, port->node) == 1; /* all that it says */
    if (!port->is_input && is_map(node))
        return "list";
    if (port->schema == NULL)
        return "text";
    if (json_value_str(port->schema, "/type", &type, NULL) != ERR_OK)
        return json_value_member(port->schema, STR("anyOf")) != NULL &&
                       str_equal(port->name, STR("caught_exception_info"))
                   ? "text"
                   : "json";
    for (size_t i = 0; i < countof(types); i++)
        if (str_equal(type, str_of(types[i].schema)) && (port->is_input || !is_tool || i == 0))
            return types[i].field;
    return "json";
}

/* What a port's field would be called: without what maps put before names. */
static struct str plain_name(const struct spec_flow *flow, const struct spec_port *port)
{
    const char *prefix = port->is_input ? "iterated_" : "collected_";
    const struct json_value *own = json_value_member(port->schema, STR("askd_field"));
    if (own != NULL && own->type == JSON_STRING) /* what the graph that was exported calls it */
        return own->text;
    bool is_put = is_map(&flow->nodes[port->node]) && str_starts_with(port->name, str_of(prefix));
    return is_put ? str_make(NULL, 0) : port->name;
}

static bool is_field(const struct spec_flow *flow, const char *name)
{
    for (size_t i = 0; i < flow->field_count; i++)
        if (strcmp(flow->fields[i].name, name) == 0)
            return true;
    return false;
}

static const char *name_field(struct spec_doc *doc, const struct spec_flow *flow, unsigned root)
{
    struct str name = {NULL, 0};
    const char *made;
    for (unsigned side = 0; side < 2 && str_is_absent(name); side++) /* outputs first */
        for (unsigned i = 0; i < flow->port_count && str_is_absent(name); i++)
            if (flow->ports[i].is_input == (side == 1) && find_root(flow, i) == root)
                name = plain_name(flow, &flow->ports[i]);
    made = spec_flow_name(doc, str_is_absent(name) ? flow->ports[root].name : name);
    if (made != NULL && is_field(flow, made)) /* two fields of a name */
        made = arena_cstr(doc->arena, arena_printf(doc->arena, "%.20s_%.30s",
                                                   flow->nodes[flow->ports[root].node].name, made));
    return made == NULL ? NULL : make_distinct(doc, flow, is_field, made);
}

/* The default of a property that fits into its field. */
static const struct json_value *start_of(const struct spec_port *port, const char *type)
{
    const struct json_value *value = json_value_member(port->schema, STR("default"));
    const struct json_value *own = json_value_member(port->schema, STR("askd_absent"));
    if (value == NULL || (own != NULL && own->boolean) ||    /* what a graph was exported without */
        str_equal(port->name, STR("caught_exception_info"))) /* there only when one was caught */
        return NULL;
    bool fits =
        (strcmp(type, "text") == 0 && value->type == JSON_STRING) ||
        (strcmp(type, "bool") == 0 && value->type == JSON_BOOL) ||
        (strcmp(type, "int") == 0 && value->type == JSON_INT) ||
        (strcmp(type, "real") == 0 && (value->type == JSON_INT || value->type == JSON_DOUBLE));
    return fits ? value : NULL;
}

static bool make_field(struct spec_doc *doc, struct spec_flow *flow, unsigned root)
{
    if (flow->field_count == SPEC_FLOW_FIELDS)
        return spec_doc_fail(doc, flow->value, "more than %d values", SPEC_FLOW_FIELDS);
    struct spec_field *field = &flow->fields[flow->field_count];
    field->name = name_field(doc, flow, root);
    if (field->name == NULL)
        return spec_doc_no_memory(doc);
    for (unsigned i = 0; i < flow->port_count; i++) {
        const struct spec_port *port = &flow->ports[i];
        if (find_root(flow, i) != root)
            continue;
        if (field->type == NULL || !port->is_input)
            field->type = type_of(flow, port);
    }
    for (unsigned i = 0; i < flow->port_count; i++)
        if (find_root(flow, i) == root && field->start == NULL)
            field->start = start_of(&flow->ports[i], field->type);
    flow->field_count++;
    return true;
}

static bool make_fields(struct spec_doc *doc, struct spec_flow *flow)
{
    unsigned *fields = arena_array(doc->arena, flow->port_count + 1, sizeof *fields);
    if (fields == NULL)
        return spec_doc_no_memory(doc);
    for (unsigned i = 0; i < flow->port_count; i++) {
        unsigned root = find_root(flow, i);
        if (root == i && !make_field(doc, flow, root))
            return false;
        fields[i] = root == i ? (unsigned)flow->field_count - 1 : fields[root];
    }
    for (unsigned i = 0; i < flow->port_count; i++)
        flow->ports[i].field = fields[i];
    return true;
}

/* The flow's inputs: one text is the question, others have a start or come from another flow. */
static bool place_inputs(struct spec_doc *doc, struct spec_flow *flow)
{
    bool is_alone = flow->place == SPEC_ALONE;
    flow->question = -1;
    for (size_t i = 0; i < flow->port_count; i++) {
        const struct spec_port *port = &flow->ports[i];
        struct spec_field *field = &flow->fields[port->field];
        if (is_alone ? !port->is_input : port->node != flow->start)
            continue;
        bool has_default = json_value_member(port->schema, STR("default")) != NULL;
        if (!is_alone && flow->question < 0 && !has_default && strcmp(field->type, "text") == 0)
            flow->question = (int)port->field;
        else if (flow->place == SPEC_INNER)
            field->is_input = true;
        else if (field->start == NULL)
            return spec_doc_fail(doc, port->schema == NULL ? doc->root : port->schema,
                                 "a run has one question, a text: input '%.*s' has no default that "
                                 "fits into a field",
                                 STR_ARG(port->name));
    }
    return true;
}

/* A field of the graph that no port is; NULL: a mistake was noted. */
static const char *add_field(struct spec_doc *doc, struct spec_flow *flow, const char *like)
{
    if (flow->field_count == SPEC_FLOW_FIELDS) {
        spec_doc_fail(doc, flow->value, "more than %d values", SPEC_FLOW_FIELDS);
        return NULL;
    }
    const char *name = make_distinct(doc, flow, is_field, like);
    if (name != NULL)
        flow->fields[flow->field_count++] = (struct spec_field){.name = name, .type = "text"};
    return name;
}

/* The branches of a node that runs a flow with several ends. False: a mistake was noted. */
static bool add_branches(struct spec_doc *doc, struct spec_flow *flow, struct spec_node *node)
{
    struct str *names = arena_array(doc->arena, SPEC_FLOW_BRANCHES, sizeof *names);
    if (!is_type(node, "FlowNode") && !is_type(node, "CatchExceptionNode"))
        return true;
    const struct json_value *subflow =
        spec_doc_component(doc, json_value_member(node->value, STR("subflow")));
    if (names == NULL)
        return spec_doc_no_memory(doc);
    if (subflow == NULL || !find_branches(doc, subflow, names, &node->branch_count))
        return false;
    if (node->branch_count == 0)
        return true;
    node->branches = names;
    node->branch_field = add_field(
        doc, flow, arena_cstr(doc->arena, arena_printf(doc->arena, "%.40s_branch", node->name)));
    return node->branch_field != NULL;
}

static bool place_branches(struct spec_doc *doc, struct spec_flow *flow)
{
    if (flow->branch_count > 0) {
        flow->branch_field = add_field(doc, flow, "branch");
        if (flow->branch_field == NULL)
            return false;
    }
    for (size_t i = 0; i < flow->node_count; i++)
        if (!add_branches(doc, flow, &flow->nodes[i]))
            return false;
    return true;
}

static bool name_own(struct spec_doc *doc, struct spec_flow *flow)
{
    flow->asked = make_distinct(doc, flow, is_field, "question");
    flow->said = make_distinct(doc, flow, is_field, "said");
    flow->turns = make_distinct(doc, flow, is_field, "loop_count");
    return !doc->failed;
}

bool spec_flow_read(struct spec_doc *doc, const struct json_value *value, enum spec_place place,
                    struct spec_flow *flow)
{
    static const char *const members[] = {SPEC_DOC_MEMBERS,
                                          "inputs",
                                          "outputs",
                                          "start_node",
                                          "nodes",
                                          "control_flow_connections",
                                          "data_flow_connections",
                                          "agentspec_version",
                                          NULL};
    flow->value = value;
    flow->place = place;
    if (!spec_doc_known(doc, value, members))
        return false;
    struct str name = spec_doc_text(doc, value, "name", true);
    flow->name = doc->failed ? NULL : spec_flow_name(doc, name);
    struct str branches[SPEC_FLOW_BRANCHES];
    if (flow->name == NULL || !find_branches(doc, value, branches, &flow->branch_count) ||
        !read_nodes(doc, flow))
        return false;
    for (unsigned i = 0; i < flow->node_count; i++)
        if (!add_ports(doc, flow, i))
            return false;
    return join_ports(doc, flow) && make_fields(doc, flow) && place_inputs(doc, flow) &&
           place_branches(doc, flow) && name_own(doc, flow);
}

const struct spec_field *spec_flow_field(const struct spec_flow *flow, unsigned node, bool is_input,
                                         struct str name)
{
    int port = find_port(flow, node, is_input, name);
    return port < 0 ? NULL : &flow->fields[flow->ports[port].field];
}

const struct spec_field *spec_flow_outside(const struct spec_flow *flow, bool is_input,
                                           struct str name)
{
    for (size_t i = 0; i < flow->port_count; i++) {
        const struct spec_port *port = &flow->ports[i];
        bool is_edge = is_type(&flow->nodes[port->node], is_input ? "StartNode" : "EndNode");
        if (is_edge && str_equal(port->name, name))
            return &flow->fields[port->field];
    }
    return NULL;
}
