/* SPDX-License-Identifier: MIT */
/* agents/analyst/look_up.h - the retrieval sub-graph's two nodes that search: one looks the
 * question up in memory while a model reads it, the other looks up documents. */
#ifndef AGENTS_ANALYST_LOOK_UP_H
#define AGENTS_ANALYST_LOOK_UP_H

#include "agents/nodes/ask.h"

/* config: analyst_look_up_ask */
extern const struct graph_node_type analyst_look_up_question;
extern const struct ask_config analyst_look_up_ask;
extern const struct graph_node_type analyst_look_up_passages;

#endif
