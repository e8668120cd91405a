/* SPDX-License-Identifier: MIT */
/* server/http/http2_session_stream.c - one stream: its request, then the channel of its answer.
 *
 * Happy path: fields and data become a request, which the site gets as soon as it is whole; header
 * lines that are written into out become the HEADERS frame of the first flush, what follows them
 * becomes DATA when nghttp2 has room in both windows. Ends when nghttp2 closes the stream.
 * Failure paths:
 * - fields that are no request, a body that is too long, late or not wanted: answered, and the rest
 *   of the request is told off with RST_STREAM NO_ERROR after the answer;
 * - reset by the client, or the connection is gone: on_gone if it was being answered;
 * - a client that takes nothing of a stream for write_ms, or no memory: reset, on_gone. */
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "proto/http_head.h"
#include "server/http/http2_session_internal.h"

enum { MOST_LINES = 48, STATUS_BYTES = 16 };

static const struct channel_kind stream_kind;

static struct http2_stream *stream_of(const struct channel *channel)
{
    return container_of((struct channel *)(uintptr_t)channel, struct http2_stream, channel);
}

static struct channel_site *site_of(const struct http2_stream *stream)
{
    return stream->session->options.site;
}

/* ---- counting ---- */

/* Have the site count the memory that the body takes now. */
static void count_body(struct http2_stream *stream, size_t bytes)
{
    site_of(stream)->body_bytes += bytes - stream->counted;
    stream->counted = bytes;
}

static void drop_body(struct http2_stream *stream)
{
    buf_fini(&stream->body);
    count_body(stream, 0);
}

/* Have the session count what is in out now. */
static void count_out(struct http2_stream *stream)
{
    stream->session->pending += buf_len(&stream->out) - stream->accounted;
    stream->accounted = buf_len(&stream->out);
}

/* ---- life ---- */

struct http2_stream *http2_session_stream_open(struct http2_session *session, int32_t id)
{
    const struct channel_limits *limits = &session->options.site->limits;
    struct http2_stream *stream = mem_zalloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->channel = (struct channel){.kind = &stream_kind,
                                       .request = &stream->head.request,
                                       .peer = session->options.peer,
                                       .out = &stream->out};
    stream->session = session;
    stream->id = id;
    http2_head_init(&stream->head, &limits->http);
    buf_init(&stream->body, limits->http.body_bytes);
    buf_init(&stream->out, limits->limit_bytes);
    list_push(&session->streams, &stream->link);
    session->options.site->stream_count++;
    return stream;
}

void http2_session_stream_free(struct http2_stream *stream, bool is_cut)
{
    struct channel_site *site = site_of(stream);
    timer_stop(&stream->deadline);
    list_remove(&stream->link);
    list_remove(&stream->go_link);
    if (is_cut && stream->state == HTTP2_STREAM_ANSWERING)
        site->on_gone(&stream->channel, site->owner);
    if (stream->relay != NULL)
        http2_session_relay_gone(stream->relay);
    drop_body(stream);
    stream->session->pending -= stream->accounted;
    if (!list_is_empty(&stream->session->drained)) /* others may have room now */
        http2_session_schedule(stream->session);
    site->stream_count--;
    http2_head_fini(&stream->head);
    buf_fini(&stream->out);
    mem_free(stream);
}

/* Nothing more is sent of the stream but a reset; whoever answers it has heard. */
static void reset(struct http2_stream *stream, uint32_t code)
{
    timer_stop(&stream->deadline);
    list_remove(&stream->go_link);
    stream->state = HTTP2_STREAM_DONE;
    stream->is_high = false;
    buf_clear(&stream->out);
    count_out(stream);
    /* untested: no memory for the frame; the client's own deadline closes the stream */
    (void)nghttp2_submit_rst_stream(stream->session->frames, NGHTTP2_FLAG_NONE, stream->id, code);
    http2_session_schedule(stream->session);
}

/* The client left, or cannot be told more. */
static void give_up(struct http2_stream *stream, uint32_t code)
{
    struct channel_site *site = site_of(stream);
    bool is_answered = stream->state != HTTP2_STREAM_ANSWERING;
    struct http2_relay *relay = stream->relay;
    stream->relay = NULL;
    reset(stream, code);
    if (!is_answered)
        site->on_gone(&stream->channel, site->owner);
    if (relay != NULL)
        http2_session_relay_gone(relay);
}

