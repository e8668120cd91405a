/* SPDX-License-Identifier: MIT */
/* backends/models/rerank_http.c - one request a call, behind a breaker.
 *
 * Happy path: the breaker lets the call through, the body is written and sent, the answer's scores
 * become the result.
 * Failure paths: not configured, closing, no memory or an open breaker ends the call before any
 * I/O; no connection, late, a status that is not 200, an answer of another form: the error, in
 * words of whoever runs the server. */
#include "backends/models/rerank_http.h"

#include "backends/models/model_peer.h"
#include "core/base/mem.h"
#include "core/loop/breaker.h"
#include "core/loop/closing.h"
#include "proto/models/rerank_wire.h"

enum { CONNECT_MS = 5000, DEFAULT_TOTAL_MS = 10000, DEFAULT_FAILURES = 5, DEFAULT_OPEN_MS = 30000 };
enum {
    TEXT_BYTES = 8192, /* of one text: some 2,000 tokens, more than most rerankers read */
    QUERY_BYTES = 8192,
    BODY_BYTES = 2 << 20,  /* escaped, and the rest */
    ANSWER_BYTES = 1 << 20 /* some servers send the texts back */
};

struct rerank_http {
    struct rerank rerank;
    struct http_client *client;
    struct rerank_http_options options;
    struct model_peer peer;
    struct breaker breaker;
    struct err last; /* the last failure of weather */
    struct list calls;
    struct closing closing; /* out: calls */
};

struct call {
    struct list link;
    struct rerank_http *http;
    struct rerank_texts *texts;
    struct http_call request;
    struct buf body, answer;
    bool is_probe;
};

static struct rerank_http *http_of(struct rerank *rerank)
{
    return container_of(rerank, struct rerank_http, rerank);
}

/* ---- the end ---- */

static void free_call(struct call *call)
{
    op_release(&call->request.op);
    buf_fini(&call->body);
    buf_fini(&call->answer);
    mem_free(call);
}

/* The one way a call ends that the breaker let through. */
static void finish(struct call *call, struct err *err)
{
    struct rerank_http *http = call->http;
    struct rerank_texts *texts = call->texts;
    breaker_tell(&http->breaker, loop_now_ms(http->rerank.loop), err->code, call->is_probe);
    if (err->code != ERR_OK) {
        model_peer_blank_key(&http->peer, err);
        http->last = *err;
    }
    list_remove(&call->link);
    free_call(call);
    texts->impl = NULL;
    op_finish_err(&texts->op, err);
    closing_leave(&http->closing);
}

static void cancel(struct op *op)
{
    struct call *call = container_of(op, struct rerank_texts, op)->impl;
    if (call != NULL)
        op_cancel(&call->request.op);
}

static const struct op_kind kind = {.name = "rerank.http", .cancel = cancel};

static void read_answer(struct call *call, struct err *err)
{
    struct rerank_texts *texts = call->texts;
    struct arena arena;
    if (call->request.status != 200) {
        model_peer_explain_status(&call->http->peer, call->request.status, buf_str(&call->answer),
                                  NULL, err);
        return;
    }
    arena_init(&arena, 16 * (size_t)ANSWER_BYTES); /* as a tree */
    if (rerank_wire_read(&arena, buf_str(&call->answer), texts->scores, texts->request->count,
                         err) != ERR_OK)
        err_prefix(err, "the reranker's answer is not understood");
    arena_fini(&arena);
}

static void on_answered(struct op *op)
{
    struct call *call = op_owner(op);
    struct err err = op->err;
    if (err.code != ERR_OK)
        model_peer_explain_transport(&call->http->peer, &op->err, call->request.got_body, &err);
    else if (!buf_ok(&call->answer))
        err_set(&err, ERR_NO_MEMORY, "no memory for the reranker's answer");
    else
        read_answer(call, &err);
    finish(call, &err);
}

static void on_body(struct http_call *request, struct str bytes)
{
    struct call *call = request->user;
    buf_push(&call->answer, bytes);
}

/* ---- starting ---- */

static void send_request(struct call *call, const struct trace_place *trace)
{
    const struct rerank_http *http = call->http;
    const struct rerank_request *request = call->texts->request;
    struct model_peer_headers headers;
    model_peer_write_headers(&http->peer, STR("application/json"), trace, &headers);
    call->request.user = call;
    http_call_start(
        &call->request, http->client,
        &(struct http_call_options){
            .url = http->peer.url.at,
            .method = "POST",
            .headers = headers.at,
            .header_count = headers.count,
            .body = buf_str(&call->body),
            .connect_ms = CONNECT_MS,
            .total_ms = request->timeout_ms != 0 ? request->timeout_ms : http->options.total_ms,
            .max_body_bytes = ANSWER_BYTES,
        },
        NULL, on_body, (struct op_waiter){.done = on_answered, .owner = call});
}

