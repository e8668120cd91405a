/* SPDX-License-Identifier: MIT */
/* agents/nodes/asked.h - the earlier questions of a conversation as a field of a prompt: the
 * offline engine reads fields only, and cannot read a follow-up without them. */
#ifndef AGENTS_NODES_ASKED_H
#define AGENTS_NODES_ASKED_H

#include "core/run/node.h"

/* The messages of the user in slot (a SLOT_LIST of {"role","content"}) except the last, oldest
 * first, one a line, with names for "he" where they are known; only the newest ASKED_MESSAGES.
 * Empty: none. In the arena of the node. */
enum { ASKED_MESSAGES = 8 };
struct str asked_before(struct node *node, unsigned slot);

#endif
