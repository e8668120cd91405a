/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_tree.c - trees of at most JOIN_PATH_MAX_EDGES edges, by plain loops over
 * them.
 *
 * Happy path: edges are added, settled into a tree, scored, and written out from the root.
 * Failure paths: a full tree says so; nothing else can go wrong. */
#include "agents/sql/joins/join_tree.h"

#include <string.h>

static const struct join_edge *edge_at(const struct join_finder *finder, int edge)
{
    return join_graph_edge(finder->graph, (size_t)edge);
}

/* Whether one row of table meets many of the edge's other end. */
static bool leaves_to_many(const struct join_edge *edge, int table)
{
    return edge->cardinality == JOIN_N_TO_N ||
           (edge->cardinality == JOIN_N_TO_1 && edge->to_table == table);
}

bool join_tree_add(struct join_tree *tree, int edge)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->edges[i] == edge)
            return true;
    }
    if (tree->count == JOIN_PATH_MAX_EDGES)
        return false;
    tree->edges[tree->count++] = edge;
    return true;
}

static bool is_terminal(const struct join_terminals *terminals, int table)
{
    for (size_t i = 0; i < terminals->count; i++) {
        if (terminals->tables[i] == table)
            return true;
    }
    return false;
}

/* The part that table belongs to, in table_mark; path halving keeps it short. */
static int part_of(struct join_finder *finder, int table)
{
    int *parent = finder->table_mark;
    while (parent[table] != table) {
        parent[table] = parent[parent[table]];
        table = parent[table];
    }
    return table;
}

static void begin_parts(struct join_finder *finder, const struct join_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        finder->table_mark[edge->from_table] = edge->from_table;
        finder->table_mark[edge->to_table] = edge->to_table;
    }
}

static bool dearer(const struct join_finder *finder, int a, int b)
{
    return finder->cost[a] != finder->cost[b] ? finder->cost[a] > finder->cost[b] : a > b;
}

static void sort_by_cost(const struct join_finder *finder, struct join_tree *tree)
{
    for (size_t i = 1; i < tree->count; i++) {
        int edge = tree->edges[i];
        size_t k = i;
        for (; k > 0 && dearer(finder, tree->edges[k - 1], edge); k--)
            tree->edges[k] = tree->edges[k - 1];
        tree->edges[k] = edge;
    }
}

static void drop_circles(struct join_finder *finder, struct join_tree *tree)
{
    size_t kept = 0;
    begin_parts(finder, tree);
    sort_by_cost(finder, tree);
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        int from = part_of(finder, edge->from_table), to = part_of(finder, edge->to_table);
        if (from == to)
            continue;
        finder->table_mark[from] = to;
        tree->edges[kept++] = tree->edges[i];
    }
    tree->count = kept;
}

static size_t degree(const struct join_finder *finder, const struct join_tree *tree, int table)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        count += edge->from_table == table || edge->to_table == table;
    }
    return count;
}

static bool is_loose(const struct join_finder *finder, const struct join_tree *tree,
                     const struct join_terminals *terminals, int table)
{
    return !is_terminal(terminals, table) && degree(finder, tree, table) == 1;
}

static void drop_branches(const struct join_finder *finder, struct join_tree *tree,
                          const struct join_terminals *terminals)
{
    for (size_t i = 0; i < tree->count;) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        if (!is_loose(finder, tree, terminals, edge->from_table) &&
            !is_loose(finder, tree, terminals, edge->to_table)) {
            i++;
            continue;
        }
        tree->edges[i] = tree->edges[--tree->count];
        i = 0;
    }
}

void join_tree_settle(struct join_finder *finder, struct join_tree *tree,
                      const struct join_terminals *terminals)
{
    drop_circles(finder, tree);
    drop_branches(finder, tree, terminals);
    for (size_t i = 1; i < tree->count; i++) {
        int edge = tree->edges[i];
        size_t k = i;
        for (; k > 0 && tree->edges[k - 1] > edge; k--)
            tree->edges[k] = tree->edges[k - 1];
        tree->edges[k] = edge;
    }
}

void join_tree_mark_many(struct join_finder *finder, const struct join_tree *tree, int table)
{
    finder->table_mark[table] = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        finder->table_mark[edge->from_table] = finder->table_mark[edge->to_table] = 0;
    }
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        finder->table_mark[edge->from_table] += leaves_to_many(edge, edge->from_table);
        finder->table_mark[edge->to_table] += leaves_to_many(edge, edge->to_table);
    }
}

