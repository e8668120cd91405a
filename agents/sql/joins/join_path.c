/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_path.c - costs, and the way from a question to a plan.
 *
 * Happy path: look in the cache; set the costs of this question (terminals free their tenant edges,
 * words make edges cheaper); two tables: search paths; more: Steiner tree, then one round of
 * exchanges for the runner-up; keep the plan.
 * Failure paths: nothing within max_hops, nothing above the threshold, or nothing at all:
 * ERR_NOT_FOUND that says which, and what would help. Too many tables or edges: ERR_TOO_LARGE. */
#include "agents/sql/joins/join_path.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/sql/joins/join_graph_internal.h"
#include "agents/sql/joins/join_path_cache.h"
#include "agents/sql/joins/join_steiner.h"
#include "agents/sql/joins/join_words.h"
#include "core/base/mem.h"

/* Costs as docs/joins.md tells them; DEFAULT_HOPS is a number of edges. */
enum {
    EDGE_COST = 1000,
    DOUBT_COST = 2000, /* times 1 - confidence */
    AUDIT_COST = 8000,
    TENANT_COST = 8000,
    GUESS_COST = 3000,
    PEAK_COST = 300,
    LOOKUP_COST = 3000,
    VERIFIED_BONUS = 400,
    AVOID_COST = 200 * 1000,
    DEFAULT_HOPS = 4
};
static const double default_threshold = 0.7;
enum { KIND_PATH, KIND_TREE, KINDS };
enum { FINDER_BYTES = 1 << 30 };

/* Whether another edge leads from the same columns to another table: entityId, of any entity. */
static bool leads_elsewhere(const struct join_graph *graph, const struct join_edge *edge)
{
    size_t count;
    const int *edges = join_graph_edges_of(graph, edge->from_table, &count);
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *other = join_graph_edge(graph, (size_t)edges[i]);
        if (other->from_table == edge->from_table && other->to_table != edge->to_table &&
            other->column_count == 1 && edge->column_count == 1 &&
            str_equal(other->from_columns[0], edge->from_columns[0]))
            return true;
    }
    return false;
}

/* Inferred, or by hand and loose: to no key, or to one of several tables. */
static bool is_guess(const struct join_graph *graph, const struct join_edge *edge)
{
    if (edge->type == JOIN_MANUAL)
        return edge->cardinality == JOIN_N_TO_N || leads_elsewhere(graph, edge);
    return edge->type == JOIN_INFERRED;
}

static uint32_t edge_cost(const struct join_graph *graph, const struct join_edge *edge)
{
    uint32_t cost = EDGE_COST + (uint32_t)lround(DOUBT_COST * (1.0 - edge->confidence));
    if (edge->audit)
        cost += AUDIT_COST;
    if (edge->tenant)
        cost += TENANT_COST;
    if (is_guess(graph, edge))
        cost += GUESS_COST;
    if (edge->verified)
        cost -= VERIFIED_BONUS;
    return (cost << JOIN_COST_SHIFT) + 1;
}

static bool is_usable(const struct join_finder *finder, const struct join_edge *edge)
{
    return edge->from_table != edge->to_table && edge->confidence >= finder->threshold;
}

/* By cost, then as the edges are: the cheap ones are looked at first. */
static void sort_hops(struct join_finder *finder, size_t begin, size_t end)
{
    for (size_t i = begin + 1; i < end; i++) {
        struct join_hop hop = finder->hops[i];
        size_t k = i;
        for (;
             k > begin && finder->base_cost[finder->hops[k - 1].edge] > finder->base_cost[hop.edge];
             k--)
            finder->hops[k] = finder->hops[k - 1];
        finder->hops[k] = hop;
    }
}

