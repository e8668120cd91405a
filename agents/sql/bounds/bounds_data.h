/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_data.h - bounds of recursions that come from the data: (SELECT MAX(day)
 * FROM t), or a column of a one-row query beside the recursion. Private to bounds.c.
 *
 * Such a recursion ends, though nobody knows when before it ran: the deadline and the cost guard
 * stand behind it. Reads the tree. Pure. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_DATA_H
#define AGENTS_SQL_BOUNDS_BOUNDS_DATA_H

#include "agents/sql/bounds/bounds_rows.h"

struct sql_bounds_data { /* borrowed: one recursive branch of a CTE */
    const struct sql_parse *parse;
    const struct catalog *catalog;
    struct sql_bounds_rows *rows;
    const struct sql_cte *cte;
    const struct sql_branch *branch;
};

/* Whether the recursion ends when its counter, a number or a date, reaches expr. (SQLite holds any
 * text for larger than any number.) */
bool sql_bounds_data_ends(const struct sql_bounds_data *at, const struct sql_expr *expr,
                          bool counts_numbers);
/* Whether the item is one row, and not of the recursion. */
bool sql_bounds_data_is_one(const struct sql_bounds_data *at, const struct sql_from *item);
/* How often the select, or the branch, reads the name. */
size_t sql_bounds_data_reads(const struct sql_select *select, const struct sql_branch *branch,
                             struct str name);

#endif
