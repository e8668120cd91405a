/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/result.c - what the answer's prompt sees of the rows.
 *
 * Happy path: rows are cut to what a prompt shows. Failure: a refusal is the answer; a spent budget
 * fails the node with the last error. */
#include "agents/sql_agent/result.h"

#include "agents/common/refusals.h"
#include "agents/rows/shown.h"
#include "agents/sql_agent/clarify.h"
#include "agents/sql_agent/state.h"

static enum step say_refusal(struct node *node)
{
    struct str reason = node_str(node, SQL_AGENT_REFUSAL);
    struct str text = reason;
    struct str asked =
        !node_has(node, SQL_AGENT_CLARIFY)
            ? (struct str){NULL, 0}
            : sql_agent_clarify_text(node_arena(node), node_str(node, SQL_AGENT_CLARIFY));
    if (!str_is_absent(asked))
        text = asked;
    else if (!str_is_absent(reason))
        text = refusals_sentence(node_arena(node), reason);
    node_emit_token(node, EVENT_FINAL_CHANNEL, text);
    node_put_str(node, SQL_AGENT_FINAL_ANSWER, text);
    return STEP_DONE;
}

enum step sql_agent_result_first(struct node *node)
{
    struct err err;
    if (node_has(node, SQL_AGENT_REFUSAL))
        return say_refusal(node);
    if (!node_has(node, SQL_AGENT_LAST_SQL_ERROR))
        return STEP_WAIT;
    bool rejected = !node_has(node, SQL_AGENT_VALIDATED_SQL);
    err_set(&err, ERR_REJECTED, "%.*s", STR_ARG(node_str(node, SQL_AGENT_LAST_SQL_ERROR)));
    return node_fail_as(node,
                        rejected                              ? "sql_rejected"
                        : node_has(node, SQL_AGENT_TIMED_OUT) ? "sql_timeout"
                                                              : "sql_failed",
                        &err);
}

struct str sql_agent_result_rows(struct node *node)
{
    return rows_shown(node, SQL_AGENT_RESULT, STR("rows"));
}

struct str sql_agent_result_row_count(struct node *node)
{
    return rows_shown(node, SQL_AGENT_RESULT, STR("row_count"));
}

struct str sql_agent_result_truncated(struct node *node)
{
    return rows_shown(node, SQL_AGENT_RESULT, STR("truncated"));
}
