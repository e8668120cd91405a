/* SPDX-License-Identifier: MIT */
/* backends/models/embed_openai.c - a call over a few lanes, each asking for batch after batch.
 *
 * Happy path: the texts that are not empty are put in order, as many lanes start as there are
 * batches, at most as many as requests may be in flight. A lane takes the next batch, waits for a
 * place at the gate and sends the request; each vector goes to its row as it comes; the place is
 * given back; again until no batch is left. The last lane that ends finishes the call with a row of
 * zeros for each empty text.
 * Failure paths:
 * - not configured, closing or no memory ends the call before any I/O;
 * - what passes by itself (backoff.h), with attempts and time left: again after a wait;
 * - a server that refuses base64: again at once, for numbers;
 * - vectors for texts nobody asked for, twice, too few, or of another size: ERR_PROTOCOL;
 * - anything else, or nothing left: the call's error, and every other lane is cancelled; a
 *   cancel or closing cancels all lanes. The call ends when all lanes have ended. */
#include "backends/models/embed_openai.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/loop/backoff.h"
#include "backends/models/model_peer.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/gate.h"
#include "proto/models/openai.h"
#include "proto/models/openai_embeddings.h"

enum { DEFAULT_BATCH_TEXTS = 2048, DEFAULT_BATCH_BYTES = 900000, DEFAULT_IN_FLIGHT = 4 };
enum { DEFAULT_TOTAL_MS = 60000, MOST_LANES = 16 };
enum { REQUEST_OVERHEAD = 64 << 10, REFUSAL_BYTES = 64 << 10 };
enum { ANSWER_OVERHEAD = 1 << 20, ANSWER_BYTES_PER_TEXT = 128 << 10 };

struct embed_openai {
    struct embed embed;
    struct http_client *client;
    struct embed_openai_options options;
    struct model_peer peer;
    struct backoff backoff;
    struct gate gate;
    struct list calls;
    size_t dimensions;      /* of every vector; 0: none came yet and none were asked for */
    bool no_base64;         /* the server refused it */
    struct closing closing; /* out: calls */
    char model[160];        /* with the dimensions asked for */
};

struct call;

struct lane {
    struct call *call;
    struct gate_ticket ticket;
    struct http_call http;
    struct delay delay;
    size_t from, count; /* the batch: of call->order */
    size_t given;       /* vectors that came for it */
    unsigned attempts;
    bool is_stopped; /* given up from within, for err */
    struct err err;
    struct buf body, refusal; /* the request; an answer that is not 200 */
    struct openai_embeddings reader;
};

struct call { /* from start to release */
    struct list link;
    struct embed_openai *openai;
    struct embed_texts *texts;
    const struct embed_request *request;
    uint64_t deadline_ms;
    uint32_t *order; /* texts to ask for */
    size_t order_count, next;
    float *vectors; /* made with the first one */
    bool *is_given; /* a row came */
    struct err err; /* the first failure */
    size_t lane_count, active;
    struct lane *lanes;
};

static void take_batch(struct lane *lane);
static void begin_attempt(struct lane *lane);

/* Whether text gets the zero vector without being asked for. */
static bool is_empty(struct str text)
{
    return str_is_empty(str_trim(text));
}

static struct embed_openai *openai_of(struct embed *embed)
{
    return container_of(embed, struct embed_openai, embed);
}

static struct call *call_of(struct op *op)
{
    return container_of(op, struct embed_texts, op)->impl;
}

/* ---- the call ends ---- */

static void free_call(struct call *call)
{
    if (call == NULL)
        return;
    mem_free(call->order);
    mem_free(call->is_given);
    mem_free(call->lanes);
    mem_free(call->vectors);
    mem_free(call);
}

static void finish_call(struct call *call)
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
    closing_leave(&call->openai->closing);
}

