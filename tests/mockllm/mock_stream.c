/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_stream.c - chunks of chat completions, and what can be wrong with them.
 *
 * Happy path: a chunk with the role and the first token, one per token, one with finish_reason, one
 * with usage if it was asked for, [DONE], the last chunk of the body.
 * Failure paths are the plan's faults; memory is not handled: a full buf ends the connection. */
#include "tests/mockllm/mock_stream.h"

#include <inttypes.h>

#include "proto/http_response.h"
#include "proto/json_write.h"

enum { PROMPT_TOKENS = 12 };

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

static void write_token(struct mock_stream *stream, struct json_write *writer, uint64_t now_ns)
{
    char text[64];
    struct buf token = {.at = text, .cap = sizeof text, .limit = sizeof text};
    json_write_key(writer, STR("content"));
    if (!str_is_absent(stream->plan->reply)) {
        json_write_str(writer, next_piece(stream));
    } else {
        if (stream->is_stamped)
            buf_printf(&token, "@%" PRIu64 " ", now_ns);
        else
            buf_printf(&token, "%sword%" PRIu64, stream->sent == 0 ? "" : " ", stream->sent);
        json_write_str(writer, buf_str(&token));
    }
    stream->sent++;
}

static bool has_more(const struct mock_stream *stream)
{
    return str_is_absent(stream->plan->reply) ? stream->sent < stream->plan->tokens
                                              : stream->cursor < stream->plan->reply.len;
}

/* ---- chunks ---- */

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
    return stream->plan->faults.length >= 0 ? "length" : "stop";
}

static void write_choice(struct mock_stream *stream, struct json_write *writer, bool is_last,
                         uint64_t now_ns)
{
    json_write_object(writer);
    json_write_member_u64(writer, STR("index"), 0);
    json_write_key(writer, STR("delta"));
    json_write_object(writer);
    if (stream->sent == 0 && !is_last)
        json_write_member_str(writer, STR("role"), STR("assistant"));
    if (!is_last)
        write_token(stream, writer, now_ns);
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

enum frame { FRAME_TOKEN, FRAME_LAST, FRAME_USAGE, FRAME_DONE, FRAME_ERROR, FRAME_GARBAGE };

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
            write_choice(stream, &writer, frame == FRAME_LAST, now_ns);
        json_write_array_end(&writer);
        if (frame == FRAME_USAGE)
            write_usage(stream, &writer);
        json_write_object_end(&writer);
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
    buf_push(out, STR("data: "));
    write_data(stream, out, frame, now_ns);
    push_line_end(stream, out);
    push_line_end(stream, out);
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
        if (has_more(stream) || faults->cut >= 0 || faults->stall >= 0 || faults->error_mid >= 0)
            return MOCK_MORE;
    }
    write_end(stream, out, now_ns);
    if (faults->linger >= 0)
        return MOCK_STALL;
    http_response_last_chunk(out);
    return MOCK_END;
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
    begin_object(stream, &writer, out, STR("chat.completion"));
    json_write_object(&writer);
    json_write_member_u64(&writer, STR("index"), 0);
    json_write_key(&writer, STR("message"));
    json_write_object(&writer);
    json_write_member_str(&writer, STR("role"), STR("assistant"));
    json_write_key(&writer, STR("content"));
    json_write_str(&writer, buf_str(&text));
    json_write_object_end(&writer);
    json_write_member_str(&writer, STR("finish_reason"), str_of(finish_word(stream)));
    json_write_object_end(&writer);
    json_write_array_end(&writer);
    write_usage(stream, &writer);
    json_write_object_end(&writer);
    buf_fini(&text);
}
