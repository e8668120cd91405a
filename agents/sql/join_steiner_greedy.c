/* SPDX-License-Identifier: MIT */
/* agents/sql/join_steiner_greedy.c - trees out of rows: walked back, and put together greedily.
 *
 * Happy path: from each terminal in turn join the nearest other, again and again; the cheapest of
 * those trees is bettered by exchanges of one edge.
 * Failure paths: terminals that nothing joins, or more edges than a plan holds: false. */
#include "agents/sql/join_steiner_state.h"

enum { EXCHANGES = 4 };

/* Add the edges that lead from a state back to where its tree began. False: too many. */
bool join_steiner_walk_back(const struct join_steiner *s, size_t mask, int state,
                            struct join_tree *tree)
{
    struct {
        size_t mask;
        int state;
    } open[JOIN_PATH_MAX_TABLES * 2] = {{mask, state}};
    for (size_t count = 1; count > 0;) {
        size_t row = open[count - 1].mask;
        int at = open[count - 1].state;
        struct join_step_back step = join_steiner_steps(s, row)[at];
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
    const uint32_t *costs =
        join_steiner_costs(s, join_steiner_single(s, terminal)) + table * JOIN_STEINER_FLAGS;
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
            !join_steiner_walk_back(s, join_steiner_single(s, terminal), state, tree))
            return false;
        done[terminal] = true;
    }
    join_tree_settle(s->finder, tree, &s->terminals);
    return true;
}

/* The best greedy tree, bettered while one exchange helps: the upper bound. */
bool join_steiner_find_bound(struct join_steiner *s, struct join_tree *best)
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
