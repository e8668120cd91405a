/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds_sizes.h - calls whose result is as large as a number says.
 *
 * repeat, lpad and rpad need a small literal; generate_series needs ends that are literals or come
 * from the data, and a step of some size. Reads the tree. Pure; linear. */
#ifndef AGENTS_SQL_BOUNDS_SIZES_H
#define AGENTS_SQL_BOUNDS_SIZES_H

#include "agents/sql/finding.h"

enum { SQL_BOUNDS_SIZES_MAX_TEXT = 1000, SQL_BOUNDS_SIZES_MAX_SERIES = 1000 * 1000 };

/* ERR_OK, or ERR_REJECTED under rule "function". */
MUST_USE enum err_code sql_bounds_sizes_check(const struct sql_parse *parse,
                                              struct sql_finding *finding);

#endif
