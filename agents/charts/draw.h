/* SPDX-License-Identifier: MIT */
/* agents/charts/draw.h - makes a chart of a plan: labels and series in order, folded to as many as
 * can be shown, with a note for everything that is not as in the rows. Any thread. */
#ifndef AGENTS_CHARTS_DRAW_H
#define AGENTS_CHARTS_DRAW_H

#include "agents/charts/plan.h"

/* The chart. plan must be allowed (charts_refuse_plan). title may be absent. The chart is a table
 * when the rows turn out to hold no number that can be shown. NULL: no memory. */
struct charts_spec *charts_draw_spec(const struct charts_roles *roles,
                                     const struct charts_plan *plan, struct str title,
                                     struct arena *arena);

#endif
