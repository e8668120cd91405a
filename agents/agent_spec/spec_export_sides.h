/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_sides.h - nodes side by side as a ParallelFlowNode, each of them in
 * a flow of its own. */
#ifndef AGENTS_AGENT_SPEC_SPEC_EXPORT_SIDES_H
#define AGENTS_AGENT_SPEC_SPEC_EXPORT_SIDES_H

#include "agents/agent_spec/exporting.h"

/* Find the nodes of graph that begin side by side. False: a mistake was noted, as where they lead
 * to different nodes. */
MUST_USE bool spec_export_sides_find(struct exporting *x, struct exporting_graph *graph);
/* Whether a side stands for the node: it is a part of one, or holds one together. */
bool spec_export_sides_covers(const struct exporting_graph *graph, struct str node);
/* Write the parts, their flows and the ParallelFlowNodes. False: a mistake was noted. */
MUST_USE bool spec_export_sides_write(struct exporting *x, struct exporting_graph *graph);
/* What an edge is there: *from and *to become the nodes that it joins. False: it is none. */
bool spec_export_sides_edge(const struct exporting_graph *graph, struct str *from, struct str *to);

#endif
