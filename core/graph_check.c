/* SPDX-License-Identifier: MIT */
/* core/graph_check.c - one function per kind of mistake, run in order; the first one found is told.
 *
 * Order matters: later checks index by what earlier ones have proved to be in range. */
#include "core/graph_check.h"

#include <string.h>

enum { INPUT_WRITER = 63, MAX_SLOTS = 64 };

typedef enum err_code check_fn(const struct graph_def *def, struct err *err);

static const char *name_of(const struct graph_def *def, unsigned at)
{
    if (at == GRAPH_START)
        return "START";
    return at == GRAPH_END ? "END" : def->nodes[at].name;
}

/* ---- slots, nodes, budgets ---- */

static enum err_code check_slots(const struct graph_def *def, struct err *err)
{
    const struct schema *schema = &def->schema;
    if (schema->slot_count > MAX_SLOTS)
        return err_set(err, ERR_INVALID, "graph '%s': %zu slots, at most %d", def->name,
                       schema->slot_count, MAX_SLOTS);
    for (size_t i = 0; i < schema->slot_count; i++) {
        const struct slot *slot = &schema->slots[i];
        if (slot->name == NULL)
            return err_set(err, ERR_INVALID, "graph '%s': slot %zu has no name", def->name, i);
        bool is_number = slot->type == SLOT_INT || slot->type == SLOT_REAL;
        if ((slot->reducer == REDUCE_APPEND && slot->type != SLOT_LIST) ||
            (slot->reducer == REDUCE_ADD && !is_number))
            return err_set(err, ERR_INVALID, "graph '%s': slot '%s': its type has no such reducer",
                           def->name, slot->name);
        for (unsigned bit = (unsigned)def->node_count; bit < INPUT_WRITER; bit++)
            if ((slot->writers >> bit & 1) != 0)
                return err_set(err, ERR_INVALID,
                               "graph '%s': slot '%s': writer %u is no node of the graph",
                               def->name, slot->name, bit);
    }
    return ERR_OK;
}

static bool is_name(const char *name)
{
    if (name == NULL || !(str_is_alpha(name[0]) || name[0] == '_'))
        return false;
    for (; *name != '\0'; name++)
        if (!str_is_alpha(*name) && !str_is_digit(*name) && *name != '_' && *name != '-')
            return false;
    return true;
}

static bool is_in_schema(const struct graph_def *def, struct slot_ref slot)
{
    return slot_is_named(slot) && slot_index(slot) < def->schema.slot_count;
}

/* Of a slot in the schema. */
static enum slot_type type_of(const struct graph_def *def, struct slot_ref slot)
{
    return def->schema.slots[slot_index(slot)].type;
}

static bool is_text_or_none(const struct graph_def *def, struct slot_ref slot)
{
    return !slot_is_named(slot) || (is_in_schema(def, slot) && type_of(def, slot) == SLOT_TEXT);
}

static enum err_code check_node(const struct graph_def *def, unsigned i, struct err *err)
{
    const struct graph_node *node = &def->nodes[i];
    if (!is_name(node->name) || str_equal_nocase(str_of(node->name), STR("start")) ||
        str_equal_nocase(str_of(node->name), STR("end")))
        return err_set(err, ERR_INVALID, "graph '%s': node %u: '%s' is not a name for a node",
                       def->name, i, node->name == NULL ? "" : node->name);
    for (unsigned j = 0; j < i; j++)
        if (strcmp(def->nodes[j].name, node->name) == 0)
            return err_set(err, ERR_INVALID, "graph '%s': node '%s': the name is used twice",
                           def->name, node->name);
    if ((node->type == NULL) == (node->sub == NULL))
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': needs either a type or a sub-graph", def->name,
                       node->name);
    if (node->type != NULL && node->type->enter == NULL)
        return err_set(err, ERR_INVALID, "graph '%s': node '%s': its type has no enter function",
                       def->name, node->name);
    if (node->sub == NULL && node->in_count + node->out_count > 0)
        return err_set(err, ERR_INVALID, "graph '%s': node '%s': passes values without a sub-graph",
                       def->name, node->name);
    if (!is_text_or_none(def, node->catch_slot))
        return err_set(err, ERR_INVALID, "graph '%s': node '%s': its catch slot is no text slot",
                       def->name, node->name);
    if (!is_text_or_none(def, node->catch_code_slot))
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': its catch code slot is no text slot", def->name,
                       node->name);
    if (slot_is_named(node->catch_code_slot) && !slot_is_named(node->catch_slot))
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': a catch code slot without a catch slot", def->name,
                       node->name);
    return ERR_OK;
}

