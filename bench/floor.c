/* SPDX-License-Identifier: MIT */
/* bench/floor.c - a relay that only reframes deltas: what libuv and libcurl alone cost.
 *
 *   floor --upstream http://127.0.0.1:PORT/v1 [--model NAME] [--spread N]
 * Prints "listening 127.0.0.1:PORT". Every POST, whatever it says, becomes one streamed chat; its
 * deltas leave as our token events, one write for each read, then one complete. No limits, no
 * deadlines, no checks, libcurl used the ordinary way (its example's way) over several multi
 * handles: the number to compare the real server with, not a server. */
#include <curl/curl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

enum { READ_BYTES = 64 << 10, BUFFER_BYTES = 1 << 20, RECEIVE_BYTES = 2048 };

struct floor {
    uv_loop_t loop;
    struct lane *lanes;
    unsigned spread, next_lane;
    char url[256], body[512];
    struct curl_slist *headers;
    struct relay *touched; /* by the libcurl call that runs now: at most one */
    char read_bytes[READ_BYTES];
};

struct lane {
    struct floor *floor;
    CURLM *multi;
    uv_timer_t timer;
};

struct watch {
    uv_poll_t poll;
    struct lane *lane;
    curl_socket_t fd;
};

struct relay { /* one client connection */
    uv_tcp_t tcp;
    uv_write_t write;
    struct floor *floor;
    struct lane *lane;
    CURL *easy;
    struct buf in, out, line;
    bool is_running, is_writing;
};

/* ---- out ---- */

static void on_written(uv_write_t *write, int status)
{
    struct relay *relay = write->data;
    (void)status;
    relay->is_writing = false;
    buf_clear(&relay->out);
}

static void flush(struct relay *relay)
{
    struct str bytes = buf_str(&relay->out);
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)bytes.at, (unsigned)bytes.len);
    if (bytes.len == 0 || relay->is_writing || uv_is_closing((uv_handle_t *)&relay->tcp))
        return;
    if (uv_try_write((uv_stream_t *)&relay->tcp, &all, 1) == (int)bytes.len) {
        buf_clear(&relay->out);
        return;
    }
    relay->write.data = relay;
    relay->is_writing = true;
    uv_write(&relay->write, (uv_stream_t *)&relay->tcp, &all, 1, on_written);
}

static void push_event(struct relay *relay, struct str before, struct str text, struct str after)
{
    buf_printf(&relay->out, "%zx\r\ndata: %.*s%.*s%.*s\n\n\r\n",
               before.len + text.len + after.len + 8, STR_ARG(before), STR_ARG(text),
               STR_ARG(after));
}

/* The delta between its quotes goes out as it came in: it is JSON already. */
static void take_line(struct relay *relay, struct str line)
{
    static const struct str key = STR("\"content\":\"");
    ptrdiff_t at = str_find(line, key);
    if (at < 0)
        return;
    struct str text = str_from(line, (size_t)at + key.len);
    size_t end = 0;
    while (end < text.len && text.at[end] != '"')
        end += text.at[end] == '\\' ? 2 : 1;
    push_event(relay, STR("{\"event\":\"token\",\"channel\":\"final\",\"content\":\""),
               str_slice(text, 0, end), STR("\"}"));
}

static size_t on_body(char *bytes, size_t size, size_t count, void *owner)
{
    struct relay *relay = owner;
    relay->floor->touched = relay;
    buf_push(&relay->line, str_make(bytes, size * count));
    struct str rest = buf_str(&relay->line);
    for (ptrdiff_t end; (end = str_find_char(rest, '\n')) >= 0;) {
        take_line(relay, str_slice(rest, 0, (size_t)end));
        rest = str_from(rest, (size_t)end + 1);
    }
    buf_consume(&relay->line, buf_len(&relay->line) - rest.len);
    return size * count;
}

/* ---- libcurl, the ordinary way ---- */

