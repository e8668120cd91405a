/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/joins.h - a join plan as the state has it (JSON), and as a model reads it.
 *
 * Adds what the plan alone does not say: which joins multiply rows and what to do about it, where
 * LEFT JOIN keeps rows, which tables have several roles. A sum over multiplied rows is wrong, so a
 * model must know. */
#ifndef AGENTS_SQL_AGENT_JOINS_H
#define AGENTS_SQL_AGENT_JOINS_H

#include "agents/services/services.h"
#include "agents/sql/joins/join_path.h"
#include "proto/json_write.h"

struct sql_agent_joins {
    const struct knowledge *knows;
    const struct join_plan *plan;
    double threshold;  /* the least confidence of a relationship that is used */
    bool every;        /* rows of the root count even if no row joins them */
    const int *tables; /* asked for, as the join graph has them */
    size_t table_count;
};

/* Write the plan as members of an object: "steps", "itself", "fans_out", "beyond_max_hops",
 * "rival". */
void sql_agent_joins_members(const struct sql_agent_joins *joins, struct json_write *writer);
/* Put the join plan in words: a FROM clause and advice. */
void sql_agent_joins_put(struct node *node);

#endif