/* No lane is active any more. */
static void end_call(struct call *call)
{
    if (call->err.code == ERR_OK && call->vectors == NULL) { /* only empty texts */
        call->vectors =
            mem_zalloc(call->request->count, call->openai->dimensions * sizeof *call->vectors);
        if (call->vectors == NULL)
            err_set(&call->err, ERR_NO_MEMORY, "no memory for vectors");
    }
    finish_call(call);
}

static uint64_t time_left(const struct lane *lane)
{
    uint64_t now_ms = loop_now_ms(lane->call->openai->embed.loop);
    return lane->call->deadline_ms > now_ms ? lane->call->deadline_ms - now_ms : 0;
}

/* ---- a lane ends ---- */

static void clear_request(struct lane *lane)
{
    openai_embeddings_fini(&lane->reader);
    buf_fini(&lane->body);
    buf_fini(&lane->refusal);
}

static void end_lane(struct lane *lane)
{
    struct call *call = lane->call;
    op_release(&lane->ticket.op); /* leaves the gate */
    op_release(&lane->http.op);
    op_release(&lane->delay.op);
    if (--call->active == 0)
        end_call(call);
}

/* Give up; the lane ends on a later turn. */
static void cancel_lane(struct lane *lane)
{
    op_cancel(&lane->ticket.op);
    op_cancel(&lane->http.op);
    op_cancel(&lane->delay.op);
}

/* The first failure is the call's; the others follow from it. */
static void fail_call(struct lane *lane, const struct err *err)
{
    struct call *call = lane->call;
    if (call->err.code == ERR_OK) {
        call->err = *err;
        for (size_t i = 0; i < call->lane_count; i++)
            if (&call->lanes[i] != lane)
                cancel_lane(&call->lanes[i]);
    }
    end_lane(lane);
}

/* ---- vectors ---- */

static enum err_code make_rows(struct call *call, size_t dimensions, struct err *err)
{
    struct embed_openai *openai = call->openai;
    if (openai->dimensions == 0)
        openai->dimensions = dimensions;
    if (openai->dimensions != dimensions)
        return err_set(err, ERR_PROTOCOL,
                       "the embeddings server gave a vector of %zu numbers where %zu were expected",
                       dimensions, openai->dimensions);
    if (call->vectors == NULL)
        call->vectors = mem_zalloc(call->request->count, dimensions * sizeof *call->vectors);
    return call->vectors != NULL ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for vectors");
}

static void put_row(float *row, const float *vector, size_t dimensions)
{
    double sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += (double)vector[i] * (double)vector[i];
    double factor = sum > 0 ? 1 / sqrt(sum) : 0;
    for (size_t i = 0; i < dimensions; i++)
        row[i] = (float)(vector[i] * factor);
}

static enum err_code take_vector(void *owner, uint64_t index, const float *vector,
                                 size_t dimensions, struct err *err)
{
    struct lane *lane = owner;
    struct call *call = lane->call;
    if (index >= lane->count)
        return err_set(err, ERR_PROTOCOL,
                       "the embeddings server gave a vector for text %" PRIu64 " of %zu", index + 1,
                       lane->count);
    size_t text = call->order[lane->from + index];
    if (call->is_given[text])
        return err_set(err, ERR_PROTOCOL, "the embeddings server gave two vectors for one text");
    if (make_rows(call, dimensions, err) != ERR_OK)
        return err->code;
    if (!is_empty(call->request->texts[text]))
        put_row(call->vectors + text * dimensions, vector, dimensions);
    call->is_given[text] = true;
    lane->given++;
    return ERR_OK;
}

/* ---- the answer ---- */

/* Give up from within: the reason is kept, the transfer ends on a later turn. */
static void stop(struct lane *lane, const struct err *err)
{
    lane->is_stopped = true;
    lane->err = *err;
    op_cancel(&lane->http.op);
}

static void on_body(struct http_call *http, struct str bytes)
{
    struct lane *lane = http->user;
    struct err err;
    if (lane->is_stopped)
        return;
    if (http->status != 200) /* what does not fit is no part of a message */
        buf_push(&lane->refusal, str_slice(bytes, 0, REFUSAL_BYTES - buf_len(&lane->refusal)));
    else if (openai_embeddings_feed(&lane->reader, bytes, &err) != ERR_OK)
        stop(lane, &err);
}

