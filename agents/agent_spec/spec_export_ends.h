/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export_ends.h - the ends of a graph: one, or several that tell by which of
 * them it ended, which are branches of whoever runs it.
 *
 * Such an end is a node "set" that puts a text into one field and leads to END; a node that runs
 * the graph takes that field out and has a route by it. */
#ifndef AGENTS_AGENT_SPEC_SPEC_EXPORT_ENDS_H
#define AGENTS_AGENT_SPEC_SPEC_EXPORT_ENDS_H

#include "agents/agent_spec/exporting.h"

enum { SPEC_EXPORT_ENDS_MAX = 32 };

/* Find graph's ends: sets branch and has_end. */
void spec_export_ends_find(struct exporting_graph *graph);
/* The text that the node, one of several ends, tells; absent: it is none. */
struct str spec_export_ends_branch(const struct exporting_graph *graph,
                                   const struct json_value *node);
/* Write the EndNodes. False: a mistake was noted. */
MUST_USE bool spec_export_ends_write(struct exporting *x, struct exporting_graph *graph);
/* The field of node, which runs inner, that hears by which branch it ended; absent: none. */
struct str spec_export_ends_heard(const struct json_value *node,
                                  const struct exporting_graph *inner);
/* Whether node's route, behind the first skip choices, is by the branches of inner. False: a
 * mistake was noted. */
MUST_USE bool spec_export_ends_check(struct exporting_graph *graph, const struct json_value *node,
                                     const struct exporting_graph *inner, size_t skip);
/* The branches of inner that node's route, which was checked, calls label; how many. */
size_t spec_export_ends_called(const struct json_value *node, const struct exporting_graph *inner,
                               size_t skip, struct str label,
                               struct str branches[SPEC_EXPORT_ENDS_MAX]);

#endif
