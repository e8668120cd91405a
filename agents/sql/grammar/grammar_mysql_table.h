/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_mysql_table.h - what only MySQL and MariaDB write in FROM:
 * JSON_TABLE(...), LATERAL (...), a query's column list, PARTITION (...), ODBC's {oj ...}.
 *
 * Private to the grammar_* files; callers ask only where the dialect is MySQL. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_MYSQL_TABLE_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_MYSQL_TABLE_H

#include "agents/sql/grammar/grammar_cursor.h"

/* Whether JSON_TABLE's parentheses begin here; read it into item, a call whose columns are named.
 */
bool sql_grammar_mysql_table_is_json(const struct sql_grammar_cursor *c);
void sql_grammar_mysql_table_json(struct sql_grammar_cursor *c, struct sql_from *item);
/* Step over LATERAL before a query in parentheses; whether it was there. */
bool sql_grammar_mysql_table_take_lateral(struct sql_grammar_cursor *c);
/* Step over "{oj"; whether it was there. A list of FROM items and '}' follow. */
bool sql_grammar_mysql_table_take_brace(struct sql_grammar_cursor *c);
/* PARTITION (a, b) after a table's name; empty when it is not there. */
struct sql_span sql_grammar_mysql_table_partition(struct sql_grammar_cursor *c);

#endif
