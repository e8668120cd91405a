/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_edges.c - edges of a graph as edges of control, one for each branch
 * that a label is; fields as edges of data.
 *
 * Failure: members that edges have no place for. */
#include "agents/agent_spec/spec_export_edges.h"

#include "agents/agent_spec/spec_export_ends.h"
#include "agents/agent_spec/spec_export_sides.h"

/* ---- of control ---- */

/* The branch that a branch's label is: that of its last choice is "default". */
static struct str branch_of(const struct json_value *node, struct str label, bool *is_both)
{
    const struct json_value *route = json_value_member(node, STR("route"));
    bool is_last = false, is_other = false;
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

static void write_edge(struct exporting *x, const struct exporting_graph *graph, struct str from,
                       struct str to, struct str branch)
{
    const char *one = arena_cstr(&x->arena, from), *other = arena_cstr(&x->arena, to);
    if (one != NULL && other != NULL) /* else the arena says so at the end */
        exporting_edge(x, graph, one, branch, other);
}

/* The branches that lead on by label from a node; how many; 0: the one that it has. */
static size_t find_branches(const struct exporting *x, const struct exporting_graph *graph,
                            struct str from, struct str label,
                            struct str branches[SPEC_EXPORT_ENDS_MAX])
{
    const struct json_value *node = json_value_member(graph->nodes, from);
    struct str type = STR(""), name = STR("");
    bool is_both = false;
    if (str_is_absent(label) || json_value_str(node, "/type", &type, NULL) != ERR_OK)
        return 0;
    if (str_equal(type, STR("branch"))) {
        branches[0] = branch_of(node, label, &is_both);
        branches[1] = STR("default");
        return is_both ? 2 : 1;
    }
    if (str_equal(type, STR("graph")) && json_value_str(node, "/graph", &name, NULL) == ERR_OK)
        for (size_t i = 0; i < x->graph_count; i++)
            if (str_equal(x->graphs[i]->name, name))
                return spec_export_ends_called(node, x->graphs[i],
                                               json_value_member(node, STR("catch")) != NULL, label,
                                               branches);
    branches[0] = label;
    return 1;
}

static bool write_control(struct exporting *x, struct exporting_graph *graph)
{
    static const char *const members[] = {"from", "to", "label", NULL};
    struct str branches[SPEC_EXPORT_ENDS_MAX];
    json_write_key(&x->json, STR("control_flow_connections"));
    json_write_array(&x->json);
    JSON_EACH(edge, graph->edges) {
        struct str from = exporting_text(graph, edge, "from");
        struct str to = exporting_text(graph, edge, "to");
        struct str label = spec_doc_text(&graph->doc, edge, "label", false);
        if (graph->doc.failed || !spec_doc_known(&graph->doc, edge, members))
            return false;
        const struct json_value *node = json_value_member(graph->nodes, from);
        bool is_end = node != NULL && !str_is_absent(spec_export_ends_branch(graph, node));
        size_t count = find_branches(x, graph, from, label, branches);
        if (is_end || !spec_export_sides_edge(graph, &from, &to))
            continue;
        if (count == 0)
            write_edge(x, graph, from, to, str_make(NULL, 0));
        for (size_t i = 0; i < count; i++)
            write_edge(x, graph, from, to, branches[i]);
    }
    json_write_array_end(&x->json);
    return true;
}

/* ---- of data ---- */

/* A field is an edge from each node that writes it to each that reads it. */
static void write_data(struct exporting *x, const struct exporting_graph *graph)
{
    json_write_key(&x->json, STR("data_flow_connections"));
    json_write_array(&x->json);
    for (size_t i = 0; i < graph->port_count; i++)
        for (size_t j = 0; j < graph->port_count; j++) {
            const struct exporting_port *from = &graph->ports[i], *to = &graph->ports[j];
            if (from->is_input || !to->is_input || !str_equal(from->field, to->field))
                continue;
            exporting_wire(x, graph, from->field, (struct exporting_end){from->node, from->title},
                           (struct exporting_end){to->node, to->title});
        }
    json_write_array_end(&x->json);
}

bool spec_export_edges_write(struct exporting *x, struct exporting_graph *graph)
{
    if (!write_control(x, graph))
        return false;
    write_data(x, graph);
    return true;
}
