/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_sides.c - forks that come together again at one node.
 *
 * Happy path: a part that runs another graph is that graph's flow; any other is a flow of that one
 * node. What they hear and say is what the ParallelFlowNode does. A node "set" without values
 * before or behind them, which an import makes, is the ParallelFlowNode itself. Failure: parts that
 * lead to different nodes, or further than one; a field that two of them write. */
#include "agents/agent_spec/spec_export_sides.h"

#include "agents/agent_spec/spec_export_nodes.h"

/* ---- which nodes ---- */

struct found { /* edges at a node */
    const struct json_value *first;
    size_t count;
};

static struct str end_at(const struct json_value *edge, const char *pointer)
{
    struct str name = STR("");
    return json_value_str(edge, pointer, &name, NULL) == ERR_OK ? name : STR("");
}

static struct found edges_at(const struct exporting_graph *graph, const char *pointer,
                             struct str node)
{
    struct found found = {NULL, 0};
    JSON_EACH(edge, graph->edges)
        if (str_equal(end_at(edge, pointer), node)) {
            found.first = found.first == NULL ? edge : found.first;
            found.count++;
        }
    return found;
}

static bool is_plain(const struct json_value *edge)
{
    return json_value_member(edge, STR("label")) == NULL &&
           json_value_member(edge, STR("budget")) == NULL;
}

/* Whether the node does nothing but hold others together. */
static bool is_nothing(const struct exporting_graph *graph, struct str name)
{
    const struct json_value *node = json_value_member(graph->nodes, name);
    const struct json_value *values = json_value_member(node, STR("values"));
    struct str type;
    return node != NULL && node->count == 2 && values != NULL && values->count == 0 &&
           json_value_str(node, "/type", &type, NULL) == ERR_OK && str_equal(type, STR("set"));
}

/* Add the node that the edge leads to. False: it is no part of a side. */
static bool add_part(const struct exporting_graph *graph, const struct json_value *edge,
                     struct exporting_side *side)
{
    struct str part = end_at(edge, "/to");
    const struct json_value *node = json_value_member(graph->nodes, part);
    struct found in = edges_at(graph, "/to", part), out = edges_at(graph, "/from", part);
    if (!is_plain(edge) || node == NULL || side->count == EXPORTING_SIDES || in.count != 1 ||
        out.count != 1 || !is_plain(out.first))
        return false;
    struct str to = end_at(out.first, "/to");
    if (side->count > 0 && !str_equal(to, side->to))
        return false;
    side->to = to;
    side->parts[side->count++] = node;
    return true;
}

static bool name_side(struct exporting *x, struct exporting_graph *graph,
                      struct exporting_side *side)
{
    struct str name = side->from;
    struct found in = edges_at(graph, "/to", side->to), out = edges_at(graph, "/from", side->to);
    side->is_own = is_nothing(graph, side->from);
    side->is_held = is_nothing(graph, side->to) && in.count == side->count && out.count == 1 &&
                    is_plain(out.first);
    if (!side->is_own)
        name = arena_printf(&x->arena, "%.*s_side_by_side", STR_ARG(side->parts[0]->key));
    while (!side->is_own && json_value_member(graph->nodes, name) != NULL)
        name = arena_printf(&x->arena, "%.*s_", STR_ARG(name));
    side->name = arena_cstr(&x->arena, name);
    return side->name != NULL || spec_doc_no_memory(&graph->doc);
}

bool spec_export_sides_find(struct exporting *x, struct exporting_graph *graph)
{
    JSON_EACH(edge, graph->edges) {
        struct str from = end_at(edge, "/from");
        struct found out = edges_at(graph, "/from", from);
        if (out.first != edge || out.count < 2 || !is_plain(edge))
            continue;
        struct exporting_side *side = &graph->sides[graph->side_count];
        bool is_fine = graph->side_count < EXPORTING_SIDES;
        if (is_fine)
            *side = (struct exporting_side){.from = from};
        JSON_EACH(other, graph->edges)
            if (is_fine && str_equal(end_at(other, "/from"), from))
                is_fine = add_part(graph, other, side);
        if (!is_fine)
            return spec_doc_fail(&graph->doc, edge,
                                 "nodes side by side cannot be mapped unless each leads to one and "
                                 "the same node, and nothing else leads to them");
        if (!name_side(x, graph, side))
            return false;
        graph->side_count++;
    }
    return true;
}