/* The longest text of the batch, when the server says that one is too long. */
static void explain_length(const struct lane *lane, struct err *err)
{
    const struct call *call = lane->call;
    size_t longest = call->order[lane->from];
    for (size_t i = 0; i < lane->count; i++)
        if (call->request->texts[call->order[lane->from + i]].len >
            call->request->texts[longest].len)
            longest = call->order[lane->from + i];
    struct err cause = *err;
    err_set(err, ERR_TOO_LARGE, "text %zu of %zu with its %zu bytes is longer than '%s' takes: %s",
            longest + 1, call->request->count, call->request->texts[longest].len,
            call->openai->options.model, cause.text);
}

static bool says(const struct lane *lane, const char *words)
{
    return str_find(buf_str(&lane->refusal), str_of(words)) != STR_NONE;
}

static bool says_too_long(const struct lane *lane)
{
    return lane->http.status == 413 ||
           (lane->http.status < 500 &&
            (says(lane, "context length") || says(lane, "context_length") ||
             says(lane, "input is too long")));
}

/* What the transfer's end means; *again: ask at once, in the plainer form. */
static void judge(struct lane *lane, struct err *err, bool *again)
{
    struct embed_openai *openai = lane->call->openai;
    const struct http_call *http = &lane->http;
    struct model_answer answer;
    if (lane->is_stopped) {
        *err = lane->err;
    } else if (http->op.err.code != ERR_OK) {
        model_peer_explain_transport(&openai->peer, &http->op.err, http->got_body, err);
    } else if (http->status != 200) {
        *again = http->status < 429 && !openai->no_base64 &&
                 (says(lane, "encoding_format") || says(lane, "base64"));
        model_peer_explain_status(&openai->peer, http->status, buf_str(&lane->refusal), NULL, err);
        if (err->code == ERR_REJECTED && says_too_long(lane))
            explain_length(lane, err);
    } else if (openai_embeddings_end(&lane->reader, &answer, err) == ERR_OK) {
        lane->call->texts->tokens += answer.usage.prompt_tokens;
        if (lane->given != lane->count)
            err_set(err, ERR_PROTOCOL, "the embeddings server gave %zu vectors for %zu texts",
                    lane->given, lane->count);
    }
    model_peer_blank_key(&openai->peer, err);
}

static void on_waited(struct op *op)
{
    struct lane *lane = op_owner(op);
    if (op->err.code != ERR_OK || lane->call->err.code != ERR_OK)
        fail_call(lane, &op->err);
    else
        begin_attempt(lane);
}

static void retry_or_fail(struct lane *lane, const struct err *err)
{
    const struct embed_openai *openai = lane->call->openai;
    uint64_t wait_ms = backoff_wait_ms(&openai->backoff, lane->attempts, lane->http.retry_after_ms);
    bool may_retry =
        (backoff_is_weather(err->code) || err->code == ERR_BUSY) && lane->call->err.code == ERR_OK;
    if (!may_retry || lane->attempts >= openai->backoff.max_attempts ||
        wait_ms >= time_left(lane)) {
        fail_call(lane, err);
        return;
    }
    if (openai->options.log != NULL)
        LOG(openai->options.log, WARN, "embed.retry",
            "attempt=%u wait_ms=%" PRIu64 " code=%s reason=\"%s\"", lane->attempts, wait_ms,
            err_name(err->code), err->text);
    delay_start(&lane->delay, openai->embed.loop, wait_ms,
                (struct op_waiter){.done = on_waited, .owner = lane});
}

