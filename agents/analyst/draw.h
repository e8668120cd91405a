/* SPDX-License-Identifier: MIT */
/* agents/analyst/draw.h - the verified figures of an analysis as a chart (agents/charts). Pure. */
#ifndef AGENTS_ANALYST_DRAW_H
#define AGENTS_ANALYST_DRAW_H

#include "agents/figures/results.h"

/* The chart, as "charts" of the answer has it: of the shares that were calculated; without those,
 * of the primary metric, or of the first value's metric when none is primary; by period and
 * company. Absent: fewer than two figures to show, or no memory. */
struct str analyst_draw_chart(struct arena *arena, const struct figures_results *results,
                              struct str question);

#endif
