/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_joins.h - joins that relate nothing, so that every row meets every row.
 *
 * Reads the tree; of tables without a condition the scope knows already (sql_table_ref.connected).
 * Pure; linear in practice. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_JOINS_H
#define AGENTS_SQL_BOUNDS_BOUNDS_JOINS_H

#include "agents/sql/parse/finding.h"

enum {
    SQL_BOUNDS_JOINS_MAX_FEW = 100 * 1000,
    SQL_BOUNDS_JOINS_MAX_ROWS = 10 * 1000 * 1000,
    SQL_BOUNDS_JOINS_MAX_KINDS = 3
};

/* ERR_OK, or ERR_REJECTED under rule "unconnected": a condition with an alternative that is about
 * no column, as in ON a.x = b.x OR 1 = 1; two queries over tables that meet without a condition, or
 * a table and a written list longer than MAX_FEW, or written lists that make more than MAX_ROWS.
 * What was grouped, up to MAX_KINDS of it, and short lists may meet everything: that is how
 * calendars and grids are made.
 * ERR_NO_MEMORY. */
MUST_USE enum err_code sql_bounds_joins_check(const struct sql_parse *parse, struct arena *arena,
                                              struct sql_finding *finding);

#endif
