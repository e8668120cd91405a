/* SPDX-License-Identifier: MIT */
/* backends/http/http_client.c - HTTP calls as operations, over connections of our own or libcurl.
 *
 * Happy path: start makes a transfer, for a direct call or with a pooled easy handle of libcurl
 * that has this call's options; the next turn begins the one, or gives the other to a lane; the
 * head's lines and the body's pieces come through callbacks; when the end is reported,
 * finish_transfer lets go of it and finishes the operation.
 * Failure paths, all to end_transfer, once, which leads to finish_transfer on the next turn:
 *   libcurl's error                       its code mapped, its text kept
 *   a deadline (one timer for all four)   ERR_TIMEOUT, saying which
 *   cancel, close                         ERR_CANCELLED
 *   head or body over the limit           ERR_PROTOCOL, ERR_TOO_LARGE
 * libcurl is entered only from tasks, timers and polls, never from its own callbacks: adding,
 * removing and resuming are therefore always a task's. A held call refuses the next piece
 * (CURL_WRITEFUNC_PAUSE); libcurl then keeps it, at most one buffer, and reads no more. */
#include "backends/http/http_client.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "backends/http/http_client_deadline.h"
#include "backends/http/http_client_head.h"
#include "backends/http/http_client_lanes.h"
#include "backends/http/http_direct.h"
#include "backends/http/public_address.h"
#include "core/base/mem.h"
#include "core/base/pool.h"
#include "core/loop/ahead.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"

enum { DEFAULT_SPREAD = 64, MAX_SPREAD = 1024 };
enum { RECEIVE_BYTES = 2048 }; /* per transfer for its whole life: streams are small pieces */
enum { KEPT_TRANSFERS = 256 };
enum { KEPT_MS = 30 * 1000 }; /* between two questions of a busy server there is less */
enum { DEFAULT_BODY_BYTES = 64 << 20 };

enum transfer_phase {
    TRANSFER_WAITING,  /* for a place */
    TRANSFER_STARTING, /* its task will add it */
    TRANSFER_RUNNING,
    TRANSFER_ENDING, /* its task will finish it */
};

struct transfer {
    struct list link; /* client->transfers, or client->idle */
    struct http_call *call;
    struct http_client *client;
    struct http_direct_call direct;
    CURL *easy; /* NULL: the call is direct */
    struct curl_slist *headers;
    enum transfer_phase phase;
    unsigned lane;
    bool has_place, in_lane, is_held, is_paused;
    bool begins_by_caller;
    struct http_client_lanes_sockets sockets;
    struct timer timer;
    struct loop_task task;
    struct http_client_deadline deadline;
    size_t body_bytes, max_body_bytes;
    struct http_client_head head;
    struct err_kept err; /* why it ends */
    char *curl_text;     /* CURL_ERROR_SIZE bytes that go with easy */
};

struct http_client {
    struct loop *loop;
    struct http_client_lanes *lanes;
    struct http_direct *direct; /* NULL: not wanted */
    const char *ca_file;
    struct pool *pool;
    struct list transfers, waiting, idle;
    size_t idle_count, active, max_active;
    struct closing closing; /* out: transfers, then the lanes and what is direct */
};

/* ---- ending ---- */

static void run_task(struct loop_task *task);

static void end_transfer(struct transfer *transfer, const struct err *err)
{
    if (transfer->phase == TRANSFER_ENDING)
        return;
    transfer->phase = TRANSFER_ENDING;
    err_keep(&transfer->err, err);
    if (!transfer->has_place) { /* start_next must not find it among those that wait */
        list_remove(&transfer->link);
        list_push(&transfer->client->transfers, &transfer->link);
    }
    timer_stop(&transfer->timer);
    loop_unpost(&transfer->task);
    loop_post(transfer->client->loop, &transfer->task, run_task);
}

static void end_with(struct transfer *transfer, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    end_transfer(transfer, &err);
}

