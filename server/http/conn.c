/* SPDX-License-Identifier: MIT */
/* server/http/conn.c - one libuv handle, one parser or session, one state.
 *
 * Happy path: HTTP/2's preface as the first bytes gives the connection to a session; else reads go
 * through the site's scratch into the parser; a complete request is given to the site; its answer
 * is flushed; bytes that came early are parsed on the next turn. Failure paths:
 * - refused by the parser, or a deadline while reading: the site answers, then FIN and linger;
 * - EOF or a broken write while answering: on_gone, close;
 * - EOF or a deadline otherwise: close;
 * - no memory for early bytes: reading stops until there is room. */
#include "server/http/conn.h"

#include <unistd.h>
#include <uv.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "proto/http_response.h"
#include "server/http/conn_out.h"
#include "server/http/conn_state.h"
#include "server/http/http2_session.h"

enum {
    EARLY_BYTES = 128 * 1024, /* of pipelined requests */
    LINGER_MS = 2000,
    LINGER_BYTES = 4 * 1024 * 1024
};

struct conn {
    struct channel channel; /* of the request that is answered */
    uv_tcp_t tcp;
    uv_shutdown_t shutdown;
    struct channel_site *site;
    struct list link;
    enum conn_state state;
    struct http_request_parser parser;
    struct buf early;
    struct conn_out *out;
    struct http2_session *session; /* once the client has begun HTTP/2 */
    struct timer deadline;
    struct loop_task next_task;
    channel_left_fn *on_left;
    void *left_owner;
    size_t preface_len; /* of HTTP/2's preface, come so far */
    size_t discarded;
    size_t counted; /* of the body, in site->body_bytes */
    int fd;         /* while away */
    bool close_after, reading, at_eof, is_first, is_http1, continued;
    struct peer peer;
};

static const struct channel_kind conn_kind;
static void on_bytes(struct conn *conn, struct str bytes);
static void on_deadline(struct timer *timer);
static void on_handle_closed(uv_handle_t *handle);
static void take_up(struct loop_task *task);
static void finish_answer(void *owner);

static struct conn *conn_of(const struct channel *channel)
{
    return container_of((struct channel *)(uintptr_t)channel, struct conn, channel);
}

static void arm(struct conn *conn, uint64_t delay_ms)
{
    timer_start(&conn->deadline, conn->site->loop, delay_ms, on_deadline);
}

static void close_handle(struct conn *conn)
{
    timer_stop(&conn->deadline);
    loop_unpost(&conn->next_task);
    conn_out_stop(conn->out);
    uv_close((uv_handle_t *)&conn->tcp, on_handle_closed);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    (void)shutdown; /* the deadline or the peer's EOF closes */
    (void)status;
}

/* Have the site count the memory that the body takes now. */
static void count_body(struct conn *conn, size_t bytes)
{
    conn->site->body_bytes += bytes - conn->counted;
    conn->counted = bytes;
}

/* The only writer of state. */
static void set_state(struct conn *conn, enum conn_state next)
{
    const struct channel_limits *limits = &conn->site->limits;
    CHECK(conn_state_may(conn->state, next));
    LOG(conn->site->log, DEBUG, "conn.state", "peer=%s from=%s to=%s", conn->peer.text,
        conn_state_name(conn->state), conn_state_name(next));
    conn->state = next;
    switch (next) {
    case CONN_IDLE:
        arm(conn, conn->is_first ? limits->header_ms : limits->idle_ms);
        break;
    case CONN_HEAD:
        arm(conn, limits->header_ms);
        break;
    case CONN_BODY:
        arm(conn, limits->body_ms);
        break;
    case CONN_LINGERING:
        arm(conn, LINGER_MS);
        (void)uv_shutdown(&conn->shutdown, (uv_stream_t *)&conn->tcp, on_shutdown); /* deadline */
        break;
    case CONN_LEAVING:
    case CONN_CLOSING:
        close_handle(conn);
        break;
    default:
        timer_stop(&conn->deadline);
        break;
    }
}

/* ---- the end ---- */

