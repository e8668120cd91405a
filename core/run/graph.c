/* SPDX-License-Identifier: MIT */
/* core/run/graph.c - definitions checked once, then asked where to go.
 *
 * Happy path: graph_compile checks the tables, compiles the sub-graphs and settles the budgets'
 * limits; graph_next then reads the edge table (tens of rows) once per ended node.
 * One function per kind of mistake looks at the tables, in an order that matters: later ones index
 * by what earlier ones have proved to be in range.
 * Failure: the first mistake, told with graph, node and label; no memory. */
#include "core/run/graph.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"

enum { DEFAULT_RECURSION_LIMIT = 15, MAX_DEPTH = 8, WARNING_BYTES = 200 };
enum { INPUT_WRITER = 63, MAX_SLOTS = 64 };

struct graph {
    const struct graph_def *def;
    struct graph **subs;   /* by node; NULL where it has none */
    struct graph **inners; /* GRAPH_MAX_INNER for each node, NULL after the last */
    unsigned *limits;      /* by budget */
    unsigned recursion_limit;
    char warning[WARNING_BYTES];
};

/* ---- the mistakes a definition can hold ---- */

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

/* The type that the schema gives a slot. */
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
    if (node->name == NULL)
        return err_set(err, ERR_INVALID, "graph '%s': node %u has no name", def->name, i);
    if (!is_name(node->name) || str_equal_nocase(str_of(node->name), STR("start")) ||
        str_equal_nocase(str_of(node->name), STR("end")))
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': this is not a name for a node, which has letters, "
                       "digits, _ and -, and is neither start nor end",
                       def->name, node->name);
    for (unsigned j = 0; j < i; j++)
        if (strcmp(def->nodes[j].name, node->name) == 0)
            return err_set(err, ERR_INVALID, "graph '%s': node '%s': the name is used twice",
                           def->name, node->name);
    if ((node->type == NULL) == (node->sub == NULL))
        return err_set(err, ERR_INVALID,
                       "graph '%s': node '%s': needs either a type or a sub-graph", def->name,
                       node->name);
    if (node->inner != NULL && node->sub != NULL)
        return err_set(err, ERR_INVALID, "graph '%s': node '%s': a sub-graph runs no graphs itself",
                       def->name, node->name);
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

static bool has_route(const struct graph_node *node)
{
    return node->route != NULL || node->route_by != NULL;
}

static enum err_code check_labels(const struct graph_def *def, struct err *err)
{
    enum err_code code = check_unrouted(def, GRAPH_START, err);
    for (unsigned i = 0; i < def->node_count && code == ERR_OK; i++)
        code = has_route(&def->nodes[i]) ? check_routed(def, i, err) : check_unrouted(def, i, err);
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

/* ERR_INVALID: err names graph, node and label of the first mistake. */
static enum err_code check_def(const struct graph_def *def, struct err *err)
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

/* The most supersteps a run of def (checked) can take when every budget is spent on its longest way
 * back; limits by budget index. */
static unsigned measure_longest(const struct graph_def *def, const unsigned *limits)
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

/* ---- compiling ---- */

static enum err_code compile(const struct graph_def *def, const struct graph_tuning *tunings,
                             size_t tuning_count, unsigned depth, struct graph **out,
                             struct err *err);

static void settle_limits(struct graph *graph, const struct graph_tuning *tunings,
                          size_t tuning_count)
{
    const struct graph_def *def = graph->def;
    for (size_t i = 0; i < def->budget_count; i++) {
        graph->limits[i] = def->budgets[i].limit;
        for (size_t j = 0; j < tuning_count; j++)
            if (tunings[j].budget != NULL && strcmp(tunings[j].budget, def->budgets[i].name) == 0)
                graph->limits[i] = tunings[j].limit;
    }
    graph->recursion_limit =
        def->recursion_limit == 0 ? DEFAULT_RECURSION_LIMIT : def->recursion_limit;
    for (size_t j = 0; j < tuning_count; j++)
        if (tunings[j].budget == NULL && strcmp(tunings[j].graph, def->name) == 0)
            graph->recursion_limit = tunings[j].limit;
    unsigned longest = measure_longest(def, graph->limits);
    if (longest > graph_recursion_limit(graph))
        snprintf(graph->warning, sizeof graph->warning,
                 "graph '%s': its budgets allow %u supersteps, its recursion limit %u", def->name,
                 longest, graph_recursion_limit(graph));
}

static enum err_code compile_one(struct graph *graph, const struct graph_def *def,
                                 const struct graph_tuning *tunings, size_t tuning_count,
                                 unsigned depth, struct graph **out, struct err *err)
{
    enum err_code code = compile(def, tunings, tuning_count, depth + 1, out, err);
    if (code == ERR_OK && graph->warning[0] == '\0' && (*out)->warning[0] != '\0')
        memcpy(graph->warning, (*out)->warning, sizeof graph->warning);
    return code;
}

static enum err_code compile_subs(struct graph *graph, const struct graph_tuning *tunings,
                                  size_t tuning_count, unsigned depth, struct err *err)
{
    const struct graph_def *def = graph->def;
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < def->node_count && code == ERR_OK; i++) {
        const struct graph_node *node = &def->nodes[i];
        if (node->sub != NULL)
            code =
                compile_one(graph, node->sub, tunings, tuning_count, depth, &graph->subs[i], err);
        for (size_t j = 0; node->inner != NULL && node->inner[j] != NULL && code == ERR_OK; j++)
            code = j + 1 < GRAPH_MAX_INNER
                       ? compile_one(graph, node->inner[j], tunings, tuning_count, depth,
                                     &graph->inners[i * GRAPH_MAX_INNER + j], err)
                       : err_set(err, ERR_INVALID, "graph '%s': node '%s': more than %d graphs",
                                 def->name, node->name, GRAPH_MAX_INNER - 1);
    }
    return code;
}

