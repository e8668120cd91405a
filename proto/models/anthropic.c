/* SPDX-License-Identifier: MIT */
/* proto/models/anthropic.c - messages with the system text apart, and what the server asks of their
 * order.
 *
 * Failure: none but a full buf, which says so itself. */
#include "proto/models/anthropic.h"

#include "proto/json_read.h"
#include "proto/json_write.h"

void anthropic_write_url(struct buf *buf, const struct model_endpoint *endpoint)
{
    struct str base = model_wire_base(endpoint->base_url);
    buf_push(buf, base);
    buf_push(buf, str_ends_with(base, STR("/v1")) ? STR("/messages") : STR("/v1/messages"));
}

static bool is_system(const struct model_message *message)
{
    return str_equal(message->role, STR("system"));
}

/* Whether message has nothing to say. */
static bool is_blank(const struct model_message *message)
{
    return message->call_count == 0 && message->call_id.len == 0 &&
           str_is_empty(str_trim(message->content));
}

/* Results of tools are the user's in this wire. */
static struct str role_of(const struct model_message *message)
{
    return str_equal(message->role, STR("tool")) ? STR("user") : message->role;
}

static void write_block(struct json_write *writer, struct str text, bool is_cached)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), STR("text"));
    json_write_member_str(writer, STR("text"), text);
    if (is_cached)
        json_write_member_raw(writer, STR("cache_control"), STR("{\"type\":\"ephemeral\"}"));
    json_write_object_end(writer);
}

static void write_system(struct json_write *writer, const struct model_request *request)
{
    bool is_open = false;
    for (size_t i = 0; i < request->message_count; i++) {
        const struct model_message *message = &request->messages[i];
        if (!is_system(message) || is_blank(message))
            continue;
        if (!is_open) {
            json_write_key(writer, STR("system"));
            json_write_array(writer);
        }
        write_block(writer, message->content, !is_open);
        is_open = true;
    }
    if (is_open)
        json_write_array_end(writer);
}

static void begin_message(struct json_write *writer, struct str role)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("role"), role);
    json_write_key(writer, STR("content"));
    json_write_array(writer);
}

static void end_message(struct json_write *writer)
{
    json_write_array_end(writer);
    json_write_object_end(writer);
}

/* Blanks at the end of the model's own words are refused. */
static struct str without_end_blanks(struct str text)
{
    while (text.len > 0 && str_is_blank(text.at[text.len - 1]))
        text.len--;
    return text;
}

/* This wire takes an object alone: what a careless model wrote is told as a text in one. */
static void write_input(struct json_write *writer, struct str arguments)
{
    struct json_read reader;
    json_read_init(&reader, arguments);
    enum json_token token = json_read_next(&reader);
    bool is_object = token == JSON_TOKEN_OBJECT && json_read_skip(&reader, token) &&
                     json_read_next(&reader) == JSON_TOKEN_END;
    json_write_key(writer, STR("input"));
    if (is_object) {
        json_write_raw(writer, arguments);
        return;
    }
    json_write_object(writer);
    json_write_member_str(writer, STR("unreadable"), arguments);
    json_write_object_end(writer);
}

static void write_calls(struct json_write *writer, const struct model_message *message)
{
    for (size_t i = 0; i < message->call_count; i++) {
        json_write_object(writer);
        json_write_member_str(writer, STR("type"), STR("tool_use"));
        json_write_member_str(writer, STR("id"), message->calls[i].id);
        json_write_member_str(writer, STR("name"), message->calls[i].name);
        write_input(writer, message->calls[i].arguments);
        json_write_object_end(writer);
    }
}

static void write_result(struct json_write *writer, const struct model_message *message)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), STR("tool_result"));
    json_write_member_str(writer, STR("tool_use_id"), message->call_id);
    json_write_key(writer, STR("content"));
    json_write_str(writer, message->content);
    if (message->is_error)
        json_write_member_bool(writer, STR("is_error"), true);
    json_write_object_end(writer);
}

static void write_message(struct json_write *writer, const struct model_message *message)
{
    if (message->call_id.len > 0)
        write_result(writer, message);
    else if (!str_is_empty(str_trim(message->content)))
        write_block(writer, without_end_blanks(message->content), false);
    write_calls(writer, message);
}

static void write_tools(struct json_write *writer, const struct model_request *request)
{
    json_write_key(writer, STR("tools"));
    json_write_array(writer);
    for (size_t i = 0; i < request->tool_count; i++) {
        const struct model_tool *tool = &request->tools[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), tool->name);
        json_write_member_str(writer, STR("description"), tool->description);
        json_write_member_raw(writer, STR("input_schema"), tool->parameters);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
    if (request->tool_choice != MODEL_TOOLS_AUTO)
        json_write_member_raw(writer, STR("tool_choice"),
                              request->tool_choice == MODEL_TOOLS_NONE ? STR("{\"type\":\"none\"}")
                                                                       : STR("{\"type\":\"any\"}"));
}

static void write_messages(struct json_write *writer, const struct model_request *request)
{
    struct str role = {NULL, 0};
    json_write_key(writer, STR("messages"));
    json_write_array(writer);
    for (size_t i = 0; i < request->message_count; i++) {
        const struct model_message *message = &request->messages[i];
        if (is_system(message) || is_blank(message))
            continue;
        if (str_is_absent(role) && !str_equal(role_of(message), STR("user"))) {
            begin_message(writer, role = STR("user"));
            write_block(writer, STR("..."), false); /* what came before is not known */
        }
        if (!str_equal(role, role_of(message))) {
            if (!str_is_absent(role))
                end_message(writer);
            begin_message(writer, role = role_of(message));
        }
        write_message(writer, message);
    }
    if (str_is_absent(role)) { /* at least one is asked for */
        begin_message(writer, STR("user"));
        write_block(writer, STR("Go on."), false);
    }
    end_message(writer);
    json_write_array_end(writer);
}

void anthropic_write_chat(struct buf *buf, const struct model_request *request)
{
    struct json_write writer;
    json_write_init(&writer, buf);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("model"), request->model);
    json_write_member_u64(&writer, STR("max_tokens"), request->max_tokens);
    write_system(&writer, request);
    if (request->tool_count > 0)
        write_tools(&writer, request);
    write_messages(&writer, request);
    if (request->has_temperature) /* this wire's go up to 1 */
        json_write_member_double(&writer, STR("temperature"),
                                 request->temperature > 1 ? 1 : request->temperature);
    if (request->stop_count > 0) {
        json_write_key(&writer, STR("stop_sequences"));
        json_write_array(&writer);
        for (size_t i = 0; i < request->stop_count; i++)
            json_write_str(&writer, request->stop[i]);
        json_write_array_end(&writer);
    }
    if (request->form.len > 0) {
        json_write_key(&writer, STR("output_config"));
        json_write_object(&writer);
        json_write_key(&writer, STR("format"));
        json_write_object(&writer);
        json_write_member_str(&writer, STR("type"), STR("json_schema"));
        json_write_member_raw(&writer, STR("schema"), request->form);
        json_write_object_end(&writer);
        json_write_object_end(&writer);
    }
    if (request->stream)
        json_write_member_bool(&writer, STR("stream"), true);
    json_write_object_end(&writer);
    CHECK(json_write_is_complete(&writer));
}
