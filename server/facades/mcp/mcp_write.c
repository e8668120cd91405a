/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_write.c - envelopes around results, errors and notifications.
 *
 * The stateless revision wants every result to say that it is complete, and lists to say for how
 * long they may be kept.
 * Failure: none but a full buf. */
#include "server/facades/mcp/mcp_write.h"

#include "proto/json_write.h"
#include "server/facades/mcp/mcp_tools.h"

#define INSTRUCTIONS                                                                               \
    "Use ask for questions in plain words. To write SQL yourself, look at list_tables first, "     \
    "then "                                                                                        \
    "run_sql; search_docs finds passages of documents."

static void write_id(struct json_write *json, const struct json_value *id)
{
    json_write_key(json, STR("id"));
    if (id == NULL)
        json_write_null(json);
    else
        json_value_write(id, json);
}

static void begin(struct json_write *json, const struct mcp_message *message, struct buf *out)
{
    json_write_init(json, out);
    json_write_object(json);
    json_write_member_str(json, STR("jsonrpc"), STR("2.0"));
    write_id(json, message->id);
    json_write_key(json, STR("result"));
    json_write_object(json);
    if (message->is_stateless)
        json_write_member_str(json, STR("resultType"), STR("complete"));
}

static void end(struct json_write *json)
{
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_lifetime(struct json_write *json)
{
    json_write_member_u64(json, STR("ttlMs"), 0);
    json_write_member_str(json, STR("cacheScope"), STR("private"));
}

static void write_server(struct json_write *json)
{
    json_write_member_raw(json, STR("capabilities"), STR("{\"tools\":{}}"));
    json_write_key(json, STR("serverInfo"));
    json_write_object(json);
    json_write_member_str(json, STR("name"), STR("askd"));
    json_write_member_str(json, STR("title"), STR("askd: ask your data"));
    json_write_member_str(json, STR("version"), STR(ASKD_VERSION));
    json_write_object_end(json);
    json_write_member_str(json, STR("instructions"), STR(INSTRUCTIONS));
}

static void write_versions(struct json_write *json, struct str key)
{
    json_write_key(json, key);
    json_write_array(json);
    for (size_t i = 0; mcp_message_versions[i] != NULL; i++)
        json_write_str(json, str_of(mcp_message_versions[i]));
    json_write_array_end(json);
}

void mcp_write_problem(const struct mcp_problem *problem, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("jsonrpc"), STR("2.0"));
    write_id(&json, problem->id);
    json_write_key(&json, STR("error"));
    json_write_object(&json);
    json_write_member_i64(&json, STR("code"), problem->code);
    json_write_member_str(&json, STR("message"), str_of(problem->err.text));
    if (problem->code == MCP_UNSUPPORTED_VERSION) {
        json_write_key(&json, STR("data"));
        json_write_object(&json);
        write_versions(&json, STR("supported"));
        json_write_member_str(&json, STR("requested"), problem->requested);
        json_write_object_end(&json);
    }
    json_write_object_end(&json);
    json_write_object_end(&json);
}

void mcp_write_initialize(const struct mcp_message *message, struct str requested, struct buf *out)
{
    struct json_write json;
    begin(&json, message, out);
    json_write_member_str(&json, STR("protocolVersion"), mcp_message_choose_version(requested));
    write_server(&json);
    end(&json);
}

void mcp_write_discover(const struct mcp_message *message, struct buf *out)
{
    struct json_write json;
    begin(&json, message, out);
    write_versions(&json, STR("supportedVersions"));
    write_server(&json);
    write_lifetime(&json);
    end(&json);
}

void mcp_write_empty(const struct mcp_message *message, struct buf *out)
{
    struct json_write json;
    begin(&json, message, out);
    end(&json);
}

void mcp_write_tools(const struct mcp_message *message, const struct shard *shard, struct buf *out)
{
    struct json_write json;
    begin(&json, message, out);
    json_write_key(&json, STR("tools"));
    mcp_tools_write(shard, &json);
    if (message->is_stateless)
        write_lifetime(&json);
    end(&json);
}

void mcp_write_result(const struct mcp_message *message, const struct mcp_result *result,
                      struct buf *out)
{
    struct json_write json;
    begin(&json, message, out);
    json_write_key(&json, STR("content"));
    json_write_array(&json);
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), STR("text"));
    json_write_member_str(&json, STR("text"), result->text);
    json_write_object_end(&json);
    json_write_array_end(&json);
    if (result->structured.len > 0)
        json_write_member_raw(&json, STR("structuredContent"), result->structured);
    if (result->is_error)
        json_write_member_bool(&json, STR("isError"), true);
    end(&json);
}

/* What to show of an event: a word before, the event's name, a text behind. */
static bool describe(const struct event *event, struct buf *text)
{
    switch (event->kind) {
    case EVENT_ROUTE_DECISION:
        buf_push(text, STR("route: "));
        buf_push(text, event->name);
        return true;
    case EVENT_TOOL_START:
    case EVENT_NODE_START:
        buf_push(text, event->name);
        return true;
    case EVENT_RETRY:
    case EVENT_WARNING:
        buf_push(text, event->name);
        buf_push(text, STR(": "));
        buf_push(text, event->text);
        return true;
    case EVENT_QUEUED:
        buf_push(text, STR("waiting, place "));
        buf_push_i64(text, event->number);
        return true;
    default:
        return false;
    }
}

bool mcp_write_progress(const struct json_value *token, uint64_t step, const struct event *event,
                        struct buf *out)
{
    enum { TEXT_BYTES = 4096 };
    struct json_write json;
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    if (!describe(event, &text)) {
        buf_fini(&text);
        return false;
    }
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("jsonrpc"), STR("2.0"));
    json_write_member_str(&json, STR("method"), STR("notifications/progress"));
    json_write_key(&json, STR("params"));
    json_write_object(&json);
    json_write_key(&json, STR("progressToken"));
    json_value_write(token, &json);
    json_write_member_u64(&json, STR("progress"), step);
    if (buf_ok(&text))
        json_write_member_str(&json, STR("message"), buf_str(&text));
    json_write_object_end(&json);
    json_write_object_end(&json);
    buf_fini(&text);
    return true;
}
