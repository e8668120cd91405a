/* SPDX-License-Identifier: MIT */
/* agents/nodes/summarise.h - the node that sums up turns of a conversation once they are no longer
 * shown in full (agents/memory/tiers.h), in the background of the run after which they are not.
 *
 * Makes at most one part a run; a conversation that was never summed up catches up turn by turn. */
#ifndef AGENTS_NODES_SUMMARISE_H
#define AGENTS_NODES_SUMMARISE_H

#include "agents/nodes/ask.h"

/* Whether tiered memory is on and turns wait to be summed up; asked after remember_save. */
bool summarise_is_due(struct node *node);

extern const struct graph_node_type summarise_node; /* config: summarise_ask */
extern const struct ask_config summarise_ask;

#endif
