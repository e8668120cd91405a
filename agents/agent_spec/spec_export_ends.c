/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_ends.c - nodes that tell an end, and routes by what they told.
 *
 * Failure: a report by a condition, a route by anything else: told at its place. */
#include "agents/agent_spec/spec_export_ends.h"

/* ---- which ends there are ---- */

/* The field and the text that a "set" of one text without places puts; false: it is another node.
 */
static bool read_set(const struct json_value *node, struct str *field, struct str *text)
{
    const struct json_value *values = json_value_member(node, STR("values"));
    struct str type;
    if (json_value_str(node, "/type", &type, NULL) != ERR_OK || !str_equal(type, STR("set")) ||
        values == NULL || values->type != JSON_OBJECT || values->count != 1 ||
        values->first->type != JSON_STRING || node->count != 2)
        return false;
    *field = values->first->key;
    *text = values->first->text;
    return text->len > 0 && str_find_char(*text, '{') == STR_NONE &&
           str_find_char(*text, '}') == STR_NONE;
}

static bool is_at(const struct json_value *edge, const char *pointer, struct str node)
{
    struct str name;
    return json_value_str(edge, pointer, &name, NULL) == ERR_OK && str_equal(name, node);
}

/* Whether the node leads to END and nowhere else. */
static bool leads_to_end(const struct exporting_graph *graph, struct str node)
{
    size_t all = 0, ends = 0;
    JSON_EACH(edge, graph->edges)
        if (is_at(edge, "/from", node)) {
            all++;
            ends += is_at(edge, "/to", STR("END"));
        }
    return all == 1 && ends == 1;
}

static bool is_reported(const struct exporting_graph *graph, struct str field)
{
    const struct json_value *report = json_value_member(graph->doc.root, STR("report"));
    for (const struct json_value *one = report == NULL ? NULL : report->first; one != NULL;
         one = one->next)
        if (one->type == JSON_STRING && str_equal(one->text, field))
            return true;
    return false;
}

struct str spec_export_ends_branch(const struct exporting_graph *graph,
                                   const struct json_value *node)
{
    struct str field, text;
    bool is_one = !str_is_absent(graph->branch) && read_set(node, &field, &text) &&
                  str_equal(field, graph->branch) && leads_to_end(graph, node->key);
    return is_one ? text : str_make(NULL, 0);
}

void spec_export_ends_find(struct exporting_graph *graph)
{
    struct str field, text, from;
    JSON_EACH(node, graph->nodes)
        if (str_is_absent(graph->branch) && read_set(node, &field, &text) &&
            leads_to_end(graph, node->key) && !is_reported(graph, field))
            graph->branch = field;
    JSON_EACH(edge, graph->edges)
        if (is_at(edge, "/to", STR("END")) && json_value_str(edge, "/from", &from, NULL) == ERR_OK)
            graph->has_end = graph->has_end || str_is_absent(spec_export_ends_branch(
                                                   graph, json_value_member(graph->nodes, from)));
}

/* ---- EndNodes ---- */

static bool write_end(struct exporting *x, struct exporting_graph *graph, const char *name,
                      struct str branch)
{
    const struct json_value *report =
        spec_doc_member(&graph->doc, graph->doc.root, "report", JSON_OBJECT, false);
    graph->node = graph->end = name;
    if (name == NULL)
        return spec_doc_no_memory(&graph->doc);
    for (const struct json_value *one = report == NULL ? NULL : report->first; one != NULL;
         one = one->next) {
        if (one->type != JSON_STRING)
            return spec_doc_fail(&graph->doc, one, "a member by a condition cannot be mapped");
        if (!exporting_add_port(graph, true, one->key, one->text))
            return false;
    }
    if (graph->doc.failed)
        return false;
    exporting_begin_node(x, graph, "EndNode");
    if (!str_is_absent(branch))
        exporting_put(x, "branch_name", branch);
    exporting_properties(graph, name, true, "inputs", &x->json);
    exporting_properties(graph, name, true, "outputs", &x->json);
    json_write_object_end(&x->json);
    return true;
}

