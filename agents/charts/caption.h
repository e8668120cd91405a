/* SPDX-License-Identifier: MIT */
/* agents/charts/caption.h - the title of a chart and of its axes, made from the columns' names. Any
 * thread. */
#ifndef AGENTS_CHARTS_CAPTION_H
#define AGENTS_CHARTS_CAPTION_H

#include "agents/charts/plan.h"

/* Fill in the title of spec (the one given, or one that is made), x, y, series_by and the titles of
 * the axes. False: no memory. */
MUST_USE bool charts_caption_write(const struct charts_roles *roles, const struct charts_plan *plan,
                                   struct str title, struct arena *arena, struct charts_spec *spec);

#endif
