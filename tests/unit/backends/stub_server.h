/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/stub_server.h - a server on the test's own loop that answers every request
 * with given bytes, right or wrong.
 *
 * It reads until an empty line, writes reply, then closes, resets or keeps the connection. */
#ifndef TESTS_UNIT_BACKENDS_STUB_SERVER_H
#define TESTS_UNIT_BACKENDS_STUB_SERVER_H

#include <stdio.h>
#include <uv.h>

#include "tests/unit/backends/rig.h"

enum stub_after { STUB_KEEP, STUB_CLOSE, STUB_RESET };

struct stub_server {
    uv_tcp_t listener;
    struct str reply;         /* borrowed; absent: says nothing */
    const struct str *script; /* or what the first requests get, then reply */
    size_t script_count;
    enum stub_after after;
    unsigned connections, requests;
    char heard[2048]; /* the last bytes of requests */
    size_t heard_len;
    char url[64];
    struct list conns;
};

struct stub_conn {
    uv_tcp_t tcp;
    uv_write_t write;
    struct stub_server *server;
    struct list link;
    char seen[4]; /* the last bytes */
    char bytes[4096];
};

static inline void stub_on_closed(uv_handle_t *handle)
{
    mem_free(handle->data);
}

static inline void stub_close_conn(struct stub_conn *conn)
{
    if (!uv_is_closing((uv_handle_t *)&conn->tcp)) {
        list_remove(&conn->link);
        uv_close((uv_handle_t *)&conn->tcp, stub_on_closed);
    }
}

static inline void stub_on_written(uv_write_t *write, int status)
{
    struct stub_conn *conn = write->data;
    (void)status;
    if (conn->server->after == STUB_RESET && !uv_is_closing((uv_handle_t *)&conn->tcp)) {
        list_remove(&conn->link);
        uv_tcp_close_reset(&conn->tcp, stub_on_closed);
    } else if (conn->server->after == STUB_CLOSE) {
        stub_close_conn(conn);
    }
}

static inline void stub_answer(struct stub_conn *conn)
{
    struct stub_server *server = conn->server;
    size_t index = server->requests++;
    struct str reply = index < server->script_count ? server->script[index] : server->reply;
    if (str_is_absent(reply))
        return;
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)reply.at, (unsigned)reply.len);
    conn->write.data = conn;
    uv_write(&conn->write, (uv_stream_t *)&conn->tcp, &all, 1, stub_on_written);
}

static inline void stub_hear(struct stub_server *server, char byte)
{
    if (server->heard_len == sizeof server->heard - 1)
        memmove(server->heard, server->heard + 1, --server->heard_len);
    server->heard[server->heard_len++] = byte;
    server->heard[server->heard_len] = '\0';
}

static inline void stub_on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct stub_conn *conn = stream->data;
    if (count < 0) {
        stub_close_conn(conn);
        return;
    }
    for (ssize_t i = 0; i < count; i++) {
        stub_hear(conn->server, buffer->base[i]);
        memmove(conn->seen, conn->seen + 1, 3);
        conn->seen[3] = buffer->base[i];
        if (memcmp(conn->seen, "\r\n\r\n", 4) == 0)
            stub_answer(conn);
    }
}

static inline void stub_give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct stub_conn *conn = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(conn->bytes, sizeof conn->bytes);
}

static inline void stub_on_connection(uv_stream_t *listener, int status)
{
    struct stub_server *server = listener->data;
    struct stub_conn *conn = mem_zalloc(1, sizeof *conn);
    assert_int_equal(status, 0);
    assert_non_null(conn);
    conn->server = server;
    conn->tcp.data = conn;
    server->connections++;
    uv_tcp_init(listener->loop, &conn->tcp);
    list_push(&server->conns, &conn->link);
    assert_int_equal(uv_accept(listener, (uv_stream_t *)&conn->tcp), 0);
    uv_read_start((uv_stream_t *)&conn->tcp, stub_give_buffer, stub_on_read);
}

static inline void stub_server_start(struct stub_server *server, struct rig *rig, struct str reply,
                                     enum stub_after after)
{
    struct sockaddr_in address;
    int bytes = sizeof address;
    *server = (struct stub_server){.reply = reply, .after = after};
    list_init(&server->conns);
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(loop_uv(rig->loop), &server->listener);
    server->listener.data = server;
    assert_int_equal(uv_tcp_bind(&server->listener, (const struct sockaddr *)&address, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&server->listener, 16, stub_on_connection), 0);
    uv_tcp_getsockname(&server->listener, (struct sockaddr *)&address, &bytes);
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/x", ntohs(address.sin_port));
}

static inline void stub_server_stop(struct stub_server *server)
{
    LIST_EACH_SAFE(link, &server->conns)
        stub_close_conn(list_item(link, struct stub_conn, link));
    uv_close((uv_handle_t *)&server->listener, NULL);
}

#endif
