/* SPDX-License-Identifier: MIT */
/* server/http/http2_session.c - nghttp2's callbacks, and when it may write.
 *
 * Happy path: bytes are fed in slices, so that no read begins more requests than a turn should
 * carry; callbacks make streams and tell them what came; who answers flushes its stream, which asks
 * for a send; the send fills the output until it is full or nothing is left, and writes once.
 * Failure paths:
 * - bytes that are no HTTP/2, or broken compression: nghttp2's GOAWAY, all streams gone, over;
 * - too many frames that are no work, resets, or fields: GOAWAY ENHANCE_YOUR_CALM, likewise;
 * - a greeting, or a head in pieces, that does not come in time: likewise;
 * - more streams than may be: REFUSED_STREAM, which a client may send again;
 * - no memory: the stream is reset, or the session is over.
 * A drain says GOAWAY twice (RFC 9113, 6.8): first that no new streams are wanted, and, when a PING
 * has come back, which was the last one. */
#include "server/http/http2_session.h"

#include <string.h>

#include "core/base/mem.h"
#include "server/http/http2_session_internal.h"

enum {
    SLICE_BYTES = 1024,         /* fed at once: bounds the requests that begin before a look */
    REQUESTS_A_FEED = 32,       /* of one connection in one turn */
    PACE_MS = 1,                /* between writes: what comes in between leaves together */
    SEND_ROUNDS = 8,            /* writes of one turn to a client that takes them at once */
    GOODBYE_MS = 1000,          /* for the PING of a drain to come back */
    WINDOW_BYTES = 1024 * 1024, /* of request bodies on their way, on one connection */
    FIELDS_FACTOR = 4,          /* fields of so many times the limit end the connection */
    SMALL_DATA = 16             /* a frame of data of so few bytes, in the middle, is no work */
};

const char http2_session_preface[25] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

static void arm(struct http2_session *session);

/* ---- the end ---- */

static void free_streams(struct http2_session *session)
{
    while (!list_is_empty(&session->streams))
        http2_session_stream_free(list_item(session->streams.next, struct http2_stream, link),
                                  true);
}

void http2_session_close(struct http2_session *session)
{
    if (session->is_closed)
        return;
    session->is_closed = true;
    timer_stop(&session->deadline);
    timer_stop(&session->pace);
    timer_stop(&session->goodbye);
    loop_unpost(&session->send_task);
    free_streams(session);
}

void http2_session_destroy(struct http2_session *session)
{
    if (session == NULL)
        return;
    CHECK(session->is_closed);
    if (!session->is_lost)
        nghttp2_session_del(session->frames);
    mem_free(session);
}

static void finish(struct http2_session *session)
{
    http2_session_close(session);
    session->options.on_over(session->options.owner);
}

/* Nothing more is read; what is to be said is said on the next send. */
static void end(struct http2_session *session)
{
    session->is_ending = true;
    http2_session_schedule(session);
}

static void say_goaway(struct http2_session *session, uint32_t code, const char *reason)
{
    const struct str text = str_of(reason);
    /* untested: no memory for the frame only means that the end is not explained */
    (void)nghttp2_submit_goaway(session->frames, NGHTTP2_FLAG_NONE,
                                nghttp2_session_get_last_proc_stream_id(session->frames), code,
                                (const uint8_t *)text.at, text.len);
}

void http2_session_calm(struct http2_session *session, const char *reason)
{
    if (session->is_ending)
        return;
    LOG(session->options.site->log, WARN, "http2.ended", "peer=%s error=\"%s\"",
        session->options.peer->text, reason);
    say_goaway(session, NGHTTP2_ENHANCE_YOUR_CALM, reason);
    end(session);
}

/* ---- sending ---- */

static void tell_drained(struct http2_session *session)
{
    struct list *link;
    while (!session->is_ending && session->pending < HTTP2_SESSION_HIGH &&
           (link = list_take_first(&session->drained)) != NULL)
        http2_session_stream_go(list_item(link, struct http2_stream, go_link));
}

/* After an allocation failed inside nghttp2 1.52 an item may be both freed and still held by its
 * stream: rather than free it twice, what is left of the session is not freed at all. */
