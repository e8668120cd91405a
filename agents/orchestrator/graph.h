/* SPDX-License-Identifier: MIT */
/* agents/orchestrator/graph.h - seed 004's main entry: load, classify, route, finalise, save. */
#ifndef AGENTS_ORCHESTRATOR_GRAPH_H
#define AGENTS_ORCHESTRATOR_GRAPH_H

#include "agents/registry.h"

extern const struct registry_entry orchestrator_entry;

#endif
