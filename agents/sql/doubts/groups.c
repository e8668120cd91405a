/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/groups.c - a column beside aggregates that is not grouped by: SQLite and MySQL
 * take it from any row of the group.
 *
 * Happy path: each such column is grouped by, or its row is: by a key of its table, or by a
 * reference to it. Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

struct within {
    bool has_any,
        has_extreme; /* an aggregate; MIN or MAX, whose row SQLite takes the others from */
};

/* Note the aggregates of an expression, outside of queries. */
static void note(const struct sql_doubts_look *look, const struct sql_expr *expr,
                 struct within *within)
{
    if (sql_doubts_is_aggregate(look, expr)) {
        within->has_any = true;
        within->has_extreme = within->has_extreme || str_equal(expr->call->name, STR("min")) ||
                              str_equal(expr->call->name, STR("max"));
    }
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
        note(look, child, within);
}

static bool refers_to(const struct sql_doubts_look *look, const struct sql_column_ref *by,
                      int to_table)
{
    const int table = look->parse->tables[by->table_ref].table;
    const struct catalog_table *at = &look->source->catalog->tables[table];
    const bool is_row = at->columns[by->column].primary_key || at->columns[by->column].unique;
    for (size_t i = 0; i < at->reference_count; i++)
        if (at->references[i].to_table == to_table &&
            (is_row || at->references[i].columns[0] == by->column))
            return true;
    return false;
}

/* Whether a group has one value of the column where it has one of by. */
static bool settles(const struct sql_doubts_look *look, const struct sql_column_ref *by,
                    const struct sql_column_ref *ref)
{
    const struct catalog_column *column = sql_doubts_column(look, by);
    if (column == NULL)
        return true; /* of a derived table, or an expression: nobody knows */
    if (by->table_ref == ref->table_ref)
        return by->column == ref->column || column->primary_key || column->unique;
    return refers_to(look, by, look->parse->tables[ref->table_ref].table);
}

/* Whether the k-th item is meant by the expression of GROUP BY: its place, alias or text. */
static bool is_meant(const struct sql_doubts_look *look, const struct sql_expr *by,
                     const struct sql_item *item, size_t place)
{
    uint64_t number;
    struct str text = sql_doubts_text(look, by->span);
    if (by->kind == SQL_EXPR_LITERAL && str_to_u64(text, &number))
        return number == place;
    return str_equal_nocase(text, item->alias) ||
           str_equal_nocase(text, sql_doubts_text(look, item->expr->span));
}

static bool is_settled(const struct sql_doubts_look *look, const struct sql_branch *branch,
                       const struct sql_item *item, size_t place)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, item->expr);
    if (sql_doubts_column(look, ref) == NULL)
        return true;
    for (const struct sql_expr *by = branch->groups; by != NULL; by = by->next) {
        const struct sql_column_ref *of = sql_parse_column_at(look->parse, by);
        if (is_meant(look, by, item, place) ||
            (of != NULL && of->table_ref >= 0 && settles(look, of, ref)))
            return true;
    }
    const struct sql_expr *where = branch->where;
    for (const struct sql_expr *one = sql_doubts_condition(where); one != NULL;
         one = sql_doubts_next(where, one)) {
        const struct sql_column_ref *fixed =
            one->kind == SQL_EXPR_EQUAL ? sql_parse_column_at(look->parse, one->children) : NULL;
        if (fixed != NULL && fixed->table_ref == ref->table_ref && fixed->column == ref->column)
            return true;
    }
    return false;
}

void sql_doubts_of_groups(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    struct within within = {false, false};
    if (look->parse->dialect == SQL_POSTGRES) /* which refuses it */
        return;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (item->expr != NULL)
            note(look, item->expr, &within);
    if (!within.has_any || within.has_extreme)
        return;
    size_t place = 1;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next, place++) {
        if (item->expr == NULL || item->expr->kind != SQL_EXPR_NAME ||
            is_settled(look, branch, item, place))
            continue;
        struct str text = sql_doubts_text(look, item->expr->span);
        sql_doubts_say(look, "not_grouped",
                       arena_printf(look->source->arena,
                                    "%.*s is neither in GROUP BY nor within an aggregate, so it is "
                                    "of any row of its group; group by it, too, or leave it out",
                                    STR_ARG(text)),
                       arena_printf(look->source->arena,
                                    "%.*s stands for whole groups and is of one row in each",
                                    STR_ARG(text)));
        return;
    }
}