static void note_failure(struct http2_session *session, ssize_t code)
{
    session->is_lost |= code == NGHTTP2_ERR_NOMEM; /* untested: its own malloc has to fail */
    LOG(session->options.site->log, WARN, "http2.ended", "peer=%s error=\"%s\"",
        session->options.peer->text, nghttp2_strerror((int)code));
}

/* Frames into the output until it is full. False: nothing can be sent any more. */
static bool fill(struct http2_session *session, bool *is_more)
{
    const struct http2_session_options *options = &session->options;
    while (!options->is_full(options->owner)) {
        const uint8_t *bytes;
        ssize_t len = nghttp2_session_mem_send(session->frames, &bytes);
        if (len < 0) {
            note_failure(session, len);
            return false;
        }
        if (len == 0) {
            *is_more = false;
            return true;
        }
        buf_push(options->out, str_make((const char *)bytes, (size_t)len));
    }
    *is_more = true;
    return true;
}

static void send_frames(struct http2_session *session)
{
    const struct http2_session_options *options = &session->options;
    bool is_more = true, is_fine = true;
    session->sent_ms = loop_now_ms(options->site->loop);
    for (unsigned round = 0; round < SEND_ROUNDS && is_more && is_fine; round++) {
        is_fine = fill(session, &is_more);
        options->flush(options->owner);
        if (is_more && options->is_full(options->owner))
            break; /* http2_session_go comes */
    }
    bool is_over =
        !nghttp2_session_want_read(session->frames) && !nghttp2_session_want_write(session->frames);
    if (!is_fine || is_over || session->is_ending) {
        finish(session);
        return;
    }
    tell_drained(session);
    arm(session);
    if (is_more && !options->is_full(options->owner))
        http2_session_schedule(session);
}

static void on_send(struct loop_task *task)
{
    send_frames(container_of(task, struct http2_session, send_task));
}

static void on_pace(struct timer *timer)
{
    send_frames(container_of(timer, struct http2_session, pace));
}

void http2_session_schedule(struct http2_session *session)
{
    struct loop *loop = session->options.site->loop;
    if (session->is_closed || timer_is_running(&session->pace))
        return;
    if (loop_now_ms(loop) - session->sent_ms >= PACE_MS)
        loop_at_turn_end(loop, &session->send_task, on_send);
    else
        timer_start(&session->pace, loop, PACE_MS, on_pace);
}

void http2_session_go(struct http2_session *session)
{
    http2_session_schedule(session);
}

/* ---- deadlines ---- */

static void on_goodbye(struct timer *timer)
{
    struct http2_session *session = container_of(timer, struct http2_session, goodbye);
    say_goaway(session, NGHTTP2_NO_ERROR, "");
    http2_session_schedule(session);
}

void http2_session_drain(struct http2_session *session)
{
    if (session->is_draining || session->is_closed)
        return;
    session->is_draining = true;
    (void)nghttp2_submit_shutdown_notice(
        session->frames); /* untested: no memory; the timer says it */
    timer_start(&session->goodbye, session->options.site->loop, GOODBYE_MS, on_goodbye);
    http2_session_schedule(session);
}

static void on_deadline(struct timer *timer)
{
    struct http2_session *session = container_of(timer, struct http2_session, deadline);
    enum http2_wait wait = session->wait;
    session->wait = HTTP2_WAIT_NOTHING;
    if (wait == HTTP2_WAIT_REQUEST)
        http2_session_drain(session);
    else
        http2_session_calm(session, wait == HTTP2_WAIT_GREETING
                                        ? "the client's settings did not arrive in time"
                                        : "the request's headers did not arrive in time");
}

/* Have the deadline be for what the session waits for now. */
static void arm(struct http2_session *session)
{
    const struct channel_limits *limits = &session->options.site->limits;
    enum http2_wait wait = !session->is_greeted               ? HTTP2_WAIT_GREETING
                           : session->is_head_coming          ? HTTP2_WAIT_HEAD
                           : list_is_empty(&session->streams) ? HTTP2_WAIT_REQUEST
                                                              : HTTP2_WAIT_NOTHING;
    if (wait == session->wait)
        return;
    session->wait = wait;
    if (wait == HTTP2_WAIT_NOTHING)
        timer_stop(&session->deadline);
    else
        timer_start(&session->deadline, session->options.site->loop,
                    wait == HTTP2_WAIT_REQUEST ? limits->idle_ms : limits->header_ms, on_deadline);
}