static enum err_code check_nodes(const struct graph_def *def, struct err *err)
{
    if (def->node_count == 0 || def->node_count > GRAPH_MAX_NODES)
        return err_set(err, ERR_INVALID, "graph '%s': %zu nodes, expected 1 to %d", def->name,
                       def->node_count, GRAPH_MAX_NODES);
    enum err_code code = ERR_OK;
    for (unsigned i = 0; i < def->node_count && code == ERR_OK; i++)
        code = check_node(def, i, err);
    return code;
}

static enum err_code check_pass(const struct graph_def *def, const struct graph_node *node,
                                const struct graph_pass *pass, bool is_in, struct err *err)
{
    const struct schema *outer = &def->schema, *inner = &node->sub->schema;
    const char *way = is_in ? "in" : "out";
    if (pass->outer >= outer->slot_count || pass->inner >= inner->slot_count)
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': passes %s a slot that is not there", def->name,
                       node->name, way);
    const struct slot *from = &outer->slots[pass->outer], *to = &inner->slots[pass->inner];
    if (from->type != to->type)
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': passes %s '%s' and '%s', which differ in type",
                       def->name, node->name, way, from->name, to->name);
    unsigned index = (unsigned)(node - def->nodes);
    if (is_in && (to->writers & SLOT_WRITER_INPUT) == 0)
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': passes in '%s', which its caller may not write",
                       def->name, node->name, to->name);
    if (!is_in && (from->writers & SLOT_WRITER(index)) == 0)
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': passes out '%s', which it may not write", def->name,
                       node->name, from->name);
    return ERR_OK;
}

static enum err_code check_passes(const struct graph_def *def, struct err *err)
{
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < def->node_count; i++) {
        const struct graph_node *node = &def->nodes[i];
        for (size_t j = 0; j < node->in_count && code == ERR_OK; j++)
            code = check_pass(def, node, &node->in[j], true, err);
        for (size_t j = 0; j < node->out_count && code == ERR_OK; j++)
            code = check_pass(def, node, &node->out[j], false, err);
    }
    return code;
}

static enum err_code check_budgets(const struct graph_def *def, struct err *err)
{
    for (size_t i = 0; i < def->budget_count; i++) {
        const struct graph_budget *budget = &def->budgets[i];
        if (budget->name == NULL)
            return err_set(err, ERR_INVALID, "graph '%s': budget %zu has no name", def->name, i);
        for (size_t j = 0; j < i; j++)
            if (strcmp(def->budgets[j].name, budget->name) == 0)
                return err_set(err, ERR_INVALID, "graph '%s': budget '%s': the name is used twice",
                               def->name, budget->name);
        if (!is_in_schema(def, budget->counter_slot) ||
            type_of(def, budget->counter_slot) != SLOT_INT)
            return err_set(err, ERR_INVALID,
                           "graph '%s': budget '%s': its counter is no integer slot", def->name,
                           budget->name);
        if (!is_text_or_none(def, budget->reason_slot) &&
            (!is_in_schema(def, budget->reason_slot) ||
             type_of(def, budget->reason_slot) != SLOT_JSON))
            return err_set(err, ERR_INVALID, "graph '%s': budget '%s': its reason is no text slot",
                           def->name, budget->name);
    }
    return ERR_OK;
}

/* ---- edges and labels ---- */

