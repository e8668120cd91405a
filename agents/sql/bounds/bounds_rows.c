/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_rows.c - counts from the leaves up: literals are one row each, tables
 * are many.
 *
 * Happy path: a query gives the sum of its branches, at most its LIMIT; a branch the product of its
 * FROM, one row when it only aggregates, its kinds when it is DISTINCT or grouped.
 * No failures: what is not known is many. A recursion gives as many rows as the largest number it
 * is compared with; where it counts dates, as many as days in a working life. Of CTEs with one name
 * in several places the larger counts. */
#include "agents/sql/bounds/bounds_rows.h"

#include "agents/sql/grammar/tree_walk.h"

enum { CALENDAR_ROWS = 20 * 1000, CALL_ROWS = 100, MOST_KNOWN = 1 << 30 };

struct counted {
    const struct sql_cte *cte;
    uint64_t rows;
    bool known, counting;
    struct counted *next;
};

struct sql_bounds_rows {
    const struct sql_parse *parse;
    struct arena *arena;
    struct counted *ctes;
};

uint64_t sql_bounds_rows_times(uint64_t left, uint64_t right)
{
    if (!sql_bounds_rows_known(left) || !sql_bounds_rows_known(right))
        return left > right ? left : right;
    return left > 0 && right > MOST_KNOWN / left ? MOST_KNOWN : left * right;
}

static uint64_t plus(uint64_t left, uint64_t right)
{
    if (!sql_bounds_rows_known(left) || !sql_bounds_rows_known(right))
        return left > right ? left : right;
    return left + right > MOST_KNOWN ? MOST_KNOWN : left + right;
}

static void note_cte(struct sql_tree_walk *walk, const struct sql_cte *cte)
{
    struct sql_bounds_rows *rows = walk->owner;
    struct counted *counted = arena_alloc(rows->arena, sizeof *counted);
    if (counted == NULL)
        return;
    *counted = (struct counted){.cte = cte, .next = rows->ctes};
    rows->ctes = counted;
}

struct sql_bounds_rows *sql_bounds_rows_create(const struct sql_parse *parse, struct arena *arena)
{
    struct sql_bounds_rows *rows = arena_alloc(arena, sizeof *rows);
    if (rows == NULL)
        return NULL;
    *rows = (struct sql_bounds_rows){.parse = parse, .arena = arena};
    struct sql_tree_walk walk = {.on_cte = note_cte, .owner = rows};
    if (parse->has_with)
        sql_tree_walk_select(&walk, parse->tree);
    return arena_ok(arena) ? rows : NULL;
}

/* ---- recursions ---- */

struct largest {
    struct str text;
    uint64_t number;
};

static void note_number(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct largest *largest = walk->owner;
    uint64_t number;
    if (expr->kind == SQL_EXPR_LITERAL &&
        str_to_u64(str_slice(largest->text, expr->span.start, expr->span.end), &number) &&
        number > largest->number)
        largest->number = number;
}

static uint64_t count_recursion(const struct sql_bounds_rows *rows, const struct sql_cte *cte)
{
    struct largest largest = {.text = rows->parse->text};
    struct sql_tree_walk walk = {.on_expr = note_number, .owner = &largest};
    for (const struct sql_branch *branch = cte->select->branches; branch != NULL;
         branch = branch->next)
        if (branch->where != NULL)
            sql_tree_walk_expr(&walk, branch->where);
    return largest.number == 0           ? CALENDAR_ROWS
           : largest.number > MOST_KNOWN ? MOST_KNOWN
                                         : largest.number;
}

static uint64_t count_cte(struct sql_bounds_rows *rows, struct str name)
{
    uint64_t most = 0;
    bool found = false;
    for (struct counted *at = rows->ctes; at != NULL; at = at->next) {
        if (!str_equal_nocase(at->cte->name, name))
            continue;
        found = true;
        if (at->counting) { /* it reads itself */
            at->rows = count_recursion(rows, at->cte);
            at->known = true;
        } else if (!at->known) {
            at->counting = true;
            uint64_t own = sql_bounds_rows_select(rows, at->cte->select);
            at->counting = false;
            at->rows = at->known && sql_bounds_rows_known(own) ? at->rows : own;
            at->known = true;
        }
        most = at->rows > most ? at->rows : most;
    }
    return found ? most : SQL_BOUNDS_ROWS_MANY;
}

