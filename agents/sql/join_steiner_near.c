/* SPDX-License-Identifier: MIT */
/* agents/sql/join_steiner_near.c - where a tree cheaper than the bound can be.
 *
 * Happy path: distances from each terminal; from those the shortest ways past sets of terminals; a
 * table by which even the shortest round trip is too dear is left out, and the rest is numbered
 * anew with the hops between, the cheap ones first.
 * No failure paths: what is not reached is far. */
#include "agents/sql/join_steiner_state.h"

#include <string.h>

void join_steiner_begin_row(struct join_steiner *s, size_t mask)
{
    memset(join_steiner_costs(s, mask), JOIN_NO_COST_BYTE, s->states * sizeof(uint32_t));
    s->finder->active_count[mask] = 0;
    s->finder->heap_count = 0;
}

/* Dijkstra over the whole graph, until all terminals are reached and radius is passed. What lies
 * beyond keeps a distance that is no greater than it is. */
void join_steiner_fill_near(struct join_steiner *s, size_t terminal, uint32_t radius)
{
    struct join_finder *finder = s->finder;
    size_t mask = join_steiner_single(s, terminal), missing = s->own + 1;
    uint32_t *costs = join_steiner_costs(s, mask), cost = 0, value;
    int32_t *near = s->near[terminal];
    struct join_step_back *steps = join_steiner_steps(s, mask);
    int start = s->terminals.tables[terminal];
    join_steiner_begin_row(s, mask);
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
    const uint32_t *on = join_steiner_way(s, set & ~((size_t)1 << from), 0, to);
    for (size_t k = 0; rest >> k != 0; k++) {
        if ((rest >> k & 1) != 0)
            best = join_steiner_less(best, between[k] + on[k * JOIN_PATH_MAX_TABLES]);
    }
    return best;
}

/* ways: the shortest way from one terminal of a set to another past all of the set. */
void join_steiner_fill_ways(struct join_steiner *s)
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
                    *join_steiner_way(s, set, i, to) = *join_steiner_way(s, set, to, i) =
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
void join_steiner_fill_rest(struct join_steiner *s, size_t left)
{
    bool alone = (left & (left - 1)) == 0;
    int32_t *rest = s->finder->rest;
    memset(rest, left == 0 ? 0 : JOIN_NO_COST_BYTE, s->padded * sizeof *rest);
    for (size_t i = 0; left >> i != 0; i++) {
        for (size_t k = 0; (left >> i & 1) != 0 && k <= i; k++) {
            if ((left >> k & 1) != 0 && (i == k) == alone)
                lower_rest(rest, s->near[i], s->near[k], (int32_t)*join_steiner_way(s, left, i, k),
                           s->padded);
        }
    }
    s->least_rest = JOIN_NO_COST;
    for (size_t x = 0; x < s->tables; x++)
        s->least_rest = join_steiner_less(s->least_rest, (uint32_t)rest[x]);
}

/* Distances from all terminals, at least as far as a tree under the bound may go: by a table that
 * is out of every terminal's reach a round trip would cost more than twice the bound. */
void join_steiner_reach_on(struct join_steiner *s)
{
    size_t all = ((size_t)2 << s->own) - 1;
    uint32_t way = JOIN_NO_COST;
    for (size_t i = 0; i <= s->own; i++) {
        for (size_t k = 0; k < i; k++)
            way = join_steiner_less(way, *join_steiner_way(s, all, i, k));
    }
    uint32_t radius = way / 2 >= s->bound ? 0 : s->bound - way / 2;
    for (size_t t = 0; t <= s->own; t++) {
        if (s->reach[t] <= radius)
            join_steiner_fill_near(s, t, radius);
    }
}

/* The terminal that is farthest from all others becomes the last: sets are without it, so that it
 * is nobody's to look for in all directions, and what is left always counts the way to it. */
void join_steiner_order(struct join_steiner *s)
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
void join_steiner_shrink(struct join_steiner *s)
{
    struct join_finder *finder = s->finder;
    size_t all = ((size_t)2 << s->own) - 1, count = 0, hops = 0;
    join_steiner_fill_rest(s, all);
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
