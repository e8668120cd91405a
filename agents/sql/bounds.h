/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds.h - what a statement may cost: rows from joins that relate nothing and from
 * recursion. (Calls: bounds_sizes.h.)
 *
 * Reads the tree. A recursion is bounded when a column counts by a literal step and a conjunct
 * compares it, in the right direction, with a literal no farther than SQL_BOUNDS_MAX_STEPS. Pure;
 * linear. */
#ifndef AGENTS_SQL_BOUNDS_H
#define AGENTS_SQL_BOUNDS_H

#include "agents/sql/finding.h"
#include "agents/sql/grammar.h"

enum { SQL_BOUNDS_MAX_STEPS = 1000 * 1000 };

/* ERR_OK, or ERR_REJECTED under rule "unconnected": a join whose condition has an alternative that
 * is about no column, as in ON a.x = b.x OR 1 = 1, so that it relates nothing. */
MUST_USE enum err_code sql_bounds_check_joins(const struct sql_parse *parse,
                                              struct sql_finding *finding);
/* Whether some CTE reads itself, with the word RECURSIVE or without. */
bool sql_bounds_recurses(const struct sql_parse *parse);
/* ERR_OK, or ERR_REJECTED under rule "recursive": a recursion without a bound, or one whose every
 * step meets rows that no equal columns tie to it. */
MUST_USE enum err_code sql_bounds_check_recursion(const struct sql_parse *parse,
                                                  struct sql_finding *finding);

#endif
