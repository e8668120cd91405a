/* SPDX-License-Identifier: MIT */
/* server/facades/ai_sdk/ui_chat_stream.c - events -> parts of a UI message.
 *
 * Happy path: start, a part per tool that is called and per stretch of text, sources, finish with
 * what the run reports as the message's metadata, [DONE]. What is of the moment only (the route,
 * a retry, a place in line) is transient data.
 * - an answer that starts again: its text is a part of its own;
 * - the run failed: tools that are open failed, then an error part. */
#include "server/facades/ai_sdk/ui_chat.h"

#include <stdio.h>

#include "proto/json_read.h"
#include "proto/json_write.h"
#include "proto/sse_write.h"
#include "server/api/client_tools.h"
#include "server/records/event_call.h"
#include "server/records/event_json.h"
#include "server/facades/facade.h"

enum { OPEN_TOOLS = 40, SOURCES_BYTES = 4 * 1024 * 1024 };

struct ui_tool {
    uint64_t name, id; /* hash of the name, or of the call's id; the event it began with, 0: no
                          tool */
};

struct ui_chat {
    struct encoder encoder;
    int64_t attempt; /* of the text that is open; 0: none is */
    struct ui_tool tools[OPEN_TOOLS];
};

static struct ui_chat *ui_of(struct encoder *encoder)
{
    return container_of(encoder, struct ui_chat, encoder);
}

/* ---- parts ---- */

static void begin_part(struct json_write *json, const char *type, struct buf *out)
{
    buf_push(out, STR("data: "));
    json_write_init(json, out);
    json_write_object(json);
    json_write_member_str(json, STR("type"), str_of(type));
}

static void end_part(struct json_write *json, struct buf *out)
{
    json_write_object_end(json);
    buf_push(out, STR("\n\n"));
}

static void write_part(const char *type, const char *name, struct str value, struct buf *out)
{
    struct json_write json;
    begin_part(&json, type, out);
    if (name != NULL)
        json_write_member_str(&json, str_of(name), value);
    end_part(&json, out);
}

/* ---- text ---- */

static void write_text_mark(const struct ui_chat *ui, bool is_end, struct buf *out)
{
    buf_push(out, is_end ? STR("data: {\"type\":\"text-end\",\"id\":\"text-")
                         : STR("data: {\"type\":\"text-start\",\"id\":\"text-"));
    buf_push_i64(out, ui->attempt);
    buf_push(out, STR("\"}\n\n"));
}

static void end_text(struct ui_chat *ui, struct buf *out)
{
    if (ui->attempt > 0)
        write_text_mark(ui, true, out);
    ui->attempt = 0;
}

static void write_token(struct ui_chat *ui, const struct event *event, struct buf *out)
{
    struct json_write json;
    if (!str_equal(event->name, STR(EVENT_FINAL_CHANNEL)) || event->text.len == 0)
        return;
    if (event->number != ui->attempt) {
        end_text(ui, out);
        ui->attempt = event->number;
        write_text_mark(ui, false, out);
    }
    buf_push(out, STR("data: {\"type\":\"text-delta\",\"id\":\"text-"));
    buf_push_i64(out, ui->attempt);
    buf_push(out, STR("\",\"delta\":"));
    json_write_init(&json, out);
    json_write_str(&json, event->text);
    buf_push(out, STR("}\n\n"));
}

/* ---- tools ---- */

/* A part about the call that began with event id; the tool is ours: the client runs nothing. */
static void begin_tool_part(struct json_write *json, const char *type, uint64_t id, struct buf *out)
{
    char call[32];
    int len = snprintf(call, sizeof call, "tool-%llu", (unsigned long long)id);
    begin_part(json, type, out);
    json_write_member_str(json, STR("toolCallId"), str_make(call, (size_t)len));
    json_write_member_bool(json, STR("dynamic"), true);
    json_write_member_bool(json, STR("providerExecuted"), true);
}

