/* SPDX-License-Identifier: MIT */
/* backends/embed_openai_lane.c - take a batch, ask for it until it came, take the next.
 *
 * Happy path: the next batch, a place at the gate, the request; each vector goes to its row as it
 * comes; the place is given back; again until no batch is left.
 * Failure paths:
 * - what passes by itself (backoff.h), with attempts and time left: again after a wait;
 * - a server that refuses base64: again at once, for numbers;
 * - vectors for texts nobody asked for, twice, too few, or of another size: ERR_PROTOCOL;
 * - anything else, or nothing left: the call's error, and every other lane is cancelled. */
#include "backends/embed_openai_lane.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/mem.h"

enum { REQUEST_OVERHEAD = 64 << 10, REFUSAL_BYTES = 64 << 10 };
enum { ANSWER_OVERHEAD = 1 << 20, ANSWER_BYTES_PER_TEXT = 128 << 10 };

static void take_batch(struct embed_openai_lane *lane);
static void begin_attempt(struct embed_openai_lane *lane);

static uint64_t time_left(const struct embed_openai_lane *lane)
{
    uint64_t now_ms = loop_now_ms(lane->call->openai->embed.loop);
    return lane->call->deadline_ms > now_ms ? lane->call->deadline_ms - now_ms : 0;
}

/* ---- ending ---- */

static void clear_request(struct embed_openai_lane *lane)
{
    openai_embeddings_fini(&lane->reader);
    buf_fini(&lane->body);
    buf_fini(&lane->refusal);
}

static void end_lane(struct embed_openai_lane *lane)
{
    struct embed_openai_call *call = lane->call;
    op_release(&lane->ticket.op); /* leaves the gate */
    op_release(&lane->http.op);
    op_release(&lane->delay.op);
    if (--call->active == 0)
        embed_openai_call_over(call);
}

/* The first failure is the call's; the others follow from it. */
static void fail_call(struct embed_openai_lane *lane, const struct err *err)
{
    struct embed_openai_call *call = lane->call;
    if (call->err.code == ERR_OK) {
        call->err = *err;
        for (size_t i = 0; i < call->lane_count; i++)
            if (&call->lanes[i] != lane)
                embed_openai_lane_cancel(&call->lanes[i]);
    }
    end_lane(lane);
}

void embed_openai_lane_cancel(struct embed_openai_lane *lane)
{
    op_cancel(&lane->ticket.op);
    op_cancel(&lane->http.op);
    op_cancel(&lane->delay.op);
}

/* ---- vectors ---- */

static enum err_code make_rows(struct embed_openai_call *call, size_t dimensions, struct err *err)
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
    struct embed_openai_lane *lane = owner;
    struct embed_openai_call *call = lane->call;
    if (index >= lane->count)
        return err_set(err, ERR_PROTOCOL,
                       "the embeddings server gave a vector for text %" PRIu64 " of %zu", index + 1,
                       lane->count);
    size_t text = call->order[lane->from + index];
    if (call->is_given[text])
        return err_set(err, ERR_PROTOCOL, "the embeddings server gave two vectors for one text");
    if (make_rows(call, dimensions, err) != ERR_OK)
        return err->code;
    if (!embed_openai_lane_is_empty(call->request->texts[text]))
        put_row(call->vectors + text * dimensions, vector, dimensions);
    call->is_given[text] = true;
    lane->given++;
    return ERR_OK;
}

/* ---- the answer ---- */

/* Give up from within: the reason is kept, the transfer ends on a later turn. */
static void stop(struct embed_openai_lane *lane, const struct err *err)
{
    lane->is_stopped = true;
    lane->err = *err;
    op_cancel(&lane->http.op);
}

static void on_body(struct http_call *http, struct str bytes)
{
    struct embed_openai_lane *lane = http->user;
    struct err err;
    if (lane->is_stopped)
        return;
    if (http->status != 200) /* what does not fit is no part of a message */
        buf_push(&lane->refusal, str_slice(bytes, 0, REFUSAL_BYTES - buf_len(&lane->refusal)));
    else if (openai_embeddings_feed(&lane->reader, bytes, &err) != ERR_OK)
        stop(lane, &err);
}

