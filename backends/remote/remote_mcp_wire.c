/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp_wire.c - JSON-RPC out and in.
 *
 * Failure: what is not as the protocol has it is no tool, no answer, or a result without a text. */
#include "backends/remote/remote_mcp_wire.h"

#include <stdio.h>

#include "proto/json_write.h"

#define CLIENT "{\"name\":\"askd\",\"title\":\"askd\",\"version\":\"1\"}"

enum { SCHEMA_BYTES = 64 * 1024 };
enum { METHOD_NOT_FOUND = -32601 };
enum { HEADER_MISMATCH = -32020, LACKS_CAPABILITY = -32021, UNSUPPORTED_VERSION = -32022 };

static void begin(struct json_write *json, struct buf *out, uint64_t id, const char *method)
{
    json_write_init(json, out);
    json_write_object(json);
    json_write_member_str(json, STR("jsonrpc"), STR("2.0"));
    if (id != 0)
        json_write_member_u64(json, STR("id"), id);
    json_write_member_str(json, STR("method"), str_of(method));
}

/* What the stateless revision says with every request, and the token for progress. */
static void write_meta(struct json_write *json, uint64_t token, bool stateless)
{
    if (token == 0 && !stateless)
        return;
    json_write_key(json, STR("_meta"));
    json_write_object(json);
    if (token != 0)
        json_write_member_u64(json, STR("progressToken"), token);
    if (stateless) {
        json_write_member_str(json, STR("io.modelcontextprotocol/protocolVersion"),
                              STR(REMOTE_MCP_WIRE_STATELESS));
        json_write_member_raw(json, STR("io.modelcontextprotocol/clientInfo"), STR(CLIENT));
        json_write_member_raw(json, STR("io.modelcontextprotocol/clientCapabilities"), STR("{}"));
    }
    json_write_object_end(json);
}

void remote_mcp_wire_discover(struct buf *out, uint64_t id)
{
    struct json_write json;
    begin(&json, out, id, "server/discover");
    json_write_key(&json, STR("params"));
    json_write_object(&json);
    write_meta(&json, 0, true);
    json_write_object_end(&json);
    json_write_object_end(&json);
}

void remote_mcp_wire_initialize(struct buf *out, uint64_t id)
{
    struct json_write json;
    begin(&json, out, id, "initialize");
    json_write_key(&json, STR("params"));
    json_write_object(&json);
    json_write_member_str(&json, STR("protocolVersion"), STR(REMOTE_MCP_WIRE_NEWEST));
    json_write_member_raw(&json, STR("capabilities"), STR("{}"));
    json_write_member_raw(&json, STR("clientInfo"), STR(CLIENT));
    json_write_object_end(&json);
    json_write_object_end(&json);
}

void remote_mcp_wire_list(struct buf *out, uint64_t id, struct str cursor, bool stateless)
{
    struct json_write json;
    begin(&json, out, id, "tools/list");
    json_write_key(&json, STR("params"));
    json_write_object(&json);
    json_write_member_str(&json, STR("cursor"), cursor);
    write_meta(&json, 0, stateless);
    json_write_object_end(&json);
    json_write_object_end(&json);
}

void remote_mcp_wire_call(struct buf *out, uint64_t id, const struct remote_mcp_wire_call *call,
                          bool stateless)
{
    struct json_write json;
    begin(&json, out, id, "tools/call");
    json_write_key(&json, STR("params"));
    json_write_object(&json);
    json_write_member_str(&json, STR("name"), call->name);
    json_write_member_raw(&json, STR("arguments"), call->arguments);
    if (!str_is_absent(call->inputs))
        json_write_member_raw(&json, STR("inputResponses"), call->inputs);
    if (!str_is_absent(call->state))
        json_write_member_raw(&json, STR("requestState"), call->state);
    write_meta(&json, id, stateless);
    json_write_object_end(&json);
    json_write_object_end(&json);
}

void remote_mcp_wire_note(struct buf *out, const char *method, uint64_t cancelled)
{
    struct json_write json;
    begin(&json, out, 0, method);
    if (cancelled != 0) {
        json_write_key(&json, STR("params"));
        json_write_object(&json);
        json_write_member_u64(&json, STR("requestId"), cancelled);
        json_write_member_str(&json, STR("reason"), STR("nobody waits for it any more"));
        json_write_object_end(&json);
    }
    json_write_object_end(&json);
}

static struct str method_of(const struct json_value *message)
{
    const struct json_value *method = json_value_member(message, STR("method"));
    return method == NULL || method->type != JSON_STRING ? STR("") : method->text;
}

void remote_mcp_wire_answer(struct buf *out, const struct json_value *question)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("jsonrpc"), STR("2.0"));
    json_write_key(&json, STR("id"));
    json_value_write(json_value_member(question, STR("id")), &json);
    if (str_equal(method_of(question), STR("ping"))) {
        json_write_member_raw(&json, STR("result"), STR("{}"));
    } else {
        json_write_key(&json, STR("error"));
        json_write_object(&json);
        json_write_member_i64(&json, STR("code"), METHOD_NOT_FOUND);
        json_write_member_str(&json, STR("message"), STR("this client answers no such question"));
        json_write_object_end(&json);
    }
    json_write_object_end(&json);
}

bool remote_mcp_wire_speaks(struct str version)
{
    static const char *const versions[] = {"2025-03-26", "2025-06-18", REMOTE_MCP_WIRE_NEWEST};
    return str_is_listed(version, versions, countof(versions));
}