static void start_tool(struct ui_chat *ui, const struct event *event, struct buf *out)
{
    struct json_write json;
    size_t place = 0;
    while (place < OPEN_TOOLS && ui->tools[place].id != 0)
        place++;
    if (place == OPEN_TOOLS)
        return;
    struct event_call call;
    bool is_asked = event_call_read(event, &call);
    ui->tools[place] = (struct ui_tool){str_hash(is_asked ? call.id : event->name), event->id};
    begin_tool_part(&json, "tool-input-start", event->id, out);
    json_write_member_str(&json, STR("toolName"), event->name);
    end_part(&json, out);
    begin_tool_part(&json, "tool-input-available", event->id, out);
    json_write_member_str(&json, STR("toolName"), event->name);
    json_write_key(&json, STR("input"));
    if (!is_asked || event_call_is_object(call.said))
        json_write_raw(&json, is_asked ? call.said : STR("{}"));
    else
        json_write_str(&json, call.said); /* not JSON: as the model wrote it */
    end_part(&json, out);
    event_call_fini(&call);
}

/* What came of the call: how long it took, and the result of one that a model asked for. */
static void write_output(const struct ui_tool *tool, const struct event *event,
                         const struct event_call *call, bool is_asked, struct buf *out)
{
    struct json_write json;
    if (is_asked && call->failed) {
        begin_tool_part(&json, "tool-output-error", tool->id, out);
        json_write_member_str(&json, STR("errorText"), call->said);
        end_part(&json, out);
        return;
    }
    begin_tool_part(&json, "tool-output-available", tool->id, out);
    json_write_key(&json, STR("output"));
    json_write_object(&json);
    json_write_member_i64(&json, STR("ms"), event->number);
    if (is_asked)
        json_write_member_str(&json, STR("result"), call->said);
    json_write_object_end(&json);
    end_part(&json, out);
}

static void end_tool(struct ui_chat *ui, const struct event *event, struct buf *out)
{
    struct event_call call;
    bool is_asked = event_call_read(event, &call);
    uint64_t name = str_hash(is_asked ? call.id : event->name);
    for (size_t i = 0; i < OPEN_TOOLS; i++) {
        if (ui->tools[i].id == 0 || ui->tools[i].name != name)
            continue;
        write_output(&ui->tools[i], event, &call, is_asked, out);
        ui->tools[i].id = 0;
        break;
    }
    event_call_fini(&call);
}

static void fail_tools(struct ui_chat *ui, struct str message, struct buf *out)
{
    struct json_write json;
    for (size_t i = 0; i < OPEN_TOOLS; i++) {
        if (ui->tools[i].id == 0)
            continue;
        begin_tool_part(&json, "tool-output-error", ui->tools[i].id, out);
        json_write_member_str(&json, STR("errorText"), message);
        end_part(&json, out);
        ui->tools[i].id = 0;
    }
}

/* ---- sources ---- */

static void write_source(const struct json_value *citation, struct buf *out)
{
    struct json_write json;
    struct str document = STR(""), chunk = STR(""), title = {NULL, 0};
    if (json_value_str(citation, "/document", &document, NULL) != ERR_OK ||
        json_value_str(citation, "/chunk", &chunk, NULL) != ERR_OK)
        return;
    if (json_value_str(citation, "/title", &title, NULL) != ERR_OK)
        title = document;
    begin_part(&json, "source-document", out);
    json_write_member_str(&json, STR("sourceId"), chunk);
    json_write_member_str(&json, STR("mediaType"), STR("text/plain"));
    json_write_member_str(&json, STR("title"), title);
    json_write_member_str(&json, STR("filename"), document);
    end_part(&json, out);
}

/* Of the report's citations, which stand in an array. */
static void write_sources(struct str members, struct buf *out)
{
    static const struct str name = STR("\"citations\":["); /* quotes in texts are escaped */
    ptrdiff_t at = str_find(members, name);
    struct json_read reader;
    struct arena arena;
    if (at == STR_NONE)
        return;
    struct str rest = str_from(members, (size_t)at + name.len - 1);
    json_read_init(&reader, rest);
    if (json_read_next(&reader) != JSON_TOKEN_ARRAY || !json_read_skip(&reader, JSON_TOKEN_ARRAY))
        return;
    arena_init(&arena, SOURCES_BYTES);
    const struct json_value *all =
        json_value_parse(&arena, str_slice(rest, 0, json_read_offset(&reader)), NULL, NULL);
    if (all != NULL)
        JSON_EACH(citation, all)
            write_source(citation, out);
    arena_fini(&arena);
}

