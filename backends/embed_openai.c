/* SPDX-License-Identifier: MIT */
/* backends/embed_openai.c - a call over a few lanes (embed_openai_lane.h), each asking for batches.
 *
 * Happy path: the texts that are not empty are put in order, as many lanes start as there are
 * batches, at most as many as requests may be in flight; the last one that ends finishes the call
 * with a row of zeros for each empty text.
 * Failure paths: not configured, closing or no memory ends the call before any I/O; the first lane
 * that fails, a cancel or closing ends it when all lanes have ended. */
#include "backends/embed_openai.h"

#include <stdio.h>

#include "backends/embed_openai_lane.h"
#include "core/base/mem.h"

enum { DEFAULT_BATCH_TEXTS = 2048, DEFAULT_BATCH_BYTES = 900000, DEFAULT_IN_FLIGHT = 4 };
enum { DEFAULT_TOTAL_MS = 60000, MOST_LANES = 16 };

static struct embed_openai *openai_of(struct embed *embed)
{
    return container_of(embed, struct embed_openai, embed);
}

static struct embed_openai_call *call_of(struct op *op)
{
    return container_of(op, struct embed_texts, op)->impl;
}

/* ---- ending ---- */

static void free_call(struct embed_openai_call *call)
{
    if (call == NULL)
        return;
    mem_free(call->order);
    mem_free(call->is_given);
    mem_free(call->lanes);
    mem_free(call->vectors);
    mem_free(call);
}

static void finish_call(struct embed_openai_call *call)
{
    struct embed_texts *texts = call->texts;
    list_remove(&call->link);
    mem_free(call->lanes);
    call->lanes = NULL;
    if (call->err.code == ERR_OK) {
        texts->vectors = call->vectors;
        texts->dimensions = call->openai->dimensions;
    }
    op_finish_err(&texts->op, &call->err);
}

void embed_openai_call_over(struct embed_openai_call *call)
{
    if (call->err.code == ERR_OK && call->vectors == NULL) { /* only empty texts */
        call->vectors =
            mem_zalloc(call->request->count, call->openai->dimensions * sizeof *call->vectors);
        if (call->vectors == NULL)
            err_set(&call->err, ERR_NO_MEMORY, "no memory for vectors");
    }
    finish_call(call);
}

static void cancel_call(struct embed_openai_call *call, const char *why)
{
    if (call->err.code != ERR_OK || call->active == 0)
        return; /* failed already, and its lanes are ending; or over */
    err_set(&call->err, ERR_CANCELLED, "%s", why);
    for (size_t i = 0; i < call->lane_count; i++)
        embed_openai_lane_cancel(&call->lanes[i]);
}

static void cancel_texts(struct op *op)
{
    cancel_call(call_of(op), "the embedding was cancelled");
}

static void release_texts(struct op *op)
{
    struct embed_texts *texts = container_of(op, struct embed_texts, op);
    free_call(texts->impl);
    texts->impl = NULL;
    texts->vectors = NULL;
}

static const struct op_kind texts_kind = {
    .name = "embed.openai", .cancel = cancel_texts, .release = release_texts};

/* ---- starting ---- */

/* Which texts to ask for: those that are not empty; one, if nothing else tells the dimensions. */
static void order_texts(struct embed_openai_call *call)
{
    for (size_t i = 0; i < call->request->count; i++)
        if (!embed_openai_lane_is_empty(call->request->texts[i]))
            call->order[call->order_count++] = (uint32_t)i;
    if (call->order_count == 0 && call->openai->dimensions == 0)
        call->order[call->order_count++] = 0;
}

static struct embed_openai_call *make_call(struct embed_openai *openai, struct embed_texts *texts)
{
    const struct embed_request *request = texts->request;
    struct embed_openai_call *call = mem_zalloc(1, sizeof *call);
    if (call == NULL)
        return NULL;
    call->openai = openai;
    call->texts = texts;
    call->request = request;
    call->order = mem_zalloc(request->count, sizeof *call->order);
    call->is_given = mem_zalloc(request->count, sizeof *call->is_given);
    if (call->order != NULL && call->is_given != NULL) {
        order_texts(call);
        call->lane_count =
            size_min(size_min(openai->options.in_flight, MOST_LANES), call->order_count);
        call->lanes = mem_zalloc(size_max(1, call->lane_count), sizeof *call->lanes);
    }
    if (call->lanes != NULL)
        return call;
    free_call(call);
    return NULL;
}

