/* SPDX-License-Identifier: MIT */
/* agents/nodes/values.h - a field of prompts: how the database spells the values of its columns.
 *
 * A model cannot know whether a status is "on hold", "on_hold" or "ONH". Private and hidden columns
 * have no values here, and what only other companies have is left out. */
#ifndef AGENTS_NODES_VALUES_H
#define AGENTS_NODES_VALUES_H

#include "agents/services/services.h"

/* The values of the text columns of tables, one column a line: all of those that have few, and of
 * the others what the words of question are. At most 8 KiB; empty: none. In the arena of the node.
 */
struct str values_write(struct node *node, const int *tables, size_t count, struct str question);

#endif
