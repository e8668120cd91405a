/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_expr.h - expressions, and lists of them. Private to the grammar_*
 * files. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_EXPR_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_EXPR_H

#include "agents/sql/grammar/grammar_cursor.h"

/* Append expr to a list through its tail pointer. */
static inline void sql_grammar_expr_push(struct sql_expr ***tail, struct sql_expr *expr)
{
    if (expr == NULL)
        return;
    **tail = expr;
    *tail = &expr->next;
}

/* A node that began at start and ends with the last token taken; NULL having given up. */
struct sql_expr *sql_grammar_expr_node(struct sql_grammar_cursor *c, enum sql_expr_kind kind,
                                       size_t start);
/* One expression. NULL having given up. */
struct sql_expr *sql_grammar_expr_parse(struct sql_grammar_cursor *c);
/* One expression that holds no comparison, so that IN after it is not part of it. */
struct sql_expr *sql_grammar_expr_bits(struct sql_grammar_cursor *c);
/* One or more expressions, separated by commas. */
struct sql_expr *sql_grammar_expr_list(struct sql_grammar_cursor *c);
/* ORDER BY terms: expressions with ASC, DESC, NULLS FIRST, NULLS LAST. */
struct sql_expr *sql_grammar_expr_order(struct sql_grammar_cursor *c);

#endif
