/* SPDX-License-Identifier: MIT */
/* agents/general_agent/graph.h - the general agent: a model answers without database or documents.
 */
#ifndef AGENTS_GENERAL_AGENT_GRAPH_H
#define AGENTS_GENERAL_AGENT_GRAPH_H

#include "agents/services/registry_entry.h"

extern const struct graph_def general_agent_graph;
extern const struct registry_entry general_agent_entry;

#endif