static void end_denied(struct transfer *transfer)
{
    end_with(transfer, ERR_DENIED,
             "the address is of this machine or of a private network, which is not allowed");
}

static void on_transfer_ended(void *easy, int curl_code)
{
    struct transfer *transfer = NULL;
    CURLcode code = (CURLcode)curl_code;
    struct err err = {0};
    curl_easy_getinfo((CURL *)easy, CURLINFO_PRIVATE, &transfer);
    if (code == CURLE_COULDNT_CONNECT && transfer->sockets.was_denied) {
        end_denied(transfer);
        return;
    }
    if (code == CURLE_COULDNT_CONNECT && transfer->sockets.was_refused) {
        end_with(transfer, ERR_BUSY, HTTP_DIRECT_NO_DESCRIPTOR);
        return;
    }
    if (code != CURLE_OK)
        err_set(&err, http_client_lanes_error(curl_code, transfer->deadline.is_connected), "%s",
                transfer->curl_text[0] != '\0' ? transfer->curl_text : curl_easy_strerror(code));
    end_transfer(transfer, &err);
}

static void on_direct_ended(struct http_direct_call *call, const struct err *err)
{
    end_transfer(container_of(call, struct transfer, direct), err);
}

static void discard(struct http_client *client, struct transfer *transfer)
{
    curl_easy_cleanup(transfer->easy);
    mem_free(transfer->curl_text);
    pool_give(client->pool, transfer);
}

/* Keep the easy handle: making one costs more than setting the few options that differ. */
static void keep_or_discard(struct http_client *client, struct transfer *transfer)
{
    curl_slist_free_all(transfer->headers);
    transfer->headers = NULL;
    transfer->call = NULL;
    if (transfer->easy == NULL || closing_is_begun(&client->closing) ||
        client->idle_count >= KEPT_TRANSFERS) {
        discard(client, transfer);
        return;
    }
    client->idle_count++;
    list_push_front(&client->idle, &transfer->link);
}

static void start_next(struct http_client *client)
{
    struct list *link =
        client->active < client->max_active ? list_take_first(&client->waiting) : NULL;
    if (link == NULL)
        return;
    struct transfer *next = list_item(link, struct transfer, link);
    list_push(&client->transfers, &next->link);
    client->active++;
    next->has_place = true;
    next->phase = TRANSFER_STARTING;
    loop_post(client->loop, &next->task, run_task);
}

/* The only place where an operation of ours finishes. */
static void finish_transfer(struct transfer *transfer)
{
    struct http_client *client = transfer->client;
    struct http_call *call = transfer->call;
    const struct err err = *err_kept(&transfer->err);
    err_forget(&transfer->err);
    if (transfer->in_lane)
        http_client_lanes_remove(client->lanes, transfer->easy, transfer->lane);
    transfer->in_lane = false;
    if (transfer->easy == NULL)
        http_direct_stop(&transfer->direct);
    client->active -= transfer->has_place;
    list_remove(&transfer->link);
    call->impl = NULL;
    keep_or_discard(client, transfer);
    op_finish_err(&call->op, &err);
    start_next(client);
    closing_leave(&client->closing);
}

/* ---- deadlines: one timer, not restarted for every piece of the body ---- */

static void on_deadline(struct timer *timer);

static void arm_deadline(struct transfer *transfer)
{
    uint64_t due_ms = http_client_deadline_next(&transfer->deadline);
    uint64_t now_ms = loop_now_ms(transfer->client->loop);
    if (due_ms != UINT64_MAX)
        timer_start(&transfer->timer, transfer->client->loop, due_ms > now_ms ? due_ms - now_ms : 0,
                    on_deadline);
}

