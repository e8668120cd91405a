/* SPDX-License-Identifier: MIT */
/* backends/http/http_direct.c - origins with their kept connections; a connection carries one call
 * at a time.
 *
 * Happy path: a call takes a kept connection of its origin, or a new one; the request leaves in one
 * write; what comes is read into the room that all share, cut into lines and pieces of the body,
 * and passed on at once; the end of the answer makes the connection one of the kept.
 * Failure paths, each ended() once:
 *   no address, no connection         ERR_UNAVAILABLE; addresses are tried in turn, and one that is
 *                                     silent while others are left is given up
 *   the connection breaks             ERR_UNAVAILABLE; ERR_PROTOCOL when the body was cut short
 *   a kept one breaks before a byte   the request goes again over a new connection, once
 *   not HTTP, or framed badly         ERR_PROTOCOL
 * A held call reads nothing more from its connection; what one read had brought is kept. */
#include "backends/http/http_direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "backends/http/http_direct_url.h"
#include "backends/http/resolve.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/loop/ahead.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"
#include "proto/http_answer.h"
#include "proto/http_head.h"

enum {
    ROOM_BYTES = 16 * 1024,       /* of one read */
    MOST_KEPT = 512,              /* connections without a call */
    MOST_HEAD_BYTES = 256 * 1024, /* of a request */
    NAME_MS = 60 * 1000,          /* the addresses of a name are used so long */
    SILENT_MS = 1000,             /* for an address, while there are others */
    KEEPALIVE_S = 60,
};

struct http_direct_origin {
    struct http_direct *direct;
    struct str name;   /* the authority: the key of the map */
    struct list kept;  /* connections, the last used first */
    struct list calls; /* that wait for an address */
    size_t users;      /* calls, connections, a lookup */
    struct resolve resolve;
    uint64_t resolved_ms;
    struct str host;
    uint16_t port;
    bool is_resolved;
    char text[];
};

struct http_direct_conn {
    uv_tcp_t tcp;
    struct ahead ahead; /* what a piece of the answer touches */
    uv_connect_t connect;
    uv_write_t write;
    struct list kept_link, age_link; /* without a call */
    struct http_direct_origin *origin;
    struct http_direct_call *call;
    struct http_answer answer;
    struct buf unread; /* of a call that is held */
    struct timer timer;
    uint64_t kept_since_ms;
    size_t address; /* of its origin */
    bool is_connected, was_used, is_writing, is_reading, is_closing;
};

struct http_direct {
    struct loop *loop;
    const struct http_direct_events *events;
    struct map origins;
    struct list kept; /* connections without a call, the oldest first */
    size_t kept_count;
    uint64_t kept_ms;
    struct timer age_timer;
    bool has_proxy;         /* of the environment, for the outside world */
    struct closing closing; /* out: connections, lookups */
    char room[ROOM_BYTES];
};

/* ---- origins ---- */

static void leave_origin(struct http_direct_origin *origin)
{
    if (--origin->users > 0)
        return;
    (void)map_take(&origin->direct->origins, origin->name);
    mem_free(origin);
}

static struct http_direct_origin *make_origin(struct http_direct *direct,
                                              const struct http_direct_url *url)
{
    size_t len = url->authority.len;
    struct http_direct_origin *origin = mem_zalloc(1, sizeof *origin + len);
    if (origin == NULL)
        return NULL;
    memcpy(origin->text, url->authority.at, len);
    origin->direct = direct;
    origin->name = str_make(origin->text, len);
    origin->host = str_make(origin->text + (url->host.at - url->authority.at), url->host.len);
    origin->port = url->port;
    list_init(&origin->kept);
    list_init(&origin->calls);
    if (map_put(&direct->origins, origin->name, origin))
        return origin;
    mem_free(origin);
    return NULL;
}

/* ---- the end of a call, and of a connection ---- */

static void end_call(struct http_direct_call *call, enum err_code code, const char *text)
{
    struct err err = {0};
    if (code != ERR_OK)
        err_set(&err, code, "%s", text);
    call->origin->direct->events->ended(call, &err);
}

static void on_conn_closed(uv_handle_t *handle)
{
    struct http_direct_conn *conn = handle->data;
    struct http_direct_origin *origin = conn->origin;
    struct http_direct *direct = origin->direct;
    mem_free(conn);
    leave_origin(origin);
    closing_leave(&direct->closing);
}

static void stop_keeping(struct http_direct_conn *conn)
{
    if (!list_is_linked(&conn->age_link))
        return;
    list_remove(&conn->age_link);
    list_remove(&conn->kept_link);
    conn->origin->direct->kept_count--;
}

