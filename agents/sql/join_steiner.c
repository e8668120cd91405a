/* SPDX-License-Identifier: MIT */
/* agents/sql/join_steiner.c - Dreyfus and Wagner's exact Steiner tree, turns included.
 *
 * A state is (set of terminals, table, whether the tree leaves the table to many): the cheapest
 * tree that joins the set and the table. Trees grow by an edge (Dijkstra) or are put together at a
 * table; either pays the table's peak when both parts leave it to many. So the cost is the whole
 * tree's, and no re-scoring is needed.
 * Happy path: distances from every terminal; a greedy tree as an upper bound; sets in rising order,
 * where a state is dropped when it and the farthest terminal outside the set together are over the
 * bound; walk back from the root; settle.
 * Failure paths: terminals that nothing joins, or more edges than a plan holds: false. Two parts may
 * share tables to dodge a peak; settling makes that a tree again, dearer than the search thought,
 * and the greedy tree or a single exchange (join_path) may then win. */
#include "agents/sql/join_steiner.h"

#include <string.h>

enum { MASKS = 1 << (JOIN_PATH_MAX_TABLES - 1), FLAGS = 2 };

struct steiner {
    struct join_finder *finder;
    const struct join_terminals *terminals;
    size_t states, own; /* own: terminals but the last, which is where the walk back begins */
    uint32_t bound;
};

bool join_steiner_init(struct join_finder *finder)
{
    size_t states = finder->table_count * FLAGS;
    finder->tree_cost = arena_array(&finder->arena, states * MASKS, sizeof *finder->tree_cost);
    finder->tree_step = arena_array(&finder->arena, states * MASKS, sizeof *finder->tree_step);
    finder->active = arena_array(&finder->arena, finder->table_count * MASKS,
                                 sizeof *finder->active);
    finder->active_count = arena_array(&finder->arena, MASKS, sizeof *finder->active_count);
    return arena_ok(&finder->arena);
}

static uint32_t *costs_of(const struct steiner *s, size_t mask)
{
    return s->finder->tree_cost + mask * s->states;
}

static uint32_t cheaper_flag(const uint32_t *costs, int table)
{
    uint32_t a = costs[table * FLAGS], b = costs[table * FLAGS + 1];
    return a < b ? a : b;
}

/* The row of one terminal's distances; the last terminal's is row 0, no set's own. */
static size_t single_row(const struct steiner *s, size_t terminal)
{
    return terminal < s->own ? (size_t)1 << terminal : 0;
}

/* What a tree over mask ending at table must still cost at least. */
static uint32_t least_rest(const struct steiner *s, size_t mask, int table)
{
    uint32_t most = 0;
    for (size_t t = 0; t <= s->own; t++) {
        if (t < s->own && (mask & (size_t)1 << t) != 0)
            continue;
        uint32_t far = cheaper_flag(costs_of(s, single_row(s, t)), table);
        most = far > most ? far : most;
    }
    return most;
}

static bool is_hopeless(const struct steiner *s, size_t mask, int table, uint32_t cost)
{
    if (s->bound == JOIN_NO_COST)
        return false;
    uint32_t rest = least_rest(s, mask, table);
    return rest == JOIN_NO_COST || (uint64_t)cost + rest > s->bound;
}

static bool improve(struct steiner *s, size_t mask, int state, uint32_t cost,
                    struct join_step_back step)
{
    uint32_t *costs = costs_of(s, mask);
    if (cost >= costs[state] || is_hopeless(s, mask, state / FLAGS, cost))
        return false;
    costs[state] = cost;
    s->finder->tree_step[mask * s->states + (size_t)state] = step;
    return true;
}

static void note_active(struct steiner *s, size_t mask, int table)
{
    struct join_finder *finder = s->finder;
    if (finder->table_stamp[table] == finder->stamp)
        return;
    finder->table_stamp[table] = finder->stamp;
    finder->active[mask * finder->table_count + finder->active_count[mask]++] = table;
}

/* Dijkstra from what the row has. */
static void grow(struct steiner *s, size_t mask)
{
    struct join_finder *finder = s->finder;
    uint32_t *costs = costs_of(s, mask), cost, value;
    finder->active_count[mask] = 0;
    finder->heap_count = 0;
    finder->stamp++;
    for (size_t state = 0; state < s->states; state++) {
        if (costs[state] != JOIN_NO_COST)
            join_heap_push(finder, costs[state], (uint32_t)state);
    }
    while (join_heap_pop(finder, &cost, &value)) {
        int state = (int)value, table = state / FLAGS, flag = state % FLAGS;
        /* With nothing gained by having left to many, the other flag has done the work. */
        if (cost > costs[state] || (flag == 1 && costs[state - 1] <= cost))
            continue;
        note_active(s, mask, table);
        for (size_t h = finder->starts[table]; h < finder->starts[table + 1]; h++) {
            const struct join_hop *hop = &finder->hops[h];
            uint32_t next = cost + finder->cost[hop->edge];
            if (flag == 1 && hop->many_out)
                next += finder->peak[table];
            int to = hop->to * FLAGS + hop->many_in;
            if (improve(s, mask, to, next, (struct join_step_back){(int)h, state}))
                join_heap_push(finder, next, (uint32_t)to);
        }
    }
}

static void begin_row(struct steiner *s, size_t mask)
{
    memset(costs_of(s, mask), 0xff, s->states * sizeof(uint32_t));
}

static void fill_single(struct steiner *s, size_t terminal)
{
    size_t mask = single_row(s, terminal);
    begin_row(s, mask);
    CHECK(improve(s, mask, s->terminals->tables[terminal] * FLAGS, 0,
                  (struct join_step_back){JOIN_BEGAN, 0}));
    grow(s, mask);
}

