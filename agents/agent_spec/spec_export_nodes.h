/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_nodes.h - a node of a graph as a component of Agent Spec. */
#ifndef AGENTS_AGENT_SPEC_SPEC_EXPORT_NODES_H
#define AGENTS_AGENT_SPEC_SPEC_EXPORT_NODES_H

#include "agents/agent_spec/exporting.h"

/* Write the component, and add the node's ports. False: a mistake was noted. */
MUST_USE bool spec_export_nodes_write(struct exporting *x, struct exporting_graph *graph,
                                      const struct json_value *node);
/* Of a node that runs another graph and nothing else (it catches nothing and has no route): add its
 * ports, by the names inside, and write nothing. NULL: it is another node, or a mistake was noted.
 */
const struct exporting_graph *spec_export_nodes_ports(struct exporting *x,
                                                      struct exporting_graph *graph,
                                                      const struct json_value *node);

#endif
