/* SPDX-License-Identifier: MIT */
/* proto/models/openai.c - the request as URL and body.
 *
 * Happy path: everything is an append to the caller's buf.
 * Failure paths: none but a full buf, which says so itself. Parts of the URL that come from
 * configuration are percent-encoded, so they cannot reach beyond their segment. */
#include "proto/models/openai.h"

#include "proto/json_write.h"
#include "proto/url.h"

static void write_url(struct buf *buf, const struct model_endpoint *endpoint, struct str path)
{
    buf_push(buf, model_wire_base(endpoint->base_url));
    if (endpoint->dialect == MODEL_WIRE_OPENAI) {
        buf_push(buf, path);
        return;
    }
    buf_push(buf, STR("/openai/deployments/"));
    url_encode(buf, endpoint->deployment);
    buf_push(buf, path);
    buf_push(buf, STR("?api-version="));
    url_encode(buf, endpoint->api_version);
}

void openai_write_url(struct buf *buf, const struct model_endpoint *endpoint)
{
    write_url(buf, endpoint, STR("/chat/completions"));
}

void openai_write_embeddings_url(struct buf *buf, const struct model_endpoint *endpoint)
{
    write_url(buf, endpoint, STR("/embeddings"));
}

static void write_calls(struct json_write *writer, const struct model_message *message)
{
    json_write_key(writer, STR("tool_calls"));
    json_write_array(writer);
    for (size_t i = 0; i < message->call_count; i++) {
        const struct model_call *call = &message->calls[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("id"), call->id);
        json_write_member_str(writer, STR("type"), STR("function"));
        json_write_key(writer, STR("function"));
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), call->name);
        json_write_key(writer, STR("arguments"));
        json_write_str(writer, call->arguments);
        json_write_object_end(writer);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_message(struct json_write *writer, const struct model_message *message)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("role"), message->role);
    if (message->call_id.len > 0)
        json_write_member_str(writer, STR("tool_call_id"), message->call_id);
    json_write_key(writer, STR("content"));
    if (message->call_count > 0 && message->content.len == 0)
        json_write_null(writer);
    else
        json_write_str(writer, message->content);
    if (message->call_count > 0)
        write_calls(writer, message);
    json_write_object_end(writer);
}

static void write_messages(struct json_write *writer, const struct model_request *chat)
{
    json_write_key(writer, STR("messages"));
    json_write_array(writer);
    for (size_t i = 0; i < chat->message_count; i++)
        write_message(writer, &chat->messages[i]);
    json_write_array_end(writer);
}

static void write_tools(struct json_write *writer, const struct model_request *chat)
{
    json_write_key(writer, STR("tools"));
    json_write_array(writer);
    for (size_t i = 0; i < chat->tool_count; i++) {
        const struct model_tool *tool = &chat->tools[i];
        json_write_object(writer);
        json_write_member_str(writer, STR("type"), STR("function"));
        json_write_key(writer, STR("function"));
        json_write_object(writer);
        json_write_member_str(writer, STR("name"), tool->name);
        json_write_member_str(writer, STR("description"), tool->description);
        json_write_member_raw(writer, STR("parameters"), tool->parameters);
        json_write_object_end(writer);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
    if (chat->tool_choice != MODEL_TOOLS_AUTO)
        json_write_member_str(writer, STR("tool_choice"),
                              chat->tool_choice == MODEL_TOOLS_NONE ? STR("none")
                                                                    : STR("required"));
}

static void write_limits(struct json_write *writer, const struct model_request *chat)
{
    if (chat->has_temperature)
        json_write_member_double(writer, STR("temperature"), chat->temperature);
    if (chat->max_tokens > 0 && chat->limit == MODEL_LIMIT_MAX_COMPLETION_TOKENS)
        json_write_member_u64(writer, STR("max_completion_tokens"), chat->max_tokens);
    else if (chat->max_tokens > 0 && chat->limit == MODEL_LIMIT_MAX_TOKENS)
        json_write_member_u64(writer, STR("max_tokens"), chat->max_tokens);
    if (chat->reasoning_effort.len > 0)
        json_write_member_str(writer, STR("reasoning_effort"), chat->reasoning_effort);
    if (chat->stop_count == 0)
        return;
    json_write_key(writer, STR("stop"));
    json_write_array(writer);
    for (size_t i = 0; i < chat->stop_count; i++)
        json_write_str(writer, chat->stop[i]);
    json_write_array_end(writer);
}

static void write_form(struct json_write *writer, const struct model_request *chat)
{
    json_write_key(writer, STR("response_format"));
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), STR("json_schema"));
    json_write_key(writer, STR("json_schema"));
    json_write_object(writer);
    json_write_member_str(writer, STR("name"), chat->form_name);
    json_write_member_bool(writer, STR("strict"), true);
    json_write_member_raw(writer, STR("schema"), chat->form);
    json_write_object_end(writer);
    json_write_object_end(writer);
}

void openai_write_chat(struct buf *buf, const struct model_request *chat)
{
    struct json_write writer;
    json_write_init(&writer, buf);
    json_write_object(&writer);
    if (chat->model.len > 0)
        json_write_member_str(&writer, STR("model"), chat->model);
    write_messages(&writer, chat);
    if (chat->tool_count > 0)
        write_tools(&writer, chat);
    write_limits(&writer, chat);
    if (chat->form.len > 0)
        write_form(&writer, chat);
    if (chat->stream)
        json_write_member_bool(&writer, STR("stream"), true);
    if (chat->stream && chat->asks_usage)
        json_write_member_raw(&writer, STR("stream_options"), STR("{\"include_usage\":true}"));
    json_write_object_end(&writer);
    CHECK(json_write_is_complete(&writer));
}

void openai_write_texts(struct buf *buf, const struct openai_texts *texts)
{
    struct json_write writer;
    json_write_init(&writer, buf);
    json_write_object(&writer);
    if (texts->model.len > 0)
        json_write_member_str(&writer, STR("model"), texts->model);
    json_write_key(&writer, STR("input"));
    json_write_array(&writer);
    for (size_t i = 0; i < texts->count; i++)
        json_write_str(&writer, texts->texts[i]);
    json_write_array_end(&writer);
    json_write_member_str(&writer, STR("encoding_format"),
                          texts->base64 ? STR("base64") : STR("float"));
    if (texts->dimensions > 0)
        json_write_member_u64(&writer, STR("dimensions"), texts->dimensions);
    json_write_object_end(&writer);
    CHECK(json_write_is_complete(&writer));
}
