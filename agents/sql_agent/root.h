/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/root.h - where the joins of a question begin.
 *
 * At the table whose rows are measured, so that what multiplies them is seen (DOMAIN section 4);
 * or, when the question is about each of something, those with none among them, at that. Any
 * thread. */
#ifndef AGENTS_SQL_AGENT_ROOT_H
#define AGENTS_SQL_AGENT_ROOT_H

#include "agents/sql/catalog/catalog.h"

struct sql_agent_root {
    size_t index; /* in tables; 0 when the question does not say */
    bool every;   /* each of them counts, also without rows to join: LEFT JOIN */
};

/* Which of count tables of catalog the joins begin at. Words are kept in arena. */
struct sql_agent_root sql_agent_root_of(const struct catalog *catalog, struct str question,
                                        const int *tables, size_t count, struct arena *arena);

#endif
