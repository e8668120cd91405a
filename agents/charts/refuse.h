/* SPDX-License-Identifier: MIT */
/* agents/charts/refuse.h - whether the data allows a plan. Any thread. */
#ifndef AGENTS_CHARTS_REFUSE_H
#define AGENTS_CHARTS_REFUSE_H

#include "agents/charts/plan.h"

/* Why the data does not allow plan, worded to end the sentence "A pie was suggested, but ..."; in
 * arena or static. NULL: the data allows it. */
const char *charts_refuse_plan(const struct charts_roles *roles, const struct charts_plan *plan,
                               struct arena *arena);

#endif
