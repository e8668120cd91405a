/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_conn_link.c - a uv_tcp_t with one write in flight and one being filled.
 *
 * Happy path: connected, reading starts; what is written collects until the end of the turn and
 * goes out whole, the next when that is done.
 * Failure paths: refused, unreachable, closed by the other side, an error of the socket: told once,
 * later. No memory for the handle or for bytes to send: said at once. */
#include "backends/redis/redis_conn_link.h"

#include <uv.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

enum { READ_BYTES = 64 * 1024, KEEPALIVE_SECONDS = 60 };

struct redis_conn_link {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    struct loop *loop;
    struct redis_conn_link_user user;
    struct loop_task send_task, cut_task;
    struct buf filling, sending;
    int status; /* libuv's, of the cut to be told */
    bool is_open, is_closing, is_cut;
    char bytes[READ_BYTES];
};

static void on_closed(uv_handle_t *handle)
{
    struct redis_conn_link *link = handle->data;
    buf_fini(&link->filling);
    buf_fini(&link->sending);
    mem_free(link);
}

static void tell_cut(struct loop_task *task)
{
    struct redis_conn_link *link = container_of(task, struct redis_conn_link, cut_task);
    link->user.on_cut(link->user.owner,
                      link->status == UV_EOF ? "closed by the server" : uv_strerror(link->status));
}

/* The one way a cut is told: once, on a later round. */
static void cut(struct redis_conn_link *link, int status)
{
    if (link->is_closing || link->is_cut)
        return;
    link->is_cut = true;
    link->status = status;
    uv_read_stop((uv_stream_t *)&link->tcp);
    loop_post(link->loop, &link->cut_task, tell_cut);
}

/* ---- reading ---- */

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct redis_conn_link *link = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(link->bytes, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct redis_conn_link *link = stream->data;
    if (count < 0)
        cut(link, (int)count);
    else if (count > 0)
        link->user.on_bytes(link->user.owner, str_make(buffer->base, (size_t)count));
}

/* ---- writing ---- */

static void send_more(struct loop_task *task);

static void on_sent(uv_write_t *write, int status)
{
    struct redis_conn_link *link = write->handle->data;
    if (link->is_closing)
        return;
    buf_clear(&link->sending);
    if (status < 0) {
        cut(link, status);
    } else if (buf_len(&link->filling) > 0) {
        send_more(&link->send_task);
    } else {
        link->user.on_written(link->user.owner);
    }
}

static void send_more(struct loop_task *task)
{
    struct redis_conn_link *link = container_of(task, struct redis_conn_link, send_task);
    if (buf_len(&link->sending) > 0 || buf_len(&link->filling) == 0 || link->is_cut)
        return;
    struct buf emptied = link->sending;
    link->sending = link->filling;
    link->filling = emptied;
    uv_buf_t all =
        uv_buf_init(link->sending.at + link->sending.start, (unsigned)buf_len(&link->sending));
    int status = uv_write(&link->write, (uv_stream_t *)&link->tcp, &all, 1, on_sent);
    if (status != 0)
        cut(link, status); /* untested: an open socket takes a write */
}

bool redis_conn_link_write(struct redis_conn_link *link, struct str bytes)
{
    size_t before = buf_len(&link->filling);
    buf_push(&link->filling, bytes);
    if (!buf_ok(&link->filling)) {
        buf_truncate(&link->filling, before);
        link->filling.failed = false;
        return false;
    }
    loop_at_turn_end(link->loop, &link->send_task, send_more);
    return true;
}

size_t redis_conn_link_unsent(const struct redis_conn_link *link)
{
    return buf_len(&link->filling) + buf_len(&link->sending);
}

/* ---- opening and closing ---- */

static void on_connected(uv_connect_t *connect, int status)
{
    struct redis_conn_link *link = connect->handle->data;
    if (link->is_closing)
        return;
    if (status == 0) {
        uv_tcp_nodelay(&link->tcp, 1);
        uv_tcp_keepalive(&link->tcp, 1, KEEPALIVE_SECONDS);
        status = uv_read_start((uv_stream_t *)&link->tcp, give_buffer, on_read);
    }
    if (status != 0)
        cut(link, status);
    else
        link->user.on_open(link->user.owner);
}

static int connect_to(struct redis_conn_link *link, const char *address, unsigned port)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    const struct sockaddr *place = (const struct sockaddr *)&v4;
    if (uv_ip4_addr(address, (int)port, &v4) != 0) {
        int status = uv_ip6_addr(address, (int)port, &v6);
        if (status != 0)
            return status;
        place = (const struct sockaddr *)&v6;
    }
    return uv_tcp_connect(&link->connect, &link->tcp, place, on_connected);
}

struct redis_conn_link *redis_conn_link_open(struct loop *loop, const char *address, unsigned port,
                                             const struct redis_conn_link_user *user)
{
    struct redis_conn_link *link = mem_zalloc(1, sizeof *link);
    if (link == NULL)
        return NULL;
    link->loop = loop;
    link->user = *user;
    buf_init(&link->filling, UINT32_MAX / 2);
    buf_init(&link->sending, UINT32_MAX / 2);
    uv_tcp_init(loop_uv(loop), &link->tcp);
    link->tcp.data = link;
    int status = connect_to(link, address, port);
    if (status != 0)
        cut(link, status);
    return link;
}

void redis_conn_link_close(struct redis_conn_link *link)
{
    if (link == NULL)
        return;
    link->is_closing = true;
    loop_unpost(&link->send_task);
    loop_unpost(&link->cut_task);
    uv_close((uv_handle_t *)&link->tcp, on_closed);
}
