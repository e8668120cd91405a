/* SPDX-License-Identifier: MIT */
/* agents/nodes/asked.h - what a conversation's user asked before, as a prompt field: the offline
 * engine reads fields only, and a follow-up means nothing without it. */
#ifndef AGENTS_NODES_ASKED_H
#define AGENTS_NODES_ASKED_H

#include "core/run/node.h"

/* The user's messages in slot (a SLOT_LIST of {"role","content"}) but the last, oldest first, one a
 * line, with names for "he" where they are known; the newest ASKED_MESSAGES of them. Empty: none.
 * In the node's arena. */
enum { ASKED_MESSAGES = 8 };
struct str asked_before(struct node *node, unsigned slot);

#endif
