/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_steiner.c - Dreyfus and Wagner's exact Steiner tree, turns included.
 *
 * A state is (set of terminals, table, whether the tree leaves the table to many): the cheapest
 * tree that joins the set and the table. Trees grow by an edge (Dijkstra) or are put together at a
 * table; either pays the table's peak when both parts leave it to many. So the cost is the whole
 * tree's, and no re-scoring is needed. A row holds, for one set of terminals, the cost of each
 * state: table * JOIN_STEINER_FLAGS, plus one when the tree leaves the table to many. A set has a
 * bit for each terminal but the last.
 * Happy path: distances from every terminal to the others and what lies between; a greedy tree as
 * an upper bound; distances on to where no cheaper tree can go; the few tables within are numbered
 * anew; sets in rising order, where a state is dropped when it and what it must still join together
 * reach the bound; walk back from the root; settle. When nothing was left, the greedy tree is best.
 * Failure paths: terminals that nothing joins, or more edges than a plan holds: false. Two parts
 * may share tables to dodge a peak; settling makes that a tree again, dearer than the search
 * thought, and the greedy tree or a single exchange (join_path) may then win. */
#include "agents/sql/joins/join_steiner.h"

#include <string.h>

enum {
    JOIN_STEINER_BLOCK = 8, /* tables are padded to whole ones */
    JOIN_STEINER_MASKS = 1 << (JOIN_PATH_MAX_TABLES - 1),
    JOIN_STEINER_FLAGS = 2,
    JOIN_STEINER_SETS = 1 << JOIN_PATH_MAX_TABLES,
    JOIN_STEINER_WAYS = JOIN_PATH_MAX_TABLES * JOIN_PATH_MAX_TABLES,
    JOIN_STEINER_UNREACHED = 0x1fffffff /* so that the sum of three is an int32_t */
};
#define JOIN_STEINER_PADDED(count)                                                                 \
    (((count) + JOIN_STEINER_BLOCK - 1) / JOIN_STEINER_BLOCK * JOIN_STEINER_BLOCK)

struct join_steiner {
    struct join_finder *finder;
    struct join_terminals terminals;
    size_t tables, states;        /* all of the graph's; then the near ones, numbered anew */
    size_t padded;                /* tables, and some more to make whole blocks */
    size_t own;                   /* terminals but the last, which is where the walk back begins */
    int at[JOIN_PATH_MAX_TABLES]; /* the terminals' numbers */
    uint32_t bound;               /* what a tree must cost less than */
    uint32_t least_rest;          /* of the set at hand: the least of rest */
    int32_t *near[JOIN_PATH_MAX_TABLES];  /* by table: distance from each terminal, or less */
    uint32_t least[JOIN_STEINER_MASKS];   /* by set: its cheapest state */
    uint32_t reach[JOIN_PATH_MAX_TABLES]; /* how far each terminal's distances are exact */
    struct join_local *local;             /* by new number */
};

static inline uint32_t *costs_of(const struct join_steiner *s, size_t mask)
{
    return s->finder->tree_cost + mask * s->states;
}

static inline struct join_step_back *steps_of(const struct join_steiner *s, size_t mask)
{
    return s->finder->tree_step + mask * s->states;
}

static inline uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t cheaper_of(const uint32_t *costs, int table)
{
    return lesser(costs[table * JOIN_STEINER_FLAGS], costs[table * JOIN_STEINER_FLAGS + 1]);
}

static inline int better_of(const uint32_t *costs, int table)
{
    int state = table * JOIN_STEINER_FLAGS;
    return state + (costs[state + 1] < costs[state]);
}

/* The row of one terminal's distances; the last terminal's is row 0, no set's own. */
static inline size_t single_of(const struct join_steiner *s, size_t terminal)
{
    return terminal < s->own ? (size_t)1 << terminal : 0;
}

static inline uint32_t *way_of(const struct join_steiner *s, size_t set, size_t from, size_t to)
{
    return s->finder->ways + set * JOIN_STEINER_WAYS + from * JOIN_PATH_MAX_TABLES + to;
}

