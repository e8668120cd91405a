/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_from.h - FROM and its joins. Private to the grammar_* files. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_FROM_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_FROM_H

#include "agents/sql/grammar/grammar_cursor.h"

/* The list after FROM or after an opening parenthesis. NULL having given up. */
struct sql_from *sql_grammar_from_list(struct sql_grammar_cursor *c);
/* [schema.]name as a table, without alias: the right side of x IN t. */
struct sql_from *sql_grammar_from_table(struct sql_grammar_cursor *c);

#endif