/* ---- the rest ---- */

static void write_data(const char *type, bool is_transient, const struct event *event,
                       struct buf *out)
{
    struct json_write json;
    begin_part(&json, type, out);
    json_write_key(&json, STR("data"));
    event_json_write(out, event);
    buf_push(out, is_transient ? STR(",\"transient\":true}\n\n") : STR("}\n\n"));
}

/* A call that the client answers. */
static void write_client_call(void *owner, const struct client_tools_call *call)
{
    struct buf *out = owner;
    struct json_write json;
    begin_part(&json, "tool-input-available", out);
    json_write_member_str(&json, STR("toolCallId"), call->id);
    json_write_member_str(&json, STR("toolName"), call->tool);
    json_write_member_raw(&json, STR("input"), call->arguments);
    end_part(&json, out);
}

static void write_complete(struct ui_chat *ui, const struct event *event, struct buf *out)
{
    size_t calls = 0;
    end_text(ui, out);
    write_sources(event->text, out);
    if (event_is_pause(event))
        calls = client_tools_each(event->text, (struct str){NULL, 0}, write_client_call, out);
    buf_printf(out,
               "data: {\"type\":\"finish-step\"}\n\n"
               "data: {\"type\":\"finish\",\"finishReason\":\"%s\",\"messageMetadata\":{",
               calls > 0 ? "tool-calls" : "stop");
    buf_push(out, event->text);
    buf_push(out, STR("}}\n\n"));
}

static void write_failure(struct ui_chat *ui, struct str code, struct str message, struct buf *out)
{
    struct json_write json;
    end_text(ui, out);
    fail_tools(ui, message, out);
    begin_part(&json, "error", out);
    json_write_member_str(&json, STR("errorText"), message);
    json_write_member_str(&json, STR("code"), code);
    end_part(&json, out);
}

static void begin(struct encoder *encoder, struct str run_id, struct buf *out)
{
    (void)encoder;
    write_part("start", "messageId", run_id, out);
    write_part("start-step", NULL, STR(""), out);
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct ui_chat *ui = ui_of(encoder);
    switch (event->kind) {
    case EVENT_TOKEN:
        write_token(ui, event, out);
        return;
    case EVENT_TOOL_START:
        start_tool(ui, event, out);
        return;
    case EVENT_TOOL_END:
        end_tool(ui, event, out);
        return;
    case EVENT_ROUTE_DECISION:
        write_data("data-route", true, event, out);
        return;
    case EVENT_RETRY:
    case EVENT_QUEUED:
    case EVENT_WARNING:
    case EVENT_DATA:
        write_data("data-event", true, event, out);
        return;
    case EVENT_INTERRUPT:
        write_data("data-interrupt", false, event, out);
        return;
    case EVENT_COMPLETE:
        write_complete(ui, event, out);
        return;
    case EVENT_ERROR:
        write_failure(ui, event->name, event->text, out);
        return;
    default: /* nodes and states: the graph's inside */
        return;
    }
}

static void write_error(struct encoder *encoder, const char *code, const char *message,
                        struct buf *out)
{
    write_failure(ui_of(encoder), str_of(code), str_of(message), out);
}

static void finish(struct encoder *encoder, struct buf *out)
{
    (void)encoder;
    buf_push(out, STR("data: [DONE]\n\n"));
}

struct encoder *ui_chat_encoder(struct exchange *exchange)
{
    static const struct encoder_kind kind = {.headers =
                                                 STR("x-vercel-ai-ui-message-stream: v1\r\n"),
                                             .begin = begin,
                                             .event = write_event,
                                             .heartbeat = sse_write_heartbeat,
                                             .error = write_error,
                                             .finish = finish,
                                             .needs_all = true};
    return facade_encoder(exchange, sizeof(struct ui_chat), &kind);
}

static void write_problem(const struct problem *problem, const char *request_id, struct buf *out)
{
    (void)request_id; /* it is a header */
    buf_push(out, str_of(problem->err.text));
}

const struct problem_style ui_chat_problem_style = {"text/plain; charset=utf-8", 400, 501,
                                                    write_problem};
