/* SPDX-License-Identifier: MIT */
/* bench/relay.c - a bare relay on epoll: what the machine itself costs for the job of a server.
 *
 *   relay --upstream PORT [--calls N] [--model NAME]
 * Prints "listening 127.0.0.1:PORT". Every POST, whatever it says, becomes N streamed chats on
 * 127.0.0.1, one after the other (a router's call and the answer's, with 2); the deltas of the last
 * leave as our token events, one write for each read, then one complete. Connections to the model
 * are kept. No limits, no deadlines, no checks, and no library between it and the kernel: a number
 * to compare the real server with, not a server. */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/list.h"
#include "core/base/mem.h"

enum { READ_BYTES = 64 << 10, BUFFER_BYTES = 1 << 20, EVENTS = 512, MOST_CALLS = 8 };

struct end { /* one socket: a client's, or one to the model */
    int fd;
    bool is_upstream, is_closed;
    struct end *peer; /* the other one, while they work together */
    struct list link; /* of the model's: when nobody uses it; of all: when it is to be freed */
    struct buf in, out;
    uint64_t calls_left; /* of a client's */
};

static struct {
    int epoll, listener;
    uint16_t upstream_port;
    uint64_t calls;
    struct buf first_request, request; /* of all calls but the last, and of that */
    struct list idle, closed;
    char room[READ_BYTES];
} relay;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- sockets ---- */

static void watch(struct end *end, int how)
{
    struct epoll_event event = {
        .events = EPOLLIN | (buf_len(&end->out) > 0 ? (uint32_t)EPOLLOUT : 0), .data.ptr = end};
    if (epoll_ctl(relay.epoll, how, end->fd, &event) != 0)
        die("epoll_ctl");
}

static struct end *make_end(int fd, bool is_upstream)
{
    int on = 1;
    struct end *end = mem_zalloc(1, sizeof *end);
    CHECK(end != NULL);
    end->fd = fd;
    end->is_upstream = is_upstream;
    buf_init(&end->in, BUFFER_BYTES);
    buf_init(&end->out, BUFFER_BYTES);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(end, EPOLL_CTL_ADD);
    return end;
}

static void close_end(struct end *end)
{
    if (end == NULL || end->is_closed)
        return;
    struct end *peer = end->peer;
    end->is_closed = true;
    list_remove(&end->link);
    close(end->fd);
    list_push(&relay.closed, &end->link);
    if (peer != NULL) {
        peer->peer = end->peer = NULL;
        close_end(peer);
    }
}

static void free_closed(void)
{
    for (struct list *link; (link = list_take_first(&relay.closed)) != NULL;) {
        struct end *end = list_item(link, struct end, link);
        buf_fini(&end->in);
        buf_fini(&end->out);
        mem_free(end);
    }
}

static void flush(struct end *end)
{
    size_t before = buf_len(&end->out);
    if (before == 0 || end->is_closed)
        return;
    struct str bytes = buf_str(&end->out);
    ssize_t sent = send(end->fd, bytes.at, bytes.len, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != ENOTCONN) {
        close_end(end);
        return;
    }
    buf_consume(&end->out, sent < 0 ? 0 : (size_t)sent);
    if (buf_len(&end->out) > 0)
        watch(end, EPOLL_CTL_MOD);
}

static struct end *take_upstream(void)
{
    struct list *link = list_take_first(&relay.idle);
    if (link != NULL)
        return list_item(link, struct end, link);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(relay.upstream_port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 ||
        (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS))
        die("connect");
    return make_end(fd, true);
}

/* ---- the job ---- */

static void begin_call(struct end *client)
{
    struct end *upstream = take_upstream();
    client->calls_left--;
    client->peer = upstream;
    upstream->peer = client;
    buf_push(&upstream->out,
             buf_str(client->calls_left > 0 ? &relay.first_request : &relay.request));
    flush(upstream);
}

static void push_event(struct buf *out, struct str before, struct str text, struct str after)
{
    static const char hex[] = "0123456789abcdef";
    size_t len = before.len + text.len + after.len + 8;
    char size[] = "0000\r\n";
    for (size_t i = 4, rest = len; i-- > 0; rest >>= 4)
        size[i] = hex[rest & 15];
    buf_push(out, str_make(size, sizeof size - 1));
    buf_push(out, STR("data: "));
    buf_push(out, before);
    buf_push(out, text);
    buf_push(out, after);
    buf_push(out, STR("\n\n\r\n"));
}

/* The delta between its quotes goes out as it came in: it is JSON already. */
static void take_line(struct end *client, struct str line)
{
    static const struct str key = STR("\"content\":\"");
    ptrdiff_t at = client->calls_left > 0 ? STR_NONE : str_find(line, key);
    if (at < 0)
        return;
    struct str text = str_from(line, (size_t)at + key.len);
    size_t end = 0;
    while (end < text.len && text.at[end] != '"')
        end += text.at[end] == '\\' ? 2 : 1;
    push_event(&client->out, STR("{\"event\":\"token\",\"channel\":\"final\",\"content\":\""),
               str_slice(text, 0, end), STR("\"}"));
}

