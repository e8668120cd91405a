/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/compared.c - operations are known by the text between their sides, as in every
 * dialect.
 *
 * Failure: none; what is compared in another way is not read. */
#include "agents/sql/doubts/compared.h"

#include "core/base/calendar.h"

enum { DATE_BYTES = 10 };

static struct str text_of(const struct sql_parse *parse, const struct sql_expr *expr)
{
    return str_slice(parse->text, expr->span.start, expr->span.end);
}

/* The literal itself, of ('x'), DATE 'x', -5; NULL: it is none. */
static const struct sql_expr *literal_in(const struct sql_parse *parse, const struct sql_expr *expr)
{
    while (expr != NULL && expr->kind != SQL_EXPR_LITERAL) {
        const bool is_wrapped =
            expr->kind == SQL_EXPR_PARENS || expr->kind == SQL_EXPR_CAST ||
            (expr->kind == SQL_EXPR_OPERATOR && str_starts_with(text_of(parse, expr), STR("-")));
        expr = is_wrapped && expr->children != NULL && expr->children->next == NULL ? expr->children
                                                                                    : NULL;
    }
    return expr;
}

static bool read_day(struct str text, int64_t *day)
{
    uint64_t year, month, of_month;
    if (text.len < DATE_BYTES || text.at[4] != '-' || text.at[7] != '-' ||
        !str_to_u64(str_slice(text, 0, 4), &year) || !str_to_u64(str_slice(text, 5, 7), &month) ||
        !str_to_u64(str_slice(text, 8, DATE_BYTES), &of_month))
        return false;
    *day = calendar_day((int64_t)year, (int)month, (int)of_month);
    return true;
}

/* Fill in what the literal says. False: it is none. */
static bool put_literal(const struct sql_parse *parse, const struct sql_expr *expr,
                        struct sql_compared *to)
{
    const struct sql_expr *literal = literal_in(parse, expr);
    if (literal == NULL)
        return false;
    to->literal = text_of(parse, literal);
    to->text = (struct str){NULL, 0};
    if (to->literal.len >= 2 && to->literal.at[0] == '\'')
        to->text = str_slice(to->literal, 1, to->literal.len - 1);
    to->has_number = str_to_double(to->literal, &to->number);
    if (to->has_number && literal != expr && str_starts_with(text_of(parse, expr), STR("-")))
        to->number = -to->number;
    to->has_day = read_day(to->text, &to->day);
    to->has_time = to->has_day && to->text.len > DATE_BYTES;
    return true;
}

static const struct {
    const char *sign;
    enum sql_compared_op op, turned; /* turned: of a literal on the left */
} signs[] = {
    {"=", SQL_COMPARED_EQUAL, SQL_COMPARED_EQUAL},
    {"==", SQL_COMPARED_EQUAL, SQL_COMPARED_EQUAL},
    {"<>", SQL_COMPARED_UNEQUAL, SQL_COMPARED_UNEQUAL},
    {"!=", SQL_COMPARED_UNEQUAL, SQL_COMPARED_UNEQUAL},
    {"<", SQL_COMPARED_LESS, SQL_COMPARED_MORE},
    {"<=", SQL_COMPARED_UPTO, SQL_COMPARED_FROM},
    {">", SQL_COMPARED_MORE, SQL_COMPARED_LESS},
    {">=", SQL_COMPARED_FROM, SQL_COMPARED_UPTO},
    {"like", SQL_COMPARED_LIKE, SQL_COMPARED_LIKE},
};

/* What stands between two sides, without words that belong to the right one. */
static struct str sign_between(const struct sql_parse *parse, const struct sql_expr *left,
                               const struct sql_expr *right)
{
    struct str text = str_trim(str_slice(parse->text, left->span.end, right->span.start));
    while (text.len > 0 && text.at[0] == ')')
        text = str_trim(str_from(text, 1));
    while (text.len > 0 && text.at[text.len - 1] == '(')
        text = str_trim(str_slice(text, 0, text.len - 1));
    return text;
}

static size_t read_between(const struct sql_parse *parse, const struct sql_expr *expr,
                           struct sql_compared out[SQL_COMPARED_MOST])
{
    const struct sql_expr *low = expr->children->next, *high = low->next;
    if (high->next != NULL ||
        !str_equal_nocase(sign_between(parse, expr->children, low), STR("between")))
        return 0;
    for (size_t i = 0; i < SQL_COMPARED_MOST; i++)
        out[i] = (struct sql_compared){.expr = expr, .left = expr->children};
    out[0].op = SQL_COMPARED_FROM;
    out[1].op = SQL_COMPARED_UPTO;
    return put_literal(parse, low, &out[0]) && put_literal(parse, high, &out[1]) ? SQL_COMPARED_MOST
                                                                                 : 0;
}

size_t sql_compared_read(const struct sql_parse *parse, const struct sql_expr *expr,
                         struct sql_compared out[SQL_COMPARED_MOST])
{
    const struct sql_expr *left = expr->children, *right = left == NULL ? NULL : left->next;
    if (right == NULL || (expr->kind != SQL_EXPR_EQUAL && !expr->compares))
        return 0;
    if (right->next != NULL)
        return read_between(parse, expr, out);
    struct str sign = sign_between(parse, left, right);
    for (size_t i = 0; i < countof(signs); i++) {
        if (!str_equal_nocase(sign, str_of(signs[i].sign)))
            continue;
        out[0] = (struct sql_compared){.expr = expr, .left = left, .op = signs[i].op};
        if (put_literal(parse, right, &out[0]))
            return 1;
        out[0].left = right;
        out[0].op = signs[i].turned;
        return put_literal(parse, left, &out[0]) ? 1 : 0;
    }
    return 0;
}

bool sql_compared_is_ordered(enum sql_compared_op op)
{
    return op >= SQL_COMPARED_LESS && op <= SQL_COMPARED_FROM;
}

bool sql_compared_edge(const struct sql_compared *c, struct sql_edge *edge)
{
    if (!c->has_day || !sql_compared_is_ordered(c->op))
        return false;
    edge->is_lower = c->op == SQL_COMPARED_MORE || c->op == SQL_COMPARED_FROM;
    edge->day = c->day + (c->op == SQL_COMPARED_MORE || c->op == SQL_COMPARED_UPTO);
    return true;
}
