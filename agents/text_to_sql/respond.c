/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/respond.c - turns rows, or the reason why there are none, into an answer that
 * is remembered.
 *
 * Happy path: the statement ran; its rows are put into words. Failure: the model explains a
 * database error (C5) and a spent budget as well: the run completes, since its caller got an
 * answer. */
#include "agents/text_to_sql/respond.h"

#include "agents/common/refusals.h"
#include "agents/nodes/remember.h"
#include "agents/rows/shown.h"
#include "agents/text_to_sql/state.h"

static bool is_executed(const struct node *node)
{
    return state_bool(node_state(node), TEXT_TO_SQL_EXECUTED);
}

struct str text_to_sql_respond_error(struct node *node)
{
    if (is_executed(node))
        return STR("");
    if (state_bool(node_state(node), TEXT_TO_SQL_IS_VALID))
        return node_str(node, TEXT_TO_SQL_EXECUTION_ERROR);
    return node_str(node, TEXT_TO_SQL_REASON);
}

struct str text_to_sql_respond_status(struct node *node)
{
    if (is_executed(node))
        return STR("The statement ran.");
    if (state_bool(node_state(node), TEXT_TO_SQL_IS_VALID))
        return STR("The statement is valid, but the database could not run it.");
    return arena_printf(node_arena(node), "No valid statement was written in %lld attempts.",
                        (long long)node_int(node, TEXT_TO_SQL_RETRY_COUNT));
}

struct str text_to_sql_respond_rows(struct node *node)
{
    return rows_shown(node, TEXT_TO_SQL_SHOWN, STR("rows"));
}

struct str text_to_sql_respond_row_count(struct node *node)
{
    return rows_shown(node, TEXT_TO_SQL_SHOWN, STR("row_count"));
}

struct str text_to_sql_respond_truncated(struct node *node)
{
    return rows_shown(node, TEXT_TO_SQL_SHOWN, STR("truncated"));
}

enum step text_to_sql_respond_keep(struct node *node, struct str answer)
{
    struct str text = str_trim(answer);
    node_put_str(node, TEXT_TO_SQL_NATURAL_LANGUAGE_RESPONSE, text);
    remember_push(node, TEXT_TO_SQL_MESSAGES, LLM_ASSISTANT, text);
    remember_save(node, node_str(node, TEXT_TO_SQL_QUESTION), text);
    if (state_bool(node_state(node), TEXT_TO_SQL_EXECUTED))
        remember_statement(node, node_str(node, TEXT_TO_SQL_GENERATED_SQL));
    return STEP_DONE;
}

enum step text_to_sql_respond_first(struct node *node)
{
    struct str reason = node_str(node, TEXT_TO_SQL_REFUSAL), text = reason;
    if (str_is_absent(reason))
        return STEP_WAIT;
    if (!str_is_absent(reason))
        text = refusals_sentence(node_arena(node), reason);
    node_emit_token(node, EVENT_FINAL_CHANNEL, text);
    return text_to_sql_respond_keep(node, text);
}
