/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/exporting.c - ports, properties and the beginnings of components.
 *
 * Failure: more ports than there is room for, told at the graph. */
#include "agents/agent_spec/exporting.h"

#include <string.h>

static struct str field_type(const struct exporting_graph *graph, struct str field)
{
    const struct json_value *slot = json_value_member(graph->state, field);
    const struct json_value *type =
        slot != NULL && slot->type == JSON_OBJECT ? json_value_member(slot, STR("type")) : slot;
    return type != NULL && type->type == JSON_STRING ? type->text : STR("");
}

bool exporting_add_port(struct exporting_graph *graph, bool is_input, struct str title,
                        struct str field)
{
    if (graph->port_count == EXPORTING_PORTS)
        return spec_doc_fail(&graph->doc, graph->doc.root, "more than %d values", EXPORTING_PORTS);
    for (size_t i = 0; i < graph->port_count; i++)
        if (graph->ports[i].node == graph->node && graph->ports[i].is_input == is_input &&
            str_equal(graph->ports[i].title, title))
            return true;
    graph->ports[graph->port_count++] =
        (struct exporting_port){graph->node, is_input, title, field, false};
    return true;
}

static void write_property(const struct exporting_graph *graph, const struct exporting_port *port,
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

void exporting_properties(const struct exporting_graph *graph, const char *node, bool is_input,
                          const char *key, struct json_write *json)
{
    json_write_key(json, str_of(key));
    json_write_array(json);
    for (size_t i = 0; i < graph->port_count; i++)
        if (strcmp(graph->ports[i].node, node) == 0 && graph->ports[i].is_input == is_input)
            write_property(graph, &graph->ports[i], json);
    json_write_array_end(json);
}

void exporting_put(struct exporting *x, const char *key, struct str value)
{
    json_write_member_str(&x->json, str_of(key), value);
}

struct str exporting_id(struct exporting *x, const struct exporting_graph *graph, const char *node)
{
    return arena_printf(&x->arena, "%.*s.%s", STR_ARG(graph->name), node);
}

void exporting_ref_value(struct exporting *x, struct str id)
{
    json_write_object(&x->json);
    exporting_put(x, "$component_ref", id);
    json_write_object_end(&x->json);
}

void exporting_ref(struct exporting *x, const char *key, const struct exporting_graph *graph,
                   const char *node)
{
    json_write_key(&x->json, str_of(key));
    exporting_ref_value(x, exporting_id(x, graph, node));
}

void exporting_edge(struct exporting *x, const struct exporting_graph *graph, const char *from,
                    struct str branch, const char *to)
{
    json_write_object(&x->json);
    exporting_put(x, "component_type", STR("ControlFlowEdge"));
    exporting_put(x, "name", arena_printf(&x->arena, "%s to %s", from, to));
    exporting_ref(x, "from_node", graph, from);
    if (!str_is_absent(branch))
        exporting_put(x, "from_branch", branch);
    exporting_ref(x, "to_node", graph, to);
    json_write_object_end(&x->json);
}

void exporting_wire(struct exporting *x, const struct exporting_graph *graph, struct str name,
                    struct exporting_end from, struct exporting_end to)
{
    json_write_object(&x->json);
    exporting_put(x, "component_type", STR("DataFlowEdge"));
    exporting_put(x, "name", name);
    exporting_ref(x, "source_node", graph, from.node);
    exporting_put(x, "source_output", from.title);
    exporting_ref(x, "destination_node", graph, to.node);
    exporting_put(x, "destination_input", to.title);
    json_write_object_end(&x->json);
}

void exporting_ports(struct exporting *x, const struct exporting_graph *graph, const char *node)
{
    exporting_properties(graph, node, true, "inputs", &x->json);
    exporting_properties(graph, node, false, "outputs", &x->json);
}

struct str exporting_text(struct exporting_graph *graph, const struct json_value *object,
                          const char *member)
{
    return spec_doc_text(&graph->doc, object, member, true);
}

void exporting_begin_value(struct exporting *x, const char *type, struct str id, struct str name)
{
    json_write_object(&x->json);
    exporting_put(x, "component_type", str_of(type));
    exporting_put(x, "id", id);
    exporting_put(x, "name", name);
}

void exporting_begin(struct exporting *x, struct str id, const char *type, struct str name)
{
    json_write_key(&x->json, id);
    exporting_begin_value(x, type, id, name);
}

void exporting_begin_node(struct exporting *x, const struct exporting_graph *graph,
                          const char *type)
{
    exporting_begin(x, exporting_id(x, graph, graph->node), type, str_of(graph->node));
}