static void fill_hops(struct join_finder *finder)
{
    for (size_t t = 0; t < finder->table_count; t++) {
        size_t count;
        const int *edges = join_graph_edges_of(finder->graph, (int)t, &count);
        finder->starts[t] = finder->hop_count;
        for (size_t i = 0; i < count; i++) {
            const struct join_edge *edge = join_graph_edge(finder->graph, (size_t)edges[i]);
            if (!is_usable(finder, edge))
                continue;
            bool from_here = edge->from_table == (int)t;
            bool many = edge->cardinality == JOIN_N_TO_N;
            bool up = edge->cardinality == JOIN_N_TO_1 && from_here;
            bool down = edge->cardinality == JOIN_N_TO_1 && !from_here;
            finder->hops[finder->hop_count++] = (struct join_hop){
                .to = from_here ? edge->to_table : edge->from_table,
                .edge = edges[i],
                .many_out = many || down,
                .many_in = many || up,
            };
        }
        sort_hops(finder, finder->starts[t], finder->hop_count);
    }
    finder->starts[finder->table_count] = finder->hop_count;
}

/* Which tables usable edges join at all. */
static void fill_parts(struct join_finder *finder)
{
    int *queue = finder->queue, *part = finder->part;
    for (size_t t = 0; t < finder->table_count; t++)
        part[t] = CATALOG_NONE;
    for (size_t t = 0; t < finder->table_count; t++) {
        size_t queued = 0;
        if (part[t] != CATALOG_NONE)
            continue;
        part[t] = queue[queued++] = (int)t;
        for (size_t i = 0; i < queued; i++) {
            for (size_t h = finder->starts[queue[i]]; h < finder->starts[queue[i] + 1]; h++) {
                int to = finder->hops[h].to;
                if (part[to] != CATALOG_NONE)
                    continue;
                part[to] = (int)t;
                queue[queued++] = to;
            }
        }
    }
}

static bool make_room(struct join_finder *finder)
{
    struct arena *arena = &finder->arena;
    size_t tables = finder->table_count, edges = finder->edge_count;
    finder->heap_cap = JOIN_MAX_LABELS + edges * 8 + tables * 16 + 64;
    finder->starts = arena_array(arena, tables + 1, sizeof *finder->starts);
    finder->hops = arena_array(arena, edges * 2 + 1, sizeof *finder->hops);
    finder->base_cost = arena_array(arena, edges + 1, sizeof *finder->base_cost);
    finder->cost = arena_array(arena, edges + 1, sizeof *finder->cost);
    finder->edge_stamp = arena_array(arena, edges + 1, sizeof *finder->edge_stamp);
    finder->peak = arena_array(arena, tables, sizeof *finder->peak);
    finder->table_stamp = arena_array(arena, tables, sizeof *finder->table_stamp);
    finder->queue = arena_array(arena, tables, sizeof *finder->queue);
    finder->part = arena_array(arena, tables, sizeof *finder->part);
    finder->table_mark = arena_array(arena, tables, sizeof *finder->table_mark);
    finder->layers =
        arena_array(arena, tables * 2 * (JOIN_PATH_MAX_HOPS + 1), sizeof *finder->layers);
    finder->came_by = arena_array(arena, tables * 2, sizeof *finder->came_by);
    finder->labels = arena_array(arena, JOIN_MAX_LABELS, sizeof *finder->labels);
    finder->found = arena_array(arena, JOIN_MAX_FOUND + 1, sizeof *finder->found);
    finder->heap = arena_array(arena, finder->heap_cap, sizeof *finder->heap);
    return join_steiner_init(finder) && join_words_index(finder);
}

struct join_finder_options join_finder_options_of(double confidence_threshold, unsigned max_hops)
{
    return (struct join_finder_options){
        .confidence_threshold = confidence_threshold > 0.0 ? confidence_threshold : DBL_MIN,
        .max_hops = max_hops,
        .more_hops = max_hops + JOIN_PATH_FURTHER,
    };
}

