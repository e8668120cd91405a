/* SPDX-License-Identifier: MIT */
/* server/facades/openai/completions_stream.c - events -> chunks of a chat completion, or one
 * completion.
 *
 * Happy path: the role at once, a chunk per token of the answer, the reason of the end, the usage
 * if it was asked for, [DONE]. What the run says besides is "x_event" beside an empty delta, which
 * clients pass over; a tool's start is also a line of reasoning_content, which some show.
 * - response_format: the text is held back, and the data in that form comes at the end, or a
 * refusal that says why there is none;
 * - an answer that starts again: what was said cannot be taken back; an empty line parts the two;
 * - the run failed: {"error":...} and nothing after it, by its status when it is one JSON. */
#include "server/facades/openai/completions.h"

#include <stdio.h>
#include <string.h>

#include "proto/sse_write.h"
#include "server/api/client_tools.h"
#include "server/records/event_json.h"
#include "server/facades/facade.h"
#include "server/facades/openai/answer_form.h"
#include "server/facades/openai/openai_problem.h"
#include "server/records/run_text.h"

enum {
    HEAD_BYTES = 320,
    TEXT_BYTES = 32 * 1024 * 1024,
    EVENT_BYTES = 1024 * 1024, /* a complete that says more is left out: clients limit lines */
    FORMED_BYTES = 16 << 20,
};

struct completions {
    struct encoder encoder;
    struct completions_said said;
    int64_t attempt;
    bool has_said, has_failed;
    struct answer_text held; /* where said.schema asks for another form */
    /* What a chunk of text has in front of the text, and how much of it others have: to the model,
     * and to the delta. */
    char head[HEAD_BYTES];
    size_t model_len, delta_len, head_len;
};

static struct completions *completions_of(struct encoder *encoder)
{
    return container_of(encoder, struct completions, encoder);
}

static void push_str(struct buf *out, struct str text)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_str(&json, text);
}

/* ---- chunks ---- */

static void write_text(struct completions *chunk, struct str text, struct buf *out)
{
    buf_push(out, str_make(chunk->head, chunk->head_len));
    push_str(out, text);
    buf_push(out, STR("},\"finish_reason\":null}]}\n\n"));
}

/* delta and reason are JSON; event: beside them, NULL: nothing. */
static void write_chunk(struct completions *chunk, struct str delta, struct str reason,
                        const struct event *event, struct buf *out)
{
    buf_push(out, str_make(chunk->head, chunk->delta_len));
    buf_push(out, delta);
    buf_push(out, STR(",\"finish_reason\":"));
    buf_push(out, reason);
    buf_push(out, STR("}]"));
    if (event != NULL && event->text.len <= EVENT_BYTES) {
        buf_push(out, STR(",\"x_event\":"));
        event_json_write(out, event);
    }
    buf_push(out, STR("}\n\n"));
}

static void write_usage_members(struct facade_usage usage, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_u64(&json, STR("prompt_tokens"), usage.prompt_tokens);
    json_write_member_u64(&json, STR("completion_tokens"), usage.completion_tokens);
    json_write_member_u64(&json, STR("total_tokens"),
                          usage.prompt_tokens + usage.completion_tokens);
    json_write_object_end(&json);
}

static void write_usage(struct completions *chunk, struct str members, struct buf *out)
{
    buf_push(out, str_make(chunk->head, chunk->model_len));
    buf_push(out, STR(",\"choices\":[],\"usage\":"));
    write_usage_members(facade_usage_of(members), out);
    buf_push(out, STR("}\n\n"));
}

static void write_failure(struct completions *chunk, struct str code, struct str message,
                          struct buf *out)
{
    struct json_write json;
    chunk->has_failed = true;
    buf_push(out, STR("data: "));
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("error"));
    openai_problem_write(&json, 500, code, message, STR(""));
    json_write_object_end(&json);
    buf_push(out, STR("\n\n"));
}

/* ---- events ---- */

static void begin(struct encoder *encoder, struct str run_id, struct buf *out)
{
    struct completions *chunk = completions_of(encoder);
    char *head = chunk->head;
    int len = snprintf(head, HEAD_BYTES,
                       "data: {\"id\":\"chatcmpl-%.*s\",\"object\":\"chat.completion.chunk\","
                       "\"created\":%llu,\"model\":\"%s\"",
                       STR_ARG(run_id), (unsigned long long)chunk->said.created, chunk->said.model);
    chunk->model_len = (size_t)len;
    len += snprintf(head + len, HEAD_BYTES - (size_t)len, ",\"choices\":[{\"index\":0,\"delta\":");
    chunk->delta_len = (size_t)len;
    len += snprintf(head + len, HEAD_BYTES - (size_t)len, "{\"content\":");
    CHECK(len < HEAD_BYTES);
    chunk->head_len = (size_t)len;
    chunk->attempt = 1;
    write_chunk(chunk, STR("{\"role\":\"assistant\",\"content\":\"\"}"), STR("null"), NULL, out);
}