static void start_texts(struct embed *embed, struct embed_texts *texts, struct op_waiter waiter)
{
    struct embed_openai *openai = openai_of(embed);
    const struct embed_request *request = texts->request;
    struct err err = {0};
    CHECK(request->count >= 1 && request->count <= EMBED_MAX_TEXTS);
    op_begin(&texts->op, &texts_kind, embed->loop, waiter);
    texts->impl = NULL;
    if (openai_peer_ready(&openai->peer, &err) != ERR_OK) {
        op_finish_err(&texts->op, &err);
        return;
    }
    struct embed_openai_call *call = openai->closing ? NULL : make_call(openai, texts);
    texts->impl = call;
    if (call == NULL) {
        op_finish(&texts->op, openai->closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  openai->closing ? "the embeddings are being closed" : "no memory to embed texts");
        return;
    }
    call->deadline_ms = loop_now_ms(embed->loop) +
                        (request->timeout_ms != 0 ? request->timeout_ms : openai->options.total_ms);
    list_push(&openai->calls, &call->link);
    for (size_t i = 0; i < call->lane_count; i++)
        call->lanes[i].call = call;
    if (call->order_count == 0)
        embed_openai_call_over(call);
    for (size_t i = 0; call->lanes != NULL && i < call->lane_count; i++)
        embed_openai_lane_start(&call->lanes[i]);
}

static enum err_code tell_ready(struct embed *embed, struct err *err)
{
    return openai_peer_ready(&openai_of(embed)->peer, err);
}

/* ---- closing ---- */

static void free_openai(struct embed_openai *openai)
{
    openai_peer_fini(&openai->peer);
    mem_free(openai);
}

static void tell_closed(struct loop_task *task)
{
    struct embed_openai *openai = container_of(task, struct embed_openai, closed_task);
    void (*on_closed)(void *owner) = openai->on_closed;
    void *owner = openai->closed_owner;
    gate_fini(&openai->gate);
    free_openai(openai);
    if (on_closed != NULL)
        on_closed(owner);
}

/* Again on every turn until the last call has ended; told a turn later, when its done was called.
 */
static void close_when_empty(struct loop_task *task)
{
    struct embed_openai *openai = container_of(task, struct embed_openai, closed_task);
    loop_post(openai->embed.loop, task,
              list_is_empty(&openai->calls) ? tell_closed : close_when_empty);
}

static void close_openai(struct embed *embed, void (*on_closed)(void *owner), void *owner)
{
    struct embed_openai *openai = openai_of(embed);
    CHECK(!openai->closing);
    openai->closing = true;
    openai->on_closed = on_closed;
    openai->closed_owner = owner;
    LIST_EACH(link, &openai->calls)
        cancel_call(list_item(link, struct embed_openai_call, link),
                    "the embeddings are being closed");
    loop_post(embed->loop, &openai->closed_task, close_when_empty);
}

static const struct embed_vtable plain_vtable = {
    .name = "openai", .texts_start = start_texts, .ready = tell_ready, .close = close_openai};
static const struct embed_vtable azure_vtable = {
    .name = "azure", .texts_start = start_texts, .ready = tell_ready, .close = close_openai};

/* ---- making ---- */

static void set_options(struct embed_openai *openai, const struct embed_openai_options *options)
{
    struct embed_openai_options *set = &openai->options;
    *set = *options;
    set->batch_texts = set->batch_texts == 0 ? DEFAULT_BATCH_TEXTS : set->batch_texts;
    set->batch_bytes = set->batch_bytes == 0 ? DEFAULT_BATCH_BYTES : set->batch_bytes;
    set->in_flight = set->in_flight == 0 ? DEFAULT_IN_FLIGHT : set->in_flight;
    set->total_ms = set->total_ms == 0 ? DEFAULT_TOTAL_MS : set->total_ms;
    openai->backoff = backoff_of(set->max_attempts, set->backoff_ms, 0);
    openai->dimensions = set->dimensions;
    if (set->dimensions > 0)
        snprintf(openai->model, sizeof openai->model, "%s/%zu", set->model, set->dimensions);
    else
        snprintf(openai->model, sizeof openai->model, "%s", set->model);
}

struct embed *embed_openai_create(struct loop *loop, struct http_client *client,
                                  const struct embed_openai_options *options)
{
    struct embed_openai *openai = mem_zalloc(1, sizeof *openai);
    if (openai == NULL)
        return NULL;
    set_options(openai, options);
    openai->client = client;
    list_init(&openai->calls);
    openai->embed =
        (struct embed){.vtable = options->api_version != NULL ? &azure_vtable : &plain_vtable,
                       .loop = loop,
                       .model = str_of(openai->model)};
    if (!openai_peer_init(&openai->peer, &(struct openai_peer_options){
                                             .what = "embeddings",
                                             .base_url = options->base_url,
                                             .api_key = options->api_key,
                                             .key_optional = options->key_optional,
                                             .key_variable = options->key_variable,
                                             .model = options->model,
                                             .model_variable = options->model_variable,
                                             .api_version = options->api_version,
                                             .without = "ASKD_EMBEDDINGS=hash",
                                             .write_url = openai_write_embeddings_url,
                                         })) {
        free_openai(openai);
        return NULL;
    }
    gate_init(&openai->gate, loop, "embeddings", openai->options.in_flight, SIZE_MAX);
    return &openai->embed;
}
