/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/whole.h - a schema that is small enough to stand whole in a prompt, so that no
 * model needs to choose tables first.
 *
 * Small: its text takes at most limits.sql_whole_schema_bytes. All results are in the arena of the
 * node. */
#ifndef AGENTS_SQL_AGENT_WHOLE_H
#define AGENTS_SQL_AGENT_WHOLE_H

#include "agents/services/services.h"

enum { SQL_AGENT_WHOLE_TABLES = 40 };

/* Whether the schema that a question is asked of is small. */
bool sql_agent_whole_fits(struct node *node, struct str question);
/* Write the tables that a model may see to tables, which has room for SQL_AGENT_WHOLE_TABLES.
 * Returns how many; 0: there are none, or too many. */
size_t sql_agent_whole_tables(struct node *node, int *tables);
/* The tables with their columns and what the semantic file says; empty: the schema is not small. */
struct str sql_agent_whole_schema(struct node *node, struct str question);
/* The relationships among them, a line each, at most SQL_MAX_RELATIONSHIPS_IN_PROMPT. */
struct str sql_agent_whole_relationships(struct node *node, struct str question);
/* The values of their columns (agents/nodes/values.h). */
struct str sql_agent_whole_values(struct node *node, struct str question);
/* Verified questions like this one (agents/nodes/schema_text.h). */
struct str sql_agent_whole_examples(struct node *node, struct str question);

#endif
