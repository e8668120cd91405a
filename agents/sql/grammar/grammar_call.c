/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_call.c - calls with DISTINCT, *, ORDER BY, FILTER and OVER; windows.
 *
 * Happy path: name, arguments, then the suffixes that are there. Failure: something else stands
 * where an argument, a bound or a parenthesis is due. */
#include "agents/sql/grammar/grammar_call.h"

#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_mysql.h"

static struct sql_expr *parse_arguments(struct sql_grammar_cursor *c, struct sql_call *call)
{
    if (sql_grammar_cursor_take(c, SQL_TOKEN_STAR)) {
        call->star = true;
        return NULL;
    }
    if (sql_grammar_cursor_is(c, SQL_TOKEN_RIGHT))
        return NULL;
    call->distinct = sql_grammar_cursor_take_word(c, SQL_WORD_DISTINCT);
    if (!call->distinct)
        sql_grammar_cursor_take_word(c, SQL_WORD_ALL);
    bool mysql = sql_grammar_cursor_is_mysql(c);
    struct sql_expr *list = mysql ? sql_grammar_mysql_values(c, call) : sql_grammar_expr_list(c);
    for (const struct sql_expr *expr = list; expr != NULL; expr = expr->next)
        call->argument_count++;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_ORDER)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_BY, "BY after ORDER");
        call->order = sql_grammar_expr_order(c);
    }
    if (mysql)
        sql_grammar_mysql_aggregate_tail(c);
    return list;
}

/* UNBOUNDED PRECEDING, CURRENT ROW, 3 FOLLOWING. */
static void parse_bound(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    if (sql_grammar_cursor_take_word(c, SQL_WORD_CURRENT)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_ROW, "ROW after CURRENT");
        return;
    }
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_UNBOUNDED))
        sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_PRECEDING))
        sql_grammar_cursor_expect_word(c, SQL_WORD_FOLLOWING, "PRECEDING or FOLLOWING");
}

static void parse_exclude(struct sql_grammar_cursor *c)
{
    if (sql_grammar_cursor_take_word(c, SQL_WORD_NO))
        sql_grammar_cursor_expect_word(c, SQL_WORD_OTHERS, "OTHERS after EXCLUDE NO");
    else if (sql_grammar_cursor_take_word(c, SQL_WORD_CURRENT))
        sql_grammar_cursor_expect_word(c, SQL_WORD_ROW, "ROW after EXCLUDE CURRENT");
    else if (!sql_grammar_cursor_take_word(c, SQL_WORD_GROUP))
        sql_grammar_cursor_expect_word(c, SQL_WORD_TIES, "what to EXCLUDE");
}

static struct sql_expr *parse_frame(struct sql_grammar_cursor *c)
{
    struct sql_expr *first = NULL, **tail = &first;
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_ROWS) &&
        !sql_grammar_cursor_take_word(c, SQL_WORD_RANGE) &&
        !sql_grammar_cursor_take_word(c, SQL_WORD_GROUPS))
        return NULL;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_BETWEEN)) {
        parse_bound(c, &tail);
        sql_grammar_cursor_expect_word(c, SQL_WORD_AND, "AND of BETWEEN");
    }
    parse_bound(c, &tail);
    if (!sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_take_word(c, SQL_WORD_EXCLUDE))
        parse_exclude(c);
    return first;
}

static bool begins_window_clause(const struct sql_grammar_cursor *c)
{
    enum sql_word word = (enum sql_word)sql_grammar_cursor_peek(c, 0)->word;
    return word == SQL_WORD_PARTITION || word == SQL_WORD_ORDER || word == SQL_WORD_ROWS ||
           word == SQL_WORD_RANGE || word == SQL_WORD_GROUPS;
}

/* ( [base] [PARTITION BY ...] [ORDER BY ...] [frame] ) */
static struct sql_window *parse_window(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_window *window = sql_grammar_cursor_alloc(c, sizeof *window);
    if (window == NULL || !sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' of a window") ||
        !sql_grammar_cursor_enter(c))
        return NULL;
    if (!begins_window_clause(c) && sql_grammar_cursor_is_name(c, 0))
        sql_grammar_cursor_step(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_PARTITION)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_BY, "BY after PARTITION");
        window->partition = sql_grammar_expr_list(c);
    }
    if (sql_grammar_cursor_take_word(c, SQL_WORD_ORDER)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_BY, "BY after ORDER");
        window->order = sql_grammar_expr_order(c);
    }
    window->frame = parse_frame(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of a window");
    sql_grammar_cursor_leave(c);
    window->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : window;
}

/* FILTER and OVER are words like others unless what must follow them follows. */
static void parse_suffixes(struct sql_grammar_cursor *c, struct sql_call *call)
{
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_mysql_within_group(c, call);
    else if (sql_grammar_cursor_is_word(c, SQL_WORD_FILTER) &&
             sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT) {
        sql_grammar_cursor_step(c);
        sql_grammar_cursor_step(c);
        if (!sql_grammar_cursor_enter(c))
            return;
        sql_grammar_cursor_expect_word(c, SQL_WORD_WHERE, "WHERE of FILTER");
        call->filter = sql_grammar_expr_parse(c);
        sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of FILTER");
        sql_grammar_cursor_leave(c);
    }
    if (!sql_grammar_cursor_is_word(c, SQL_WORD_OVER))
        return;
    if (sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT) {
        sql_grammar_cursor_step(c);
        call->windowed = true;
        call->window = parse_window(c);
    } else if (sql_grammar_cursor_is_name(c, 1)) {
        sql_grammar_cursor_step(c);
        sql_grammar_cursor_step(c);
        call->windowed = true;
    }
}

static struct str lower(struct sql_grammar_cursor *c, struct str name)
{
    char *bytes = sql_grammar_cursor_alloc(c, name.len);
    for (size_t i = 0; bytes != NULL && i < name.len; i++)
        bytes[i] = str_lower(name.at[i]);
    return str_make(bytes, bytes == NULL ? 0 : name.len);
}

struct sql_expr *sql_grammar_call_parse(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_call *call = sql_grammar_cursor_alloc(c, sizeof *call);
    if (call == NULL)
        return NULL;
    call->name = lower(c, sql_lexer_spelling(c->tokens, sql_grammar_cursor_peek(c, 0), c->arena));
    sql_grammar_cursor_step(c);
    call->name_span = sql_grammar_cursor_since(c, start);
    if (!sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'('") || !sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_expr *arguments = parse_arguments(c, call);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "',' or ')' of a call");
    sql_grammar_cursor_leave(c);
    parse_suffixes(c, call);
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_CALL, start);
    if (expr == NULL)
        return NULL;
    expr->children = arguments;
    expr->call = call;
    return expr;
}

struct sql_window *sql_grammar_call_windows(struct sql_grammar_cursor *c)
{
    struct sql_window *first = NULL, **tail = &first;
    do {
        struct str name = sql_grammar_cursor_name(c, "a window's name");
        sql_grammar_cursor_expect_word(c, SQL_WORD_AS, "AS");
        struct sql_window *window = parse_window(c);
        if (window == NULL)
            return NULL;
        window->name = name;
        *tail = window;
        tail = &window->next;
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    return first;
}