/* The answer's last chunk has come. */
static void end_call(struct end *upstream)
{
    struct end *client = upstream->peer;
    upstream->peer = client->peer = NULL;
    buf_clear(&upstream->in);
    list_push_front(&relay.idle, &upstream->link);
    if (client->calls_left > 0) {
        begin_call(client);
        return;
    }
    push_event(&client->out, STR("{\"event\":\"complete\",\"stats\":{\"tokens\":0}}"), STR(""),
               STR(""));
    buf_push(&client->out, STR("0\r\n\r\n"));
}

static void take_answer(struct end *upstream)
{
    struct end *client = upstream->peer;
    struct str rest = buf_str(&upstream->in);
    bool is_over = false;
    for (ptrdiff_t end; (end = str_find_char(rest, '\n')) >= 0;) {
        struct str line = str_slice(rest, 0, (size_t)end);
        is_over = is_over || str_equal(line, STR("0\r"));
        if (str_starts_with(line, STR("data: {")))
            take_line(client, line);
        rest = str_from(rest, (size_t)end + 1);
    }
    buf_consume(&upstream->in, buf_len(&upstream->in) - rest.len);
    if (is_over)
        end_call(upstream);
    flush(client);
}

static void take_request(struct end *client)
{
    struct str all = buf_str(&client->in);
    ptrdiff_t end = str_find(all, STR("\r\n\r\n")), at = str_find(all, STR("Content-Length: "));
    uint64_t length = 0;
    if (end < 0 || at < 0 || at > end)
        return;
    struct str digits = str_from(all, (size_t)at + STR("Content-Length: ").len);
    digits = str_slice(digits, 0, (size_t)str_find_char(digits, '\r'));
    if (!str_to_u64(digits, &length) || all.len < (size_t)end + 4 + length)
        return;
    buf_clear(&client->in);
    client->calls_left = relay.calls;
    buf_push(&client->out, STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Cache-Control: no-cache, no-transform\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n"));
    flush(client);
    begin_call(client);
}

static void take_bytes(struct end *end)
{
    ssize_t count = recv(end->fd, relay.room, sizeof relay.room, 0);
    if (count < 0 && errno == EAGAIN)
        return;
    if (count <= 0) {
        close_end(end);
        return;
    }
    buf_push(&end->in, str_make(relay.room, (size_t)count));
    if (!end->is_upstream)
        take_request(end);
    else if (end->peer != NULL)
        take_answer(end);
}

static void accept_all(void)
{
    int fd;
    while ((fd = accept4(relay.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
        make_end(fd, false);
}

static void take_event(const struct epoll_event *event)
{
    struct end *end = event->data.ptr;
    if (end == NULL) {
        accept_all();
        return;
    }
    if (!end->is_closed && (event->events & EPOLLOUT) != 0) {
        flush(end);
        if (!end->is_closed && buf_len(&end->out) == 0)
            watch(end, EPOLL_CTL_MOD);
    }
    if (!end->is_closed && (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
        take_bytes(end);
}

/* ---- start ---- */

static void write_request(struct buf *request, const char *model, const char *system)
{
    struct buf body;
    buf_init(&body, BUFFER_BYTES);
    buf_printf(&body,
               "{\"model\":\"%s\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
               "\"messages\":[{\"role\":\"system\",\"content\":\"%s\"},"
               "{\"role\":\"user\",\"content\":\"Hello\"}]}",
               model, system);
    buf_init(request, BUFFER_BYTES);
    buf_printf(request,
               "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
               buf_len(&body));
    buf_push(request, buf_str(&body));
    buf_fini(&body);
}

static void read_arguments(int argc, char **argv)
{
    static const struct option options[] = {
        {"upstream", required_argument, NULL, 'u'},
        {"calls", required_argument, NULL, 'c'},
        {"model", required_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    const char *model = "mock";
    uint64_t port = 0;
    relay.calls = 1;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'm')
            model = optarg;
        else if (option == 'u' ? !str_to_u64(str_of(optarg), &port) || port > UINT16_MAX
                               : option != 'c' || !str_to_u64(str_of(optarg), &relay.calls) ||
                                     relay.calls == 0 || relay.calls > MOST_CALLS)
            exit(2);
    }
    if (port == 0) {
        fprintf(stderr, "relay: --upstream PORT is needed\n");
        exit(2);
    }
    relay.upstream_port = (uint16_t)port;
    write_request(&relay.first_request, model, "You route questions.");
    write_request(&relay.request, model, "You are helpful.");
}

static void listen_somewhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    struct epoll_event event = {.events = EPOLLIN};
    relay.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    relay.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (relay.listener < 0 || relay.epoll < 0 ||
        bind(relay.listener, (struct sockaddr *)&address, bytes) != 0 ||
        listen(relay.listener, 4096) != 0 ||
        getsockname(relay.listener, (struct sockaddr *)&address, &bytes) != 0 ||
        epoll_ctl(relay.epoll, EPOLL_CTL_ADD, relay.listener, &event) != 0)
        die("listen");
    printf("listening 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct epoll_event events[EVENTS];
    signal(SIGPIPE, SIG_IGN);
    list_init(&relay.idle);
    list_init(&relay.closed);
    read_arguments(argc, argv);
    listen_somewhere();
    for (;;) {
        int count = epoll_wait(relay.epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++)
            take_event(&events[i]);
        free_closed();
    }
}