uint32_t join_tree_cost(struct join_finder *finder, const struct join_tree *tree)
{
    uint32_t cost = 0;
    if (tree->count > 0)
        join_tree_mark_many(finder, tree, edge_at(finder, tree->edges[0])->from_table);
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        const int ends[] = {edge->from_table, edge->to_table};
        cost += finder->cost[tree->edges[i]];
        for (size_t end = 0; end < countof(ends); end++) {
            /* Every branch to many but the first at a table pairs up by chance with it. */
            if (leaves_to_many(edge, ends[end]) && --finder->table_mark[ends[end]] > 0)
                cost += finder->peak[ends[end]];
        }
    }
    return cost;
}

static bool is_joined(const struct join_plan *plan, int table)
{
    if (table == plan->root)
        return true;
    for (size_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].child == table)
            return true;
    }
    return false;
}

/* Add the steps from parent to what is not joined yet. */
static void add_children(const struct join_finder *finder, const struct join_tree *tree, int parent,
                         struct join_plan *plan)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        bool forward = edge->from_table == parent;
        int child = forward ? edge->to_table : edge->from_table;
        if ((!forward && edge->to_table != parent) || is_joined(plan, child))
            continue;
        plan->steps[plan->step_count++] = (struct join_step){edge, parent, child, forward};
        plan->fans_out = plan->fans_out || leaves_to_many(edge, parent);
        if (edge->confidence < plan->confidence)
            plan->confidence = edge->confidence;
    }
}

void join_tree_plan(struct join_finder *finder, const struct join_tree *tree,
                    const struct join_terminals *terminals, struct join_plan *plan)
{
    plan->root = terminals->tables[0];
    plan->step_count = 0;
    plan->confidence = 1.0;
    plan->fans_out = plan->is_far = false;
    plan->runner_up = UINT64_MAX;
    plan->other_count = 0;
    plan->cost = join_tree_cost(finder, tree) >> JOIN_COST_SHIFT;
    add_children(finder, tree, plan->root, plan);
    for (size_t i = 0; i < plan->step_count; i++)
        add_children(finder, tree, plan->steps[i].child, plan);
    CHECK(plan->step_count == tree->count);
}

void join_tree_plan_other(const struct join_finder *finder, const int *edges, size_t count,
                          uint32_t cost, struct join_plan *plan)
{
    plan->runner_up = cost >> JOIN_COST_SHIFT;
    plan->other_count = count;
    for (size_t i = 0; i < count; i++)
        plan->other[i] = edge_at(finder, edges[i]);
}

/* How far a table is from another over the plan's steps, by walking up from both. */
static unsigned steps_between(const struct join_plan *plan, int one, int other)
{
    unsigned count = 0;
    /* A child comes after its parent: the end that was joined later is the one to walk up. */
    for (size_t i = plan->step_count; i-- > 0 && one != other;) {
        const struct join_step *step = &plan->steps[i];
        if (step->child == one)
            one = step->parent;
        else if (step->child == other)
            other = step->parent;
        else
            continue;
        count++;
    }
    return count;
}

unsigned join_tree_longest_leg(const struct join_plan *plan, const struct join_terminals *terminals)
{
    unsigned longest = 0;
    for (size_t i = 0; i < terminals->count; i++) {
        unsigned nearest = JOIN_PATH_MAX_EDGES;
        for (size_t k = 0; k < terminals->count; k++) {
            unsigned leg = steps_between(plan, terminals->tables[i], terminals->tables[k]);
            if (i != k && leg < nearest)
                nearest = leg;
        }
        longest = nearest > longest ? nearest : longest;
    }
    return longest;
}

/* ---- exchange */

enum { NEAR = 1, FAR = 2 }; /* in table_stamp: that much before stamp, and so no other time's */