/* Trees over part and over the rest of mask, put together wherever both reach. */
static void put_together(struct steiner *s, size_t mask, size_t part)
{
    struct join_finder *finder = s->finder;
    size_t rest = mask ^ part;
    size_t fewer = finder->active_count[part] <= finder->active_count[rest] ? part : rest;
    const uint32_t *left = costs_of(s, part), *right = costs_of(s, rest);
    const int *tables = finder->active + fewer * finder->table_count;
    for (size_t i = 0; i < finder->active_count[fewer]; i++) {
        for (int flags = 0; flags < FLAGS * FLAGS; flags++) {
            int a = flags / FLAGS, b = flags % FLAGS;
            uint32_t one = left[tables[i] * FLAGS + a], two = right[tables[i] * FLAGS + b];
            if (one == JOIN_NO_COST || two == JOIN_NO_COST)
                continue;
            uint32_t cost = one + two + (a == 1 && b == 1 ? finder->peak[tables[i]] : 0);
            improve(s, mask, tables[i] * FLAGS + (a | b), cost,
                    (struct join_step_back){JOIN_BEGAN - (int)part, flags});
        }
    }
}

static void fill_mask(struct steiner *s, size_t mask)
{
    if ((mask & (mask - 1)) == 0)
        return;
    begin_row(s, mask);
    for (size_t part = (mask - 1) & mask; part > (mask ^ part); part = (part - 1) & mask)
        put_together(s, mask, part);
    grow(s, mask);
}

/* Add the edges that lead from a state back to where its tree began. False: too many. */
static bool walk_back(const struct steiner *s, size_t mask, int state, struct join_tree *tree)
{
    struct {
        size_t mask;
        int state;
    } open[JOIN_PATH_MAX_TABLES * 2] = {{mask, state}};
    for (size_t count = 1; count > 0;) {
        size_t row = open[count - 1].mask;
        int at = open[count - 1].state;
        struct join_step_back step = s->finder->tree_step[row * s->states + (size_t)at];
        if (step.hop >= 0) {
            if (!join_tree_add(tree, s->finder->hops[step.hop].edge))
                return false;
            open[count - 1].state = step.state;
        } else if (step.hop == JOIN_BEGAN) {
            count--;
        } else {
            size_t part = (size_t)(JOIN_BEGAN - step.hop);
            int table = at / FLAGS;
            CHECK(count < countof(open));
            open[count - 1].mask = part;
            open[count - 1].state = table * FLAGS + step.state / FLAGS;
            open[count].mask = row ^ part;
            open[count++].state = table * FLAGS + step.state % FLAGS;
        }
    }
    return true;
}

static int better_state(const uint32_t *costs, int table)
{
    return table * FLAGS + (costs[table * FLAGS + 1] < costs[table * FLAGS]);
}

/* The nearest pair of a terminal outside the greedy tree and a table in it. */
static uint32_t nearest(const struct steiner *s, const bool *done, const struct join_tree *tree,
                        size_t *terminal, int *table)
{
    uint32_t best = JOIN_NO_COST;
    for (size_t t = 0; t < s->own; t++) {
        const uint32_t *costs = costs_of(s, single_row(s, t));
        for (size_t i = 0; !done[t] && i <= tree->count * 2; i++) {
            int at = s->terminals->tables[s->own];
            if (i < tree->count * 2) {
                const struct join_edge *edge =
                    join_graph_edge(s->finder->graph, (size_t)tree->edges[i / 2]);
                at = i % 2 == 0 ? edge->from_table : edge->to_table;
            }
            if (cheaper_flag(costs, at) < best) {
                best = cheaper_flag(costs, at);
                *terminal = t;
                *table = at;
            }
        }
    }
    return best;
}

/* Join the nearest terminal, again and again. False: not joined, or too many edges. */
static bool join_greedily(struct steiner *s, struct join_tree *tree)
{
    bool done[JOIN_PATH_MAX_TABLES] = {false};
    tree->count = 0;
    for (size_t joined = 0; joined < s->own; joined++) {
        size_t terminal = 0;
        int table = 0;
        if (nearest(s, done, tree, &terminal, &table) == JOIN_NO_COST)
            return false;
        size_t row = single_row(s, terminal);
        if (!walk_back(s, row, better_state(costs_of(s, row), table), tree))
            return false;
        done[terminal] = true;
    }
    join_tree_settle(s->finder, tree, s->terminals);
    return true;
}

bool join_steiner_tree(struct join_finder *finder, const struct join_terminals *terminals,
                       struct join_tree *tree)
{
    struct steiner s = {finder, terminals, finder->table_count * FLAGS, terminals->count - 1,
                        JOIN_NO_COST};
    struct join_tree greedy;
    CHECK(terminals->count >= 2 && terminals->count <= JOIN_PATH_MAX_TABLES);
    for (size_t t = 0; t < terminals->count; t++)
        fill_single(&s, t);
    bool have_greedy = join_greedily(&s, &greedy);
    if (have_greedy)
        s.bound = join_tree_cost(finder, &greedy);
    size_t all = ((size_t)1 << s.own) - 1;
    for (size_t mask = 1; mask <= all; mask++)
        fill_mask(&s, mask);
    int root = terminals->tables[s.own];
    const uint32_t *costs = costs_of(&s, all);
    tree->count = 0;
    bool have_exact = cheaper_flag(costs, root) != JOIN_NO_COST &&
                      walk_back(&s, all, better_state(costs, root), tree);
    if (have_exact)
        join_tree_settle(finder, tree, terminals);
    if (have_greedy && (!have_exact || s.bound < join_tree_cost(finder, tree)))
        *tree = greedy;
    return have_exact || have_greedy;
}
