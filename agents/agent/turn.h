/* SPDX-License-Identifier: MIT */
/* agents/agent/turn.h - the node in which an agent's model speaks: words, calls of tools, or both.
 *
 * Its words stream to the final channel, when they are the answer of the run; those of a turn that
 * calls tools are void once the next turn speaks (the channel's next attempt). */
#ifndef AGENTS_AGENT_TURN_H
#define AGENTS_AGENT_TURN_H

#include "agents/agent/config.h"

extern const struct graph_node_type agent_turn_node; /* config: struct agent_config */

/* "tools" where the turn asks for calls and may have them, else "done". */
const char *agent_turn_route(const struct agent_config *config, const struct state *state);

#endif
