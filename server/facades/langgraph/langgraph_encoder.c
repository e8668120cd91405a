/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_encoder.c - each event of ours becomes no, one or more frames.
 *
 * Happy path: metadata; with the run's first event, before which its conversation may not be in
 * memory, the values; tokens, what nodes wrote and what happens
 * meanwhile, as far as the modes want them; the values at the end, and "end". A frame's id is
 * "<event>.<n>", so that a client that was cut off between two frames of one event misses none.
 * Failure paths: an error frame; values without the thread's messages when the run is another
 * server's, for clients that rejoin here. */
#include "server/facades/langgraph/langgraph_encoder.h"

#include <stdio.h>

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "proto/sse_write.h"
#include "proto/url.h"
#include "server/records/event_json.h"
#include "server/facades/langgraph/langgraph_asks.h"
#include "server/facades/langgraph/langgraph_messages.h"
#include "server/records/run_text.h"
#include "server/runs/runs_list.h"

enum {
    NODE_BYTES = 128,
    ID_BYTES = ID_RUN_BYTES + 16,
    VALUES_BYTES = 64 * 1024 * 1024,
    UPDATE_BYTES = 64 * 1024 * 1024
};

struct langgraph {
    struct encoder encoder;
    struct langgraph_encoder_options options;
    struct str run_id, said; /* said: messages up to the question, as JSON without brackets */
    char node[NODE_BYTES];   /* that began last */
    char answer_id[ID_BYTES];
    int64_t attempt;
    struct str asked;  /* JSON of what the run waits for, commas between; absent: nothing */
    uint64_t event_id; /* being written */
    unsigned frames;   /* of it */
    bool has_begun;    /* the first values were written, or there are none */
};

static struct langgraph *langgraph_of(struct encoder *encoder)
{
    return container_of(encoder, struct langgraph, encoder);
}

static struct runs_entry *entry_of(const struct langgraph *lg)
{
    return lg->options.runs == NULL ? NULL : runs_find(lg->options.runs, lg->run_id);
}

static bool wants(const struct langgraph *lg, enum langgraph_mode mode)
{
    return (lg->options.view.modes & mode) != 0;
}

/* ---- frames ---- */

struct frame {
    struct json_write json;
    struct buf *out;
    size_t mark;
    bool is_seen;
};

/* ns: the sub-graph's path behind the name, or empty. */
static void begin_frame(struct langgraph *lg, struct frame *frame, const char *name, struct str ns,
                        struct buf *out)
{
    const struct langgraph_cursor *seen = &lg->options.seen;
    lg->frames++;
    *frame = (struct frame){.out = out, .mark = buf_len(out)};
    frame->is_seen =
        lg->event_id < seen->event || (lg->event_id == seen->event && lg->frames <= seen->frames);
    buf_push(out, STR("id: "));
    buf_push_u64(out, lg->event_id);
    buf_push_char(out, '.');
    buf_push_u64(out, lg->frames);
    buf_push(out, STR("\nevent: "));
    buf_push(out, str_of(name));
    for (size_t i = 0; i < ns.len; i++) {
        if (i == 0)
            buf_push_char(out, '|');
        buf_push_char(out, ns.at[i] == '/' ? '|' : ns.at[i]);
    }
    buf_push(out, STR("\ndata: "));
    json_write_init(&frame->json, out);
}

static void end_frame(struct frame *frame)
{
    buf_push(frame->out, STR("\n\n"));
    if (frame->is_seen && buf_ok(frame->out))
        buf_truncate(frame->out, frame->mark);
}

static const struct str no_ns = {"", 0};

/* ---- messages ---- */

static void read_thread(struct langgraph *lg)
{
    struct runs_entry *entry = entry_of(lg);
    const struct history *history = lg->options.thread_id.len > 0 ? lg->options.history : NULL;
    if (entry != NULL && str_is_absent(lg->said))
        lg->said = langgraph_messages_said(lg->options.arena, history, entry);
}

/* The open object's "messages", with the answer when there is one. */
static void write_messages(struct langgraph *lg, const struct str *answer, struct json_write *json,
                           struct buf *out)
{
    if (str_is_absent(lg->said))
        return;
    json_write_key(json, STR("messages"));
    json_write_array(json);
    buf_push(out, lg->said);
    if (answer != NULL) {
        struct json_write message;
        buf_push_char(out, ',');
        json_write_init(&message, out);
        json_write_object(&message);
        json_write_member_str(&message, STR("type"), STR("ai"));
        json_write_member_str(&message, STR("id"), str_of(lg->answer_id));
        json_write_member_str(&message, STR("content"), *answer);
        json_write_object_end(&message);
    }
    json_write_array_end(json);
}

/* ---- values ---- */

