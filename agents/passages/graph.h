/* SPDX-License-Identifier: MIT */
/* agents/passages/graph.h - the passages of documents that a question is nearest to. */
#ifndef AGENTS_PASSAGES_GRAPH_H
#define AGENTS_PASSAGES_GRAPH_H

#include "agents/registry.h"

extern const struct registry_entry passages_entry;

#endif
