/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_call.h - function calls and windows. Private to the grammar_* files.
 */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_CALL_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_CALL_H

#include "agents/sql/grammar/grammar_cursor.h"

/* name ( ... ) [FILTER] [OVER], standing on the name. NULL having given up. */
struct sql_expr *sql_grammar_call_parse(struct sql_grammar_cursor *c);
/* WINDOW's definitions, after the word. */
struct sql_window *sql_grammar_call_windows(struct sql_grammar_cursor *c);

#endif
