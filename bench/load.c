/* SPDX-License-Identifier: MIT */
/* bench/load.c - N streams against a server that speaks our events; what came, when, at what cost.
 *
 *   load --url http://127.0.0.1:PORT/PATH --body JSON [--streams N] [--requests N] [--pid PID]
 *        [--name TEXT] [--door native|chat|responses|ui|agui|langgraph] [--json]
 * Ten '#' in the body are replaced by the request's number (conversation ids).
 * Happy path: every slot connects, posts, reads chunked SSE, checks each event and posts again on
 * the same connection until all requests are done; then one line (or JSON object) of figures.
 * A stream counts as well only when it ends in exactly one complete or error and nothing follows.
 * --door says whose events they are: ours, or those of a facade.
 * A token of the form "@<monotonic ns> " (mockllm --stamp) gives the latency added on the way.
 * Failure: bad arguments end it; broken streams are counted and make the exit status 1. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "bench/samples.h"
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/loop/loop.h"
#include "proto/json_read.h"
#include "proto/sse_read.h"

enum { READ_BYTES = 64 << 10, CHUNK_DIGITS = 16, NUMBER_DIGITS = 10 };

/* What a door's events hold that say a token, the end, a failure. */
struct door {
    const char *name, *token, *complete, *error;
};

static const struct door doors[] = {
    {"native", "\"event\":\"token\"", "\"event\":\"complete\"", "\"event\":\"error\""},
    {"chat", "\"delta\":{\"content\":", "\"finish_reason\":\"stop\"", "{\"error\":"},
    {"responses", "\"type\":\"response.output_text.delta\"", "\"type\":\"response.completed\"",
     "\"type\":\"response.failed\""},
    {"ui", "\"type\":\"text-delta\"", "\"type\":\"finish\",", "\"type\":\"error\""},
    {"agui", "\"type\":\"TEXT_MESSAGE_CONTENT\"", "\"type\":\"RUN_FINISHED\"",
     "\"type\":\"RUN_ERROR\""},
    {"langgraph", "\"type\":\"AIMessageChunk\"", "\"status\":\"success\"", "\"error\":"},
};

enum slot_phase { SLOT_HEAD, SLOT_SIZE, SLOT_DATA, SLOT_DATA_END, SLOT_LAST };

struct load {
    struct loop *loop;
    struct sockaddr_in address;
    struct str request;
    const char *name;
    const struct door *door;
    uint64_t streams, requests, begun, ended;
    uint64_t completes, errors, broken, tokens, events;
    struct samples first_event, first_token, added, whole;
    long pid;
    struct samples_process before, after;
    double peak_rss_kib;
    uint64_t began_ns, took_ns;
    bool as_json;
    char read_bytes[READ_BYTES];
};

struct slot {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    struct load *load;
    struct sse_read sse;
    enum slot_phase phase;
    unsigned head_ends; /* of "\r\n\r\n" seen */
    int status;
    struct buf request; /* a copy of the load's, numbered */
    struct buf line;    /* the status line, or a chunk's size */
    size_t left;        /* of the chunk */
    uint64_t began_ns, events, tokens, terminals;
    bool is_broken, is_answered;
};

static void begin_request(struct slot *slot);
static void open_slot(struct slot *slot);

/* ---- events ---- */

static void note_token(struct slot *slot, struct str data, uint64_t now_ns)
{
    struct load *load = slot->load;
    ptrdiff_t at = str_find(data, STR("\"@"));
    uint64_t sent_ns;
    if (slot->tokens++ == 0)
        samples_add(&load->first_token, now_ns - slot->began_ns);
    load->tokens++;
    if (at < 0)
        return;
    struct str digits = str_from(data, (size_t)at + 2);
    ptrdiff_t end = str_find_char(digits, ' ');
    if (end > 0 && str_to_u64(str_slice(digits, 0, (size_t)end), &sent_ns) && sent_ns <= now_ns)
        samples_add(&load->added, now_ns - sent_ns);
}

static bool is_json(struct str text)
{
    struct json_read reader;
    enum json_token token;
    json_read_init(&reader, text);
    do
        token = json_read_next(&reader);
    while (token != JSON_TOKEN_END && token != JSON_TOKEN_ERROR);
    return token == JSON_TOKEN_END;
}

static bool has(const struct sse_event *event, const char *needle)
{
    return str_find(event->data, str_of(needle)) >= 0;
}

