/* SPDX-License-Identifier: MIT */
/* agents/charts/merge.h - joins two columns that mean something only together into one.
 *
 * Given name and family name become "Ada Stone"; year and month "2025-06"; year and quarter
 * "2025-Q2". The name of the new column is both names with a blank between. Any thread. */
#ifndef AGENTS_CHARTS_MERGE_H
#define AGENTS_CHARTS_MERGE_H

#include "agents/charts/table.h"

/* Set *to to the table with such columns joined; it equals from when there is nothing to join.
 * False: no memory. */
MUST_USE bool charts_merge_columns(const struct charts_table *from, struct arena *arena,
                                   struct charts_table *to);

#endif
