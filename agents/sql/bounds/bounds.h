/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds.h - what a statement may cost: rows from recursion. (Joins:
 * bounds_joins.h, calls: bounds_sizes.h.)
 *
 * Reads the tree. A recursion is bounded when a column counts by a literal step and a conjunct
 * compares it, in the right direction, with a literal no farther than SQL_BOUNDS_MAX_STEPS, or with
 * one value of the data. Pure; linear in practice. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_H
#define AGENTS_SQL_BOUNDS_BOUNDS_H

#include "agents/sql/parse/finding.h"
#include "agents/sql/grammar/grammar_tree.h"

enum { SQL_BOUNDS_MAX_STEPS = 1000 * 1000 };

/* Whether some CTE reads itself, with the word RECURSIVE or without. */
bool sql_bounds_recurses(const struct sql_parse *parse);
/* ERR_OK, or ERR_REJECTED under rule "recursive": a recursion without a bound, or one whose every
 * step meets rows that no equal columns tie to it. */
MUST_USE enum err_code sql_bounds_check_recursion(const struct sql_parse *parse,
                                                  const struct catalog *catalog,
                                                  struct arena *arena, struct sql_finding *finding);

#endif
