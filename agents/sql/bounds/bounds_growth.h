/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_growth.h - texts that grow by factors: replacing within what was
 * replaced.
 *
 * A short statement can ask for gigabytes, REPLACE(REPLACE(..., 'a', 'aaaaaaaaaa'), ...), and
 * MariaDB neither ends such a call at its deadline nor when killed; so the factors are multiplied
 * here, through nested calls, subqueries and WITH queries. Reads the tree. Pure; linear. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_GROWTH_H
#define AGENTS_SQL_BOUNDS_BOUNDS_GROWTH_H

#include "agents/sql/parse/finding.h"
#include "agents/sql/grammar/grammar_tree.h"

enum { SQL_BOUNDS_GROWTH_MOST = 500 };

/* ERR_OK, or ERR_REJECTED under rule "function". */
MUST_USE enum err_code sql_bounds_growth_check(const struct sql_parse *parse,
                                               struct sql_finding *finding);

/* Whether the branch makes any text longer by a factor: not to be done at every step. */
bool sql_bounds_growth_in(struct str text, const struct sql_branch *branch);

#endif
