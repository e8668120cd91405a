/* SPDX-License-Identifier: MIT */
/* agents/analyst/remember.h - the node memory_update: question and answer into the collection
 * conversation_memory, where a long conversation's older turns become one summary. The conversation
 * itself has them already. Runs in the background; what fails is logged (C19). */
#ifndef AGENTS_ANALYST_REMEMBER_H
#define AGENTS_ANALYST_REMEMBER_H

#include "agents/nodes/ask.h"

extern const struct graph_node_type analyst_remember_node; /* config: analyst_remember_ask */
extern const struct ask_config analyst_remember_ask;

#endif
