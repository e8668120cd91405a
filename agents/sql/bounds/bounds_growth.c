/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_growth.c - by what factor the longest text of a statement may grow.
 *
 * Happy path: an expression grows as its longest operand, times what its own call adds; a query as
 * its longest expression, times the queries that it reads; the whole stays below the limit.
 * Failure: the product is past it; the finding is the whole statement's.
 * A column's text counts as 1 whatever its length, and so does a literal of up to 100 bytes. */
#include "agents/sql/bounds/bounds_growth.h"

#include "agents/sql/grammar/grammar_tree.h"

enum {
    ORDINARY_BYTES = 100,
    UNKNOWN_FACTOR = 10, /* replacing by what a column holds; a list of many rows' texts */
};

static double growth_of_select(struct str text, const struct sql_select *select);

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static struct str text_of(struct str text, const struct sql_expr *expr)
{
    return str_slice(text, expr->span.start, expr->span.end);
}

/* How many bytes a text in quotes stands for, or absent: at most those between the quotes. */
static bool literal_bytes(struct str text, const struct sql_expr *expr, double *bytes)
{
    if (expr->kind != SQL_EXPR_LITERAL)
        return false;
    size_t length = text_of(text, expr).len;
    *bytes = length > 2 ? (double)(length - 2) : 1;
    return true;
}

static double replace_factor(struct str text, const struct sql_expr *call)
{
    const struct sql_expr *from = call->children == NULL ? NULL : call->children->next;
    const struct sql_expr *to = from == NULL ? NULL : from->next;
    double wanted, given;
    if (to == NULL)
        return 1;
    if (!literal_bytes(text, to, &given))
        return UNKNOWN_FACTOR;
    return literal_bytes(text, from, &wanted) ? larger(given / wanted, 1) : given;
}

/* REPEAT(x, 20), LPAD(x, 20), SPACE(20): the number itself is bounds_sizes.h's affair. */
static double count_factor(struct str text, const struct sql_expr *count, double share)
{
    uint64_t number;
    if (count == NULL || !str_to_u64(text_of(text, count), &number))
        return 1;
    return larger((double)number / share, 1);
}

static double call_factor(struct str text, const struct sql_expr *call)
{
    struct str name = call->call->name;
    const struct sql_expr *first = call->children, *second = first == NULL ? NULL : first->next;
    if (str_equal_nocase(name, STR("replace")) || str_equal_nocase(name, STR("regexp_replace")))
        return replace_factor(text, call);
    if (str_equal_nocase(name, STR("repeat")))
        return count_factor(text, second, 1);
    if (str_equal_nocase(name, STR("lpad")) || str_equal_nocase(name, STR("rpad")))
        return count_factor(text, second, ORDINARY_BYTES);
    if (str_equal_nocase(name, STR("space")))
        return count_factor(text, first, ORDINARY_BYTES);
    if (str_equal_nocase(name, STR("hex")))
        return 2;
    return str_equal_nocase(name, STR("group_concat")) ? UNKNOWN_FACTOR : 1;
}

/* How often an operand follows itself: CONCAT(s, s) and s || s are 2, a || b is 1. */
static double repeated(struct str text, const struct sql_expr *first, bool call)
{
    size_t most = 1, run = 1;
    for (; first != NULL && first->next != NULL; first = first->next) {
        struct str between = str_slice(text, first->span.end, first->next->span.start);
        bool joins = call || str_equal(str_trim(between), STR("||"));
        bool same = str_equal(text_of(text, first), text_of(text, first->next));
        run = joins && same && first->kind != SQL_EXPR_LITERAL ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return (double)most;
}

static double growth_of_list(struct str text, const struct sql_expr *first);

static double growth_of_expr(struct str text, const struct sql_expr *expr)
{
    double inner = growth_of_list(text, expr->children), bytes;
    switch (expr->kind) {
    case SQL_EXPR_LITERAL:
        return literal_bytes(text, expr, &bytes) ? larger(bytes / ORDINARY_BYTES, 1) : 1;
    case SQL_EXPR_SELECT:
    case SQL_EXPR_EXISTS:
        return growth_of_select(text, expr->select);
    case SQL_EXPR_CALL:
        if (str_equal_nocase(expr->call->name, STR("concat")))
            inner *= repeated(text, expr->children, true);
        return inner * call_factor(text, expr);
    case SQL_EXPR_OPERATOR:
        return inner * repeated(text, expr->children, false);
    default:
        return inner;
    }
}

static double growth_of_list(struct str text, const struct sql_expr *first)
{
    double most = 1;
    for (; first != NULL; first = first->next)
        most = larger(most, growth_of_expr(text, first));
    return most;
}

static double growth_of_from(struct str text, const struct sql_from *first)
{
    double product = 1;
    for (; first != NULL; first = first->next) {
        product *= growth_of_from(text, first->inside);
        if (first->select != NULL)
            product *= growth_of_select(text, first->select);
        if (first->call != NULL)
            product *= growth_of_list(text, first->call);
        if (first->on != NULL)
            product = larger(product, growth_of_expr(text, first->on));
    }
    return product;
}

static double growth_of_branch(struct str text, const struct sql_branch *branch)
{
    double most = growth_of_list(text, branch->rows);
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (item->expr != NULL)
            most = larger(most, growth_of_expr(text, item->expr));
    if (branch->where != NULL)
        most = larger(most, growth_of_expr(text, branch->where));
    if (branch->having != NULL)
        most = larger(most, growth_of_expr(text, branch->having));
    most = larger(most, growth_of_list(text, branch->groups));
    return most * growth_of_from(text, branch->from);
}

static double growth_of_select(struct str text, const struct sql_select *select)
{
    double product = 1, most = growth_of_list(text, select->order);
    for (const struct sql_cte *cte = select->ctes; cte != NULL; cte = cte->next)
        product *= growth_of_select(text, cte->select);
    for (const struct sql_branch *branch = select->branches; branch != NULL; branch = branch->next)
        most = larger(most, growth_of_branch(text, branch));
    return product * most;
}

bool sql_bounds_growth_in(struct str text, const struct sql_branch *branch)
{
    return growth_of_branch(text, branch) > 1;
}

enum err_code sql_bounds_growth_check(const struct sql_parse *parse, struct sql_finding *finding)
{
    if (parse->tree == NULL || growth_of_select(parse->text, parse->tree) <= SQL_BOUNDS_GROWTH_MOST)
        return ERR_OK;
    finding->rule = "function";
    finding->span = parse->statement;
    return err_set(&finding->err, ERR_REJECTED,
                   "The statement may make a text %d times as long as it was; replace or repeat "
                   "less within what was replaced before.",
                   SQL_BOUNDS_GROWTH_MOST);
}
