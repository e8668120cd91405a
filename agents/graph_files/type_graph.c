/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_graph.c - "graph": another graph with a state of its own; "sql": the one
 * that passes a statement through the guard and runs it.
 *
 * "in" has a member for each field of the other graph and names the field of this one that goes
 * into it; "out" has a member for each field of this one that gets what the other's holds. */
#include "agents/graph_files/node_types.h"
#include "agents/services/registry_entry.h"

enum { MAX_PASSES = 16 };

static bool find_inner(const struct graph_def *sub, struct str name, unsigned *index)
{
    for (unsigned i = 0; i < sub->schema.slot_count; i++)
        if (str_equal(str_of(sub->schema.slots[i].name), name)) {
            *index = i;
            return true;
        }
    return false;
}

/* A pass between the field called outer here and the one called inner there. */
static bool pass(struct graph_reader *r, const struct graph_def *sub, const char *member,
                 struct str outer, struct str inner, struct graph_pass *to)
{
    struct slot_ref slot = graph_reader_slot_named(r, member, outer);
    if (!slot_is_named(slot))
        return false;
    to->outer = slot_index(slot);
    return find_inner(sub, inner, &to->inner) ||
           graph_reader_fail(r, member, "graph '%s' has no field '%.*s'", sub->name,
                             STR_ARG(inner));
}

static const struct graph_pass *read_passes(struct graph_reader *r, const struct json_value *object,
                                            const char *member, bool is_required,
                                            const struct graph_def *sub, size_t *count)
{
    const struct json_value *list = graph_reader_object(r, object, member, is_required);
    bool is_in = str_equal(str_of(member), STR("in"));
    struct graph_pass *passes = arena_array(r->json.arena, MAX_PASSES, sizeof *passes);
    if (passes == NULL)
        graph_reader_no_memory(r);
    if (passes == NULL || list == NULL)
        return NULL;
    size_t mark = graph_reader_enter(r, str_of(member));
    JSON_EACH(item, list) {
        char *name = arena_cstr(r->json.arena, item->key);
        if (name == NULL || item->type != JSON_STRING || *count == MAX_PASSES) {
            graph_reader_fail(r, name, "expected the name of a field; at most %d", MAX_PASSES);
            return NULL;
        }
        if (!pass(r, sub, name, is_in ? item->text : item->key, is_in ? item->key : item->text,
                  &passes[(*count)++]))
            return NULL;
    }
    graph_reader_leave(r, mark);
    return passes;
}

static void write_out(struct graph_reader *r, const struct graph_node *node, unsigned index)
{
    for (size_t i = 0; i < node->out_count; i++)
        r->slots[node->out[i].outer].writers |= SLOT_WRITER(index);
}

static const struct registry_entry *find(struct graph_reader *r, const char *member,
                                         struct str name)
{
    struct err err = {0};
    uint64_t hash = 0;
    const struct registry_entry *entry = r->find(r->owner, name, &hash, &err);
    r->hash = r->hash * 31 + hash;
    if (entry == NULL)
        graph_reader_fail(r, member, "%s", err.text);
    return entry;
}

const struct registry_entry *type_graph_find(struct graph_reader *r,
                                             const struct json_value *object, const char *member)
{
    struct str name = graph_reader_text(r, object, member, true);
    return graph_reader_ok(r) ? find(r, member, name) : NULL;
}

const struct graph_pass *type_graph_passes_in(struct graph_reader *r,
                                              const struct json_value *object,
                                              const struct graph_def *inner, size_t *count)
{
    const struct graph_pass *passes = read_passes(r, object, "in", false, inner, count);
    for (size_t i = 0; graph_reader_ok(r) && i < *count; i++) {
        const struct slot *to = &inner->schema.slots[passes[i].inner];
        if (to->type != r->slots[passes[i].outer].type || (to->writers & SLOT_WRITER_INPUT) == 0)
            graph_reader_fail(r, "in",
                              "field '%s' of graph '%s' is of another type, or its caller "
                              "may not write it",
                              to->name, inner->name);
    }
    return passes;
}

static bool read_graph(struct graph_reader *r, const struct json_value *object, unsigned index,
                       struct graph_node *node)
{
    const struct registry_entry *entry = type_graph_find(r, object, "graph");
    if (entry == NULL)
        return false;
    node->sub = entry->def;
    node->in = read_passes(r, object, "in", true, node->sub, &node->in_count);
    if (graph_reader_ok(r))
        node->out = read_passes(r, object, "out", true, node->sub, &node->out_count);
    if (graph_reader_ok(r))
        write_out(r, node, index);
    return graph_reader_ok(r);
}

/* ---- sql ---- */

/* Pass the field that member of object names, when it does. */
static void pass_named(struct graph_reader *r, const struct json_value *object, const char *member,
                       const char *inner, const struct graph_def *sub, struct graph_pass *passes,
                       size_t *count)
{
    struct str name = graph_reader_text(r, object, member, false);
    if (!str_is_absent(name))
        (void)pass(r, sub, member, name, str_of(inner), &passes[(*count)++]);
}

static bool read_sql(struct graph_reader *r, const struct json_value *object, unsigned index,
                     struct graph_node *node)
{
    struct graph_pass *passes = arena_array(r->json.arena, 8, sizeof *passes);
    if (passes == NULL)
        return graph_reader_no_memory(r);
    const struct registry_entry *entry = find(r, "type", STR("statement"));
    if (entry == NULL)
        return false;
    node->sub = entry->def;
    (void)graph_reader_text(r, object, "statement", true);
    pass_named(r, object, "statement", "sql", node->sub, passes, &node->in_count);
    node->in = passes;
    node->out = passes + node->in_count;
    pass_named(r, object, "result", "result", node->sub, passes + 1, &node->out_count);
    pass_named(r, object, "error", "error_message", node->sub, passes + 1, &node->out_count);
    pass_named(r, object, "sent", "validated_sql", node->sub, passes + 1, &node->out_count);
    pass_named(r, object, "tables", "tables", node->sub, passes + 1, &node->out_count);
    pass_named(r, object, "warnings", "warnings", node->sub, passes + 1, &node->out_count);
    if (graph_reader_ok(r))
        write_out(r, node, index);
    return graph_reader_ok(r);
}

const struct node_type type_graph_node = {"graph", {"graph", "in", "out"}, read_graph};
const struct node_type type_graph_sql_node = {
    "sql", {"statement", "result", "error", "sent", "tables", "warnings"}, read_sql};
