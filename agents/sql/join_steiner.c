/* SPDX-License-Identifier: MIT */
/* agents/sql/join_steiner.c - Dreyfus and Wagner's exact Steiner tree, turns included.
 *
 * A state is (set of terminals, table, whether the tree leaves the table to many): the cheapest
 * tree that joins the set and the table. Trees grow by an edge (Dijkstra) or are put together at a
 * table; either pays the table's peak when both parts leave it to many. So the cost is the whole
 * tree's, and no re-scoring is needed.
 * Happy path: distances from every terminal to the others and what lies between; a greedy tree as
 * an upper bound; distances on to where no cheaper tree can go; the few tables within are numbered
 * anew; sets in rising order, where a state is dropped when it and what it must still join together
 * reach the bound; walk back from the root; settle. When nothing was left, the greedy tree is best.
 * Failure paths: terminals that nothing joins, or more edges than a plan holds: false. Two parts
 * may share tables to dodge a peak; settling makes that a tree again, dearer than the search
 * thought, and the greedy tree or a single exchange (join_path) may then win. */
#include "agents/sql/join_steiner_state.h"

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
    uint32_t *costs = join_steiner_costs(s, mask);
    if (cost >= costs[state] ||
        cost + (uint32_t)s->finder->rest[state / JOIN_STEINER_FLAGS] >= s->bound)
        return false;
    costs[state] = cost;
    join_steiner_steps(s, mask)[state] = step;
    return true;
}

/* Dijkstra from what is in the heap, until a terminal outside the set is reached: a tree that costs
 * more than joining the set to that terminal would, is in no cheapest tree. */
static void grow(struct join_steiner *s, size_t mask)
{
    struct join_finder *finder = s->finder;
    uint32_t *costs = join_steiner_costs(s, mask), cost, value, limit = JOIN_NO_COST;
    s->least[mask] = JOIN_NO_COST;
    finder->stamp++;
    while (join_heap_pop(finder, &cost, &value) && cost <= limit) {
        int state = (int)value, table = state / JOIN_STEINER_FLAGS,
            flag = state % JOIN_STEINER_FLAGS;
        if (cost > costs[state] || (flag == 1 && costs[state - 1] <= cost))
            continue;
        if ((s->local[table].terminal & ~mask) != 0)
            limit = join_steiner_less(limit, cost + (flag == 1 ? s->local[table].peak : 0));
        s->least[mask] = join_steiner_less(s->least[mask], cost);
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
    size_t mask = join_steiner_single(s, terminal), all = ((size_t)2 << s->own) - 1;
    join_steiner_fill_rest(s, all & ~((size_t)1 << terminal));
    join_steiner_begin_row(s, mask);
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
    const uint32_t *left = join_steiner_costs(s, part), *right = join_steiner_costs(s, rest);
    const int *tables = finder->active + fewer * s->tables;
    if (s->least[part] + s->least[rest] + s->least_rest >= s->bound)
        return;
    for (size_t i = 0; i < finder->active_count[fewer]; i++) {
        int table = tables[i], state = table * JOIN_STEINER_FLAGS;
        const uint32_t *one = left + state, *two = right + state;
        uint32_t least = join_steiner_less(one[0], one[1]) + join_steiner_less(two[0], two[1]);
        if (least >= s->bound || least + (uint32_t)finder->rest[table] >= s->bound)
            continue;
        uint32_t met = one[1] + two[1] + s->local[table].peak;
        uint32_t either = join_steiner_less(one[0] + two[1], one[1] + two[0]);
        int flags = met < either ? 3 : one[0] + two[1] < one[1] + two[0] ? 1 : 2;
        improve_and_push(s, mask, state, one[0] + two[0],
                         (struct join_step_back){JOIN_BEGAN - (int)part, 0});
        improve_and_push(s, mask, state + 1, join_steiner_less(met, either),
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
                way = join_steiner_less(way, *join_steiner_way(s, left, i, k));
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
    join_steiner_fill_rest(s, (((size_t)2 << s->own) - 1) & ~mask);
    join_steiner_begin_row(s, mask);
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
        join_steiner_fill_near(&s, t, 0);
    }
    bool have_greedy = join_steiner_find_bound(&s, &greedy);
    join_steiner_order(&s);
    join_steiner_fill_ways(&s);
    join_steiner_reach_on(&s);
    join_steiner_shrink(&s);
    size_t all = ((size_t)1 << s.own) - 1;
    for (size_t t = 0; t < s.own && s.at[s.own] >= 0; t++)
        fill_single(&s, t);
    for (size_t mask = 1; mask <= all && s.at[s.own] >= 0; mask++)
        fill_mask(&s, mask, all);
    tree->count = 0;
    int root = s.at[s.own];
    const uint32_t *costs = join_steiner_costs(&s, all);
    bool have_exact = root >= 0 && join_steiner_cheaper(costs, root) != JOIN_NO_COST &&
                      join_steiner_walk_back(&s, all, join_steiner_better(costs, root), tree);
    if (have_exact)
        join_tree_settle(finder, tree, terminals);
    if (have_greedy && (!have_exact || s.bound <= join_tree_cost(finder, tree)))
        *tree = greedy;
    return have_exact || have_greedy;
}