struct join_finder *join_finder_create(const struct join_graph *graph,
                                       const struct join_finder_options *options)
{
    struct join_finder *finder = mem_zalloc(1, sizeof *finder);
    if (finder == NULL)
        return NULL;
    double threshold = options == NULL ? 0.0 : options->confidence_threshold;
    unsigned max_hops = options == NULL ? 0 : options->max_hops;
    arena_init(&finder->arena, FINDER_BYTES);
    finder->graph = graph;
    finder->threshold = threshold > 0.0 ? threshold : default_threshold;
    finder->max_hops = max_hops == 0 ? DEFAULT_HOPS : max_hops;
    if (finder->max_hops > JOIN_PATH_MAX_HOPS)
        finder->max_hops = JOIN_PATH_MAX_HOPS;
    if (options != NULL && options->more_hops > finder->max_hops)
        finder->more_hops =
            options->more_hops > JOIN_PATH_MAX_HOPS ? JOIN_PATH_MAX_HOPS : options->more_hops;
    finder->table_count = join_graph_table_count(graph);
    finder->edge_count = join_graph_edge_count(graph);
    finder->cache = join_cache_create();
    if (finder->cache == NULL || !make_room(finder)) {
        join_finder_destroy(finder);
        return NULL;
    }
    for (size_t i = 0; i < finder->edge_count; i++)
        finder->base_cost[i] = edge_cost(graph, join_graph_edge(graph, i));
    fill_hops(finder);
    fill_parts(finder);
    return finder;
}

void join_finder_destroy(struct join_finder *finder)
{
    if (finder == NULL)
        return;
    join_cache_destroy(finder->cache);
    arena_fini(&finder->arena);
    mem_free(finder);
}

void join_finder_avoid(struct join_finder *finder, const struct join_edge *edge)
{
    finder->avoided = 0;
    for (size_t i = 0; edge != NULL && i < finder->edge_count && finder->avoided == 0; i++)
        if (join_graph_edge(finder->graph, i) == edge)
            finder->avoided = i + 1;
}

static uint32_t peak_cost(const struct join_finder *finder, int table, bool is_asked_for)
{
    bool lookup = !is_asked_for && join_graph_is_lookup(finder->graph, table);
    return (uint32_t)(lookup ? LOOKUP_COST : PEAK_COST) << JOIN_COST_SHIFT;
}

/* Set the costs of this question. A table that was asked for is no chance meeting of its children,
 * though it be a lookup table. */
static void set_costs(struct join_finder *finder, const struct join_terminals *terminals,
                      const struct str *words, size_t word_count)
{
    memcpy(finder->cost, finder->base_cost, finder->edge_count * sizeof *finder->cost);
    for (size_t t = 0; t < finder->table_count; t++)
        finder->peak[t] = peak_cost(finder, (int)t, false);
    for (size_t i = 0; i < terminals->count; i++)
        finder->peak[terminals->tables[i]] = peak_cost(finder, terminals->tables[i], true);
    for (size_t i = 0; i < terminals->count; i++) {
        size_t count;
        const int *edges = join_graph_edges_of(finder->graph, terminals->tables[i], &count);
        for (size_t k = 0; k < count; k++) {
            const struct join_edge *edge = join_graph_edge(finder->graph, (size_t)edges[k]);
            if (edge->tenant && edge->to_table == terminals->tables[i])
                finder->cost[edges[k]] -= TENANT_COST << JOIN_COST_SHIFT;
        }
    }
    if (word_count > 0)
        join_words_apply(finder, words, word_count);
    if (finder->avoided > 0)
        finder->cost[finder->avoided - 1] += AVOID_COST << JOIN_COST_SHIFT;
}

static enum err_code say_why(struct join_finder *finder, int from, int to, struct err *err)
{
    struct str a = join_graph_table_name(finder->graph, from);
    struct str b = join_graph_table_name(finder->graph, to);
    bool apart = finder->part[from] != finder->part[to];
    int hops = apart ? -1 : join_search_hops(finder, from, to, true);
    if (hops > JOIN_PATH_MAX_HOPS)
        return err_set(err, ERR_NOT_FOUND,
                       "no join path from '%.*s' to '%.*s' within %d hops; the shortest has %d",
                       STR_ARG(a), STR_ARG(b), JOIN_PATH_MAX_HOPS, hops);
    if (hops > 0)
        return err_set(err, ERR_NOT_FOUND,
                       "no join path from '%.*s' to '%.*s' within max_hops %u; it needs %d hops: "
                       "raise max_hops to %d",
                       STR_ARG(a), STR_ARG(b), finder->max_hops, hops, hops);
    if (join_search_hops(finder, from, to, false) > 0)
        return err_set(err, ERR_NOT_FOUND,
                       "no join path from '%.*s' to '%.*s' at confidence %.2f; relationships below "
                       "it join them: lower the threshold or confirm them",
                       STR_ARG(a), STR_ARG(b), finder->threshold);
    return err_set(err, ERR_NOT_FOUND,
                   "no join path from '%.*s' to '%.*s': no chain of relationships joins them",
                   STR_ARG(a), STR_ARG(b));
}

