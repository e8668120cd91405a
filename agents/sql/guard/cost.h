/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/cost.h - what a database expects a statement to cost, before it runs.
 *
 * The statement is explained by the engine itself: PostgreSQL's total cost and the rows its joins
 * make, MySQL's query cost and the rows its loops read, and for SQLite, which estimates nothing
 * aloud, its nested scans times the catalog's row counts. An estimate, so limits should be far from
 * anything honest. Pure; any thread. */
#ifndef AGENTS_SQL_GUARD_COST_H
#define AGENTS_SQL_GUARD_COST_H

#include "agents/sql/parse/parse.h"

struct sql_cost_limits { /* 0: none */
    double max_cost, max_rows;
    bool is_secret; /* what the database expects is not told */
};

struct sql_cost {
    double cost;     /* in the engine's units; negative: it tells none */
    double rows;     /* read or made by the dearest part */
    struct str what; /* that part, for people */
};

/* What to send to have sql explained; in arena. */
struct str sql_cost_question(enum sql_dialect dialect, struct str sql, struct arena *arena);
/* Read the answer; catalog and parse (of sql; may be NULL) are for SQLite. False: it says nothing
 * that can be read, and nothing is known. */
bool sql_cost_read(enum sql_dialect dialect, const struct sql_result *plan,
                   const struct catalog *catalog, const struct sql_parse *parse,
                   struct arena *arena, struct sql_cost *cost);
/* Whether every way to run it stays within max_rows: the product of its tables' row counts does. */
bool sql_cost_is_small(const struct catalog *catalog, const struct sql_parse *parse,
                       double max_rows);
/* Whether what it costs has to be asked for: there is a limit, and its tables are large enough. */
bool sql_cost_matters(const struct sql_cost_limits *limits, const struct catalog *catalog,
                      const struct sql_parse *parse);
/* ERR_OK, or ERR_REJECTED with what is expensive, by how much unless that is secret, and what to
 * do. */
MUST_USE enum err_code sql_cost_check(const struct sql_cost *cost,
                                      const struct sql_cost_limits *limits, struct err *err);

#endif
