/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/root.h - chooses the table where the joins of a question begin.
 *
 * Joins begin at the table whose rows are measured, so that joins that multiply these rows are
 * seen; or, when the question is about each row of a table, those without joined rows included, at
 * that table. Any thread. */
#ifndef AGENTS_SQL_AGENT_ROOT_H
#define AGENTS_SQL_AGENT_ROOT_H

#include "agents/sql/catalog/catalog.h"

struct sql_agent_root {
    size_t index; /* in tables; 0 when the question does not say */
    bool every;   /* each of its rows counts, even without rows to join: LEFT JOIN */
};

/* Which of count tables of catalog the joins begin at. Words are kept in arena. */
struct sql_agent_root sql_agent_root_of(const struct catalog *catalog, struct str question,
                                        const int *tables, size_t count, struct arena *arena);

#endif
