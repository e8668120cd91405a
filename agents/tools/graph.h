/* SPDX-License-Identifier: MIT */
/* agents/tools/graph.h - a graph as a tool of an agent: asked by the model, its answer and what it
 * reports are the result. */
#ifndef AGENTS_TOOLS_GRAPH_H
#define AGENTS_TOOLS_GRAPH_H

#include "agents/services/registry_entry.h"
#include "agents/tools/call.h"

/* One graph that an agent may call; lives as long as the definition of the agent. */
struct tools_graph {
    struct tool tool; /* private, made by tools_graph_make; its name is the agent's for it */
    const struct registry_entry *entry;
    unsigned which;     /* among the graphs of the node that calls (graph_node.inner) */
    uint64_t most_ms;   /* of one call, or 0 */
    unsigned most_runs; /* calls of it in a run of the agent, or 0: more are refused */
};

/* Make graph->tool of the other members. False: no memory. */
MUST_USE bool tools_graph_make(struct tools_graph *graph, const char *name, const char *description,
                               struct arena *arena);

#endif
