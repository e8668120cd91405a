/* SPDX-License-Identifier: MIT */
/* agents/charts/chartjs.h - a chart -> Chart.js 4's configuration, as JSON: no functions, no
 * plugins, no date adapter needed. Pure; any thread. */
#ifndef AGENTS_CHARTS_CHARTJS_H
#define AGENTS_CHARTS_CHARTJS_H

#include "agents/charts/spec.h"

/* Whether Chart.js has the type: not a table, not a metric. */
bool charts_chartjs_draws(const struct charts_spec *spec);
/* The configuration object of a chart it draws (CHECK); charts_check_config accepts it. */
void charts_chartjs_write(const struct charts_spec *spec, struct json_write *writer);
/* The "chart" of events and states: charts_spec_write_members, and "chartjs" where Chart.js has
 * the type (C46). JSON in arena; absent: no memory. */
struct str charts_chartjs_chart(const struct charts_spec *spec, struct arena *arena);

#endif
