/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp.c - one message in, one answer out.
 *
 * Happy path: the message is read; what needs no run is answered at once; a tool's call becomes a
 * run on its conversation's worker and is waited for, in a stream when the caller wants progress.
 * Nothing is kept between messages: a session's id only tells the calls of one client from those of
 * another, for when one is to be cancelled.
 * Failure paths: no message: 400 with a JSON-RPC error; an unknown method or tool: such an error; a
 * call that cannot be run: the tool's error, for the model to read. */
#include "server/facades/mcp/mcp.h"

#include <stdio.h>

#include "server/api/api_run.h"
#include "server/http/exchange.h"
#include "server/facades/facade.h"
#include "server/facades/mcp/mcp_encoder.h"
#include "server/results/tables_json.h"
#include "server/facades/mcp/mcp_write.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 8 * 1024 * 1024, HEAD_BYTES = 512, SESSION_BYTES = 128 };

#define JSON_HEAD "Content-Type: application/json\r\nCache-Control: no-store\r\n"

static void send_problem(struct exchange *exchange, const struct mcp_problem *problem)
{
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    mcp_write_problem(problem, &out);
    exchange_reply_json(exchange, problem->status, &out);
}

static struct str header(struct exchange *exchange, const char *name)
{
    return http_request_header(exchange->request, str_of(name));
}

/* ---- cancelling ---- */

/* A name for a call, of its session and its id; absent: the call or its session has no name. */
static struct str call_name(struct exchange *exchange, const struct json_value *id)
{
    struct str session = header(exchange, "Mcp-Session-Id");
    bool is_id = id != NULL && (id->type == JSON_STRING || id->type == JSON_INT);
    if (!is_id || session.len == 0 || session.len > SESSION_BYTES || id->text.len > SESSION_BYTES)
        return (struct str){NULL, 0};
    return arena_printf(&exchange->arena, "%.*s %c%.*s", STR_ARG(session),
                        id->type == JSON_INT ? '#' : '"', STR_ARG(id->text));
}

static void take_notification(struct exchange *exchange, const struct mcp_message *message)
{
    const struct json_value *id = json_value_member(message->params, STR("requestId"));
    struct str call = call_name(exchange, id);
    if (str_equal(message->method, STR("notifications/cancelled")) && !str_is_absent(call))
        shard_cancel_call(exchange->shard, call, MCP_ENCODER_CANCELLED);
    exchange_reply(exchange, 202, "application/json", STR(""));
}

/* ---- calling a tool ---- */

struct call {
    struct mcp_message message;
    struct mcp_arguments arguments;
    enum mcp_tool tool;
    const struct json_value *progress;
};

static void refuse(struct exchange *exchange, const struct err *err)
{
    struct problem problem;
    problem_set(&problem, 422, "invalid_request", "%s", err->text);
    exchange_problem(exchange, &problem);
}

static void list_tables(struct exchange *exchange, const struct call *call)
{
    struct buf tables, out;
    struct err err = {0};
    enum err_code code = ERR_UNAVAILABLE;
    buf_init(&tables, ANSWER_BYTES);
    const struct knowledge_pin *pin = exchange->shard->pin;
    const struct identity nobody = {.role = {NULL, 0}};
    struct identity caller;
    struct problem problem;
    if (!facade_read_caller(exchange, &nobody, &caller, &problem)) {
        exchange_problem(exchange, &problem);
        buf_fini(&tables);
        return;
    }
    if (pin == NULL)
        err_set(&err, code, "this server is starting; try again");
    else /* the tables that run_sql lets the caller read */
        code = tables_json_write(knowledge_of(pin->set, STR("statement"), caller.role),
                                 call->arguments.table, &tables, &err);
    if (code != ERR_OK) {
        refuse(exchange, &err);
    } else {
        buf_init(&out, ANSWER_BYTES);
        mcp_write_result(&call->message,
                         &(struct mcp_result){buf_str(&tables), buf_str(&tables), false}, &out);
        out.failed |= !buf_ok(&tables);
        exchange_reply_json(exchange, 200, &out);
    }
    buf_fini(&tables);
}

/* Only a client that takes a stream gets one. */
static const struct json_value *find_progress(struct exchange *exchange,
                                              const struct mcp_message *message)
{
    const struct json_value *token = json_value_find(message->params, "/_meta/progressToken");
    if (token == NULL || (token->type != JSON_STRING && token->type != JSON_INT) ||
        str_find(header(exchange, "Accept"), STR("text/event-stream")) == STR_NONE)
        return NULL;
    return token;
}

static bool make_request(struct exchange *exchange, const struct call *call,
                         struct runs_request *request, struct problem *problem)
{
    const struct mcp_arguments *arguments = &call->arguments;
    const struct identity caller = {.conversation_id = arguments->conversation_id};
    struct str graph = str_is_absent(arguments->graph) ? STR("orchestrator") : arguments->graph;
    *request = (struct runs_request){
        .pin = exchange->shard->pin,
        .detail = call->progress == NULL ? EVENT_CORE : EVENT_NODES,
        .cancel_on_disconnect = true, /* nobody could fetch the answer */
        .message = arguments->message,
        .call = call_name(exchange, call->message.id),
    };
    if (call->tool != MCP_ASK)
        run_body_set_tool(exchange, graph, request);
    else if (!run_body_set_graph(exchange, graph, request))
        return problem_set(problem, 404, "not_found", "graph: there is no graph '%.*s'",
                           STR_ARG(str_utf8_prefix(graph, 64)));
    return facade_read_caller(exchange, &caller, &request->caller, problem);
}