static void close_conn(struct http_direct_conn *conn)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    stop_keeping(conn);
    timer_stop(&conn->timer);
    if (conn->call != NULL)
        conn->call->conn = NULL;
    conn->call = NULL;
    http_answer_fini(&conn->answer);
    buf_fini(&conn->unread);
    uv_close((uv_handle_t *)&conn->tcp, on_conn_closed);
}

/* The call of this connection ends with it. */
static void fail_conn(struct http_direct_conn *conn, enum err_code code, const char *text)
{
    struct http_direct_call *call = conn->call;
    close_conn(conn);
    if (call != NULL)
        end_call(call, code, text);
}

static void on_age(struct timer *timer);

static void await_age(struct http_direct *direct)
{
    if (list_is_empty(&direct->kept) || timer_is_running(&direct->age_timer))
        return;
    const struct http_direct_conn *oldest =
        list_item(direct->kept.next, struct http_direct_conn, age_link);
    uint64_t due_ms = oldest->kept_since_ms + direct->kept_ms, now_ms = loop_now_ms(direct->loop);
    timer_start(&direct->age_timer, direct->loop, due_ms > now_ms ? due_ms - now_ms : 0, on_age);
}

static void on_age(struct timer *timer)
{
    struct http_direct *direct = container_of(timer, struct http_direct, age_timer);
    LIST_EACH_SAFE(link, &direct->kept) {
        struct http_direct_conn *conn = list_item(link, struct http_direct_conn, age_link);
        if (conn->kept_since_ms + direct->kept_ms > loop_now_ms(direct->loop))
            break;
        close_conn(conn);
    }
    await_age(direct);
}

/* The answer is complete: keep the connection for the next call, if it may be. */
static void keep_or_close(struct http_direct_conn *conn, bool has_rest)
{
    struct http_direct *direct = conn->origin->direct;
    conn->call->conn = NULL;
    conn->call = NULL;
    if (!conn->answer.keeps || has_rest || conn->is_writing || !conn->is_reading ||
        closing_is_begun(&direct->closing)) {
        close_conn(conn);
        return;
    }
    http_answer_fini(&conn->answer);
    conn->kept_since_ms = loop_now_ms(direct->loop);
    list_push_front(&conn->origin->kept, &conn->kept_link);
    list_push(&direct->kept, &conn->age_link);
    uv_unref((uv_handle_t *)&conn->tcp);
    if (++direct->kept_count > MOST_KEPT)
        close_conn(list_item(direct->kept.next, struct http_direct_conn, age_link));
    await_age(direct);
}

/* ---- reading ---- */

static void stop_reading(struct http_direct_conn *conn)
{
    uv_read_stop((uv_stream_t *)&conn->tcp);
    conn->is_reading = false;
}

static bool is_in_body(const struct http_direct_conn *conn)
{
    return conn->answer.state > HTTP_ANSWER_FIELDS;
}

/* Pass on what can be cut out of bytes; what a held call may not have is kept. */
static void take_bytes(struct http_direct_conn *conn, struct str bytes)
{
    const struct http_direct_events *events = conn->origin->direct->events;
    struct http_direct_call *call = conn->call;
    struct str piece;
    for (;;) {
        if (call->is_held && bytes.len > 0 && is_in_body(conn)) {
            stop_reading(conn);
            buf_push(&conn->unread, bytes);
            if (!buf_ok(&conn->unread))
                fail_conn(conn, ERR_NO_MEMORY, "no memory for a part of the answer");
            return;
        }
        switch (http_answer_next(&conn->answer, &bytes, &piece)) {
        case HTTP_ANSWER_NEEDS_MORE:
            return;
        case HTTP_ANSWER_LINE:
            events->line(call, piece);
            break;
        case HTTP_ANSWER_BODY:
            events->body(call, piece);
            break;
        case HTTP_ANSWER_ENDED:
            keep_or_close(conn, bytes.len > 0);
            end_call(call, ERR_OK, "");
            return;
        case HTTP_ANSWER_FAILED:
            fail_conn(conn, ERR_PROTOCOL, conn->answer.problem);
            return;
        }
    }
}

static void send_again(struct http_direct_call *call);