static void write_tool(struct completions *chunk, const struct event *event, struct buf *out)
{
    struct buf delta;
    buf_init(&delta, 4096);
    buf_push(&delta, STR("{\"reasoning_content\":"));
    buf_push_char(&delta, '"');
    buf_push(&delta, event->name); /* a node's: an identifier */
    buf_push(&delta, STR("\\n\"}"));
    write_chunk(chunk, buf_ok(&delta) ? buf_str(&delta) : STR("{}"), STR("null"), event, out);
    buf_fini(&delta);
}

/* The answer as members of a message or a delta: its data in the form that is wanted, or a refusal.
 */
static void write_formed(const struct completions *chunk, struct str complete, struct str text,
                         struct buf *out)
{
    struct buf formed;
    buf_init(&formed, FORMED_BYTES);
    const bool is_formed =
        answer_form_say(chunk->said.schema, complete, text, &formed) && buf_ok(&formed);
    buf_push(out, STR("\"content\":"));
    if (is_formed)
        push_str(out, buf_str(&formed));
    else
        buf_push(out, STR("null"));
    buf_push(out, STR(",\"refusal\":"));
    if (is_formed)
        buf_push(out, STR("null"));
    else
        push_str(out, buf_ok(&formed) ? buf_str(&formed) : STR("no memory for the form"));
    buf_fini(&formed);
}

static void write_token(struct completions *chunk, const struct event *event, struct buf *out)
{
    if (!str_equal(event->name, STR(EVENT_FINAL_CHANNEL)) || event->text.len == 0)
        return;
    if (chunk->held.at != NULL) {
        answer_text_add(&chunk->held, event->text, event->number);
        return;
    }
    if (event->number != chunk->attempt && chunk->has_said)
        write_text(chunk, STR("\n\n"), out);
    chunk->attempt = event->number;
    chunk->has_said = true;
    write_text(chunk, event->text, out);
}

/* One call as OpenAI has it; index: -1 in a whole completion. */
static void write_call(const struct client_tools_call *call, int index, struct json_write *json)
{
    json_write_object(json);
    if (index >= 0)
        json_write_member_i64(json, STR("index"), index);
    json_write_member_str(json, STR("id"), call->id);
    json_write_member_str(json, STR("type"), STR("function"));
    json_write_key(json, STR("function"));
    json_write_object(json);
    json_write_member_str(json, STR("name"), call->tool);
    json_write_member_str(json, STR("arguments"), call->arguments);
    json_write_object_end(json);
    json_write_object_end(json);
}

struct calling {
    struct json_write json;
    bool is_stream;
    int index;
};

static void write_next_call(void *owner, const struct client_tools_call *call)
{
    struct calling *calling = owner;
    write_call(call, calling->is_stream ? calling->index : -1, &calling->json);
    calling->index++;
}

/* The calls that the run waits for, as an array. Returns how many. */
static size_t write_calls(struct str members, bool is_stream, struct buf *out)
{
    struct calling calling = {.is_stream = is_stream};
    json_write_init(&calling.json, out);
    json_write_array(&calling.json);
    size_t count = client_tools_each(members, (struct str){NULL, 0}, write_next_call, &calling);
    json_write_array_end(&calling.json);
    return count;
}