static void on_deadline(struct timer *timer)
{
    struct transfer *transfer = container_of(timer, struct transfer, timer);
    uint64_t now_ms = loop_now_ms(transfer->client->loop);
    struct err err;
    if (transfer->is_held) /* the silence is ours */
        transfer->deadline.last_byte_ms = transfer->deadline.waiting_ms = now_ms;
    if (http_client_deadline_check(&transfer->deadline, now_ms, &err) != ERR_OK)
        end_transfer(transfer, &err);
    else
        arm_deadline(transfer);
}

static void begin(struct transfer *transfer)
{
    if (transfer->deadline.has_begun)
        return;
    transfer->deadline.has_begun = true;
    arm_deadline(transfer);
}

/* ---- what comes: it may end a transfer, never touches libcurl ---- */

static void take_line(struct transfer *transfer, struct str line)
{
    struct http_call *call = transfer->call;
    if (transfer->phase == TRANSFER_ENDING || transfer->head.is_complete)
        return;
    if (!http_client_head_feed(&transfer->head, line, loop_wall_ms(transfer->client->loop))) {
        end_with(transfer, ERR_PROTOCOL, "the answer's headers are too large");
        return;
    }
    if (!transfer->head.is_complete)
        return;
    call->status = transfer->head.status;
    call->retry_after_ms = transfer->head.retry_after_ms;
    call->pause_ms = rate_limit_pause_ms(&transfer->head.limit);
    memcpy(call->content_type, transfer->head.content_type, sizeof call->content_type);
    if (call->on_head != NULL)
        call->on_head(call);
}

static void take_body(struct transfer *transfer, struct str bytes)
{
    struct http_call *call = transfer->call;
    AHEAD_NOTE(transfer->client->loop, &transfer->call, &transfer->phase, &transfer->body_bytes,
               &call->user, &call->on_body);
    if (bytes.len > transfer->max_body_bytes - transfer->body_bytes) {
        end_with(transfer, ERR_TOO_LARGE, "the answer's body is over the limit");
        return;
    }
    transfer->body_bytes += bytes.len;
    transfer->deadline.last_byte_ms = loop_now_ms(transfer->client->loop);
    call->got_body = true;
    if (!transfer->begins_by_caller)
        begin(transfer);
    if (call->on_body != NULL)
        call->on_body(call, bytes);
}

static void on_direct_connected(struct http_direct_call *call)
{
    container_of(call, struct transfer, direct)->deadline.is_connected = true;
}

static void on_direct_line(struct http_direct_call *call, struct str line)
{
    take_line(container_of(call, struct transfer, direct), line);
}

static void on_direct_body(struct http_direct_call *call, struct str bytes)
{
    struct transfer *transfer = container_of(call, struct transfer, direct);
    if (transfer->phase != TRANSFER_ENDING)
        take_body(transfer, bytes);
}

static int on_connected(void *owner, char *peer_ip, char *own_ip, int peer_port, int own_port)
{
    struct transfer *transfer = owner;
    (void)own_ip;
    (void)peer_port;
    (void)own_port;
    if (transfer->sockets.only_public && !public_address_is_text(peer_ip)) { /* a kept connection */
        end_denied(transfer);
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->deadline.is_connected = true;
    return CURL_PREREQFUNC_OK;
}

static size_t on_head_line(char *bytes, size_t size, size_t count, void *owner)
{
    take_line(owner, str_make(bytes, size * count));
    return size * count;
}

static size_t on_body_bytes(char *bytes, size_t size, size_t count, void *owner)
{
    struct transfer *transfer = owner;
    size_t len = size * count;
    if (transfer->phase == TRANSFER_ENDING || len == 0)
        return len;
    if (transfer->is_held) {
        transfer->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    take_body(transfer, str_make(bytes, len));
    return len;
}

/* ---- making a transfer ---- */

static bool set_constant_options(struct transfer *transfer)
{
    CURL *easy = transfer->easy;
    const struct http_client *client = transfer->client;
    return http_client_lanes_adopt_sockets(client->lanes, easy, &transfer->sockets) &&
           curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           (client->ca_file == NULL ||
            curl_easy_setopt(easy, CURLOPT_CAINFO, client->ca_file) == CURLE_OK) &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->curl_text) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head_line) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body_bytes) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer) == CURLE_OK;
}

