/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_stream.c - chunks of chat completions, and what can be wrong with them.
 *
 * Happy path: a chunk with the role and the first token, one per token, one with finish_reason, one
 * with usage if it was asked for, [DONE], the last chunk of the body.
 * Failure paths are the plan's faults; memory is not handled: a full buf ends the connection. */
#include "tests/mockllm/mock_stream.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/http_response.h"
#include "proto/json_write.h"

enum { PROMPT_TOKENS = 12 };
enum { MOCK_ROOM = 10000 }; /* tokens that are enough for one that overthinks */

/* ---- tokens ---- */

/* A scripted reply is cut at characters, after 1 to 7 of them in turn: inside words and lines. */
static struct str next_piece(struct mock_stream *stream)
{
    struct str rest = str_from(stream->plan->reply, stream->cursor);
    size_t wanted = 1 + (size_t)(stream->sent * 3 % 7), len = 0;
    while (len < rest.len && wanted > 0) {
        len++;
        while (len < rest.len && ((unsigned char)rest.at[len] & 0xc0) == 0x80)
            len++;
        wanted--;
    }
    stream->cursor += len;
    return str_slice(rest, 0, len);
}

static void write_text(struct mock_stream *stream, struct buf *token, uint64_t now_ns)
{
    if (!str_is_absent(stream->plan->reply))
        buf_push(token, next_piece(stream));
    else if (stream->is_stamped)
        buf_printf(token, "@%" PRIu64 " ", now_ns);
    else
        buf_printf(token, "%sword%" PRIu64, stream->sent == 0 ? "" : " ", stream->sent);
    stream->sent++;
}

