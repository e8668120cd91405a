/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/plain.h - whether a statement may be tried on rows that are not the caller's.
 *
 * A database tries the conditions of a statement and the company filter on a row in the order that
 * it likes. That does no harm as long as a condition can neither fail nor take long: a comparison
 * of a column with a literal, or with a column of the same sort. What a plain statement says is
 * named here, and everything else is not plain: a cast, arithmetic, a call, a pattern, a query
 * within a condition. The rewriter then puts a fence around each filtered source. Pure. */
#ifndef AGENTS_SQL_GUARD_PLAIN_H
#define AGENTS_SQL_GUARD_PLAIN_H

#include "agents/sql/grammar/grammar_tree.h"

/* Whether every condition of the statement is plain: WHERE, ON, USING and HAVING, and all that an
 * inner query gives, orders or groups by, since that may become part of a condition. What the
 * outermost SELECT gives is worked out after its conditions, and may be anything. False also when
 * memory is short. Time is n log n in the names; scratch is the arena's. */
bool sql_plain_is(const struct sql_parse *parse, const struct catalog *catalog,
                  struct arena *arena);

#endif
