/* SPDX-License-Identifier: MIT */
/* agents/charts/caption.h - what a chart is called, and its axes: from the columns' names. Any
 * thread. */
#ifndef AGENTS_CHARTS_CAPTION_H
#define AGENTS_CHARTS_CAPTION_H

#include "agents/charts/plan.h"

/* Fill in title (as given, or made), x, y, series_by and the titles of axes. False: no memory. */
MUST_USE bool charts_caption_write(const struct charts_roles *roles, const struct charts_plan *plan,
                                   struct str title, struct arena *arena, struct charts_spec *spec);

#endif
