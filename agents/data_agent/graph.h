/* SPDX-License-Identifier: MIT */
/* agents/data_agent/graph.h - the data agent: a model that looks, runs statements and checks them
 * until it can answer. */
#ifndef AGENTS_DATA_AGENT_GRAPH_H
#define AGENTS_DATA_AGENT_GRAPH_H

#include "agents/services/registry_entry.h"

extern const struct graph_def data_agent_graph;
extern const struct registry_entry data_agent_entry;

#endif
