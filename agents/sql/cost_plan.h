/* SPDX-License-Identifier: MIT */
/* agents/sql/cost_plan.h - each engine's plan -> cost; for cost.c only. */
#ifndef AGENTS_SQL_COST_PLAN_H
#define AGENTS_SQL_COST_PLAN_H

#include "agents/sql/cost.h"

enum { SQL_COST_PLAN_NAMES = 4 }; /* tables named in what is dear */

/* The JSON of EXPLAIN (FORMAT JSON) and of EXPLAIN FORMAT=JSON. False: it is something else. */
bool sql_cost_plan_postgres(struct str json, struct arena *arena, struct sql_cost *cost);
bool sql_cost_plan_mysql(struct str json, struct arena *arena, struct sql_cost *cost);
/* The rows of EXPLAIN QUERY PLAN: id, parent, unused, detail. */
bool sql_cost_plan_sqlite(const struct sql_result *plan, const struct catalog *catalog,
                          const struct sql_parse *parse, struct arena *arena,
                          struct sql_cost *cost);

#endif
