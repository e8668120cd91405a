/* SPDX-License-Identifier: MIT */
/* proto/anthropic.c - messages with the system text apart, and what the server asks of their order.
 *
 * Failure: none but a full buf, which says so itself. */
#include "proto/anthropic.h"

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

static bool is_blank(const struct model_message *message)
{
    return str_is_empty(str_trim(message->content));
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

static void write_messages(struct json_write *writer, const struct model_request *request)
{
    struct str role = {NULL, 0};
    json_write_key(writer, STR("messages"));
    json_write_array(writer);
    for (size_t i = 0; i < request->message_count; i++) {
        const struct model_message *message = &request->messages[i];
        if (is_system(message) || is_blank(message))
            continue;
        if (str_is_absent(role) && !str_equal(message->role, STR("user"))) {
            begin_message(writer, role = STR("user"));
            write_block(writer, STR("..."), false); /* what came before is not known */
        }
        if (!str_equal(role, message->role)) {
            if (!str_is_absent(role))
                end_message(writer);
            begin_message(writer, role = message->role);
        }
        write_block(writer, without_end_blanks(message->content), false);
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
    if (request->stream)
        json_write_member_bool(&writer, STR("stream"), true);
    json_write_object_end(&writer);
    CHECK(json_write_is_complete(&writer));
}