/* Nothing more comes from the peer. */
static void lose_conn(struct http_direct_conn *conn, int status)
{
    struct http_direct_call *call = conn->call;
    if (call == NULL) {
        close_conn(conn);
    } else if (conn->was_used && !call->has_begun && !call->is_again) {
        close_conn(conn);
        send_again(call);
    } else if (status == UV_EOF && http_answer_closed(&conn->answer)) {
        keep_or_close(conn, false);
        end_call(call, ERR_OK, "");
    } else if (status == UV_EOF && is_in_body(conn)) {
        fail_conn(conn, ERR_PROTOCOL, "the answer's body was cut short");
    } else if (status == UV_EOF) {
        fail_conn(conn, ERR_UNAVAILABLE, "the server closed the connection without an answer");
    } else {
        fail_conn(conn, ERR_UNAVAILABLE, uv_strerror(status));
    }
}

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *room)
{
    const struct http_direct_conn *conn = handle->data;
    (void)wanted;
    ahead_fetch(&conn->ahead);
    *room = uv_buf_init(conn->origin->direct->room, ROOM_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct http_direct_conn *conn = stream->data;
    if (conn->is_closing || count == 0)
        return;
    if (count < 0) {
        lose_conn(conn, (int)count);
    } else if (conn->call == NULL) { /* nothing was asked */
        close_conn(conn);
    } else {
        struct loop *loop = conn->origin->direct->loop;
        ahead_begin(&conn->ahead, loop);
        AHEAD_NOTE(loop, &conn->is_closing, &conn->answer, &conn->call->head);
        conn->call->has_begun = true;
        if (!conn->is_writing)
            buf_fini(&conn->call->head); /* it will not be sent again */
        take_bytes(conn, str_make(room->base, (size_t)count));
        ahead_end(loop);
    }
}

static void start_reading(struct http_direct_conn *conn)
{
    if (!conn->is_reading && uv_read_start((uv_stream_t *)&conn->tcp, give_room, on_read) == 0)
        conn->is_reading = true;
}

void http_direct_hold(struct http_direct_call *call)
{
    call->is_held = true;
    if (call->conn != NULL && is_in_body(call->conn))
        stop_reading(call->conn);
}

void http_direct_go(struct http_direct_call *call)
{
    struct http_direct_conn *conn = call->conn;
    call->is_held = false;
    if (conn == NULL || !conn->is_connected || conn->is_reading)
        return;
    start_reading(conn);
    struct buf unread = conn->unread;
    buf_init(&conn->unread, SIZE_MAX);
    if (buf_len(&unread) > 0)
        take_bytes(conn, buf_str(&unread));
    buf_fini(&unread);
}

/* ---- sending ---- */

static void on_written(uv_write_t *write, int status)
{
    struct http_direct_conn *conn = write->data;
    (void)status; /* a failure shows when reading, behind an answer that came all the same */
    conn->is_writing = false;
}

static uv_buf_t buf_of(struct str bytes)
{
    return uv_buf_init((char *)(uintptr_t)bytes.at, (unsigned)bytes.len);
}

/* Send the request: at once as much as the socket takes, the rest when it takes more. */
static void send_request(struct http_direct_conn *conn)
{
    const struct http_direct_call *call = conn->call;
    uv_buf_t parts[2] = {buf_of(buf_str(&call->head)), buf_of(call->body)};
    unsigned count = call->body.len > 0 ? 2 : 1, first = 0;
    int sent = uv_try_write((uv_stream_t *)&conn->tcp, parts, count);
    size_t done = sent < 0 ? 0 : (size_t)sent;
    if (sent < 0 && sent != UV_EAGAIN) {
        lose_conn(conn, sent);
        return;
    }
    while (first < count && done >= parts[first].len)
        done -= parts[first++].len;
    if (first == count)
        return;
    parts[first].base += done;
    parts[first].len -= done;
    conn->write.data = conn;
    if (uv_write(&conn->write, (uv_stream_t *)&conn->tcp, parts + first, count - first,
                 on_written) == 0)
        conn->is_writing = true;
    else
        fail_conn(conn, ERR_UNAVAILABLE, "the request cannot be sent");
}

/* The connection is there: send the call's request over it. */
static void begin_exchange(struct http_direct_conn *conn)
{
    http_answer_init(&conn->answer);
    conn->origin->direct->events->connected(conn->call);
    start_reading(conn);
    send_request(conn);
}

/* ---- connecting ---- */

static void connect_to(struct http_direct_call *call, size_t address);

/* This address cannot be reached: the next one, or the call ends. */
static void try_next(struct http_direct_conn *conn, const char *why)
{
    struct http_direct_call *call = conn->call;
    struct http_direct_origin *origin = conn->origin;
    size_t next = conn->address + 1;
    char text[192];
    if (next >= origin->resolve.address_count) {
        snprintf(text, sizeof text, "no connection to %.*s: %s",
                 STR_ARG(str_utf8_prefix(origin->name, 100)), why);
        fail_conn(conn, ERR_UNAVAILABLE, text);
        return;
    }
    conn->call = NULL;
    call->conn = NULL;
    connect_to(call, next);
    close_conn(conn); /* last: the origin is in use by then */
}

static void on_silent(struct timer *timer)
{
    try_next(container_of(timer, struct http_direct_conn, timer), "it does not answer");
}

static void on_connected(uv_connect_t *connect, int status)
{
    struct http_direct_conn *conn = connect->data;
    if (conn->is_closing)
        return;
    timer_stop(&conn->timer);
    if (status < 0) {
        try_next(conn, uv_strerror(status));
        return;
    }
    conn->is_connected = true;
    uv_tcp_nodelay(&conn->tcp, 1);
    uv_tcp_keepalive(&conn->tcp, 1, KEEPALIVE_S);
    begin_exchange(conn);
}

static bool address_of(const struct http_direct_origin *origin, size_t address,
                       struct sockaddr_storage *place)
{
    const char *text = origin->resolve.addresses[address];
    return uv_ip4_addr(text, origin->port, (struct sockaddr_in *)place) == 0 ||
           uv_ip6_addr(text, origin->port, (struct sockaddr_in6 *)place) == 0;
}

static void connect_to(struct http_direct_call *call, size_t address)
{
    struct http_direct_origin *origin = call->origin;
    struct http_direct *direct = origin->direct;
    struct sockaddr_storage place;
    struct http_direct_conn *conn = mem_zalloc(1, sizeof *conn);
    if (conn == NULL || !address_of(origin, address, &place) ||
        uv_tcp_init(loop_uv(direct->loop), &conn->tcp) != 0) {
        mem_free(conn);
        end_call(call, ERR_NO_MEMORY, "no memory for a connection");
        return;
    }
    conn->tcp.data = conn->connect.data = conn;
    conn->origin = origin;
    conn->call = call;
    conn->address = address;
    call->conn = conn;
    origin->users++;
    closing_enter(&direct->closing);
    http_answer_init(&conn->answer);
    buf_init(&conn->unread, SIZE_MAX);
    int status =
        uv_tcp_connect(&conn->connect, &conn->tcp, (struct sockaddr *)&place, on_connected);
    if (status == UV_EMFILE || status == UV_ENFILE) /* no other address helps */
        fail_conn(conn, ERR_BUSY, HTTP_DIRECT_NO_DESCRIPTOR);
    else if (status != 0)
        try_next(conn, uv_strerror(status));
    else if (address + 1 < origin->resolve.address_count)
        timer_start(&conn->timer, direct->loop, SILENT_MS, on_silent);
}

static void on_resolved(struct op *op)
{
    struct http_direct_origin *origin = op_owner(op);
    struct err err = op->err;
    struct list calls;
    list_init(&calls);
    list_append(&calls, &origin->calls);
    origin->is_resolved = err.code == ERR_OK;
    origin->resolved_ms = loop_now_ms(origin->direct->loop);
    for (struct list *link; (link = list_take_first(&calls)) != NULL;) {
        struct http_direct_call *call = list_item(link, struct http_direct_call, link);
        if (err.code == ERR_OK)
            connect_to(call, 0);
        else
            end_call(call, err.code, err.text);
    }
    struct http_direct *direct = origin->direct;
    leave_origin(origin);
    closing_leave(&direct->closing);
}

/* A new connection; the name is looked up unless its addresses are known. */
static void open_conn(struct http_direct_call *call)
{
    struct http_direct_origin *origin = call->origin;
    struct http_direct *direct = origin->direct;
    if (origin->is_resolved && loop_now_ms(direct->loop) < origin->resolved_ms + NAME_MS) {
        connect_to(call, 0);
        return;
    }
    list_push(&origin->calls, &call->link);
    if (op_is_pending(&origin->resolve.op))
        return;
    origin->users++;
    closing_enter(&direct->closing);
    resolve_start(&origin->resolve, direct->loop, origin->host,
                  (struct op_waiter){.done = on_resolved, .owner = origin});
}

static void send_again(struct http_direct_call *call)
{
    call->is_again = true;
    open_conn(call);
}

/* ---- calls ---- */

static bool is_loopback(struct str host)
{
    return str_starts_with(host, STR("127.")) || str_equal_nocase(host, STR("localhost")) ||
           str_equal(host, STR("::1"));
}

bool http_direct_serves(const struct http_direct *direct, const char *url)
{
    struct http_direct_url parts;
    return http_direct_url_read(url, &parts) && (!direct->has_proxy || is_loopback(parts.host));
}

static bool write_header(struct buf *head, const struct http_header *header)
{
    for (size_t i = 0; i < header->value.len; i++)
        if (header->value.at[i] == '\0' || header->value.at[i] == '\r' ||
            header->value.at[i] == '\n')
            return false;
    buf_push(head, header->name);
    buf_push(head, STR(": "));
    buf_push(head, header->value);
    buf_push(head, STR("\r\n"));
    return http_head_is_token(header->name);
}

static bool write_head(struct buf *head, const struct http_direct_url *url,
                       const struct http_direct_request *request)
{
    bool ok = true;
    buf_push(head, str_of(request->method));
    buf_push(head, str_starts_with(url->target, STR("/")) ? STR(" ") : STR(" /"));
    buf_push(head, url->target);
    buf_push(head, STR(" HTTP/1.1\r\nHost: "));
    buf_push(head, url->authority);
    buf_push(head, STR("\r\nAccept: */*\r\n"));
    if (request->body.at != NULL) {
        buf_push(head, STR("Content-Length: "));
        buf_push_u64(head, request->body.len);
        buf_push(head, STR("\r\n"));
    }
    for (size_t i = 0; i < request->header_count && ok; i++)
        ok = write_header(head, &request->headers[i]);
    buf_push(head, STR("\r\n"));
    return ok;
}

enum err_code http_direct_prepare(struct http_direct_call *call, struct http_direct *direct,
                                  const struct http_direct_request *request)
{
    struct http_direct_url url;
    buf_init(&call->head, MOST_HEAD_BYTES);
    if (!http_direct_url_read(request->url, &url) || !write_head(&call->head, &url, request))
        return ERR_INVALID;
    call->body = request->body;
    call->origin = map_find(&direct->origins, url.authority);
    if (call->origin == NULL)
        call->origin = make_origin(direct, &url);
    if (call->origin != NULL)
        call->origin->users++;
    return call->origin == NULL || !buf_ok(&call->head) ? ERR_NO_MEMORY : ERR_OK;
}

void http_direct_start(struct http_direct_call *call)
{
    struct http_direct_origin *origin = call->origin;
    if (list_is_empty(&origin->kept)) {
        open_conn(call);
        return;
    }
    struct http_direct_conn *conn =
        list_item(origin->kept.next, struct http_direct_conn, kept_link);
    stop_keeping(conn);
    uv_ref((uv_handle_t *)&conn->tcp);
    conn->was_used = true;
    conn->call = call;
    call->conn = conn;
    begin_exchange(conn);
}

void http_direct_stop(struct http_direct_call *call)
{
    if (call->conn != NULL)
        close_conn(call->conn);
    list_remove(&call->link);
    buf_fini(&call->head);
    if (call->origin != NULL)
        leave_origin(call->origin);
    call->origin = NULL;
}

/* ---- the whole ---- */

static void free_direct(struct closing *closing)
{
    struct http_direct *direct = container_of(closing, struct http_direct, closing);
    map_fini(&direct->origins);
    mem_free(direct);
}

struct http_direct *http_direct_create(struct loop *loop, uint64_t kept_ms,
                                       const struct http_direct_events *events)
{
    static closing_fn *const steps[] = {free_direct, NULL};
    struct http_direct *direct = mem_zalloc(1, sizeof *direct);
    if (direct == NULL)
        return NULL;
    direct->loop = loop;
    direct->kept_ms = kept_ms;
    direct->events = events;
    direct->has_proxy =
        getenv("http_proxy") != NULL || getenv("all_proxy") != NULL || getenv("ALL_PROXY") != NULL;
    map_init(&direct->origins);
    list_init(&direct->kept);
    closing_init(&direct->closing, loop, steps);
    return direct;
}

void http_direct_close(struct http_direct *direct, void (*on_closed)(void *owner), void *owner)
{
    struct map_entry entry;
    size_t cursor = 0;
    closing_begin(&direct->closing, on_closed, owner);
    timer_stop(&direct->age_timer);
    LIST_EACH_SAFE(link, &direct->kept)
        close_conn(list_item(link, struct http_direct_conn, age_link));
    while (map_next(&direct->origins, &cursor, &entry)) {
        struct http_direct_origin *origin = entry.value;
        if (op_is_pending(&origin->resolve.op))
            op_cancel(&origin->resolve.op);
    }
}