static void on_event(void *owner, const struct sse_event *event)
{
    struct slot *slot = owner;
    struct load *load = slot->load;
    uint64_t now_ns = loop_precise_ns();
    if (slot->terminals == 1 && str_equal(event->data, STR("[DONE]")))
        return;
    load->events++;
    if (slot->events++ == 0)
        samples_add(&load->first_event, now_ns - slot->began_ns);
    if (slot->terminals > 0 || !is_json(event->data))
        slot->is_broken = true; /* something after the end, or nonsense */
    if (has(event, load->door->token)) {
        note_token(slot, event->data, now_ns);
    } else if (has(event, load->door->complete)) {
        slot->terminals++;
        load->completes++;
    } else if (has(event, load->door->error)) {
        slot->terminals++;
        if (load->errors++ == 0)
            fprintf(stderr, "load: first error: %.*s\n", STR_ARG(event->data));
    }
}

/* ---- HTTP, as much as our own answers need ---- */

static void report(struct load *load);

static void end_request(struct slot *slot)
{
    struct load *load = slot->load;
    if (slot->is_answered)
        return;
    slot->is_answered = true;
    if (slot->is_broken || slot->terminals != 1 || slot->status != 200) {
        if (load->broken++ == 0)
            fprintf(stderr,
                    "load: first broken stream: status %d, %" PRIu64 " events, %" PRIu64
                    " terminal\n",
                    slot->status, slot->events, slot->terminals);
    }
    samples_add(&load->whole, loop_precise_ns() - slot->began_ns);
    if (++load->ended == load->requests)
        report(load);
}

static void on_slot_closed(uv_handle_t *handle)
{
    struct slot *slot = handle->data;
    if (slot->load->begun < slot->load->requests)
        open_slot(slot);
}

static void drop_slot(struct slot *slot)
{
    end_request(slot);
    if (!uv_is_closing((uv_handle_t *)&slot->tcp))
        uv_close((uv_handle_t *)&slot->tcp, on_slot_closed);
}

/* The first line of the head, once complete, says the status. */
static void take_head_byte(struct slot *slot, char c)
{
    static const char end[] = "\r\n\r\n";
    uint64_t status;
    if (slot->status == 0 && c != '\r')
        buf_push_char(&slot->line, c);
    else if (slot->status == 0 && str_to_u64(str_slice(buf_str(&slot->line), 9, 12), &status))
        slot->status = (int)status;
    slot->head_ends = c == end[slot->head_ends] ? slot->head_ends + 1 : c == '\r';
    if (slot->head_ends < 4)
        return;
    buf_clear(&slot->line);
    slot->phase = SLOT_SIZE;
    if (slot->status != 200) /* an error's body has another framing and nothing to tell */
        drop_slot(slot);
}

static void take_size_byte(struct slot *slot, char c)
{
    char digits[CHUNK_DIGITS + 1] = "";
    if (c != '\n') {
        if (c != '\r')
            buf_push_char(&slot->line, c);
        return;
    }
    struct str text = buf_str(&slot->line);
    memcpy(digits, text.at, size_min(text.len, CHUNK_DIGITS));
    slot->left = strtoul(digits, NULL, 16);
    buf_clear(&slot->line);
    slot->phase = slot->left > 0 ? SLOT_DATA : SLOT_LAST;
}

/* Take some of bytes; returns how many. */
static size_t take_some(struct slot *slot, struct str bytes)
{
    struct err err;
    size_t len;
    switch (slot->phase) {
    case SLOT_HEAD:
        take_head_byte(slot, bytes.at[0]);
        return 1;
    case SLOT_SIZE:
        take_size_byte(slot, bytes.at[0]);
        return 1;
    case SLOT_DATA:
        len = size_min(slot->left, bytes.len);
        slot->left -= len;
        if (sse_read_feed(&slot->sse, str_slice(bytes, 0, len), &err) != ERR_OK)
            slot->is_broken = true;
        if (slot->left == 0)
            slot->phase = SLOT_DATA_END;
        return len;
    case SLOT_DATA_END:
        if (bytes.at[0] == '\n')
            slot->phase = SLOT_SIZE;
        return 1;
    case SLOT_LAST:
        if (bytes.at[0] == '\n')
            end_request(slot);
        return 1;
    }
    return bytes.len;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct slot *slot = stream->data;
    if (count < 0) {
        drop_slot(slot);
        return;
    }
    struct str bytes = str_make(buffer->base, (size_t)count);
    while (bytes.len > 0 && !slot->is_answered)
        bytes = str_from(bytes, take_some(slot, bytes));
    if (!slot->is_answered || uv_is_closing((uv_handle_t *)&slot->tcp))
        return;
    if (slot->load->begun < slot->load->requests)
        begin_request(slot);
    else
        drop_slot(slot);
}

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct slot *slot = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(slot->load->read_bytes, READ_BYTES);
}

