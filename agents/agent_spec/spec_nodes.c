/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_nodes.c - each type of Agent Spec's nodes as a node of a graph's file.
 *
 * Failure: a member, a type or a text that has no place there. */
#include "agents/agent_spec/spec_nodes.h"

#include <string.h>

#include "agents/agent_spec/spec_text.h"

enum { TEXT_BYTES = 4 << 20, AT_ONCE = 4 };

static bool is_type(const struct spec_node *node, const char *type)
{
    return str_equal(node->type, str_of(type));
}

static void put(struct spec_writing *w, const char *key, const char *value)
{
    json_write_member_str(w->json, str_of(key), str_of(value));
}

/* ---- inputs and outputs ---- */

/* The node's next input or output behind port (NULL: the first); NULL: there are no more. */
static const struct spec_port *next_port(const struct spec_writing *w, bool is_input,
                                         const struct spec_port *port)
{
    const struct spec_port *end = w->flow->ports + w->flow->port_count;
    for (port = port == NULL ? w->flow->ports : port + 1; port < end; port++)
        if (port->node == w->index && port->is_input == is_input)
            return port;
    return NULL;
}

#define PORT_EACH(port, w, is_input)                                                               \
    for (const struct spec_port *port = next_port(w, is_input, NULL); port != NULL;                \
         port = next_port(w, is_input, port))

static const struct spec_field *field_of(const struct spec_writing *w, const struct spec_port *port)
{
    return &w->flow->fields[port->field];
}

/* ---- texts ---- */

static struct str field_name(void *owner, struct str name)
{
    const struct spec_writing *w = owner;
    const struct spec_field *field = spec_flow_field(w->flow, w->index, true, name);
    return field == NULL ? str_make(NULL, 0) : str_of(field->name);
}

/* Append a template as a graph has it; at: the text's place. */
static bool write_template(struct spec_writing *w, const struct json_value *at, struct buf *out)
{
    return spec_text_from_spec(at->text, field_name, w, out) ||
           spec_doc_fail(w->doc, at, "a placeholder of the text is no input of '%s'",
                         w->node->name);
}

/* The same as a member. */
static bool put_template(struct spec_writing *w, const char *key, const struct json_value *at)
{
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    bool ok = write_template(w, at, &out);
    if (ok)
        json_write_member_str(w->json, str_of(key), buf_str(&out));
    buf_fini(&out);
    return ok;
}

static const struct json_value *text_member(struct spec_writing *w, const struct json_value *object,
                                            const char *member)
{
    return spec_doc_member(w->doc, object, member, JSON_STRING, true);
}

/* The one output of the node; NULL: it has none, or a mistake was noted. */
static const struct spec_port *one_output(struct spec_writing *w, bool required)
{
    const struct spec_port *found = next_port(w, false, NULL);
    if (found != NULL && next_port(w, false, found) != NULL) {
        spec_doc_fail(w->doc, w->node->value, "a node of this type has one output here");
        return NULL;
    }
    if (found == NULL && required)
        spec_doc_fail(w->doc, w->node->value, "expected an output");
    return found;
}

static bool put_output(struct spec_writing *w, bool required)
{
    const struct spec_port *port = one_output(w, required);
    if (port != NULL)
        put(w, "output", field_of(w, port)->name);
    return !w->doc->failed;
}

/* ---- nodes ---- */

/* What a model is asked with: temperature 0 is "exact"; which model is the deployment's choice. */
static bool put_model(struct spec_writing *w, const struct json_value *holder)
{
    double temperature;
    const struct json_value *config =
        spec_doc_component(w->doc, json_value_member(holder, STR("llm_config")));
    if (config == NULL)
        return false;
    if (json_value_double(config, "/default_generation_parameters/temperature", &temperature,
                          NULL) == ERR_OK &&
        temperature <= 0 && is_type(w->node, "LlmNode"))
        json_write_member_bool(w->json, STR("exact"), true);
    return true;
}