static void on_call_done(struct op *op)
{
    struct lane *lane = op_owner(op);
    struct call *call = lane->call;
    struct err err = {0};
    bool again = false;
    judge(lane, &err, &again);
    clear_request(lane);
    if (call->err.code != ERR_OK) { /* cancelled, or another lane failed */
        end_lane(lane);
    } else if (again) {
        call->openai->no_base64 = true;
        lane->attempts--;
        begin_attempt(lane);
    } else if (err.code != ERR_OK) {
        retry_or_fail(lane, &err);
    } else {
        op_release(&lane->ticket.op); /* others may have their turn */
        take_batch(lane);
    }
}

/* ---- the request ---- */

static void write_body(struct lane *lane)
{
    const struct call *call = lane->call;
    const struct embed_openai_options *options = &call->openai->options;
    struct str *texts = mem_zalloc(lane->count, sizeof *texts);
    size_t bytes = REQUEST_OVERHEAD;
    for (size_t i = 0; texts != NULL && i < lane->count; i++) {
        texts[i] = call->request->texts[call->order[lane->from + i]];
        if (is_empty(texts[i]))
            texts[i] = STR("-");       /* asked for to learn the dimensions; its row stays zero */
        bytes += texts[i].len * 6 + 3; /* all of it escaped */
    }
    buf_init(&lane->body, bytes);
    if (texts == NULL)
        (void)!buf_reserve(&lane->body, bytes + 1); /* fails */
    else
        openai_write_texts(
            &lane->body,
            &(struct openai_texts){
                .model = options->api_version != NULL ? STR("") : str_of(options->model),
                .texts = texts,
                .count = lane->count,
                .dimensions = options->dimensions,
                .base64 = !call->openai->no_base64,
            });
    mem_free(texts);
}

static void post(struct lane *lane)
{
    const struct embed_openai *openai = lane->call->openai;
    const struct embed_openai_options *options = &openai->options;
    struct model_peer_headers headers;
    model_peer_write_headers(&openai->peer, STR("application/json"),
                             lane->call->texts->op.waiter.trace, &headers);
    lane->http.user = lane;
    http_call_start(&lane->http, openai->client,
                    &(struct http_call_options){
                        .url = openai->peer.url.at,
                        .method = "POST",
                        .headers = headers.at,
                        .header_count = headers.count,
                        .body = buf_str(&lane->body),
                        .connect_ms = options->connect_ms,
                        .idle_ms = options->idle_ms,
                        .total_ms = size_max(1, time_left(lane)),
                        .max_body_bytes = ANSWER_OVERHEAD + lane->count * ANSWER_BYTES_PER_TEXT,
                    },
                    NULL, on_body, (struct op_waiter){.done = on_call_done, .owner = lane});
}

static void begin_attempt(struct lane *lane)
{
    struct call *call = lane->call;
    struct err err;
    lane->attempts++;
    lane->given = 0;
    lane->is_stopped = false;
    for (size_t i = 0; i < lane->count; i++)
        call->is_given[call->order[lane->from + i]] = false;
    openai_embeddings_init(&lane->reader, take_vector, lane);
    buf_init(&lane->refusal, REFUSAL_BYTES);
    write_body(lane);
    if (buf_ok(&lane->body)) {
        post(lane);
        return;
    }
    clear_request(lane);
    err_set(&err, ERR_NO_MEMORY, "no memory for a request of %zu texts", lane->count);
    fail_call(lane, &err);
}

/* ---- the batch ---- */

static void on_place(struct op *op)
{
    struct lane *lane = op_owner(op);
    if (op->err.code != ERR_OK || lane->call->err.code != ERR_OK)
        fail_call(lane, &op->err);
    else
        begin_attempt(lane);
}

static void take_batch(struct lane *lane)
{
    struct call *call = lane->call;
    const struct embed_openai_options *options = &call->openai->options;
    size_t bytes = 0;
    lane->from = call->next;
    lane->attempts = 0;
    while (call->next < call->order_count && call->next - lane->from < options->batch_texts) {
        bytes += call->request->texts[call->order[call->next]].len;
        if (call->next > lane->from && bytes > options->batch_bytes)
            break;
        call->next++;
    }
    lane->count = call->next - lane->from;
    if (lane->count == 0)
        end_lane(lane);
    else
        gate_enter_start(&lane->ticket, &call->openai->gate, time_left(lane),
                         (struct op_waiter){.done = on_place, .owner = lane});
}

