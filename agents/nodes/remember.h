/* SPDX-License-Identifier: MIT */
/* agents/nodes/remember.h - what nodes do with a conversation: read it into a slot of messages, add
 * to that, store question and answer.
 *
 * A run without a conversation, or a worker without a history, remembers nothing. */
#ifndef AGENTS_NODES_REMEMBER_H
#define AGENTS_NODES_REMEMBER_H

#include "agents/services.h"

/* Push what was said before (R219), then the question, into slot (a SLOT_LIST). */
void remember_load(struct node *node, unsigned slot, struct str question);
/* Push one message as {"role","content"}. */
void remember_push(struct node *node, unsigned slot, enum llm_role role, struct str text);
/* Store both. A conversation that cannot be stored is logged and the answer stands (R226). */
void remember_save(struct node *node, struct str question, struct str answer);

#endif
