/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_steiner.h - the cheapest tree over up to eight tables; for join_path.c
 * only. */
#ifndef AGENTS_SQL_JOINS_JOIN_STEINER_H
#define AGENTS_SQL_JOINS_JOIN_STEINER_H

#include "agents/sql/joins/join_tree.h"

/* Scratch for join_steiner_tree. False: no memory. */
MUST_USE bool join_steiner_init(struct join_finder *finder);
/* The cheapest tree over at least two different terminals. False: not joined, or too many edges. */
MUST_USE bool join_steiner_tree(struct join_finder *finder, const struct join_terminals *terminals,
                                struct join_tree *tree);

#endif