/* ---- where a tree cheaper than the bound can be ----
 *
 * Distances from each terminal; from those the shortest ways past sets of terminals; a table by
 * which even the shortest round trip is too dear is left out, and the rest is numbered anew with
 * the hops between, the cheap ones first. What is not reached is far. */

static void begin_row(struct join_steiner *s, size_t mask)
{
    memset(costs_of(s, mask), JOIN_NO_COST_BYTE, s->states * sizeof(uint32_t));
    s->finder->active_count[mask] = 0;
    s->finder->heap_count = 0;
}

/* Dijkstra over the whole graph, until all terminals are reached and radius is passed. What lies
 * beyond keeps a distance that is no greater than it is. */
static void fill_near(struct join_steiner *s, size_t terminal, uint32_t radius)
{
    struct join_finder *finder = s->finder;
    size_t mask = single_of(s, terminal), missing = s->own + 1;
    uint32_t *costs = costs_of(s, mask), cost = 0, value;
    int32_t *near = s->near[terminal];
    struct join_step_back *steps = steps_of(s, mask);
    int start = s->terminals.tables[terminal];
    begin_row(s, mask);
    for (size_t x = 0; x < s->tables; x++)
        near[x] = JOIN_STEINER_UNREACHED;
    finder->stamp++;
    for (size_t t = 0; t <= s->own; t++)
        finder->table_stamp[s->terminals.tables[t]] = finder->stamp;
    costs[start * JOIN_STEINER_FLAGS] = 0;
    steps[start * JOIN_STEINER_FLAGS] = (struct join_step_back){JOIN_BEGAN, 0};
    join_heap_push(finder, 0, (uint32_t)(start * JOIN_STEINER_FLAGS));
    while (join_heap_pop(finder, &cost, &value)) {
        int state = (int)value, table = state / JOIN_STEINER_FLAGS,
            flag = state % JOIN_STEINER_FLAGS;
        if (missing == 0 && cost > radius)
            break;
        /* With nothing gained by having left to many, the other flag has done the work. */
        if (cost > costs[state] || (flag == 1 && costs[state - 1] <= cost))
            continue;
        if (near[table] == JOIN_STEINER_UNREACHED) {
            near[table] = (int32_t)cost;
            missing -= finder->table_stamp[table] == finder->stamp;
            if (missing == 0 && radius == 0)
                radius = cost * 2; /* far enough, mostly */
        }
        for (size_t h = finder->starts[table]; h < finder->starts[table + 1]; h++) {
            const struct join_hop *hop = &finder->hops[h];
            int to = hop->to * JOIN_STEINER_FLAGS + hop->many_in;
            uint32_t next = cost + finder->cost[hop->edge];
            if (flag == 1 && hop->many_out)
                next += finder->peak[table];
            if (next >= costs[to])
                continue;
            costs[to] = next;
            steps[to] = (struct join_step_back){(int)h, state};
            join_heap_push(finder, next, (uint32_t)to);
        }
    }
    bool all = finder->heap_count == 0;
    for (size_t x = 0; x < s->tables && !all; x++)
        near[x] = near[x] < (int32_t)cost ? near[x] : (int32_t)cost;
    s->reach[terminal] = all ? JOIN_NO_COST : cost;
}

/* ---- what is still to be paid */

static uint32_t shortest_way(const struct join_steiner *s, const uint32_t *between, size_t set,
                             size_t from, size_t to)
{
    size_t rest = set & ~((size_t)1 << from);
    uint32_t best = JOIN_STEINER_UNREACHED; /* so that three such are an int32_t */
    if (rest == 0)
        return 0;
    if (rest == (size_t)1 << to)
        return between[to];
    rest &= ~((size_t)1 << to);
    const uint32_t *on = way_of(s, set & ~((size_t)1 << from), 0, to);
    for (size_t k = 0; rest >> k != 0; k++) {
        if ((rest >> k & 1) != 0)
            best = lesser(best, between[k] + on[k * JOIN_PATH_MAX_TABLES]);
    }
    return best;
}