static void plan_found(struct join_finder *finder, size_t i, size_t count,
                       const struct join_terminals *terminals, struct join_plan *plan)
{
    const struct join_found *found = &finder->found[i];
    struct join_tree tree = {.count = found->hops};
    memcpy(tree.edges, found->edges, found->hops * sizeof found->edges[0]);
    join_tree_plan(finder, &tree, terminals, plan);
    if (i + 1 < count)
        join_tree_plan_other(finder, found[1].edges, found[1].hops, found[1].cost, plan);
}

static void plan_nothing(int table, struct join_plan *plan)
{
    plan->root = table;
    plan->step_count = 0;
    plan->cost = 0;
    plan->confidence = 1.0;
    plan->runner_up = UINT64_MAX;
    plan->other_count = 0;
    plan->fans_out = false;
    plan->is_far = false;
}

static bool answer_cached(const struct join_finder *finder, const struct join_cache_key *key,
                          struct join_plan *plan)
{
    const struct join_plan *known = join_cache_find(finder->cache, key);
    if (known == NULL)
        return false;
    size_t used = offsetof(struct join_plan, step_count);
    memcpy(plan->steps, known->steps, known->step_count * sizeof known->steps[0]);
    memcpy((char *)plan + used, (const char *)known + used, sizeof *plan - used);
    return true;
}

static struct join_cache_key key_of(const struct join_finder *finder,
                                    const struct join_terminals *terminals, unsigned kind,
                                    const struct str *words, size_t word_count)
{
    struct join_cache_key key = {.words = join_cache_words(words, word_count),
                                 .count = (unsigned)terminals->count,
                                 .kind = kind + KINDS * (unsigned)finder->avoided};
    memcpy(key.tables, terminals->tables, terminals->count * sizeof key.tables[0]);
    return key;
}

static void check_table(const struct join_finder *finder, int table)
{
    CHECK(table >= 0 && (size_t)table < finder->table_count);
}

enum err_code join_path_find(struct join_finder *finder, int from, int to, const struct str *words,
                             size_t word_count, struct join_plan *plan, struct err *err)
{
    struct join_terminals terminals = {{from, to}, 2};
    check_table(finder, from);
    check_table(finder, to);
    struct join_cache_key key = key_of(finder, &terminals, KIND_PATH, words, word_count);
    if (answer_cached(finder, &key, plan))
        return ERR_OK;
    if (from == to) {
        plan_nothing(from, plan);
        return ERR_OK;
    }
    size_t count = 0;
    if (finder->part[from] == finder->part[to]) {
        set_costs(finder, &terminals, words, word_count);
        count = join_search_paths(finder, from, to, finder->max_hops, 2);
        if (count == 0 && finder->more_hops > 0)
            count = join_search_paths(finder, from, to, finder->more_hops, 2);
    }
    if (count == 0)
        return say_why(finder, from, to, err);
    plan_found(finder, 0, count, &terminals, plan);
    plan->is_far = plan->step_count > finder->max_hops;
    join_cache_put(finder->cache, &key, plan);
    return ERR_OK;
}

size_t join_path_suggest(struct join_finder *finder, int from, int to, struct join_plan *plans,
                         size_t max)
{
    struct join_terminals terminals = {{from, to}, 2};
    check_table(finder, from);
    check_table(finder, to);
    if (from == to || max == 0)
        return 0;
    set_costs(finder, &terminals, NULL, 0);
    size_t want = size_min(max + 1, JOIN_MAX_FOUND);
    size_t count = join_search_paths(finder, from, to, finder->max_hops, want);
    for (size_t i = 0; i < count && i < max; i++)
        plan_found(finder, i, count, &terminals, &plans[i]);
    return size_min(count, max);
}

