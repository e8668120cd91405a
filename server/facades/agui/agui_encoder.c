/* SPDX-License-Identifier: MIT */
/* server/facades/agui/agui_encoder.c - which AG-UI events say what one of ours says.
 *
 * Happy path: RUN_STARTED and a snapshot of the state with the run's id; steps for nodes, tool
 * calls for tools, one text message for the answer, what a node wrote as a patch of the state; what
 * is still open is closed, then RUN_FINISHED with the run's report and its usage.
 * Failure paths: RUN_ERROR; a cancelled run is RUN_FINISHED with that outcome; an attempt that is
 * void ends its message, says so by CUSTOM "reset", and the next one begins another; one that
 * pauses for a person is RUN_FINISHED with what it asks. */
#include "server/facades/agui/agui_encoder.h"

#include "server/api/client_tools.h"

#include <stdio.h>

#include "core/base/id.h"
#include "proto/json_write.h"
#include "proto/sse_write.h"
#include "server/records/event_call.h"
#include "server/records/event_json.h"
#include "server/facades/facade.h"

enum { ID_BYTES = ID_RUN_BYTES + 24, CUSTOM_BYTES = 1 << 20 };

struct open { /* a step or a tool's call; it stays when it has ended, for the next time */
    struct open *next;
    struct str name;        /* or the id of a call that a model asked for */
    char call_id[ID_BYTES]; /* of a tool */
    bool is_tool, is_open;
};

struct asked { /* what the run waits for, when it pauses */
    struct asked *next;
    struct str node, members;
    char id[ID_BYTES];
};

struct agui {
    struct encoder encoder;
    struct agui_encoder_options options;
    struct str run_id; /* ours */
    struct open *opened;
    struct asked *asked, **asked_end;
    char message_id[ID_BYTES];
    bool is_message_open;
    int64_t attempt;
};

static struct agui *agui_of(struct encoder *encoder)
{
    return container_of(encoder, struct agui, encoder);
}

/* ---- frames ---- */

struct frame {
    struct json_write json;
    struct buf *out;
    size_t mark;
};

static void begin_frame(struct frame *frame, const char *type, struct buf *out)
{
    frame->out = out;
    frame->mark = sse_write_begin(out, STR(""));
    json_write_init(&frame->json, out);
    json_write_object(&frame->json);
    json_write_member_str(&frame->json, STR("type"), str_of(type));
}

static void end_frame(struct frame *frame)
{
    json_write_object_end(&frame->json);
    sse_write_end(frame->out, frame->mark);
}

static void add_str(struct frame *frame, const char *key, struct str value)
{
    json_write_member_str(&frame->json, str_of(key), value);
}

/* A frame with one member. */
static void write_one(const char *type, const char *key, struct str value, struct buf *out)
{
    struct frame frame;
    begin_frame(&frame, type, out);
    add_str(&frame, key, value);
    end_frame(&frame);
}

/* "<run>:<event>", which no other run or event has. */
static void make_id(const struct agui *agui, uint64_t id, char *text)
{
    (void)snprintf(text, ID_BYTES, "%.*s:%llu", STR_ARG(agui->run_id), (unsigned long long)id);
}

static void write_run(const struct agui *agui, struct frame *frame)
{
    add_str(frame, "threadId", agui->options.thread_id);
    add_str(frame, "runId", agui->options.run_id);
}

/* What AG-UI has no event for, as we write it ourselves. */
static void write_custom(const struct event *event, struct buf *out)
{
    struct frame frame;
    begin_frame(&frame, "CUSTOM", out);
    add_str(&frame, "name", str_of(event_name(event->kind)));
    json_write_key(&frame.json, STR("value"));
    struct buf value;
    buf_init(&value, CUSTOM_BYTES);
    event_json_write(&value, event);
    json_write_raw(&frame.json, buf_ok(&value) ? buf_str(&value) : STR("{}"));
    buf_fini(&value);
    end_frame(&frame);
}

/* ---- steps and tools ---- */

/* The entry of name; NULL: no memory, it is not shown. */
static struct open *find_open(struct agui *agui, struct str name, bool is_tool)
{
    for (struct open *open = agui->opened; open != NULL; open = open->next)
        if (open->is_tool == is_tool && str_equal(open->name, name))
            return open;
    struct open *made = arena_alloc(agui->options.arena, sizeof *made);
    struct str copy = arena_str(agui->options.arena, name);
    if (made == NULL || str_is_absent(copy))
        return NULL;
    *made = (struct open){.next = agui->opened, .name = copy, .is_tool = is_tool};
    agui->opened = made;
    return made;
}