static bool add_header(struct transfer *transfer, struct str name, struct str value)
{
    char line[4096];
    struct str between = value.len > 0 ? STR(": ") : STR(";"); /* libcurl's form of an empty one */
    size_t len = name.len + between.len + value.len;
    if (name.len >= sizeof line || value.len >= sizeof line || len >= sizeof line)
        return false;
    memcpy(line, name.at, name.len);
    memcpy(line + name.len, between.at, between.len);
    memcpy(line + name.len + between.len, value.at, value.len);
    line[len] = '\0';
    if (strlen(line) != len || memchr(line, '\n', len) != NULL) /* a NUL would cut it */
        return false;
    struct curl_slist *longer = curl_slist_append(transfer->headers, line);
    if (longer == NULL)
        return false;
    transfer->headers = longer;
    return true;
}

/* A proxy of the environment is for the outside world. */
static bool is_loopback(const char *url)
{
    return strstr(url, "://127.") != NULL || strstr(url, "://localhost") != NULL ||
           strstr(url, "://[::1]") != NULL;
}

static bool set_call_options(struct transfer *transfer, const struct http_call_options *options)
{
    CURL *easy = transfer->easy;
    bool has_body = options->body.at != NULL;
    /* No "Expect: 100-continue": it would cost a large prompt a round trip. */
    bool ok = add_header(transfer, STR("Expect"), STR(""));
    for (size_t i = 0; i < options->header_count && ok; i++)
        ok = add_header(transfer, options->headers[i].name, options->headers[i].value);
    ok =
        ok && curl_easy_setopt(easy, CURLOPT_URL, options->url) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PROXY,
                         is_loopback(options->url) || options->only_public ? "" : NULL) == CURLE_OK;
    if (ok && has_body)
        ok = curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)options->body.len) ==
                 CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_POSTFIELDS, options->body.at) == CURLE_OK;
    else if (ok)
        ok = curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L) == CURLE_OK;
    return ok && curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, options->method) == CURLE_OK;
}

/* A transfer, and unless it is direct an easy handle, kept or new. NULL: no memory. */
static struct transfer *take_transfer(struct http_client *client, bool is_direct)
{
    struct list *link = is_direct ? NULL : list_take_first(&client->idle);
    struct transfer *transfer;
    if (link != NULL) {
        client->idle_count--;
        transfer = list_item(link, struct transfer, link);
        CURL *easy = transfer->easy;
        char *curl_text = transfer->curl_text;
        curl_text[0] = '\0';
        *transfer = (struct transfer){.client = client, .easy = easy, .curl_text = curl_text};
        return transfer;
    }
    transfer = pool_take(client->pool);
    if (transfer == NULL)
        return NULL;
    transfer->client = client;
    if (is_direct)
        return transfer;
    transfer->easy = curl_easy_init();
    transfer->curl_text = mem_zalloc(1, CURL_ERROR_SIZE);
    if (transfer->easy != NULL && transfer->curl_text != NULL && set_constant_options(transfer))
        return transfer;
    discard(client, transfer);
    return NULL;
}

static void copy_limits(struct transfer *transfer, const struct http_call_options *options)
{
    transfer->deadline = (struct http_client_deadline){
        .connect_ms = options->connect_ms,
        .first_byte_ms = options->first_byte_ms,
        .idle_ms = options->idle_ms,
        .total_ms = options->total_ms,
        .started_ms = loop_now_ms(transfer->client->loop),
        .waiting_ms = loop_now_ms(transfer->client->loop),
    };
    transfer->begins_by_caller = options->begins_by_caller;
    transfer->sockets = (struct http_client_lanes_sockets){
        .lanes = transfer->client->lanes, .only_public = options->only_public};
    transfer->max_body_bytes =
        options->max_body_bytes == 0 ? DEFAULT_BODY_BYTES : options->max_body_bytes;
    arm_deadline(transfer);
}

