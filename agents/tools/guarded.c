/* SPDX-License-Identifier: MIT */
/* agents/tools/guarded.c - the guard's verdict and what a statement is sent with.
 *
 * Failure: a refusal is a result that the model reads, and is counted. */
#include "agents/tools/guarded.h"

#include "agents/nodes/check_sql.h"
#include "agents/sql/parse/reads.h"

void tools_guarded_judge(struct tool_call *call, struct tools_guarded *guarded, struct str written,
                         tool_fn *next)
{
    const struct knowledge *knows = knowledge(call->node);
    if (knows->catalog == NULL) {
        tools_call_fail(call, "The database cannot be read now: %s", knows->catalog_err.text);
        return;
    }
    guarded->written = str_trim(written);
    guarded->apart.waiter = tools_call_waiter(call);
    if (check_sql_judge_apart(call->node, call->guard, guarded->written, false, &guarded->apart))
        tools_call_settle(call, next);
    else
        next(call);
}

bool tools_guarded_prepare(struct tool_call *call, struct tools_guarded *guarded)
{
    const struct limits *limits = services(call->node)->limits;
    const struct knowledge *knows = knowledge(call->node);
    guarded->statement = (struct sql_statement){
        .text = guarded->passed->sql,
        .variables = guarded->variables,
        .variable_count = services_variables(node_session(call->node), guarded->variables),
        .max_rows = check_sql_most_rows(call->node, call->guard),
        .max_bytes = limits->max_result_bytes,
        .timeout_ms = limits->sql_timeout_ms,
        .asker = node_session(call->node),
    };
    if (knows->dialect == SQL_SQLITE)
        guarded->statement.reads =
            sql_reads_of(guarded->passed->sent, knows->catalog, node_arena(call->node));
    return knows->dialect != SQL_SQLITE || guarded->statement.reads != NULL;
}

bool tools_guarded_pass(struct tool_call *call, struct tools_guarded *guarded)
{
    const struct sql_verdict *verdict = check_sql_judge(call->node, call->guard, guarded->written);
    guarded->passed = verdict;
    services_tell_verdict(node_session(call->node), verdict, guarded->written);
    if (verdict->code != ERR_OK) {
        tools_call_fail(call, "The statement was refused: %s", verdict->err.text);
        return false;
    }
    if (tools_guarded_prepare(call, guarded))
        return true;
    tools_call_fail(call, "There is no memory for the statement.");
    return false;
}

struct sql_cost_limits tools_guarded_limits(const struct tool_call *call)
{
    const struct knowledge *knows = knowledge(call->node);
    const struct sql_policy *policy = call->guard->banking ? knows->banking_policy : knows->policy;
    return (struct sql_cost_limits){services(call->node)->limits->sql_max_cost,
                                    policy->max_plan_rows, services_is_shared(knows)};
}