/* ways: the shortest way from one terminal of a set to another past all of the set. */
static void fill_ways(struct join_steiner *s)
{
    uint32_t between[JOIN_PATH_MAX_TABLES][JOIN_PATH_MAX_TABLES];
    for (size_t i = 0; i <= s->own; i++) {
        for (size_t k = 0; k <= s->own; k++)
            between[i][k] = (uint32_t)s->near[i][s->at[k]];
    }
    for (size_t set = 1; set < (size_t)2 << s->own; set++) {
        bool alone = (set & (set - 1)) == 0;
        for (size_t i = 0; set >> i != 0; i++) {
            for (size_t to = 0; (set >> i & 1) != 0 && to <= i; to++) {
                if ((set >> to & 1) != 0 && (i == to) == alone)
                    *way_of(s, set, i, to) = *way_of(s, set, to, i) =
                        shortest_way(s, between[i], set, i, to);
            }
        }
    }
}

/* In blocks of a known size, and signed: which compilers turn into vector instructions. */
static void lower_rest(int32_t *restrict rest, const int32_t *restrict one,
                       const int32_t *restrict two, int32_t way, size_t count)
{
    for (size_t begin = 0; begin < count; begin += JOIN_STEINER_BLOCK) {
        for (size_t x = begin; x < begin + JOIN_STEINER_BLOCK; x++) {
            int32_t half = (one[x] + two[x] + way) >> 1;
            rest[x] = half < rest[x] ? half : rest[x];
        }
    }
}

/* A tree walked round passes every edge twice and every peak no more than twice: so what joins a
 * table to the terminals of left costs at least half the shortest round trip by them all. */
static void fill_rest(struct join_steiner *s, size_t left)
{
    bool alone = (left & (left - 1)) == 0;
    int32_t *rest = s->finder->rest;
    memset(rest, left == 0 ? 0 : JOIN_NO_COST_BYTE, s->padded * sizeof *rest);
    for (size_t i = 0; left >> i != 0; i++) {
        for (size_t k = 0; (left >> i & 1) != 0 && k <= i; k++) {
            if ((left >> k & 1) != 0 && (i == k) == alone)
                lower_rest(rest, s->near[i], s->near[k], (int32_t)*way_of(s, left, i, k),
                           s->padded);
        }
    }
    s->least_rest = JOIN_NO_COST;
    for (size_t x = 0; x < s->tables; x++)
        s->least_rest = lesser(s->least_rest, (uint32_t)rest[x]);
}

/* Distances from all terminals, at least as far as a tree under the bound may go: by a table that
 * is out of every terminal's reach a round trip would cost more than twice the bound. */
static void reach_on(struct join_steiner *s)
{
    size_t all = ((size_t)2 << s->own) - 1;
    uint32_t way = JOIN_NO_COST;
    for (size_t i = 0; i <= s->own; i++) {
        for (size_t k = 0; k < i; k++)
            way = lesser(way, *way_of(s, all, i, k));
    }
    uint32_t radius = way / 2 >= s->bound ? 0 : s->bound - way / 2;
    for (size_t t = 0; t <= s->own; t++) {
        if (s->reach[t] <= radius)
            fill_near(s, t, radius);
    }
}

/* The terminal that is farthest from all others becomes the last: sets are without it, so that it
 * is nobody's to look for in all directions, and what is left always counts the way to it. */
static void order_terminals(struct join_steiner *s)
{
    size_t last = s->own, farthest = last;
    int32_t most = -1;
    for (size_t t = 0; t <= last; t++) {
        int32_t nearest = JOIN_STEINER_UNREACHED;
        for (size_t k = 0; k <= last; k++) {
            if (k != t && s->near[t][s->at[k]] < nearest)
                nearest = s->near[t][s->at[k]];
        }
        if (nearest > most) {
            most = nearest;
            farthest = t;
        }
    }
    int table = s->terminals.tables[farthest];
    int32_t *near = s->near[farthest];
    uint32_t reach = s->reach[farthest];
    s->terminals.tables[farthest] = s->at[farthest] = s->terminals.tables[last];
    s->near[farthest] = s->near[last];
    s->reach[farthest] = s->reach[last];
    s->terminals.tables[last] = s->at[last] = table;
    s->near[last] = near;
    s->reach[last] = reach;
}

