/* SPDX-License-Identifier: MIT */
/* agents/analyst/generation.h - the analyst's third sub-graph: an answer, its charts and sources,
 * checked and mended, then remembered. */
#ifndef AGENTS_ANALYST_GENERATION_H
#define AGENTS_ANALYST_GENERATION_H

#include "core/run/graph.h"

extern const struct graph_def analyst_generation_graph;

#endif
