/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp.c - server/discover, initialize, tools/list, tools/call.
 *
 * Happy path: "server/discover" tells that the server speaks the stateless revision; of any other
 * it is answered by an error, and "initialize" settles a revision and perhaps a session, which
 * "notifications/initialized" follows. Then come pages of tools; a call is one message whose answer
 * is its text, or asks for something that is answered with the next message.
 * Failure paths:
 * - a tool whose headers are not as the protocol has it is left out;
 * - a call that is refused for its headers or its revision was not made: the server is asked for
 * its tools, or anew, and the call is sent once more;
 * - one that cannot be reached or answers nonsense is failed, and asked again after a while; calls
 *   that waited for it end with why;
 * - 401: another token is got for the message, which is sent again (remote_mcp_post);
 * - 404 with a session: the session is gone and the call was not made, so it is opened and the call
 *   sent once more;
 * - a call that is cancelled is told to the server, which may go on all the same. */
#include "backends/remote/remote_mcp.h"

#include <stdio.h>

#include "backends/remote/remote_mcp_header.h"
#include "backends/remote/remote_mcp_post.h"
#include "backends/remote/remote_mcp_wire.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { BODY_BYTES = 1 << 20, TOOLS_BYTES = 4 << 20, MAX_TOOLS = 256, MAX_PAGES = 32 };
enum { AGAIN_MS = 15000, VERSION_BYTES = 16, MOST_ROUNDS = 8, INPUT_BYTES = 64 * 1024 };

enum state { UNKNOWN, OPENING, READY, FAILED };

struct wanted {      /* what a call of a tool needs besides */
    struct str name; /* at the server */
    const struct remote_mcp_header *headers;
    size_t header_count;
};

struct tools {
    struct arena arena;
    struct remote_tool seen[MAX_TOOLS];
    struct wanted wanted[MAX_TOOLS];
    size_t count;
};

struct remote_mcp {
    struct remote_mcp_options options;
    enum state state;
    struct err failure;
    uint64_t failed_ms, next_id;
    bool is_stale;
    bool has_sessions; /* it was found to speak no stateless revision */
    bool was_refused;  /* "server/discover" was, with a list that has the revision it was sent in */
    char version[VERSION_BYTES], session[REMOTE_MCP_POST_SESSION];
    struct remote_mcp_place place;
    struct tools *tools, *coming; /* coming: while they are listed */
    struct remote_mcp_post post;  /* of opening */
    struct buf body;
    unsigned pages;
    struct list waiting, calls; /* calls that wait for the opening; calls on their way */
    struct closing closing;     /* out: opening, calls, notes */
};

struct mcp_call {
    struct list link;
    struct remote_mcp *mcp;
    struct remote_call *call;
    struct remote_mcp_post post;
    struct buf body;
    struct arena arena; /* of the message's headers, and of what the server asked for */
    struct http_header headers[REMOTE_MCP_HEADER_MOST];
    struct remote_mcp_wire_call wire;
    unsigned rounds;
    bool was_sent_again, is_cancelled;
};

struct note { /* a message that nobody waits for */
    struct remote_mcp *mcp;
    struct remote_mcp_post post;
    struct buf body;
};

#define NO_REVISION "the server speaks no revision of the protocol that is known here"

static void discover(struct remote_mcp *mcp);
static void send_list(struct remote_mcp *mcp, struct str cursor);
static void send_call(struct mcp_call *call);

/* ---- notes ---- */

static void on_noted(struct op *op)
{
    struct note *note = op_owner(op);
    struct remote_mcp *mcp = note->mcp;
    op_release(op);
    buf_fini(&note->body);
    mem_free(note);
    closing_leave(&mcp->closing);
}

static struct note *make_note(struct remote_mcp *mcp)
{
    struct note *note = mem_zalloc(1, sizeof *note);
    if (note == NULL)
        return NULL;
    note->mcp = mcp;
    buf_init(&note->body, BODY_BYTES);
    return note;
}

