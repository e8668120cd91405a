/* SPDX-License-Identifier: MIT */
/* agents/analyst/retrieval.h - the analyst's first sub-graph: finds out what the question is about
 * and what memory and documents say, and judges whether that is enough. */
#ifndef AGENTS_ANALYST_RETRIEVAL_H
#define AGENTS_ANALYST_RETRIEVAL_H

#include "core/run/graph.h"

extern const struct graph_def analyst_retrieval_graph;

#endif