/* NULL: no memory. */
static struct call *make_call(struct rerank_http *http, struct rerank_texts *texts)
{
    const struct rerank_request *request = texts->request;
    struct call *call = mem_zalloc(1, sizeof *call);
    if (call == NULL)
        return NULL;
    call->http = http;
    call->texts = texts;
    buf_init(&call->body, BODY_BYTES);
    buf_init(&call->answer, ANSWER_BYTES);
    rerank_wire_write(&call->body, &(struct rerank_wire_request){
                                       .model = str_of(http->options.model),
                                       .query = str_utf8_prefix(request->query, QUERY_BYTES),
                                       .texts = request->texts,
                                       .count = request->count,
                                       .text_bytes = TEXT_BYTES});
    if (buf_ok(&call->body))
        return call;
    free_call(call);
    return NULL;
}

/* Whether a call may be made at all; sets err when not. */
static bool may_ask(struct rerank_http *http, bool *is_probe, struct err *err)
{
    if (closing_is_begun(&http->closing))
        err_set(err, ERR_CANCELLED, "the reranker is being closed");
    else if (model_peer_ready(&http->peer, err) == ERR_OK &&
             !breaker_admits(&http->breaker, loop_now_ms(http->rerank.loop), is_probe))
        err_set(err, ERR_UNAVAILABLE, "left alone for a while, it failed %u times in a row: %s",
                http->breaker.failures, http->last.text);
    return err->code == ERR_OK;
}

static void start_texts(struct rerank *rerank, struct rerank_texts *texts, struct op_waiter waiter)
{
    struct rerank_http *http = http_of(rerank);
    struct err err = {0};
    bool is_probe = false;
    CHECK(texts->request->count >= 1 && texts->request->count <= RERANK_MAX_TEXTS);
    op_begin(&texts->op, &kind, rerank->loop, waiter);
    texts->impl = NULL;
    if (!may_ask(http, &is_probe, &err)) {
        op_finish_err(&texts->op, &err);
        return;
    }
    struct call *call = make_call(http, texts);
    if (call == NULL) {
        breaker_tell(&http->breaker, loop_now_ms(rerank->loop), ERR_CANCELLED, is_probe);
        op_finish(&texts->op, ERR_NO_MEMORY, "no memory to ask the reranker");
        return;
    }
    call->is_probe = is_probe;
    texts->impl = call;
    list_push(&http->calls, &call->link);
    closing_enter(&http->closing);
    send_request(call, waiter.trace);
}

static enum err_code tell_ready(struct rerank *rerank, struct err *err)
{
    const struct rerank_http *http = http_of(rerank);
    if (http->breaker.state == BREAKER_OPEN)
        return err_set(err, ERR_UNAVAILABLE, "it failed %u times in a row: %s",
                       http->breaker.failures, http->last.text);
    return model_peer_ready(&http->peer, err);
}

/* ---- closing and making ---- */

static void free_http(struct rerank_http *http)
{
    model_peer_fini(&http->peer);
    mem_free(http);
}

static void free_closed(struct closing *closing)
{
    free_http(container_of(closing, struct rerank_http, closing));
}

static void close_http(struct rerank *rerank, void (*on_closed)(void *owner), void *owner)
{
    struct rerank_http *http = http_of(rerank);
    closing_begin(&http->closing, on_closed, owner);
    LIST_EACH(link, &http->calls)
        op_cancel(&list_item(link, struct call, link)->request.op);
}

static const struct rerank_vtable vtable = {
    .name = "http", .texts_start = start_texts, .ready = tell_ready, .close = close_http};

struct rerank *rerank_http_create(struct loop *loop, struct http_client *client,
                                  const struct rerank_http_options *options)
{
    static closing_fn *const steps[] = {free_closed, NULL};
    struct rerank_http *http = mem_zalloc(1, sizeof *http);
    if (http == NULL)
        return NULL;
    struct rerank_http_options *set = &http->options;
    *set = *options;
    set->total_ms = set->total_ms == 0 ? DEFAULT_TOTAL_MS : set->total_ms;
    http->client = client;
    http->breaker =
        (struct breaker){set->breaker_failures == 0 ? DEFAULT_FAILURES : set->breaker_failures,
                         set->breaker_open_ms == 0 ? DEFAULT_OPEN_MS : set->breaker_open_ms,
                         "rerank.breaker", set->log};
    http->rerank = (struct rerank){.vtable = &vtable, .loop = loop};
    list_init(&http->calls);
    closing_init(&http->closing, loop, steps);
    if (model_peer_init(&http->peer, &(struct model_peer_options){
                                         .what = "reranker",
                                         .wire = MODEL_WIRE_OPENAI,
                                         .url_variable = "ASKD_RERANK_URL",
                                         .base_url = set->base_url,
                                         .api_key = set->api_key,
                                         .key_optional = true,
                                         .key_variable = "ASKD_RERANK_KEY",
                                         .model = set->model,
                                         .model_variable = NULL,
                                         .without = "no ASKD_RERANK_URL",
                                         .write_url = rerank_wire_write_url,
                                     }))
        return &http->rerank;
    free_http(http);
    return NULL;
}
