/* SPDX-License-Identifier: MIT */
/* agents/charts/merge.h - two columns that only mean something together become one.
 *
 * Given and family name: "Ada Stone". Year and month, year and quarter: "2025-06", "2025-Q2". The
 * new column is called by both names, a blank between. Any thread. */
#ifndef AGENTS_CHARTS_MERGE_H
#define AGENTS_CHARTS_MERGE_H

#include "agents/charts/table.h"

/* *to is from where there is nothing to join. False: no memory. */
MUST_USE bool charts_merge_columns(const struct charts_table *from, struct arena *arena,
                                   struct charts_table *to);

#endif