static void free_conn(struct conn *conn)
{
    http2_session_destroy(conn->session);
    http_request_fini(&conn->parser);
    buf_fini(&conn->early);
    conn_out_destroy(conn->out);
    mem_free(conn);
}

static void leave_site(struct conn *conn)
{
    struct channel_site *site = conn->site;
    count_body(conn, 0);
    list_remove(&conn->link);
    site->count--;
    conn->site = NULL;
    site->on_closed(site->owner);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    if (conn->state == CONN_LEAVING) {
        set_state(conn, CONN_AWAY);
        conn_out_destroy(conn->out);
        conn->out = NULL;
        channel_left_fn *on_left = conn->on_left;
        void *owner = conn->left_owner;
        leave_site(conn);
        on_left(&conn->channel, owner);
        return;
    }
    leave_site(conn);
    free_conn(conn);
}

/* The client is gone, or will not read what we have to say. Also conn_out's on_broken. */
static void give_up(void *owner)
{
    struct conn *conn = owner;
    bool is_answered = conn->state != CONN_ANSWERING && conn->state != CONN_STREAMING;
    if (conn->state == CONN_CLOSING || conn->state == CONN_LEAVING)
        return;
    bool is_muxed = conn->state == CONN_MUXED;
    set_state(conn, CONN_CLOSING);
    if (is_muxed)
        http2_session_close(conn->session);
    if (!is_answered)
        conn->site->on_gone(&conn->channel, conn->site->owner);
}

/* ---- reading ---- */

static void refuse(struct conn *conn, int status, const struct err *err)
{
    if (conn->state != CONN_ANSWERING)
        set_state(conn, CONN_ANSWERING);
    conn->close_after = true;
    http_request_fini(&conn->parser); /* the memory is wanted before the client has read this */
    count_body(conn, 0);
    conn->site->on_refused(&conn->channel, status, err, conn->site->owner);
}

/* Whether there is room for what has come of the body; else that is answered. */
static bool hold_body(struct conn *conn)
{
    struct err err;
    const struct channel_site *site = conn->site;
    count_body(conn, http_request_body_room(&conn->parser));
    if (site->limits.bodies_bytes == 0 || conn->counted == 0 ||
        site->body_bytes <= site->limits.bodies_bytes)
        return true;
    err_set(&err, ERR_NO_MEMORY,
            "the bodies of requests hold as much memory as they may; try again later");
    refuse(conn, 503, &err);
    return false;
}

/* The body is wanted: how much of it, and for how long. False: it is too long, and that is
 * answered.
 */
static bool expect_body(struct conn *conn)
{
    const struct channel_limits *limits = &conn->site->limits;
    struct err err;
    if (conn->channel.takes_file) {
        arm(conn, limits->file_ms);
        return true;
    }
    if (limits->body_bytes == 0 || http_request_narrow(&conn->parser, limits->body_bytes))
        return true;
    err_set(&err, ERR_TOO_LARGE, "the body is too long");
    refuse(conn, 413, &err);
    return false;
}

/* Bytes of a request; returns how many the parser took. */
static size_t take_bytes(struct conn *conn, struct str bytes)
{
    size_t consumed = 0;
    struct err err = {0};
    if (conn->state == CONN_IDLE && bytes.len > 0)
        set_state(conn, CONN_HEAD);
    enum err_code code = http_request_feed(&conn->parser, bytes, &consumed, &err);
    if (code != ERR_OK) {
        refuse(conn, http_request_status(&conn->parser), &err);
        return bytes.len;
    }
    if (conn->parser.phase == HTTP_PHASE_BODY && conn->state == CONN_HEAD) {
        set_state(conn, CONN_BODY);
        conn->channel.takes_file = false;
        if (!conn->site->on_head(&conn->channel, conn->site->owner) || !expect_body(conn))
            return bytes.len;
    }
    if (!hold_body(conn))
        return bytes.len;
    if (conn->parser.phase == HTTP_PHASE_BODY && conn->parser.request.expect_continue &&
        !conn->continued) {
        conn->continued = true;
        http_response_continue(conn_out_buf(conn->out));
        conn_out_flush(conn->out);
    }
    return consumed;
}