static void send_note(struct note *note)
{
    struct remote_mcp *mcp = note->mcp;
    note->post.place = &mcp->place;
    note->post.body = buf_str(&note->body);
    closing_enter(&mcp->closing);
    remote_mcp_post_start(&note->post, mcp->options.loop,
                          (struct op_waiter){.done = on_noted, .owner = note});
}

static void tell_cancelled(struct remote_mcp *mcp, uint64_t id)
{
    struct note *note = mcp->place.is_stateless ? NULL : make_note(mcp);
    if (note == NULL)
        return; /* without a session the closed connection says it */
    remote_mcp_wire_note(&note->body, "notifications/cancelled", id);
    send_note(note);
}

/* What comes in a stream beside the answer. */
static void hear(struct remote_mcp *mcp, const struct json_value *message)
{
    const struct json_value *method = json_value_member(message, STR("method"));
    if (remote_mcp_wire_is_question(message)) {
        struct note *note = make_note(mcp);
        if (note == NULL)
            return;
        remote_mcp_wire_answer(&note->body, message);
        send_note(note);
    } else if (method != NULL && method->type == JSON_STRING &&
               str_equal(method->text, STR("notifications/tools/list_changed"))) {
        mcp->is_stale = true;
    }
}

/* ---- opening ---- */

static void drop_tools(struct tools *tools)
{
    if (tools == NULL)
        return;
    arena_fini(&tools->arena);
    mem_free(tools);
}

static void settle(struct remote_mcp *mcp, const struct err *err)
{
    struct list waiting;
    bool is_fine = err->code == ERR_OK;
    mcp->state = is_fine ? READY : FAILED;
    mcp->failure = *err;
    mcp->has_sessions = is_fine && !mcp->place.is_stateless;
    mcp->failed_ms = loop_now_ms(mcp->options.loop);
    if (is_fine) {
        drop_tools(mcp->tools);
        mcp->tools = mcp->coming;
        mcp->is_stale = false;
        LOG(mcp->options.log, INFO, "mcp.open", "server=%.*s revision=%s tools=%zu",
            STR_ARG(mcp->options.server->name), mcp->version, mcp->tools->count);
    } else {
        drop_tools(mcp->coming);
        LOG(mcp->options.log, WARN, "mcp.failed", "server=%.*s error=\"%s\"",
            STR_ARG(mcp->options.server->name), err->text);
    }
    mcp->coming = NULL;
    list_init(&waiting);
    list_append(&waiting, &mcp->waiting);
    for (struct list *link; (link = list_take_first(&waiting)) != NULL;) {
        struct mcp_call *call = list_item(link, struct mcp_call, link);
        list_push(&mcp->calls, &call->link);
        send_call(call);
    }
    mcp->options.on_settled(mcp->options.owner);
    closing_leave(&mcp->closing);
}

static void fail(struct remote_mcp *mcp, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    settle(mcp, &err);
}

static void on_opening_message(struct remote_mcp_post *post, const struct json_value *message)
{
    hear(post->owner, message);
}

static void send_opening(struct remote_mcp *mcp, const char *method, uint64_t id, op_fn *done)
{
    op_release(&mcp->post.op);
    mcp->post.place = &mcp->place;
    mcp->post.method = method;
    mcp->post.name = NULL;
    mcp->post.id = id;
    mcp->post.body = buf_str(&mcp->body);
    mcp->post.on_message = on_opening_message;
    mcp->post.owner = mcp;
    remote_mcp_post_start(&mcp->post, mcp->options.loop,
                          (struct op_waiter){.done = done, .owner = mcp});
}

/* Letters, digits, _ and -: what models take. */
static struct str name_tool(struct remote_mcp *mcp, struct str name)
{
    struct str made = arena_printf(&mcp->coming->arena, "%.*s_%.*s",
                                   STR_ARG(mcp->options.server->name), STR_ARG(name));
    char *kept = str_is_absent(made) || made.len > REMOTE_FILE_NAME_BYTES
                     ? NULL
                     : arena_cstr(&mcp->coming->arena, made);
    for (size_t i = 0; kept != NULL && kept[i] != '\0'; i++)
        if (!str_is_alpha(kept[i]) && !str_is_digit(kept[i]) && kept[i] != '-')
            kept[i] = '_';
    return kept == NULL ? (struct str){NULL, 0} : str_of(kept);
}

