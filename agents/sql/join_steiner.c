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
 * Failure paths: terminals that nothing joins, or more edges than a plan holds: false. Two parts
 * may share tables to dodge a peak; settling makes that a tree again, dearer than the search
 * thought, and the greedy tree or a single exchange (join_path) may then win. */
#include "agents/sql/join_steiner.h"

#include <string.h>

enum {
    MASKS = 1 << (JOIN_PATH_MAX_TABLES - 1),
    FLAGS = 2,
    SETS = 1 << JOIN_PATH_MAX_TABLES,
    WAYS = JOIN_PATH_MAX_TABLES * JOIN_PATH_MAX_TABLES,
    EXCHANGES = 4
};

struct steiner {
    struct join_finder *finder;
    const struct join_terminals *terminals;
    size_t states, own; /* own: terminals but the last, which is where the walk back begins */
    uint32_t bound;
    const uint32_t *near[JOIN_PATH_MAX_TABLES]; /* by table: distance from each terminal */
    uint32_t *rest; /* by table: what a tree over the set at hand must still cost at least */
};

bool join_steiner_init(struct join_finder *finder)
{
    size_t states = finder->table_count * FLAGS;
    finder->tree_cost = arena_array(&finder->arena, states * MASKS, sizeof *finder->tree_cost);
    finder->tree_step = arena_array(&finder->arena, states * MASKS, sizeof *finder->tree_step);
    finder->active =
        arena_array(&finder->arena, finder->table_count * MASKS, sizeof *finder->active);
    finder->near = arena_array(&finder->arena, finder->table_count * JOIN_PATH_MAX_TABLES,
                               sizeof *finder->near);
    finder->ways = arena_array(&finder->arena, (size_t)SETS * WAYS, sizeof *finder->ways);
    finder->rest = arena_array(&finder->arena, finder->table_count, sizeof *finder->rest);
    finder->live = arena_array(&finder->arena, finder->edge_count * 2 + 1, sizeof *finder->live);
    finder->live_starts =
        arena_array(&finder->arena, finder->table_count + 1, sizeof *finder->live_starts);
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

static uint32_t *way_at(const struct steiner *s, size_t set, size_t from, size_t to)
{
    return s->finder->ways + set * WAYS + from * JOIN_PATH_MAX_TABLES + to;
}

static uint32_t shortest_way(const struct steiner *s, size_t set, size_t from, size_t to)
{
    size_t rest = set & ~((size_t)1 << from);
    uint32_t best = JOIN_NO_COST;
    if (rest == 0)
        return 0;
    for (size_t k = 0; rest >> k != 0; k++) {
        if ((rest >> k & 1) == 0 || (k == to && rest != (size_t)1 << to))
            continue;
        uint32_t way = s->near[from][s->terminals->tables[k]] + *way_at(s, rest, k, to);
        best = way < best ? way : best;
    }
    return best;
}

/* ways: the shortest way from one terminal of a set to another past all of the set. */
static void fill_ways(struct steiner *s)
{
    for (size_t set = 1; set < (size_t)2 << s->own; set++) {
        bool alone = (set & (set - 1)) == 0;
        for (size_t i = 0; set >> i != 0; i++) {
            for (size_t to = 0; (set >> i & 1) != 0 && set >> to != 0; to++) {
                if ((set >> to & 1) != 0 && (i == to) == alone)
                    *way_at(s, set, i, to) = shortest_way(s, set, i, to);
            }
        }
    }
}

/* A tree walked round passes every edge twice and every peak no more than twice: so what joins a
 * table to the terminals outside mask costs at least half the shortest round trip by them all. */
static void fill_rest(struct steiner *s, size_t mask)
{
    size_t count = s->own + 1, tables = s->finder->table_count;
    size_t left = (((size_t)1 << count) - 1) & ~mask;
    bool alone = (left & (left - 1)) == 0;
    memset(s->rest, JOIN_NO_COST_BYTE, tables * sizeof *s->rest);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k <= i; k++) {
            if ((left >> i & 1) == 0 || (left >> k & 1) == 0 || (i == k) != alone)
                continue;
            const uint32_t *one = s->near[i], *two = s->near[k];
            uint32_t way = *way_at(s, left, i, k);
            for (size_t x = 0; x < tables; x++) {
                uint32_t half = (one[x] + two[x] + way) / 2;
                s->rest[x] = half < s->rest[x] ? half : s->rest[x];
            }
        }
    }
}

static bool improve(struct steiner *s, size_t mask, int state, uint32_t cost,
                    struct join_step_back step)
{
    uint32_t *costs = costs_of(s, mask);
    if (cost >= costs[state] || cost + s->rest[state / FLAGS] > s->bound)
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
        for (size_t i = finder->live_starts[table]; i < finder->live_starts[table + 1]; i++) {
            const struct join_live *live = &finder->live[i];
            uint32_t next = cost + live->cost[flag];
            if (next < costs[live->state] &&
                improve(s, mask, live->state, next, (struct join_step_back){live->hop, state}))
                join_heap_push(finder, next, (uint32_t)live->state);
        }
    }
}

/* Keep the hops between tables that some tree within the bound may use. rest is the empty set's. */
static void fill_live(struct steiner *s)
{
    struct join_finder *finder = s->finder;
    size_t count = 0;
    for (size_t t = 0; t < finder->table_count; t++) {
        finder->live_starts[t] = count;
        for (size_t h = finder->starts[t]; s->rest[t] <= s->bound && h < finder->starts[t + 1];
             h++) {
            const struct join_hop *hop = &finder->hops[h];
            uint32_t cost = finder->cost[hop->edge];
            if (s->rest[hop->to] > s->bound)
                continue;
            finder->live[count++] = (struct join_live){
                .cost = {cost, cost + (hop->many_out ? finder->peak[t] : 0)},
                .state = hop->to * FLAGS + hop->many_in,
                .hop = (int)h,
            };
        }
    }
    finder->live_starts[finder->table_count] = count;
}