static void on_written(uv_write_t *write, int status)
{
    if (status < 0 && status != UV_ECANCELED)
        drop_slot(write->data);
}

/* The request's number in the place of the ten '#'. */
static void number_request(struct slot *slot)
{
    char digits[NUMBER_DIGITS + 1];
    struct str request = slot->load->request;
    ptrdiff_t at = str_find(request, STR("##########"));
    snprintf(digits, sizeof digits, "%010" PRIu64, slot->load->begun % 10000000000);
    buf_clear(&slot->request);
    buf_push(&slot->request, str_slice(request, 0, at < 0 ? request.len : (size_t)at));
    if (at < 0)
        return;
    buf_push(&slot->request, str_make(digits, NUMBER_DIGITS));
    buf_push(&slot->request, str_from(request, (size_t)at + NUMBER_DIGITS));
}

static void begin_request(struct slot *slot)
{
    struct load *load = slot->load;
    load->begun++;
    number_request(slot);
    struct str request = buf_str(&slot->request);
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)request.at, (unsigned)request.len);
    slot->phase = SLOT_HEAD;
    slot->status = 0;
    slot->head_ends = 0;
    slot->events = slot->tokens = slot->terminals = 0;
    slot->is_broken = slot->is_answered = false;
    slot->began_ns = loop_precise_ns();
    buf_clear(&slot->line);
    sse_read_reset(&slot->sse);
    slot->write.data = slot;
    uv_write(&slot->write, (uv_stream_t *)&slot->tcp, &all, 1, on_written);
}

static void on_connected(uv_connect_t *connect, int status)
{
    struct slot *slot = connect->data;
    if (status < 0) {
        fprintf(stderr, "load: connect: %s\n", uv_strerror(status));
        exit(2);
    }
    uv_tcp_nodelay(&slot->tcp, 1);
    uv_read_start((uv_stream_t *)&slot->tcp, give_buffer, on_read);
    if (slot->load->begun < slot->load->requests)
        begin_request(slot);
    else
        uv_close((uv_handle_t *)&slot->tcp, NULL);
}

static void open_slot(struct slot *slot)
{
    uv_tcp_init(loop_uv(slot->load->loop), &slot->tcp);
    slot->tcp.data = slot;
    slot->connect.data = slot;
    uv_tcp_connect(&slot->connect, &slot->tcp, (const struct sockaddr *)&slot->load->address,
                   on_connected);
}

/* ---- figures ---- */

static void on_sample_time(uv_timer_t *timer)
{
    struct load *load = timer->data;
    struct samples_process now;
    if (load->pid != 0 && samples_of_process(load->pid, &now) && now.rss_kib > load->peak_rss_kib)
        load->peak_rss_kib = now.rss_kib;
}

static double per(double amount, uint64_t count)
{
    return count == 0 ? 0 : amount / (double)count;
}

static void report(struct load *load)
{
    load->took_ns = loop_precise_ns() - load->began_ns;
    if (load->pid != 0 && !samples_of_process(load->pid, &load->after))
        fprintf(stderr, "load: the server is gone\n");
    double cpu_us = load->after.cpu_us - load->before.cpu_us;
    double rss = per(load->peak_rss_kib - load->before.rss_kib, load->streams);
    const char *format =
        load->as_json
            ? "{\"name\":\"%s\",\"streams\":%" PRIu64 ",\"requests\":%" PRIu64
              ",\"complete\":%" PRIu64 ",\"error\":%" PRIu64 ",\"broken\":%" PRIu64
              ",\"tokens\":%" PRIu64
              ",\"first_event_us\":{\"p50\":%.0f,\"p99\":%.0f},\"first_token_us\":{\"p50\":%.0f,"
              "\"p99\":%.0f},\"added_us\":{\"p50\":%.0f,\"p99\":%.0f},\"cpu_us_per_token\":%.2f,"
              "\"cpu_us_per_request\":%.1f,\"rss_kib_per_stream\":%.1f,\"seconds\":%.2f}\n"
            : "%-8s %6" PRIu64 " %8" PRIu64 " %8" PRIu64 " %5" PRIu64 " %6" PRIu64 " %9" PRIu64
              " %9.0f %9.0f %9.0f %9.0f %8.0f %8.0f %7.2f %8.1f %8.1f %7.2f\n";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    printf(format, load->name, load->streams, load->ended, load->completes, load->errors,
           load->broken, load->tokens, samples_us(&load->first_event, 0.5),
           samples_us(&load->first_event, 0.99), samples_us(&load->first_token, 0.5),
           samples_us(&load->first_token, 0.99), samples_us(&load->added, 0.5),
           samples_us(&load->added, 0.99), per(cpu_us, load->tokens), per(cpu_us, load->ended), rss,
           (double)load->took_ns / 1e9);
#pragma GCC diagnostic pop
    exit(load->broken == 0 && load->errors == 0 ? 0 : 1);
}