/* Several outputs, or one that is no text: an object of a form, and its members. */
static void put_parts(struct spec_writing *w)
{
    json_write_key(w->json, STR("schema"));
    json_write_object(w->json);
    put(w, "type", "object");
    json_write_key(w->json, STR("properties"));
    json_write_object(w->json);
    PORT_EACH(port, w, false)
    {
        json_write_key(w->json, port->name);
        if (port->schema != NULL)
            json_value_write(port->schema, w->json);
        else
            json_write_raw(w->json, STR("{\"type\":\"string\"}"));
    }
    json_write_object_end(w->json);
    json_write_key(w->json, STR("required"));
    json_write_array(w->json);
    PORT_EACH(port, w, false)
    json_write_str(w->json, port->name);
    json_write_array_end(w->json);
    json_write_member_bool(w->json, STR("additionalProperties"), false);
    json_write_object_end(w->json);
    json_write_key(w->json, STR("outputs"));
    json_write_array(w->json);
    PORT_EACH(port, w, false)
    {
        json_write_object(w->json);
        put(w, "field", field_of(w, port)->name);
        put(w, "take", "member");
        json_write_member_str(w->json, STR("label"), port->name);
        json_write_object_end(w->json);
    }
    json_write_array_end(w->json);
}

/* Whether what is asked for is one text. */
static bool is_text(struct spec_writing *w)
{
    const struct spec_port *output = next_port(w, false, NULL);
    return output != NULL && next_port(w, false, output) == NULL &&
           strcmp(field_of(w, output)->type, "text") == 0;
}

static bool put_outputs(struct spec_writing *w)
{
    if (is_text(w) || next_port(w, false, NULL) == NULL)
        return put_output(w, true);
    put_parts(w);
    return true;
}

/* The sections of a prompt, which askd's own export has joined and kept the first of. */
static bool put_prompt(struct spec_writing *w, const struct json_value *at)
{
    struct str system = {NULL, 0};
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    bool ok = write_template(w, at, &out);
    struct str text = buf_str(&out), gap = STR("\n\n");
    if (json_value_str(w->node->value, "/metadata/askd/system", &system, NULL) != ERR_OK ||
        !str_starts_with(text, system) || system.len == 0 || text.len < system.len + gap.len ||
        memcmp(text.at + system.len, gap.at, gap.len) != 0)
        system = str_make(NULL, 0);
    json_write_key(w->json, STR("prompt"));
    json_write_object(w->json);
    if (!str_is_absent(system)) {
        json_write_member_str(w->json, STR("system"), system);
        text = str_make(text.at + system.len + gap.len, text.len - system.len - gap.len);
    }
    json_write_member_str(w->json, STR("user"), text);
    json_write_object_end(w->json);
    buf_fini(&out);
    return ok;
}

static bool write_llm(struct spec_writing *w)
{
    const struct json_value *prompt = text_member(w, w->node->value, "prompt_template");
    if (prompt == NULL)
        return false;
    put(w, "type", "ask");
    return put_prompt(w, prompt) && put_model(w, w->node->value) && put_outputs(w);
}

/* A tool of several outputs says an object that has them. */
static bool put_answers(struct spec_writing *w)
{
    const struct spec_port *first = next_port(w, false, NULL);
    if (first == NULL || next_port(w, false, first) == NULL)
        return put_output(w, false);
    json_write_key(w->json, STR("outputs"));
    json_write_array(w->json);
    PORT_EACH(port, w, false)
    {
        struct str at = spec_doc_pointer(w->doc, port->name);
        if (str_is_absent(at))
            return false;
        json_write_object(w->json);
        put(w, "field", field_of(w, port)->name);
        json_write_member_str(w->json, STR("at"), at);
        json_write_object_end(w->json);
    }
    json_write_array_end(w->json);
    return true;
}

