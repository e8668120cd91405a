/* SPDX-License-Identifier: MIT */
/* agents/nodes/remember.h - a conversation as nodes use it: read it into a slot of messages, add to
 * the slot, store question and answer.
 *
 * A run without a conversation, or a worker without a history, remembers nothing. */
#ifndef AGENTS_NODES_REMEMBER_H
#define AGENTS_NODES_REMEMBER_H

#include "agents/services/services.h"

/* Push the earlier messages (R219), then the question, into slot (a SLOT_LIST). The first message,
 * of role "system", is what is remembered beside the messages: with tiered memory the summaries of
 * turns that are not among them, whom and what this conversation mentioned, and the last statement
 * that answered in it. Where that tells whom "he" or "that job" in a question means, its message
 * has a member "meant": the question with names. What the user's other conversations mentioned is
 * used for such a word alone. */
void remember_load(struct node *node, unsigned slot, struct str question);
/* Push one message as {"role","content"}. */
void remember_push(struct node *node, unsigned slot, enum llm_role role, struct str text);
/* Store question and answer. A failure to store is logged and the answer stands (R226). */
void remember_save(struct node *node, struct str question, struct str answer);
/* Call after remember_save: keep sql, as the model wrote it, as the last statement that answered;
 * empty, too long or about private columns: the one before stays. */
void remember_statement(struct node *node, struct str sql);
/* Call after remember_save: remember_statement, and keeps what the last question in slot meant, and
 * what the statement and its result (either may be empty) mentioned. */
void remember_notice(struct node *node, unsigned slot, struct str sql, struct str result);
/* The newest turns of the conversation, without the question that is asked now: "user: ..." and
 * "assistant: ..." on a line each, long ones cut; what the caller sent where it stands in the place
 * of the conversation. Empty: there are none. In the arena of the node. */
struct str remember_recent(struct node *node, size_t turns);
/* The "meant" of the newest question in slot; absent: the question needs no names. In the arena of
 * the node. */
struct str remember_meant(struct node *node, unsigned slot);

#endif