static bool is_part(const struct exporting_side *side, struct str node)
{
    for (size_t i = 0; i < side->count; i++)
        if (str_equal(side->parts[i]->key, node))
            return true;
    return false;
}

bool spec_export_sides_covers(const struct exporting_graph *graph, struct str node)
{
    for (const struct exporting_side *side = graph->sides; side < graph->sides + graph->side_count;
         side++)
        if (is_part(side, node) || (side->is_own && str_equal(side->from, node)) ||
            (side->is_held && str_equal(side->to, node)))
            return true;
    return false;
}

bool spec_export_sides_edge(const struct exporting_graph *graph, struct str *from, struct str *to)
{
    const struct str one = *from, other = *to;
    for (const struct exporting_side *side = graph->sides; side < graph->sides + graph->side_count;
         side++) {
        struct str name = str_of(side->name), first = side->parts[0]->key;
        if (str_equal(side->from, one)) { /* to the first part: to all of them */
            *to = name;
            if (side->is_own || !str_equal(other, first))
                return false;
        } else if (is_part(side, one)) {
            *from = name;
            if (side->is_held || !str_equal(one, first))
                return false;
        } else if (side->is_held && str_equal(side->to, one)) {
            *from = name;
        }
    }
    return true;
}

/* ---- a part ---- */

struct heard { /* what a part hears or says, by its field */
    bool is_input;
    struct str title, field;
};

/* Whether the ParallelFlowNode can have these ports, too: it has one value of a name. */
static bool fits(const struct exporting_graph *graph, const char *name, const struct heard *heard,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < graph->port_count; j++) {
            const struct exporting_port *port = &graph->ports[j];
            bool is_title = str_equal(port->title, heard[i].title);
            bool is_field = str_equal(port->field, heard[i].field);
            if (port->node == name && port->is_input == heard[i].is_input &&
                (port->is_input ? is_title && !is_field : is_title || is_field))
                return false;
        }
    return true;
}

/* Take the ports that were added behind first away again. NULL: no memory, which was noted. */
static struct heard *take_ports(struct exporting *x, struct exporting_graph *graph, size_t first,
                                size_t *count)
{
    *count = graph->port_count - first;
    struct heard *heard = arena_array(&x->arena, *count + 1, sizeof *heard);
    for (size_t i = 0; heard != NULL && i < *count; i++) {
        const struct exporting_port *port = &graph->ports[first + i];
        heard[i] = (struct heard){port->is_input, port->title, port->field};
    }
    graph->port_count = first;
    if (heard == NULL)
        spec_doc_no_memory(&graph->doc);
    return heard;
}

static bool add_heard(struct exporting_graph *graph, const struct heard *heard, size_t count,
                      bool by_field)
{
    for (size_t i = 0; i < count; i++)
        if (!exporting_add_port(graph, heard[i].is_input,
                                by_field ? heard[i].field : heard[i].title, heard[i].field))
            return false;
    return true;
}

static const char *part_name(struct exporting *x, const char *part, const char *what)
{
    const char *name = arena_cstr(&x->arena, arena_printf(&x->arena, "%s.%s", part, what));
    return name == NULL ? "" : name;
}

static void write_wire(struct exporting *x, const struct exporting_graph *graph,
                       const struct heard *heard, const char *part, const char *edge)
{
    const struct exporting_end at_part = {part, heard->title}, at_edge = {edge, heard->field};
    if (heard->is_input)
        exporting_wire(x, graph, heard->field, at_edge, at_part);
    else
        exporting_wire(x, graph, heard->field, at_part, at_edge);
}

/* The end of the flow at which the values of one side are: a StartNode or an EndNode. */
static bool write_edge_node(struct exporting *x, struct exporting_graph *graph, const char *name,
                            const struct heard *heard, size_t count, bool is_start)
{
    graph->node = name;
    for (size_t i = 0; i < count; i++)
        if (heard[i].is_input == is_start &&
            !exporting_add_port(graph, !is_start, heard[i].field, heard[i].field))
            return false;
    exporting_begin_node(x, graph, is_start ? "StartNode" : "EndNode");
    exporting_properties(graph, name, !is_start, "inputs", &x->json);
    exporting_properties(graph, name, !is_start, "outputs", &x->json);
    json_write_object_end(&x->json);
    return true;
}

