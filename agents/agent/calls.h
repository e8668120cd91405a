/* SPDX-License-Identifier: MIT */
/* agents/agent/calls.h - the node in which an agent's tools are called: all calls of the last turn
 * at once, each announced by tool_start and tool_end. */
#ifndef AGENTS_AGENT_CALLS_H
#define AGENTS_AGENT_CALLS_H

#include "agents/agent/config.h"

extern const struct graph_node_type agent_calls_node; /* config: struct agent_config */

/* "asked" where a tool asked the user, "spent" where a budget is, else "again". */
const char *agent_calls_route(const struct agent_config *config, const struct state *state);
/* Append the member "statements", the items of a statements_slot, where there are any. */
void agent_calls_report(const struct state *state, unsigned slot, struct buf *out);

#endif
