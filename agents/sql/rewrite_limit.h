/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_limit.h - what the LIMIT of the outermost statement must become.
 *
 * A count that is a number is lowered in place, one that says "all" becomes the most, a missing one
 * is added at the end; a count that is no number, or that ties may exceed, is bounded from outside.
 * Nothing else moves, so ORDER BY, OFFSET and totals stay what they were. Pure. Private to
 * rewrite.c. */
#ifndef AGENTS_SQL_REWRITE_LIMIT_H
#define AGENTS_SQL_REWRITE_LIMIT_H

#include "agents/sql/policy.h"

struct sql_rewrite_limit {
    struct sql_span count; /* to become `number`; empty: nothing is */
    size_t number;
    struct str before, after; /* around the whole statement, with number between after and end */
    struct str end;
    size_t added_at; /* where after goes: the end, or before a locking clause */
};

void sql_rewrite_limit_plan(const struct sql_policy *policy, const struct sql_parse *parse,
                            struct sql_rewrite_limit *plan);

#endif
