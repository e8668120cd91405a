/* SPDX-License-Identifier: MIT */
/* agents/nodes/summarise.h - sums up turns of a conversation that are no longer shown in full
 * (agents/memory/tiers.h), in the background of the run that made them so.
 *
 * One part a visit, at most: a conversation that was never summed up catches up, turn by turn. */
#ifndef AGENTS_NODES_SUMMARISE_H
#define AGENTS_NODES_SUMMARISE_H

#include "agents/nodes/ask.h"

/* Whether tiered memory is on and turns wait for it; after remember_save. */
bool summarise_is_due(struct node *node);

extern const struct graph_node_type summarise_node; /* config: summarise_ask */
extern const struct ask_config summarise_ask;

#endif