/* ---- nghttp2's callbacks ---- */

static uint64_t now_ms(const struct http2_session *session)
{
    return loop_now_ms(session->options.site->loop);
}

static struct http2_stream *find_stream(struct http2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session->frames, id);
}

/* Whether a frame asks for nothing. */
static bool is_idle_frame(const nghttp2_frame_hd *head)
{
    switch (head->type) {
    case NGHTTP2_DATA:
        return head->length <= SMALL_DATA && (head->flags & NGHTTP2_FLAG_END_STREAM) == 0;
    case NGHTTP2_HEADERS:
    case NGHTTP2_RST_STREAM: /* counted otherwise */
        return false;
    default:
        return true;
    }
}

static int on_begin_frame(nghttp2_session *frames, const nghttp2_frame_hd *head, void *owner)
{
    struct http2_session *session = owner;
    (void)frames;
    if (is_idle_frame(head) && !http2_budget_frame(&session->budget, now_ms(session)))
        http2_session_calm(session, "too many frames that ask for nothing");
    return 0;
}

static int on_begin_headers(nghttp2_session *frames, const nghttp2_frame *frame, void *owner)
{
    struct http2_session *session = owner;
    struct channel_site *site = session->options.site;
    session->is_head_coming = true;
    http2_budget_work(&session->budget);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    session->begun++;
    if (site->is_full != NULL && site->is_full(site->owner)) {
        (void)nghttp2_submit_rst_stream(frames, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                        NGHTTP2_REFUSED_STREAM);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    struct http2_stream *stream = http2_session_stream_open(session, frame->hd.stream_id);
    if (stream == NULL)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (nghttp2_session_set_stream_user_data(frames, stream->id, stream) == 0)
        return 0;
    http2_session_stream_free(stream, false);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int on_header(nghttp2_session *frames, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *owner)
{
    struct http2_session *session = owner;
    struct http2_stream *stream = find_stream(session, frame->hd.stream_id);
    const size_t most = FIELDS_FACTOR * session->options.site->limits.http.head_bytes;
    (void)frames;
    (void)flags;
    if (stream == NULL)
        return 0;
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        http2_head_take(&stream->head, str_make((const char *)name, name_len),
                        str_make((const char *)value, value_len));
    else
        stream->trailer_bytes += name_len + value_len + HTTP2_HEAD_FIELD_BYTES;
    if (http2_head_size(&stream->head) + stream->trailer_bytes > most)
        http2_session_calm(session, "far too many headers");
    return 0;
}

static void take_control(struct http2_session *session, const nghttp2_frame *frame)
{
    switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
        session->is_greeted = true;
        break;
    case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0 && timer_is_running(&session->goodbye)) {
            timer_stop(&session->goodbye);
            say_goaway(session, NGHTTP2_NO_ERROR, "");
        }
        break;
    case NGHTTP2_RST_STREAM:
        if (!http2_budget_reset(&session->budget, now_ms(session)))
            http2_session_calm(session, "too many streams were reset");
        break;
    default:
        break;
    }
}

static int on_frame_recv(nghttp2_session *frames, const nghttp2_frame *frame, void *owner)
{
    struct http2_session *session = owner;
    (void)frames;
    if (session->is_ending)
        return 0;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) {
        take_control(session, frame);
        return 0;
    }
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    struct http2_stream *stream = find_stream(session, frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_HEADERS)
        session->is_head_coming = false;
    if (stream == NULL)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        http2_session_stream_head(stream, is_last);
    else if (is_last)
        http2_session_stream_received(stream);
    return 0;
}

static int on_invalid_frame(nghttp2_session *frames, const nghttp2_frame *frame, int code,
                            void *owner)
{
    struct http2_session *session = owner;
    (void)frames;
    if (frame->hd.type == NGHTTP2_HEADERS)
        session->is_head_coming = false;
    LOG(session->options.site->log, DEBUG, "http2.frame", "peer=%s stream=%d error=\"%s\"",
        session->options.peer->text, frame->hd.stream_id, nghttp2_strerror(code));
    return 0;
}

