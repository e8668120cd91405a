/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_expr.c - expressions by precedence, from OR down to what binds
 * closest.
 *
 * Happy path: each level reads operands of the next one and hangs a whole chain of its operators
 * under one node, so a tree is only as deep as its parentheses. Failure: an operand or word that
 * is missing; too deep. The cursor keeps the reason. */
#include "agents/sql/grammar/grammar_expr.h"

#include "agents/sql/grammar/grammar_from.h"
#include "agents/sql/grammar/grammar_mysql.h"
#include "agents/sql/grammar/grammar_primary.h"

enum level { LEVEL_ORDERED, LEVEL_BITS, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_CONCAT, LEVEL_UNARY };

static struct sql_expr *parse_not(struct sql_grammar_cursor *c);
static struct sql_expr *parse_equality(struct sql_grammar_cursor *c);
static struct sql_expr *parse_level(struct sql_grammar_cursor *c, enum level level);

struct sql_expr *sql_grammar_expr_node(struct sql_grammar_cursor *c, enum sql_expr_kind kind,
                                       size_t start)
{
    struct sql_expr *expr = sql_grammar_cursor_alloc(c, sizeof *expr);
    if (expr == NULL)
        return NULL;
    expr->kind = kind;
    expr->span = sql_grammar_cursor_since(c, start);
    return expr;
}

/* The node over children, or the only child itself when nothing was done to it. */
static struct sql_expr *over(struct sql_grammar_cursor *c, enum sql_expr_kind kind, size_t start,
                             struct sql_expr *children)
{
    struct sql_expr *expr = sql_grammar_expr_node(c, kind, start);
    if (expr != NULL)
        expr->children = children;
    return expr;
}

static bool is_operator(const struct sql_grammar_cursor *c, enum level level)
{
    const struct sql_token *token = sql_grammar_cursor_peek(c, 0);
    bool mysql = sql_grammar_cursor_is_mysql(c);
    switch (token->kind) {
    case SQL_TOKEN_ORDERED:
        return level == LEVEL_ORDERED;
    case SQL_TOKEN_AMPERSAND:
    case SQL_TOKEN_PIPE:
    case SQL_TOKEN_SHIFT:
        return level == LEVEL_BITS;
    case SQL_TOKEN_PLUS:
    case SQL_TOKEN_MINUS:
        return level == LEVEL_SUM;
    case SQL_TOKEN_STAR:
    case SQL_TOKEN_SLASH:
    case SQL_TOKEN_PERCENT:
        return level == LEVEL_PRODUCT;
    case SQL_TOKEN_CARET:
    case SQL_TOKEN_ARROW:
        return level == LEVEL_CONCAT;
    case SQL_TOKEN_CONCAT:
        return level == LEVEL_CONCAT && !mysql;
    case SQL_TOKEN_WORD:
        return level == LEVEL_PRODUCT && mysql &&
               (token->word == SQL_WORD_DIV || token->word == SQL_WORD_MOD);
    default:
        return false;
    }
}

static bool take_unary(struct sql_grammar_cursor *c)
{
    return sql_grammar_cursor_take(c, SQL_TOKEN_MINUS) ||
           sql_grammar_cursor_take(c, SQL_TOKEN_PLUS) ||
           sql_grammar_cursor_take(c, SQL_TOKEN_TILDE) ||
           sql_grammar_cursor_take(c, SQL_TOKEN_BANG) ||
           (sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_take_word(c, SQL_WORD_BINARY));
}

/* NOT where an operand stands: 1 = NOT 0. It nests without parentheses, so it is counted. */
static struct sql_expr *parse_inner_not(struct sql_grammar_cursor *c)
{
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_expr *expr = parse_not(c);
    sql_grammar_cursor_leave(c);
    return expr;
}

static void take_collation(struct sql_grammar_cursor *c)
{
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_mysql_charset(c, "a collation's name");
    else
        sql_grammar_cursor_name(c, "a collation's name");
}

