/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_edges.h - the edges of a flow, of control and of data. */
#ifndef AGENTS_AGENT_SPEC_SPEC_EXPORT_EDGES_H
#define AGENTS_AGENT_SPEC_SPEC_EXPORT_EDGES_H

#include "agents/agent_spec/exporting.h"

/* Write both lists of edges, as members, once the graph's nodes are written. False: a mistake was
 * noted. */
MUST_USE bool spec_export_edges_write(struct exporting *x, struct exporting_graph *graph);

#endif