/* The longest text of the batch, when the server says that one is too long. */
static void explain_length(const struct embed_openai_lane *lane, struct err *err)
{
    const struct embed_openai_call *call = lane->call;
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

static bool says(const struct embed_openai_lane *lane, const char *words)
{
    return str_find(buf_str(&lane->refusal), str_of(words)) != STR_NONE;
}

static bool says_too_long(const struct embed_openai_lane *lane)
{
    return lane->http.status == 413 ||
           (lane->http.status < 500 &&
            (says(lane, "context length") || says(lane, "context_length") ||
             says(lane, "input is too long")));
}

/* What the transfer's end means; *again: ask at once, in the plainer form. */
static void judge(struct embed_openai_lane *lane, struct err *err, bool *again)
{
    struct embed_openai *openai = lane->call->openai;
    const struct http_call *http = &lane->http;
    struct openai_answer answer;
    if (lane->is_stopped) {
        *err = lane->err;
    } else if (http->op.err.code != ERR_OK) {
        openai_peer_explain_transport(&openai->peer, &http->op.err, http->got_body, err);
    } else if (http->status != 200) {
        *again = http->status < 429 && !openai->no_base64 &&
                 (says(lane, "encoding_format") || says(lane, "base64"));
        openai_peer_explain_status(&openai->peer, http->status, buf_str(&lane->refusal), err);
        if (err->code == ERR_REJECTED && says_too_long(lane))
            explain_length(lane, err);
    } else if (openai_embeddings_end(&lane->reader, &answer, err) == ERR_OK) {
        lane->call->texts->tokens += answer.usage.prompt_tokens;
        if (lane->given != lane->count)
            err_set(err, ERR_PROTOCOL, "the embeddings server gave %zu vectors for %zu texts",
                    lane->given, lane->count);
    }
    openai_peer_blank_key(&openai->peer, err);
}

static void on_waited(struct op *op)
{
    struct embed_openai_lane *lane = op_owner(op);
    if (op->err.code != ERR_OK || lane->call->err.code != ERR_OK)
        fail_call(lane, &op->err);
    else
        begin_attempt(lane);
}

static void retry_or_fail(struct embed_openai_lane *lane, const struct err *err)
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
    struct embed_openai_lane *lane = op_owner(op);
    struct embed_openai_call *call = lane->call;
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

static void write_body(struct embed_openai_lane *lane)
{
    const struct embed_openai_call *call = lane->call;
    const struct embed_openai_options *options = &call->openai->options;
    struct str *texts = mem_zalloc(lane->count, sizeof *texts);
    size_t bytes = REQUEST_OVERHEAD;
    for (size_t i = 0; texts != NULL && i < lane->count; i++) {
        texts[i] = call->request->texts[call->order[lane->from + i]];
        if (embed_openai_lane_is_empty(texts[i]))
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

static void post(struct embed_openai_lane *lane)
{
    const struct embed_openai *openai = lane->call->openai;
    const struct embed_openai_options *options = &openai->options;
    struct openai_peer_headers headers;
    openai_peer_write_headers(&openai->peer, STR("application/json"),
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

static void begin_attempt(struct embed_openai_lane *lane)
{
    struct embed_openai_call *call = lane->call;
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
    struct embed_openai_lane *lane = op_owner(op);
    if (op->err.code != ERR_OK || lane->call->err.code != ERR_OK)
        fail_call(lane, &op->err);
    else
        begin_attempt(lane);
}

static void take_batch(struct embed_openai_lane *lane)
{
    struct embed_openai_call *call = lane->call;
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

void embed_openai_lane_start(struct embed_openai_lane *lane)
{
    lane->call->active++;
    take_batch(lane);
}