static void begin_step(struct agui *agui, const struct event *event, struct buf *out)
{
    struct open *step = find_open(agui, event->name, false);
    if (step == NULL || step->is_open)
        return;
    step->is_open = true;
    write_one("STEP_STARTED", "stepName", step->name, out);
}

static void end_step(struct open *step, struct buf *out)
{
    step->is_open = false;
    write_one("STEP_FINISHED", "stepName", step->name, out);
}

/* Nobody but us can answer the call: its arguments, if a model wrote any, are complete at once. */
static void begin_tool(struct agui *agui, const struct event *event, struct buf *out)
{
    struct frame frame;
    struct event_call call;
    bool is_asked = event_call_read(event, &call);
    struct open *tool = find_open(agui, is_asked ? call.id : event->name, true);
    if (tool == NULL || tool->is_open) {
        event_call_fini(&call);
        return;
    }
    tool->is_open = true;
    make_id(agui, event->id, tool->call_id);
    begin_frame(&frame, "TOOL_CALL_START", out);
    add_str(&frame, "toolCallId", str_of(tool->call_id));
    add_str(&frame, "toolCallName", event->name);
    end_frame(&frame);
    begin_frame(&frame, "TOOL_CALL_ARGS", out);
    add_str(&frame, "toolCallId", str_of(tool->call_id));
    add_str(&frame, "delta", is_asked ? call.said : STR("{}"));
    end_frame(&frame);
    write_one("TOOL_CALL_END", "toolCallId", str_of(tool->call_id), out);
    event_call_fini(&call);
}

static void end_tool(struct open *tool, struct str content, struct buf *out)
{
    struct frame frame;
    char id[ID_BYTES + 8];
    tool->is_open = false;
    (void)snprintf(id, sizeof id, "%s:result", tool->call_id);
    begin_frame(&frame, "TOOL_CALL_RESULT", out);
    add_str(&frame, "messageId", str_of(id));
    add_str(&frame, "toolCallId", str_of(tool->call_id));
    add_str(&frame, "content", content);
    add_str(&frame, "role", STR("tool"));
    end_frame(&frame);
}

static void end_named_step(struct agui *agui, const struct event *event, struct buf *out)
{
    struct open *step = find_open(agui, event->name, false);
    if (step != NULL && step->is_open)
        end_step(step, out);
}

static void end_named_tool(struct agui *agui, const struct event *event, struct buf *out)
{
    char content[64];
    struct event_call call;
    bool is_asked = event_call_read(event, &call);
    struct open *tool = find_open(agui, is_asked ? call.id : event->name, true);
    (void)snprintf(content, sizeof content, "done in %lld ms", (long long)event->number);
    if (tool != NULL && tool->is_open)
        end_tool(tool, is_asked ? call.said : str_of(content), out);
    event_call_fini(&call);
}

/* ---- the answer ---- */

static void end_message(struct agui *agui, struct buf *out)
{
    if (agui->is_message_open)
        write_one("TEXT_MESSAGE_END", "messageId", str_of(agui->message_id), out);
    agui->is_message_open = false;
}

static void void_message(struct agui *agui, struct buf *out)
{
    struct frame frame;
    end_message(agui, out);
    begin_frame(&frame, "CUSTOM", out);
    add_str(&frame, "name", STR("reset"));
    json_write_key(&frame.json, STR("value"));
    json_write_object(&frame.json);
    json_write_member_str(&frame.json, STR("messageId"), str_of(agui->message_id));
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

static void write_token(struct agui *agui, const struct event *event, struct buf *out)
{
    struct frame frame;
    if (!str_equal(event->name, STR(EVENT_FINAL_CHANNEL)))
        return;
    if (event->number != agui->attempt && agui->message_id[0] != '\0')
        void_message(agui, out);
    agui->attempt = event->number;
    if (event->text.len == 0)
        return;
    if (!agui->is_message_open) {
        agui->is_message_open = true;
        make_id(agui, event->id, agui->message_id);
        begin_frame(&frame, "TEXT_MESSAGE_START", out);
        add_str(&frame, "messageId", str_of(agui->message_id));
        add_str(&frame, "role", STR("assistant"));
        end_frame(&frame);
    }
    begin_frame(&frame, "TEXT_MESSAGE_CONTENT", out);
    add_str(&frame, "messageId", str_of(agui->message_id));
    add_str(&frame, "delta", event->text);
    end_frame(&frame);
}

/* ---- the state ---- */

/* A JSON pointer to the member name. */
static void push_pointer(struct str name, struct buf *out)
{
    buf_push_char(out, '/');
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == '~' || name.at[i] == '/')
            buf_push(out, name.at[i] == '~' ? STR("~0") : STR("~1"));
        else
            buf_push_char(out, name.at[i]);
    }
}