static struct sql_expr *parse_unary(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    bool changed = false;
    while (take_unary(c))
        changed = true;
    struct sql_expr *expr = sql_grammar_cursor_is_word(c, SQL_WORD_NOT)
                                ? parse_inner_not(c)
                                : sql_grammar_primary_parse(c);
    if (changed)
        expr = over(c, SQL_EXPR_OPERATOR, start, expr);
    while (sql_grammar_cursor_take_word(c, SQL_WORD_COLLATE)) {
        take_collation(c);
        if (expr != NULL && expr->kind == SQL_EXPR_COLLATE)
            expr->span = sql_grammar_cursor_since(c, start);
        else
            expr = over(c, SQL_EXPR_COLLATE, start, expr);
    }
    return expr;
}

static struct sql_expr *parse_level(struct sql_grammar_cursor *c, enum level level)
{
    if (level == LEVEL_UNARY)
        return parse_unary(c);
    size_t start = sql_grammar_cursor_start(c);
    struct sql_expr *first = NULL, **tail = &first;
    sql_grammar_expr_push(&tail, parse_level(c, level + 1));
    bool changed = false;
    while (is_operator(c, level)) {
        sql_grammar_cursor_step(c);
        sql_grammar_expr_push(&tail, parse_level(c, level + 1));
        changed = true;
    }
    if (c->failed)
        return NULL;
    if (!changed)
        return first;
    struct sql_expr *expr = over(c, SQL_EXPR_OPERATOR, start, first);
    if (expr != NULL)
        expr->compares = level == LEVEL_ORDERED && first->next->next == NULL;
    return expr;
}

struct sql_expr *sql_grammar_expr_bits(struct sql_grammar_cursor *c)
{
    return parse_level(c, LEVEL_BITS);
}

/* What follows IN: a list, a query, or (SQLite) a table. */
static void parse_in(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    size_t start = sql_grammar_cursor_start(c);
    if (!sql_grammar_cursor_is(c, SQL_TOKEN_LEFT)) {
        if (sql_grammar_cursor_is_mysql(c))
            sql_grammar_cursor_unexpected(c, "'(' after IN");
        struct sql_from *table = sql_grammar_from_table(c);
        struct sql_expr *expr = sql_grammar_expr_node(c, SQL_EXPR_TABLE, start);
        if (expr != NULL)
            expr->table = table;
        sql_grammar_expr_push(tail, expr);
        return;
    }
    if (sql_grammar_cursor_peek(c, 1)->kind != SQL_TOKEN_RIGHT) {
        sql_grammar_expr_push(tail, sql_grammar_primary_parse(c));
        return;
    }
    sql_grammar_cursor_step(c);
    sql_grammar_cursor_step(c);
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_cursor_unexpected(c, "a value in the list after IN");
}

static bool is_match(const struct sql_grammar_cursor *c, enum sql_word word)
{
    bool mysql = sql_grammar_cursor_is_mysql(c);
    return word == SQL_WORD_LIKE || word == SQL_WORD_REGEXP ||
           (mysql ? word == SQL_WORD_RLIKE
                  : word == SQL_WORD_GLOB || word == SQL_WORD_MATCH || word == SQL_WORD_RLIKE);
}

/* MySQL: SOUNDS LIKE, MEMBER OF (...). */
static bool take_mysql_match(struct sql_grammar_cursor *c)
{
    bool sounds = sql_grammar_mysql_is(c, 0, "sounds") &&
                  sql_grammar_cursor_peek(c, 1)->word == SQL_WORD_LIKE;
    bool member = sql_grammar_mysql_is(c, 0, "member") && sql_grammar_mysql_is(c, 1, "of") &&
                  sql_grammar_cursor_peek(c, 2)->kind == SQL_TOKEN_LEFT;
    if (!sql_grammar_cursor_is_mysql(c) || !(sounds || member))
        return false;
    sql_grammar_cursor_step(c);
    sql_grammar_cursor_step(c);
    return true;
}

/* After IS: a value, NULL, and MySQL's UNKNOWN, which is no column. */
static void parse_is(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    bool mysql = sql_grammar_cursor_is_mysql(c);
    sql_grammar_cursor_take_word(c, SQL_WORD_NOT);
    if (!mysql && sql_grammar_cursor_take_word(c, SQL_WORD_DISTINCT))
        sql_grammar_cursor_expect_word(c, SQL_WORD_FROM, "FROM after IS DISTINCT");
    if (!mysql) {
        sql_grammar_expr_push(tail, parse_level(c, LEVEL_ORDERED));
    } else if (!sql_grammar_cursor_take_word(c, SQL_WORD_NULL) &&
               !sql_grammar_mysql_take(c, "true") && !sql_grammar_mysql_take(c, "false") &&
               !sql_grammar_mysql_take(c, "unknown")) {
        sql_grammar_cursor_unexpected(c, "NULL, TRUE, FALSE or UNKNOWN after IS");
    }
}