bool spec_export_ends_write(struct exporting *x, struct exporting_graph *graph)
{
    if (graph->has_end && !write_end(x, graph, "END", str_make(NULL, 0)))
        return false;
    JSON_EACH(node, graph->nodes) {
        struct str branch = spec_export_ends_branch(graph, node);
        if (!str_is_absent(branch) &&
            !write_end(x, graph, arena_cstr(&x->arena, node->key), branch))
            return false;
    }
    return true;
}

/* ---- routes by them ---- */

/* All branches of a graph with several ends; how many. */
static size_t all_branches(const struct exporting_graph *inner,
                           struct str branches[SPEC_EXPORT_ENDS_MAX])
{
    size_t count = 0;
    if (inner->has_end || str_is_absent(inner->branch))
        branches[count++] = STR("next");
    JSON_EACH(node, inner->nodes) {
        struct str branch = spec_export_ends_branch(inner, node);
        size_t i = 0;
        while (i < count && !str_equal(branches[i], branch))
            i++;
        if (!str_is_absent(branch) && i == count && count < SPEC_EXPORT_ENDS_MAX)
            branches[count++] = branch;
    }
    return count;
}

struct str spec_export_ends_heard(const struct json_value *node,
                                  const struct exporting_graph *inner)
{
    const struct json_value *outs = json_value_member(node, STR("out"));
    if (outs != NULL && !str_is_absent(inner->branch))
        JSON_EACH(one, outs)
            if (one->type == JSON_STRING && str_equal(one->text, inner->branch))
                return one->key;
    return str_make(NULL, 0);
}

bool spec_export_ends_check(struct exporting_graph *graph, const struct json_value *node,
                            const struct exporting_graph *inner, size_t skip)
{
    static const char *const members[] = {"field", "equals", NULL};
    const struct json_value *route = json_value_member(node, STR("route"));
    struct str heard = spec_export_ends_heard(node, inner), field, value;
    for (const struct json_value *choice = route == NULL ? NULL : route->first; choice != NULL;
         choice = choice->next) {
        const struct json_value *condition = json_value_member(choice, STR("if"));
        if (skip > 0) {
            skip--;
            continue;
        }
        if (condition == NULL)
            continue; /* the last */
        if (json_value_str(condition, "/field", &field, NULL) != ERR_OK ||
            json_value_str(condition, "/equals", &value, NULL) != ERR_OK || str_is_absent(heard) ||
            !str_equal(field, heard))
            return spec_doc_fail(
                &graph->doc, condition,
                "a route by anything but the ends of graph '%.*s' cannot be mapped",
                STR_ARG(inner->name));
        if (!spec_doc_known(&graph->doc, condition, members))
            return false;
    }
    return true;
}

/* Whether a choice of the route is by this branch. */
static bool is_chosen(const struct json_value *route, struct str branch, struct str *label)
{
    struct str value;
    JSON_EACH(choice, route)
        if (json_value_str(choice, "/if/equals", &value, NULL) == ERR_OK &&
            str_equal(value, branch))
            return json_value_str(choice, "/label", label, NULL) == ERR_OK;
    return false;
}

size_t spec_export_ends_called(const struct json_value *node, const struct exporting_graph *inner,
                               size_t skip, struct str label,
                               struct str branches[SPEC_EXPORT_ENDS_MAX])
{
    const struct json_value *route = json_value_member(node, STR("route"));
    struct str all[SPEC_EXPORT_ENDS_MAX], other = STR("");
    size_t count = all_branches(inner, all), found = 0, i = 0;
    struct str last = STR("");
    JSON_EACH(choice, route) {
        struct str name;
        bool is_it = json_value_str(choice, "/label", &name, NULL) == ERR_OK;
        if (is_it && i < skip && str_equal(name, label)) {
            branches[0] = STR("caught_exception_branch");
            return 1;
        }
        last = is_it ? name : last;
        i++;
    }
    for (i = 0; i < count; i++)
        if (str_equal(is_chosen(route, all[i], &other) ? other : last, label))
            branches[found++] = all[i];
    return found;
}
