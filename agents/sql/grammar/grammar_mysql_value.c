/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_mysql_value.c - operands and argument lists that only MySQL writes so.
 *
 * Happy path: the first word says which form it is, the form's own words are stepped over.
 * Failure: a unit nobody knows; a word of the form is missing. */
#include "agents/sql/grammar/grammar_mysql.h"

#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_primary.h"

static const char *const units[] = {"microsecond",
                                    "second",
                                    "minute",
                                    "hour",
                                    "day",
                                    "week",
                                    "month",
                                    "quarter",
                                    "year",
                                    "second_microsecond",
                                    "minute_microsecond",
                                    "minute_second",
                                    "hour_microsecond",
                                    "hour_second",
                                    "hour_minute",
                                    "day_microsecond",
                                    "day_second",
                                    "day_minute",
                                    "day_hour",
                                    "year_month",
                                    "sql_tsi_second",
                                    "sql_tsi_minute",
                                    "sql_tsi_hour",
                                    "sql_tsi_day",
                                    "sql_tsi_week",
                                    "sql_tsi_month",
                                    "sql_tsi_quarter",
                                    "sql_tsi_year"};

/* Words that, before a literal, say what it is written in. Others are columns and get an alias. */
static const char *const introducers[] = {
    "_utf8mb4", "_utf8",     "_utf8mb3", "_latin1",  "_ascii",  "_binary",  "_ucs2",
    "_utf16",   "_utf16le",  "_utf32",   "_latin2",  "_latin5", "_latin7",  "_koi8r",
    "_koi8u",   "_cp1250",   "_cp1251",  "_cp1256",  "_cp1257", "_cp850",   "_cp852",
    "_cp866",   "_cp932",    "_big5",    "_gbk",     "_gb2312", "_gb18030", "_sjis",
    "_ujis",    "_eucjpms",  "_euckr",   "_greek",   "_hebrew", "_tis620",  "_swe7",
    "_macce",   "_macroman", "_geostd8", "_keybcs2", "_dec8",   "_hp8",     "_armscii8"};

/* Reserved words that are functions once '(' follows. */
static const char *const functions[] = {"left",         "right",
                                        "if",           "mod",
                                        "convert",      "replace",
                                        "insert",       "repeat",
                                        "char",         "current_date",
                                        "current_time", "localtime",
                                        "current_user", "current_timestamp",
                                        "current_role", "localtimestamp",
                                        "utc_date",     "utc_time",
                                        "utc_timestamp"};

static bool is_one(const struct sql_grammar_cursor *c, size_t ahead, const char *const *texts,
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sql_grammar_mysql_is(c, ahead, texts[i]))
            return true;
    return false;
}

static void take_unit(struct sql_grammar_cursor *c)
{
    if (is_one(c, 0, units, countof(units)))
        sql_grammar_cursor_step(c);
    else
        sql_grammar_cursor_unexpected(c, "a unit of time such as DAY or MONTH");
}

bool sql_grammar_mysql_is_function(const struct sql_grammar_cursor *c)
{
    return is_one(c, 0, functions, countof(functions));
}

static struct sql_expr *over(struct sql_grammar_cursor *c, size_t start, struct sql_expr *children)
{
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_OPERATOR, start);
    if (expr != NULL)
        expr->children = children;
    return expr;
}

/* Whether the parentheses at hand hold more than one value. */
static bool holds_list(const struct sql_grammar_cursor *c)
{
    size_t depth = 0;
    for (size_t i = c->at; i + 1 < c->tokens->count; i++) {
        enum sql_token_kind kind = (enum sql_token_kind)c->tokens->at[i].kind;
        depth += kind == SQL_TOKEN_LEFT;
        depth -= kind == SQL_TOKEN_RIGHT;
        if (depth == 0 || (depth == 1 && kind == SQL_TOKEN_COMMA))
            return depth == 1;
    }
    return false;
}

/* INTERVAL value unit; INTERVAL(n, a, b) is a function. */
static struct sql_expr *parse_interval(struct sql_grammar_cursor *c, size_t start)
{
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    bool function = sql_grammar_cursor_is(c, SQL_TOKEN_LEFT) && holds_list(c);
    struct sql_expr *value = function ? sql_grammar_primary_parse(c) : sql_grammar_expr_parse(c);
    if (!function)
        take_unit(c);
    sql_grammar_cursor_leave(c);
    return over(c, start, value);
}

