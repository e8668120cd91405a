/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/divisions.c - whole numbers divided by whole numbers, where the database cuts
 * the fraction off: a share that is 0; and a share of 1 where percents are asked for.
 *
 * Failure: none; what may have a fraction is not doubted. */
#include "agents/sql/doubts/look.h"

enum { ENOUGH = 100 }; /* a dividend that is multiplied by as much keeps a whole percent */

static bool is_whole(const struct sql_doubts_look *look, const struct sql_expr *expr);

static bool are_whole(const struct sql_doubts_look *look, const struct sql_expr *first)
{
    bool all = first != NULL;
    for (const struct sql_expr *one = first; one != NULL; one = one->next)
        all = all && is_whole(look, one);
    return all;
}

/* CASE WHEN condition THEN 1 ELSE 0 END: all but the conditions. */
static bool is_whole_case(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    bool any = false;
    for (const struct sql_expr *one = expr->children; one != NULL; one = one->next) {
        if (one->kind == SQL_EXPR_EQUAL || one->kind == SQL_EXPR_AND || one->compares ||
            one->alternatives || one->kind == SQL_EXPR_EXISTS)
            continue;
        if (!is_whole(look, one))
            return false;
        any = true;
    }
    return any;
}

static bool is_whole_call(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    static const char *const keeping[] = {"abs", "coalesce", "ifnull", "max", "min", "sum"};
    return str_equal(expr->call->name, STR("count")) ||
           (str_is_listed(expr->call->name, keeping, countof(keeping)) &&
            are_whole(look, expr->children));
}

static bool is_whole(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    uint64_t number;
    const struct catalog_column *column;
    struct str text = str_slice(look->parse->text, expr->span.start, expr->span.end);
    switch (expr->kind) {
    case SQL_EXPR_LITERAL:
        return str_to_u64(text, &number) || str_equal_nocase(text, STR("null"));
    case SQL_EXPR_NAME:
        column = sql_doubts_column(look, sql_parse_column_at(look->parse, expr));
        return column != NULL &&
               (column->type == CATALOG_INTEGER || column->type == CATALOG_BOOLEAN);
    case SQL_EXPR_CALL:
        return is_whole_call(look, expr);
    case SQL_EXPR_PARENS:
        return are_whole(look, expr->children);
    case SQL_EXPR_EQUAL:
        return look->parse->dialect == SQL_SQLITE;
    case SQL_EXPR_OPERATOR:
        return sql_doubts_has_word(str_slice(text, 0, 4), "case") ? is_whole_case(look, expr)
               : expr->compares ? look->parse->dialect == SQL_SQLITE
                                : are_whole(look, expr->children);
    default:
        return false;
    }
}

static bool is_large(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    uint64_t number;
    struct str text = str_slice(look->parse->text, expr->span.start, expr->span.end);
    if (expr->kind == SQL_EXPR_LITERAL)
        return str_to_u64(text, &number) && number >= ENOUGH;
    if (expr->kind != SQL_EXPR_PARENS && expr->kind != SQL_EXPR_OPERATOR)
        return false;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
        if (is_large(look, child))
            return true;
    return false;
}

/* "how many percent", and a / b without 100. */
static bool lacks_hundred(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    if (sql_said_times(&look->said, SQL_DOUBTS_PERCENT) == 0 ||
        str_find(look->parse->text, STR("100")) != STR_NONE || look->is_percent_said)
        return false;
    for (const struct sql_expr *left = expr->children; left != NULL && left->next != NULL;
         left = left->next) {
        if (str_equal(sql_doubts_sign(look->parse, left), STR("/")) &&
            sql_doubts_aggregates(look, left) && sql_doubts_aggregates(look, left->next))
            return true;
    }
    return false;
}

/* A number other than 1 that a unit is changed by: SUM(minutes) / 60. */
static bool changes_unit(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    static const uint64_t scales[] = {24, 60, 100, 1000, 1440, 3600, 86400};
    uint64_t number = 0;
    if (expr->kind != SQL_EXPR_LITERAL || !str_to_u64(sql_doubts_text(look, expr->span), &number))
        return false;
    for (size_t i = 0; i < countof(scales); i++)
        if (number == scales[i])
            return true;
    return false;
}

/* a / b of aggregates, or an aggregate by what changes its unit: anything else may be meant to be
 * cut. */
void sql_doubts_of_division(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_expr *left = expr->children;
    if (lacks_hundred(look, expr)) {
        look->is_percent_said = true;
        sql_doubts_say(
            look, "share_for_percent",
            arena_printf(look->source->arena,
                         "the question asks for percent, and %.*s is a share of 1; write "
                         "100.0 * before it",
                         STR_ARG(sql_doubts_text(look, expr->span))),
            STR("the answer is a share of 1 where percent were asked for"));
    }
    if (look->parse->dialect == SQL_MYSQL)
        return;
    for (bool is_spared = false; left != NULL && left->next != NULL; left = left->next) {
        const struct sql_expr *right = left->next;
        is_spared = is_spared || is_large(look, left) || !is_whole(look, left);
        if (!str_equal(sql_doubts_sign(look->parse, left), STR("/")) || is_spared ||
            !is_whole(look, right) || !sql_doubts_aggregates(look, left) ||
            (!sql_doubts_aggregates(look, right) && !changes_unit(look, right)))
            continue;
        sql_doubts_say(look, "whole_division",
                       arena_printf(look->source->arena,
                                    "%.*s divides whole numbers, so that the fraction is cut off; "
                                    "write 1.0 * before it",
                                    STR_ARG(sql_doubts_text(look, expr->span))),
                       STR("a figure was cut to a whole number"));
        return;
    }
}
