/* SPDX-License-Identifier: MIT */
/* server/facades/openai/responses_stream.c - events -> the events of a response, or one response.
 *
 * Happy path: created, in progress, one message with one part, a delta per token, the same done in
 * reverse, completed with all of it. Deltas are kept as they are written, so that the end repeats
 * them without escaping them again.
 * - text.format: the text is held back, and the data in that form comes at the end, or a refusal
 * that says why there is none;
 * - the run waits for the client's tools: its calls are items behind the message;
 * - an answer that starts again: what was said cannot be taken back; an empty line parts the two;
 * - the run failed: failed, with its code and words; by its status when it is one JSON. */
#include "server/facades/openai/responses.h"

#include <stdio.h>

#include "proto/json_write.h"
#include "proto/sse_write.h"
#include "server/api/client_tools.h"
#include "server/records/event_json.h"
#include "server/facades/facade.h"
#include "server/facades/openai/answer_form.h"
#include "server/facades/openai/openai_problem.h"
#include "server/records/run_text.h"

enum {
    PIECE_BYTES = 4096,
    LARGEST_PIECE = 1024 * 1024,
    HEAD_BYTES = 256,
    TEXT_BYTES = 8 * 1024 * 1024,
    EVENT_BYTES = 1024 * 1024, /* a complete that says more is left out: clients limit lines */
};

struct piece { /* of the text, as JSON without its quotes */
    struct piece *next;
    size_t len, room;
    char text[];
};

struct response {
    struct encoder encoder;
    struct responses_said said;
    struct arena *arena;
    struct piece *first, *last;
    char id[RESPONSES_ID_BYTES];
    char head[HEAD_BYTES]; /* of a delta, up to its text */
    size_t head_len;
    struct str run_id;
    uint64_t sequence;
    int64_t attempt;
    bool has_text, is_refusal; /* there is a message; it is why there is no answer in that form */
    struct answer_text held;   /* where said.schema asks for a form */
};

static struct response *response_of(struct encoder *encoder)
{
    return container_of(encoder, struct response, encoder);
}

/* ---- text that is kept ---- */

/* What does not fit into the exchange's memory is left out of the repetition. */
static void keep_text(struct response *response, struct str text)
{
    struct piece *last = response->last;
    if (last == NULL || last->room - last->len < text.len) {
        size_t room = last == NULL ? PIECE_BYTES : size_min(last->room * 2, LARGEST_PIECE);
        room = size_max(room, text.len);
        struct piece *piece = arena_raw(response->arena, sizeof *piece + room);
        if (piece == NULL)
            return;
        *piece = (struct piece){.room = room};
        if (last == NULL)
            response->first = piece;
        else
            last->next = piece;
        response->last = last = piece;
    }
    memcpy(last->text + last->len, text.at, text.len);
    last->len += text.len;
}

static void write_kept(const struct response *response, struct buf *out)
{
    buf_push_char(out, '"');
    for (const struct piece *piece = response->first; piece != NULL; piece = piece->next)
        buf_push(out, str_make(piece->text, piece->len));
    buf_push_char(out, '"');
}

/* ---- objects ---- */

