/* SPDX-License-Identifier: MIT */
/* agents/analyst/remember.h - the node memory_update: stores question and answer in the collection
 * conversation_memory, where the older turns of a long conversation become one summary. (The
 * history of the conversation has both already.) Runs in the background; a failure is logged (C19).
 */
#ifndef AGENTS_ANALYST_REMEMBER_H
#define AGENTS_ANALYST_REMEMBER_H

#include "agents/nodes/ask.h"

extern const struct graph_node_type analyst_remember_node; /* config: analyst_remember_ask */
extern const struct ask_config analyst_remember_ask;

#endif
