/* SPDX-License-Identifier: MIT */
/* agents/proving/explain.c - one question a statement.
 *
 * Happy path: the plan comes and is read. Failure: what the database refuses, or nobody can read,
 * is no cost; the owner says what that means. */
#include "agents/proving/explain.h"

enum { PLAN_ROWS = 1000 };

void explain_start(struct node *node, struct explain *explain,
                   const struct sql_statement *statement, struct op_waiter waiter)
{
    op_release(&explain->query.op);
    explain->query = (struct sql_query){0};
    explain->question = *statement;
    explain->question.text =
        sql_cost_question(knowledge(node)->dialect, statement->text, node_arena(node));
    explain->question.max_rows = PLAN_ROWS;
    sql_query_start(&explain->query, services(node)->sql, &explain->question, waiter);
}

const struct err *explain_error(const struct explain *explain)
{
    return &explain->query.op.err;
}

bool explain_cost(struct node *node, struct explain *explain, const struct sql_parse *sent,
                  struct sql_cost *cost)
{
    const struct knowledge *knows = knowledge(node);
    return explain->query.op.err.code == ERR_OK &&
           sql_cost_read(knows->dialect, &explain->query.result, knows->catalog, sent,
                         node_arena(node), cost);
}

enum err_code explain_judge(struct node *node, struct explain *explain,
                            const struct sql_parse *sent, const struct sql_cost_limits *limits)
{
    struct sql_cost cost;
    struct err err = {0};
    if (explain->query.op.err.code == ERR_CANCELLED)
        return ERR_CANCELLED;
    return explain_cost(node, explain, sent, &cost) ? sql_cost_check(&cost, limits, &err)
                                                    : ERR_REJECTED;
}
