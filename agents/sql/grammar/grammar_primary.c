/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_primary.c - what operators work on: literals, names, CASE, CAST,
 * (...).
 *
 * Happy path: the next token says which it is. Failure: a token no operand begins with; what a
 * form needs is missing. */
#include "agents/sql/grammar/grammar_primary.h"

#include "agents/sql/grammar/grammar_call.h"
#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_mysql.h"
#include "agents/sql/grammar/grammar_select.h"

static struct sql_expr *parse_case(struct sql_grammar_cursor *c, size_t start)
{
    struct sql_expr *first = NULL, **tail = &first;
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    if (!sql_grammar_cursor_is_word(c, SQL_WORD_WHEN))
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
    do {
        sql_grammar_cursor_expect_word(c, SQL_WORD_WHEN, "WHEN");
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
        sql_grammar_cursor_expect_word(c, SQL_WORD_THEN, "THEN");
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
    } while (sql_grammar_cursor_is_word(c, SQL_WORD_WHEN));
    if (sql_grammar_cursor_take_word(c, SQL_WORD_ELSE))
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
    sql_grammar_cursor_expect_word(c, SQL_WORD_END, "END of CASE");
    sql_grammar_cursor_leave(c);
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_OPERATOR, start);
    if (expr != NULL)
        expr->children = first;
    return expr;
}

/* DECIMAL(10, 2), VARCHAR(20), DOUBLE PRECISION: SQLite takes any words. */
static void skip_type(struct sql_grammar_cursor *c)
{
    while (sql_grammar_cursor_is_name(c, 0))
        sql_grammar_cursor_step(c);
    if (!sql_grammar_cursor_take(c, SQL_TOKEN_LEFT))
        return;
    do {
        if (!sql_grammar_cursor_take(c, SQL_TOKEN_PLUS))
            sql_grammar_cursor_take(c, SQL_TOKEN_MINUS);
        sql_grammar_cursor_expect(c, SQL_TOKEN_NUMBER, "a number in the type");
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of the type");
}

static struct sql_expr *parse_cast(struct sql_grammar_cursor *c, size_t start)
{
    if (!sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' after CAST") ||
        !sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_expr *child = sql_grammar_expr_parse(c);
    sql_grammar_cursor_expect_word(c, SQL_WORD_AS, "AS of CAST");
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_mysql_type(c);
    else
        skip_type(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of CAST");
    sql_grammar_cursor_leave(c);
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_OPERATOR, start);
    if (expr != NULL)
        expr->children = child;
    return expr;
}

static struct sql_expr *parse_query(struct sql_grammar_cursor *c, enum sql_expr_kind kind,
                                    size_t start)
{
    c->tree->has_subquery = true;
    struct sql_select *select = sql_grammar_select_parens(c);
    struct sql_expr *expr = sql_grammar_expr_node(c, kind, start);
    if (expr != NULL)
        expr->select = select;
    return expr;
}

static struct sql_expr *parse_parens(struct sql_grammar_cursor *c, size_t start)
{
    struct sql_grammar_cursor inside = *c;
    inside.at++;
    if (sql_grammar_select_begins(&inside) ||
        (sql_grammar_cursor_is_mysql(c) && sql_grammar_mysql_begins_parens(&inside, false)))
        return parse_query(c, SQL_EXPR_SELECT, start);
    sql_grammar_cursor_step(c);
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_expr *children = sql_grammar_expr_list(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')'");
    sql_grammar_cursor_leave(c);
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_PARENS, start);
    if (expr != NULL)
        expr->children = children;
    return expr;
}

static struct sql_expr *parse_name(struct sql_grammar_cursor *c, size_t start)
{
    struct sql_name *name = sql_grammar_cursor_alloc(c, sizeof *name);
    if (name == NULL)
        return NULL;
    name->quoted = sql_grammar_cursor_is(c, SQL_TOKEN_NAME);
    name->double_quoted = name->quoted && c->tokens->text.at[start] == '"';
    name->name = sql_grammar_cursor_name(c, "a value, a column or a function");
    for (int parts = 1; sql_grammar_cursor_take(c, SQL_TOKEN_DOT); parts++) {
        if (parts == 3)
            return sql_grammar_cursor_refuse(c, "syntax",
                                             "a column's name has more than three parts");
        name->quoted = true;
        name->double_quoted = false;
        name->schema = name->qualifier;
        name->qualifier = name->name;
        name->name = sql_grammar_cursor_name(c, "a column after '.'");
    }
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_NAME, start);
    if (expr != NULL)
        expr->name = name;
    return expr;
}

static struct sql_expr *parse_word(struct sql_grammar_cursor *c, size_t start)
{
    const struct sql_token *token = sql_grammar_cursor_peek(c, 0);
    bool called = sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT;
    bool mysql = sql_grammar_cursor_is_mysql(c), taken = false;
    struct sql_expr *special = mysql ? sql_grammar_mysql_primary(c, start, &taken) : NULL;
    if (taken)
        return special;
    switch (token->word) {
    case SQL_WORD_CASE:
        sql_grammar_cursor_step(c);
        return parse_case(c, start);
    case SQL_WORD_EXISTS:
        sql_grammar_cursor_step(c);
        return parse_query(c, SQL_EXPR_EXISTS, start);
    case SQL_WORD_CAST:
        if (!called)
            break;
        sql_grammar_cursor_step(c);
        return parse_cast(c, start);
    case SQL_WORD_RAISE:
        if (called)
            return sql_grammar_cursor_refuse(c, "syntax", "RAISE is for triggers; remove it");
        break;
    case SQL_WORD_CURRENT_DATE:
    case SQL_WORD_CURRENT_TIME:
    case SQL_WORD_CURRENT_TIMESTAMP:
        if (called)
            break;
        sql_grammar_cursor_step(c);
        return sql_grammar_expr_node(c, SQL_EXPR_LITERAL, start);
    case SQL_WORD_NULL:
        sql_grammar_cursor_step(c);
        return sql_grammar_expr_node(c, SQL_EXPR_LITERAL, start);
    default:
        break;
    }
    bool function = sql_grammar_cursor_is_name(c, 0) || (mysql && sql_grammar_mysql_is_function(c));
    return called && function ? sql_grammar_call_parse(c) : parse_name(c, start);
}

struct sql_expr *sql_grammar_primary_parse(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    switch (sql_grammar_cursor_peek(c, 0)->kind) {
    case SQL_TOKEN_STRING:
        sql_grammar_cursor_step(c);
        while (sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_take(c, SQL_TOKEN_STRING)) {
            /* MySQL joins strings that stand side by side */
        }
        return sql_grammar_expr_node(c, SQL_EXPR_LITERAL, start);
    case SQL_TOKEN_NUMBER:
    case SQL_TOKEN_BLOB:
        sql_grammar_cursor_step(c);
        return sql_grammar_expr_node(c, SQL_EXPR_LITERAL, start);
    case SQL_TOKEN_PARAMETER:
        c->tree->has_placeholder = true;
        sql_grammar_cursor_step(c);
        return sql_grammar_expr_node(c, SQL_EXPR_PARAMETER, start);
    case SQL_TOKEN_VARIABLE:
        c->tree->has_session_variable = true;
        sql_grammar_cursor_step(c);
        return sql_grammar_expr_node(c, SQL_EXPR_VARIABLE, start);
    case SQL_TOKEN_LEFT:
        return parse_parens(c, start);
    case SQL_TOKEN_NAME:
        return sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT ? sql_grammar_call_parse(c)
                                                                     : parse_name(c, start);
    default:
        return parse_word(c, start);
    }
}
