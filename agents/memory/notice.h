/* SPDX-License-Identifier: MIT */
/* agents/memory/notice.h - whom and what a turn spoke of, from its statement and rows.
 *
 * Only what is known for certain: a value that the statement compares a column with, and values in
 * a few rows (of many nobody is meant) of output columns that are a table's column as it is. What
 * counts is the column's role: what a row of its table is called, its number, a date. Columns with
 * personal data (pii of the catalog) and hidden ones are never looked at, whatever they are called
 * in the result. Pure.
 */
#ifndef AGENTS_MEMORY_NOTICE_H
#define AGENTS_MEMORY_NOTICE_H

#include "agents/memory/mentions.h"
#include "agents/services/services.h"

/* Add to mentions, in arena. parse: of the statement with the tables' logical names, as the model
 * wrote it; NULL: there is none. result: as agents/nodes/run_sql.h writes it; empty: none. Nothing
 * is added without a statement, or before the schema was read. */
void notice_turn(const struct knowledge *knows, const struct sql_parse *parse, struct str result,
                 struct mentions *mentions, struct arena *arena);

#endif
