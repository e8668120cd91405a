/* SPDX-License-Identifier: MIT */
/* agents/tools/explain_sql.c - the tool that says what the guard makes of a statement and what the
 * database expects it to cost, or, where tables hold others' rows, whether it may run; nothing
 * runs. */
#include "agents/proving/explain.h"
#include "agents/tools/guarded.h"
#include "proto/json_write.h"

enum { TEXT_BYTES = 64 * 1024 };

struct explain_call {
    struct tools_guarded guarded;
    struct explain explain;
};

static tool_fn explain, keep; /* in running order */

static void start(struct tool_call *call)
{
    struct explain_call *f = call->frame;
    tools_guarded_judge(call, &f->guarded, tools_call_str(call, STR("sql")), explain);
}

static void explain(struct tool_call *call)
{
    struct explain_call *f = call->frame;
    if (!tools_guarded_pass(call, &f->guarded))
        return;
    explain_start(call->node, &f->explain, &f->guarded.statement, tools_call_waiter(call));
    tools_call_settle(call, keep);
}

/* Whether it may run, in the place of figures. */
static void write_verdict(const struct tool_call *call, const struct sql_cost *cost,
                          struct json_write *writer)
{
    const struct sql_cost_limits limits = tools_guarded_limits(call);
    struct err err = {0};
    bool may_run = sql_cost_check(cost, &limits, &err) == ERR_OK;
    json_write_member_bool(writer, STR("may_run"), may_run);
    if (!may_run)
        json_write_member_str(writer, STR("why_not"), str_of(err.text));
}

static void keep(struct tool_call *call)
{
    struct explain_call *f = call->frame;
    struct sql_cost cost;
    struct json_write writer;
    struct buf out;
    if (!explain_cost(call->node, &f->explain, f->guarded.passed->sent, &cost)) {
        tools_call_fail(call, "The guard lets the statement pass, but the database could not "
                              "explain it.");
        return;
    }
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("sent"), f->guarded.passed->sql);
    if (services_is_shared(knowledge(call->node))) {
        write_verdict(call, &cost, &writer);
    } else {
        if (cost.cost >= 0)
            json_write_member_double(&writer, STR("cost"), cost.cost);
        json_write_member_double(&writer, STR("rows"), cost.rows);
        json_write_member_str(&writer, STR("dearest"), cost.what);
    }
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
