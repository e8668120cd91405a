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

/* Read what a person answered, one JSON value, absent: nothing; *sql is the edited statement, in
 * the arena of the node. */
enum approve_sql_action approve_sql_read(struct node *node, struct str said, struct str *sql);
/* Whether a person is asked about any statements at all; then the plan of a statement (its cost) is
 * needed. */
bool approve_sql_is_on(const struct limits *limits);
/* Whether a person is asked about a statement of this cost; cost NULL: not known, and a person is
 * asked. */
bool approve_sql_asks(const struct limits *limits, const struct sql_cost *cost);
/* The question to a person. sql: the statement as it was written, which is what an edit begins
 * with; runs: what is sent to the database for it, shown where it differs. */
struct approve_sql_question {
    const struct check_sql_config *guard;
    struct str sql, runs;
    struct str edited;             /* a person's edit, refused because of error; or absent */
    const struct sql_parse *parse; /* of runs; NULL: the tables are not shown */
    const struct sql_cost *cost;   /* NULL: not shown */
    const char *error;             /* what is wrong with the previous answer; or NULL */
};

/* The question as the members of an interrupt, in the arena of the node. Absent: no memory. */
struct str approve_sql_details(struct node *node, const struct approve_sql_question *asked);
/* Pause the run with the question. */
MUST_USE enum step approve_sql_ask(struct node *node, const struct approve_sql_question *asked);
/* Answer that the statement was not run, and end the run. */
MUST_USE enum step approve_sql_decline(struct node *node);

#endif