static bool is_there(const struct tools *tools, struct str name)
{
    for (size_t i = 0; i < tools->count; i++)
        if (str_equal(tools->seen[i].name, name))
            return true;
    return false;
}

/* False: the tool is not to be offered. */
static bool read_headers(struct remote_mcp *mcp, const struct json_value *item, struct str name,
                         struct wanted *wanted)
{
    const struct json_value *schema = json_value_member(item, STR("inputSchema"));
    *wanted = (struct wanted){.name = name};
    if (!mcp->place.is_stateless || schema == NULL)
        return true;
    const char *why = remote_mcp_header_read(schema, &mcp->coming->arena, &wanted->headers,
                                             &wanted->header_count);
    if (why == NULL)
        return true;
    LOG(mcp->options.log, WARN, "mcp.tool_left_out", "server=%.*s tool=\"%.*s\" error=\"%s\"",
        STR_ARG(mcp->options.server->name), STR_ARG(str_utf8_prefix(name, REMOTE_FILE_NAME_BYTES)),
        why);
    return false;
}

static void add_tool(struct remote_mcp *mcp, const struct json_value *item)
{
    const struct remote_file_server *server = mcp->options.server;
    struct tools *tools = mcp->coming;
    struct remote_mcp_wire_tool tool;
    struct wanted wanted;
    if (tools->count == MAX_TOOLS || !remote_mcp_wire_tool(item, &tools->arena, &tool) ||
        (server->only_count > 0 &&
         !remote_file_is_among(tool.name, server->only, server->only_count)))
        return;
    struct str name = name_tool(mcp, tool.name);
    if (str_is_absent(name) || is_there(tools, name) ||
        !read_headers(mcp, item, tool.name, &wanted))
        return;
    tools->seen[tools->count] = (struct remote_tool){
        .name = name,
        .description = str_is_absent(tool.description) ? tool.name : tool.description,
        .parameters = tool.parameters,
        .asks = remote_file_is_among(tool.name, server->asking, server->asking_count),
        .reads = tool.reads,
        .graphs = server->graphs,
        .graph_count = server->graph_count,
    };
    tools->wanted[tools->count++] = wanted;
}

static void on_listed(struct op *op)
{
    struct remote_mcp *mcp = op_owner(op);
    const struct json_value *list = json_value_member(mcp->post.result, STR("tools"));
    const struct json_value *cursor = json_value_member(mcp->post.result, STR("nextCursor"));
    struct err err = op->err;
    if (err.code != ERR_OK) {
        settle(mcp, &err);
        return;
    }
    if (list == NULL || list->type != JSON_ARRAY) {
        fail(mcp, ERR_PROTOCOL, "the server tells no tools");
        return;
    }
    JSON_EACH(item, list)
        add_tool(mcp, item);
    if (!arena_ok(&mcp->coming->arena))
        fail(mcp, ERR_TOO_LARGE, "the server's tools do not fit into memory");
    else if (cursor != NULL && cursor->type == JSON_STRING && ++mcp->pages < MAX_PAGES)
        send_list(mcp, arena_str(&mcp->coming->arena, cursor->text));
    else
        settle(mcp, &err);
}

static void send_list(struct remote_mcp *mcp, struct str cursor)
{
    uint64_t id = ++mcp->next_id;
    buf_clear(&mcp->body);
    remote_mcp_wire_list(&mcp->body, id, cursor, mcp->place.is_stateless);
    send_opening(mcp, "tools/list", id, on_listed);
}

static void on_initialized(struct op *op)
{
    struct remote_mcp *mcp = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_OK)
        send_list(mcp, (struct str){NULL, 0});
    else
        settle(mcp, &err);
}