static enum err_code prepare_direct(struct transfer *transfer,
                                    const struct http_call_options *options)
{
    return http_direct_prepare(&transfer->direct, transfer->client->direct,
                               &(struct http_direct_request){
                                   .url = options->url,
                                   .method = options->method,
                                   .headers = options->headers,
                                   .header_count = options->header_count,
                                   .body = options->body,
                               });
}

/* ---- the operation ---- */

static void begin_transfer(struct transfer *transfer)
{
    transfer->phase = TRANSFER_RUNNING;
    if (transfer->easy == NULL)
        http_direct_start(&transfer->direct);
    else if (http_client_lanes_add(transfer->client->lanes, transfer->easy, &transfer->lane) ==
             ERR_OK)
        transfer->in_lane = true;
    else
        end_with(transfer, ERR_NO_MEMORY, "no memory for a connection");
}

/* What a transfer does on a turn of its own: begin, resume or finish. */
static void run_task(struct loop_task *task)
{
    struct transfer *transfer = container_of(task, struct transfer, task);
    if (transfer->phase == TRANSFER_ENDING) {
        finish_transfer(transfer);
    } else if (transfer->phase == TRANSFER_STARTING) {
        begin_transfer(transfer);
    } else if (transfer->easy == NULL) {
        if (!transfer->is_held)
            http_direct_go(&transfer->direct);
    } else if (transfer->is_paused && !transfer->is_held) {
        transfer->is_paused = false;
        curl_easy_pause(transfer->easy, CURLPAUSE_CONT); /* may deliver what it kept */
    }
}

static struct transfer *transfer_of(struct op *op)
{
    return container_of(op, struct http_call, op)->impl;
}

static void cancel_call(struct op *op)
{
    if (transfer_of(op) != NULL)
        end_with(transfer_of(op), ERR_CANCELLED, "the call was cancelled");
}

static void hold_call(struct op *op)
{
    struct transfer *transfer = transfer_of(op);
    if (transfer == NULL)
        return;
    transfer->is_held = true;
    if (transfer->easy == NULL)
        http_direct_hold(&transfer->direct);
}

static void let_call_go(struct op *op)
{
    struct transfer *transfer = transfer_of(op);
    if (transfer == NULL)
        return;
    transfer->is_held = false;
    transfer->deadline.last_byte_ms = loop_now_ms(transfer->client->loop); /* silence from now */
    if (transfer->is_paused || (transfer->easy == NULL && transfer->phase == TRANSFER_RUNNING))
        loop_post(transfer->client->loop, &transfer->task, run_task);
}

void http_call_begun(struct http_call *call)
{
    struct transfer *transfer = transfer_of(&call->op);
    if (transfer == NULL || transfer->phase == TRANSFER_ENDING)
        return;
    transfer->deadline.last_byte_ms = loop_now_ms(transfer->client->loop);
    begin(transfer);
}

void http_call_at_work(struct http_call *call)
{
    struct transfer *transfer = transfer_of(&call->op);
    if (transfer != NULL)
        transfer->deadline.waiting_ms = loop_now_ms(transfer->client->loop);
}

static const struct op_kind call_kind = {
    .name = "http.call", .cancel = cancel_call, .hold = hold_call, .go = let_call_go};

