/* SPDX-License-Identifier: MIT */
/* agents/tools/call.c - arguments are read and checked, the tool's sequence runs, its text is kept.
 *
 * Happy path: the arguments are JSON and fit the schema; a person allows the call where one has to;
 * the tool starts its operations; the last
 * of them to end leads on to its next function; its end keeps the result. Failure: what the model
 * can do better is a result; a cancelled call ends with ERR_CANCELLED once its operations have; a
 * spent arena with ERR_NO_MEMORY. */
#include "agents/tools/call.h"

#include <stdarg.h>
#include <stdio.h>

#include "agents/common/members.h"
#include "agents/tools/arguments.h"
#include "agents/tools/call_internal.h"
#include "proto/json_schema.h"
#include "proto/json_value.h"

enum { NAMES_BYTES = 1024 };

static void go_on(struct tool_call *call);

const struct tool *tools_call_find(const struct tool *const *offered, struct str name)
{
    for (size_t i = 0; offered[i] != NULL; i++)
        if (str_equal(str_of(offered[i]->name), name))
            return offered[i];
    return NULL;
}

/* ---- ends ---- */

static void finish(struct tool_call *call, const struct err *err)
{
    op_group_release(&call->ops);
    call->took_ms = loop_now_ms(call->op.loop) - call->began_ms;
    bool has_result = err->code == ERR_OK && str_is_absent(call->asks) && !call->is_paused;
    if (has_result && call->on_ended != NULL)
        call->on_ended(call);
    op_finish_err(&call->op, err);
}

void tools_call_end(struct tool_call *call, struct str text, bool is_error)
{
    struct err err = {0};
    struct arena *arena = node_arena(call->node);
    struct str kept = str_utf8_prefix(text, TOOLS_RESULT_BYTES);
    call->result.is_error = is_error;
    call->result.text = kept.len == text.len
                            ? arena_str(arena, text)
                            : arena_printf(arena, "%.*s\n... (cut: the whole result has %zu bytes)",
                                           STR_ARG(kept), text.len);
    if (str_is_absent(call->result.text))
        err_set(&err, ERR_NO_MEMORY, "the result of tool '%s' does not fit into the run's memory",
                call->tool == NULL ? "" : call->tool->name);
    finish(call, &err);
}

void tools_call_done(struct tool_call *call, struct str text)
{
    tools_call_end(call, text, false);
}

void tools_call_fail(struct tool_call *call, const char *fmt, ...)
{
    char text[2 * ERR_TEXT_BYTES];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t room = len < 0 ? 0 : size_min((size_t)len, sizeof text - 1);
    tools_call_end(call, str_utf8_prefix(str_make(text, room), room), true);
}

void tools_call_ask(struct tool_call *call, struct str details)
{
    struct err err = {0};
    call->asks = details;
    if (str_is_absent(details))
        err_set(&err, ERR_NO_MEMORY, "no memory to ask about a call of tool '%s'",
                call->tool->name);
    finish(call, &err);
}

void tools_call_pause(struct tool_call *call)
{
    const struct err err = {0};
    call->is_paused = true;
    finish(call, &err);
}

struct str tools_call_key(struct tool_call *call)
{
    return arena_printf(node_arena(call->node), "%u", call->number);
}

void tools_call_tell(struct tool_call *call, struct str text)
{
    struct buf out;
    buf_init(&out, 8 * NAMES_BYTES);
    members_str(&out, "id", call->id);
    members_str(&out, "message", text);
    if (buf_ok(&out))
        node_emit(call->node, EVENT_TOOL_PROGRESS, call->name, buf_str(&out), 0);
    buf_fini(&out);
}

/* ---- the sequence ---- */

static void on_task(struct loop_task *task)
{
    go_on(container_of(task, struct tool_call, task));
}

static void on_inner_done(struct op *op)
{
    struct tool_call *call = op_owner(op);
    if (op_group_pending(&call->ops) == 0)
        go_on(call);
}

struct op_waiter tools_call_waiter(struct tool_call *call)
{
    return (struct op_waiter){on_inner_done, call, &call->ops, call->op.waiter.trace};
}

void tools_call_settle(struct tool_call *call, tool_fn *next)
{
    call->next = next;
    if (call->is_cancelled)
        op_group_cancel(&call->ops);
    if (op_group_pending(&call->ops) == 0)
        loop_post(call->op.loop, &call->task, on_task);
}

static void go_on(struct tool_call *call)
{
    struct err err;
    if (!call->is_cancelled) {
        call->next(call);
        return;
    }
    err_set(&err, ERR_CANCELLED, "the call of tool '%s' was cancelled", call->tool->name);
    finish(call, &err);
}

