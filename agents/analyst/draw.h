/* SPDX-License-Identifier: MIT */
/* agents/analyst/draw.h - the verified figures of an analysis as a chart (agents/charts). Pure. */
#ifndef AGENTS_ANALYST_DRAW_H
#define AGENTS_ANALYST_DRAW_H

#include "agents/figures/results.h"

/* The chart of the shares calculated, or of the primary metric (else of the first value's), by
 * period and company, as "charts" has it. Absent: fewer than two figures to show, or no memory. */
struct str analyst_draw_chart(struct arena *arena, const struct figures_results *results,
                              struct str question);

#endif