static void keep_session(struct remote_mcp *mcp, struct str version)
{
    snprintf(mcp->version, sizeof mcp->version, "%.*s", STR_ARG(version));
    snprintf(mcp->session, sizeof mcp->session, "%s", mcp->post.session);
}

/* The server's own words for why. */
static void fail_said(struct remote_mcp *mcp)
{
    const struct json_value *said = json_value_member(mcp->post.error, STR("message"));
    struct err err;
    err_set(&err, ERR_PROTOCOL, "the server says: %.*s",
            STR_ARG(said != NULL && said->type == JSON_STRING ? str_utf8_prefix(said->text, 200)
                                                              : STR("it failed")));
    settle(mcp, &err);
}

static void on_greeted(struct op *op)
{
    struct remote_mcp *mcp = op_owner(op);
    const struct json_value *version = json_value_member(mcp->post.result, STR("protocolVersion"));
    struct err err = op->err;
    if (err.code != ERR_OK) {
        settle(mcp, &err);
    } else if (mcp->post.error != NULL) {
        fail_said(mcp);
    } else if (version == NULL || version->type != JSON_STRING ||
               !remote_mcp_wire_speaks(version->text)) {
        fail(mcp, ERR_PROTOCOL, NO_REVISION);
    } else {
        keep_session(mcp, version->text);
        buf_clear(&mcp->body);
        remote_mcp_wire_note(&mcp->body, "notifications/initialized", 0);
        send_opening(mcp, NULL, 0, on_initialized);
    }
}

static void greet(struct remote_mcp *mcp)
{
    uint64_t id = ++mcp->next_id;
    mcp->version[0] = mcp->session[0] = '\0';
    mcp->place.is_stateless = false;
    buf_clear(&mcp->body);
    remote_mcp_wire_initialize(&mcp->body, id);
    send_opening(mcp, "initialize", id, on_greeted);
}

/* Whether the server was reached and did not take the message, for whatever reason but the key. */
static bool is_not_understood(const struct remote_mcp *mcp, enum err_code code)
{
    int status = mcp->post.status;
    return code == ERR_PROTOCOL ||
           (code == ERR_UNAVAILABLE && status >= 400 && status != 401 && status != 403);
}

static void on_discovered(struct op *op)
{
    struct remote_mcp *mcp = op_owner(op);
    struct err err = op->err;
    bool is_said = mcp->post.result != NULL;
    enum remote_mcp_wire_era era = remote_mcp_wire_era(mcp->post.result, mcp->post.error);
    if (err.code != ERR_OK && !is_not_understood(mcp, err.code)) {
        settle(mcp, &err);
    } else if (era == REMOTE_MCP_WIRE_MODERN && is_said) {
        send_list(mcp, (struct str){NULL, 0});
    } else if (era == REMOTE_MCP_WIRE_MODERN && !mcp->was_refused) {
        mcp->was_refused = true;
        discover(mcp);
    } else if (era == REMOTE_MCP_WIRE_LEGACY) {
        greet(mcp);
    } else if (era == REMOTE_MCP_WIRE_NEITHER) {
        fail(mcp, ERR_PROTOCOL, NO_REVISION);
    } else {
        fail_said(mcp);
    }
}

static void discover(struct remote_mcp *mcp)
{
    uint64_t id = ++mcp->next_id;
    mcp->session[0] = '\0';
    snprintf(mcp->version, sizeof mcp->version, "%s", REMOTE_MCP_WIRE_STATELESS);
    mcp->place.is_stateless = true;
    buf_clear(&mcp->body);
    remote_mcp_wire_discover(&mcp->body, id);
    send_opening(mcp, "server/discover", id, on_discovered);
}

