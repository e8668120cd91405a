/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_rows.h - how many rows a query, or an item of FROM, gives at most, as
 * far as its text says.
 *
 * Counts what is written: literals, LIMIT, aggregates without GROUP BY, recursions that count to a
 * number. What a table holds is not known, only whether it was grouped. Reads the tree; the CTEs of
 * a statement are counted once. Pure. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_ROWS_H
#define AGENTS_SQL_BOUNDS_BOUNDS_ROWS_H

#include "agents/sql/grammar/grammar_tree.h"

#define SQL_BOUNDS_ROWS_MANY   UINT64_MAX       /* a table's */
#define SQL_BOUNDS_ROWS_GROUPS (UINT64_MAX - 1) /* a table's, DISTINCT, grouped or picked */

struct sql_bounds_rows; /* the statement's CTEs; in the arena */

/* NULL: no memory. parse and arena are borrowed. */
struct sql_bounds_rows *sql_bounds_rows_create(const struct sql_parse *parse, struct arena *arena);
/* The most rows of an item of FROM by itself, and of a query; parentheses give what all in them
 * give together. */
uint64_t sql_bounds_rows_of(struct sql_bounds_rows *rows, const struct sql_from *item);
uint64_t sql_bounds_rows_select(struct sql_bounds_rows *rows, const struct sql_select *select);
/* The query of the CTE of this name, the last one written; NULL: none is called so. */
const struct sql_select *sql_bounds_rows_query(const struct sql_bounds_rows *rows, struct str name);
/* Two counts that meet each other: known ones multiplied, else the larger. */
uint64_t sql_bounds_rows_times(uint64_t left, uint64_t right);
static inline bool sql_bounds_rows_known(uint64_t rows)
{
    return rows < SQL_BOUNDS_ROWS_GROUPS;
}

#endif
