/* SPDX-License-Identifier: MIT */
/* agents/sql/scope_expr.c - every name, call and sub-select of an expression.
 *
 * Happy path: walk the tree, which is no deeper than the grammar let it be. Failure: only what the
 * sub-selects give up on. */
#include "agents/sql/scope_parts.h"

static const struct {
    struct str name;
    bool one_argument; /* an aggregate only with one: min, max */
} aggregates[] = {
    {{"avg", 3}, false},
    {{"bit_and", 7}, false},
    {{"bit_or", 6}, false},
    {{"bit_xor", 7}, false},
    {{"count", 5}, false},
    {{"group_concat", 12}, false},
    {{"json_arrayagg", 13}, false},
    {{"json_group_array", 16}, false},
    {{"json_group_object", 17}, false},
    {{"json_objectagg", 14}, false},
    {{"max", 3}, true},
    {{"min", 3}, true},
    {{"std", 3}, false},
    {{"stddev", 6}, false},
    {{"stddev_pop", 10}, false},
    {{"stddev_samp", 11}, false},
    {{"string_agg", 10}, false},
    {{"sum", 3}, false},
    {{"total", 5}, false},
    {{"var_pop", 7}, false},
    {{"var_samp", 8}, false},
    {{"variance", 8}, false},
};

static bool is_aggregate(const struct sql_call *call)
{
    for (size_t i = 0; i < countof(aggregates); i++)
        if (str_equal(aggregates[i].name, call->name))
            return !aggregates[i].one_argument || call->argument_count == 1;
    return false;
}

void sql_scope_expr_windows(struct sql_scope *s, struct sql_scope_frame *frame,
                            const struct sql_window *windows)
{
    for (const struct sql_window *window = windows; window != NULL; window = window->next) {
        sql_scope_expr_list(s, frame, window->partition);
        sql_scope_expr_list(s, frame, window->order);
        sql_scope_expr_list(s, frame, window->frame);
    }
}

void sql_scope_expr_call(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *expr, bool in_from)
{
    const struct sql_call *call = expr->call;
    struct sql_function_ref ref = {.span = call->name_span,
                                   .name = call->name,
                                   .in_from = in_from,
                                   .windowed = call->windowed,
                                   .aggregate = !in_from && !call->windowed && is_aggregate(call),
                                   .argument_count = call->argument_count};
    sql_scope_state_add_function(s, &ref);
    s->parse->has_aggregate = s->parse->has_aggregate || ref.aggregate;
    sql_scope_expr_list(s, frame, expr->children);
    sql_scope_expr_list(s, frame, call->order);
    sql_scope_expr_walk(s, frame, call->filter);
    sql_scope_expr_windows(s, frame, call->window);
}

/* x IN t, where t may be a CTE. */
static void walk_table(struct sql_scope *s, const struct sql_scope_frame *frame,
                       struct sql_from *table)
{
    const struct sql_scope_cte *cte =
        str_is_absent(table->schema) ? sql_scope_from_cte(s, frame->ctes, table->name) : NULL;
    sql_scope_state_expand(s, cte == NULL ? 1 : 1 + cte->expanded);
    if (cte == NULL)
        (void)sql_scope_from_table(s, frame, table, SQL_USE_IN);
    else
        s->parse->has_recursive = s->parse->has_recursive || cte->defining;
}

void sql_scope_expr_walk(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *expr)
{
    if (expr == NULL || s->failed)
        return;
    switch (expr->kind) {
    case SQL_EXPR_LITERAL:
    case SQL_EXPR_PARAMETER:
    case SQL_EXPR_VARIABLE:
        return;
    case SQL_EXPR_NAME:
        sql_scope_name_resolve(s, frame, expr);
        return;
    case SQL_EXPR_CALL:
        sql_scope_expr_call(s, frame, expr, false);
        return;
    case SQL_EXPR_SELECT:
    case SQL_EXPR_EXISTS:
        (void)sql_scope_select_walk(s, frame, frame->ctes, expr->select);
        return;
    case SQL_EXPR_TABLE:
        walk_table(s, frame, expr->table);
        return;
    case SQL_EXPR_AND:
    case SQL_EXPR_EQUAL:
    case SQL_EXPR_COLLATE:
    case SQL_EXPR_CAST:
    case SQL_EXPR_OPERATOR:
    case SQL_EXPR_PARENS:
        sql_scope_expr_list(s, frame, expr->children);
        return;
    }
}

void sql_scope_expr_list(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *list)
{
    for (const struct sql_expr *expr = list; expr != NULL; expr = expr->next)
        sql_scope_expr_walk(s, frame, expr);
}