/* Whether the request is whole and nobody answers it yet. */
static bool is_complete(const struct conn *conn)
{
    return conn->parser.phase == HTTP_PHASE_DONE &&
           (conn->state == CONN_HEAD || conn->state == CONN_BODY);
}

static void start_answer(struct conn *conn)
{
    conn->is_first = false;
    set_state(conn, CONN_ANSWERING);
    conn->site->on_request(&conn->channel, conn->site->owner);
    if (conn->at_eof)
        give_up(conn); /* no-op unless it still waits for an answer */
}

static void stop_reading(struct conn *conn)
{
    conn->reading = false;
    uv_read_stop((uv_stream_t *)&conn->tcp);
}

static void keep_early(struct conn *conn, struct str bytes)
{
    buf_push(&conn->early, bytes);
    if (!buf_ok(&conn->early))
        give_up(conn); /* the margin below is larger than one read: no memory */
    else if (buf_len(&conn->early) >= EARLY_BYTES)
        stop_reading(conn);
}

/* ---- HTTP/2 ---- */

/* Bytes for the session; what it does not take this turn waits. */
static void feed_session(struct conn *conn, struct str bytes)
{
    size_t taken = http2_session_feed(conn->session, bytes);
    if (taken == bytes.len)
        return;
    keep_early(conn, str_from(bytes, taken));
    loop_post(conn->site->loop, &conn->next_task, take_up);
}

static void flush_session(void *owner)
{
    struct conn *conn = owner;
    conn_out_flush(conn->out);
}

static bool is_session_full(void *owner)
{
    struct conn *conn = owner;
    return conn_out_is_high(conn->out);
}

/* The session has said its last: send it, then FIN. */
static void on_session_over(void *owner)
{
    struct conn *conn = owner;
    conn->close_after = true;
    set_state(conn, CONN_FLUSHING);
    conn_out_flush(conn->out);
    if (conn_out_pending(conn->out) == 0)
        loop_post(conn->site->loop, &conn->next_task, take_up);
}

static void begin_session(struct conn *conn)
{
    conn->session = http2_session_create(&(struct http2_session_options){
        .site = conn->site,
        .peer = &conn->peer,
        .out = conn->channel.out,
        .owner = conn,
        .flush = flush_session,
        .is_full = is_session_full,
        .on_over = on_session_over,
    });
    if (conn->session == NULL)
        set_state(conn, CONN_CLOSING);
    else
        set_state(conn, CONN_MUXED);
}

/* Look whether the first bytes of the connection are HTTP/2's preface; how many of bytes were.
 * What has come of it is given to the parser of HTTP/1 when the next byte is another's. */
static size_t take_preface(struct conn *conn, struct str bytes)
{
    const struct str preface = str_of(http2_session_preface);
    size_t taken = 0;
    while (taken < bytes.len && conn->preface_len < preface.len &&
           bytes.at[taken] == preface.at[conn->preface_len]) {
        taken++;
        conn->preface_len++;
    }
    if (conn->preface_len == preface.len) {
        begin_session(conn);
        return taken;
    }
    if (conn->state == CONN_IDLE)
        set_state(conn, CONN_HEAD);
    if (taken == bytes.len)
        return taken;
    size_t len = conn->preface_len;
    conn->preface_len = 0;
    conn->is_http1 = true;
    if (len > taken) /* some came in an earlier read */
        (void)take_bytes(conn, str_slice(preface, 0, len - taken));
    return 0;
}

static void take_first(struct conn *conn, struct str bytes)
{
    size_t taken = take_preface(conn, bytes);
    if (conn->state == CONN_MUXED) {
        feed_session(conn, str_of(http2_session_preface));
        feed_session(conn, str_from(bytes, taken));
    } else if (taken < bytes.len && conn->state == CONN_HEAD) {
        on_bytes(conn, str_from(bytes, taken));
    }
}