static bool write_call(struct spec_writing *w, const struct json_value *tool)
{
    const char *name = spec_tools_name(w->doc, w->tools, tool);
    if (name == NULL)
        return false;
    put(w, "type", str_equal(spec_doc_type(tool), STR("MCPTool")) ? "mcp" : "http");
    put(w, "call", name);
    if (spec_tools_confirms(w->doc, tool))
        json_write_member_bool(w->json, STR("confirm"), true);
    json_write_key(w->json, STR("arguments"));
    json_write_object(w->json);
    PORT_EACH(port, w, true)
    {
        json_write_key(w->json, port->name);
        json_write_object(w->json);
        put(w, "field", field_of(w, port)->name);
        json_write_object_end(w->json);
    }
    json_write_object_end(w->json);
    return put_answers(w);
}

static bool write_tool(struct spec_writing *w)
{
    const struct json_value *tool =
        spec_doc_component(w->doc, json_value_member(w->node->value, STR("tool")));
    return tool != NULL && write_call(w, tool);
}

static bool write_api(struct spec_writing *w)
{
    return write_call(w, w->node->value);
}

static void tell_tool(void *owner, const char *tool)
{
    const struct spec_writing *w = owner;
    json_write_str(w->json, str_of(tool));
}

static void put_confirmed(struct spec_writing *w, const char *name)
{
    json_write_object(w->json);
    put(w, "tool", name);
    json_write_member_bool(w->json, STR("confirm"), true);
    json_write_object_end(w->json);
}

static bool put_tools(struct spec_writing *w, const struct json_value *agent)
{
    const struct json_value *tools = spec_doc_member(w->doc, agent, "tools", JSON_ARRAY, false);
    const struct json_value *boxes = spec_doc_member(w->doc, agent, "toolboxes", JSON_ARRAY, false);
    const struct json_value *human = json_value_member(agent, STR("human_in_the_loop"));
    bool has_client = false;
    json_write_key(w->json, STR("tools"));
    json_write_array(w->json);
    for (const struct json_value *one = tools == NULL ? NULL : tools->first; one != NULL;
         one = one->next) {
        const struct json_value *tool = spec_doc_component(w->doc, one);
        bool is_client = tool != NULL && str_equal(spec_doc_type(tool), STR("ClientTool"));
        const char *name =
            tool == NULL || is_client ? NULL : spec_tools_name(w->doc, w->tools, tool);
        has_client = has_client || is_client;
        if (name != NULL && spec_tools_confirms(w->doc, tool))
            put_confirmed(w, name);
        else if (name != NULL)
            json_write_str(w->json, str_of(name));
    }
    for (const struct json_value *one = boxes == NULL ? NULL : boxes->first; one != NULL;
         one = one->next) {
        const struct json_value *box = spec_doc_component(w->doc, one);
        if (box == NULL || !spec_tools_box(w->doc, w->tools, box, tell_tool, w))
            return false;
    }
    if (human == NULL || human->boolean) /* it may ask back */
        json_write_str(w->json, STR("ask_user"));
    json_write_array_end(w->json);
    if (has_client)
        json_write_member_bool(w->json, STR("client_tools"), true);
    return !w->doc->failed;
}

const char *spec_nodes_question(const struct spec_flow *flow)
{
    return flow->question < 0 ? flow->asked : flow->fields[flow->question].name;
}

static bool is_empty(const struct json_value *agent, const char *member)
{
    const struct json_value *list = json_value_member(agent, str_of(member));
    return list == NULL || list->count == 0;
}

/* An agent that may call nothing and not ask back either is a question to a model. */
static bool has_tools(const struct json_value *agent)
{
    const struct json_value *human = json_value_member(agent, STR("human_in_the_loop"));
    return human == NULL || human->boolean || !is_empty(agent, "tools") ||
           !is_empty(agent, "toolboxes");
}