/* The end: because it has answered, or because it waits for the client's tools. */
static void write_end(struct completions *chunk, const struct event *event, struct buf *out)
{
    static const struct str too_large =
        STR("{\"refusal\":\"The answer is too large for the form that was asked for.\"}");
    struct buf delta;
    buf_init(&delta, TEXT_BYTES);
    buf_push(&delta, STR("{\"tool_calls\":"));
    size_t count = event_is_pause(event) ? write_calls(event->text, true, &delta) : 0;
    buf_push_char(&delta, '}');
    if (count > 0 && buf_ok(&delta))
        write_chunk(chunk, buf_str(&delta), STR("null"), NULL, out);
    if (count == 0 && chunk->held.at != NULL) {
        buf_clear(&delta);
        buf_push_char(&delta, '{');
        write_formed(chunk, event->text, str_make(chunk->held.at, chunk->held.len), &delta);
        buf_push_char(&delta, '}');
        write_chunk(chunk, buf_ok(&delta) ? buf_str(&delta) : too_large, STR("null"), NULL, out);
    }
    buf_fini(&delta);
    write_chunk(chunk, STR("{}"), count > 0 ? STR("\"tool_calls\"") : STR("\"stop\""), event, out);
    if (chunk->said.wants_usage)
        write_usage(chunk, event->text, out);
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct completions *chunk = completions_of(encoder);
    if (event->kind == EVENT_TOKEN) {
        write_token(chunk, event, out);
    } else if (event->kind == EVENT_TOOL_START) {
        write_tool(chunk, event, out);
    } else if (event->kind == EVENT_COMPLETE) {
        write_end(chunk, event, out);
    } else if (event->kind == EVENT_ERROR) {
        write_failure(chunk, event->name, event->text, out);
    } else {
        write_chunk(chunk, STR("{}"), STR("null"), event, out);
    }
}

static void write_error(struct encoder *encoder, const char *code, const char *message,
                        struct buf *out)
{
    write_failure(completions_of(encoder), str_of(code), str_of(message), out);
}

static void finish(struct encoder *encoder, struct buf *out)
{
    if (!completions_of(encoder)->has_failed)
        buf_push(out, STR("data: [DONE]\n\n"));
}

/* ---- whole ---- */

static void write_completion(const struct completions *chunk, struct run *run, struct buf *out)
{
    struct event last;
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    run_text_collect(run, &text);
    buf_printf(out,
               "{\"id\":\"chatcmpl-%s\",\"object\":\"chat.completion\",\"created\":%llu,"
               "\"model\":\"%s\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",",
               run_id(run), (unsigned long long)chunk->said.created, chunk->said.model);
    size_t calls = 0;
    const bool has_last = facade_last_event(run, &last), waits = has_last && event_is_pause(&last);
    if (chunk->said.schema != NULL && has_last && !waits) {
        write_formed(chunk, last.text, buf_str(&text), out);
    } else {
        buf_push(out, STR("\"content\":"));
        push_str(out, buf_str(&text));
        buf_push(out, STR(",\"refusal\":null"));
    }
    if (waits) {
        struct buf list;
        buf_init(&list, EVENT_BYTES);
        calls = write_calls(last.text, false, &list);
        if (calls > 0) {
            buf_push(out, STR(",\"tool_calls\":"));
            buf_push(out, buf_str(&list));
        }
        out->failed |= !buf_ok(&list);
        buf_fini(&list);
    }
    buf_printf(out, "},\"logprobs\":null,\"finish_reason\":\"%s\"}],\"usage\":",
               calls > 0 ? "tool_calls" : "stop");
    const struct run_stats *stats = run_stats(run);
    write_usage_members((struct facade_usage){stats->prompt_tokens, stats->completion_tokens}, out);
    if (has_last && last.text.len <= EVENT_BYTES) {
        buf_push(out, STR(",\"x_event\":"));
        event_json_write(out, &last);
    }
    buf_push_char(out, '}');
    if (!buf_ok(&text))
        out->failed = true;
    buf_fini(&text);
}

static int write_answer(struct encoder *encoder, struct runs_entry *entry, struct buf *out)
{
    struct run *run = runs_run(entry);
    struct str code = STR(""), message = STR("");
    enum err_code result = run_result(run, &code, &message);
    if (result != ERR_OK)
        return openai_problem_answer(result, code, message, out);
    write_completion(completions_of(encoder), run, out);
    return 200;
}

struct encoder *completions_encoder(struct exchange *exchange, const struct completions_said *said)
{
    static const struct encoder_kind kind = {.headers = STR(""),
                                             .begin = begin,
                                             .event = write_event,
                                             .heartbeat = sse_write_heartbeat,
                                             .error = write_error,
                                             .finish = finish,
                                             .answer = write_answer};
    struct encoder *encoder = facade_encoder(exchange, sizeof(struct completions), &kind);
    if (encoder == NULL)
        return NULL;
    struct completions *chunk = completions_of(encoder);
    chunk->said = *said;
    if (said->schema == NULL || answer_text_init(&chunk->held, &exchange->arena))
        return encoder;
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "no memory for another request");
    exchange_fail(exchange, &err);
    return NULL;
}