/* Whatever stands before BETWEEN's AND; it nests without parentheses, so it is counted. */
static struct sql_expr *parse_low_bound(struct sql_grammar_cursor *c)
{
    if (!sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_expr *expr = parse_equality(c);
    sql_grammar_cursor_leave(c);
    return expr;
}

/* x ISNULL, x IN (...): complete, so that any operator may follow though it binds closer. False:
 * none does. */
static bool parse_after_complete(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    for (bool changed = false;; changed = true) {
        bool follows = false;
        for (enum level level = LEVEL_ORDERED; level < LEVEL_UNARY; level++)
            follows = follows || is_operator(c, level);
        if (follows) {
            sql_grammar_cursor_step(c);
            sql_grammar_expr_push(tail, parse_level(c, LEVEL_ORDERED));
        } else if (sql_grammar_cursor_take_word(c, SQL_WORD_COLLATE)) {
            take_collation(c);
        } else {
            return changed;
        }
    }
}

enum suffix { SUFFIX_NONE, SUFFIX_COMPARES, SUFFIX_MATCHES };

/* One suffix of the level of =, after its left side. */
static enum suffix parse_comparison(struct sql_grammar_cursor *c, struct sql_expr ***tail)
{
    bool mysql = sql_grammar_cursor_is_mysql(c);
    if (!mysql && (sql_grammar_cursor_take_word(c, SQL_WORD_ISNULL) ||
                   sql_grammar_cursor_take_word(c, SQL_WORD_NOTNULL)))
        return SUFFIX_COMPARES;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_IS)) {
        parse_is(c, tail);
        return SUFFIX_COMPARES;
    }
    if (take_mysql_match(c)) {
        sql_grammar_expr_push(tail, parse_level(c, LEVEL_ORDERED));
        return SUFFIX_MATCHES;
    }
    enum sql_word word = (enum sql_word)sql_grammar_cursor_peek(c, 0)->word;
    if (word == SQL_WORD_NOT) {
        word = (enum sql_word)sql_grammar_cursor_peek(c, 1)->word;
        if ((word != SQL_WORD_NULL || mysql) && word != SQL_WORD_IN && word != SQL_WORD_BETWEEN &&
            !is_match(c, word))
            return SUFFIX_NONE;
        sql_grammar_cursor_step(c);
        if (sql_grammar_cursor_take_word(c, SQL_WORD_NULL))
            return SUFFIX_COMPARES;
    }
    if (sql_grammar_cursor_take_word(c, SQL_WORD_IN)) {
        parse_in(c, tail);
    } else if (sql_grammar_cursor_take_word(c, SQL_WORD_BETWEEN)) {
        sql_grammar_expr_push(tail, parse_low_bound(c));
        sql_grammar_cursor_expect_word(c, SQL_WORD_AND, "AND of BETWEEN");
        sql_grammar_expr_push(tail, parse_level(c, LEVEL_ORDERED));
    } else if (is_match(c, word)) {
        sql_grammar_cursor_step(c);
        sql_grammar_expr_push(tail, parse_level(c, LEVEL_ORDERED));
        if (sql_grammar_cursor_take_word(c, SQL_WORD_ESCAPE))
            sql_grammar_expr_push(tail, parse_level(c, LEVEL_ORDERED));
        return SUFFIX_MATCHES;
    } else {
        return SUFFIX_NONE;
    }
    return SUFFIX_COMPARES;
}

/* In SQLite "x" on the right of a comparison is a text where no column is called so. */
static void mark_compared(const struct sql_expr *first)
{
    for (const struct sql_expr *expr = first; expr != NULL; expr = expr->next) {
        if (expr->kind == SQL_EXPR_NAME)
            expr->name->compared = true;
        else if (expr->kind == SQL_EXPR_PARENS)
            mark_compared(expr->children);
    }
}

