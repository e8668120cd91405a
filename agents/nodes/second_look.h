/* SPDX-License-Identifier: MIT */
/* agents/nodes/second_look.h - a second opinion on a model's statement: the offline engine reads
 * the same question and compares. */
#ifndef AGENTS_NODES_SECOND_LOOK_H
#define AGENTS_NODES_SECOND_LOOK_H

#include "agents/services/services.h"

struct json_write;

/* Write what the statement seems to leave out of question, a JSON string each, and emit a warning
 * for it. asked: the questions before, one a line (asked.h), or "". Writes nothing when the offline
 * engine does not understand the question, or wrote the statement itself. */
void second_look_write(struct node *node, struct str asked, struct str question,
                       const struct sql_parse *parse, struct json_write *writer);

#endif