static enum remote_mcp_wire_era era_of(const struct json_value *versions)
{
    bool has_session = false;
    if (versions == NULL || versions->type != JSON_ARRAY)
        return REMOTE_MCP_WIRE_LEGACY;
    JSON_EACH(version, versions) {
        if (version->type != JSON_STRING)
            continue;
        if (str_equal(version->text, STR(REMOTE_MCP_WIRE_STATELESS)))
            return REMOTE_MCP_WIRE_MODERN;
        has_session = has_session || remote_mcp_wire_speaks(version->text);
    }
    return has_session ? REMOTE_MCP_WIRE_LEGACY : REMOTE_MCP_WIRE_NEITHER;
}

static int64_t code_of(const struct json_value *error)
{
    const struct json_value *code = json_value_member(error, STR("code"));
    return code == NULL || code->type != JSON_INT ? 0 : code->integer;
}

enum remote_mcp_wire_era remote_mcp_wire_era(const struct json_value *result,
                                             const struct json_value *error)
{
    int64_t code = code_of(error);
    if (result != NULL)
        return era_of(json_value_member(result, STR("supportedVersions")));
    if (code == UNSUPPORTED_VERSION)
        return era_of(json_value_find(error, "/data/supported"));
    return code == HEADER_MISMATCH || code == LACKS_CAPABILITY ? REMOTE_MCP_WIRE_REFUSES
                                                               : REMOTE_MCP_WIRE_LEGACY;
}

bool remote_mcp_wire_is_stale(const struct json_value *error, bool *is_header)
{
    int64_t code = code_of(error);
    *is_header = code == HEADER_MISMATCH;
    return *is_header || code == UNSUPPORTED_VERSION;
}

bool remote_mcp_wire_is_answer(const struct json_value *message, uint64_t id)
{
    const struct json_value *of = json_value_member(message, STR("id"));
    if (json_value_member(message, STR("method")) != NULL)
        return false;
    return of != NULL && of->type == JSON_INT && of->integer >= 0 && (uint64_t)of->integer == id;
}

bool remote_mcp_wire_is_question(const struct json_value *message)
{
    const struct json_value *id = json_value_member(message, STR("id"));
    return method_of(message).len > 0 && id != NULL &&
           (id->type == JSON_INT || id->type == JSON_STRING);
}

static struct str text_at(const struct json_value *object, const char *member)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    return value == NULL || value->type != JSON_STRING ? (struct str){NULL, 0} : value->text;
}

bool remote_mcp_wire_tool(const struct json_value *item, struct arena *arena,
                          struct remote_mcp_wire_tool *tool)
{
    const struct json_value *schema = json_value_member(item, STR("inputSchema"));
    const struct json_value *reads = json_value_find(item, "/annotations/readOnlyHint");
    tool->name = arena_str(arena, text_at(item, "name"));
    tool->description = arena_str(arena, text_at(item, "description"));
    if (str_is_absent(tool->description))
        tool->description = arena_str(arena, text_at(item, "title"));
    tool->parameters = STR("{\"type\":\"object\"}");
    tool->reads = reads != NULL && reads->type == JSON_BOOL && reads->boolean;
    if (schema != NULL && schema->type == JSON_OBJECT)
        tool->parameters = json_value_text(schema, arena, SCHEMA_BYTES);
    return tool->name.len > 0 && !str_is_absent(tool->parameters);
}

bool remote_mcp_wire_asks(const struct json_value *result)
{
    return str_equal(text_at(result, "resultType"), STR("input_required"));
}

struct str remote_mcp_wire_inputs(const struct json_value *result, struct arena *arena, size_t most)
{
    const struct json_value *asked = json_value_member(result, STR("inputRequests"));
    struct json_write json;
    struct buf out;
    bool is_fine = true;
    if (asked == NULL)
        return arena_str(arena, STR("{}"));
    buf_init(&out, most);
    json_write_init(&json, &out);
    json_write_object(&json);
    JSON_EACH(one, asked) {
        struct str method = method_of(one);
        if (str_equal(method, STR("elicitation/create")))
            json_write_member_raw(&json, one->key, STR("{\"action\":\"cancel\"}"));
        else if (str_equal(method, STR("roots/list")))
            json_write_member_raw(&json, one->key, STR("{\"roots\":[]}"));
        else
            is_fine = false;
    }
    json_write_object_end(&json);
    struct str text =
        is_fine && buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

/* One part of a result's content. */
static void push_part(const struct json_value *part, struct buf *out)
{
    struct str type = text_at(part, "type"), text = text_at(part, "text");
    if (str_equal(type, STR("resource")))
        text = text_at(json_value_member(part, STR("resource")), "text");
    if (str_equal(type, STR("resource_link")))
        text = text_at(part, "uri");
    if (buf_len(out) > 0)
        buf_push_char(out, '\n');
    if (!str_is_absent(text))
        buf_push(out, text);
    else
        buf_printf(out, "(%.*s, which is no text)", STR_ARG(str_utf8_prefix(type, 32)));
}

struct str remote_mcp_wire_text(const struct json_value *result, struct arena *arena, size_t most)
{
    const struct json_value *content = json_value_member(result, STR("content"));
    const struct json_value *structured = json_value_member(result, STR("structuredContent"));
    struct buf out;
    if ((content == NULL || content->count == 0) && structured != NULL)
        return json_value_text(structured, arena, most);
    buf_init(&out, most);
    if (content != NULL && content->type == JSON_ARRAY)
        JSON_EACH(part, content)
            push_part(part, &out);
    struct str said = buf_len(&out) > 0 ? buf_str(&out) : STR("(nothing)");
    struct str text = buf_ok(&out) ? arena_str(arena, said) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}