bool remote_mcp_open(struct remote_mcp *mcp)
{
    uint64_t now_ms = loop_now_ms(mcp->options.loop);
    if (mcp->state == OPENING)
        return true;
    if ((mcp->state == READY && !mcp->is_stale) || closing_is_begun(&mcp->closing) ||
        (mcp->state == FAILED && now_ms - mcp->failed_ms < AGAIN_MS))
        return false;
    mcp->coming = mem_zalloc(1, sizeof *mcp->coming);
    if (mcp->coming == NULL)
        return false;
    arena_init(&mcp->coming->arena, TOOLS_BYTES);
    bool is_known = mcp->state == READY; /* only the list is stale */
    mcp->state = OPENING;
    mcp->pages = 0;
    mcp->was_refused = false;
    closing_enter(&mcp->closing);
    if (is_known)
        send_list(mcp, (struct str){NULL, 0});
    else if (mcp->has_sessions)
        greet(mcp);
    else
        discover(mcp);
    return true;
}

const struct remote_tool *remote_mcp_tools(const struct remote_mcp *mcp, size_t *count)
{
    *count = mcp->tools == NULL ? 0 : mcp->tools->count;
    return mcp->tools == NULL ? NULL : mcp->tools->seen;
}

/* ---- calls ---- */

static void release_call(struct op *op)
{
    struct remote_call *outer = container_of(op, struct remote_call, op);
    struct mcp_call *call = outer->impl;
    if (call == NULL)
        return;
    outer->impl = NULL;
    outer->text = (struct str){NULL, 0};
    op_release(&call->post.op);
    arena_fini(&call->arena);
    buf_fini(&call->body);
    mem_free(call);
}

static void finish(struct mcp_call *call, const struct err *err)
{
    struct remote_mcp *mcp = call->mcp;
    list_remove(&call->link);
    op_finish_err(&call->call->op, err);
    closing_leave(&mcp->closing);
}

static void finish_with(struct mcp_call *call, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    finish(call, &err);
}

static void on_call_message(struct remote_mcp_post *post, const struct json_value *message)
{
    struct mcp_call *call = post->owner;
    const struct json_value *method = json_value_member(message, STR("method"));
    const struct json_value *said = json_value_find(message, "/params/message");
    if (method == NULL || method->type != JSON_STRING ||
        !str_equal(method->text, STR("notifications/progress"))) {
        hear(call->mcp, message);
        return;
    }
    if (call->call->on_progress != NULL)
        call->call->on_progress(call->call,
                                said != NULL && said->type == JSON_STRING ? said->text : STR(""));
}

static void tell(struct mcp_call *call)
{
    struct remote_call *outer = call->call;
    const struct json_value *result = call->post.result;
    const struct json_value *error = json_value_member(result, STR("isError"));
    const struct json_value *said = json_value_member(call->post.error, STR("message"));
    struct err err = {0};
    if (result == NULL) {
        bool is_said = said != NULL && said->type == JSON_STRING;
        outer->is_error = true;
        outer->text = arena_printf(&call->post.arena, "The server says: %.*s",
                                   STR_ARG(is_said ? said->text : STR("it failed")));
    } else if (remote_mcp_wire_asks(result)) {
        outer->is_error = true;
        outer->text = STR("The tool wants to ask somebody first, which is not possible here.");
    } else {
        outer->is_error = error != NULL && error->type == JSON_BOOL && error->boolean;
        outer->text = remote_mcp_wire_text(result, &call->post.arena,
                                           call->mcp->options.server->reach.max_bytes);
    }
    if (str_is_absent(outer->text))
        err_set(&err, ERR_TOO_LARGE, "the tool's result does not fit into memory");
    finish(call, &err);
}

static void wait_for_opening(struct mcp_call *call)
{
    struct remote_mcp *mcp = call->mcp;
    list_remove(&call->link);
    list_push(&mcp->waiting, &call->link);
}

/* Whether the call was not made because the server has changed; what is known of it is forgotten.
 */
static bool is_outdated(struct mcp_call *call)
{
    struct remote_mcp *mcp = call->mcp;
    bool is_header = false;
    bool is_lost = call->post.status == 404 && mcp->session[0] != '\0';
    bool is_stale =
        mcp->place.is_stateless && remote_mcp_wire_is_stale(call->post.error, &is_header);
    if (call->was_sent_again || call->is_cancelled || (!is_lost && !is_stale))
        return false;
    if (is_header)
        mcp->is_stale = true;
    else if (mcp->state == READY)
        mcp->state = UNKNOWN;
    return true;
}