static struct sql_expr *parse_equality(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c), equals = 0, others = 0;
    struct sql_expr *first = NULL, **tail = &first;
    bool compares = true;
    sql_grammar_expr_push(&tail, parse_level(c, LEVEL_ORDERED));
    for (;;) {
        enum suffix suffix;
        bool equal = sql_grammar_cursor_take(c, SQL_TOKEN_EQUAL);
        if (equal || sql_grammar_cursor_take(c, SQL_TOKEN_NOT_EQUAL) ||
            sql_grammar_cursor_take(c, SQL_TOKEN_SAME))
            sql_grammar_expr_push(&tail, parse_level(c, LEVEL_ORDERED));
        else if ((suffix = parse_comparison(c, &tail)) != SUFFIX_NONE)
            compares = !parse_after_complete(c, &tail) && suffix == SUFFIX_COMPARES && compares;
        else
            break;
        equals += equal ? 1 : 0;
        others += equal ? 0 : 1;
    }
    if (c->failed)
        return NULL;
    if (equals + others == 0)
        return first;
    if (!sql_grammar_cursor_is_mysql(c))
        mark_compared(first->next);
    bool simple = equals == 1 && others == 0;
    struct sql_expr *expr = over(c, simple ? SQL_EXPR_EQUAL : SQL_EXPR_OPERATOR, start, first);
    if (expr != NULL)
        expr->compares = compares && equals + others == 1;
    return expr;
}

static struct sql_expr *parse_not(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    bool changed = false;
    while (sql_grammar_cursor_take_word(c, SQL_WORD_NOT))
        changed = true;
    struct sql_expr *expr = parse_equality(c);
    if (!changed)
        return expr;
    expr = over(c, SQL_EXPR_OPERATOR, start, expr);
    if (expr != NULL)
        expr->compares = true;
    return expr;
}

static struct sql_expr *parse_and(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_expr *first = NULL, **tail = &first;
    bool changed = false;
    for (;;) {
        sql_grammar_expr_push(&tail, parse_not(c));
        if (!sql_grammar_cursor_take_word(c, SQL_WORD_AND) &&
            !sql_grammar_cursor_take(c, SQL_TOKEN_BOTH))
            break;
        changed = true;
    }
    if (c->failed)
        return NULL;
    return changed ? over(c, SQL_EXPR_AND, start, first) : first;
}

/* MySQL reads || as OR and knows XOR; their order among themselves does not matter here. */
static bool take_like_or(struct sql_grammar_cursor *c)
{
    return sql_grammar_cursor_is_mysql(c) && (sql_grammar_cursor_take(c, SQL_TOKEN_CONCAT) ||
                                              sql_grammar_cursor_take_word(c, SQL_WORD_XOR));
}

struct sql_expr *sql_grammar_expr_parse(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_expr *first = NULL, **tail = &first;
    bool changed = false, all_or = true;
    sql_grammar_expr_push(&tail, parse_and(c));
    for (;;) {
        if (!sql_grammar_cursor_take_word(c, SQL_WORD_OR)) {
            if (!take_like_or(c))
                break;
            all_or = false;
        }
        sql_grammar_expr_push(&tail, parse_and(c));
        changed = true;
    }
    if (c->failed)
        return NULL;
    struct sql_expr *expr = changed ? over(c, SQL_EXPR_OPERATOR, start, first) : first;
    if (changed && expr != NULL)
        expr->alternatives = all_or;
    return expr;
}

struct sql_expr *sql_grammar_expr_list(struct sql_grammar_cursor *c)
{
    struct sql_expr *first = NULL, **tail = &first;
    do {
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    return c->failed ? NULL : first;
}

struct sql_expr *sql_grammar_expr_order(struct sql_grammar_cursor *c)
{
    struct sql_expr *first = NULL, **tail = &first;
    do {
        sql_grammar_expr_push(&tail, sql_grammar_expr_parse(c));
        if (!sql_grammar_cursor_take_word(c, SQL_WORD_ASC))
            sql_grammar_cursor_take_word(c, SQL_WORD_DESC);
        if (!sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_take_word(c, SQL_WORD_NULLS) &&
            !sql_grammar_cursor_take_word(c, SQL_WORD_FIRST))
            sql_grammar_cursor_expect_word(c, SQL_WORD_LAST, "FIRST or LAST after NULLS");
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    return c->failed ? NULL : first;
}
