/* SPDX-License-Identifier: MIT */
/* agents/charts/grid.h - rows folded into labels times series: the numbers of a bar, line or pie.
 *
 * Rows of one label and series are added up. Any thread. */
#ifndef AGENTS_CHARTS_GRID_H
#define AGENTS_CHARTS_GRID_H

#include "agents/charts/plan.h"

struct charts_grid {
    size_t label_count, series_count;
    const size_t *label_row;   /* label -> its first row */
    const int *series_value;   /* series -> the value of plan's series column; NONE: all others */
    struct charts_cell *cells; /* label-major */
    bool has_merged;           /* some cell is a sum */
    size_t folded;             /* values that the series NONE adds up */
    size_t left_out;           /* values that no series shows: they cannot be added up */
};

/* How many labels plan's label column gives, and whether rows share a label (and a series). False:
 * no memory. */
MUST_USE bool charts_grid_measure(const struct charts_roles *roles, const struct charts_plan *plan,
                                  struct arena *arena, size_t *label_count, bool *has_merged);
/* Fill grid with the numbers of the cells. False: no memory. */
MUST_USE bool charts_grid_fill(const struct charts_roles *roles, const struct charts_plan *plan,
                               struct arena *arena, struct charts_grid *grid);

#endif