static void write_part(const struct response *response, bool is_done, struct buf *out)
{
    buf_push(out,
             response->is_refusal
                 ? STR("{\"type\":\"refusal\",\"refusal\":")
                 : STR("{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":"));
    if (is_done)
        write_kept(response, out);
    else
        buf_push(out, STR("\"\""));
    buf_push_char(out, '}');
}

static void write_item(const struct response *response, bool is_done, struct buf *out)
{
    buf_push(out, STR("{\"id\":\"msg_"));
    buf_push(out, response->run_id);
    buf_push(out, STR("\",\"type\":\"message\",\"role\":\"assistant\",\"status\":"));
    buf_push(out,
             is_done ? STR("\"completed\",\"content\":[") : STR("\"in_progress\",\"content\":["));
    if (is_done)
        write_part(response, true, out);
    buf_push(out, STR("]}"));
}

/* ---- calls of the client's tools ---- */

struct calling {
    struct response *response;
    struct buf *out;
    size_t place; /* in the response's output */
};

/* "fc_" and the call's id, which a model has made, as a string. */
static void write_call_id(const struct client_tools_call *call, struct json_write *json)
{
    struct buf id;
    buf_init(&id, PIECE_BYTES);
    buf_push(&id, STR("fc_"));
    buf_push(&id, call->id);
    json_write_str(json, buf_str(&id));
    buf_fini(&id);
}

static void write_call(const struct client_tools_call *call, bool is_done, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("id"));
    write_call_id(call, &json);
    json_write_member_str(&json, STR("type"), STR("function_call"));
    json_write_member_str(&json, STR("status"), is_done ? STR("completed") : STR("in_progress"));
    json_write_member_str(&json, STR("call_id"), call->id);
    json_write_member_str(&json, STR("name"), call->tool);
    json_write_member_str(&json, STR("arguments"), is_done ? call->arguments : STR(""));
    json_write_object_end(&json);
}

static void write_next_call(void *owner, const struct client_tools_call *call)
{
    struct calling *calling = owner;
    if (calling->place++ > 0)
        buf_push_char(calling->out, ',');
    write_call(call, true, calling->out);
}

/* Those that end, a pause of the run, waits for, behind what is there already. */
static void write_calls(struct response *response, const struct event *end, struct buf *out)
{
    struct calling calling = {response, out, response->has_text};
    if (event_is_pause(end))
        client_tools_each(end->text, (struct str){NULL, 0}, write_next_call, &calling);
}

static void write_usage(struct json_write *json, struct facade_usage usage)
{
    json_write_key(json, STR("usage"));
    json_write_object(json);
    json_write_member_u64(json, STR("input_tokens"), usage.prompt_tokens);
    json_write_member_raw(json, STR("input_tokens_details"), STR("{\"cached_tokens\":0}"));
    json_write_member_u64(json, STR("output_tokens"), usage.completion_tokens);
    json_write_member_raw(json, STR("output_tokens_details"), STR("{\"reasoning_tokens\":0}"));
    json_write_member_u64(json, STR("total_tokens"), usage.prompt_tokens + usage.completion_tokens);
    json_write_object_end(json);
}

/* Members that repeat the request, and members that have no meaning here. */
static void write_request(const struct response *response, struct json_write *json)
{
    const struct responses_said *said = &response->said;
    json_write_member_str(json, STR("model"), str_of(said->model));
    json_write_member_raw(json, STR("metadata"), said->metadata);
    json_write_key(json, STR("previous_response_id"));
    if (said->previous.len > 0)
        json_write_str(json, said->previous);
    else
        json_write_null(json);
    if (said->is_named) {
        json_write_key(json, STR("conversation"));
        json_write_object(json);
        json_write_member_str(json, STR("id"), said->conversation);
        json_write_object_end(json);
    }
    json_write_member_raw(json, STR("instructions"), STR("null"));
    json_write_member_raw(json, STR("incomplete_details"), STR("null"));
    json_write_member_raw(json, STR("temperature"), STR("null"));
    json_write_member_raw(json, STR("top_p"), STR("null"));
    json_write_member_bool(json, STR("parallel_tool_calls"), !said->is_serial);
    json_write_member_raw(json, STR("tools"), said->tools.len > 0 ? said->tools : STR("[]"));
    json_write_member_raw(json, STR("tool_choice"),
                          said->tool_choice.len > 0 ? said->tool_choice : STR("\"auto\""));
    json_write_member_raw(json, STR("text"),
                          said->text.len > 0 ? said->text
                                             : STR("{\"format\":{\"type\":\"text\"}}"));
    json_write_member_bool(json, STR("store"), said->conversation.len > 0);
    if (said->is_background)
        json_write_member_bool(json, STR("background"), true);
}

/* end: the terminal event, NULL while it goes on. */
static void write_response(struct response *response, const struct event *end, struct buf *out)
{
    struct json_write json;
    bool failed = end != NULL && end->kind == EVENT_ERROR;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("id"), str_of(response->id));
    json_write_member_str(&json, STR("object"), STR("response"));
    json_write_member_u64(&json, STR("created_at"), response->said.created);
    json_write_member_str(&json, STR("status"),
                          end == NULL ? STR("in_progress")
                          : failed    ? STR("failed")
                                      : STR("completed"));
    json_write_key(&json, STR("error"));
    if (failed) {
        json_write_object(&json);
        json_write_member_str(&json, STR("code"), end->name);
        json_write_member_str(&json, STR("message"), end->text);
        json_write_object_end(&json);
    } else {
        json_write_null(&json);
    }
    write_request(response, &json);
    if (end != NULL && !failed)
        write_usage(&json, facade_usage_of(end->text));
    buf_push(out, STR(",\"output\":["));
    if (end != NULL && response->has_text)
        write_item(response, true, out);
    if (end != NULL)
        write_calls(response, end, out);
    buf_push_char(out, ']');
    if (end != NULL && !failed && end->text.len <= EVENT_BYTES) {
        buf_push(out, STR(",\"x_event\":"));
        event_json_write(out, end);
    }
    buf_push_char(out, '}');
}