/* MATCH (a, b) AGAINST ('text' IN BOOLEAN MODE), also without the first parentheses */
static struct sql_expr *parse_match(struct sql_grammar_cursor *c, size_t start)
{
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    bool parens = sql_grammar_cursor_take(c, SQL_TOKEN_LEFT);
    struct sql_expr *first = sql_grammar_expr_list(c), **tail = &first;
    if (parens)
        sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of MATCH");
    sql_grammar_mysql_expect(c, "against");
    sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' after AGAINST");
    while (*tail != NULL)
        tail = &(*tail)->next;
    sql_grammar_expr_push(&tail, sql_grammar_expr_bits(c));
    if (sql_grammar_cursor_take_word(c, SQL_WORD_IN)) {
        if (sql_grammar_cursor_take_word(c, SQL_WORD_NATURAL))
            sql_grammar_mysql_expect(c, "language");
        else
            sql_grammar_mysql_expect(c, "boolean");
        sql_grammar_mysql_expect(c, "mode");
    }
    if (sql_grammar_cursor_take_word(c, SQL_WORD_WITH)) {
        sql_grammar_mysql_expect(c, "query");
        sql_grammar_mysql_expect(c, "expansion");
    }
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of AGAINST");
    sql_grammar_cursor_leave(c);
    return over(c, start, first);
}

/* DEFAULT(column) */
static struct sql_expr *parse_default(struct sql_grammar_cursor *c, size_t start)
{
    sql_grammar_cursor_step(c);
    struct sql_expr *column = sql_grammar_primary_parse(c);
    bool named = column != NULL && column->kind == SQL_EXPR_PARENS && column->children != NULL &&
                 column->children->next == NULL && column->children->kind == SQL_EXPR_NAME;
    if (!named)
        return sql_grammar_cursor_unexpected(c, "a column's name in DEFAULT(...)");
    return over(c, start, column);
}

/* {d '2024-01-31'}, {fn now()}: what stands in the braces. */
static struct sql_expr *parse_braces(struct sql_grammar_cursor *c, size_t start)
{
    static const char *const escapes[] = {"d", "t", "ts", "fn"};
    sql_grammar_cursor_step(c);
    if (!is_one(c, 0, escapes, countof(escapes)))
        return sql_grammar_cursor_unexpected(c, "d, t, ts or fn after '{'");
    sql_grammar_cursor_step(c);
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_expr *expr = sql_grammar_expr_parse(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_BRACE_END, "'}'");
    sql_grammar_cursor_leave(c);
    return over(c, start, expr);
}

/* CURRENT_USER without parentheses: a call all the same. */
static struct sql_expr *parse_bare_call(struct sql_grammar_cursor *c, size_t start, struct str name)
{
    struct sql_call *call = sql_grammar_cursor_alloc(c, sizeof *call);
    if (call == NULL)
        return NULL;
    sql_grammar_cursor_step(c);
    call->name = name;
    call->name_span = sql_grammar_cursor_since(c, start);
    struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_CALL, start);
    if (expr != NULL)
        expr->call = call;
    return expr;
}

/* DATE '2024-01-01', _utf8mb4'text', _binary x'41'; strings side by side are one. */
static bool take_typed_literal(struct sql_grammar_cursor *c)
{
    static const char *const types[] = {"date", "time", "timestamp"};
    enum sql_token_kind next = (enum sql_token_kind)sql_grammar_cursor_peek(c, 1)->kind;
    bool string = next == SQL_TOKEN_STRING;
    bool literal = string || next == SQL_TOKEN_BLOB || next == SQL_TOKEN_NUMBER;
    if (string && is_one(c, 0, types, countof(types))) {
        sql_grammar_cursor_step(c);
        sql_grammar_cursor_step(c);
        return true;
    }
    if (!literal || !is_one(c, 0, introducers, countof(introducers)))
        return false;
    sql_grammar_cursor_step(c);
    sql_grammar_cursor_step(c);
    while (string && sql_grammar_cursor_take(c, SQL_TOKEN_STRING)) {
        /* one literal */
    }
    return true;
}

static bool is_literal_word(const struct sql_grammar_cursor *c, bool called)
{
    static const char *const words[] = {"true",          "false",     "utc_date",      "utc_time",
                                        "utc_timestamp", "localtime", "localtimestamp"};
    return is_one(c, 0, words, called ? 2 : countof(words)) &&
           !sql_grammar_cursor_is_name(c, 0); /* t.true touches a dot */
}

/* Whether a query stands in the parentheses after the word at hand. */
static bool holds_query(const struct sql_grammar_cursor *c)
{
    size_t i = 1;
    while (i <= SQL_GRAMMAR_MAX_NESTING && sql_grammar_cursor_peek(c, i)->kind == SQL_TOKEN_LEFT)
        i++;
    enum sql_word word = (enum sql_word)sql_grammar_cursor_peek(c, i)->word;
    return word == SQL_WORD_SELECT || word == SQL_WORD_WITH || word == SQL_WORD_VALUES;
}

