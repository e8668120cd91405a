/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/select.h - the table selector's sides: which tables a model is shown, which of
 * its answer are kept. */
#ifndef AGENTS_SQL_AGENT_SELECT_H
#define AGENTS_SQL_AGENT_SELECT_H

#include "agents/services.h"

/* Tables for a prompt, one a line with their first columns: all in the catalog's order when they
 * fit SQL_MAX_TABLES_IN_SELECTION_PROMPT and MAX_CONTEXT_TOKENS; else those the question is most
 * likely about, best first (rank.h). In the node's arena. */
struct str sql_agent_select_list(struct node *node, struct str question);
/* The same as a field of the SQL agent's prompt. */
struct str sql_agent_select_tables(struct node *node);
/* Take the model's table list: known, visible names, at most 8; else the tables the question's
 * words reach, at most SQL_MAX_FALLBACK_TABLES (R178). */
enum step sql_agent_select_keep(struct node *node, struct str answer);

#endif