/* ---- the request ---- */

static void refuse(struct http2_stream *stream, int status, const struct err *err)
{
    struct channel_site *site = site_of(stream);
    timer_stop(&stream->deadline);
    drop_body(stream);
    stream->state = HTTP2_STREAM_ANSWERING;
    site->on_refused(&stream->channel, status, err, site->owner);
}

static void on_late_body(struct timer *timer)
{
    struct http2_stream *stream = container_of(timer, struct http2_stream, deadline);
    struct err err;
    err_set(&err, ERR_TIMEOUT, "the request's body did not arrive in time");
    refuse(stream, 408, &err);
}

static void say_continue(struct http2_stream *stream)
{
    uint8_t name[] = ":status", value[] = "100";
    const nghttp2_nv field = {name, value, sizeof name - 1, sizeof value - 1, NGHTTP2_NV_FLAG_NONE};
    /* untested: no memory for the frame; the client sends its body after a while all the same */
    (void)nghttp2_submit_headers(stream->session->frames, NGHTTP2_FLAG_NONE, stream->id, NULL,
                                 &field, 1, NULL);
}

void http2_session_stream_head(struct http2_stream *stream, bool is_whole)
{
    struct channel_site *site = site_of(stream);
    struct err err = {0};
    stream->is_received = is_whole;
    if (http2_head_end(&stream->head, is_whole, &err) != ERR_OK) {
        refuse(stream, http2_head_status(&stream->head), &err);
    } else if (is_whole) {
        stream->state = HTTP2_STREAM_ANSWERING;
        site->on_request(&stream->channel, site->owner);
    } else if (site->on_head(&stream->channel, site->owner)) {
        timer_start(&stream->deadline, site->loop,
                    stream->channel.takes_file ? site->limits.file_ms : site->limits.body_ms,
                    on_late_body);
        if (stream->head.request.expect_continue)
            say_continue(stream);
    }
}

/* Whether there is room for what has come of the body; else that is answered. */
static bool hold_body(struct http2_stream *stream)
{
    const struct channel_site *site = site_of(stream);
    struct err err;
    count_body(stream, stream->body.cap);
    if (site->limits.bodies_bytes == 0 || site->body_bytes <= site->limits.bodies_bytes)
        return true;
    err_set(&err, ERR_NO_MEMORY,
            "the bodies of requests hold as much memory as they may; try again later");
    refuse(stream, 503, &err);
    return false;
}

static size_t most_body(const struct http2_stream *stream)
{
    const struct channel_limits *limits = &site_of(stream)->limits;
    bool is_file = stream->channel.takes_file || limits->body_bytes == 0;
    return is_file ? limits->http.body_bytes : limits->body_bytes;
}

void http2_session_stream_data(struct http2_stream *stream, struct str bytes)
{
    struct err err;
    if (stream->state != HTTP2_STREAM_READING)
        return;
    if (buf_len(&stream->body) + bytes.len > most_body(stream)) {
        err_set(&err, ERR_TOO_LARGE, "the body is too long");
        refuse(stream, 413, &err);
        return;
    }
    buf_push(&stream->body, bytes);
    if (!hold_body(stream) || buf_ok(&stream->body))
        return;
    err_set(&err, ERR_NO_MEMORY, "no memory for the body");
    refuse(stream, 503, &err);
}

void http2_session_stream_received(struct http2_stream *stream)
{
    struct channel_site *site = site_of(stream);
    stream->is_received = true;
    if (stream->state != HTTP2_STREAM_READING)
        return;
    timer_stop(&stream->deadline);
    stream->head.request.body = buf_str(&stream->body);
    stream->state = HTTP2_STREAM_ANSWERING;
    site->on_request(&stream->channel, site->owner);
}

/* ---- the answer ---- */

static void check_progress(struct timer *timer)
{
    struct http2_stream *stream = container_of(timer, struct http2_stream, deadline);
    if (buf_len(&stream->out) == 0)
        return;
    if (stream->sent == stream->sent_before) {
        give_up(stream, NGHTTP2_CANCEL);
        return;
    }
    stream->sent_before = stream->sent;
    timer_start(timer, site_of(stream)->loop, site_of(stream)->limits.write_ms, check_progress);
}

