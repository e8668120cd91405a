/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_mysql_table.c - JSON_TABLE column by column; the other forms are a
 * word or two.
 *
 * Happy path: the document's expression, a path, COLUMNS and their definitions; nested ones give
 * their columns to the same list. Failure: a type nobody knows; a word of the form is missing. */
#include "agents/sql/grammar/grammar_mysql_table.h"

#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_mysql.h"

/* Types of columns that are none of CAST's. */
static const char *const types[] = {"text",      "tinytext",   "mediumtext", "longtext",
                                    "tinyint",   "smallint",   "mediumint",  "bigint",
                                    "varbinary", "bool",       "boolean",    "blob",
                                    "tinyblob",  "mediumblob", "longblob"};

static void parse_type(struct sql_grammar_cursor *c)
{
    bool known = false;
    for (size_t i = 0; i < countof(types) && !known; i++)
        known = sql_grammar_mysql_take(c, types[i]);
    if (!known) {
        sql_grammar_mysql_type(c);
    } else if (sql_grammar_cursor_take(c, SQL_TOKEN_LEFT)) {
        sql_grammar_cursor_expect(c, SQL_TOKEN_NUMBER, "a number in the type");
        sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of the type");
    }
    sql_grammar_mysql_take(c, "unsigned");
    if (sql_grammar_cursor_take_word(c, SQL_WORD_COLLATE))
        sql_grammar_mysql_charset(c, "a collation's name");
}

/* NULL ON EMPTY, DEFAULT '0' ON ERROR; whether one was there. */
static bool take_fallback(struct sql_grammar_cursor *c)
{
    if (sql_grammar_cursor_take_word(c, SQL_WORD_DEFAULT)) {
        if (!sql_grammar_cursor_take(c, SQL_TOKEN_NUMBER))
            sql_grammar_cursor_expect(c, SQL_TOKEN_STRING, "a value after DEFAULT");
    } else if (!sql_grammar_cursor_take_word(c, SQL_WORD_NULL) &&
               !sql_grammar_mysql_take(c, "error")) {
        return false;
    }
    sql_grammar_cursor_expect_word(c, SQL_WORD_ON, "ON EMPTY or ON ERROR");
    if (!sql_grammar_mysql_take(c, "empty"))
        sql_grammar_mysql_expect(c, "error");
    return !c->failed;
}

static void parse_columns(struct sql_grammar_cursor *c, struct sql_names ***tail);

static void parse_nested(struct sql_grammar_cursor *c, struct sql_names ***tail)
{
    sql_grammar_cursor_step(c);
    sql_grammar_mysql_take(c, "path");
    sql_grammar_cursor_expect(c, SQL_TOKEN_STRING, "a path after NESTED");
    parse_columns(c, tail);
}

/* name FOR ORDINALITY; name type PATH '$.a' NULL ON EMPTY; name type EXISTS PATH '$.a' */
static void parse_column(struct sql_grammar_cursor *c, struct sql_names ***tail)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_names *column = sql_grammar_cursor_alloc(c, sizeof *column);
    if (column == NULL)
        return;
    column->name = sql_grammar_cursor_name(c, "a column's name");
    column->span = sql_grammar_cursor_since(c, start);
    **tail = column;
    *tail = &column->next;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_FOR)) {
        sql_grammar_mysql_expect(c, "ordinality");
        return;
    }
    parse_type(c);
    sql_grammar_cursor_take_word(c, SQL_WORD_EXISTS);
    sql_grammar_mysql_expect(c, "path");
    sql_grammar_cursor_expect(c, SQL_TOKEN_STRING, "a path");
    if (take_fallback(c))
        (void)take_fallback(c);
}

static void parse_columns(struct sql_grammar_cursor *c, struct sql_names ***tail)
{
    sql_grammar_mysql_expect(c, "columns");
    if (!sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' after COLUMNS") ||
        !sql_grammar_cursor_enter(c))
        return;
    do {
        if (sql_grammar_mysql_is(c, 0, "nested") &&
            (sql_grammar_mysql_is(c, 1, "path") ||
             sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_STRING))
            parse_nested(c, tail);
        else
            parse_column(c, tail);
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "',' or ')' of COLUMNS");
    sql_grammar_cursor_leave(c);
}

bool sql_grammar_mysql_table_is_json(const struct sql_grammar_cursor *c)
{
    return sql_grammar_mysql_is(c, 0, "json_table") &&
           sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT;
}

void sql_grammar_mysql_table_json(struct sql_grammar_cursor *c, struct sql_from *item)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_call *call = sql_grammar_cursor_alloc(c, sizeof *call);
    if (call == NULL)
        return;
    sql_grammar_cursor_step(c);
    call->name = STR("json_table");
    call->name_span = sql_grammar_cursor_since(c, start);
    call->argument_count = 2;
    sql_grammar_cursor_step(c);
    if (!sql_grammar_cursor_enter(c))
        return;
    struct sql_expr *document = sql_grammar_expr_parse(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_COMMA, "',' and a path in JSON_TABLE");
    sql_grammar_cursor_expect(c, SQL_TOKEN_STRING, "a path in JSON_TABLE");
    struct sql_names **tail = &item->columns;
    parse_columns(c, &tail);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of JSON_TABLE");
    sql_grammar_cursor_leave(c);
    item->kind = SQL_FROM_CALL;
    item->name = call->name;
    item->name_span = call->name_span;
    item->defines_columns = true;
    item->call = sql_grammar_expr_node(c, SQL_EXPR_CALL, start);
    if (item->call == NULL)
        return;
    item->call->call = call;
    item->call->children = document;
}

bool sql_grammar_mysql_table_take_lateral(struct sql_grammar_cursor *c)
{
    bool lateral = sql_grammar_mysql_is(c, 0, "lateral") &&
                   sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT;
    if (lateral)
        sql_grammar_cursor_step(c);
    return lateral;
}

bool sql_grammar_mysql_table_take_brace(struct sql_grammar_cursor *c)
{
    bool joins = sql_grammar_cursor_is(c, SQL_TOKEN_BRACE) && sql_grammar_mysql_is(c, 1, "oj");
    if (joins) {
        sql_grammar_cursor_step(c);
        sql_grammar_cursor_step(c);
    }
    return joins;
}

struct sql_span sql_grammar_mysql_table_partition(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    if (!sql_grammar_cursor_is_word(c, SQL_WORD_PARTITION) ||
        sql_grammar_cursor_peek(c, 1)->kind != SQL_TOKEN_LEFT)
        return (struct sql_span){0, 0};
    sql_grammar_cursor_step(c);
    (void)sql_grammar_cursor_names(c);
    return sql_grammar_cursor_since(c, start);
}
