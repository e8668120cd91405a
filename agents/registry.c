/* SPDX-License-Identifier: MIT */
/* agents/registry.c - the graphs of agents/graphs.inc, compiled with the budgets of the
 * configuration; their states and definitions as JSON.
 *
 * Failure: the first mistake of the first wrong graph, which is what a developer mends first. */
#include "agents/registry.h"

#include "agents/graphs.h"
#include "agents/common/members.h"
#include "core/base/mem.h"
#include "proto/json_write.h"

struct registry { /* of the graphs that there are, in the order of the list */
    struct graph *graphs[GRAPHS_COUNT];
    const struct registry_entry *entries[GRAPHS_COUNT];
    size_t count;
};

/* The graph's definition as the configuration chooses it. */
static const struct graph_def *choose(const struct registry_entry *entry,
                                      const struct limits *limits)
{
    bool has_tools = limits->sql_tools && !limits->no_model && entry->with_tools != NULL;
    return has_tools ? entry->with_tools : entry->def;
}

enum err_code registry_create(const struct limits *limits, struct registry **out, struct err *err)
{
    struct graph_tuning tunings[1 + GRAPHS_COUNT] = {
        {"correction", limits->sql_correction_max_attempts},
    };
    size_t tuning_count = 1;
    struct registry *registry = mem_zalloc(1, sizeof *registry);
    if (registry == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the graphs");
    for (size_t i = 0; i < GRAPHS_COUNT; i++)
        if (graphs_entries[i]->first_pass != 0)
            tunings[tuning_count++] = (struct graph_tuning){
                .graph = graphs_entries[i]->def->name,
                .limit = graphs_entries[i]->first_pass + limits->sql_agent_max_iterations};
    for (size_t i = 0; i < GRAPHS_COUNT; i++) {
        const struct registry_entry *entry = graphs_entries[i];
        if (entry->needs_model && limits->no_model)
            continue;
        registry->entries[registry->count] = entry;
        enum err_code code = graph_compile(choose(entry, limits), tunings, tuning_count,
                                           &registry->graphs[registry->count++], err);
        if (code != ERR_OK) {
            registry_destroy(registry);
            return code;
        }
    }
    *out = registry;
    return ERR_OK;
}

void registry_destroy(struct registry *registry)
{
    if (registry == NULL)
        return;
    for (size_t i = 0; i < registry->count; i++)
        graph_destroy(registry->graphs[i]);
    mem_free(registry);
}

size_t registry_count(const struct registry *registry)
{
    return registry->count;
}

const struct graph *registry_graph(const struct registry *registry, size_t i)
{
    CHECK(i < registry->count);
    return registry->graphs[i];
}

const struct registry_entry *registry_entry(const struct registry *registry, size_t i)
{
    CHECK(i < registry->count);
    return registry->entries[i];
}

int registry_find(const struct registry *registry, struct str name)
{
    for (size_t i = 0; i < registry->count; i++)
        if (str_equal(str_of(registry->entries[i]->def->name), name))
            return (int)i;
    return -1;
}

enum err_code registry_begin(const struct registry_entry *entry, struct update *input,
                             const struct session *session, struct err *err)
{
    if (str_is_empty(str_trim(session->message)))
        return err_set(err, ERR_INVALID, "%s: expected text, got only blanks",
                       entry->def->schema.slots[entry->question].name);
    update_put_str(input, entry->question, session->message);
    if (entry->begin != NULL)
        entry->begin(input, session);
    return ERR_OK;
}

static void write_list(const struct state *state, unsigned slot, struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < state_list_count(state, slot); i++) {
        struct str item = state_list_item(state, slot, i);
        if (str_starts_with(item, STR("{")))
            json_write_raw(writer, item);
        else
            json_write_str(writer, item);
    }
    json_write_array_end(writer);
}

static void write_value(const struct state *state, unsigned slot, struct json_write *writer)
{
    const struct slot *facts = &state_schema(state)->slots[slot];
    if (!state_has(state, slot)) {
        json_write_null(writer);
        return;
    }
    switch (facts->type) {
    case SLOT_TEXT:
        json_write_str(writer, state_str(state, slot));
        break;
    case SLOT_JSON:
        json_write_raw(writer, state_str(state, slot));
        break;
    case SLOT_INT:
        json_write_i64(writer, state_int(state, slot));
        break;
    case SLOT_REAL:
        json_write_double(writer, state_real(state, slot));
        break;
    case SLOT_BOOL:
        json_write_bool(writer, state_bool(state, slot));
        break;
    case SLOT_LIST:
        write_list(state, slot, writer);
        break;
    }
}