static void take_ended(struct lane *lane)
{
    int left;
    for (CURLMsg *msg; (msg = curl_multi_info_read(lane->multi, &left)) != NULL;) {
        struct relay *relay;
        if (msg->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &relay);
        curl_multi_remove_handle(lane->multi, relay->easy);
        push_event(relay, STR("{\"event\":\"complete\",\"stats\":{\"tokens\":0}}"), STR(""),
                   STR(""));
        buf_push(&relay->out, STR("0\r\n\r\n"));
        relay->is_running = false;
        flush(relay);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct lane *lane = timer->data;
    int running;
    curl_multi_socket_action(lane->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    take_ended(lane);
}

static int set_timer(CURLM *multi, long timeout_ms, void *owner)
{
    struct lane *lane = owner;
    (void)multi;
    if (timeout_ms < 0)
        uv_timer_stop(&lane->timer);
    else
        uv_timer_start(&lane->timer, on_timer, (uint64_t)timeout_ms, 0);
    return 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watch *watch = poll->data;
    struct lane *lane = watch->lane;
    int running, flags = status < 0 ? CURL_CSELECT_ERR : 0;
    flags |= events & UV_READABLE ? CURL_CSELECT_IN : 0;
    flags |= events & UV_WRITABLE ? CURL_CSELECT_OUT : 0;
    curl_multi_socket_action(lane->multi, watch->fd, flags, &running);
    take_ended(lane);
    if (lane->floor->touched != NULL) /* one write for all the chunks that one read brought */
        flush(lane->floor->touched);
    lane->floor->touched = NULL;
}

static void free_watch(uv_handle_t *handle)
{
    mem_free(handle->data);
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *owner, void *socket_owner)
{
    struct lane *lane = owner;
    struct watch *watch = socket_owner;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (watch != NULL) {
            uv_poll_stop(&watch->poll);
            uv_close((uv_handle_t *)&watch->poll, free_watch);
            curl_multi_assign(lane->multi, fd, NULL);
        }
        return 0;
    }
    if (watch == NULL) {
        watch = mem_zalloc(1, sizeof *watch);
        CHECK(watch != NULL);
        watch->lane = lane;
        watch->fd = fd;
        watch->poll.data = watch;
        uv_poll_init_socket(&lane->floor->loop, &watch->poll, fd);
        curl_multi_assign(lane->multi, fd, watch);
    }
    uv_poll_start(&watch->poll,
                  (what & CURL_POLL_IN ? UV_READABLE : 0) |
                      (what & CURL_POLL_OUT ? UV_WRITABLE : 0),
                  on_poll);
    return 0;
}

/* ---- in ---- */

static void begin_relay(struct relay *relay)
{
    struct floor *floor = relay->floor;
    if (relay->easy == NULL) {
        relay->easy = curl_easy_init();
        curl_easy_setopt(relay->easy, CURLOPT_URL, floor->url);
        curl_easy_setopt(relay->easy, CURLOPT_POSTFIELDS, floor->body);
        curl_easy_setopt(relay->easy, CURLOPT_HTTPHEADER, floor->headers);
        curl_easy_setopt(relay->easy, CURLOPT_WRITEFUNCTION, on_body);
        curl_easy_setopt(relay->easy, CURLOPT_WRITEDATA, relay);
        curl_easy_setopt(relay->easy, CURLOPT_PRIVATE, relay);
        curl_easy_setopt(relay->easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(relay->easy, CURLOPT_PROXY, "");
        curl_easy_setopt(relay->easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
        relay->lane = &floor->lanes[floor->next_lane++ % floor->spread];
    }
    relay->is_running = true;
    buf_push(&relay->out, STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                              "Cache-Control: no-cache, no-transform\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n"));
    flush(relay);
    curl_multi_add_handle(relay->lane->multi, relay->easy);
}

static void on_closed(uv_handle_t *handle)
{
    struct relay *relay = handle->data;
    buf_fini(&relay->in);
    buf_fini(&relay->out);
    buf_fini(&relay->line);
    curl_easy_cleanup(relay->easy);
    mem_free(relay);
}

static void close_relay(struct relay *relay)
{
    if (uv_is_closing((uv_handle_t *)&relay->tcp))
        return;
    if (relay->is_running)
        curl_multi_remove_handle(relay->lane->multi, relay->easy);
    uv_close((uv_handle_t *)&relay->tcp, on_closed);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct relay *relay = stream->data;
    uint64_t length = 0;
    if (count < 0) {
        close_relay(relay);
        return;
    }
    buf_push(&relay->in, str_make(buffer->base, (size_t)count));
    struct str all = buf_str(&relay->in);
    ptrdiff_t end = str_find(all, STR("\r\n\r\n")), at = str_find(all, STR("Content-Length: "));
    if (end < 0 || at < 0 || at > end)
        return;
    struct str digits = str_from(all, (size_t)at + STR("Content-Length: ").len);
    digits = str_slice(digits, 0, (size_t)str_find_char(digits, '\r'));
    if (!str_to_u64(digits, &length) || all.len < (size_t)end + 4 + length)
        return;
    buf_clear(&relay->in);
    begin_relay(relay);
}

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct relay *relay = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(relay->floor->read_bytes, READ_BYTES);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct floor *floor = listener->data;
    struct relay *relay = mem_zalloc(1, sizeof *relay);
    CHECK(relay != NULL && status == 0);
    relay->floor = floor;
    relay->tcp.data = relay;
    buf_init(&relay->in, BUFFER_BYTES);
    buf_init(&relay->out, BUFFER_BYTES);
    buf_init(&relay->line, BUFFER_BYTES);
    uv_tcp_init(&floor->loop, &relay->tcp);
    if (uv_accept(listener, (uv_stream_t *)&relay->tcp) != 0) {
        close_relay(relay);
        return;
    }
    uv_tcp_nodelay(&relay->tcp, 1);
    uv_read_start((uv_stream_t *)&relay->tcp, give_buffer, on_read);
}

/* ---- start ---- */

static void make_lanes(struct floor *floor)
{
    floor->lanes = mem_zalloc(floor->spread, sizeof *floor->lanes);
    CHECK(floor->lanes != NULL);
    for (unsigned i = 0; i < floor->spread; i++) {
        struct lane *lane = &floor->lanes[i];
        lane->floor = floor;
        lane->multi = curl_multi_init();
        uv_timer_init(&floor->loop, &lane->timer);
        lane->timer.data = lane;
        curl_multi_setopt(lane->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
        curl_multi_setopt(lane->multi, CURLMOPT_SOCKETDATA, lane);
        curl_multi_setopt(lane->multi, CURLMOPT_TIMERFUNCTION, set_timer);
        curl_multi_setopt(lane->multi, CURLMOPT_TIMERDATA, lane);
    }
}

static void read_arguments(struct floor *floor, int argc, char **argv)
{
    static const struct option options[] = {
        {"upstream", required_argument, NULL, 'u'},
        {"model", required_argument, NULL, 'm'},
        {"spread", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    const char *model = "mock", *upstream = NULL;
    uint64_t spread = 64;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'u')
            upstream = optarg;
        else if (option == 'm')
            model = optarg;
        else if (option != 's' || !str_to_u64(str_of(optarg), &spread) || spread == 0 ||
                 spread > 4096)
            exit(2);
    }
    if (upstream == NULL) {
        fprintf(stderr, "floor: --upstream http://127.0.0.1:PORT/v1 is needed\n");
        exit(2);
    }
    floor->spread = (unsigned)spread;
    snprintf(floor->url, sizeof floor->url, "%s/chat/completions", upstream);
    snprintf(floor->body, sizeof floor->body,
             "{\"model\":\"%s\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
             "\"messages\":[{\"role\":\"system\",\"content\":\"You are helpful.\"},"
             "{\"role\":\"user\",\"content\":\"Hello\"}]}",
             model);
    floor->headers = curl_slist_append(NULL, "Content-Type: application/json");
}

int main(int argc, char **argv)
{
    struct floor *floor = mem_zalloc(1, sizeof *floor);
    struct sockaddr_in address;
    int bytes = sizeof address;
    uv_tcp_t listener;
    CHECK(floor != NULL && uv_loop_init(&floor->loop) == 0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    signal(SIGPIPE, SIG_IGN);
    read_arguments(floor, argc, argv);
    make_lanes(floor);
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(&floor->loop, &listener);
    listener.data = floor;
    uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0);
    if (uv_listen((uv_stream_t *)&listener, 4096, on_connection) != 0)
        return 1;
    uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &bytes);
    printf("listening 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return uv_run(&floor->loop, UV_RUN_DEFAULT);
}