/* Where what an agent says goes: to the reader, where nobody else hears it. */
static bool put_said(struct spec_writing *w, bool may_have_parts)
{
    bool is_silent = next_port(w, false, NULL) == NULL;
    if (is_silent || (is_text(w) && w->flow->place == SPEC_ALONE))
        json_write_member_bool(w->json, STR("answer"), true);
    if (is_silent) {
        put(w, "output", w->flow->said);
        return true;
    }
    if (may_have_parts)
        return put_outputs(w);
    return is_text(w) ? put_output(w, true)
                      : spec_doc_fail(w->doc, w->node->value,
                                      "what an agent with tools says is one text here");
}

static bool write_agent(struct spec_writing *w)
{
    static const char *const members[] = {
        SPEC_DOC_MEMBERS,    "inputs",     "outputs",   "llm_config",
        "system_prompt",     "tools",      "toolboxes", "human_in_the_loop",
        "agentspec_version", "transforms", NULL};
    const struct json_value *agent =
        spec_doc_component(w->doc, json_value_member(w->node->value, STR("agent")));
    if (agent == NULL)
        return false;
    struct str type = spec_doc_type(agent);
    if (!str_equal(type, STR("Agent")))
        return spec_doc_fail(w->doc, agent, "a %.*s cannot be mapped", STR_ARG(type));
    const struct json_value *prompt = text_member(w, agent, "system_prompt");
    const struct json_value *transforms = json_value_member(agent, STR("transforms"));
    if (prompt == NULL || !spec_doc_known(w->doc, agent, members))
        return false;
    if (transforms != NULL && transforms->count > 0)
        return spec_doc_fail(w->doc, transforms, "transforms of messages cannot be mapped");
    const char *question = spec_nodes_question(w->flow);
    put(w, "type", has_tools(agent) ? "agent" : "ask");
    json_write_key(w->json, STR("prompt"));
    json_write_object(w->json);
    if (!put_template(w, "system", prompt))
        return false;
    json_write_member_str(w->json, STR("user"), arena_printf(w->doc->arena, "{%s}", question));
    json_write_object_end(w->json);
    if (!has_tools(agent))
        return put_model(w, agent) && put_said(w, true);
    put(w, "question", question);
    return put_model(w, agent) && put_tools(w, agent) && put_said(w, false);
}

/* The inner field of a port that the node takes over from its subflow. */
static const struct spec_field *inner_field(struct spec_writing *w, const struct spec_flow *inner,
                                            const struct spec_port *port, const char *prefix)
{
    struct str name = port->name, front = str_of(prefix);
    if (str_starts_with(name, front))
        name = str_make(name.at + front.len, name.len - front.len);
    const struct spec_field *field = spec_flow_outside(inner, port->is_input, name);
    if (field == NULL && w->node->parts == NULL) /* else another part has it */
        spec_doc_fail(w->doc, port->schema == NULL ? w->node->value : port->schema,
                      "flow '%s' has no %s '%.*s'", inner->name,
                      port->is_input ? "input" : "output", STR_ARG(name));
    return field;
}

/* "in" or "out" of a node that runs inner; but: a port that is left out, or NULL. */
static bool put_passes(struct spec_writing *w, const struct spec_flow *inner, bool inputs,
                       const char *prefix, const struct spec_port *but)
{
    json_write_key(w->json, inputs ? STR("in") : STR("out"));
    json_write_object(w->json);
    PORT_EACH(port, w, inputs)
    {
        if (port == but)
            continue;
        const struct spec_field *field = inner_field(w, inner, port, prefix);
        if (w->doc->failed)
            return false;
        if (field == NULL)
            continue;
        const char *outer = field_of(w, port)->name;
        put(w, inputs ? field->name : outer, inputs ? outer : field->name);
    }
    if (!inputs && w->node->branch_field != NULL)
        put(w, w->node->branch_field, inner->branch_field);
    json_write_object_end(w->json);
    return true;
}

static struct spec_flow *subflow_of(struct spec_writing *w)
{
    return w->take_flow(w->owner, json_value_member(w->node->value, STR("subflow")));
}

