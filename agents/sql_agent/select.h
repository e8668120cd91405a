/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/select.h - both sides of the table selector: the tables that a model is shown,
 * and the tables of its answer that are kept. */
#ifndef AGENTS_SQL_AGENT_SELECT_H
#define AGENTS_SQL_AGENT_SELECT_H

#include "agents/services/services.h"

/* Tables for a prompt, one a line with their first columns: all in the catalog's order when they
 * fit SQL_MAX_TABLES_IN_SELECTION_PROMPT and MAX_CONTEXT_TOKENS; else those the question is most
 * likely about, best first (rank.h). In the node's arena. */
struct str sql_agent_select_list(struct node *node, struct str question);
/* The table selector: ask_node, after the tables were looked up by meaning where there is a store
 * of them. Tables found there are fused into the ranking above, and replace it where the words of
 * the question reach no table; a store that is down is logged. config: struct ask_config. */
extern const struct graph_node_type sql_agent_select_node;
/* The list as a field of that node's prompt. */
struct str sql_agent_select_tables(struct node *node);
/* Keep the tables of the model's answer: known, visible names, at most 8; when there is none, the
 * tables that the words of the question reach, at most SQL_MAX_FALLBACK_TABLES (R178). */
enum step sql_agent_select_keep(struct node *node, struct str answer);

#endif
