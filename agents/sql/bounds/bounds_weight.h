/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_weight.h - how much a statement makes of little: the most bytes of each
 * value, the expressions that stand where names stood, and how deep they are.
 *
 * An engine ends a statement at its deadline only where it looks: not in a search of one text in
 * another, and not while it compiles. So what such a piece of work could cost at most is computed
 * before the engine sees the statement. Every expression is given a weight, from literals and
 * columns upwards, through calls, WITH queries, derived tables and recursions. Reads the tree.
 * Pure; its work is bounded by SQL_BOUNDS_VALUES_WORK_MOST. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_WEIGHT_H
#define AGENTS_SQL_BOUNDS_BOUNDS_WEIGHT_H

#include "agents/sql/parse/finding.h"

/* ERR_OK, or ERR_REJECTED under the rule "bytes", "search", "depth", "joined", "expansion" or
 * "recursive", with what is too large and the limit. ERR_NO_MEMORY. catalog may be NULL. */
MUST_USE enum err_code sql_bounds_weight_check(const struct sql_parse *parse,
                                               const struct catalog *catalog,
                                               struct sql_finding *finding);

#endif