/* The text of content: a string, or an array of two parts. */
static void write_content(const struct mock_stream *stream, struct json_write *writer,
                          struct str text)
{
    size_t half = stream->plan->faults.parts < 0 ? text.len : text.len / 2;
    struct str first = str_utf8_prefix(text, half);
    json_write_key(writer, STR("content"));
    if (stream->plan->faults.parts < 0) {
        json_write_str(writer, text);
        return;
    }
    json_write_array(writer);
    for (unsigned i = 0; i < 2; i++) {
        json_write_object(writer);
        json_write_member_str(writer, STR("type"), STR("text"));
        json_write_member_str(writer, STR("text"), i == 0 ? first : str_from(text, first.len));
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_token(struct mock_stream *stream, struct json_write *writer, uint64_t now_ns)
{
    char text[256];
    struct buf token = {.at = text, .cap = sizeof text, .limit = sizeof text};
    write_text(stream, &token, now_ns);
    if (stream->plan->faults.refusal >= 0)
        json_write_member_str(writer, STR("refusal"), buf_str(&token));
    else
        write_content(stream, writer, buf_str(&token));
}

/* Whether it thinks all of its tokens away. */
static bool is_out_of_room(const struct mock_plan *plan)
{
    int64_t most = plan->max_tokens < 0 ? plan->max_completion_tokens : plan->max_tokens;
    return plan->faults.overthinks >= 0 && most >= 0 && most < MOCK_ROOM;
}

static bool has_more(const struct mock_stream *stream)
{
    const struct mock_plan *plan = stream->plan;
    if (stream->is_empty || plan->faults.tool >= 0 || is_out_of_room(plan))
        return false;
    return str_is_absent(plan->reply) ? stream->sent < plan->tokens
                                      : stream->cursor < plan->reply.len;
}

/* ---- calls of tools ---- */

enum { CALL_PIECE_BYTES = 9 };

static bool has_more_calls(const struct mock_stream *stream)
{
    return stream->call < stream->plan->call_count;
}

/* Whether calls come whole instead of in pieces. */
static bool are_calls_whole(const struct mock_plan *plan)
{
    return plan->faults.same_index >= 0 || plan->faults.object_arguments >= 0;
}

/* The next piece of the arguments of the call that comes next; *is_first: and its name. */
static struct str next_arguments(struct mock_stream *stream, bool *is_first)
{
    const struct model_call *call = &stream->plan->calls[stream->call];
    size_t most = are_calls_whole(stream->plan) ? call->arguments.len : CALL_PIECE_BYTES;
    struct str rest = str_from(call->arguments, stream->call_cursor);
    struct str piece = str_utf8_prefix(rest, most);
    *is_first = stream->call_cursor == 0;
    stream->call_cursor += piece.len;
    if (piece.len == 0 || stream->call_cursor >= call->arguments.len) {
        stream->call++;
        stream->call_cursor = 0;
    }
    return piece;
}

/* OpenAI's: a delta with one piece of one call, or the call whole. */
static void write_call_piece(struct mock_stream *stream, struct json_write *writer)
{
    const struct mock_faults *faults = &stream->plan->faults;
    const struct model_call *call = &stream->plan->calls[stream->call];
    size_t index = faults->same_index >= 0 ? 0 : stream->call;
    char id[64];
    bool is_first;
    snprintf(id, sizeof id, "chatcmpl-tool-%zu-%zu", stream->call, stream->call_cursor);
    struct str piece = next_arguments(stream, &is_first);
    json_write_key(writer, STR("tool_calls"));
    json_write_array(writer);
    json_write_object(writer);
    if (faults->no_index < 0)
        json_write_member_u64(writer, STR("index"), index);
    if (faults->new_ids >= 0)
        json_write_member_str(writer, STR("id"), str_of(id));
    else if (is_first || faults->no_index >= 0)
        json_write_member_str(writer, STR("id"), call->id);
    if (is_first)
        json_write_member_str(writer, STR("type"), STR("function"));
    json_write_key(writer, STR("function"));
    json_write_object(writer);
    if (is_first)
        json_write_member_str(writer, STR("name"), call->name);
    if (faults->object_arguments >= 0)
        json_write_member_raw(writer, STR("arguments"), piece);
    else
        json_write_member_str(writer, STR("arguments"), piece);
    json_write_object_end(writer);
    json_write_object_end(writer);
    json_write_array_end(writer);
}

/* All calls as a server without a parser for them leaves them in the text. */
static void write_calls_in_text(struct mock_stream *stream, struct json_write *writer)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    for (; has_more_calls(stream); stream->call++) {
        const struct model_call *call = &stream->plan->calls[stream->call];
        buf_printf(&text, "<tool_call>\n{\"name\": \"%.*s\", \"arguments\": %.*s}\n</tool_call>\n",
                   STR_ARG(call->name), STR_ARG(call->arguments));
    }
    json_write_member_str(writer, STR("content"), buf_str(&text));
    buf_fini(&text);
}

static void write_call(struct mock_stream *stream, struct json_write *writer)
{
    if (stream->plan->faults.calls_in_text >= 0)
        write_calls_in_text(stream, writer);
    else
        write_call_piece(stream, writer);
}

/* ---- what comes before the text ---- */

static const char *const thoughts[] = {"<thi", "nk>\nhm, a < b </thi", "nk>\n\n"};
static const char *const open_thoughts[] = {"hm", ", so it is</", "think>\n"};

/* The next piece of it; NULL: there is no more. *is_content: it stands in content. */
static const char *next_thought(const struct mock_stream *stream, bool *is_content)
{
    const struct mock_faults *faults = &stream->plan->faults;
    unsigned at = stream->preamble;
    *is_content = faults->thinks >= 0 || faults->unopened >= 0;
    if (at >= countof(thoughts))
        return NULL;
    if (faults->thinks >= 0)
        return thoughts[at];
    if (faults->unopened >= 0)
        return open_thoughts[at];
    return faults->reasoning >= 0 || faults->overthinks >= 0 ? "hm " : NULL;
}

/* ---- chunks ---- */

enum frame {
    FRAME_BEGIN, /* Anthropic's */
    FRAME_ROLE,
    FRAME_THOUGHT,
    FRAME_TOKEN,
    FRAME_CALL,
    FRAME_LAST,
    FRAME_USAGE,
    FRAME_DONE,
    FRAME_ERROR,
    FRAME_GARBAGE
};

static void begin_object(const struct mock_stream *stream, struct json_write *writer,
                         struct buf *out, struct str object)
{
    json_write_init(writer, out);
    json_write_object(writer);
    json_write_member_str(writer, STR("id"), STR("chatcmpl-mock"));
    json_write_member_str(writer, STR("object"), object);
    json_write_member_u64(writer, STR("created"), 1700000000);
    json_write_member_str(writer, STR("model"), stream->plan->model);
    json_write_key(writer, STR("choices"));
    json_write_array(writer);
}

static const char *finish_word(const struct mock_stream *stream)
{
    const struct mock_faults *faults = &stream->plan->faults;
    if (faults->length >= 0 || is_out_of_room(stream->plan))
        return "length";
    if (stream->plan->call_count > 0)
        return faults->calls_in_text >= 0 ? "stop" : "tool_calls";
    return faults->tool >= 0 ? "tool_calls" : faults->filtered >= 0 ? "content_filter" : "stop";
}

static void write_tool_call(struct json_write *writer)
{
    json_write_member_raw(writer, STR("tool_calls"),
                          STR("[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
                              "\"name\":\"search\",\"arguments\":\"{}\"}}]"));
}

static void write_thought(struct mock_stream *stream, struct json_write *writer)
{
    bool is_content;
    struct str thought = str_of(next_thought(stream, &is_content));
    json_write_member_str(writer, is_content ? STR("content") : STR("reasoning_content"), thought);
    stream->preamble++;
}

static void write_choice(struct mock_stream *stream, struct json_write *writer, enum frame frame,
                         uint64_t now_ns)
{
    bool is_last = frame == FRAME_LAST;
    json_write_object(writer);
    json_write_member_u64(writer, STR("index"), 0);
    json_write_key(writer, STR("delta"));
    json_write_object(writer);
    if (stream->sent == 0 && !is_last)
        json_write_member_str(writer, STR("role"), STR("assistant"));
    if (frame == FRAME_ROLE)
        json_write_member_str(writer, STR("content"), STR(""));
    else if (frame == FRAME_THOUGHT)
        write_thought(stream, writer);
    else if (frame == FRAME_CALL)
        write_call(stream, writer);
    else if (!is_last)
        write_token(stream, writer, now_ns);
    else if (stream->plan->faults.tool >= 0)
        write_tool_call(writer);
    json_write_object_end(writer);
    json_write_key(writer, STR("finish_reason"));
    if (is_last)
        json_write_str(writer, str_of(finish_word(stream)));
    else
        json_write_null(writer);
    json_write_object_end(writer);
}

static void write_usage(const struct mock_stream *stream, struct json_write *writer)
{
    json_write_key(writer, STR("usage"));
    json_write_object(writer);
    json_write_member_u64(writer, STR("prompt_tokens"), PROMPT_TOKENS);
    json_write_member_u64(writer, STR("completion_tokens"), stream->sent);
    json_write_member_u64(writer, STR("total_tokens"), PROMPT_TOKENS + stream->sent);
    if (stream->plan->faults.cached >= 0) {
        json_write_key(writer, STR("prompt_tokens_details"));
        json_write_object(writer);
        json_write_member_i64(writer, STR("cached_tokens"), stream->plan->faults.cached);
        json_write_object_end(writer);
    }
    if (stream->preamble > 0) {
        json_write_key(writer, STR("completion_tokens_details"));
        json_write_object(writer);
        json_write_member_u64(writer, STR("reasoning_tokens"), stream->preamble);
        json_write_object_end(writer);
    }
    json_write_object_end(writer);
}

/* ---- frames ---- */

static void push_line_end(const struct mock_stream *stream, struct buf *out)
{
    buf_push(out, stream->plan->faults.crlf >= 0 ? STR("\r\n") : STR("\n"));
}

/* What follows in out, from mark on, becomes chunks of one byte each. */
static void split_bytes(struct buf *out, size_t mark)
{
    struct buf copy;
    buf_init(&copy, 1 << 20);
    buf_push(&copy, str_from(buf_str(out), mark));
    buf_truncate(out, mark);
    struct str bytes = buf_str(&copy);
    for (size_t i = 0; i < bytes.len; i++)
        buf_printf(out, "1\r\n%c\r\n", bytes.at[i]);
    buf_fini(&copy);
}

static void write_data(struct mock_stream *stream, struct buf *out, enum frame frame,
                       uint64_t now_ns)
{
    struct json_write writer;
    if (frame == FRAME_DONE) {
        buf_push(out, STR("[DONE]"));
    } else if (frame == FRAME_GARBAGE) {
        buf_push(out, STR("{\"choices\":[{\"delta\":"));
    } else if (frame == FRAME_ERROR) {
        buf_push(out, STR("{\"error\":{\"message\":\"the mock's engine is overloaded\","
                          "\"type\":\"server_error\",\"code\":\"overloaded\"}}"));
    } else {
        begin_object(stream, &writer, out, STR("chat.completion.chunk"));
        if (frame != FRAME_USAGE)
            write_choice(stream, &writer, frame, now_ns);
        json_write_array_end(&writer);
        if (frame == FRAME_USAGE)
            write_usage(stream, &writer);
        json_write_object_end(&writer);
    }
}

static void write_event(const struct mock_stream *stream, struct buf *out, const char *type,
                        struct str members)
{
    buf_printf(out, "event: %s", type);
    push_line_end(stream, out);
    buf_printf(out, "data: {\"type\":\"%s\"%s%.*s}", type, members.len > 0 ? "," : "",
               STR_ARG(members));
    push_line_end(stream, out);
    push_line_end(stream, out);
}

/* A delta of the block of text. */
static void write_delta(const struct mock_stream *stream, struct buf *out, struct str kind,
                        struct str member, struct str text)
{
    char room[1024];
    struct buf members = {.at = room, .cap = sizeof room, .limit = sizeof room};
    struct json_write writer;
    json_write_init(&writer, &members);
    json_write_object(&writer);
    json_write_member_u64(&writer, STR("index"), 0);
    json_write_key(&writer, STR("delta"));
    json_write_object(&writer);
    json_write_member_str(&writer, STR("type"), kind);
    json_write_member_str(&writer, member, text);
    json_write_object_end(&writer);
    json_write_object_end(&writer);
    struct str all = buf_str(&members);
    write_event(stream, out, "content_block_delta", str_slice(all, 1, all.len - 1));
}

static const char *stop_reason(const struct mock_stream *stream)
{
    const struct mock_faults *faults = &stream->plan->faults;
    if (faults->refusal >= 0)
        return "refusal";
    if (faults->tool >= 0 || stream->plan->call_count > 0)
        return "tool_use";
    return faults->length >= 0 || is_out_of_room(stream->plan) ? "max_tokens" : "end_turn";
}

static void write_begin(const struct mock_stream *stream, struct buf *out)
{
    char room[512];
    struct buf members = {.at = room, .cap = sizeof room, .limit = sizeof room};
    int64_t cached = stream->plan->is_cached && stream->plan->faults.cached >= 0
                         ? stream->plan->faults.cached
                         : 0;
    buf_printf(&members,
               "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
               "\"content\":[],\"model\":\"%.*s\",\"stop_reason\":null,\"usage\":{"
               "\"input_tokens\":%" PRId64 ",\"cache_creation_input_tokens\":0,"
               "\"cache_read_input_tokens\":%" PRId64 ",\"output_tokens\":1}}",
               STR_ARG(stream->plan->model), PROMPT_TOKENS - cached, cached);
    write_event(stream, out, "message_start", buf_str(&members));
    write_event(stream, out, "ping", STR(""));
    write_event(stream, out, "content_block_start",
                stream->plan->faults.tool >= 0
                    ? STR("\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\","
                          "\"name\":\"search\",\"input\":{}}")
                    : STR("\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"));
}

static void write_message_delta(const struct mock_stream *stream, struct buf *out)
{
    char room[256];
    struct buf members = {.at = room, .cap = sizeof room, .limit = sizeof room};
    buf_printf(&members,
               "\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},\"usage\":{"
               "\"output_tokens\":%" PRIu64 "}",
               stop_reason(stream), stream->sent);
    write_event(stream, out, "content_block_stop", STR("\"index\":0"));
    write_event(stream, out, "message_delta", buf_str(&members));
}

/* Anthropic's: a block for each call, its input in pieces of JSON. */
static void write_call_block(struct mock_stream *stream, struct buf *out)
{
    size_t index = stream->call + 1;
    const struct model_call *call = &stream->plan->calls[stream->call];
    bool is_first;
    char room[1024];
    struct buf members = {.at = room, .cap = sizeof room, .limit = sizeof room};
    struct json_write writer;
    struct str piece = next_arguments(stream, &is_first);
    if (is_first) {
        buf_printf(&members,
                   "\"index\":%zu,\"content_block\":{\"type\":\"tool_use\",\"id\":\"%.*s\","
                   "\"name\":\"%.*s\",\"input\":{}}",
                   index, STR_ARG(call->id), STR_ARG(call->name));
        write_event(stream, out, "content_block_start", buf_str(&members));
        buf_clear(&members);
    }
    buf_printf(&members,
               "\"index\":%zu,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":", index);
    json_write_init(&writer, &members);
    json_write_str(&writer, piece);
    buf_push(&members, STR("}"));
    write_event(stream, out, "content_block_delta", buf_str(&members));
}

static void write_anthropic(struct mock_stream *stream, struct buf *out, enum frame frame,
                            uint64_t now_ns)
{
    char text[256];
    struct buf token = {.at = text, .cap = sizeof text, .limit = sizeof text};
    bool is_content;
    switch (frame) {
    case FRAME_BEGIN:
        write_begin(stream, out);
        break;
    case FRAME_ROLE:
    case FRAME_USAGE: /* has its place in others */
        break;
    case FRAME_THOUGHT: {
        struct str thought = str_of(next_thought(stream, &is_content));
        write_delta(stream, out, is_content ? STR("text_delta") : STR("thinking_delta"),
                    is_content ? STR("text") : STR("thinking"), thought);
        stream->preamble++;
        break;
    }
    case FRAME_TOKEN:
        write_text(stream, &token, now_ns);
        write_delta(stream, out, STR("text_delta"), STR("text"), buf_str(&token));
        break;
    case FRAME_CALL:
        write_call_block(stream, out);
        break;
    case FRAME_LAST:
        write_message_delta(stream, out);
        break;
    case FRAME_DONE:
        write_event(stream, out, "message_stop", STR(""));
        break;
    case FRAME_ERROR:
        write_event(
            stream, out, "error",
            STR("\"error\":{\"type\":\"overloaded_error\",\"message\":\"the mock's engine is "
                "overloaded\"}"));
        break;
    case FRAME_GARBAGE:
        buf_push(out, STR("data: {\"type\":\"content_block_delta\",\"delta\":"));
        push_line_end(stream, out);
        push_line_end(stream, out);
        break;
    }
}

static void write_frame(struct mock_stream *stream, struct buf *out, enum frame frame,
                        uint64_t now_ns)
{
    bool is_split = stream->plan->faults.split >= 0;
    size_t mark = is_split ? buf_len(out) : http_response_chunk_begin(out);
    if (stream->plan->faults.comments >= 0) {
        buf_push(out, STR(": keep-alive"));
        push_line_end(stream, out);
        push_line_end(stream, out);
    }
    if (stream->plan->is_anthropic) {
        write_anthropic(stream, out, frame, now_ns);
    } else {
        buf_push(out, STR("data: "));
        write_data(stream, out, frame, now_ns);
        push_line_end(stream, out);
        push_line_end(stream, out);
    }
    if (is_split)
        split_bytes(out, mark);
    else
        http_response_chunk_commit(out, mark);
}

static void write_end(struct mock_stream *stream, struct buf *out, uint64_t now_ns)
{
    const struct mock_plan *plan = stream->plan;
    write_frame(stream, out, FRAME_LAST, now_ns);
    if (plan->wants_usage && plan->faults.no_usage < 0)
        write_frame(stream, out, FRAME_USAGE, now_ns);
    if (plan->faults.no_done < 0)
        write_frame(stream, out, FRAME_DONE, now_ns);
}

enum mock_step mock_stream_next(struct mock_stream *stream, struct buf *out, uint64_t now_ns)
{
    const struct mock_faults *faults = &stream->plan->faults;
    int64_t sent = (int64_t)stream->sent;
    bool is_content;
    if (!stream->has_begun && stream->plan->is_anthropic)
        write_frame(stream, out, FRAME_BEGIN, now_ns);
    if (!stream->has_begun && faults->slow_after_role >= 0) {
        stream->has_begun = true;
        write_frame(stream, out, FRAME_ROLE, now_ns);
        return MOCK_WAIT;
    }
    stream->has_begun = true;
    if (next_thought(stream, &is_content) != NULL) {
        write_frame(stream, out, FRAME_THOUGHT, now_ns);
        return MOCK_MORE;
    }
    if (faults->cut >= 0 && sent >= faults->cut)
        return MOCK_CUT;
    if (faults->stall >= 0 && sent >= faults->stall)
        return MOCK_STALL;
    if (faults->hold >= 0 && sent >= faults->hold && !stream->is_released)
        return MOCK_HOLD;
    if (faults->error_mid >= 0 && sent >= faults->error_mid) {
        write_frame(stream, out, FRAME_ERROR, now_ns);
        http_response_last_chunk(out);
        return MOCK_END;
    }
    if (faults->garbage >= 0 && sent == 1)
        write_frame(stream, out, FRAME_GARBAGE, now_ns);
    if (has_more(stream)) {
        write_frame(stream, out, FRAME_TOKEN, now_ns);
        if (has_more(stream) || has_more_calls(stream) || faults->cut >= 0 || faults->stall >= 0 ||
            faults->error_mid >= 0)
            return MOCK_MORE;
    }
    if (has_more_calls(stream)) {
        write_frame(stream, out, FRAME_CALL, now_ns);
        stream->sent++;
        return MOCK_MORE;
    }
    write_end(stream, out, now_ns);
    if (faults->linger >= 0)
        return MOCK_STALL;
    http_response_last_chunk(out);
    return MOCK_END;
}

static void write_whole_message(const struct mock_stream *stream, struct json_write *writer,
                                struct buf *out, struct str text)
{
    json_write_init(writer, out);
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), STR("message"));
    json_write_member_str(writer, STR("role"), STR("assistant"));
    json_write_member_str(writer, STR("model"), stream->plan->model);
    json_write_key(writer, STR("content"));
    json_write_array(writer);
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), STR("text"));
    json_write_member_str(writer, STR("text"), text);
    json_write_object_end(writer);
    json_write_array_end(writer);
    json_write_member_str(writer, STR("stop_reason"), str_of(stop_reason(stream)));
    json_write_key(writer, STR("usage"));
    json_write_object(writer);
    json_write_member_u64(writer, STR("input_tokens"), PROMPT_TOKENS);
    json_write_member_u64(writer, STR("output_tokens"), stream->sent);
    json_write_object_end(writer);
    json_write_object_end(writer);
}

