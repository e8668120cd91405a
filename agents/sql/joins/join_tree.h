/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_tree.h - a set of edges as a tree: put right, scored, ordered; for
 * join_path.c and join_steiner.c only. */
#ifndef AGENTS_SQL_JOINS_JOIN_TREE_H
#define AGENTS_SQL_JOINS_JOIN_TREE_H

#include "agents/sql/joins/join_finder.h"

struct join_tree {
    int edges[JOIN_PATH_MAX_EDGES];
    size_t count;
};

struct join_terminals {
    int tables[JOIN_PATH_MAX_TABLES];
    size_t count;
};

/* Add an edge unless it is there. False: full. */
MUST_USE bool join_tree_add(struct join_tree *tree, int edge);
/* Drop edges that close a circle, the dearest first, then branches that end at no terminal; sort.
 */
void join_tree_settle(struct join_finder *finder, struct join_tree *tree,
                      const struct join_terminals *terminals);
/* Edges and peaks, scaled. */
uint32_t join_tree_cost(struct join_finder *finder, const struct join_tree *tree);
/* Set table_mark of the tree's tables, and of one more, to how often the tree leaves them to many.
 */
void join_tree_mark_many(struct join_finder *finder, const struct join_tree *tree, int table);
/* Steps outward from terminals->tables[0], and all but the runner-up. */
void join_tree_plan(struct join_finder *finder, const struct join_tree *tree,
                    const struct join_terminals *terminals, struct join_plan *plan);
/* The next best plan of the plan's terminals: its edges and its scaled cost. */
void join_tree_plan_other(const struct join_finder *finder, const int *edges, size_t count,
                          uint32_t cost, struct join_plan *plan);
/* The most edges between a terminal and the terminal nearest to it in the plan. */
unsigned join_tree_longest_leg(const struct join_plan *plan,
                               const struct join_terminals *terminals);
/* The cheapest tree under limit that differs by one edge and what it takes to close the gap; limit:
 * none. */
uint32_t join_tree_exchange(struct join_finder *finder, const struct join_tree *tree,
                            const struct join_terminals *terminals, uint32_t limit,
                            struct join_tree *other);

#endif
