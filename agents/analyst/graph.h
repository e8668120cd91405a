/* SPDX-License-Identifier: MIT */
/* agents/analyst/graph.h - the financial analyst of seed 003. */
#ifndef AGENTS_ANALYST_GRAPH_H
#define AGENTS_ANALYST_GRAPH_H

#include "agents/registry.h"

extern const struct registry_entry analyst_entry;

#endif