/* ---- frames ---- */

/* Both names, then the frame's own members are to follow. Returns where it begins. */
static size_t begin_frame(struct response *response, const char *type, struct buf *out)
{
    size_t mark = buf_len(out);
    buf_printf(out, "event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%llu", type, type,
               (unsigned long long)response->sequence++);
    return mark;
}

/* What the client has already is dropped. */
static void end_frame(const struct response *response, size_t mark, struct buf *out)
{
    buf_push(out, STR("}\n\n"));
    if (response->said.skips && response->sequence <= response->said.skips_to + 1)
        buf_truncate(out, mark);
}

static void write_state(struct response *response, const char *type, const struct event *end,
                        struct buf *out)
{
    size_t mark = begin_frame(response, type, out);
    buf_push(out, STR(",\"response\":"));
    write_response(response, end, out);
    end_frame(response, mark, out);
}

static void write_place(const struct response *response, bool is_part, struct buf *out)
{
    if (is_part) {
        buf_push(out, STR(",\"item_id\":\"msg_"));
        buf_push(out, response->run_id);
        buf_push(out, STR("\",\"output_index\":0,\"content_index\":0"));
    } else {
        buf_push(out, STR(",\"output_index\":0"));
    }
}

static void write_item_frame(struct response *response, bool is_done, struct buf *out)
{
    size_t mark = begin_frame(
        response, is_done ? "response.output_item.done" : "response.output_item.added", out);
    write_place(response, false, out);
    buf_push(out, STR(",\"item\":"));
    write_item(response, is_done, out);
    end_frame(response, mark, out);
}

static void write_part_frame(struct response *response, bool is_done, struct buf *out)
{
    size_t mark = begin_frame(
        response, is_done ? "response.content_part.done" : "response.content_part.added", out);
    write_place(response, true, out);
    buf_push(out, STR(",\"part\":"));
    write_part(response, is_done, out);
    end_frame(response, mark, out);
}

/* A delta up to its text. */
static void begin_delta(const struct response *response, struct buf *out)
{
    if (!response->is_refusal) {
        buf_push(out, str_make(response->head, response->head_len));
        return;
    }
    buf_push(out, STR("event: response.refusal.delta\ndata: {\"type\":\"response.refusal.delta\""));
    write_place(response, true, out);
    buf_push(out, STR(",\"delta\":"));
}

static void write_delta(struct response *response, struct str text, struct buf *out)
{
    struct json_write json;
    size_t frame = buf_len(out);
    begin_delta(response, out);
    size_t mark = buf_len(out) + 1;
    json_write_init(&json, out);
    json_write_str(&json, text);
    if (buf_ok(out))
        keep_text(response, str_slice(buf_str(out), mark, buf_len(out) - 1));
    buf_push(out, STR(",\"sequence_number\":"));
    buf_push_u64(out, response->sequence++);
    end_frame(response, frame, out);
}

static void end_text(struct response *response, struct buf *out)
{
    if (!response->has_text)
        return;
    size_t mark = begin_frame(
        response, response->is_refusal ? "response.refusal.done" : "response.output_text.done",
        out);
    write_place(response, true, out);
    buf_push(out, response->is_refusal ? STR(",\"refusal\":") : STR(",\"logprobs\":[],\"text\":"));
    write_kept(response, out);
    end_frame(response, mark, out);
    write_part_frame(response, true, out);
    write_item_frame(response, true, out);
}