static void put_choice(struct spec_writing *w, struct str label, const char *field,
                       struct str value)
{
    json_write_object(w->json);
    json_write_member_str(w->json, STR("label"), label);
    json_write_key(w->json, STR("if"));
    json_write_object(w->json);
    put(w, "field", field);
    if (str_is_absent(value))
        put(w, "is", "set");
    else
        json_write_member_str(w->json, STR("equals"), value);
    json_write_object_end(w->json);
    json_write_object_end(w->json);
}

/* The way on: by the failure that was caught, if any can be, and by the flow's branches. */
static void put_route(struct spec_writing *w, const char *caught)
{
    static const struct str next[] = {{"next", 4}};
    const struct spec_node *node = w->node;
    const struct str *names = node->branch_count > 0 ? node->branches : next;
    size_t count = node->branch_count > 0 ? node->branch_count : 1;
    if (caught == NULL && node->branch_count == 0)
        return;
    json_write_key(w->json, STR("route"));
    json_write_array(w->json);
    if (caught != NULL)
        put_choice(w, STR("caught_exception_branch"), caught, str_make(NULL, 0));
    for (size_t i = 0; i + 1 < count; i++)
        put_choice(w, names[i], node->branch_field, names[i]);
    json_write_object(w->json);
    json_write_member_str(w->json, STR("label"), names[count - 1]);
    json_write_object_end(w->json);
    json_write_array_end(w->json);
}

static bool write_flow_node(struct spec_writing *w)
{
    const struct spec_flow *inner = subflow_of(w);
    if (inner == NULL)
        return false;
    put(w, "type", "graph");
    put(w, "graph", inner->name);
    if (!put_passes(w, inner, true, "", NULL) || !put_passes(w, inner, false, "", NULL))
        return false;
    put_route(w, NULL);
    return true;
}

/* An end of a flow that has several: which it was. */
static bool write_end(struct spec_writing *w)
{
    const struct json_value *named =
        spec_doc_member(w->doc, w->node->value, "branch_name", JSON_STRING, false);
    put(w, "type", "set");
    json_write_key(w->json, STR("values"));
    json_write_object(w->json);
    if (named == NULL)
        put(w, w->flow->branch_field, "next");
    else if (!put_template(w, w->flow->branch_field, named))
        return false;
    json_write_object_end(w->json);
    return !w->doc->failed;
}

/* A node before the parts, and one behind them, which do nothing but hold them together. */
static bool write_nothing(struct spec_writing *w)
{
    put(w, "type", "set");
    json_write_key(w->json, STR("values"));
    json_write_object(w->json);
    json_write_object_end(w->json);
    return true;
}

/* Each input and output is one of a part's, and no output is of two. */
static bool check_parts(struct spec_writing *w, const struct spec_flow *const *inner)
{
    for (const struct spec_port *port = w->flow->ports; port < w->flow->ports + w->flow->port_count;
         port++) {
        size_t count = 0;
        for (size_t i = 0; port->node == w->index && i < w->node->part_count; i++)
            count += spec_flow_outside(inner[i], port->is_input, port->name) != NULL;
        if (port->node == w->index && (count == 0 || (count > 1 && !port->is_input)))
            return spec_doc_fail(w->doc, w->node->value, "%s '%.*s' is of %s of the flows",
                                 port->is_input ? "input" : "output", STR_ARG(port->name),
                                 count == 0 ? "none" : "several");
    }
    return true;
}