/* ---- the near part of the graph */

static void put_live(struct join_steiner *s, size_t number, size_t begin, size_t *count)
{
    struct join_finder *finder = s->finder;
    int table = s->local[number].table;
    for (size_t h = finder->starts[table]; h < finder->starts[table + 1]; h++) {
        const struct join_hop *hop = &finder->hops[h];
        uint32_t cost = finder->cost[hop->edge];
        if (finder->number[hop->to] < 0)
            continue;
        struct join_live live = {
            .cost = {cost, cost + (hop->many_out ? finder->peak[table] : 0)},
            .state = finder->number[hop->to] * JOIN_STEINER_FLAGS + hop->many_in,
            .hop = (int)h,
        };
        /* Hops come nearly in order of cost: only a question's words and tenant change it. */
        size_t i = (*count)++;
        for (; i > begin && finder->live[i - 1].cost[0] > cost; i--)
            finder->live[i] = finder->live[i - 1];
        finder->live[i] = live;
    }
}

/* Of hops that differ in nothing but cost the dearer ones go: they are later. */
static size_t drop_parallels(struct join_steiner *s, size_t begin, size_t count)
{
    struct join_finder *finder = s->finder;
    size_t kept = begin;
    finder->stamp++;
    for (size_t i = begin; i < count; i++) {
        struct join_live live = finder->live[i];
        struct join_local *to = &s->local[live.state / JOIN_STEINER_FLAGS];
        size_t kind = (size_t)(live.state % JOIN_STEINER_FLAGS) * JOIN_STEINER_FLAGS +
                      (live.cost[1] > live.cost[0]);
        if (to->seen[kind] == finder->stamp)
            continue;
        to->seen[kind] = finder->stamp;
        finder->live[kept++] = live;
    }
    return kept;
}

/* Number anew the tables that a tree under the bound may hold, and keep the hops between them. */
static void shrink(struct join_steiner *s)
{
    struct join_finder *finder = s->finder;
    size_t all = ((size_t)2 << s->own) - 1, count = 0, hops = 0;
    fill_rest(s, all);
    for (size_t t = 0; t < s->tables; t++) {
        finder->number[t] = -1;
        if ((uint32_t)finder->rest[t] >= s->bound)
            continue;
        finder->number[t] = (int)count;
        for (size_t i = 0; i <= s->own; i++)
            s->near[i][count] = s->near[i][t];
        s->local[count++] = (struct join_local){.table = (int)t, .peak = finder->peak[t]};
    }
    s->tables = count;
    s->padded = JOIN_STEINER_PADDED(count);
    s->states = count * JOIN_STEINER_FLAGS;
    for (size_t i = 0; i <= s->own; i++) {
        s->at[i] = finder->number[s->terminals.tables[i]];
        if (s->at[i] >= 0)
            s->local[s->at[i]].terminal = (size_t)1 << i;
    }
    for (size_t n = 0; n < count; n++) {
        size_t begin = finder->live_starts[n] = hops;
        put_live(s, n, begin, &hops);
        hops = drop_parallels(s, begin, hops);
    }
    finder->live_starts[count] = hops;
}

/* ---- trees out of rows: walked back, and put together greedily ----
 *
 * From each terminal in turn join the nearest other, again and again; the cheapest of those trees
 * is bettered by exchanges of one edge. */

enum { EXCHANGES = 4 };

