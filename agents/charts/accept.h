/* SPDX-License-Identifier: MIT */
/* agents/charts/accept.h - checks a model's suggestion of a chart against the data.
 *
 * Pure; any thread. */
#ifndef AGENTS_CHARTS_ACCEPT_H
#define AGENTS_CHARTS_ACCEPT_H

#include "agents/charts/choose.h"

/* A chart of the suggested type ("pie"; case ignored) when the data allows it, with the columns in
 * the places that charts_choose_spec would give them; else the chart that charts_choose_spec gives,
 * whose remark says why the suggestion was not kept. A table is always allowed. NULL: no memory. */
const struct charts_spec *charts_accept_spec(const struct charts_request *request,
                                             struct str suggested, struct arena *arena);

#endif
