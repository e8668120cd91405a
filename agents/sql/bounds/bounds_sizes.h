/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_sizes.h - calls whose result is as large as a number says.
 *
 * repeat, lpad, rpad and space need a small literal; a format one without '*' and with short
 * widths; generate_series ends that are literals or come from the data, and a step of some size.
 * Reads the tree. Pure; linear. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_SIZES_H
#define AGENTS_SQL_BOUNDS_BOUNDS_SIZES_H

#include "agents/sql/parse/finding.h"

struct sql_cte; /* agents/sql/grammar/grammar_tree.h */

enum {
    SQL_BOUNDS_SIZES_MAX_TEXT = 1000,
    SQL_BOUNDS_SIZES_MAX_SERIES = 1000 * 1000,
    SQL_BOUNDS_SIZES_MAX_TOGETHER = 10 * 1000 * 1000 /* of all series of a statement, multiplied */
};

/* ERR_OK, or ERR_REJECTED under rule "function". */
MUST_USE enum err_code sql_bounds_sizes_check(const struct sql_parse *parse,
                                              struct sql_finding *finding);

/* Whether column i of a recursion begins, or steps, by more than the numbers accepted in a series:
 * -1000000000 counted up to 10. */
bool sql_bounds_sizes_begins_far(struct str text, const struct sql_cte *cte, size_t i);

#endif