/* Send the call again, with what the server asked for. False: it cannot be had. */
static bool answer_inputs(struct mcp_call *call)
{
    const struct json_value *result = call->post.result;
    const struct json_value *state = json_value_member(result, STR("requestState"));
    if (!remote_mcp_wire_asks(result) || call->rounds == MOST_ROUNDS || call->is_cancelled)
        return false;
    call->wire.inputs = remote_mcp_wire_inputs(result, &call->arena, INPUT_BYTES);
    call->wire.state =
        state == NULL ? (struct str){NULL, 0} : json_value_text(state, &call->arena, INPUT_BYTES);
    if (str_is_absent(call->wire.inputs) || (state != NULL && str_is_absent(call->wire.state)))
        return false;
    call->rounds++;
    op_release(&call->post.op);
    send_call(call);
    return true;
}

static void on_called(struct op *op)
{
    struct mcp_call *call = op_owner(op);
    struct remote_mcp *mcp = call->mcp;
    struct err err = op->err;
    if (!is_outdated(call)) {
        if (err.code != ERR_OK)
            finish(call, &err);
        else if (!answer_inputs(call))
            tell(call);
        return;
    }
    call->was_sent_again = true;
    op_release(op);
    if (remote_mcp_open(mcp))
        wait_for_opening(call);
    else
        finish(call, &err);
}

/* The tool's place; the count of tools: there is no such tool. */
static size_t find_tool(const struct tools *tools, struct str name)
{
    size_t i = 0;
    while (i < tools->count && !str_equal(tools->seen[i].name, name))
        i++;
    return i;
}

/* The headers of the call, and its body behind its name. False: it has ended with why. */
static bool write_call(struct mcp_call *call, const struct wanted *wanted)
{
    struct remote_mcp *mcp = call->mcp;
    const struct json_value *arguments =
        wanted->header_count == 0
            ? NULL
            : json_value_parse(&call->arena, call->call->arguments, NULL, NULL);
    enum err_code code = ERR_OK;
    call->post.more_count = 0;
    for (size_t i = 0; i < wanted->header_count && code == ERR_OK; i++) {
        struct str value;
        code = remote_mcp_header_value(&wanted->headers[i], arguments, &call->arena, &value);
        if (code == ERR_OK && !str_is_absent(value))
            call->headers[call->post.more_count++] =
                (struct http_header){str_of(wanted->headers[i].name), value};
    }
    struct str name = remote_mcp_header_encode(wanted->name, &call->arena);
    call->wire.name = wanted->name;
    call->wire.arguments = call->call->arguments;
    call->post.name = arena_cstr(&call->arena, name);
    call->post.id = ++mcp->next_id;
    buf_clear(&call->body);
    remote_mcp_wire_call(&call->body, call->post.id, &call->wire, mcp->place.is_stateless);
    if (code == ERR_INVALID)
        finish_with(call, ERR_INVALID, "an argument that goes into a header is none that fits");
    else if (code != ERR_OK || !arena_ok(&call->arena) || !buf_ok(&call->body))
        finish_with(call, ERR_TOO_LARGE, "the arguments are too long");
    else
        return true;
    return false;
}

static void send_call(struct mcp_call *call)
{
    struct remote_mcp *mcp = call->mcp;
    struct remote_call *outer = call->call;
    if (call->is_cancelled) {
        finish_with(call, ERR_CANCELLED, "the call was cancelled");
        return;
    }
    if (mcp->state != READY) {
        finish(call, &mcp->failure);
        return;
    }
    size_t place = find_tool(mcp->tools, outer->name);
    if (place == mcp->tools->count) {
        finish_with(call, ERR_NOT_FOUND, "the server has no such tool any more");
        return;
    }
    if (mcp->tools->seen[place].asks && !outer->is_allowed) {
        finish_with(call, ERR_DENIED, "a person has to allow a call of it now");
        return;
    }
    if (!write_call(call, &mcp->tools->wanted[place]))
        return;
    call->post.place = &mcp->place;
    call->post.method = "tools/call";
    call->post.more = call->headers;
    call->post.body = buf_str(&call->body);
    call->post.on_message = on_call_message;
    call->post.owner = call;
    remote_mcp_post_start(&call->post, mcp->options.loop,
                          (struct op_waiter){.done = on_called, .owner = call});
}