static enum err_code compile(const struct graph_def *def, const struct graph_tuning *tunings,
                             size_t tuning_count, unsigned depth, struct graph **out,
                             struct err *err)
{
    if (depth > MAX_DEPTH)
        return err_set(err, ERR_INVALID, "graph '%s': sub-graphs nest deeper than %d", def->name,
                       MAX_DEPTH);
    enum err_code code = check_def(def, err);
    if (code != ERR_OK)
        return code;
    struct graph *graph = mem_zalloc(1, sizeof *graph);
    if (graph == NULL)
        return err_set(err, ERR_NO_MEMORY, "graph '%s': no memory", def->name);
    graph->def = def;
    graph->subs = mem_zalloc(def->node_count, sizeof(struct graph *));
    graph->inners = mem_zalloc(def->node_count * GRAPH_MAX_INNER, sizeof(struct graph *));
    graph->limits = mem_zalloc(def->budget_count, sizeof *graph->limits);
    if (graph->subs == NULL || graph->inners == NULL || graph->limits == NULL) {
        code = err_set(err, ERR_NO_MEMORY, "graph '%s': no memory", def->name);
    } else {
        settle_limits(graph, tunings, tuning_count);
        code = compile_subs(graph, tunings, tuning_count, depth, err);
    }
    if (code != ERR_OK) {
        graph_destroy(graph);
        return code;
    }
    *out = graph;
    return ERR_OK;
}

enum err_code graph_compile(const struct graph_def *def, const struct graph_tuning *tunings,
                            size_t tuning_count, struct graph **out, struct err *err)
{
    *out = NULL;
    return compile(def, tunings, tuning_count, 0, out, err);
}

void graph_destroy(struct graph *graph)
{
    if (graph == NULL)
        return;
    for (size_t i = 0; graph->subs != NULL && i < graph->def->node_count; i++)
        graph_destroy(graph->subs[i]);
    for (size_t i = 0; graph->inners != NULL && i < graph->def->node_count * GRAPH_MAX_INNER; i++)
        graph_destroy(graph->inners[i]);
    mem_free(graph->subs);
    mem_free(graph->inners);
    mem_free(graph->limits);
    mem_free(graph);
}

const struct graph_def *graph_def(const struct graph *graph)
{
    return graph->def;
}

const char *graph_warning(const struct graph *graph)
{
    return graph->warning[0] == '\0' ? NULL : graph->warning;
}

unsigned graph_recursion_limit(const struct graph *graph)
{
    return graph->recursion_limit;
}

const char *graph_pick(const struct graph *graph, unsigned node, const struct state *state,
                       bool *is_routed)
{
    const struct graph_node *at = &graph->def->nodes[node];
    *is_routed = has_route(at);
    if (at->route != NULL)
        return at->route(state, graph);
    return at->route_by != NULL ? at->route_by(at, state, graph) : NULL;
}

const struct graph *graph_sub(const struct graph *graph, unsigned node)
{
    CHECK(node < graph->def->node_count);
    return graph->subs[node];
}

