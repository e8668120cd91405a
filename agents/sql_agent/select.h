/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/select.h - the table selector's sides: which tables a model is shown, which of
 * its answer are kept. */
#ifndef AGENTS_SQL_AGENT_SELECT_H
#define AGENTS_SQL_AGENT_SELECT_H

#include "agents/services/services.h"

/* Tables for a prompt, one a line with their first columns: all in the catalog's order when they
 * fit SQL_MAX_TABLES_IN_SELECTION_PROMPT and MAX_CONTEXT_TOKENS; else those the question is most
 * likely about, best first (rank.h). In the node's arena. */
struct str sql_agent_select_list(struct node *node, struct str question);
/* The table selector: ask_node, after the tables were looked up by meaning where there is a store
 * of them. What it finds joins the ranks above, and stands in where the question's words reach no
 * table; a store that is down is logged. config: struct ask_config. */
extern const struct graph_node_type sql_agent_select_node;
/* The list as a field of that node's prompt. */
struct str sql_agent_select_tables(struct node *node);
/* Take the model's table list: known, visible names, at most 8; else the tables the question's
 * words reach, at most SQL_MAX_FALLBACK_TABLES (R178). */
enum step sql_agent_select_keep(struct node *node, struct str answer);

#endif
