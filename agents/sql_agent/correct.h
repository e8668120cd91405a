/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/correct.h - the correction agent: a focused prompt with the failed statement,
 * its error, the tables it uses and those of the plan, their values, the plan of their joins, the
 * conversation, and earlier attempts (R149, C49). */
#ifndef AGENTS_SQL_AGENT_CORRECT_H
#define AGENTS_SQL_AGENT_CORRECT_H

#include "agents/services/services.h"

struct str sql_agent_correct_schema(struct node *node);
/* The relationships between the tables of the statement and those that the error names. */
struct str sql_agent_correct_relationships(struct node *node);
/* The values of the tables (agents/nodes/values.h). */
struct str sql_agent_correct_values(struct node *node);
struct str sql_agent_correct_history(struct node *node);
/* Called before the model is asked: mends mechanical mistakes (agents/nodes/mend.h), each kind once
 * in a run, if the guard then lets the statement pass. Such a repair is an attempt like any other:
 * it counts in SQL_CORRECTION_MAX_ATTEMPTS (R150), is in the history, and goes through rewriter and
 * validation again. STEP_WAIT: no mechanical repair helps; ask the model. */
enum step sql_agent_correct_first(struct node *node);
/* Put the repaired statement and remember the one it replaces. */
enum step sql_agent_correct_keep(struct node *node, struct str answer);

#endif