static void write_state(const struct event *event, struct buf *out)
{
    struct frame frame;
    struct buf pointer;
    buf_init(&pointer, CUSTOM_BYTES);
    push_pointer(event->name, &pointer);
    begin_frame(&frame, "STATE_DELTA", out);
    json_write_key(&frame.json, STR("delta"));
    json_write_array(&frame.json);
    json_write_object(&frame.json);
    add_str(&frame, "op", STR("add"));
    add_str(&frame, "path", buf_str(&pointer));
    json_write_key(&frame.json, STR("value"));
    json_write_object(&frame.json);
    buf_push(out, event->text);
    json_write_object_end(&frame.json);
    json_write_object_end(&frame.json);
    json_write_array_end(&frame.json);
    end_frame(&frame);
    buf_fini(&pointer);
}

/* ---- beginning and end ---- */

static void warn_passed(struct str message, struct buf *out)
{
    write_custom(
        &(struct event){.kind = EVENT_WARNING, .name = STR("passed_over"), .text = message}, out);
}

static void begin(struct encoder *encoder, struct str run_id, struct buf *out)
{
    struct agui *agui = agui_of(encoder);
    struct frame frame;
    agui->run_id = run_id;
    begin_frame(&frame, "RUN_STARTED", out);
    write_run(agui, &frame);
    add_str(&frame, "protocolVersion", STR("1.0"));
    end_frame(&frame);
    begin_frame(&frame, "STATE_SNAPSHOT", out);
    json_write_key(&frame.json, STR("snapshot"));
    json_write_object(&frame.json);
    json_write_member_str(&frame.json, STR("run_id"), run_id);
    json_write_object_end(&frame.json);
    end_frame(&frame);
    if (agui->options.passed_tools)
        warn_passed(STR("tools were passed over: this graph calls none of the client's"), out);
    if (agui->options.passed_properties)
        warn_passed(STR("forwardedProps were passed over: nothing here reads them"), out);
}

static void close_all(struct agui *agui, struct buf *out)
{
    end_message(agui, out);
    for (struct open *open = agui->opened; open != NULL; open = open->next)
        if (open->is_open && open->is_tool)
            end_tool(open, STR("done"), out);
        else if (open->is_open)
            end_step(open, out);
}

static void write_usage(struct str members, struct frame *frame)
{
    struct facade_usage usage = facade_usage_of(members);
    json_write_key(&frame->json, STR("usage"));
    json_write_array(&frame->json);
    json_write_object(&frame->json);
    json_write_member_u64(&frame->json, STR("inputTokens"), usage.prompt_tokens);
    json_write_member_u64(&frame->json, STR("outputTokens"), usage.completion_tokens);
    json_write_member_u64(&frame->json, STR("totalTokens"),
                          usage.prompt_tokens + usage.completion_tokens);
    json_write_object_end(&frame->json);
    json_write_array_end(&frame->json);
}

static void write_outcome(const char *type, struct frame *frame)
{
    json_write_key(&frame->json, STR("outcome"));
    json_write_object(&frame->json);
    add_str(frame, "type", str_of(type));
    json_write_object_end(&frame->json);
}

/* Keep what a node asks a person for RUN_FINISHED, where AG-UI has it. */
static void keep_asked(struct agui *agui, const struct event *event)
{
    struct arena *arena = agui->options.arena;
    struct asked *asked = arena_alloc(arena, sizeof *asked);
    if (asked == NULL)
        return;
    *asked = (struct asked){.node = arena_str(arena, event->name),
                            .members = arena_str(arena, event->text)};
    make_id(agui, event->id, asked->id);
    *agui->asked_end = asked;
    agui->asked_end = &asked->next;
}