void http_call_start(struct http_call *call, struct http_client *client,
                     const struct http_call_options *options, http_head_fn *on_head,
                     http_body_fn *on_body, struct op_waiter waiter)
{
    op_begin(&call->op, &call_kind, client->loop, waiter);
    call->status = 0;
    call->retry_after_ms = UINT64_MAX;
    call->pause_ms = 0;
    call->content_type[0] = '\0';
    call->got_body = false;
    call->client = client;
    call->on_head = on_head;
    call->on_body = on_body;
    bool is_closing = closing_is_begun(&client->closing);
    bool is_direct = client->direct != NULL && !options->only_public &&
                     http_direct_serves(client->direct, options->url);
    struct transfer *transfer = is_closing ? NULL : take_transfer(client, is_direct);
    call->impl = transfer;
    if (transfer == NULL) {
        op_finish(&call->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the client is being closed" : "no memory for a call");
        return;
    }
    transfer->call = call;
    http_client_head_init(&transfer->head);
    http_client_head_want(&transfer->head, options->wanted);
    copy_limits(transfer, options);
    list_push(&client->waiting, &transfer->link);
    closing_enter(&client->closing);
    enum err_code code = is_direct ? prepare_direct(transfer, options)
                                   : (set_call_options(transfer, options) ? ERR_OK : ERR_INVALID);
    if (code == ERR_OK)
        start_next(client);
    else
        end_with(transfer, code,
                 code == ERR_NO_MEMORY ? "no memory for a request"
                                       : "the call's address or headers cannot be sent");
}

/* ---- the client ---- */

static void close_lanes(struct closing *closing)
{
    struct http_client *client = container_of(closing, struct http_client, closing);
    for (struct list *link; (link = list_take_first(&client->idle)) != NULL;)
        discard(client, list_item(link, struct transfer, link));
    closing_enter(closing);
    http_client_lanes_close(client->lanes, closing_leave_part, closing);
    if (client->direct == NULL)
        return;
    closing_enter(closing);
    http_direct_close(client->direct, closing_leave_part, closing);
}

static void free_client(struct closing *closing)
{
    struct http_client *client = container_of(closing, struct http_client, closing);
    pool_destroy(client->pool);
    mem_free(client);
}

static const struct http_direct_events direct_events = {
    .connected = on_direct_connected,
    .line = on_direct_line,
    .body = on_direct_body,
    .ended = on_direct_ended,
};

struct http_client *http_client_create(struct loop *loop, const struct http_client_options *options)
{
    static closing_fn *const steps[] = {close_lanes, free_client, NULL};
    struct http_client *client = mem_zalloc(1, sizeof *client);
    if (client == NULL)
        return NULL;
    unsigned spread = options == NULL || options->spread == 0 ? DEFAULT_SPREAD : options->spread;
    unsigned most = options == NULL ? 0 : options->max_connections;
    uint64_t kept_ms = options == NULL || options->kept_ms == 0 ? KEPT_MS : options->kept_ms;
    client->loop = loop;
    client->ca_file = options == NULL ? NULL : options->ca_file;
    client->max_active = most == 0 ? SIZE_MAX : most;
    list_init(&client->transfers);
    closing_init(&client->closing, loop, steps);
    list_init(&client->waiting);
    list_init(&client->idle);
    bool is_direct = options == NULL || !options->only_libcurl;
    client->pool = pool_create(sizeof(struct transfer), KEPT_TRANSFERS);
    if (client->pool != NULL && is_direct)
        client->direct = http_direct_create(loop, kept_ms, &direct_events);
    if (client->pool != NULL && (client->direct != NULL || !is_direct))
        client->lanes = http_client_lanes_create(loop, spread > MAX_SPREAD ? MAX_SPREAD : spread,
                                                 kept_ms, on_transfer_ended);
    if (client->lanes != NULL)
        return client;
    if (client->direct != NULL)
        http_direct_close(client->direct, NULL, NULL);
    pool_destroy(client->pool);
    mem_free(client);
    return NULL;
}

void http_client_close(struct http_client *client, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&client->closing, on_closed, owner);
    LIST_EACH_SAFE(link, &client->waiting)
        end_with(list_item(link, struct transfer, link), ERR_CANCELLED, "the client was closed");
    LIST_EACH(link, &client->transfers)
        end_with(list_item(link, struct transfer, link), ERR_CANCELLED, "the client was closed");
}