/* The run's report beside the thread's messages. */
static void write_values(struct langgraph *lg, struct run *run, struct str report,
                         struct json_write *json, struct buf *out)
{
    struct buf answer;
    buf_init(&answer, VALUES_BYTES);
    if (run != NULL)
        run_text_collect(run, &answer);
    struct str text = buf_str(&answer);
    json_write_object(json);
    write_messages(lg, text.len > 0 ? &text : NULL, json, out);
    if (report.len > 0 && !str_is_absent(lg->said))
        buf_push_char(out, ',');
    buf_push(out, report);
    if (lg->asked.len > 0) { /* its complete event says so: there is a report */
        buf_push(out, STR(",\"__interrupt__\":["));
        buf_push(out, lg->asked);
        buf_push_char(out, ']');
    }
    json_write_object_end(json);
    buf_fini(&answer);
}

static void set_answer_id(struct langgraph *lg, int64_t attempt)
{
    lg->attempt = attempt;
    if (attempt > 1)
        (void)snprintf(lg->answer_id, sizeof lg->answer_id, "%.*s:ai-%lld", STR_ARG(lg->run_id),
                       (long long)attempt);
    else
        (void)snprintf(lg->answer_id, sizeof lg->answer_id, "%.*s:ai", STR_ARG(lg->run_id));
}

/* ---- tokens, nodes, and what else happens ---- */

static void write_chunk(struct langgraph *lg, const struct event *event, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("AIMessageChunk"));
    json_write_member_str(json, STR("id"), str_of(lg->answer_id));
    json_write_member_str(json, STR("content"), event->text);
    json_write_object_end(json);
}

static void write_token(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct frame frame;
    if (!str_equal(event->name, STR(EVENT_FINAL_CHANNEL)))
        return;
    if (event->number != lg->attempt)
        set_answer_id(lg, event->number);
    if (event->text.len == 0)
        return;
    if (wants(lg, LANGGRAPH_MESSAGES)) {
        begin_frame(lg, &frame, "messages", no_ns, out);
        json_write_array(&frame.json);
        write_chunk(lg, event, &frame.json);
        json_write_object(&frame.json);
        json_write_member_str(&frame.json, STR("langgraph_node"), str_of(lg->node));
        json_write_member_str(&frame.json, STR("run_id"), lg->run_id);
        json_write_object_end(&frame.json);
        json_write_array_end(&frame.json);
        end_frame(&frame);
    }
    if (wants(lg, LANGGRAPH_EVENTS)) {
        begin_frame(lg, &frame, "events", no_ns, out);
        json_write_object(&frame.json);
        json_write_member_str(&frame.json, STR("event"), STR("on_chat_model_stream"));
        json_write_member_str(&frame.json, STR("name"), str_of(lg->node));
        json_write_member_str(&frame.json, STR("run_id"), lg->run_id);
        json_write_key(&frame.json, STR("data"));
        json_write_object(&frame.json);
        json_write_key(&frame.json, STR("chunk"));
        write_chunk(lg, event, &frame.json);
        json_write_object_end(&frame.json);
        json_write_object_end(&frame.json);
        end_frame(&frame);
    }
}