static bool write_parts(struct spec_writing *w)
{
    const struct json_value *subflows =
        spec_doc_member(w->doc, w->node->value, "subflows", JSON_ARRAY, true);
    const struct spec_flow **inner =
        arena_array(w->doc->arena, w->node->part_count + 1, sizeof *inner);
    size_t i = 0;
    if (subflows == NULL || inner == NULL)
        return spec_doc_no_memory(w->doc);
    JSON_EACH(item, subflows) {
        inner[i] = w->take_flow(w->owner, item);
        if (inner[i] == NULL)
            return false;
        json_write_key(w->json, str_of(w->node->parts[i]));
        json_write_object(w->json);
        put(w, "type", "graph");
        put(w, "graph", inner[i]->name);
        if (!put_passes(w, inner[i], true, "", NULL) || !put_passes(w, inner[i], false, "", NULL))
            return false;
        json_write_object_end(w->json);
        i++;
    }
    json_write_key(w->json, str_of(w->node->last));
    json_write_object(w->json);
    (void)write_nothing(w);
    json_write_object_end(w->json);
    return check_parts(w, inner);
}

/* A failure is a text of the field; both branches are a route by whether it is there. */
static bool write_catch(struct spec_writing *w)
{
    const struct spec_port *caught = NULL;
    const struct spec_flow *inner = subflow_of(w);
    PORT_EACH(port, w, false)
    if (str_equal(port->name, STR("caught_exception_info")))
        caught = port;
    if (inner == NULL || caught == NULL)
        return false;
    const char *field = field_of(w, caught)->name;
    put(w, "type", "graph");
    put(w, "graph", inner->name);
    if (!put_passes(w, inner, true, "", NULL) || !put_passes(w, inner, false, "", caught))
        return false;
    put(w, "catch", field);
    put_route(w, field);
    return true;
}

/* Of the inputs of a map the one that is a list; NULL: a mistake was noted. */
static const struct spec_port *iterated(struct spec_writing *w)
{
    const struct spec_port *found = NULL;
    PORT_EACH(port, w, true)
    {
        const char *type = field_of(w, port)->type;
        if (strcmp(type, "list") != 0 && strcmp(type, "json") != 0)
            continue;
        if (found != NULL) {
            spec_doc_fail(w->doc, w->node->value, "a map goes over one list, not over two");
            return NULL;
        }
        found = port;
    }
    if (found == NULL)
        spec_doc_fail(w->doc, w->node->value, "expected an input that is a list");
    return found;
}

static bool check_reducers(struct spec_writing *w)
{
    const struct json_value *reducers =
        spec_doc_member(w->doc, w->node->value, "reducers", JSON_OBJECT, false);
    for (const struct json_value *one = reducers == NULL ? NULL : reducers->first; one != NULL;
         one = one->next)
        if (one->type != JSON_STRING || !str_equal(one->text, STR("append")))
            return spec_doc_fail(w->doc, one, "results can be appended, and nothing else");
    return !w->doc->failed;
}

static bool write_map(struct spec_writing *w)
{
    const struct spec_flow *inner = subflow_of(w);
    const struct spec_port *over = inner == NULL ? NULL : iterated(w);
    const struct spec_port *output = over == NULL ? NULL : one_output(w, true);
    if (output == NULL || !check_reducers(w))
        return false;
    const struct spec_field *item = inner_field(w, inner, over, "iterated_");
    const struct spec_field *take = inner_field(w, inner, output, "collected_");
    if (item == NULL || take == NULL)
        return false;
    const struct spec_field *list = field_of(w, over);
    put(w, "type", "map");
    put(w, "over", list->name);
    if (strcmp(list->type, "json") == 0)
        put(w, "at", "");
    put(w, "graph", inner->name);
    put(w, "item", item->name);
    if (!put_passes(w, inner, true, "iterated_", over))
        return false;
    put(w, "take", take->name);
    put(w, "output", field_of(w, output)->name);
    json_write_member_i64(w->json, STR("at_once"), is_type(w->node, "MapNode") ? 1 : AT_ONCE);
    return true;
}

