/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/branches.c - one SELECT: an outer join that WHERE undoes, a mean of means,
 * columns that are neither grouped nor aggregated.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

/* ---- an outer join that is none ---- */

static bool is_within(struct sql_span inner, struct sql_span outer)
{
    return inner.start >= outer.start && inner.end <= outer.end;
}

/* Whether the condition compares a column of the table, and needs a value of it. */
static bool needs_row(const struct sql_doubts_look *look, const struct sql_expr *condition,
                      int table_ref)
{
    if (condition->kind != SQL_EXPR_EQUAL && !condition->compares)
        return false;
    struct str text = sql_doubts_text(look, condition->span);
    if (sql_doubts_has_word(text, "null") || sql_doubts_has_word(text, "coalesce") ||
        sql_doubts_has_word(text, "ifnull"))
        return false;
    for (const struct sql_expr *side = condition->children; side != NULL; side = side->next) {
        const struct sql_column_ref *ref = sql_parse_column_at(look->parse, side);
        if (ref != NULL && ref->table_ref == table_ref && is_within(ref->span, condition->span))
            return true;
    }
    return false;
}

static void look_at_outer(struct sql_doubts_look *look, const struct sql_branch *branch,
                          const struct sql_from *from)
{
    const struct sql_expr *where = branch->where;
    for (const struct sql_expr *one = sql_doubts_condition(where); one != NULL;
         one = sql_doubts_next(where, one)) {
        if (!needs_row(look, one, from->table_ref))
            continue;
        struct str text = sql_doubts_text(look, one->span);
        struct str table = look->parse->tables[from->table_ref].name;
        sql_doubts_say(
            look, "outer_join",
            arena_printf(look->source->arena,
                         "%.*s in WHERE leaves out the rows that have no %.*s, which LEFT JOIN was "
                         "to keep; put it into ON, or write JOIN where they are not wanted",
                         STR_ARG(text), STR_ARG(table)),
            arena_printf(look->source->arena, "what has no %.*s may be left out of the answer",
                         STR_ARG(table)));
        return;
    }
}

/* ---- a mean of means ---- */

static bool is_mean(const struct sql_expr *expr)
{
    return expr != NULL && expr->kind == SQL_EXPR_CALL && !expr->call->windowed &&
           str_equal(expr->call->name, STR("avg"));
}

static bool has_mean(const struct sql_expr *expr)
{
    if (is_mean(expr))
        return true;
    for (const struct sql_expr *child = expr == NULL ? NULL : expr->children; child != NULL;
         child = child->next)
        if (has_mean(child))
            return true;
    return false;
}

/* Whether the query gives a mean for each group under the name. */
static bool gives_mean(const struct sql_select *select, struct str name)
{
    const struct sql_branch *branch = select == NULL ? NULL : select->branches;
    if (branch == NULL || branch->groups == NULL)
        return false;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (has_mean(item->expr) && str_equal_nocase(item->alias, name))
            return true;
    return false;
}

static const struct sql_select *query_of(const struct sql_doubts_look *look,
                                         const struct sql_from *from)
{
    if (from->kind == SQL_FROM_SELECT)
        return from->select;
    for (const struct sql_cte *cte = look->parse->tree->ctes; cte != NULL; cte = cte->next)
        if (from->kind == SQL_FROM_TABLE && str_equal_nocase(cte->name, from->name))
            return cte->select;
    return NULL;
}

/* A question may ask for it: "the average of the branches' averages". */
static bool asks_twice(const struct sql_doubts_look *look)
{
    return sql_said_times(&look->said, SQL_DOUBTS_AVERAGE) > 1;
}

static void look_at_means(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next) {
        const struct sql_expr *of = is_mean(item->expr) ? item->expr->children : NULL;
        if (of == NULL || of->kind != SQL_EXPR_NAME || asks_twice(look))
            continue;
        for (const struct sql_from *from = branch->from; from != NULL; from = from->next)
            if (gives_mean(query_of(look, from), of->name->name)) {
                sql_doubts_say(look, "mean_of_means",
                               arena_printf(look->source->arena,
                                            "%.*s is a mean of means, in which a small group "
                                            "counts as much as a large one; take AVG over the rows",
                                            STR_ARG(sql_doubts_text(look, item->expr->span))),
                               STR("the average is of the groups' averages, so that a small group "
                                   "counts as much as a large one"));
                return;
            }
    }
}

/* ---- AND before OR ---- */

/* The column that the expression compares with a literal by =; NULL: none. */
static const struct sql_column_ref *equal_column(const struct sql_doubts_look *look,
                                                 const struct sql_expr *expr)
{
    struct sql_compared read[SQL_COMPARED_MOST];
    return sql_compared_read(look->parse, expr, read) == 1 && read[0].op == SQL_COMPARED_EQUAL
               ? sql_parse_column_at(look->parse, read[0].left)
               : NULL;
}

static bool is_of(const struct sql_column_ref *one, const struct sql_column_ref *other)
{
    return one != NULL && one->table_ref == other->table_ref && one->column == other->column;
}

/* Whether one of the conditions that must hold together compares the column by =. */
static bool compares(const struct sql_doubts_look *look, const struct sql_expr *all,
                     const struct sql_column_ref *column)
{
    for (const struct sql_expr *one = sql_doubts_condition(all); one != NULL;
         one = sql_doubts_next(all, one))
        if (is_of(equal_column(look, one), column))
            return true;
    return false;
}

/* a = 1 AND b = 2 OR b = 3, without parentheses: b = 3 holds whatever a is. */
void sql_doubts_of_alternatives(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    for (const struct sql_expr *all = expr->children; all != NULL; all = all->next)
        for (const struct sql_expr *of = all->kind == SQL_EXPR_AND ? all->children : NULL;
             of != NULL; of = of->next) {
            const struct sql_column_ref *column = equal_column(look, of);
            for (const struct sql_expr *one = expr->children; column != NULL && one != NULL;
                 one = one->next) {
                if (one == all || !compares(look, one, column))
                    continue;
                sql_doubts_say(
                    look, "and_or",
                    arena_printf(look->source->arena,
                                 "AND binds before OR, so that %.*s holds without the other "
                                 "conditions; put the alternatives into parentheses",
                                 STR_ARG(sql_doubts_text(look, one->span))),
                    STR("one of the alternatives was looked for without the other conditions"));
                return;
            }
        }
}

void sql_doubts_of_branch(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    look_at_means(look, branch);
    for (const struct sql_from *from = branch->from; from != NULL; from = from->next)
        if (from->join == SQL_JOIN_LEFT && from->kind == SQL_FROM_TABLE && from->table_ref >= 0)
            look_at_outer(look, branch, from);
}
