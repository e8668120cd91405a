/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/words.h - the keywords the lexer tells apart, and which of them may name
 * things.
 *
 * Any thread; tables only. */
#ifndef AGENTS_SQL_GRAMMAR_WORDS_H
#define AGENTS_SQL_GRAMMAR_WORDS_H

#include "backends/sql.h"
#include "core/base/str.h"

/* X(NAME, spelling, class of SQLite, class of MySQL). R: reserved; J: a join word, which SQLite
 * takes as a name but not as a bare alias; N: may name anything. Sorted by spelling. */
#define SQL_WORDS(X)                                                                               \
    X(ADD, "add", R, R)                                                                            \
    X(ALL, "all", R, R)                                                                            \
    X(ALTER, "alter", R, R)                                                                        \
    X(AND, "and", R, R)                                                                            \
    X(AS, "as", R, R)                                                                              \
    X(ASC, "asc", N, R)                                                                            \
    X(AUTOINCREMENT, "autoincrement", R, N)                                                        \
    X(BETWEEN, "between", R, R)                                                                    \
    X(BINARY, "binary", N, R)                                                                      \
    X(BY, "by", N, R)                                                                              \
    X(CASE, "case", R, R)                                                                          \
    X(CAST, "cast", N, N)                                                                          \
    X(CHECK, "check", R, R)                                                                        \
    X(COLLATE, "collate", R, R)                                                                    \
    X(COMMIT, "commit", R, N)                                                                      \
    X(CONSTRAINT, "constraint", R, R)                                                              \
    X(CONVERT, "convert", N, R)                                                                    \
    X(CREATE, "create", R, R)                                                                      \
    X(CROSS, "cross", J, R)                                                                        \
    X(CURRENT, "current", N, N)                                                                    \
    X(CURRENT_DATE, "current_date", N, R)                                                          \
    X(CURRENT_TIME, "current_time", N, R)                                                          \
    X(CURRENT_TIMESTAMP, "current_timestamp", N, R)                                                \
    X(DEFAULT, "default", R, R)                                                                    \
    X(DEFERRABLE, "deferrable", R, N)                                                              \
    X(DELETE, "delete", R, R)                                                                      \
    X(DESC, "desc", N, R)                                                                          \
    X(DISTINCT, "distinct", R, R)                                                                  \
    X(DISTINCTROW, "distinctrow", N, R)                                                            \
    X(DIV, "div", N, R)                                                                            \
    X(DROP, "drop", R, R)                                                                          \
    X(ELSE, "else", R, R)                                                                          \
    X(END, "end", N, N)                                                                            \
    X(ESCAPE, "escape", R, N)                                                                      \
    X(EXCEPT, "except", R, R)                                                                      \
    X(EXCLUDE, "exclude", N, N)                                                                    \
    X(EXISTS, "exists", R, R)                                                                      \
    X(FILTER, "filter", N, N)                                                                      \
    X(FIRST, "first", N, N)                                                                        \
    X(FOLLOWING, "following", N, N)                                                                \
    X(FOR, "for", N, R)                                                                            \
    X(FOREIGN, "foreign", R, R)                                                                    \
    X(FROM, "from", R, R)                                                                          \
    X(FULL, "full", J, N)                                                                          \
    X(GLOB, "glob", N, N)                                                                          \
    X(GROUP, "group", R, R)                                                                        \
    X(GROUPS, "groups", N, N)                                                                      \
    X(HAVING, "having", R, R)                                                                      \
    X(IF, "if", N, R)                                                                              \
    X(IN, "in", R, R)                                                                              \
    X(INDEX, "index", R, R)                                                                        \
    X(INDEXED, "indexed", J, N)                                                                    \
    X(INNER, "inner", J, R)                                                                        \
    X(INSERT, "insert", R, R)                                                                      \
    X(INTERSECT, "intersect", R, R)                                                                \
    X(INTERVAL, "interval", N, R)                                                                  \
    X(INTO, "into", R, R)                                                                          \
    X(IS, "is", R, R)                                                                              \
    X(ISNULL, "isnull", R, N)                                                                      \
    X(JOIN, "join", R, R)                                                                          \
    X(LAST, "last", N, N)                                                                          \
    X(LEFT, "left", J, R)                                                                          \
    X(LIKE, "like", N, R)                                                                          \
    X(LIMIT, "limit", R, R)                                                                        \
    X(LOCK, "lock", N, R)                                                                          \
    X(MATCH, "match", N, R)                                                                        \
    X(MATERIALIZED, "materialized", N, N)                                                          \
    X(MOD, "mod", N, R)                                                                            \
    X(NATURAL, "natural", J, R)                                                                    \
    X(NO, "no", N, N)                                                                              \
    X(NOT, "not", R, R)                                                                            \
    X(NOTHING, "nothing", R, N)                                                                    \
    X(NOTNULL, "notnull", R, N)                                                                    \
    X(NULL, "null", R, R)                                                                          \
    X(NULLS, "nulls", N, N)                                                                        \
    X(OFFSET, "offset", N, J)                                                                      \
    X(ON, "on", R, R)                                                                              \
    X(OR, "or", R, R)                                                                              \
    X(ORDER, "order", R, R)                                                                        \
    X(OTHERS, "others", N, N)                                                                      \
    X(OUTER, "outer", J, R)                                                                        \
    X(OVER, "over", N, R)                                                                          \
    X(PARTITION, "partition", N, R)                                                                \
    X(PRECEDING, "preceding", N, N)                                                                \
    X(PRIMARY, "primary", R, R)                                                                    \
    X(PROCEDURE, "procedure", N, R)                                                                \
    X(RAISE, "raise", N, N)                                                                        \
    X(RANGE, "range", N, R)                                                                        \
    X(RECURSIVE, "recursive", N, R)                                                                \
    X(REFERENCES, "references", R, R)                                                              \
    X(REGEXP, "regexp", N, R)                                                                      \
    X(RETURNING, "returning", R, N)                                                                \
    X(RIGHT, "right", J, R)                                                                        \
    X(RLIKE, "rlike", N, R)                                                                        \
    X(ROW, "row", N, N)                                                                            \
    X(ROWS, "rows", N, R)                                                                          \
    X(SELECT, "select", R, R)                                                                      \
    X(SEPARATOR, "separator", N, R)                                                                \
    X(SET, "set", R, R)                                                                            \
    X(STRAIGHT_JOIN, "straight_join", N, R)                                                        \
    X(TABLE, "table", R, R)                                                                        \
    X(THEN, "then", R, R)                                                                          \
    X(TIES, "ties", N, N)                                                                          \
    X(TO, "to", R, R)                                                                              \
    X(TRANSACTION, "transaction", R, N)                                                            \
    X(UNBOUNDED, "unbounded", N, N)                                                                \
    X(UNION, "union", R, R)                                                                        \
    X(UNIQUE, "unique", R, R)                                                                      \
    X(UPDATE, "update", R, R)                                                                      \
    X(USING, "using", R, R)                                                                        \
    X(VALUES, "values", R, R)                                                                      \
    X(WHEN, "when", R, R)                                                                          \
    X(WHERE, "where", R, R)                                                                        \
    X(WINDOW, "window", N, J)                                                                      \
    X(WITH, "with", N, R)                                                                          \
    X(XOR, "xor", N, R)

enum sql_word {
    SQL_WORD_NONE,
#define SQL_WORD_ENUM(name, text, sqlite, mysql) SQL_WORD_##name,
    SQL_WORDS(SQL_WORD_ENUM)
#undef SQL_WORD_ENUM
        SQL_WORD_RESERVED, /* one of the other words that MySQL reserves */
    SQL_WORD_COUNT
};

/* The keyword text spells in any case, or SQL_WORD_NONE. */
enum sql_word sql_words_find(struct str text);
/* Whether the bare word may be a table, column or function name; NONE always may. */
bool sql_words_may_name(enum sql_dialect dialect, enum sql_word word);
/* Whether it may be an alias without AS before it. */
bool sql_words_may_alias(enum sql_dialect dialect, enum sql_word word);

#endif
