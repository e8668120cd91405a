/* SPDX-License-Identifier: MIT */
/* agents/charts/chartjs.h - writes a chart as a configuration of Chart.js 4, in JSON: no functions,
 * no plugins, no date adapter needed. Pure; any thread. */
#ifndef AGENTS_CHARTS_CHARTJS_H
#define AGENTS_CHARTS_CHARTJS_H

#include "agents/charts/spec.h"

/* Whether Chart.js has the type of chart: it has neither table nor metric. */
bool charts_chartjs_draws(const struct charts_spec *spec);
/* Write the configuration object of a chart that charts_chartjs_draws allows (CHECK);
 * charts_check_config accepts what is written. */
void charts_chartjs_write(const struct charts_spec *spec, struct json_write *writer);
/* The value of "chart" in events and states: the members of charts_spec_write_members, and
 * "chartjs" where Chart.js has the type (C46). JSON in arena; absent: no memory. */
struct str charts_chartjs_chart(const struct charts_spec *spec, struct arena *arena);

#endif
