/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_reader.c - members that name fields of the state. */
#include "agents/graph_files/graph_reader.h"

struct slot_ref graph_reader_slot_named(struct graph_reader *r, const char *member, struct str name)
{
    struct slot_ref none = {0};
    for (size_t i = 0; i < r->slot_count && graph_reader_ok(r); i++)
        if (str_equal(str_of(r->slots[i].name), name))
            return (struct slot_ref)SLOT(i);
    graph_reader_fail(r, member, "'%.*s' is no field of /state", STR_ARG(name));
    return none;
}

static const char *const type_names[] = {"text", "json", "int", "real", "bool", "list"};

struct slot_ref graph_reader_slot(struct graph_reader *r, const struct json_value *object,
                                  const char *member, bool required, unsigned types)
{
    struct slot_ref none = {0};
    struct str name = graph_reader_text(r, object, member, required);
    if (str_is_absent(name))
        return none;
    struct slot_ref slot = graph_reader_slot_named(r, member, name);
    if (!slot_is_named(slot))
        return none;
    enum slot_type type = r->slots[slot_index(slot)].type;
    if ((types >> type & 1) != 0)
        return slot;
    const char *wanted = type_names[__builtin_ctz(types)];
    graph_reader_fail(r, member, "'%.*s' is %s, a field of type %s is needed", STR_ARG(name),
                      type_names[type], wanted);
    return none;
}

struct slot_ref graph_reader_output(struct graph_reader *r, const struct json_value *object,
                                    const char *member, bool required, unsigned types,
                                    unsigned node)
{
    struct slot_ref slot = graph_reader_slot(r, object, member, required, types);
    if (slot_is_named(slot))
        r->slots[slot_index(slot)].writers |= SLOT_WRITER(node);
    return slot;
}

bool graph_reader_node_named(struct graph_reader *r, const char *member, struct str name,
                             unsigned *index)
{
    for (*index = 0; *index < r->node_count; ++*index)
        if (str_equal(str_of(r->nodes[*index].name), name))
            return true;
    return graph_reader_fail(r, member, "'%.*s' is no node of /nodes", STR_ARG(name));
}

bool graph_reader_budget_named(struct graph_reader *r, struct str name, unsigned *index)
{
    for (*index = 0; *index < r->budget_count; ++*index)
        if (str_equal(str_of(r->budgets[*index].name), name))
            return true;
    return graph_reader_fail(r, "budget", "'%.*s' is no budget of /budgets", STR_ARG(name));
}

struct slot_ref graph_reader_list(struct graph_reader *r, const struct json_value *object,
                                  const char *member, bool required, unsigned node)
{
    struct slot_ref slot = graph_reader_output(r, object, member, required, 1u << SLOT_LIST, node);
    if (slot_is_named(slot) && r->slots[slot_index(slot)].reducer != REDUCE_APPEND)
        graph_reader_fail(r, member, "the field needs \"reduce\":\"append\"");
    return slot;
}