static void cancel_call(struct op *op)
{
    struct mcp_call *call = container_of(op, struct remote_call, op)->impl;
    if (call == NULL || call->is_cancelled)
        return;
    call->is_cancelled = true;
    if (!op_is_pending(&call->post.op))
        return; /* it waits for the opening, and ends with it */
    tell_cancelled(call->mcp, call->post.id);
    op_cancel(&call->post.op);
}

static const struct op_kind call_kind = {
    .name = "remote.call", .cancel = cancel_call, .release = release_call};

void remote_mcp_call(struct remote_mcp *mcp, struct remote_call *outer, struct op_waiter waiter)
{
    struct mcp_call *call = mem_zalloc(1, sizeof *call);
    op_begin(&outer->op, &call_kind, mcp->options.loop, waiter);
    outer->text = (struct str){NULL, 0};
    outer->is_error = false;
    outer->impl = call;
    if (call == NULL || closing_is_begun(&mcp->closing)) {
        op_finish(&outer->op, call == NULL ? ERR_NO_MEMORY : ERR_CANCELLED, "no call can be made");
        return;
    }
    call->mcp = mcp;
    call->call = outer;
    buf_init(&call->body, BODY_BYTES);
    arena_init(&call->arena, TOOLS_BYTES);
    closing_enter(&mcp->closing);
    list_push(&mcp->calls, &call->link);
    if (remote_mcp_open(mcp))
        wait_for_opening(call);
    else
        send_call(call);
}

/* ---- the beginning and the end ---- */

/* Tell the server that its session is over; it may say that it keeps it. */
static void end_session(struct closing *closing)
{
    struct remote_mcp *mcp = container_of(closing, struct remote_mcp, closing);
    struct note *note = mcp->session[0] == '\0' ? NULL : make_note(mcp);
    if (note == NULL)
        return;
    note->post.ends_session = true;
    send_note(note);
}

static void free_mcp(struct closing *closing)
{
    struct remote_mcp *mcp = container_of(closing, struct remote_mcp, closing);
    op_release(&mcp->post.op);
    remote_oauth_destroy(mcp->place.oauth);
    drop_tools(mcp->tools);
    buf_fini(&mcp->body);
    mem_free(mcp);
}

struct remote_mcp *remote_mcp_create(const struct remote_mcp_options *options)
{
    static closing_fn *const steps[] = {end_session, free_mcp, NULL};
    struct remote_mcp *mcp = mem_zalloc(1, sizeof *mcp);
    if (mcp == NULL)
        return NULL;
    mcp->options = *options;
    mcp->place = (struct remote_mcp_place){.client = options->client,
                                           .server = options->server,
                                           .version = mcp->version,
                                           .session = mcp->session};
    if (!str_is_absent(options->server->oauth.issuer)) {
        mcp->place.oauth = remote_oauth_create(&(struct remote_oauth_options){
            options->loop, options->client, options->file, options->server, options->log});
        if (mcp->place.oauth == NULL) {
            mem_free(mcp);
            return NULL;
        }
    }
    buf_init(&mcp->body, BODY_BYTES);
    list_init(&mcp->waiting);
    list_init(&mcp->calls);
    closing_init(&mcp->closing, options->loop, steps);
    return mcp;
}

void remote_mcp_close(struct remote_mcp *mcp, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&mcp->closing, on_closed, owner);
}

void remote_mcp_cancel(struct remote_mcp *mcp)
{
    LIST_EACH(link, &mcp->waiting)
        list_item(link, struct mcp_call, link)->is_cancelled = true;
    LIST_EACH(link, &mcp->calls)
        op_cancel(&list_item(link, struct mcp_call, link)->call->op);
    op_cancel(&mcp->post.op);
}
