/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_message.c - parse, look at the envelope, hold the headers against it.
 *
 * Happy path: one JSON object with "jsonrpc":"2.0"; with a method it is a request when it has an
 * id, else a notification; without one it is an answer.
 * Failure paths: no JSON: -32700; no message, or several at once: -32600; a revision nobody here
 * speaks: -32022; headers that contradict the body: -32020. */
#include "server/facades/mcp/mcp_message.h"

#include <stdarg.h>
#include <stdio.h>

#define STATELESS "2026-07-28"
#define ENVELOPE  "/_meta/io.modelcontextprotocol~1protocolVersion"

const char *const mcp_message_versions[] = {STATELESS, "2025-11-25", "2025-06-18", "2025-03-26",
                                            NULL};

bool mcp_message_refuse(struct mcp_problem *problem, const struct mcp_message *message, int status,
                        enum mcp_code code, const char *fmt, ...)
{
    va_list args;
    *problem = (struct mcp_problem){.status = status, .code = code, .id = message->id};
    va_start(args, fmt);
    problem->err.code = ERR_INVALID;
    (void)vsnprintf(problem->err.text, sizeof problem->err.text, fmt, args);
    va_end(args);
    return false;
}

static bool is_known(struct str version)
{
    for (size_t i = 0; mcp_message_versions[i] != NULL; i++)
        if (str_equal(version, str_of(mcp_message_versions[i])))
            return true;
    return false;
}

struct str mcp_message_choose_version(struct str requested)
{
    for (size_t i = 1; mcp_message_versions[i] != NULL; i++)
        if (str_equal(requested, str_of(mcp_message_versions[i])))
            return str_of(mcp_message_versions[i]);
    return str_of(mcp_message_versions[1]);
}

static bool refuse_version(struct mcp_problem *problem, const struct mcp_message *message,
                           struct str version)
{
    mcp_message_refuse(problem, message, 400, MCP_UNSUPPORTED_VERSION,
                       "the protocol revision '%.*s' is not spoken here",
                       STR_ARG(str_utf8_prefix(version, 64)));
    problem->requested = version;
    return false;
}

/* Answers to questions have no id of ours to say, so theirs is not looked at. */
static bool read_shape(const struct json_value *root, struct mcp_message *message,
                       struct mcp_problem *problem)
{
    const struct json_value *id = json_value_member(root, STR("id"));
    const struct json_value *method = json_value_member(root, STR("method"));
    const struct json_value *params = json_value_member(root, STR("params"));
    const struct json_value *jsonrpc = json_value_member(root, STR("jsonrpc"));
    if (jsonrpc == NULL || jsonrpc->type != JSON_STRING || !str_equal(jsonrpc->text, STR("2.0")))
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_REQUEST,
                                  "/jsonrpc: expected \"2.0\"");
    if (method == NULL) {
        if (json_value_member(root, STR("result")) != NULL ||
            json_value_member(root, STR("error")) != NULL)
            return true;
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_REQUEST,
                                  "/method: expected a string, got nothing");
    }
    if (id != NULL && id->type != JSON_STRING && id->type != JSON_INT)
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_REQUEST,
                                  "/id: expected a string or a number, got %s",
                                  json_value_type_name(id));
    message->id = id;
    if (method->type != JSON_STRING || method->text.len == 0)
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_REQUEST,
                                  "/method: expected a string, got %s",
                                  json_value_type_name(method));
    if (params != NULL && params->type != JSON_OBJECT)
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_REQUEST,
                                  "/params: expected an object, got %s",
                                  json_value_type_name(params));
    message->method = method->text;
    message->params = params;
    return true;
}

/* The revision: said by the body, else by the header. */
static bool read_version(const struct mcp_headers *headers, struct mcp_message *message,
                         struct mcp_problem *problem)
{
    const struct json_value *said =
        message->params == NULL ? NULL : json_value_find(message->params, ENVELOPE);
    if (said != NULL && said->type != JSON_STRING)
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_PARAMS,
                                  "/params" ENVELOPE ": expected a string, got %s",
                                  json_value_type_name(said));
    if (said != NULL && !str_is_absent(headers->version) &&
        !str_equal(headers->version, said->text))
        return mcp_message_refuse(problem, message, 400, MCP_HEADER_MISMATCH,
                                  "MCP-Protocol-Version: expected '%.*s' as in the body",
                                  STR_ARG(str_utf8_prefix(said->text, 64)));
    message->version = said != NULL ? said->text : headers->version;
    if (str_equal(message->method, STR("initialize"))) /* it is what settles the revision */
        return true;
    if (!str_is_absent(message->version) && !is_known(message->version))
        return refuse_version(problem, message, message->version);
    message->is_stateless = str_equal(message->version, STR(STATELESS));
    if (message->is_stateless && said == NULL && message->id != NULL)
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_PARAMS,
                                  "/params" ENVELOPE ": expected a string, got nothing");
    return true;
}

/* Check what the stateless revision repeats in headers, for readers of headers only. */
static bool check_headers(const struct mcp_headers *headers, const struct mcp_message *message,
                          struct mcp_problem *problem)
{
    const struct json_value *name =
        message->params == NULL ? NULL : json_value_member(message->params, STR("name"));
    if (!message->is_stateless)
        return true;
    if (!str_is_absent(headers->method) && !str_equal(headers->method, message->method))
        return mcp_message_refuse(problem, message, 400, MCP_HEADER_MISMATCH,
                                  "Mcp-Method: expected '%.*s' as in the body",
                                  STR_ARG(str_utf8_prefix(message->method, 64)));
    if (!str_is_absent(headers->name) && !str_starts_with(headers->name, STR("=?base64?")) &&
        str_equal(message->method, STR("tools/call")) &&
        (name == NULL || !str_equal(headers->name, name->text)))
        return mcp_message_refuse(problem, message, 400, MCP_HEADER_MISMATCH,
                                  "Mcp-Name: expected the name of the tool, as in the body");
    return true;
}

bool mcp_message_read(struct arena *arena, struct str body, const struct mcp_headers *headers,
                      struct mcp_message *message, struct mcp_problem *problem)
{
    struct err err = {0};
    const struct json_limits limits = {.refuse_nul = true};
    *message = (struct mcp_message){.method = {NULL, 0}};
    const struct json_value *root = json_value_parse(arena, body, &limits, &err);
    if (root == NULL && err.code == ERR_NO_MEMORY)
        return mcp_message_refuse(problem, message, 503, MCP_INTERNAL_ERROR, "%s", err.text);
    if (root == NULL)
        return mcp_message_refuse(problem, message, 400, MCP_PARSE_ERROR,
                                  "the body is not JSON: %s", err.text);
    if (root->type == JSON_ARRAY)
        return mcp_message_refuse(problem, message, 501, MCP_INVALID_REQUEST,
                                  "batches of messages are not supported: send one at a time");
    if (root->type != JSON_OBJECT)
        return mcp_message_refuse(problem, message, 400, MCP_INVALID_REQUEST,
                                  "expected a JSON object, got %s", json_value_type_name(root));
    return read_shape(root, message, problem) && read_version(headers, message, problem) &&
           check_headers(headers, message, problem);
}
