/* SPDX-License-Identifier: MIT */
/* agents/tools/remote.c - one call of a tool outside; what it says is the result.
 *
 * Failure: a tool that cannot be reached, refuses or is too slow: a result that says so. */
#include "agents/tools/remote.h"

#include "core/run/node.h"

enum { SAID_BYTES = 512 };

struct remote_frame {
    struct remote_call call;
};

static tool_fn keep;

static void tell_progress(struct remote_call *remote, struct str text)
{
    struct tool_call *call = remote->owner;
    tools_call_tell(call, str_utf8_prefix(text, SAID_BYTES));
}

static void start(struct tool_call *call)
{
    struct remote_frame *f = call->frame;
    f->call.name = str_of(call->tool->name);
    f->call.arguments = call->written;
    f->call.key = arena_printf(node_arena(call->node), "%.*s-%.*s",
                               STR_ARG(node_session(call->node)->run_id), STR_ARG(call->id));
    f->call.caller = node_session(call->node)->caller;
    f->call.is_allowed = call->tool->asks; /* without a yes it does not come to a start */
    f->call.on_progress = tell_progress;
    f->call.owner = call;
    remote_call_start(&f->call, services(call->node)->remote, tools_call_waiter(call));
    tools_call_settle(call, keep);
}

static void keep(struct tool_call *call)
{
    struct remote_frame *f = call->frame;
    if (f->call.op.err.code != ERR_OK)
        tools_call_fail(call, "The tool cannot be called: %s", f->call.op.err.text);
    else
        tools_call_end(call, f->call.text, f->call.is_error);
}

bool tools_remote_make(const struct remote_tool *from, struct arena *arena, struct tool *tool)
{
    *tool = (struct tool){
        .name = arena_cstr(arena, from->name),
        .description = arena_cstr(arena, from->description),
        .parameters = arena_cstr(arena, from->parameters),
        .start = start,
        .frame_bytes = sizeof(struct remote_frame),
        .asks = from->asks,
        .writes = !from->reads,
    };
    return tool->name != NULL && tool->description != NULL && tool->parameters != NULL;
}

bool tools_remote_is_for(const struct remote_tool *from, struct str graph)
{
    for (size_t i = 0; i < from->graph_count; i++)
        if (str_equal(from->graphs[i], STR("*")) || str_equal(from->graphs[i], graph))
            return true;
    return false;
}