static void write_call_item(struct calling *calling, const struct client_tools_call *call,
                            bool is_done)
{
    struct buf *out = calling->out;
    size_t mark =
        begin_frame(calling->response,
                    is_done ? "response.output_item.done" : "response.output_item.added", out);
    buf_printf(out, ",\"output_index\":%zu,\"item\":", calling->place);
    write_call(call, is_done, out);
    end_frame(calling->response, mark, out);
}

/* The arguments, whole in one piece: they were checked before the client is told. */
static void write_call_arguments(struct calling *calling, const struct client_tools_call *call,
                                 bool is_done)
{
    struct buf *out = calling->out;
    struct json_write json;
    size_t mark = begin_frame(calling->response,
                              is_done ? "response.function_call_arguments.done"
                                      : "response.function_call_arguments.delta",
                              out);
    buf_printf(out, ",\"output_index\":%zu,\"item_id\":", calling->place);
    json_write_init(&json, out);
    write_call_id(call, &json);
    if (is_done) {
        buf_push(out, STR(",\"name\":"));
        json_write_init(&json, out);
        json_write_str(&json, call->tool);
    }
    buf_push(out, is_done ? STR(",\"arguments\":") : STR(",\"delta\":"));
    json_write_init(&json, out);
    json_write_str(&json, call->arguments);
    end_frame(calling->response, mark, out);
}

static void tell_call(void *owner, const struct client_tools_call *call)
{
    struct calling *calling = owner;
    write_call_item(calling, call, false);
    write_call_arguments(calling, call, false);
    write_call_arguments(calling, call, true);
    write_call_item(calling, call, true);
    calling->place++;
}

static void tell_calls(struct response *response, const struct event *end, struct buf *out)
{
    struct calling calling = {response, out, response->has_text};
    if (event_is_pause(end))
        client_tools_each(end->text, (struct str){NULL, 0}, tell_call, &calling);
}

static void write_text(struct response *response, struct str text, struct buf *out)
{
    if (!response->has_text) {
        write_item_frame(response, false, out);
        write_part_frame(response, false, out);
    }
    response->has_text = true;
    write_delta(response, text, out);
}

static void write_token(struct response *response, const struct event *event, struct buf *out)
{
    if (!str_equal(event->name, STR(EVENT_FINAL_CHANNEL)) || event->text.len == 0)
        return;
    if (response->held.at != NULL) {
        answer_text_add(&response->held, event->text, event->number);
        return;
    }
    if (response->has_text && event->number != response->attempt)
        write_delta(response, STR("\n\n"), out);
    response->attempt = event->number;
    write_text(response, event->text, out);
}

/* The answer in the form that is wanted, or why there is none, as the message's text; appended. */
static void form_text(struct response *response, const struct event *end, struct str text,
                      struct buf *formed)
{
    response->is_refusal = !answer_form_say(response->said.schema, end->text, text, formed);
    if (buf_ok(formed))
        return;
    buf_clear(formed);
    buf_push(formed, STR("The answer is too large for the form that was asked for."));
    response->is_refusal = true;
}

static void write_formed(struct response *response, const struct event *end, struct buf *out)
{
    struct buf formed;
    buf_init(&formed, TEXT_BYTES);
    form_text(response, end, str_make(response->held.at, response->held.len), &formed);
    write_text(response, buf_str(&formed), out);
    buf_fini(&formed);
}

/* ---- events ---- */

static void name_response(struct response *response, struct str run_id)
{
    struct str conversation = response->said.conversation;
    response->run_id = run_id;
    snprintf(response->id, sizeof response->id, "resp_%.*s%s%.*s", STR_ARG(run_id),
             conversation.len > 0 ? "." : "", STR_ARG(conversation));
}