/* Mark which side of a missing edge tables are on. */
static void mark_sides(struct join_finder *finder, const struct join_tree *rest, int near, int far)
{
    begin_parts(finder, rest);
    finder->table_mark[near] = near;
    finder->table_mark[far] = far;
    for (size_t i = 0; i < rest->count; i++) {
        const struct join_edge *edge = edge_at(finder, rest->edges[i]);
        int from = part_of(finder, edge->from_table), to = part_of(finder, edge->to_table);
        if (from != to)
            finder->table_mark[from] = to;
    }
    int near_part = part_of(finder, near);
    finder->stamp += FAR + 1;
    finder->table_stamp[near] = finder->stamp - NEAR;
    finder->table_stamp[far] = finder->stamp - FAR;
    for (size_t i = 0; i < rest->count; i++) {
        const struct join_edge *edge = edge_at(finder, rest->edges[i]);
        unsigned side = part_of(finder, edge->from_table) == near_part ? NEAR : FAR;
        finder->table_stamp[edge->from_table] = finder->stamp - side;
        finder->table_stamp[edge->to_table] = finder->stamp - side;
    }
}

/* Begin at every table of the near side; a second branch to many costs a table's peak. */
static void push_side(struct join_finder *finder, const struct join_tree *rest, int near)
{
    uint32_t *cost = finder->layers;
    memset(cost, JOIN_NO_COST_BYTE, finder->table_count * 2 * sizeof *cost);
    finder->heap_count = 0;
    for (size_t i = 0; i <= rest->count * 2; i++) {
        int table = near;
        if (i < rest->count * 2) {
            const struct join_edge *edge = edge_at(finder, rest->edges[i / 2]);
            table = i % 2 == 0 ? edge->from_table : edge->to_table;
        }
        int state = table * 2 + (finder->table_mark[table] > 0);
        if (finder->table_stamp[table] != finder->stamp - NEAR || cost[state] == 0)
            continue;
        cost[state] = 0;
        join_heap_push(finder, 0, (uint32_t)state);
    }
}

static void push_next(struct join_finder *finder, int state, uint32_t cost, int dropped)
{
    int table = state / 2;
    for (size_t h = finder->starts[table]; h < finder->starts[table + 1]; h++) {
        const struct join_hop *hop = &finder->hops[h];
        int to = hop->to * 2 + hop->many_in;
        uint32_t next = cost + finder->cost[hop->edge];
        if (state % 2 == 1 && hop->many_out)
            next += finder->peak[table];
        /* Arriving at the far side is where its own branches count. */
        if (hop->many_in && finder->table_stamp[hop->to] == finder->stamp - FAR &&
            finder->table_mark[hop->to] > 0)
            next += finder->peak[hop->to];
        if (hop->edge == dropped || next >= finder->layers[to])
            continue;
        finder->layers[to] = next;
        finder->came_by[to] = (struct join_step_back){(int)h, state};
        join_heap_push(finder, next, (uint32_t)to);
    }
}

/* The cheapest way under limit from the near side to the far one without the edge dropped; its
 * edges are added to tree. False: none, or no room. */
static bool bridge(struct join_finder *finder, int dropped, uint32_t limit, struct join_tree *tree)
{
    uint32_t cost, value;
    int near = edge_at(finder, dropped)->from_table, far = edge_at(finder, dropped)->to_table;
    join_tree_mark_many(finder, tree, near);
    if (degree(finder, tree, far) == 0)
        finder->table_mark[far] = 0;
    push_side(finder, tree, near);
    while (join_heap_pop(finder, &cost, &value) && cost < limit) {
        int state = (int)value;
        if (cost > finder->layers[state])
            continue;
        if (finder->table_stamp[state / 2] != finder->stamp - FAR) {
            push_next(finder, state, cost, dropped);
            continue;
        }
        for (; finder->layers[state] > 0; state = finder->came_by[state].state) {
            if (!join_tree_add(tree, finder->hops[finder->came_by[state].hop].edge))
                return false;
        }
        return true;
    }
    return false;
}

uint32_t join_tree_exchange(struct join_finder *finder, const struct join_tree *tree,
                            const struct join_terminals *terminals, uint32_t limit,
                            struct join_tree *other)
{
    uint32_t best = limit;
    for (size_t i = 0; i < tree->count; i++) {
        struct join_tree changed = *tree;
        const struct join_edge *edge = edge_at(finder, tree->edges[i]);
        changed.edges[i] = changed.edges[--changed.count];
        mark_sides(finder, &changed, edge->from_table, edge->to_table);
        uint32_t left = join_tree_cost(finder, &changed);
        if (left >= best || !bridge(finder, tree->edges[i], best - left, &changed))
            continue;
        join_tree_settle(finder, &changed, terminals);
        uint32_t cost = join_tree_cost(finder, &changed);
        if (cost < best) {
            best = cost;
            *other = changed;
        }
    }
    return best;
}
