/* SPDX-License-Identifier: MIT */
/* agents/nodes/approve_sql.h - a person looks at a statement before it runs (ASKD_SQL_APPROVAL).
 *
 * The run pauses with {"type":"sql_approval","sql":...,"runs":...,"tables":[...],"cost":{...}}; the
 * answer is {"action":"approve"}, {"action":"edit","sql":...} or {"action":"refuse"}. For
 * agents/nodes/run_sql. */
#ifndef AGENTS_NODES_APPROVE_SQL_H
#define AGENTS_NODES_APPROVE_SQL_H

#include "agents/nodes/check_sql.h"
#include "agents/services/services.h"
#include "agents/sql/guard/cost.h"

enum approve_sql_action {
    APPROVE_SQL_NOT_ASKED,
    APPROVE_SQL_RUN,
    APPROVE_SQL_EDIT,
    APPROVE_SQL_REFUSE,
    APPROVE_SQL_STRANGE /* none of these */
};

/* What a person said to this node; *sql is the edited statement. */
enum approve_sql_action approve_sql_read(struct node *node, struct str *sql);
/* Whether anybody has to be asked about statements at all: then the plan is wanted. */
bool approve_sql_is_on(const struct limits *limits);
/* Whether about this one; cost NULL: not known, which is reason enough. */
bool approve_sql_asks(const struct limits *limits, const struct sql_cost *cost);
/* What is asked. sql: as it was written, which is what an edit begins with; runs: what is sent for
 * it, told where that differs. */
struct approve_sql_question {
    const struct check_sql_config *guard;
    struct str sql, runs;
    struct str edited;             /* what a person made of it, refused for error; or absent */
    const struct sql_parse *parse; /* of runs; NULL: its tables are not told */
    const struct sql_cost *cost;   /* NULL: not told */
    const char *error;             /* what is wrong with the answer before; or NULL */
};

/* Pause. */
MUST_USE enum step approve_sql_ask(struct node *node, const struct approve_sql_question *asked);
/* Say that it was not run, and end the run. */
MUST_USE enum step approve_sql_decline(struct node *node);

#endif