static void write_chain(struct langgraph *lg, const char *what, const struct event *event,
                        struct buf *out)
{
    struct frame frame;
    if (!wants(lg, LANGGRAPH_EVENTS))
        return;
    begin_frame(lg, &frame, "events", no_ns, out);
    json_write_object(&frame.json);
    json_write_member_str(&frame.json, STR("event"), str_of(what));
    json_write_member_str(&frame.json, STR("name"), event->name);
    json_write_member_str(&frame.json, STR("run_id"), lg->run_id);
    json_write_member_raw(&frame.json, STR("data"), STR("{}"));
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

static void begin_node(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct str name = str_utf8_prefix(event->name, NODE_BYTES - 1);
    memcpy(lg->node, name.at, name.len);
    lg->node[name.len] = '\0';
    write_chain(lg, "on_chain_start", event, out);
}

/* A message of a graph's own as LangChain has it. What only models are told is nobody's. */
static void write_own_message(const struct json_value *message, struct json_write *json)
{
    static const char *const types[][2] = {
        {"user", "human"}, {"assistant", "ai"}, {"tool", "tool"}};
    struct str role = {NULL, 0};
    (void)!json_value_str(message, "/role", &role, NULL);
    for (size_t i = 0; i < countof(types); i++) {
        if (!str_equal(role, str_of(types[i][0])))
            continue;
        json_write_object(json);
        json_write_member_str(json, STR("type"), str_of(types[i][1]));
        JSON_EACH(member, message) {
            if (str_equal(member->key, STR("role")))
                continue;
            json_write_key(json, member->key);
            json_value_write(member, json);
        }
        json_write_object_end(json);
    }
}

/* What a node wrote: as it is, but for its messages; without memory for these, nothing. */
static void write_written(struct str members, struct json_write *json, struct buf *out)
{
    const struct json_limits limits = {.allow_duplicates = true};
    const struct json_value *written = NULL;
    struct arena arena;
    const bool has_messages = str_find(members, STR("\"messages\":[")) != STR_NONE;
    arena_init(&arena, UPDATE_BYTES);
    if (has_messages)
        written = json_value_parse(&arena, arena_printf(&arena, "{%.*s}", STR_ARG(members)),
                                   &limits, NULL);
    json_write_object(json);
    if (!has_messages)
        buf_push(out, members);
    for (const struct json_value *member = written == NULL ? NULL : written->first; member != NULL;
         member = member->next) {
        json_write_key(json, member->key);
        if (member->type != JSON_ARRAY || !str_equal(member->key, STR("messages"))) {
            json_value_write(member, json);
            continue;
        }
        json_write_array(json);
        JSON_EACH(message, member)
            write_own_message(message, json);
        json_write_array_end(json);
    }
    json_write_object_end(json);
    arena_fini(&arena);
}

/* {"<node>":{what it wrote}}; a sub-graph's node under the sub-graph's name. */
static void write_update(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct frame frame;
    struct str node = event->name, ns = no_ns;
    for (size_t i = node.len; i-- > 0 && ns.len == 0;)
        if (node.at[i] == '/') {
            ns = str_slice(node, 0, i);
            node = str_from(node, i + 1);
        }
    if (!wants(lg, LANGGRAPH_UPDATES) || (ns.len > 0 && !lg->options.view.subgraphs))
        return;
    begin_frame(lg, &frame, "updates", ns, out);
    json_write_object(&frame.json);
    json_write_key(&frame.json, node);
    write_written(event->text, &frame.json, out);
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

static void write_custom(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct frame frame;
    if (!wants(lg, LANGGRAPH_CUSTOM))
        return;
    begin_frame(lg, &frame, "custom", no_ns, out);
    event_json_write(out, event);
    end_frame(&frame);
}

/* Keep what is asked, for the values. */
static void add_asked(struct langgraph *lg, const struct event *event)
{
    struct json_write json;
    struct buf all;
    buf_init(&all, VALUES_BYTES);
    json_write_init(&json, &all);
    json_write_array(&json);
    if (lg->asked.len > 0)
        json_write_raw(&json, lg->asked);
    langgraph_asks_write(lg->run_id, event, &json, &all);
    if (buf_ok(&all))
        lg->asked = arena_str(lg->options.arena, str_from(buf_str(&all), 1));
    buf_fini(&all);
}

/* {"__interrupt__":[what is asked]}; the values have it, too. */
static void write_asked(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct frame frame;
    add_asked(lg, event);
    if (!wants(lg, LANGGRAPH_UPDATES))
        return;
    begin_frame(lg, &frame, "updates", no_ns, out);
    json_write_object(&frame.json);
    json_write_key(&frame.json, STR("__interrupt__"));
    json_write_array(&frame.json);
    langgraph_asks_write(lg->run_id, event, &frame.json, out);
    json_write_array_end(&frame.json);
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

/* ---- beginning and end ---- */

static void begin(struct encoder *encoder, struct str run_id, struct buf *out)
{
    struct langgraph *lg = langgraph_of(encoder);
    struct frame frame;
    lg->run_id = run_id;
    set_answer_id(lg, 1);
    begin_frame(lg, &frame, "metadata", no_ns, out);
    json_write_object(&frame.json);
    json_write_member_str(&frame.json, STR("run_id"), run_id);
    json_write_member_str(&frame.json, STR("thread_id"), lg->options.thread_id);
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

/* The thread's messages and the question, once: a run that waits for a place has not begun, and one
 * that failed before it began has no values. */
static void write_first_values(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct frame frame;
    if (lg->has_begun || event->kind == EVENT_QUEUED || event->kind == EVENT_ERROR)
        return;
    lg->has_begun = true;
    read_thread(lg);
    if (!wants(lg, LANGGRAPH_VALUES) || str_is_absent(lg->said))
        return;
    begin_frame(lg, &frame, "values", no_ns, out);
    json_write_object(&frame.json);
    write_messages(lg, NULL, &frame.json, out);
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

static void write_end(struct langgraph *lg, const char *status, struct buf *out)
{
    struct frame frame;
    begin_frame(lg, &frame, "end", no_ns, out);
    json_write_object(&frame.json);
    json_write_member_str(&frame.json, STR("run_id"), lg->run_id);
    json_write_member_str(&frame.json, STR("status"), str_of(status));
    json_write_object_end(&frame.json);
    end_frame(&frame);
}

static void write_complete(struct langgraph *lg, const struct event *event, struct buf *out)
{
    struct frame frame;
    struct runs_entry *entry = entry_of(lg);
    if (wants(lg, LANGGRAPH_VALUES)) {
        begin_frame(lg, &frame, "values", no_ns, out);
        write_values(lg, entry == NULL ? NULL : runs_run(entry), event->text, &frame.json, out);
        end_frame(&frame);
    }
    write_end(lg, event_is_pause(event) ? "interrupted" : "success", out);
}

static void write_failure(struct langgraph *lg, struct str code, struct str message,
                          struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("error"), code);
    json_write_member_str(json, STR("message"), message);
    json_write_member_str(json, STR("run_id"), lg->run_id);
    json_write_object_end(json);
}

static void write_error(struct langgraph *lg, struct str code, struct str message, struct buf *out)
{
    struct frame frame;
    bool is_cancelled = str_equal(code, STR("cancelled"));
    if (!is_cancelled) {
        begin_frame(lg, &frame, "error", no_ns, out);
        write_failure(lg, code, message, &frame.json);
        end_frame(&frame);
    }
    write_end(lg, is_cancelled ? "interrupted" : "error", out);
}

static void write_lost(struct encoder *encoder, const char *code, const char *message,
                       struct buf *out)
{
    struct langgraph *lg = langgraph_of(encoder);
    struct frame frame;
    begin_frame(lg, &frame, "error", no_ns, out);
    write_failure(lg, str_of(code), str_of(message), &frame.json);
    end_frame(&frame);
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct langgraph *lg = langgraph_of(encoder);
    lg->event_id = event->id;
    lg->frames = 0;
    write_first_values(lg, event, out);
    switch (event->kind) {
    case EVENT_TOKEN:
        write_token(lg, event, out);
        break;
    case EVENT_STATE:
        write_update(lg, event, out);
        break;
    case EVENT_NODE_START:
        begin_node(lg, event, out);
        break;
    case EVENT_NODE_END:
        write_chain(lg, "on_chain_end", event, out);
        break;
    case EVENT_INTERRUPT:
        write_asked(lg, event, out);
        break;
    case EVENT_COMPLETE:
        write_complete(lg, event, out);
        break;
    case EVENT_ERROR:
        write_error(lg, event->name, event->text, out);
        break;
    default:
        write_custom(lg, event, out);
        break;
    }
}

static void push_path(const struct langgraph_encoder_options *options, struct str run_id,
                      struct buf *out)
{
    if (options->thread_id.len > 0) {
        buf_push(out, STR("/threads/"));
        url_encode(out, options->thread_id);
    }
    buf_push(out, STR("/runs/"));
    buf_push(out, run_id);
}

/* Where the run is, and where its stream goes on. */
static void write_head(struct encoder *encoder, struct str run_id, struct buf *out)
{
    const struct langgraph_encoder_options *options = &langgraph_of(encoder)->options;
    buf_push(out, STR("Content-Location: "));
    push_path(options, run_id, out);
    buf_push(out, STR("\r\nLocation: "));
    push_path(options, run_id, out);
    buf_push(out, STR("/stream"));
    langgraph_body_write_query(&options->view, out);
    buf_push(out, STR("\r\n"));
}

static void find_asked(struct langgraph *lg, struct event_log *log)
{
    struct event event;
    for (uint64_t id = 0; event_log_after(log, id, &event) == ERR_OK; id = event.id)
        if (event.kind == EVENT_INTERRUPT)
            add_asked(lg, &event);
}

static int write_answer(struct encoder *encoder, struct runs_entry *entry, struct buf *out)
{
    struct langgraph *lg = langgraph_of(encoder);
    struct run *run = runs_run(entry);
    struct str code, message;
    struct json_write json;
    struct event last;
    if (lg->options.is_silent)
        return 204;
    lg->run_id = str_of(run_id(run));
    read_thread(lg);
    json_write_init(&json, out);
    if (run_result(run, &code, &message) != ERR_OK) {
        json_write_object(&json);
        json_write_key(&json, STR("__error__"));
        write_failure(lg, code, message, &json);
        json_write_object_end(&json);
    } else {
        bool is_there = facade_last_event(run, &last);
        set_answer_id(lg, 1);
        find_asked(lg, run_log(run));
        write_values(lg, run, is_there ? last.text : STR(""), &json, out);
    }
    return 200;
}

static const struct encoder_kind langgraph_kind = {.headers = {"", 0},
                                                   .head = write_head,
                                                   .begin = begin,
                                                   .event = write_event,
                                                   .heartbeat = sse_write_heartbeat,
                                                   .error = write_lost,
                                                   .answer = write_answer,
                                                   .needs_all = true};

struct encoder *langgraph_encoder_create(const struct langgraph_encoder_options *options)
{
    struct langgraph *lg = arena_alloc(options->arena, sizeof *lg);
    if (lg == NULL)
        return NULL;
    *lg = (struct langgraph){.encoder = {&langgraph_kind}, .options = *options};
    return &lg->encoder;
}
