/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/tree_walk.h - visits every part of a statement's tree.
 *
 * Trees are at most SQL_GRAMMAR_MAX_NESTING deep, so the walk recurses. Any thread. */
#ifndef AGENTS_SQL_GRAMMAR_TREE_WALK_H
#define AGENTS_SQL_GRAMMAR_TREE_WALK_H

#include "agents/sql/grammar/grammar_tree.h"

struct sql_tree_walk;
/* Called before the parts are visited; any may be NULL. */
typedef void sql_tree_expr_fn(struct sql_tree_walk *walk, const struct sql_expr *expr);
typedef void sql_tree_cte_fn(struct sql_tree_walk *walk, const struct sql_cte *cte);
typedef void sql_tree_from_fn(struct sql_tree_walk *walk, const struct sql_from *from);
typedef void sql_tree_branch_fn(struct sql_tree_walk *walk, const struct sql_branch *branch);

struct sql_tree_walk {
    sql_tree_expr_fn *on_expr;
    sql_tree_cte_fn *on_cte;
    sql_tree_from_fn *on_from;
    sql_tree_branch_fn *on_branch;
    void *owner;
};

void sql_tree_walk_select(struct sql_tree_walk *walk, const struct sql_select *select);
void sql_tree_walk_expr(struct sql_tree_walk *walk, const struct sql_expr *expr);
void sql_tree_walk_branch(struct sql_tree_walk *walk, const struct sql_branch *branch);

#endif
