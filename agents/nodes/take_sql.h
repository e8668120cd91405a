/* SPDX-License-Identifier: MIT */
/* agents/nodes/take_sql.h - takes what a model replied where a statement was asked for: the
 * statement, a refusal, or prose, which is asked about once and then is a refusal in its own words.
 */
#ifndef AGENTS_NODES_TAKE_SQL_H
#define AGENTS_NODES_TAKE_SQL_H

#include "agents/services/services.h"

struct taken_sql {
    struct str sql;     /* for the slot of the statement, where a refusal is "CANNOT: ..." */
    struct str refusal; /* why there is no statement; absent: there is one, or prose for the first
                           time, which the guard refuses with take_sql_why_prose */
};

/* Take answer; before: what the slot of the statement has, "" for the first reply; is_doubted: a
 * statement that passes was asked about, which prose insists on. The texts are views of answer or
 * in the arena of the node. */
struct taken_sql take_sql(struct node *node, struct str answer, struct str before, bool is_doubted);
/* What is told to a model that wrote prose alone; absent: sql is none. Static. */
struct str take_sql_why_prose(struct str sql);

#endif
