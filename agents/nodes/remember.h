/* SPDX-License-Identifier: MIT */
/* agents/nodes/remember.h - what nodes do with a conversation: read it into a slot of messages, add
 * to that, store question and answer.
 *
 * A run without a conversation, or a worker without a history, remembers nothing. */
#ifndef AGENTS_NODES_REMEMBER_H
#define AGENTS_NODES_REMEMBER_H

#include "agents/services/services.h"

/* Push what was said before (R219), then the question, into slot (a SLOT_LIST). First, with the
 * role "system", what is remembered beside the messages: with tiered memory the summaries of turns
 * that are not among them, and whom and what the user's conversations mentioned. A question of
 * which "he" or "that job" is known by that has a member "meant", the question with names. */
void remember_load(struct node *node, unsigned slot, struct str question);
/* Push one message as {"role","content"}. */
void remember_push(struct node *node, unsigned slot, enum llm_role role, struct str text);
/* Store both. A conversation that cannot be stored is logged and the answer stands (R226). */
void remember_save(struct node *node, struct str question, struct str answer);
/* After remember_save: keep what the last question in slot meant, and what the statement and its
 * result (either may be empty) mentioned. */
void remember_notice(struct node *node, unsigned slot, struct str sql, struct str result);
/* The "meant" of the newest question in slot; absent: it means what it says. In the node's arena.
 */
struct str remember_meant(struct node *node, unsigned slot);

#endif