/* ---- more than two tables */

/* The union of the paths from the root, each within max_hops: for when the best tree is too long
 * somewhere. */
static enum err_code plan_star(struct join_finder *finder, const struct join_terminals *terminals,
                               struct join_tree *tree, struct err *err)
{
    tree->count = 0;
    for (size_t i = 1; i < terminals->count; i++) {
        int from = terminals->tables[0], to = terminals->tables[i];
        if (join_search_paths(finder, from, to, finder->max_hops, 1) == 0)
            return say_why(finder, from, to, err);
        for (size_t k = 0; k < finder->found[0].hops; k++) {
            if (!join_tree_add(tree, finder->found[0].edges[k]))
                return err_set(err, ERR_TOO_LARGE, "the join needs more than %d relationships",
                               JOIN_PATH_MAX_EDGES);
        }
    }
    join_tree_settle(finder, tree, terminals);
    return ERR_OK;
}

static enum err_code plan_tree(struct join_finder *finder, const struct join_terminals *terminals,
                               struct join_plan *plan, struct err *err)
{
    struct join_tree tree, other;
    if (!join_steiner_tree(finder, terminals, &tree)) {
        for (size_t i = 1; i < terminals->count; i++) {
            if (join_search_hops(finder, terminals->tables[0], terminals->tables[i], true) < 0)
                return say_why(finder, terminals->tables[0], terminals->tables[i], err);
        }
        return err_set(err, ERR_TOO_LARGE, "the join needs more than %d relationships",
                       JOIN_PATH_MAX_EDGES);
    }
    uint32_t runner_up = join_tree_exchange(finder, &tree, terminals, JOIN_NO_COST, &other);
    uint32_t cost = join_tree_cost(finder, &tree);
    if (runner_up < cost) {
        const struct join_tree first = tree;
        tree = other;
        other = first;
        runner_up = cost;
    }
    join_tree_plan(finder, &tree, terminals, plan);
    unsigned leg = join_tree_longest_leg(plan, terminals);
    if (leg > finder->max_hops) {
        struct join_tree star;
        enum err_code code = plan_star(finder, terminals, &star, err);
        plan->is_far = code == ERR_NOT_FOUND && leg <= finder->more_hops;
        if (code != ERR_OK)
            return plan->is_far ? ERR_OK : code;
        join_tree_plan(finder, &star, terminals, plan);
    } else if (runner_up != JOIN_NO_COST) {
        join_tree_plan_other(finder, other.edges, other.count, runner_up, plan);
    }
    return ERR_OK;
}

enum err_code join_path_plan(struct join_finder *finder, const int *tables, size_t count,
                             const struct str *words, size_t word_count, struct join_plan *plan,
                             struct err *err)
{
    struct join_terminals terminals = {.count = 0};
    if (count == 0)
        return err_set(err, ERR_INVALID, "a join plan needs at least one table");
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        check_table(finder, tables[i]);
        while (k < terminals.count && terminals.tables[k] != tables[i])
            k++;
        if (k < terminals.count)
            continue;
        if (terminals.count == JOIN_PATH_MAX_TABLES)
            return err_set(err, ERR_TOO_LARGE, "a join plan takes at most %d different tables",
                           JOIN_PATH_MAX_TABLES);
        terminals.tables[terminals.count++] = tables[i];
    }
    if (terminals.count < 3)
        return join_path_find(finder, terminals.tables[0], terminals.tables[terminals.count - 1],
                              words, word_count, plan, err);
    struct join_cache_key key = key_of(finder, &terminals, KIND_TREE, words, word_count);
    if (answer_cached(finder, &key, plan))
        return ERR_OK;
    set_costs(finder, &terminals, words, word_count);
    enum err_code code = plan_tree(finder, &terminals, plan, err);
    if (code == ERR_OK)
        join_cache_put(finder->cache, &key, plan);
    return code;
}