/* Add the edges that lead from a state back to where its tree began. False: too many. */
static bool walk_back(const struct join_steiner *s, size_t mask, int state, struct join_tree *tree)
{
    struct {
        size_t mask;
        int state;
    } open[JOIN_PATH_MAX_TABLES * 2] = {{mask, state}};
    for (size_t count = 1; count > 0;) {
        size_t row = open[count - 1].mask;
        int at = open[count - 1].state;
        struct join_step_back step = steps_of(s, row)[at];
        if (step.hop >= 0) {
            if (!join_tree_add(tree, s->finder->hops[step.hop].edge))
                return false;
            open[count - 1].state = step.state;
        } else if (step.hop == JOIN_BEGAN) {
            count--;
        } else {
            size_t part = (size_t)(JOIN_BEGAN - step.hop);
            int table = at / JOIN_STEINER_FLAGS;
            CHECK(count < countof(open));
            open[count - 1].mask = part;
            open[count - 1].state = table * JOIN_STEINER_FLAGS + step.state / JOIN_STEINER_FLAGS;
            open[count].mask = row ^ part;
            open[count++].state = table * JOIN_STEINER_FLAGS + step.state % JOIN_STEINER_FLAGS;
        }
    }
    return true;
}

/* The state by which a terminal comes cheapest to a table of the greedy tree, its peak included. */
static int come_to(const struct join_steiner *s, size_t terminal, int table, uint32_t *cost)
{
    const uint32_t *costs = costs_of(s, single_of(s, terminal)) + table * JOIN_STEINER_FLAGS;
    uint32_t many = costs[1];
    if (s->finder->table_mark[table] > 0)
        many += s->finder->peak[table];
    *cost = many < costs[0] ? many : costs[0];
    return table * JOIN_STEINER_FLAGS + (many < costs[0]);
}

/* The nearest terminal not done, and the state by which it comes to the tree. */
static uint32_t nearest(const struct join_steiner *s, const bool *done, int start,
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
static bool join_greedily(struct join_steiner *s, size_t start, struct join_tree *tree)
{
    bool done[JOIN_PATH_MAX_TABLES] = {false};
    int begin = s->terminals.tables[start];
    tree->count = 0;
    done[start] = true;
    for (size_t joined = 0; joined < s->own; joined++) {
        size_t terminal = 0;
        int state = 0;
        join_tree_mark_many(s->finder, tree, begin);
        if (nearest(s, done, begin, tree, &terminal, &state) == JOIN_NO_COST ||
            !walk_back(s, single_of(s, terminal), state, tree))
            return false;
        done[terminal] = true;
    }
    join_tree_settle(s->finder, tree, &s->terminals);
    return true;
}

/* The best greedy tree, bettered while one exchange helps: the upper bound. */
static bool find_bound(struct join_steiner *s, struct join_tree *best)
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
        uint32_t cost = join_tree_exchange(s->finder, best, &s->terminals, s->bound, &tree);
        if (cost >= s->bound)
            break;
        s->bound = cost;
        *best = tree;
    }
    return true;
}

/* ---- the exact tree ---- */

bool join_steiner_init(struct join_finder *finder)
{
    struct arena *arena = &finder->arena;
    size_t tables = finder->table_count, states = tables * JOIN_STEINER_FLAGS;
    finder->tree_cost = arena_array(arena, states * JOIN_STEINER_MASKS, sizeof *finder->tree_cost);
    finder->tree_step = arena_array(arena, states * JOIN_STEINER_MASKS, sizeof *finder->tree_step);
    finder->active = arena_array(arena, tables * JOIN_STEINER_MASKS, sizeof *finder->active);
    size_t padded = JOIN_STEINER_PADDED(tables);
    finder->near = arena_array(arena, padded * JOIN_PATH_MAX_TABLES, sizeof *finder->near);
    finder->rest = arena_array(arena, padded, sizeof *finder->rest);
    finder->ways =
        arena_array(arena, (size_t)JOIN_STEINER_SETS * JOIN_STEINER_WAYS, sizeof *finder->ways);
    finder->local = arena_array(arena, tables, sizeof *finder->local);
    finder->number = arena_array(arena, tables, sizeof *finder->number);
    finder->live = arena_array(arena, finder->edge_count * 2 + 1, sizeof *finder->live);
    finder->live_starts = arena_array(arena, tables + 1, sizeof *finder->live_starts);
    finder->active_count = arena_array(arena, JOIN_STEINER_MASKS, sizeof *finder->active_count);
    return arena_ok(arena);
}

