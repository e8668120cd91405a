/* SPDX-License-Identifier: MIT */
/* agents/charts/draw.h - a plan -> a chart: labels and series in order, folded to what can be
 * shown, with a note for all that is not as in the rows. Any thread. */
#ifndef AGENTS_CHARTS_DRAW_H
#define AGENTS_CHARTS_DRAW_H

#include "agents/charts/plan.h"

/* plan must be allowed (charts_refuse_plan). title may be absent. A table, when there is no number
 * to be seen after all. NULL: no memory. */
struct charts_spec *charts_draw_spec(const struct charts_roles *roles,
                                     const struct charts_plan *plan, struct str title,
                                     struct arena *arena);

#endif