/* ---- arguments ---- */

static void fail(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    uint64_t value;
    if (!str_to_u64(str_of(text), &value))
        fail("a number is expected");
    return value;
}

/* "http://127.0.0.1:PORT/PATH" and a body into one request. */
static void make_request(struct load *load, struct buf *buf, const char *url, const char *body)
{
    struct str rest = str_of(url);
    if (!str_starts_with(rest, STR("http://127.0.0.1:")) || body == NULL)
        fail("--url http://127.0.0.1:PORT/PATH and --body JSON are needed");
    rest = str_from(rest, STR("http://127.0.0.1:").len);
    struct str port_text = str_split(&rest, '/');
    uint64_t port;
    if (!str_to_u64(port_text, &port) || port > 65535)
        fail("the port is not a number");
    uv_ip4_addr("127.0.0.1", (int)port, &load->address);
    buf_init(buf, 1 << 20);
    buf_printf(buf,
               "POST /%.*s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
               "Content-Length: %zu\r\n\r\n%s",
               STR_ARG(rest), strlen(body), body);
    load->request = buf_str(buf);
}

static const struct door *door_of(const char *name)
{
    for (size_t i = 0; i < countof(doors); i++)
        if (strcmp(doors[i].name, name) == 0)
            return &doors[i];
    fail("--door: there is no such door");
    return NULL;
}

static void read_arguments(struct load *load, struct buf *request, int argc, char **argv)
{
    static const struct option options[] = {
        {"url", required_argument, NULL, 'u'},
        {"body", required_argument, NULL, 'b'},
        {"streams", required_argument, NULL, 's'},
        {"requests", required_argument, NULL, 'r'},
        {"pid", required_argument, NULL, 'p'},
        {"name", required_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"door", required_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    const char *url = "", *body = NULL;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'u')
            url = optarg;
        else if (option == 'b')
            body = optarg;
        else if (option == 's')
            load->streams = number_of(optarg);
        else if (option == 'r')
            load->requests = number_of(optarg);
        else if (option == 'p')
            load->pid = (long)number_of(optarg);
        else if (option == 'n')
            load->name = optarg;
        else if (option == 'd')
            load->door = door_of(optarg);
        else if (option == 'j')
            load->as_json = true;
        else
            exit(2);
    }
    make_request(load, request, url, body);
    if (load->requests < load->streams)
        load->requests = load->streams;
}

int main(int argc, char **argv)
{
    struct load *load = mem_zalloc(1, sizeof *load);
    struct buf request;
    uv_timer_t timer;
    CHECK(load != NULL);
    load->streams = 100;
    load->name = "server";
    load->door = &doors[0];
    read_arguments(load, &request, argc, argv);
    if (load->pid != 0 && !samples_of_process(load->pid, &load->before))
        fail("--pid: no such process");
    load->loop = loop_create();
    struct slot *slots = mem_zalloc(load->streams, sizeof *slots);
    CHECK(load->loop != NULL && slots != NULL);
    uv_timer_init(loop_uv(load->loop), &timer);
    timer.data = load;
    uv_timer_start(&timer, on_sample_time, 100, 100);
    load->began_ns = loop_precise_ns();
    for (uint64_t i = 0; i < load->streams; i++) {
        slots[i].load = load;
        sse_read_init(&slots[i].sse, NULL, on_event, &slots[i]);
        buf_init(&slots[i].line, 4096);
        buf_init(&slots[i].request, 1 << 20);
        open_slot(&slots[i]);
    }
    loop_run(load->loop);
    return 2; /* report() ends the program */
}
