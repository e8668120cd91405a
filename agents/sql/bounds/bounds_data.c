/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_data.c - follows a bound to the one value it is.
 *
 * Happy path: a scalar subquery of one row, or a column of an item of one row, whose value is not
 * of another kind than the counter. No failures: what is not known is no bound. */
#include "agents/sql/bounds/bounds_data.h"

#include "agents/sql/parse/parse.h"
#include "agents/sql/grammar/tree_walk.h"

struct readers {
    struct str name;
    size_t count;
};

static void note_table(struct sql_tree_walk *walk, const struct sql_from *from)
{
    struct readers *readers = walk->owner;
    if (from->kind == SQL_FROM_TABLE && from->schema.len == 0 &&
        str_equal_nocase(from->name, readers->name))
        readers->count++;
}

size_t sql_bounds_data_reads(const struct sql_select *select, const struct sql_branch *branch,
                             struct str name)
{
    struct readers readers = {.name = name};
    struct sql_tree_walk walk = {.on_from = note_table, .owner = &readers};
    if (select != NULL)
        sql_tree_walk_select(&walk, select);
    if (branch != NULL)
        sql_tree_walk_branch(&walk, branch);
    return readers.count;
}

bool sql_bounds_data_is_one(const struct sql_bounds_data *at, const struct sql_from *item)
{
    if (item->kind == SQL_FROM_TABLE
            ? item->table_ref >= 0 || str_equal_nocase(item->name, at->cte->name)
            : item->kind != SQL_FROM_SELECT ||
                  sql_bounds_data_reads(item->select, NULL, at->cte->name) > 0)
        return false;
    return sql_bounds_rows_of(at->rows, item) == 1;
}

static bool is_text(const struct sql_bounds_data *at, const struct sql_expr *name)
{
    const struct sql_column_ref *ref = sql_parse_column_at(at->parse, name);
    int table = ref == NULL ? CATALOG_NONE : at->parse->tables[ref->table_ref].table;
    if (table == CATALOG_NONE || ref->column == CATALOG_NONE)
        return false;
    enum catalog_type type = at->catalog->tables[table].columns[ref->column].type;
    return type == CATALOG_TEXT || type == CATALOG_DATE || type == CATALOG_TIMESTAMP ||
           type == CATALOG_BLOB;
}

/* SQLite: n < 'text' for ever. What is computed is taken for a number, unless it is a date. */
static bool may_be_text(const struct sql_bounds_data *at, const struct sql_expr *expr)
{
    while (expr->kind == SQL_EXPR_PARENS && expr->children != NULL)
        expr = expr->children;
    if (expr->kind == SQL_EXPR_CALL &&
        (str_equal(expr->call->name, STR("max")) || str_equal(expr->call->name, STR("min"))) &&
        expr->children != NULL)
        return may_be_text(at, expr->children);
    if (expr->kind == SQL_EXPR_CALL)
        return !str_equal(expr->call->name, STR("count")) &&
               !str_equal(expr->call->name, STR("sum")) &&
               !str_equal(expr->call->name, STR("total")) &&
               !str_equal(expr->call->name, STR("avg")) &&
               !str_equal(expr->call->name, STR("length"));
    if (expr->kind == SQL_EXPR_NAME)
        return is_text(at, expr);
    return expr->kind == SQL_EXPR_LITERAL && at->parse->text.at[expr->span.start] == '\'';
}

/* The only item of the select's list that is called name; with an absent name the only one. */
static const struct sql_expr *item_called(const struct sql_select *select, struct str name)
{
    const struct sql_item *item = select->branches->items;
    if (select->branch_count != 1)
        return NULL;
    if (name.len == 0)
        return item != NULL && item->next == NULL ? item->expr : NULL;
    for (; item != NULL; item = item->next)
        if (str_equal_nocase(item->alias, name))
            return item->expr;
    return NULL;
}

static const struct sql_select *query_of(const struct sql_bounds_data *at,
                                         const struct sql_from *item)
{
    return item->kind == SQL_FROM_SELECT ? item->select
                                         : sql_bounds_rows_query(at->rows, item->name);
}

/* The value that name is, a column of a one-row item of the branch; or NULL. */
static const struct sql_expr *value_of(const struct sql_bounds_data *at,
                                       const struct sql_name *name)
{
    for (const struct sql_from *item = at->branch->from; item != NULL; item = item->next) {
        struct str called = item->alias.len > 0 ? item->alias : item->name;
        if ((name->qualifier.len > 0 && !str_equal_nocase(name->qualifier, called)) ||
            !sql_bounds_data_is_one(at, item))
            continue;
        const struct sql_select *query = query_of(at, item);
        const struct sql_expr *value = query == NULL ? NULL : item_called(query, name->name);
        if (value != NULL)
            return value;
    }
    return NULL;
}

bool sql_bounds_data_ends(const struct sql_bounds_data *at, const struct sql_expr *expr,
                          bool counts_numbers)
{
    const struct sql_expr *value = NULL;
    if (expr->kind == SQL_EXPR_SELECT &&
        sql_bounds_data_reads(expr->select, NULL, at->cte->name) == 0 &&
        sql_bounds_rows_select(at->rows, expr->select) == 1)
        value = item_called(expr->select, (struct str){NULL, 0});
    else if (expr->kind == SQL_EXPR_NAME)
        value = value_of(at, expr->name);
    return value != NULL &&
           !(counts_numbers && at->parse->dialect == SQL_SQLITE && may_be_text(at, value));
}