const struct graph *graph_inner(const struct graph *graph, unsigned node, unsigned i)
{
    CHECK(node < graph->def->node_count);
    return i < GRAPH_MAX_INNER ? graph->inners[node * GRAPH_MAX_INNER + i] : NULL;
}

const struct graph *graph_find_inner(const struct graph *graph, unsigned node, struct str name)
{
    const struct graph *inner;
    for (unsigned i = 0; (inner = graph_inner(graph, node, i)) != NULL; i++)
        if (str_equal(str_of(inner->def->name), name))
            return inner;
    return NULL;
}

enum err_code graph_next(const struct graph *graph, unsigned from, const char *label,
                         uint64_t *mask, bool *ends, unsigned *budget, struct err *err)
{
    const struct graph_def *def = graph->def;
    bool found = false;
    *mask = 0;
    *ends = false;
    *budget = 0;
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        if (edge->from != from ||
            (label != NULL && (edge->label == NULL || strcmp(edge->label, label) != 0)))
            continue;
        found = true;
        if (edge->to == GRAPH_END)
            *ends = true;
        else
            *mask |= UINT64_C(1) << edge->to;
        if (edge->budget != 0)
            *budget = edge->budget;
    }
    if (found)
        return ERR_OK;
    return err_set(err, ERR_INTERNAL, "graph '%s': node '%s': no edge has the label '%s'",
                   def->name, from == GRAPH_START ? "START" : def->nodes[from].name,
                   label == NULL ? "" : label);
}

bool graph_budget_left(const struct graph *graph, const struct state *state, unsigned budget)
{
    CHECK(budget < graph->def->budget_count);
    int64_t used = state_int(state, slot_index(graph->def->budgets[budget].counter_slot));
    if (graph->def->budgets[budget].counted_by_node)
        return used <= (int64_t)graph->limits[budget];
    return used < (int64_t)graph->limits[budget];
}

unsigned graph_budget_limit(const struct graph *graph, unsigned budget)
{
    CHECK(budget < graph->def->budget_count);
    return graph->limits[budget];
}

unsigned graph_find_budget(const struct graph *graph, const char *name)
{
    for (unsigned i = 0; i < graph->def->budget_count; i++)
        if (strcmp(graph->def->budgets[i].name, name) == 0)
            return i + 1;
    return 0;
}

/* ---- the picture ---- */

struct drawn { /* what was mentioned already */
    uint64_t nodes;
    bool start, end;
};

/* A node as Mermaid names it; with its shape where it is mentioned first. */
static void write_end_of_edge(const struct graph_def *def, unsigned at, struct drawn *drawn,
                              struct buf *out)
{
    if (at == GRAPH_START || at == GRAPH_END) {
        const char *name = at == GRAPH_START ? "START" : "END";
        bool *seen = at == GRAPH_START ? &drawn->start : &drawn->end;
        buf_printf(out, "%s", name);
        if (!*seen)
            buf_printf(out, "([%s])", name);
        *seen = true;
        return;
    }
    uint64_t bit = UINT64_C(1) << at;
    buf_printf(out, "%s", def->nodes[at].name);
    bool has_inside = def->nodes[at].sub != NULL || def->nodes[at].inner != NULL;
    if (has_inside && (drawn->nodes & bit) == 0)
        buf_printf(out, "[[%s]]", def->nodes[at].name);
    drawn->nodes |= bit;
}

/* Write a text in quotes when it is more than a word, as Mermaid wants it. */
static void write_label(const char *label, struct buf *out)
{
    struct str text = str_of(label);
    bool is_word = true;
    for (size_t i = 0; i < text.len; i++)
        is_word =
            is_word && (text.at[i] == '_' || str_is_alpha(text.at[i]) || str_is_digit(text.at[i]));
    buf_printf(out, is_word ? "|%s|" : "|\"%s\"|", label);
}

void graph_write_mermaid(const struct graph *graph, struct buf *out)
{
    const struct graph_def *def = graph->def;
    struct drawn drawn = {0};
    buf_printf(out, "graph TD\n");
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        bool dotted = edge->to != GRAPH_END && def->nodes[edge->to].background;
        buf_printf(out, "    ");
        write_end_of_edge(def, edge->from, &drawn, out);
        buf_push(out, dotted ? STR(" -.->") : STR(" -->"));
        if (edge->label != NULL)
            write_label(edge->label, out);
        buf_push_char(out, ' ');
        write_end_of_edge(def, edge->to, &drawn, out);
        buf_push_char(out, '\n');
    }
}