void registry_describe(const struct state *state, uint64_t mask, struct buf *members)
{
    const struct schema *schema = state_schema(state);
    for (unsigned i = 0; i < schema->slot_count; i++) {
        struct json_write writer;
        if ((mask >> i & 1) == 0 || schema->slots[i].secret)
            continue;
        if (buf_len(members) > 0)
            buf_push_char(members, ',');
        json_write_init(&writer, members);
        json_write_str(&writer, str_of(schema->slots[i].name));
        buf_push_char(members, ':');
        json_write_init(&writer, members);
        write_value(state, i, &writer);
    }
}

/* ---- definition ---- */

static const char *end_name(const struct graph_def *def, unsigned node)
{
    if (node == GRAPH_START)
        return "START";
    return node == GRAPH_END ? "END" : def->nodes[node].name;
}

static void write_nodes(const struct graph *graph, struct json_write *writer)
{
    const struct graph_def *def = graph_def(graph);
    json_write_array(writer);
    for (size_t i = 0; i < def->node_count; i++) {
        const struct graph_node *node = &def->nodes[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), str_of(node->name));
        if (node->sub != NULL)
            json_write_member_str(writer, STR("graph"), str_of(node->sub->name));
        if (node->timeout_ms != 0)
            json_write_member_u64(writer, STR("timeout_ms"), node->timeout_ms);
        if (node->retries != 0)
            json_write_member_u64(writer, STR("retries"), node->retries);
        if (node->background)
            json_write_member_bool(writer, STR("background"), true);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_edges(const struct graph_def *def, struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("from"), str_of(end_name(def, edge->from)));
        json_write_member_str(writer, STR("to"), str_of(end_name(def, edge->to)));
        json_write_member_str(writer, STR("label"), str_of(edge->label));
        if (edge->budget != 0)
            json_write_member_str(writer, STR("budget"),
                                  str_of(def->budgets[edge->budget - 1].name));
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_writers(const struct graph_def *def, uint64_t writers, struct json_write *writer)
{
    json_write_array(writer);
    if ((writers & SLOT_WRITER_INPUT) != 0)
        json_write_str(writer, STR("input"));
    for (unsigned i = 0; i < def->node_count; i++)
        if ((writers & SLOT_WRITER(i)) != 0)
            json_write_str(writer, str_of(def->nodes[i].name));
    json_write_array_end(writer);
}

static void write_slots(const struct graph_def *def, struct json_write *writer)
{
    static const char *const types[] = {"text", "json", "int", "real", "bool", "list"};
    static const char *const reducers[] = {"replace", "append", "add"};
    json_write_array(writer);
    for (size_t i = 0; i < def->schema.slot_count; i++) {
        const struct slot *slot = &def->schema.slots[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), str_of(slot->name));
        json_write_member_str(writer, STR("type"), str_of(types[slot->type]));
        json_write_member_str(writer, STR("reducer"), str_of(reducers[slot->reducer]));
        json_write_key(writer, STR("writers"));
        write_writers(def, slot->writers, writer);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_budgets(const struct graph *graph, struct json_write *writer)
{
    const struct graph_def *def = graph_def(graph);
    json_write_array(writer);
    for (unsigned i = 0; i < def->budget_count; i++) {
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), str_of(def->budgets[i].name));
        json_write_member_str(
            writer, STR("counter"),
            str_of(def->schema.slots[slot_index(def->budgets[i].counter_slot)].name));
        json_write_member_u64(writer, STR("limit"), graph_budget_limit(graph, i));
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

void registry_write_definition(const struct graph *graph, struct buf *out)
{
    struct json_write writer;
    const struct graph_def *def = graph_def(graph);
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("name"), str_of(def->name));
    json_write_member_str(&writer, STR("purpose"), str_of(def->purpose));
    json_write_member_u64(&writer, STR("recursion_limit"), graph_recursion_limit(graph));
    json_write_key(&writer, STR("nodes"));
    write_nodes(graph, &writer);
    json_write_key(&writer, STR("edges"));
    write_edges(def, &writer);
    json_write_key(&writer, STR("state"));
    write_slots(def, &writer);
    json_write_key(&writer, STR("budgets"));
    write_budgets(graph, &writer);
    json_write_object_end(&writer);
}
