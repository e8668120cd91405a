/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_path.h - Dijkstra and exact Steiner trees over a join graph.
 *
 * Costs and penalties are told in docs/joins.md, turns and tie-breaks in
 * docs/internals/join-paths.md. A finder holds scratch memory and a cache; one per thread.
 * Deterministic: equal input gives the equal path. */
#ifndef AGENTS_SQL_JOINS_JOIN_PATH_H
#define AGENTS_SQL_JOINS_JOIN_PATH_H

#include "agents/sql/joins/join_plan.h"

struct join_finder;

struct join_finder_options {
    double confidence_threshold; /* 0: 0.7 */
    unsigned max_hops;           /* 0: 4 */
    unsigned more_hops;          /* when nothing is found within max_hops; 0: none */
};

/* What the settings SQL_CONFIDENCE_THRESHOLD and SQL_MAX_HOPS mean: 0 is any confidence; max_hops
 * is the limit of the first search, and what it does not find is looked for JOIN_PATH_FURTHER on.
 */
struct join_finder_options join_finder_options_of(double confidence_threshold, unsigned max_hops);
struct join_finder *join_finder_create(const struct join_graph *graph,
                                       const struct join_finder_options *options);
void join_finder_destroy(struct join_finder *finder);
/* Until told otherwise plans take the edge, one of the finder's graph, only where nothing else
 * joins; NULL: no edge is avoided. */
void join_finder_avoid(struct join_finder *finder, const struct join_edge *edge);
/* The best path between two tables. words: content words of the question (bonus for edges named by
 * them), may be NULL. ERR_NOT_FOUND: no path within max_hops above the threshold; err says so and
 * what would help. */
MUST_USE enum err_code join_path_find(struct join_finder *finder, int from, int to,
                                      const struct str *words, size_t word_count,
                                      struct join_plan *plan, struct err *err);
/* The best tree over tables[count], rooted at tables[0]. */
MUST_USE enum err_code join_path_plan(struct join_finder *finder, const int *tables, size_t count,
                                      const struct str *words, size_t word_count,
                                      struct join_plan *plan, struct err *err);
/* Up to max different paths, best first (SQL_MAX_SUGGESTED_PATHS). */
size_t join_path_suggest(struct join_finder *finder, int from, int to, struct join_plan *plans,
                         size_t max);

#endif