/* Begin on the call's next batch, if there is one; call->active counts the lanes that did. */
static void start_lane(struct lane *lane)
{
    lane->call->active++;
    take_batch(lane);
}

/* ---- the call is given up ---- */

static void cancel_call(struct call *call, const char *why)
{
    if (call->err.code != ERR_OK || call->active == 0)
        return; /* failed already, and its lanes are ending; or over */
    err_set(&call->err, ERR_CANCELLED, "%s", why);
    for (size_t i = 0; i < call->lane_count; i++)
        cancel_lane(&call->lanes[i]);
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
static void order_texts(struct call *call)
{
    for (size_t i = 0; i < call->request->count; i++)
        if (!is_empty(call->request->texts[i]))
            call->order[call->order_count++] = (uint32_t)i;
    if (call->order_count == 0 && call->openai->dimensions == 0)
        call->order[call->order_count++] = 0;
}

static struct call *make_call(struct embed_openai *openai, struct embed_texts *texts)
{
    const struct embed_request *request = texts->request;
    struct call *call = mem_zalloc(1, sizeof *call);
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
    if (model_peer_ready(&openai->peer, &err) != ERR_OK) {
        op_finish_err(&texts->op, &err);
        return;
    }
    bool is_closing = closing_is_begun(&openai->closing);
    struct call *call = is_closing ? NULL : make_call(openai, texts);
    texts->impl = call;
    if (call == NULL) {
        op_finish(&texts->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the embeddings are being closed" : "no memory to embed texts");
        return;
    }
    call->deadline_ms = loop_now_ms(embed->loop) +
                        (request->timeout_ms != 0 ? request->timeout_ms : openai->options.total_ms);
    list_push(&openai->calls, &call->link);
    closing_enter(&openai->closing);
    for (size_t i = 0; i < call->lane_count; i++)
        call->lanes[i].call = call;
    if (call->order_count == 0)
        end_call(call);
    for (size_t i = 0; call->lanes != NULL && i < call->lane_count; i++)
        start_lane(&call->lanes[i]);
}

static enum err_code tell_ready(struct embed *embed, struct err *err)
{
    return model_peer_ready(&openai_of(embed)->peer, err);
}

/* ---- closing ---- */

static void free_openai(struct embed_openai *openai)
{
    model_peer_fini(&openai->peer);
    mem_free(openai);
}

static void free_closed(struct closing *closing)
{
    struct embed_openai *openai = container_of(closing, struct embed_openai, closing);
    gate_fini(&openai->gate);
    free_openai(openai);
}

static void close_openai(struct embed *embed, void (*on_closed)(void *owner), void *owner)
{
    struct embed_openai *openai = openai_of(embed);
    closing_begin(&openai->closing, on_closed, owner);
    LIST_EACH(link, &openai->calls)
        cancel_call(list_item(link, struct call, link), "the embeddings are being closed");
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
    static closing_fn *const steps[] = {free_closed, NULL};
    struct embed_openai *openai = mem_zalloc(1, sizeof *openai);
    if (openai == NULL)
        return NULL;
    set_options(openai, options);
    openai->client = client;
    list_init(&openai->calls);
    closing_init(&openai->closing, loop, steps);
    openai->embed =
        (struct embed){.vtable = options->api_version != NULL ? &azure_vtable : &plain_vtable,
                       .loop = loop,
                       .model = str_of(openai->model)};
    bool is_azure = options->api_version != NULL;
    if (!model_peer_init(&openai->peer,
                         &(struct model_peer_options){
                             .what = "embeddings",
                             .wire = is_azure ? MODEL_WIRE_AZURE : MODEL_WIRE_OPENAI,
                             .url_variable = is_azure ? "AZURE_OPENAI_ENDPOINT" : "OPENAI_BASE_URL",
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