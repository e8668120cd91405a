/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/tree_walk.c - one function per kind of part; cannot fail. */
#include "agents/sql/grammar/tree_walk.h"

static void walk_exprs(struct sql_tree_walk *walk, const struct sql_expr *first);
static void walk_froms(struct sql_tree_walk *walk, const struct sql_from *first);

static void walk_windows(struct sql_tree_walk *walk, const struct sql_window *first)
{
    for (const struct sql_window *window = first; window != NULL; window = window->next) {
        walk_exprs(walk, window->partition);
        walk_exprs(walk, window->order);
        walk_exprs(walk, window->frame);
    }
}

void sql_tree_walk_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    if (walk->on_expr != NULL)
        walk->on_expr(walk, expr);
    switch (expr->kind) {
    case SQL_EXPR_CALL:
        walk_exprs(walk, expr->call->order);
        walk_exprs(walk, expr->call->filter);
        walk_windows(walk, expr->call->window);
        break;
    case SQL_EXPR_SELECT:
    case SQL_EXPR_EXISTS:
        sql_tree_walk_select(walk, expr->select);
        break;
    case SQL_EXPR_TABLE:
        walk_froms(walk, expr->table);
        break;
    default:
        break;
    }
    walk_exprs(walk, expr->children);
}

static void walk_exprs(struct sql_tree_walk *walk, const struct sql_expr *first)
{
    for (const struct sql_expr *expr = first; expr != NULL; expr = expr->next)
        sql_tree_walk_expr(walk, expr);
}

static void walk_froms(struct sql_tree_walk *walk, const struct sql_from *first)
{
    for (const struct sql_from *from = first; from != NULL; from = from->next) {
        if (walk->on_from != NULL)
            walk->on_from(walk, from);
        sql_tree_walk_select(walk, from->select);
        walk_exprs(walk, from->call);
        walk_froms(walk, from->inside);
        walk_exprs(walk, from->on);
    }
}

void sql_tree_walk_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    if (walk->on_branch != NULL)
        walk->on_branch(walk, branch);
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        walk_exprs(walk, item->expr);
    walk_exprs(walk, branch->rows);
    walk_exprs(walk, branch->distinct_on);
    walk_froms(walk, branch->from);
    walk_exprs(walk, branch->where);
    walk_exprs(walk, branch->groups);
    walk_exprs(walk, branch->having);
    walk_windows(walk, branch->windows);
}

void sql_tree_walk_select(struct sql_tree_walk *walk, const struct sql_select *select)
{
    if (select == NULL)
        return;
    for (const struct sql_cte *cte = select->ctes; cte != NULL; cte = cte->next) {
        if (walk->on_cte != NULL)
            walk->on_cte(walk, cte);
        sql_tree_walk_select(walk, cte->select);
    }
    for (const struct sql_branch *branch = select->branches; branch != NULL; branch = branch->next)
        sql_tree_walk_branch(walk, branch);
    walk_exprs(walk, select->order);
    walk_exprs(walk, select->limit_count);
    walk_exprs(walk, select->limit_skip);
}