static void on_bytes(struct conn *conn, struct str bytes)
{
    if (!conn->is_http1 && conn->state <= CONN_HEAD) {
        take_first(conn, bytes);
        return;
    }
    switch (conn->state) {
    case CONN_IDLE:
        if (buf_len(&conn->early) > 0) { /* take_up comes first */
            keep_early(conn, bytes);
            break;
        }
        /* fall through */
    case CONN_HEAD:
    case CONN_BODY: {
        size_t taken = take_bytes(conn, bytes);
        if (taken < bytes.len)
            keep_early(conn, str_from(bytes, taken));
        if (is_complete(conn))
            start_answer(conn);
        break;
    }
    case CONN_MUXED:
        if (buf_len(&conn->early) > 0)
            keep_early(conn, bytes);
        else
            feed_session(conn, bytes);
        break;
    case CONN_LINGERING:
        conn->discarded += bytes.len;
        if (conn->discarded > LINGER_BYTES)
            set_state(conn, CONN_CLOSING);
        break;
    default:
        if (!conn->close_after)
            keep_early(conn, bytes);
        break;
    }
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *piece)
{
    struct conn *conn = stream->data;
    if (got > 0) {
        on_bytes(conn, str_make(piece->base, (size_t)got));
        return;
    }
    if (got == 0 || conn->state == CONN_CLOSING || conn->state == CONN_LEAVING)
        return;
    conn->at_eof = true;
    stop_reading(conn);
    bool is_fine =
        conn->state == CONN_FLUSHING || (conn->state == CONN_IDLE && buf_len(&conn->early) > 0);
    if (got != UV_EOF || !is_fine)
        give_up(conn);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *piece)
{
    struct conn *conn = handle->data;
    (void)suggested;
    *piece = uv_buf_init(conn->site->scratch, CONN_SCRATCH_BYTES);
}

static void start_reading(struct conn *conn)
{
    conn->reading = uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read) == 0;
}

static void take_up_session(struct conn *conn)
{
    size_t taken = http2_session_feed(conn->session, buf_str(&conn->early));
    buf_consume(&conn->early, size_min(taken, buf_len(&conn->early)));
    if (!conn->reading && !conn->at_eof && buf_len(&conn->early) < EARLY_BYTES)
        start_reading(conn);
    if (buf_len(&conn->early) > 0)
        loop_post(conn->site->loop, &conn->next_task, take_up);
}

static void take_up(struct loop_task *task)
{
    struct conn *conn = container_of(task, struct conn, next_task);
    if (conn->state == CONN_FLUSHING) { /* nothing was left to send */
        finish_answer(conn);
        return;
    }
    if (conn->state == CONN_MUXED) {
        take_up_session(conn);
        return;
    }
    size_t taken = take_bytes(conn, buf_str(&conn->early));
    buf_consume(&conn->early, size_min(taken, buf_len(&conn->early)));
    if (!conn->reading && !conn->at_eof && buf_len(&conn->early) < EARLY_BYTES)
        start_reading(conn);
    if (is_complete(conn))
        start_answer(conn);
    else if (conn->at_eof && conn->state < CONN_ANSWERING)
        set_state(conn, CONN_CLOSING);
}

static void on_deadline(struct timer *timer)
{
    struct conn *conn = container_of(timer, struct conn, deadline);
    struct err err;
    if (conn->state != CONN_HEAD && conn->state != CONN_BODY) {
        set_state(conn, CONN_CLOSING);
        return;
    }
    err_set(&err, ERR_TIMEOUT, "the request's %s did not arrive in time",
            conn->state == CONN_HEAD ? "headers" : "body");
    refuse(conn, 408, &err);
}

/* ---- the answer ---- */

/* Whether another request may follow this answer. */
static bool keeps_alive(const struct conn *conn)
{
    return !conn->close_after && !conn->site->draining && conn->parser.phase == HTTP_PHASE_DONE &&
           conn->parser.request.keep_alive;
}