static void run(struct exchange *exchange, const struct call *call)
{
    struct runs_request request;
    struct problem problem;
    if (make_request(exchange, call, &request, &problem))
        api_run_begin(exchange, &request, call->progress != NULL);
    else
        exchange_problem(exchange, &problem);
}

/* The arguments are an object, or NULL. */
static void take_call(struct exchange *exchange, struct call *call,
                      const struct json_value *arguments)
{
    struct err err = {0};
    const struct mcp_encoder_options options = {.exchange = exchange,
                                                .message = &call->message,
                                                .tool = call->tool,
                                                .progress = call->progress};
    if (!mcp_encoder_make(&options)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
    } else if (mcp_tools_read(call->tool, arguments,
                              exchange->shard->group->config->max_message_bytes, &call->arguments,
                              &err) != ERR_OK) {
        refuse(exchange, &err);
    } else if (call->tool == MCP_LIST_TABLES) {
        list_tables(exchange, call);
    } else {
        run(exchange, call);
    }
}

static void call_tool(struct exchange *exchange, const struct mcp_message *message)
{
    struct call call = {.message = *message, .progress = find_progress(exchange, message)};
    struct mcp_problem problem;
    const struct json_value *name = json_value_member(message->params, STR("name"));
    const struct json_value *arguments = json_value_member(message->params, STR("arguments"));
    if (name == NULL || name->type != JSON_STRING || !mcp_tools_find(name->text, &call.tool)) {
        mcp_message_refuse(&problem, message, 200, MCP_INVALID_PARAMS,
                           "/params/name: there is no such tool");
        send_problem(exchange, &problem);
    } else if (arguments != NULL && arguments->type != JSON_OBJECT) {
        mcp_message_refuse(&problem, message, 200, MCP_INVALID_PARAMS,
                           "/params/arguments: expected an object, got %s",
                           json_value_type_name(arguments));
        send_problem(exchange, &problem);
    } else {
        take_call(exchange, &call, arguments);
    }
}

/* ---- what needs no run ---- */

static void initialize(struct exchange *exchange, const struct mcp_message *message)
{
    struct mcp_problem problem;
    struct id session = id_random();
    const struct json_value *version = json_value_member(message->params, STR("protocolVersion"));
    char head[HEAD_BYTES];
    struct buf out;
    if (version == NULL || version->type != JSON_STRING) {
        mcp_message_refuse(&problem, message, 200, MCP_INVALID_PARAMS,
                           "/params/protocolVersion: expected a string, got %s",
                           json_value_type_name(version));
        send_problem(exchange, &problem);
        return;
    }
    buf_init(&out, ANSWER_BYTES);
    mcp_write_initialize(message, version->text, &out);
    snprintf(head, sizeof head, JSON_HEAD "Mcp-Session-Id: %s\r\n", session.text);
    exchange_reply_with(exchange, 200, str_of(head), buf_ok(&out) ? buf_str(&out) : STR("{}"));
    buf_fini(&out);
}

static void ping(struct exchange *exchange, const struct mcp_message *message)
{
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    mcp_write_empty(message, &out);
    exchange_reply_json(exchange, 200, &out);
}

static void list_tools(struct exchange *exchange, const struct mcp_message *message)
{
    struct mcp_problem problem;
    struct buf out;
    if (json_value_member(message->params, STR("cursor")) != NULL) {
        mcp_message_refuse(&problem, message, 200, MCP_INVALID_PARAMS,
                           "/params/cursor: the list has one page");
        send_problem(exchange, &problem);
        return;
    }
    buf_init(&out, ANSWER_BYTES);
    mcp_write_tools(message, exchange->shard, &out);
    exchange_reply_json(exchange, 200, &out);
}

static void discover(struct exchange *exchange, const struct mcp_message *message)
{
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    mcp_write_discover(message, &out);
    exchange_reply_json(exchange, 200, &out);
}

static const struct {
    const char *name;
    void (*answer)(struct exchange *exchange, const struct mcp_message *message);
} methods[] = {
    {"initialize", initialize},    {"ping", ping},
    {"server/discover", discover}, {"tools/call", call_tool},
    {"tools/list", list_tools},
};

void mcp_post(struct exchange *exchange)
{
    struct mcp_message message;
    struct mcp_problem problem;
    const struct mcp_headers headers = {.version = header(exchange, "MCP-Protocol-Version"),
                                        .method = header(exchange, "Mcp-Method"),
                                        .name = header(exchange, "Mcp-Name")};
    if (!mcp_message_read(&exchange->arena, exchange->request->body, &headers, &message,
                          &problem)) {
        send_problem(exchange, &problem);
        return;
    }
    if (message.id == NULL) {
        take_notification(exchange, &message);
        return;
    }
    for (size_t i = 0; i < countof(methods); i++)
        if (str_equal(message.method, str_of(methods[i].name))) {
            methods[i].answer(exchange, &message);
            return;
        }
    mcp_message_refuse(&problem, &message, message.is_stateless ? 404 : 200, MCP_METHOD_NOT_FOUND,
                       "'%.*s' is not a method here", STR_ARG(str_utf8_prefix(message.method, 64)));
    send_problem(exchange, &problem);
}
