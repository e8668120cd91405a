/* SPDX-License-Identifier: MIT */
/* agents/charts/accept.h - a model's suggestion against the data.
 *
 * Pure; any thread. */
#ifndef AGENTS_CHARTS_ACCEPT_H
#define AGENTS_CHARTS_ACCEPT_H

#include "agents/charts/choose.h"

/* A chart of the suggested type ("pie"; case ignored) when the data allows it, with the data in the
 * places that charts_choose_spec would give it; else the one charts_choose_spec gives, and its
 * remark says why. A table is always allowed. NULL: no memory. */
const struct charts_spec *charts_accept_spec(const struct charts_request *request,
                                             struct str suggested, struct arena *arena);

#endif
