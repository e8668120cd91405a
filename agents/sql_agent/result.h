/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/result.h - the last node of the SQL agent: turns rows into words. */
#ifndef AGENTS_SQL_AGENT_RESULT_H
#define AGENTS_SQL_AGENT_RESULT_H

#include "agents/services/services.h"

/* Whether the model is asked to put the result into words: a refusal is given as it is, a spent
 * budget ends the run with the last error. */
enum step sql_agent_result_first(struct node *node);

/* Prompt fields: the rows a prompt shows as JSON, how many there are, whether some are missing. */
struct str sql_agent_result_rows(struct node *node);
struct str sql_agent_result_row_count(struct node *node);
struct str sql_agent_result_truncated(struct node *node);

#endif