static bool write_branching(struct spec_writing *w)
{
    const struct json_value *mapping =
        spec_doc_member(w->doc, w->node->value, "mapping", JSON_OBJECT, true);
    const struct spec_port *input = next_port(w, true, NULL);
    if (mapping == NULL)
        return false;
    if (input == NULL)
        return spec_doc_fail(w->doc, w->node->value, "expected an input");
    put(w, "type", "branch");
    json_write_key(w->json, STR("route"));
    json_write_array(w->json);
    JSON_EACH(item, mapping) {
        if (item->type != JSON_STRING)
            return spec_doc_fail(w->doc, item, "expected the name of a branch");
        put_choice(w, item->text, field_of(w, input)->name, item->key);
    }
    json_write_object(w->json);
    put(w, "label", "default");
    json_write_object_end(w->json);
    json_write_array_end(w->json);
    return true;
}

static bool write_input_message(struct spec_writing *w)
{
    const struct json_value *message =
        spec_doc_member(w->doc, w->node->value, "message", JSON_STRING, false);
    put(w, "type", "interrupt");
    if (w->doc->failed || (message != NULL && !put_template(w, "text", message)))
        return false;
    if (message == NULL)
        put(w, "text", "");
    return put_output(w, true);
}

static bool write_output_message(struct spec_writing *w)
{
    const struct json_value *message = text_member(w, w->node->value, "message");
    put(w, "type", "answer");
    return message != NULL && put_template(w, "text", message);
}

#define COMMON SPEC_DOC_MEMBERS, "inputs", "outputs", "branches"

static const struct {
    const char *type;
    bool (*write)(struct spec_writing *w);
    const char *members[20];
} types[] = {
    {"LlmNode", write_llm, {COMMON, "llm_config", "prompt_template"}},
    {"ToolNode", write_tool, {COMMON, "tool"}},
    {"ApiNode",
     write_api,
     {COMMON, "url", "http_method", "api_spec_uri", "data", "query_params", "headers",
      "sensitive_headers", "url_allow_list", "retry_policy"}},
    {"AgentNode", write_agent, {COMMON, "agent"}},
    {"FlowNode", write_flow_node, {COMMON, "subflow"}},
    {"CatchExceptionNode", write_catch, {COMMON, "subflow"}},
    {"ParallelFlowNode", write_nothing, {COMMON, "subflows"}},
    {"MapNode", write_map, {COMMON, "subflow", "reducers"}},
    {"ParallelMapNode", write_map, {COMMON, "subflow", "reducers"}},
    {"BranchingNode", write_branching, {COMMON, "mapping"}},
    {"InputMessageNode", write_input_message, {COMMON, "message"}},
    {"OutputMessageNode", write_output_message, {COMMON, "message"}},
    {"EndNode", write_end, {COMMON, "branch_name"}},
};

/* Members of a node that askd's own export kept in its metadata. */
static void put_kept(struct spec_writing *w)
{
    static const char *const kept[] = {"answer", "task",   "timeout_ms", "retries", "tool",
                                       "turns",  "tokens", "seconds",    "cost",    NULL};
    const struct json_value *own = json_value_find(w->node->value, "/metadata/askd");
    for (size_t i = 0; kept[i] != NULL; i++) {
        const struct json_value *value = json_value_member(own, str_of(kept[i]));
        bool is_plain = value != NULL && value->type != JSON_OBJECT && value->type != JSON_ARRAY;
        if (!is_plain)
            continue;
        json_write_key(w->json, str_of(kept[i]));
        json_value_write(value, w->json);
    }
}

bool spec_nodes_write(struct spec_writing *w)
{
    for (size_t i = 0; i < countof(types); i++) {
        if (!is_type(w->node, types[i].type))
            continue;
        if (!spec_doc_known(w->doc, w->node->value, types[i].members))
            return false;
        json_write_key(w->json, str_of(w->node->name));
        json_write_object(w->json);
        if (!types[i].write(w))
            return false;
        put_kept(w);
        json_write_object_end(w->json);
        return w->node->parts == NULL || write_parts(w);
    }
    struct str type = w->node->type;
    return spec_doc_fail(w->doc, w->node->value, "a %.*s cannot be mapped", STR_ARG(type));
}