static void note_active(struct join_steiner *s, size_t mask, int table)
{
    struct join_finder *finder = s->finder;
    if (finder->table_stamp[table] == finder->stamp)
        return;
    finder->table_stamp[table] = finder->stamp;
    finder->active[mask * s->tables + finder->active_count[mask]++] = table;
}

static bool improve(struct join_steiner *s, size_t mask, int state, uint32_t cost,
                    struct join_step_back step)
{
    uint32_t *costs = costs_of(s, mask);
    if (cost >= costs[state] ||
        cost + (uint32_t)s->finder->rest[state / JOIN_STEINER_FLAGS] >= s->bound)
        return false;
    costs[state] = cost;
    steps_of(s, mask)[state] = step;
    return true;
}

/* Dijkstra from what is in the heap, until a terminal outside the set is reached: a tree that costs
 * more than joining the set to that terminal would, is in no cheapest tree. */
static void grow(struct join_steiner *s, size_t mask)
{
    struct join_finder *finder = s->finder;
    uint32_t *costs = costs_of(s, mask), cost, value, limit = JOIN_NO_COST;
    s->least[mask] = JOIN_NO_COST;
    finder->stamp++;
    while (join_heap_pop(finder, &cost, &value) && cost <= limit) {
        int state = (int)value, table = state / JOIN_STEINER_FLAGS,
            flag = state % JOIN_STEINER_FLAGS;
        if (cost > costs[state] || (flag == 1 && costs[state - 1] <= cost))
            continue;
        if ((s->local[table].terminal & ~mask) != 0)
            limit = lesser(limit, cost + (flag == 1 ? s->local[table].peak : 0));
        s->least[mask] = lesser(s->least[mask], cost);
        note_active(s, mask, table);
        for (size_t i = finder->live_starts[table]; i < finder->live_starts[table + 1]; i++) {
            const struct join_live *live = &finder->live[i];
            uint32_t next = cost + live->cost[flag];
            if (cost + live->cost[0] + s->least_rest >= s->bound)
                break; /* so are those after it */
            if (next < costs[live->state] &&
                improve(s, mask, live->state, next, (struct join_step_back){live->hop, state}))
                join_heap_push(finder, next, (uint32_t)live->state);
        }
    }
}

static void fill_single(struct join_steiner *s, size_t terminal)
{
    size_t mask = single_of(s, terminal), all = ((size_t)2 << s->own) - 1;
    fill_rest(s, all & ~((size_t)1 << terminal));
    begin_row(s, mask);
    if (improve(s, mask, s->at[terminal] * JOIN_STEINER_FLAGS, 0,
                (struct join_step_back){JOIN_BEGAN, 0}))
        join_heap_push(s->finder, 0, (uint32_t)(s->at[terminal] * JOIN_STEINER_FLAGS));
    grow(s, mask);
}

static void improve_and_push(struct join_steiner *s, size_t mask, int state, uint32_t cost,
                             struct join_step_back step)
{
    if (improve(s, mask, state, cost, step))
        join_heap_push(s->finder, cost, (uint32_t)state);
}

