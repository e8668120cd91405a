/* SPDX-License-Identifier: MIT */
/* agents/rows/shown.h - fields of prompts out of what a node put of a result (rows_write_shown). */
#ifndef AGENTS_ROWS_SHOWN_H
#define AGENTS_ROWS_SHOWN_H

#include "core/run/node.h"

/* A field of a prompt, from what slot shown holds, in the arena of the node: "rows" (the first
 * ones, as JSON, long texts cut), "row_count" (of all rows, where that is known), "truncated"
 * ("false", or in words how many are here). Empty when nothing ran. */
struct str rows_shown(struct node *node, unsigned shown, struct str name);

#endif
