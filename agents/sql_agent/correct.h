/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/correct.h - the correction agent: a focused prompt with the failed statement,
 * its error, only the tables it uses, how they are joined, and what was tried before (R149, C49).
 */
#ifndef AGENTS_SQL_AGENT_CORRECT_H
#define AGENTS_SQL_AGENT_CORRECT_H

#include "agents/services/services.h"

struct str sql_agent_correct_schema(struct node *node);
/* Between those tables and those that the error names. */
struct str sql_agent_correct_relationships(struct node *node);
struct str sql_agent_correct_history(struct node *node);
/* Before the model is asked: mend what is mechanical (repair.h), each kind once in a run, if the
 * guard then lets it pass. That is an attempt like any other: it counts in
 * SQL_CORRECTION_MAX_ATTEMPTS (R150), is in the history, and goes through rewriter and validation
 * again. STEP_WAIT: nothing mechanical would do; ask. */
enum step sql_agent_correct_first(struct node *node);
/* Put the repaired statement and remember the one it replaces. */
enum step sql_agent_correct_keep(struct node *node, struct str answer);

#endif