void mock_stream_whole(struct mock_stream *stream, struct buf *out, uint64_t now_ns)
{
    struct json_write writer;
    struct buf text;
    (void)now_ns;
    buf_init(&text, 1 << 20);
    for (; has_more(stream); stream->sent++)
        if (!str_is_absent(stream->plan->reply))
            buf_push(&text, next_piece(stream));
        else
            buf_printf(&text, "%sword%" PRIu64, stream->sent == 0 ? "" : " ", stream->sent);
    if (stream->plan->is_anthropic) {
        write_whole_message(stream, &writer, out, buf_str(&text));
        buf_fini(&text);
        return;
    }
    begin_object(stream, &writer, out, STR("chat.completion"));
    json_write_object(&writer);
    json_write_member_u64(&writer, STR("index"), 0);
    json_write_key(&writer, STR("message"));
    json_write_object(&writer);
    json_write_member_str(&writer, STR("role"), STR("assistant"));
    write_content(stream, &writer, buf_str(&text));
    json_write_object_end(&writer);
    json_write_member_str(&writer, STR("finish_reason"), str_of(finish_word(stream)));
    json_write_object_end(&writer);
    json_write_array_end(&writer);
    write_usage(stream, &writer);
    json_write_object_end(&writer);
    buf_fini(&text);
}
