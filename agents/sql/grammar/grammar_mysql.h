/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_mysql.h - what only MySQL and MariaDB write: modifiers of SELECT,
 * units of time, introducers, argument lists with words in them, types, MATCH ... AGAINST, locking.
 *
 * Private to the grammar_* files; callers ask only where the dialect is MySQL. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_MYSQL_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_MYSQL_H

#include "agents/sql/grammar/grammar_cursor.h"

/* Whether the token ahead is the bare word, which is no keyword of words.h; text is lower case. */
bool sql_grammar_mysql_is(const struct sql_grammar_cursor *c, size_t ahead, const char *text);
/* Step over the next token when it is the bare word; return whether it was. expect gives up when it
 * is not. */
bool sql_grammar_mysql_take(struct sql_grammar_cursor *c, const char *text);
bool sql_grammar_mysql_expect(struct sql_grammar_cursor *c, const char *text);

/* ALL, DISTINCT, DISTINCTROW; the hints among the modifiers are refused. True: distinct. */
bool sql_grammar_mysql_modifiers(struct sql_grammar_cursor *c);
/* Whether a query begins with these parentheses: (SELECT ...) UNION ..., and, where in_from, also
 * ((SELECT ...)). */
bool sql_grammar_mysql_begins_parens(const struct sql_grammar_cursor *c, bool in_from);
/* Refuse INTO, a locking clause, PROCEDURE and ROWS EXAMINED after a query. */
void sql_grammar_mysql_refuse_tail(struct sql_grammar_cursor *c);
/* Refuse FULL JOIN, index hints and FOR SYSTEM_TIME after a table's name. */
void sql_grammar_mysql_refuse_from(struct sql_grammar_cursor *c);

/* An operand that begins with a word only MySQL reads so; *taken says whether it was one. */
struct sql_expr *sql_grammar_mysql_primary(struct sql_grammar_cursor *c, size_t start, bool *taken);
/* Whether the word at hand, though reserved, names a function when '(' follows. */
bool sql_grammar_mysql_is_function(const struct sql_grammar_cursor *c);
/* The values among a call's parentheses, with FROM, FOR, IN, AS, USING where the function has them.
 */
struct sql_expr *sql_grammar_mysql_values(struct sql_grammar_cursor *c,
                                          const struct sql_call *call);
/* SEPARATOR and LIMIT of an aggregate; WITHIN GROUP (ORDER BY ...) after one. */
void sql_grammar_mysql_aggregate_tail(struct sql_grammar_cursor *c);
void sql_grammar_mysql_within_group(struct sql_grammar_cursor *c, struct sql_call *call);
/* The type of CAST and CONVERT. */
void sql_grammar_mysql_type(struct sql_grammar_cursor *c);
/* A character set or collation: a name, a string, BINARY. */
void sql_grammar_mysql_charset(struct sql_grammar_cursor *c, const char *what);
/* A count in LIMIT: digits or a parameter, nothing else as MySQL has it. */
struct sql_expr *sql_grammar_mysql_count(struct sql_grammar_cursor *c);

#endif