static void begin(struct encoder *encoder, struct str run_id, struct buf *out)
{
    struct response *response = response_of(encoder);
    name_response(response, run_id);
    int len = snprintf(response->head, HEAD_BYTES,
                       "event: response.output_text.delta\n"
                       "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_%.*s\","
                       "\"output_index\":0,\"content_index\":0,\"logprobs\":[],\"delta\":",
                       STR_ARG(run_id));
    CHECK(len < HEAD_BYTES);
    response->head_len = (size_t)len;
    write_state(response, "response.created", NULL, out);
    write_state(response, "response.in_progress", NULL, out);
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct response *response = response_of(encoder);
    /* behind all that a server before may have said and not stored */
    response->sequence = size_max(response->sequence, event->id - event->id % EVENT_IDS_A_SERVER);
    if (event->kind == EVENT_TOKEN) {
        write_token(response, event, out);
    } else if (event_is_terminal(event->kind)) {
        if (response->held.at != NULL && event->kind == EVENT_COMPLETE && !event_is_pause(event))
            write_formed(response, event, out);
        end_text(response, out);
        tell_calls(response, event, out);
        write_state(response, event->kind == EVENT_ERROR ? "response.failed" : "response.completed",
                    event, out);
    }
}

static void write_error(struct encoder *encoder, const char *code, const char *message,
                        struct buf *out)
{
    const struct event error = {
        .kind = EVENT_ERROR, .name = str_of(code), .text = str_of(message), .number = 1};
    write_event(encoder, &error, out);
}

static int write_answer(struct encoder *encoder, struct runs_entry *entry, struct buf *out)
{
    struct response *response = response_of(encoder);
    struct run *run = runs_run(entry);
    struct str code = STR(""), message = STR("");
    enum err_code result = run_result(run, &code, &message);
    struct event end = {.kind = EVENT_COMPLETE, .text = STR("")};
    struct buf text, escaped;
    struct json_write json;
    if (result != ERR_OK)
        return openai_problem_answer(result, code, message, out);
    buf_init(&text, TEXT_BYTES);
    buf_init(&escaped, 2 * TEXT_BYTES);
    run_text_collect(run, &text);
    const bool has_end = facade_last_event(run, &end);
    if (!has_end)
        end.text = STR(""); /* it has left memory: the answer says less */
    if (response->said.schema != NULL && has_end && !event_is_pause(&end)) {
        struct buf formed;
        buf_init(&formed, TEXT_BYTES);
        form_text(response, &end, buf_str(&text), &formed);
        buf_clear(&text);
        buf_push(&text, buf_str(&formed));
        buf_fini(&formed);
    }
    json_write_init(&json, &escaped);
    json_write_str(&json, buf_str(&text));
    name_response(response, str_of(run_id(run)));
    response->has_text = buf_len(&text) > 0;
    if (buf_ok(&text) && buf_ok(&escaped))
        keep_text(response, str_slice(buf_str(&escaped), 1, buf_len(&escaped) - 1));
    write_response(response, &end, out);
    if (!buf_ok(&text) || !buf_ok(&escaped) || !arena_ok(response->arena))
        out->failed = true;
    buf_fini(&text);
    buf_fini(&escaped);
    return 200;
}

void responses_set_conversation(struct encoder *encoder, struct str conversation)
{
    struct response *response = response_of(encoder);
    response->said.conversation = arena_str(response->arena, conversation);
}

void responses_write(struct encoder *encoder, const struct event *end, struct buf *out)
{
    write_response(response_of(encoder), end, out);
}

struct encoder *responses_encoder(struct exchange *exchange, const struct responses_said *said)
{
    static const struct encoder_kind kind = {.headers = STR(""),
                                             .begin = begin,
                                             .event = write_event,
                                             .heartbeat = sse_write_heartbeat,
                                             .error = write_error,
                                             .answer = write_answer,
                                             .needs_all = true};
    struct encoder *encoder = facade_encoder(exchange, sizeof(struct response), &kind);
    if (encoder == NULL)
        return NULL;
    struct response *response = response_of(encoder);
    response->said = *said;
    response->arena = &exchange->arena;
    if (said->schema == NULL || answer_text_init(&response->held, &exchange->arena))
        return encoder;
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "no memory for another request");
    exchange_fail(exchange, &err);
    return NULL;
}