static void finish_answer(void *owner)
{
    struct conn *conn = owner;
    if (conn->state != CONN_FLUSHING || conn_out_pending(conn->out) > 0)
        return;
    if (!keeps_alive(conn) || (conn->at_eof && buf_len(&conn->early) == 0)) {
        set_state(conn, conn->at_eof ? CONN_CLOSING : CONN_LINGERING);
        return;
    }
    http_request_reset(&conn->parser);
    count_body(conn, http_request_body_room(&conn->parser));
    conn->continued = false;
    set_state(conn, CONN_IDLE);
    if (buf_len(&conn->early) > 0)
        loop_post(conn->site->loop, &conn->next_task, take_up);
}

static void on_out_drained(void *owner)
{
    struct conn *conn = owner;
    if (conn->state == CONN_FLUSHING)
        finish_answer(conn);
    else if (conn->state == CONN_MUXED)
        http2_session_go(conn->session);
    else if (conn->state == CONN_STREAMING)
        conn->site->on_drained(&conn->channel, conn->site->owner);
}

/* ---- as a channel ---- */

static void begin_head(struct channel *channel, int status)
{
    http_response_begin(channel->out, status, 1);
}

static void end_head(struct channel *channel, bool is_stream)
{
    struct conn *conn = conn_of(channel);
    struct buf *out = channel->out;
    bool is_old = conn->parser.request.version_minor == 0;
    if (is_stream && is_old)
        conn->close_after = true;
    channel->is_chunked = is_stream && !is_old;
    if (channel->is_chunked)
        buf_push(out, STR("Transfer-Encoding: chunked\r\n"));
    if (!keeps_alive(conn)) {
        buf_push(out, STR("Connection: close\r\n"));
    } else {
        if (is_old)
            buf_push(out, STR("Connection: keep-alive\r\n"));
        buf_push(out, STR("Keep-Alive: timeout="));
        buf_push_u64(out, conn->site->limits.idle_ms / 1000);
        buf_push(out, STR("\r\n"));
    }
    http_response_end_head(out);
    if (is_stream)
        set_state(conn, CONN_STREAMING);
}

static void flush(struct channel *channel)
{
    conn_out_flush(conn_of(channel)->out);
}

static bool is_high(struct channel *channel)
{
    return conn_out_is_high(conn_of(channel)->out);
}

static uint64_t count(const struct channel *channel)
{
    const struct conn *conn = conn_of(channel);
    return conn_out_total(conn->out) + conn_out_pending(conn->out);
}

static void turn_away(struct channel *channel)
{
    struct conn *conn = conn_of(channel);
    CHECK(conn->state == CONN_BODY);
    http_request_drop_body(&conn->parser);
    conn->close_after = true;
    set_state(conn, CONN_ANSWERING);
}

static void take_body(struct channel *channel, struct buf *body)
{
    struct conn *conn = conn_of(channel);
    http_request_take_body(&conn->parser, body);
    count_body(conn, 0);
}

static void done(struct channel *channel)
{
    struct conn *conn = conn_of(channel);
    if (channel->is_chunked)
        http_response_last_chunk(channel->out);
    channel->user = NULL;
    channel->is_chunked = false;
    if (conn->state == CONN_CLOSING)
        return;
    set_state(conn, CONN_FLUSHING);
    conn_out_flush(conn->out);
    if (conn_out_pending(conn->out) == 0)
        loop_post(conn->site->loop, &conn->next_task, take_up);
}

static void cut_off(struct channel *channel)
{
    struct conn *conn = conn_of(channel);
    channel->user = NULL;
    if (conn->state != CONN_CLOSING)
        set_state(conn, CONN_CLOSING);
}

/* ---- the beginning ---- */

static enum err_code attach_out(struct conn *conn)
{
    const struct channel_limits *limits = &conn->site->limits;
    conn->out = conn_out_create(&(struct conn_out_options){
        .loop = conn->site->loop,
        .stream = (uv_stream_t *)&conn->tcp,
        .high_bytes = limits->high_bytes,
        .limit_bytes = limits->limit_bytes,
        .write_ms = limits->write_ms,
        .owner = conn,
        .on_sent = finish_answer,
        .on_drained = on_out_drained,
        .on_broken = give_up,
    });
    if (conn->out == NULL)
        return ERR_NO_MEMORY;
    conn->channel.out = conn_out_buf(conn->out);
    return ERR_OK;
}