static int on_data_chunk(nghttp2_session *frames, uint8_t flags, int32_t id, const uint8_t *bytes,
                         size_t len, void *owner)
{
    struct http2_session *session = owner;
    struct http2_stream *stream = find_stream(session, id);
    (void)frames;
    (void)flags;
    if (stream != NULL && !session->is_ending)
        http2_session_stream_data(stream, str_make((const char *)bytes, len));
    return 0;
}

static int on_stream_close(nghttp2_session *frames, int32_t id, uint32_t code, void *owner)
{
    struct http2_session *session = owner;
    struct http2_stream *stream = find_stream(session, id);
    (void)frames;
    session->is_head_coming = false; /* a head that is refused is not told otherwise */
    if (stream == NULL)
        return 0;
    if (code == NGHTTP2_NO_ERROR)
        http2_budget_answer(&session->budget);
    http2_session_stream_free(stream, true);
    return 0;
}

static int on_frame_send(nghttp2_session *frames, const nghttp2_frame *frame, void *owner)
{
    struct http2_session *session = owner;
    if (frame->hd.type == NGHTTP2_RST_STREAM && frame->rst_stream.error_code != NGHTTP2_NO_ERROR &&
        !http2_budget_reset(&session->budget, now_ms(session)))
        http2_session_calm(session, "too many streams had to be reset");
    if (frame->hd.type == NGHTTP2_GOAWAY && timer_is_running(&session->goodbye)) /* the first */
        (void)nghttp2_submit_ping(frames, NGHTTP2_FLAG_NONE, NULL);
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    if (frame->hd.type == NGHTTP2_DATA)
        http2_budget_work(&session->budget);
    struct http2_stream *stream = find_stream(session, frame->hd.stream_id);
    if (stream != NULL && !stream->is_received &&
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) /* answered: the rest is not wanted */
        (void)nghttp2_submit_rst_stream(frames, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
    return 0;
}

/* ---- the beginning ---- */

static void set_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
}

/* nghttp2's own limits of resets stay behind ours. */
static void set_options(nghttp2_option *option)
{
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_server_fallback_rfc7540_priorities(option, 0);
    nghttp2_option_set_stream_reset_rate_limit(option, 8192, 128);
    nghttp2_option_set_max_continuations(option, SIZE_MAX);
}

static bool open_frames(struct http2_session *session)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    bool is_fine =
        nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0;
    if (is_fine) {
        set_callbacks(callbacks);
        set_options(option);
        is_fine = nghttp2_session_server_new2(&session->frames, callbacks, session, option) == 0;
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return is_fine;
}

static bool greet(struct http2_session *session)
{
    const struct channel_limits *limits = &session->options.site->limits;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, HTTP2_SESSION_STREAMS},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)limits->http.head_bytes},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    return nghttp2_submit_settings(session->frames, NGHTTP2_FLAG_NONE, settings,
                                   countof(settings)) == 0 &&
           nghttp2_session_set_local_window_size(session->frames, NGHTTP2_FLAG_NONE, 0,
                                                 WINDOW_BYTES) == 0;
}

struct http2_session *http2_session_create(const struct http2_session_options *options)
{
    struct http2_session *session = mem_zalloc(1, sizeof *session);
    if (session == NULL)
        return NULL;
    session->options = *options;
    list_init(&session->streams);
    list_init(&session->drained);
    http2_budget_init(&session->budget, now_ms(session));
    if (!open_frames(session) || !greet(session)) {
        nghttp2_session_del(session->frames);
        mem_free(session);
        return NULL;
    }
    arm(session);
    http2_session_schedule(session);
    return session;
}

size_t http2_session_feed(struct http2_session *session, struct str bytes)
{
    size_t taken = 0;
    session->begun = 0;
    while (taken < bytes.len && session->begun < REQUESTS_A_FEED && !session->is_ending &&
           !session->is_closed) {
        struct str slice = str_slice(bytes, taken, size_min(taken + SLICE_BYTES, bytes.len));
        ssize_t len =
            nghttp2_session_mem_recv(session->frames, (const uint8_t *)slice.at, slice.len);
        if (len < 0) {
            note_failure(session, len);
            end(session);
            break;
        }
        taken += (size_t)len;
    }
    if (session->is_ending || session->is_closed)
        return bytes.len;
    if (nghttp2_session_want_write(session->frames) || !nghttp2_session_want_read(session->frames))
        http2_session_schedule(session);
    arm(session);
    return taken;
}
