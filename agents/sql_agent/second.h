/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/second.h - a second opinion on a model's statement: the offline engine's reading
 * of the same question. */
#ifndef AGENTS_SQL_AGENT_SECOND_H
#define AGENTS_SQL_AGENT_SECOND_H

#include "agents/services.h"

struct json_write;

/* Write what the statement seems to leave out of the question, a JSON string each. Nothing, where
 * the offline engine does not understand the question or wrote the statement itself. */
void sql_agent_second_look(struct node *node, const struct sql_parse *parse,
                           struct json_write *writer);

#endif