struct sql_expr *sql_grammar_mysql_primary(struct sql_grammar_cursor *c, size_t start, bool *taken)
{
    static const char *const quantifiers[] = {"any", "some", "all"};
    const struct sql_token *token = sql_grammar_cursor_peek(c, 0);
    bool called = sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT;
    *taken = true;
    if (token->kind == SQL_TOKEN_BRACE)
        return parse_braces(c, start);
    if (called && sql_grammar_mysql_is(c, 0, "default"))
        return parse_default(c, start);
    if (token->word == SQL_WORD_INTERVAL || token->word == SQL_WORD_MATCH) {
        sql_grammar_cursor_step(c);
        return token->word == SQL_WORD_MATCH ? parse_match(c, start) : parse_interval(c, start);
    }
    if (take_typed_literal(c))
        return sql_grammar_expr_node(c, SQL_EXPR_LITERAL, start);
    if (is_literal_word(c, called)) {
        sql_grammar_cursor_step(c);
        return sql_grammar_expr_node(c, SQL_EXPR_LITERAL, start);
    }
    if (!called && token->word == SQL_WORD_RESERVED && sql_grammar_mysql_is(c, 0, "current_user"))
        return parse_bare_call(c, start, STR("current_user"));
    if (!called && token->word == SQL_WORD_RESERVED && sql_grammar_mysql_is(c, 0, "current_role"))
        return parse_bare_call(c, start, STR("current_role"));
    if (called && (token->word == SQL_WORD_ROW ||
                   (is_one(c, 0, quantifiers, countof(quantifiers)) && holds_query(c)))) {
        sql_grammar_cursor_step(c);
        return sql_grammar_primary_parse(c);
    }
    *taken = false;
    return NULL;
}

/* ---- arguments ---- */

static bool is_call(const struct sql_call *call, const char *name)
{
    return str_equal(call->name, str_of(name));
}

/* TRIM(LEADING '0' FROM s), TRIM('0' FROM s), TRIM(s) */
static void parse_trim(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    static const char *const sides[] = {"both", "leading", "trailing"};
    if (is_one(c, 0, sides, countof(sides)))
        sql_grammar_cursor_step(c);
    if (!sql_grammar_cursor_is_word(c, SQL_WORD_FROM))
        sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
    if (sql_grammar_cursor_take_word(c, SQL_WORD_FROM))
        sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
}

/* CONVERT(x, type), CONVERT(x USING charset) */
static void parse_convert(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
    if (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA)) {
        sql_grammar_mysql_type(c);
        return;
    }
    sql_grammar_cursor_expect_word(c, SQL_WORD_USING, "',' and a type, or USING");
    sql_grammar_mysql_charset(c, "a character set");
}

static void parse_list(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    do {
        sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
}

/* COLUMN_GET(c, 'name' AS CHAR), COLUMN_CREATE('name', 1 AS INT): MariaDB's columns in a blob. */
static void parse_typed_list(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    do {
        sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
        if (sql_grammar_cursor_take_word(c, SQL_WORD_AS))
            sql_grammar_mysql_type(c);
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
}

/* SUBSTRING(s FROM 2 FOR 3) */
static void parse_substring(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
    if (sql_grammar_cursor_take_word(c, SQL_WORD_FROM)) {
        sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
        if (sql_grammar_cursor_take_word(c, SQL_WORD_FOR))
            sql_grammar_expr_push(tail, sql_grammar_expr_parse(c));
    } else if (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA)) {
        parse_list(c, tail);
    }
}

struct sql_expr *sql_grammar_mysql_values(struct sql_grammar_cursor *c, const struct sql_call *call)
{
    struct sql_expr *first = NULL, **tail = &first;
    bool quoted = c->tokens->text.at[call->name_span.start] == '`'; /* then it has no words */
    if (quoted) {
        parse_list(c, &tail);
    } else if (is_call(call, "extract")) {
        take_unit(c);
        sql_grammar_cursor_expect_word(c, SQL_WORD_FROM, "FROM after the unit");
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
    } else if (is_call(call, "timestampdiff") || is_call(call, "timestampadd")) {
        take_unit(c);
        sql_grammar_cursor_expect(c, SQL_TOKEN_COMMA, "',' after the unit");
        parse_list(c, &tail);
    } else if (is_call(call, "trim")) {
        parse_trim(c, &tail);
    } else if (is_call(call, "convert")) {
        parse_convert(c, &tail);
    } else if (is_call(call, "substring") || is_call(call, "substr") || is_call(call, "mid")) {
        parse_substring(c, &tail);
    } else if (is_call(call, "position")) {
        sql_grammar_expr_push(&tail, sql_grammar_expr_bits(c));
        sql_grammar_cursor_expect_word(c, SQL_WORD_IN, "IN");
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
    } else if (str_starts_with(call->name, STR("column_"))) {
        parse_typed_list(c, &tail);
    } else if (is_call(call, "get_format")) {
        sql_grammar_mysql_type(c);
        sql_grammar_cursor_expect(c, SQL_TOKEN_COMMA, "',' after the type");
        parse_list(c, &tail);
    } else {
        parse_list(c, &tail);
        if (is_call(call, "char") && sql_grammar_cursor_take_word(c, SQL_WORD_USING))
            sql_grammar_mysql_charset(c, "a character set");
    }
    return c->failed ? NULL : first;
}
