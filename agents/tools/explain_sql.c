/* SPDX-License-Identifier: MIT */
/* agents/tools/explain_sql.c - the tool that says what the guard makes of a statement and what the
 * database expects it to cost; nothing runs. */
#include "agents/nodes/check_sql.h"
#include "agents/nodes/judge_apart.h"
#include "agents/sql/guard/cost.h"
#include "agents/tools/call.h"
#include "proto/json_write.h"

enum { PLAN_ROWS = 1000, TEXT_BYTES = 64 * 1024 };

struct explain_call {
    struct judge_apart apart;
    struct str written;
    struct sql_query query;
    struct sql_statement statement;
    struct sql_variable variables[SERVICES_VARIABLES];
    const struct sql_verdict *passed;
};

static tool_fn explain, keep; /* in running order */

static void start(struct tool_call *call)
{
    struct explain_call *f = call->frame;
    const struct knowledge *knows = knowledge(call->node);
    if (knows->catalog == NULL) {
        tools_call_fail(call, "The database cannot be read now: %s", knows->catalog_err.text);
        return;
    }
    f->written = str_trim(tools_call_str(call, STR("sql")));
    f->apart.waiter = tools_call_waiter(call);
    if (check_sql_judge_apart(call->node, call->guard, f->written, false, &f->apart))
        tools_call_settle(call, explain);
    else
        explain(call);
}

static void explain(struct tool_call *call)
{
    struct explain_call *f = call->frame;
    const struct knowledge *knows = knowledge(call->node);
    const struct limits *limits = services(call->node)->limits;
    f->passed = check_sql_judge(call->node, call->guard, f->written);
    if (f->passed->code != ERR_OK) {
        tools_call_fail(call, "The statement would be refused: %s", f->passed->err.text);
        return;
    }
    f->statement = (struct sql_statement){
        .text = sql_cost_question(knows->dialect, f->passed->sql, node_arena(call->node)),
        .variables = f->variables,
        .variable_count = services_variables(node_session(call->node), f->variables),
        .max_rows = PLAN_ROWS,
        .max_bytes = limits->max_result_bytes,
        .timeout_ms = limits->sql_timeout_ms,
    };
    sql_query_start(&f->query, services(call->node)->sql, &f->statement, tools_call_waiter(call));
    tools_call_settle(call, keep);
}

static void keep(struct tool_call *call)
{
    struct explain_call *f = call->frame;
    const struct knowledge *knows = knowledge(call->node);
    struct sql_cost cost;
    struct json_write writer;
    struct buf out;
    if (f->query.op.err.code != ERR_OK ||
        !sql_cost_read(knows->dialect, &f->query.result, knows->catalog, f->passed->sent,
                       node_arena(call->node), &cost)) {
        tools_call_fail(call, "The guard lets the statement pass, but the database could not "
                              "explain it.");
        return;
    }
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("sent"), f->passed->sql);
    if (cost.cost >= 0)
        json_write_member_double(&writer, STR("cost"), cost.cost);
    json_write_member_double(&writer, STR("rows"), cost.rows);
    json_write_member_str(&writer, STR("dearest"), cost.what);
    json_write_object_end(&writer);
    if (buf_ok(&out))
        tools_call_done(call, buf_str(&out));
    else
        tools_call_fail(call, "The explanation does not fit into memory.");
    buf_fini(&out);
}

static bool is_there(const struct services *has, const struct knowledge *knows UNUSED)
{
    return has->sql != NULL;
}

const struct tool tools_explain_sql = {
    .name = "explain_sql",
    .description = "Says without running it whether a statement is allowed, and what the database "
                   "expects it to cost. For statements over large tables.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"sql\":{\"type\":\"string\",\"minLength\":"
                  "1}},\"required\":[\"sql\"],\"additionalProperties\":false}",
    .start = start,
    .frame_bytes = sizeof(struct explain_call),
    .is_there = is_there,
};