static void cancel_call(struct op *op)
{
    struct tool_call *call = container_of(op, struct tool_call, op);
    call->is_cancelled = true;
    op_group_cancel(&call->ops);
}

static void hold_call(struct op *op)
{
    op_group_hold(&container_of(op, struct tool_call, op)->ops);
}

static void go_call(struct op *op)
{
    op_group_go(&container_of(op, struct tool_call, op)->ops);
}

static const struct op_kind call_kind = {
    .name = "tool.call", .cancel = cancel_call, .hold = hold_call, .go = go_call};

/* ---- the start ---- */

static void refuse_name(struct tool_call *call)
{
    char room[NAMES_BYTES];
    struct buf names = {.at = room, .cap = sizeof room, .limit = sizeof room};
    for (size_t i = 0; call->offered[i] != NULL; i++)
        buf_printf(&names, "%s%s", i == 0 ? "" : ", ", call->offered[i]->name);
    tools_call_fail(call, "There is no tool '%.*s'. There are: %.*s.",
                    STR_ARG(str_utf8_prefix(call->name, 64)), STR_ARG(buf_str(&names)));
}

/* Whether what was written fits once what was written for nothing is left out; err: why it does
 * not. */
static bool is_fit(struct tool_call *call, const struct json_value *schema, struct err *err)
{
    struct arena *arena = node_arena(call->node);
    if (json_schema_check(schema, call->arguments, err) == ERR_OK)
        return true;
    struct str rest = tools_arguments_without_nulls(schema, call->arguments, arena);
    const struct json_value *read =
        str_is_absent(rest) ? NULL : json_value_parse(arena, rest, NULL, NULL);
    if (read == NULL || json_schema_check(schema, read, err) != ERR_OK)
        return false;
    call->written = rest;
    call->arguments = read;
    return true;
}

/* False: the call has ended with what is wrong. */
bool tools_call_read(struct tool_call *call)
{
    const struct json_limits limits = {.refuse_nul = true};
    struct arena *arena = node_arena(call->node);
    struct err err = {0};
    if (str_is_empty(str_trim(call->written)))
        call->written = STR("{}");
    call->arguments = json_value_parse(arena, call->written, &limits, &err);
    if (call->arguments == NULL) {
        tools_call_fail(call, "The arguments are not JSON: %s. Call the tool again.", err.text);
        return false;
    }
    const struct json_value *schema =
        json_value_parse(arena, str_of(call->tool->parameters), NULL, &err);
    if (call->arguments->type != JSON_OBJECT)
        err_set(&err, ERR_INVALID, "/: expected an object");
    else if (schema != NULL && is_fit(call, schema, &err))
        return true;
    tools_call_fail(call, "The arguments do not fit: %s. Call the tool again.", err.text);
    return false;
}

/* It is written down that the call is on its way, so that no server makes it twice. */
static void start_noted(struct tool_call *call)
{
    if (call->save.op.err.code == ERR_OK)
        call->tool->start(call);
    else
        tools_call_fail(call, "The call was not made: it changes what is outside, and could not be "
                              "written down first.");
}

void tools_call_start(struct tool_call *call, struct op_waiter waiter)
{
    struct loop *loop = node_loop(call->node);
    struct err err;
    op_begin(&call->op, &call_kind, loop, waiter);
    list_init(&call->ops);
    call->began_ms = loop_now_ms(loop);
    call->tool = tools_call_find(call->offered, call->name);
    if (call->tool == NULL) {
        refuse_name(call);
        return;
    }
    bool must_ask = call->tool->asks && !call->tool->asks_itself;
    if (!tools_call_read(call) || (must_ask && !tools_call_confirm(call)))
        return;
    if (call->tool->frame_bytes > 0)
        call->frame = arena_alloc(node_arena(call->node), call->tool->frame_bytes);
    if (call->tool->frame_bytes > 0 && call->frame == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for a call of tool '%s'", call->tool->name);
        finish(call, &err);
        return;
    }
    if (call->on_begins != NULL)
        call->on_begins(call);
    if (!call->tool->writes) {
        call->tool->start(call);
        return;
    }
    save_start(&call->save, call->node, tools_call_waiter(call));
    tools_call_settle(call, start_noted);
}

struct str tools_call_str(const struct tool_call *call, struct str name)
{
    const struct json_value *value = json_value_member(call->arguments, name);
    return value == NULL || value->type != JSON_STRING ? STR("") : value->text;
}
