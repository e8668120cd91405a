/* SPDX-License-Identifier: MIT */
/* agents/sql/join_steiner_state.h - one search for a Steiner tree, under way; for join_steiner*.c
 * only.
 *
 * A row holds, for one set of terminals, the cost of each state: table * JOIN_STEINER_FLAGS, plus
 * one when the tree leaves the table to many. A set has a bit for each terminal but the last. */
#ifndef AGENTS_SQL_JOIN_STEINER_STATE_H
#define AGENTS_SQL_JOIN_STEINER_STATE_H

#include "agents/sql/join_steiner.h"

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
    uint32_t bound;               /* a tree must be join_steiner_less */
    uint32_t least_rest;          /* of the set at hand: the least of rest */
    int32_t *near[JOIN_PATH_MAX_TABLES];  /* by table: distance from each terminal, or less */
    uint32_t least[JOIN_STEINER_MASKS];   /* by set: its cheapest state */
    uint32_t reach[JOIN_PATH_MAX_TABLES]; /* how far each terminal's distances are exact */
    struct join_local *local;             /* by new number */
};

static inline uint32_t *join_steiner_costs(const struct join_steiner *s, size_t mask)
{
    return s->finder->tree_cost + mask * s->states;
}

static inline struct join_step_back *join_steiner_steps(const struct join_steiner *s, size_t mask)
{
    return s->finder->tree_step + mask * s->states;
}

static inline uint32_t join_steiner_less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t join_steiner_cheaper(const uint32_t *costs, int table)
{
    return join_steiner_less(costs[table * JOIN_STEINER_FLAGS],
                             costs[table * JOIN_STEINER_FLAGS + 1]);
}

static inline int join_steiner_better(const uint32_t *costs, int table)
{
    int state = table * JOIN_STEINER_FLAGS;
    return state + (costs[state + 1] < costs[state]);
}

/* The row of one terminal's distances; the last terminal's is row 0, no set's own. */
static inline size_t join_steiner_single(const struct join_steiner *s, size_t terminal)
{
    return terminal < s->own ? (size_t)1 << terminal : 0;
}

static inline uint32_t *join_steiner_way(const struct join_steiner *s, size_t set, size_t from,
                                         size_t to)
{
    return s->finder->ways + set * JOIN_STEINER_WAYS + from * JOIN_PATH_MAX_TABLES + to;
}

/* join_steiner_near.c: where a cheap tree can be. */
void join_steiner_begin_row(struct join_steiner *s, size_t mask);
/* Dijkstra from one terminal over the whole graph, until all others are reached and radius is
 * passed (0: twice as far as the farthest). What lies beyond keeps a distance no greater than it
 * is. */
void join_steiner_fill_near(struct join_steiner *s, size_t terminal, uint32_t radius);
/* Make the terminal that is farthest from all others the last: sets are without it, so that it is
 * nobody's to look for in all directions, and what is left always counts the way to it. */
void join_steiner_order(struct join_steiner *s);
/* The shortest way from one terminal of a set to another past all of the set. */
void join_steiner_fill_ways(struct join_steiner *s);
/* Distances from all terminals, at least as far as a tree under the bound may go. */
void join_steiner_reach_on(struct join_steiner *s);
/* Number anew the tables that a tree under the bound may hold, and keep the hops between them. */
void join_steiner_shrink(struct join_steiner *s);
/* By table, what joins it to the terminals of left costs at least. */
void join_steiner_fill_rest(struct join_steiner *s, size_t left);

/* join_steiner_greedy.c: trees out of rows. Add the edges that lead from a state back to where its
 * tree began. False: too many. */
MUST_USE bool join_steiner_walk_back(const struct join_steiner *s, size_t mask, int state,
                                     struct join_tree *tree);
/* The best greedy tree, bettered while one exchange helps; its cost becomes the bound. False: not
 * joined, or too many edges. */
MUST_USE bool join_steiner_find_bound(struct join_steiner *s, struct join_tree *best);

#endif