/* What the run asks; each is answered by a run whose input resumes its id. */
static void write_interrupts(const struct agui *agui, struct frame *frame)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"action\":{\"enum\":[\"approve\",\"edit\","
        "\"refuse\"]},\"sql\":{\"type\":\"string\"}},\"required\":[\"action\"]}";
    json_write_key(&frame->json, STR("outcome"));
    json_write_object(&frame->json);
    add_str(frame, "type", STR("interrupt"));
    json_write_key(&frame->json, STR("interrupts"));
    json_write_array(&frame->json);
    for (const struct asked *asked = agui->asked; asked != NULL; asked = asked->next) {
        bool is_sql = str_starts_with(asked->members, STR("\"type\":\"sql_approval\""));
        json_write_object(&frame->json);
        add_str(frame, "id", str_of(asked->id));
        add_str(frame, "reason", is_sql ? STR("sql_approval") : asked->node);
        if (is_sql)
            json_write_member_raw(&frame->json, STR("responseSchema"), str_of(schema));
        json_write_key(&frame->json, STR("metadata"));
        json_write_object(&frame->json);
        buf_push(frame->out, asked->members);
        json_write_object_end(&frame->json);
        json_write_object_end(&frame->json);
    }
    json_write_array_end(&frame->json);
    json_write_object_end(&frame->json);
}

/* A call that the client answers, in its next run's messages. */
static void write_client_call(void *owner, const struct client_tools_call *call)
{
    struct buf *out = owner;
    struct frame frame;
    begin_frame(&frame, "TOOL_CALL_START", out);
    add_str(&frame, "toolCallId", call->id);
    add_str(&frame, "toolCallName", call->tool);
    end_frame(&frame);
    begin_frame(&frame, "TOOL_CALL_ARGS", out);
    add_str(&frame, "toolCallId", call->id);
    add_str(&frame, "delta", call->arguments);
    end_frame(&frame);
    write_one("TOOL_CALL_END", "toolCallId", call->id, out);
}

static void write_complete(struct agui *agui, const struct event *event, struct buf *out)
{
    struct frame frame;
    close_all(agui, out);
    size_t calls = event_is_pause(event) ? client_tools_each(event->text, (struct str){NULL, 0},
                                                             write_client_call, out)
                                         : 0;
    begin_frame(&frame, "RUN_FINISHED", out);
    write_run(agui, &frame);
    json_write_key(&frame.json, STR("result"));
    json_write_object(&frame.json);
    buf_push(out, event->text);
    json_write_object_end(&frame.json);
    if (agui->asked != NULL && event_is_pause(event) && calls == 0)
        write_interrupts(agui, &frame);
    else
        write_outcome("success", &frame);
    write_usage(event->text, &frame);
    end_frame(&frame);
}

static void write_error(struct agui *agui, const struct event *event, struct buf *out)
{
    struct frame frame;
    close_all(agui, out);
    if (str_equal(event->name, STR("cancelled"))) {
        begin_frame(&frame, "RUN_FINISHED", out);
        write_run(agui, &frame);
        write_outcome("cancelled", &frame);
    } else {
        begin_frame(&frame, "RUN_ERROR", out);
        add_str(&frame, "message", event->text);
        add_str(&frame, "code", event->name);
    }
    write_usage(event->more, &frame);
    end_frame(&frame);
}

static void write_lost(struct encoder *encoder, const char *code, const char *message,
                       struct buf *out)
{
    struct frame frame;
    close_all(agui_of(encoder), out);
    begin_frame(&frame, "RUN_ERROR", out);
    add_str(&frame, "message", str_of(message));
    add_str(&frame, "code", str_of(code));
    end_frame(&frame);
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct agui *agui = agui_of(encoder);
    switch (event->kind) {
    case EVENT_TOKEN:
        write_token(agui, event, out);
        break;
    case EVENT_NODE_START:
        begin_step(agui, event, out);
        break;
    case EVENT_NODE_END:
        end_named_step(agui, event, out);
        break;
    case EVENT_TOOL_START:
        begin_tool(agui, event, out);
        break;
    case EVENT_TOOL_END:
        end_named_tool(agui, event, out);
        break;
    case EVENT_STATE:
        write_state(event, out);
        break;
    case EVENT_INTERRUPT:
        keep_asked(agui, event);
        break;
    case EVENT_COMPLETE:
        write_complete(agui, event, out);
        break;
    case EVENT_ERROR:
        write_error(agui, event, out);
        break;
    default:
        write_custom(event, out);
        break;
    }
}

static const struct encoder_kind agui_kind = {.headers = {"", 0},
                                              .begin = begin,
                                              .event = write_event,
                                              .heartbeat = sse_write_heartbeat,
                                              .error = write_lost,
                                              .needs_all = true};

struct encoder *agui_encoder_create(const struct agui_encoder_options *options)
{
    struct agui *agui = arena_alloc(options->arena, sizeof *agui);
    if (agui == NULL)
        return NULL;
    *agui = (struct agui){.encoder = {&agui_kind}, .options = *options, .attempt = 1};
    agui->asked_end = &agui->asked;
    return &agui->encoder;
}