/* ---- items of FROM ---- */

uint64_t sql_bounds_rows_of(struct sql_bounds_rows *rows, const struct sql_from *item)
{
    uint64_t inside = 1;
    switch (item->kind) {
    case SQL_FROM_TABLE:
        return item->table_ref >= 0 || item->schema.len > 0 ? SQL_BOUNDS_ROWS_MANY
                                                            : count_cte(rows, item->name);
    case SQL_FROM_SELECT:
        return sql_bounds_rows_select(rows, item->select);
    case SQL_FROM_CALL: /* bounds_sizes.h looks at what is as large as a number says */
        return CALL_ROWS;
    case SQL_FROM_PARENS:
        for (const struct sql_from *at = item->inside; at != NULL; at = at->next)
            inside = sql_bounds_rows_times(inside, sql_bounds_rows_of(rows, at));
        return inside;
    }
    return SQL_BOUNDS_ROWS_MANY;
}

/* ---- queries ---- */

static bool is_aggregate(const struct sql_bounds_rows *rows, const struct sql_call *call)
{
    for (size_t i = 0; i < rows->parse->function_count; i++) {
        const struct sql_function_ref *ref = &rows->parse->functions[i];
        if (ref->span.start == call->name_span.start)
            return ref->aggregate;
    }
    return false;
}

/* Whether an aggregate stands in the expression, but for its subqueries. */
static bool aggregates(const struct sql_bounds_rows *rows, const struct sql_expr *expr)
{
    if (expr->kind == SQL_EXPR_CALL && is_aggregate(rows, expr->call))
        return true;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
        if (aggregates(rows, child))
            return true;
    return false;
}

static bool only_aggregates(const struct sql_bounds_rows *rows, const struct sql_branch *branch)
{
    if (branch->groups != NULL)
        return false;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (item->expr != NULL && aggregates(rows, item->expr))
            return true;
    return false;
}

/* column = 'constant', as in the settings that a CTE picks for all rows. */
static bool picks(const struct sql_expr *where)
{
    if (where == NULL)
        return false;
    if (where->kind == SQL_EXPR_EQUAL)
        return (where->children->kind == SQL_EXPR_NAME &&
                where->children->next->kind == SQL_EXPR_LITERAL) ||
               (where->children->kind == SQL_EXPR_LITERAL &&
                where->children->next->kind == SQL_EXPR_NAME);
    for (const struct sql_expr *part = where->kind == SQL_EXPR_AND ? where->children : NULL;
         part != NULL; part = part->next)
        if (picks(part))
            return true;
    return false;
}

static uint64_t count_branch(struct sql_bounds_rows *rows, const struct sql_branch *branch)
{
    uint64_t count = branch->values ? 0 : 1;
    for (const struct sql_expr *row = branch->rows; row != NULL; row = row->next)
        count++;
    if (only_aggregates(rows, branch))
        return 1;
    for (const struct sql_from *item = branch->from; item != NULL; item = item->next)
        count = sql_bounds_rows_times(count, sql_bounds_rows_of(rows, item));
    bool reduced = branch->distinct || branch->groups != NULL || picks(branch->where);
    return reduced && count == SQL_BOUNDS_ROWS_MANY ? SQL_BOUNDS_ROWS_GROUPS : count;
}

uint64_t sql_bounds_rows_select(struct sql_bounds_rows *rows, const struct sql_select *select)
{
    const struct sql_limit *limit = &select->limit;
    uint64_t count = 0;
    bool distinct = false;
    for (const struct sql_branch *branch = select->branches; branch != NULL;
         branch = branch->next) {
        count = plus(count, count_branch(rows, branch));
        distinct = distinct || branch->set == SQL_SET_UNION;
    }
    if (distinct && count == SQL_BOUNDS_ROWS_MANY)
        count = SQL_BOUNDS_ROWS_GROUPS;
    if (limit->present && limit->is_number && !limit->with_ties && limit->number >= 0 &&
        (uint64_t)limit->number < count)
        return (uint64_t)limit->number;
    return count;
}

const struct sql_select *sql_bounds_rows_query(const struct sql_bounds_rows *rows, struct str name)
{
    for (const struct counted *at = rows->ctes; at != NULL; at = at->next)
        if (str_equal_nocase(at->cte->name, name))
            return at->cte->select;
    return NULL;
}