static enum err_code check_edges(const struct graph_def *def, struct err *err)
{
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        if (edge->from != GRAPH_START && edge->from >= def->node_count)
            return err_set(err, ERR_INVALID, "graph '%s': edge %zu begins at no node (%u)",
                           def->name, i, edge->from);
        if (edge->to != GRAPH_END && edge->to >= def->node_count)
            return err_set(err, ERR_INVALID, "graph '%s': node '%s': an edge leads to no node (%u)",
                           def->name, name_of(def, edge->from), edge->to);
        if (edge->budget > def->budget_count)
            return err_set(
                err, ERR_INVALID, "graph '%s': node '%s': the edge to '%s' counts no budget (%u)",
                def->name, name_of(def, edge->from), name_of(def, edge->to), edge->budget);
    }
    return ERR_OK;
}

static size_t count_labelled(const struct graph_def *def, unsigned from, const char *label)
{
    size_t count = 0;
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        count += edge->from == from && edge->label != NULL && strcmp(edge->label, label) == 0;
    }
    return count;
}

static bool is_declared(const struct graph_node *node, const char *label)
{
    for (size_t i = 0; i < GRAPH_MAX_LABELS && node->labels[i] != NULL; i++)
        if (strcmp(node->labels[i], label) == 0)
            return true;
    return false;
}

static enum err_code check_routed(const struct graph_def *def, unsigned i, struct err *err)
{
    const struct graph_node *node = &def->nodes[i];
    if (node->labels[0] == NULL)
        return err_set(err, ERR_INVALID, "graph '%s': node '%s': has a route but declares no label",
                       def->name, node->name);
    for (size_t j = 0; j < GRAPH_MAX_LABELS && node->labels[j] != NULL; j++) {
        size_t count = count_labelled(def, i, node->labels[j]);
        if (count != 1)
            return err_set(err, ERR_INVALID,
                           "graph '%s': node '%s': label '%s' has %zu edges, expected one",
                           def->name, node->name, node->labels[j], count);
    }
    for (size_t j = 0; j < def->edge_count; j++) {
        const struct graph_edge *edge = &def->edges[j];
        if (edge->from != i)
            continue;
        if (edge->label == NULL)
            return err_set(err, ERR_INVALID,
                           "graph '%s': node '%s': has a route, but its edge to '%s' has no label",
                           def->name, node->name, name_of(def, edge->to));
        if (!is_declared(node, edge->label))
            return err_set(err, ERR_INVALID,
                           "graph '%s': node '%s': label '%s' of an edge is not declared",
                           def->name, node->name, edge->label);
    }
    return ERR_OK;
}

static enum err_code check_unrouted(const struct graph_def *def, unsigned from, struct err *err)
{
    const char *name = name_of(def, from);
    unsigned budgeted = 0;
    if (from != GRAPH_START && def->nodes[from].labels[0] != NULL)
        return err_set(err, ERR_INVALID, "graph '%s': node '%s': label '%s' without a route",
                       def->name, name, def->nodes[from].labels[0]);
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        if (edge->from != from)
            continue;
        if (edge->label != NULL)
            return err_set(err, ERR_INVALID,
                           "graph '%s': node '%s': label '%s' of an edge, but no route", def->name,
                           name, edge->label);
        if (edge->budget != 0 && budgeted++ > 0)
            return err_set(err, ERR_INVALID,
                           "graph '%s': node '%s': two edges taken together count budgets",
                           def->name, name);
        for (size_t j = 0; j < i; j++)
            if (def->edges[j].from == from && def->edges[j].to == edge->to)
                return err_set(err, ERR_INVALID, "graph '%s': node '%s': two edges to '%s'",
                               def->name, name, name_of(def, edge->to));
    }
    return ERR_OK;
}

static enum err_code check_labels(const struct graph_def *def, struct err *err)
{
    enum err_code code = check_unrouted(def, GRAPH_START, err);
    for (unsigned i = 0; i < def->node_count && code == ERR_OK; i++)
        code =
            def->nodes[i].route != NULL ? check_routed(def, i, err) : check_unrouted(def, i, err);
    return code;
}

/* ---- shape ---- */

static uint64_t bit(unsigned node)
{
    return UINT64_C(1) << node;
}