/* A flow of the one node, whose component and ports there are. */
static bool write_flow(struct exporting *x, struct exporting_graph *graph, const char *part,
                       const struct heard *heard, size_t count)
{
    const char *start = part_name(x, part, "start"), *end = part_name(x, part, "end");
    const char *nodes[] = {start, part, end};
    size_t first = graph->port_count;
    if (!write_edge_node(x, graph, start, heard, count, true) ||
        !write_edge_node(x, graph, end, heard, count, false))
        return false;
    exporting_begin(x, arena_printf(&x->arena, "%.*s.%s.flow", STR_ARG(graph->name), part), "Flow",
                    arena_printf(&x->arena, "%.*s_%s", STR_ARG(graph->name), part));
    exporting_properties(graph, start, false, "inputs", &x->json);
    exporting_properties(graph, end, true, "outputs", &x->json);
    exporting_ref(x, "start_node", graph, start);
    json_write_key(&x->json, STR("nodes"));
    json_write_array(&x->json);
    for (size_t i = 0; i < countof(nodes); i++)
        exporting_ref_value(x, exporting_id(x, graph, nodes[i]));
    json_write_array_end(&x->json);
    json_write_key(&x->json, STR("control_flow_connections"));
    json_write_array(&x->json);
    exporting_edge(x, graph, start, (struct str){NULL, 0}, part);
    exporting_edge(x, graph, part, (struct str){NULL, 0}, end);
    json_write_array_end(&x->json);
    json_write_key(&x->json, STR("data_flow_connections"));
    json_write_array(&x->json);
    for (size_t i = 0; i < count; i++)
        write_wire(x, graph, &heard[i], part, heard[i].is_input ? start : end);
    json_write_array_end(&x->json);
    json_write_object_end(&x->json);
    graph->port_count = first;
    return true;
}

/* Write what the part needs; the flow that it is, by its id. Absent: a mistake was noted. */
static struct str write_part(struct exporting *x, struct exporting_graph *graph,
                             const struct exporting_side *side, const struct json_value *node)
{
    size_t first = graph->port_count, count = 0;
    const char *part = graph->node = arena_cstr(&x->arena, node->key);
    const struct exporting_graph *inner =
        part == NULL ? NULL : spec_export_nodes_ports(x, graph, node);
    struct heard *heard = graph->doc.failed ? NULL : take_ports(x, graph, first, &count);
    bool is_direct = inner != NULL && heard != NULL && fits(graph, side->name, heard, count);
    struct str none = {NULL, 0};
    if (heard == NULL)
        return none;
    if (!is_direct) {
        graph->node = part;
        if (!spec_export_nodes_write(x, graph, node))
            return none;
        heard = take_ports(x, graph, first, &count);
        if (heard == NULL || !write_flow(x, graph, part, heard, count))
            return none;
        for (size_t i = 0; i < count; i++)
            heard[i].title = heard[i].field;
        if (!fits(graph, side->name, heard, count)) {
            spec_doc_fail(&graph->doc, node,
                          "two nodes side by side that write one field cannot be mapped");
            return none;
        }
    }
    graph->node = side->name;
    if (!add_heard(graph, heard, count, !is_direct))
        return none;
    return is_direct ? inner->name
                     : arena_printf(&x->arena, "%.*s.%s.flow", STR_ARG(graph->name), part);
}

static bool write_side(struct exporting *x, struct exporting_graph *graph,
                       const struct exporting_side *side)
{
    struct str flows[EXPORTING_SIDES];
    for (size_t i = 0; i < side->count; i++) {
        flows[i] = write_part(x, graph, side, side->parts[i]);
        if (str_is_absent(flows[i]))
            return false;
    }
    graph->node = side->name;
    exporting_begin_node(x, graph, "ParallelFlowNode");
    json_write_key(&x->json, STR("subflows"));
    json_write_array(&x->json);
    for (size_t i = 0; i < side->count; i++)
        exporting_ref_value(x, flows[i]);
    json_write_array_end(&x->json);
    exporting_ports(x, graph, side->name);
    json_write_object_end(&x->json);
    return true;
}

bool spec_export_sides_write(struct exporting *x, struct exporting_graph *graph)
{
    for (size_t i = 0; i < graph->side_count; i++)
        if (!write_side(x, graph, &graph->sides[i]))
            return false;
    return true;
}