/* The client must take something of the stream in the time for that. */
static void watch_progress(struct http2_stream *stream)
{
    if (timer_is_running(&stream->deadline))
        return;
    stream->sent_before = stream->sent;
    timer_start(&stream->deadline, site_of(stream)->loop, site_of(stream)->limits.write_ms,
                check_progress);
}

static ssize_t read_out(nghttp2_session *frames, int32_t id, uint8_t *room, size_t size,
                        uint32_t *flags, nghttp2_data_source *source, void *owner)
{
    struct http2_stream *stream = source->ptr;
    const struct str out = buf_str(&stream->out);
    const size_t len = size_min(out.len, size);
    const size_t high = site_of(stream)->limits.high_bytes;
    (void)frames;
    (void)id;
    (void)owner;
    if (stream->state == HTTP2_STREAM_DONE && len == out.len) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (len == 0) {
        stream->is_deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    memcpy(room, out.at, len);
    buf_consume(&stream->out, len);
    count_out(stream);
    stream->sent += len;
    if (stream->is_high && buf_len(&stream->out) <= high / 2 && !list_is_linked(&stream->go_link))
        list_push(&stream->session->drained, &stream->go_link);
    return (ssize_t)len;
}

/* The header lines in out as fields, ":status" first; names become lower case where they lie. */
static size_t read_lines(struct http2_stream *stream, char *name_of_status, char *status,
                         nghttp2_nv *fields)
{
    const struct str lines = str_slice(buf_str(&stream->out), 0, stream->head_len);
    struct str name, value;
    size_t cursor = 0, count = 1;
    snprintf(status, STATUS_BYTES, "%d", stream->status);
    fields[0] = (nghttp2_nv){(uint8_t *)name_of_status, (uint8_t *)status, strlen(name_of_status),
                             strlen(status), NGHTTP2_NV_FLAG_NONE};
    while (http_head_next_field(lines, &cursor, &name, &value)) {
        char *at = (char *)(uintptr_t)name.at; /* in out, which is ours */
        for (size_t i = 0; i < name.len; i++)
            at[i] = (char)str_lower(at[i]);
        CHECK(count < MOST_LINES);
        fields[count++] = (nghttp2_nv){(uint8_t *)at, (uint8_t *)(uintptr_t)value.at, name.len,
                                       value.len, NGHTTP2_NV_FLAG_NONE};
    }
    return count;
}

/* The head goes to nghttp2, which copies it. False: no memory. */
static bool submit(struct http2_stream *stream)
{
    char name[] = ":status", status[STATUS_BYTES];
    nghttp2_nv fields[MOST_LINES];
    const nghttp2_data_provider body = {{.ptr = stream}, read_out};
    size_t count = read_lines(stream, name, status, fields);
    bool is_empty = stream->state == HTTP2_STREAM_DONE && buf_len(&stream->out) == stream->head_len;
    if (nghttp2_submit_response(stream->session->frames, stream->id, fields, count,
                                is_empty ? NULL : &body) != 0)
        return false;
    buf_consume(&stream->out, stream->head_len);
    stream->is_submitted = true;
    return true;
}

/* Have what is in out sent. False: out is not whole, or no memory. */
static bool send_out(struct http2_stream *stream)
{
    const bool is_due = stream->is_headed && !stream->is_submitted;
    if (!buf_ok(&stream->out) || (is_due && !submit(stream)))
        return false;
    if (stream->is_deferred && (buf_len(&stream->out) > 0 || stream->state == HTTP2_STREAM_DONE)) {
        stream->is_deferred = false;
        if (nghttp2_session_resume_data(stream->session->frames, stream->id) != 0)
            return false;
    }
    count_out(stream);
    http2_session_schedule(stream->session);
    return true;
}

static void on_broken(struct timer *timer)
{
    give_up(container_of(timer, struct http2_stream, deadline), NGHTTP2_INTERNAL_ERROR);
}

/* ---- as a channel ---- */

static void begin_head(struct channel *channel, int status)
{
    CHECK(buf_len(channel->out) == 0);
    stream_of(channel)->status = status;
}

static void end_head(struct channel *channel, bool is_stream)
{
    (void)is_stream;
    stream_of(channel)->head_len = buf_len(channel->out);
    stream_of(channel)->is_headed = true;
}

static void flush(struct channel *channel)
{
    struct http2_stream *stream = stream_of(channel);
    if (stream->state == HTTP2_STREAM_ANSWERING && !send_out(stream))
        timer_start(&stream->deadline, site_of(stream)->loop, 0, on_broken);
}

static bool is_high(struct channel *channel)
{
    struct http2_stream *stream = stream_of(channel);
    struct http2_session *session = stream->session;
    const size_t own = buf_len(&stream->out);
    const bool is_full = own >= site_of(stream)->limits.high_bytes;
    if (!is_full && session->pending + own - stream->accounted < HTTP2_SESSION_HIGH)
        return false;
    stream->is_high = true;
    watch_progress(stream);
    if (!is_full && !list_is_linked(&stream->go_link))
        list_push(&session->drained, &stream->go_link);
    return true;
}

void http2_session_stream_go(struct http2_stream *stream)
{
    struct channel_site *site = site_of(stream);
    stream->is_high = false;
    if (stream->state == HTTP2_STREAM_ANSWERING)
        site->on_drained(&stream->channel, site->owner);
    if (stream->relay != NULL)
        http2_session_relay_go(stream->relay);
}

static uint64_t count(const struct channel *channel)
{
    const struct http2_stream *stream = stream_of(channel);
    return stream->sent + buf_len(&stream->out);
}

static void turn_away(struct channel *channel)
{
    struct http2_stream *stream = stream_of(channel);
    CHECK(stream->state == HTTP2_STREAM_READING);
    drop_body(stream);
    stream->state = HTTP2_STREAM_ANSWERING;
}

static void done(struct channel *channel)
{
    struct http2_stream *stream = stream_of(channel);
    channel->user = NULL;
    if (stream->state == HTTP2_STREAM_DONE)
        return;
    stream->state = HTTP2_STREAM_DONE;
    drop_body(stream);
    http2_head_fini(&stream->head);
    timer_stop(&stream->deadline);
    if (send_out(stream))
        watch_progress(stream);
    else
        reset(stream, NGHTTP2_INTERNAL_ERROR);
}

static void cut_off(struct channel *channel)
{
    struct http2_stream *stream = stream_of(channel);
    channel->user = NULL;
    if (stream->state != HTTP2_STREAM_DONE)
        reset(stream, NGHTTP2_INTERNAL_ERROR);
}

/* The request goes, the stream stays for the answer. */
static bool leave(struct channel *channel, struct inbox *to, channel_left_fn *on_left, void *owner)
{
    struct http2_stream *stream = stream_of(channel);
    struct channel *away = http2_session_relay_open(stream, to);
    if (away == NULL)
        return false;
    channel->user = NULL;
    count_body(stream, 0);
    stream->state = HTTP2_STREAM_AWAY;
    on_left(away, owner);
    return true;
}

void http2_session_stream_take(struct http2_stream *stream, const struct http2_answer *answer)
{
    if (answer->status != 0) {
        stream->status = answer->status;
        stream->head_len = answer->head_len;
        stream->is_headed = true;
    }
    buf_push(&stream->out, answer->bytes);
    if (answer->is_cut) {
        reset(stream, NGHTTP2_INTERNAL_ERROR);
    } else if (answer->is_last) {
        done(&stream->channel);
    } else if (send_out(stream)) {
        (void)is_high(&stream->channel);
    } else {
        give_up(stream, NGHTTP2_INTERNAL_ERROR);
    }
}

static void take_body(struct channel *channel, struct buf *body)
{
    struct http2_stream *stream = stream_of(channel);
    *body = stream->body;
    buf_init(&stream->body, site_of(stream)->limits.http.body_bytes);
    stream->head.request.body = STR("");
    count_body(stream, 0);
}

static const struct channel_kind stream_kind = {
    .begin_head = begin_head,
    .end_head = end_head,
    .flush = flush,
    .is_high = is_high,
    .count = count,
    .turn_away = turn_away,
    .done = done,
    .abort = cut_off,
    .take_body = take_body,
    .leave = leave,
};
