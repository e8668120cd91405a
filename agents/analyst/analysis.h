/* SPDX-License-Identifier: MIT */
/* agents/analyst/analysis.h - the analyst's second sub-graph: figures out of passages, calculated
 * and checked. */
#ifndef AGENTS_ANALYST_ANALYSIS_H
#define AGENTS_ANALYST_ANALYSIS_H

#include "core/run/graph.h"

extern const struct graph_def analyst_analysis_graph;

#endif