/* Trees over part and over the rest of mask, put together wherever both reach. */
static void put_together(struct join_steiner *s, size_t mask, size_t part)
{
    struct join_finder *finder = s->finder;
    size_t rest = mask ^ part;
    size_t fewer = finder->active_count[part] <= finder->active_count[rest] ? part : rest;
    const uint32_t *left = costs_of(s, part), *right = costs_of(s, rest);
    const int *tables = finder->active + fewer * s->tables;
    if (s->least[part] + s->least[rest] + s->least_rest >= s->bound)
        return;
    for (size_t i = 0; i < finder->active_count[fewer]; i++) {
        int table = tables[i], state = table * JOIN_STEINER_FLAGS;
        const uint32_t *one = left + state, *two = right + state;
        uint32_t least = lesser(one[0], one[1]) + lesser(two[0], two[1]);
        if (least >= s->bound || least + (uint32_t)finder->rest[table] >= s->bound)
            continue;
        uint32_t met = one[1] + two[1] + s->local[table].peak;
        uint32_t either = lesser(one[0] + two[1], one[1] + two[0]);
        int flags = met < either ? 3 : one[0] + two[1] < one[1] + two[0] ? 1 : 2;
        improve_and_push(s, mask, state, one[0] + two[0],
                         (struct join_step_back){JOIN_BEGAN - (int)part, 0});
        improve_and_push(s, mask, state + 1, lesser(met, either),
                         (struct join_step_back){JOIN_BEGAN - (int)part, flags});
    }
}

/* Whether two parts of the set might meet under the bound, wherever that be. */
static bool has_parts(const struct join_steiner *s, size_t mask)
{
    size_t left = (((size_t)2 << s->own) - 1) & ~mask;
    uint32_t way = JOIN_NO_COST;
    for (size_t i = 0; left >> i != 0; i++) {
        for (size_t k = 0; (left >> i & 1) != 0 && k <= i; k++) {
            if ((left >> k & 1) != 0 && (i == k) == ((left & (left - 1)) == 0))
                way = lesser(way, *way_of(s, left, i, k));
        }
    }
    for (size_t part = (mask - 1) & mask; part > (mask ^ part); part = (part - 1) & mask) {
        if (s->least[part] + s->least[mask ^ part] + way / 2 < s->bound)
            return true;
    }
    return false;
}

static void fill_mask(struct join_steiner *s, size_t mask, size_t all)
{
    if ((mask & (mask - 1)) == 0)
        return;
    s->least[mask] = JOIN_NO_COST; /* nobody looks at the row then, but for the last */
    if (mask != all && !has_parts(s, mask))
        return;
    fill_rest(s, (((size_t)2 << s->own) - 1) & ~mask);
    begin_row(s, mask);
    for (size_t part = (mask - 1) & mask; part > (mask ^ part); part = (part - 1) & mask)
        put_together(s, mask, part);
    grow(s, mask);
}

bool join_steiner_tree(struct join_finder *finder, const struct join_terminals *terminals,
                       struct join_tree *tree)
{
    struct join_steiner s = {.finder = finder,
                             .terminals = *terminals,
                             .tables = finder->table_count,
                             .padded = JOIN_STEINER_PADDED(finder->table_count),
                             .states = finder->table_count * JOIN_STEINER_FLAGS,
                             .own = terminals->count - 1,
                             .bound = JOIN_NO_COST,
                             .local = finder->local};
    struct join_tree greedy;
    CHECK(terminals->count >= 2 && terminals->count <= JOIN_PATH_MAX_TABLES);
    for (size_t t = 0; t < terminals->count; t++) {
        s.at[t] = terminals->tables[t];
        s.near[t] = finder->near + t * s.padded;
        fill_near(&s, t, 0);
    }
    bool have_greedy = find_bound(&s, &greedy);
    order_terminals(&s);
    fill_ways(&s);
    reach_on(&s);
    shrink(&s);
    size_t all = ((size_t)1 << s.own) - 1;
    for (size_t t = 0; t < s.own && s.at[s.own] >= 0; t++)
        fill_single(&s, t);
    for (size_t mask = 1; mask <= all && s.at[s.own] >= 0; mask++)
        fill_mask(&s, mask, all);
    tree->count = 0;
    int root = s.at[s.own];
    const uint32_t *costs = costs_of(&s, all);
    bool have_exact = root >= 0 && cheaper_of(costs, root) != JOIN_NO_COST &&
                      walk_back(&s, all, better_of(costs, root), tree);
    if (have_exact)
        join_tree_settle(finder, tree, terminals);
    if (have_greedy && (!have_exact || s.bound <= join_tree_cost(finder, tree)))
        *tree = greedy;
    return have_exact || have_greedy;
}