static enum err_code check_reachable(const struct graph_def *def, struct err *err)
{
    uint64_t seen = 0, ending = 0; /* reachable from START; END is reachable from */
    for (size_t round = 0; round < def->node_count; round++)
        for (size_t i = 0; i < def->edge_count; i++) {
            const struct graph_edge *edge = &def->edges[i];
            bool from_seen = edge->from == GRAPH_START || (seen & bit(edge->from)) != 0;
            if (edge->to != GRAPH_END && from_seen)
                seen |= bit(edge->to);
            bool to_ends = edge->to == GRAPH_END || (ending & bit(edge->to)) != 0;
            if (edge->from != GRAPH_START && to_ends)
                ending |= bit(edge->from);
        }
    for (unsigned i = 0; i < def->node_count; i++) {
        if ((seen & bit(i)) == 0)
            return err_set(err, ERR_INVALID, "graph '%s': node '%s': not reachable from START",
                           def->name, def->nodes[i].name);
        if ((ending & bit(i)) == 0)
            return err_set(err, ERR_INVALID, "graph '%s': node '%s': END is not reachable from it",
                           def->name, def->nodes[i].name);
    }
    return ERR_OK;
}

/* Without budgeted edges no node may be left after nodes without a way on are taken away. */
static enum err_code check_cycles(const struct graph_def *def, struct err *err)
{
    uint64_t left = bit((unsigned)def->node_count) - 1;
    for (size_t round = 0; round < def->node_count; round++) {
        uint64_t leads_on = 0;
        for (size_t i = 0; i < def->edge_count; i++) {
            const struct graph_edge *edge = &def->edges[i];
            if (edge->budget == 0 && edge->from != GRAPH_START && edge->to != GRAPH_END &&
                (left & bit(edge->to)) != 0)
                leads_on |= bit(edge->from);
        }
        left &= leads_on;
    }
    if (left == 0)
        return ERR_OK;
    return err_set(err, ERR_INVALID, "graph '%s': node '%s': leads to a cycle without a budget",
                   def->name, def->nodes[__builtin_ctzll(left)].name);
}

enum err_code graph_check(const struct graph_def *def, struct err *err)
{
    static check_fn *const checks[] = {
        check_nodes,  check_slots,     check_budgets, check_edges,
        check_labels, check_reachable, check_cycles,  check_passes,
    };
    if (def->name == NULL)
        return err_set(err, ERR_INVALID, "a graph without a name");
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < countof(checks) && code == ERR_OK; i++)
        code = checks[i](def, err);
    return code;
}

/* ---- the longest run ---- */

/* heights[i]: most nodes on a way from i (counted) to END without budgeted edges, by relaxation. */
static void measure_heights(const struct graph_def *def, unsigned *heights)
{
    for (size_t i = 0; i < def->node_count; i++)
        heights[i] = 1;
    for (size_t round = 0; round < def->node_count; round++)
        for (size_t i = 0; i < def->edge_count; i++) {
            const struct graph_edge *edge = &def->edges[i];
            if (edge->budget != 0 || edge->from == GRAPH_START || edge->to == GRAPH_END)
                continue;
            if (heights[edge->from] < heights[edge->to] + 1)
                heights[edge->from] = heights[edge->to] + 1;
        }
}

unsigned graph_check_longest(const struct graph_def *def, const unsigned *limits)
{
    unsigned heights[GRAPH_MAX_NODES], longest = 0;
    measure_heights(def, heights);
    for (size_t i = 0; i < def->edge_count; i++)
        if (def->edges[i].from == GRAPH_START && def->edges[i].to != GRAPH_END &&
            heights[def->edges[i].to] > longest)
            longest = heights[def->edges[i].to];
    for (unsigned b = 0; b < def->budget_count; b++) {
        unsigned most = 0; /* nodes gone back over by one use of the budget */
        for (size_t i = 0; i < def->edge_count; i++) {
            const struct graph_edge *edge = &def->edges[i];
            if (edge->budget != b + 1 || edge->from == GRAPH_START || edge->to == GRAPH_END)
                continue;
            unsigned to = heights[edge->to] + 1, from = heights[edge->from];
            if (to > from && to - from > most)
                most = to - from;
        }
        unsigned back;
        if (__builtin_mul_overflow(limits[b], most, &back) ||
            __builtin_add_overflow(longest, back, &longest))
            return UINT32_MAX;
    }
    return longest;
}
