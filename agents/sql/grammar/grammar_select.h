/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_select.h - queries. Private to the grammar_* files. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_SELECT_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_SELECT_H

#include "agents/sql/grammar/grammar_cursor.h"

/* Whether a query may begin with the word: SELECT, VALUES, WITH; MySQL's TABLE t, too. */
bool sql_grammar_select_opens(const struct sql_grammar_cursor *c, enum sql_word word);
/* Whether a query begins here. */
bool sql_grammar_select_begins(const struct sql_grammar_cursor *c);
/* A whole query, without parentheses. NULL having given up. */
struct sql_select *sql_grammar_select_parse(struct sql_grammar_cursor *c);
/* ( query ), standing on the parenthesis. */
struct sql_select *sql_grammar_select_parens(struct sql_grammar_cursor *c);

#endif
