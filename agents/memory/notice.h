/* SPDX-License-Identifier: MIT */
/* agents/memory/notice.h - finds the persons and things that a turn spoke of, in its statement and
 * rows.
 *
 * Only what is certain: values that the statement compares a column with, and values in the rows
 * (where they are few: of many rows no single one is meant) of output columns that are plain
 * columns of a table. The role of a column decides: what a row of its table is called, its number,
 * a date. Columns with personal data (pii of the catalog) and hidden columns are never looked at,
 * whatever they are called in the result. Pure. */
#ifndef AGENTS_MEMORY_NOTICE_H
#define AGENTS_MEMORY_NOTICE_H

#include "agents/memory/mentions.h"
#include "agents/services/services.h"

/* Add mentions of the turn, made in arena. parse: of the statement with the logical names of
 * tables, as the model wrote it; NULL: there is none. result: as agents/nodes/run_sql.h writes it;
 * empty: none. Nothing is added without a statement, or before the schema was read. */
void notice_turn(const struct knowledge *knows, const struct sql_parse *parse, struct str result,
                 struct mentions *mentions, struct arena *arena);

#endif
