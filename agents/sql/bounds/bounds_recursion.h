/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_recursion.h - the weights of a WITH query that reads itself. Private to
 * bounds_weight.c. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_RECURSION_H
#define AGENTS_SQL_BOUNDS_BOUNDS_RECURSION_H

#include "agents/sql/bounds/bounds_values.h"

/* Whether a FROM reads the name, not looking into its subqueries. */
bool sql_bounds_recursion_reads_itself(const struct sql_from *first, struct str name);
/* The shape of with's query, some of whose branches read it. Sets with->shape on the way. NULL: the
 * check is over. */
const struct sql_bounds_shape *
sql_bounds_recursion_shape_of_recursion(struct sql_bounds_search *search,
                                        struct sql_bounds_with *with);

#endif