static void begin_row(struct steiner *s, size_t mask)
{
    memset(costs_of(s, mask), JOIN_NO_COST_BYTE, s->states * sizeof(uint32_t));
}

static void fill_single(struct steiner *s, size_t terminal)
{
    size_t mask = single_row(s, terminal), tables = s->finder->table_count;
    uint32_t *near = s->finder->near + terminal * tables;
    begin_row(s, mask);
    CHECK(improve(s, mask, s->terminals->tables[terminal] * FLAGS, 0,
                  (struct join_step_back){JOIN_BEGAN, 0}));
    grow(s, mask);
    for (size_t x = 0; x < tables; x++)
        near[x] = cheaper_flag(costs_of(s, mask), (int)x);
    s->near[terminal] = near;
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
        int table = tables[i], state = table * FLAGS;
        const uint32_t *one = left + state, *two = right + state;
        uint32_t least = (one[0] < one[1] ? one[0] : one[1]) + (two[0] < two[1] ? two[0] : two[1]);
        if (least + s->rest[table] > s->bound)
            continue;
        uint32_t met = one[1] + two[1] + finder->peak[table];
        uint32_t either = one[0] + two[1] < one[1] + two[0] ? one[0] + two[1] : one[1] + two[0];
        int flags = met < either ? 3 : one[0] + two[1] < one[1] + two[0] ? 1 : 2;
        improve(s, mask, state, one[0] + two[0],
                (struct join_step_back){JOIN_BEGAN - (int)part, 0});
        improve(s, mask, state + 1, met < either ? met : either,
                (struct join_step_back){JOIN_BEGAN - (int)part, flags});
    }
}

static void fill_mask(struct steiner *s, size_t mask)
{
    if ((mask & (mask - 1)) == 0)
        return;
    begin_row(s, mask);
    fill_rest(s, mask);
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

/* The state by which a terminal comes cheapest to a table of the greedy tree, its peak included. */
static int come_to(const struct steiner *s, size_t terminal, int table, uint32_t *cost)
{
    const uint32_t *costs = costs_of(s, single_row(s, terminal)) + table * FLAGS;
    uint32_t many = costs[1];
    if (s->finder->table_mark[table] > 0)
        many += s->finder->peak[table];
    *cost = many < costs[0] ? many : costs[0];
    return table * FLAGS + (many < costs[0]);
}

/* The nearest terminal not done, and the state by which it comes to the tree. */
static uint32_t nearest(const struct steiner *s, const bool *done, int start,
                        const struct join_tree *tree, size_t *terminal, int *state)
{
    uint32_t best = JOIN_NO_COST;
    for (size_t t = 0; t <= s->own; t++) {
        for (size_t i = 0; !done[t] && i <= tree->count * 2; i++) {
            int at = start;
            uint32_t cost;
            if (i < tree->count * 2) {
                const struct join_edge *edge =
                    join_graph_edge(s->finder->graph, (size_t)tree->edges[i / 2]);
                at = i % 2 == 0 ? edge->from_table : edge->to_table;
            }
            int by = come_to(s, t, at, &cost);
            if (cost < best) {
                best = cost;
                *terminal = t;
                *state = by;
            }
        }
    }
    return best;
}

/* From one terminal join the nearest other, again and again. False: not joined, or too many
 * edges. */
static bool join_greedily(struct steiner *s, size_t start, struct join_tree *tree)
{
    bool done[JOIN_PATH_MAX_TABLES] = {false};
    int begin = s->terminals->tables[start];
    tree->count = 0;
    done[start] = true;
    for (size_t joined = 0; joined < s->own; joined++) {
        size_t terminal = 0;
        int state = 0;
        join_tree_mark_many(s->finder, tree, begin);
        if (nearest(s, done, begin, tree, &terminal, &state) == JOIN_NO_COST ||
            !walk_back(s, single_row(s, terminal), state, tree))
            return false;
        done[terminal] = true;
    }
    join_tree_settle(s->finder, tree, s->terminals);
    return true;
}

/* The best greedy tree, bettered while one exchange helps: the upper bound. */
static bool find_bound(struct steiner *s, struct join_tree *best)
{
    struct join_tree tree;
    for (size_t start = 0; start <= s->own; start++) {
        if (!join_greedily(s, start, &tree))
            return false;
        uint32_t cost = join_tree_cost(s->finder, &tree);
        if (cost < s->bound) {
            s->bound = cost;
            *best = tree;
        }
    }
    for (int i = 0; i < EXCHANGES; i++) {
        uint32_t cost = join_tree_exchange(s->finder, best, s->terminals, s->bound, &tree);
        if (cost >= s->bound)
            break;
        s->bound = cost;
        *best = tree;
    }
    return true;
}

bool join_steiner_tree(struct join_finder *finder, const struct join_terminals *terminals,
                       struct join_tree *tree)
{
    struct steiner s = {
        finder, terminals,   finder->table_count * FLAGS, terminals->count - 1, JOIN_NO_COST,
        {NULL}, finder->rest};
    struct join_tree greedy;
    CHECK(terminals->count >= 2 && terminals->count <= JOIN_PATH_MAX_TABLES);
    memset(s.rest, 0, finder->table_count * sizeof *s.rest);
    fill_live(&s);
    for (size_t t = 0; t < terminals->count; t++)
        fill_single(&s, t);
    bool have_greedy = find_bound(&s, &greedy);
    fill_ways(&s);
    fill_rest(&s, 0);
    fill_live(&s);
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