static void enter_site(struct conn *conn, struct channel_site *site)
{
    conn->site = site;
    conn->tcp.data = conn;
    list_push(&site->conns, &conn->link);
    site->count++;
    count_body(conn, http_request_body_room(&conn->parser));
}

enum err_code conn_accept(struct channel_site *site, struct uv_stream_s *server)
{
    struct conn *conn = mem_zalloc(1, sizeof *conn);
    if (conn == NULL)
        return ERR_NO_MEMORY;
    conn->is_first = true;
    conn->channel =
        (struct channel){.kind = &conn_kind, .request = &conn->parser.request, .peer = &conn->peer};
    http_request_init(&conn->parser, &site->limits.http);
    buf_init(&conn->early, EARLY_BYTES + CONN_SCRATCH_BYTES);
    conn->site = site;
    if (attach_out(conn) != ERR_OK || uv_tcp_init(loop_uv(site->loop), &conn->tcp) != 0) {
        free_conn(conn);
        return ERR_NO_MEMORY;
    }
    enter_site(conn, site);
    bool accepted = uv_accept(server, (uv_stream_t *)&conn->tcp) == 0;
    if (accepted) {
        uv_os_fd_t fd;
        if (uv_fileno((uv_handle_t *)&conn->tcp, &fd) == 0)
            peer_read(fd, &conn->peer);
        uv_tcp_nodelay(&conn->tcp, 1);
        start_reading(conn);
    }
    if (!conn->reading)
        set_state(conn, CONN_CLOSING);
    else
        arm(conn, site->limits.header_ms);
    return conn->reading ? ERR_OK : ERR_UNAVAILABLE;
}

/* ---- to another loop ---- */

static bool leave(struct channel *channel, struct inbox *to, channel_left_fn *on_left, void *owner)
{
    struct conn *conn = conn_of(channel);
    (void)to;
    uv_os_fd_t fd;
    if (conn->state != CONN_ANSWERING || conn_out_pending(conn->out) > 0 ||
        uv_fileno((uv_handle_t *)&conn->tcp, &fd) != 0)
        return false;
    conn->fd = dup(fd);
    if (conn->fd < 0)
        return false;
    conn->on_left = on_left;
    conn->left_owner = owner;
    channel->user = NULL;
    set_state(conn, CONN_LEAVING);
    return true;
}

static void discard(struct channel *channel)
{
    struct conn *conn = conn_of(channel);
    close(conn->fd);
    free_conn(conn);
}

static enum err_code arrive(struct channel *channel, struct channel_site *site)
{
    struct conn *conn = conn_of(channel);
    conn->site = site;
    CHECK(conn->state == CONN_AWAY);
    if (attach_out(conn) != ERR_OK || uv_tcp_init(loop_uv(site->loop), &conn->tcp) != 0) {
        discard(channel);
        return ERR_UNAVAILABLE;
    }
    enter_site(conn, site);
    set_state(conn, CONN_ANSWERING);
    if (uv_tcp_open(&conn->tcp, conn->fd) != 0) {
        close(conn->fd);
        set_state(conn, CONN_CLOSING);
        return ERR_UNAVAILABLE;
    }
    if (buf_len(&conn->early) < EARLY_BYTES && !conn->at_eof)
        start_reading(conn);
    site->on_request(channel, site->owner);
    return ERR_OK;
}

static const struct channel_kind conn_kind = {
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
    .arrive = arrive,
    .discard = discard,
};

/* ---- for the site ---- */

struct conn *conn_of_link(struct list *link)
{
    return list_item(link, struct conn, link);
}

void conn_close_idle(struct conn *conn)
{
    if (conn->state == CONN_MUXED)
        http2_session_drain(conn->session);
    if (conn->state == CONN_IDLE && buf_len(&conn->early) == 0)
        set_state(conn, CONN_CLOSING);
}

void conn_cut(struct conn *conn)
{
    give_up(conn);
}
