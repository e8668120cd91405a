/* SPDX-License-Identifier: MIT */
/* backends/http/trace_otlp.c - a batch is filled, sealed, sent, and forgotten.
 *
 * Happy path: the first span opens a batch and starts the timer; the timer or the last span there
 * is room for seals it; the oldest sealed one is posted; its answer of 200 frees it, and the next
 * one goes.
 * Failure paths:
 *   429, 502, 503, 504, no answer   tried again after the wish of the collector or a growing
 *                                   pause; after MOST_TRIES the batch is dropped
 *   any other status                dropped at once
 *   partialSuccess                  what it says was rejected counts as dropped
 *   no room, no memory              the span is dropped
 * When sending begins to fail, that is logged once, and once that it works again. */
#include "backends/http/trace_otlp.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/http/http_client.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"
#include "proto/json_value.h"

enum {
    MOST_TRIES = 5,
    FIRST_PAUSE_MS = 1000,
    LONGEST_PAUSE_MS = 30000,
    BATCH_BYTES = 4 * 1024 * 1024, /* fewer spans where they are long */
    QUEUE_BYTES = 8 * BATCH_BYTES, /* of all batches */
    END_BYTES = 16,
    ANSWER_BYTES = 16 * 1024,
    MAX_HEADERS = 16,
    HEADER_BYTES = 16 * 1024,
};

struct batch {
    struct list link;
    struct buf body;
    unsigned spans;
    size_t bytes; /* of its spans */
};

struct trace_otlp {
    struct loop *loop;
    struct trace_otlp_options options;
    struct http_client *client;
    struct list batches; /* oldest first; the last one is open unless sealed */
    bool is_open;        /* the last batch takes more */
    unsigned waiting;    /* spans in batches, and their bytes */
    size_t waiting_bytes;
    struct timer seal_timer, pause_timer, linger_timer;
    struct http_call call;
    struct buf answer;
    unsigned tries; /* of the oldest batch */
    bool is_failing;
    bool has_finished;      /* sending, for good */
    struct closing closing; /* out: what is being sent, once it is begun; then the client */
};

static void consider(struct trace_otlp *otlp);

/* ---- batches ---- */

static struct batch *batch_at(struct list *link)
{
    return list_item(link, struct batch, link);
}

static void count(const struct trace_otlp *otlp, enum trace_otlp_count what, uint64_t number)
{
    if (otlp->options.on_count != NULL && number > 0)
        otlp->options.on_count(otlp->options.owner, what, number);
}

static void free_batch(struct trace_otlp *otlp, struct batch *batch)
{
    if (otlp->is_open && otlp->batches.prev == &batch->link)
        otlp->is_open = false;
    otlp->waiting -= batch->spans;
    otlp->waiting_bytes -= batch->bytes;
    list_remove(&batch->link);
    buf_fini(&batch->body);
    mem_free(batch);
}

static void drop_batch(struct trace_otlp *otlp, struct batch *batch)
{
    count(otlp, TRACE_OTLP_DROPPED, batch->spans);
    free_batch(otlp, batch);
}

static void seal(struct trace_otlp *otlp)
{
    timer_stop(&otlp->seal_timer);
    if (!otlp->is_open)
        return;
    otlp_end(&batch_at(otlp->batches.prev)->body);
    otlp->is_open = false;
    consider(otlp);
}

static void on_time_to_seal(struct timer *timer)
{
    seal(container_of(timer, struct trace_otlp, seal_timer));
}

/* The batch that takes spans; NULL: no memory. */
static struct batch *open_batch(struct trace_otlp *otlp)
{
    if (otlp->is_open)
        return batch_at(otlp->batches.prev);
    struct batch *batch = mem_zalloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    buf_init(&batch->body, BATCH_BYTES + END_BYTES);
    otlp_begin(&otlp->options.resource, &batch->body);
    if (!buf_ok(&batch->body)) {
        buf_fini(&batch->body);
        mem_free(batch);
        return NULL;
    }
    list_push(&otlp->batches, &batch->link);
    otlp->is_open = true;
    timer_start(&otlp->seal_timer, otlp->loop, otlp->options.every_ms, on_time_to_seal);
    return batch;
}

/* False: it does not fit, and batch is as before. */
static bool append(struct batch *batch, const struct otlp_span *span)
{
    size_t before = buf_len(&batch->body);
    if (batch->spans > 0)
        buf_push_char(&batch->body, ',');
    otlp_write_span(span, &batch->body);
    if (buf_ok(&batch->body) && buf_len(&batch->body) <= BATCH_BYTES) {
        batch->spans++;
        batch->bytes += buf_len(&batch->body) - before;
        return true;
    }
    batch->body.failed = false;
    buf_truncate(&batch->body, before);
    return false;
}

void trace_otlp_put(struct trace_otlp *otlp, const struct otlp_span *span)
{
    struct batch *batch = NULL;
    if (!closing_is_begun(&otlp->closing) && otlp->waiting < otlp->options.queue_spans &&
        otlp->waiting_bytes < QUEUE_BYTES)
        batch = open_batch(otlp);
    size_t before = batch == NULL ? 0 : batch->bytes;
    if (batch == NULL || !append(batch, span)) {
        count(otlp, TRACE_OTLP_DROPPED, 1);
        return;
    }
    otlp->waiting++;
    otlp->waiting_bytes += batch->bytes - before;
    if (batch->spans >= otlp->options.batch_spans || buf_len(&batch->body) > BATCH_BYTES / 2)
        seal(otlp);
}

/* ---- sending ---- */

static void say_failing(struct trace_otlp *otlp, const char *text)
{
    count(otlp, TRACE_OTLP_FAILED, 1);
    if (!otlp->is_failing)
        LOG(otlp->options.log, WARN, "trace.export", "state=failing error=\"%s\"", text);
    otlp->is_failing = true;
}

static void say_well(struct trace_otlp *otlp)
{
    if (otlp->is_failing)
        LOG(otlp->options.log, INFO, "trace.export", "state=well");
    otlp->is_failing = false;
}

static uint64_t read_rejected(struct str answer)
{
    struct arena arena;
    struct str text;
    int64_t number = 0;
    uint64_t rejected = 0;
    arena_init(&arena, 4 * ANSWER_BYTES);
    const struct json_value *root = json_value_parse(&arena, answer, NULL, NULL);
    if (json_value_str(root, "/partialSuccess/rejectedSpans", &text, NULL) == ERR_OK &&
        str_to_i64(text, &number))
        rejected = number > 0 ? (uint64_t)number : 0;
    else if (json_value_i64(root, "/partialSuccess/rejectedSpans", &number, NULL) == ERR_OK)
        rejected = number > 0 ? (uint64_t)number : 0;
    arena_fini(&arena);
    return rejected;
}

static void finish_oldest(struct trace_otlp *otlp, uint64_t rejected)
{
    struct batch *batch = batch_at(otlp->batches.next);
    rejected = rejected < batch->spans ? rejected : batch->spans;
    count(otlp, TRACE_OTLP_SENT, batch->spans - rejected);
    count(otlp, TRACE_OTLP_DROPPED, rejected);
    otlp->tries = 0;
    free_batch(otlp, batch);
}

static void on_pause_over(struct timer *timer)
{
    consider(container_of(timer, struct trace_otlp, pause_timer));
}

static bool is_weather(const struct trace_otlp *otlp)
{
    int status = otlp->call.status;
    return otlp->call.op.err.code != ERR_OK || status == 429 || status == 502 || status == 503 ||
           status == 504;
}

static void judge_failure(struct trace_otlp *otlp)
{
    char text[ERR_TEXT_BYTES];
    uint64_t pause_ms = FIRST_PAUSE_MS;
    if (otlp->call.op.err.code != ERR_OK)
        snprintf(text, sizeof text, "%s", otlp->call.op.err.text);
    else
        snprintf(text, sizeof text, "the collector answered with status %d", otlp->call.status);
    say_failing(otlp, text);
    if (!is_weather(otlp) || ++otlp->tries >= MOST_TRIES || closing_is_begun(&otlp->closing)) {
        finish_oldest(otlp, batch_at(otlp->batches.next)->spans);
        return;
    }
    for (unsigned i = 1; i < otlp->tries; i++)
        pause_ms *= 2;
    if (otlp->call.retry_after_ms != UINT64_MAX)
        pause_ms = otlp->call.retry_after_ms;
    timer_start(&otlp->pause_timer, otlp->loop,
                pause_ms < LONGEST_PAUSE_MS ? pause_ms : LONGEST_PAUSE_MS, on_pause_over);
}

static void on_answer(struct http_call *call, struct str bytes)
{
    struct trace_otlp *otlp = call->user;
    buf_push(&otlp->answer, str_slice(bytes, 0, ANSWER_BYTES - buf_len(&otlp->answer)));
}

static void on_sent(struct op *op)
{
    struct trace_otlp *otlp = op_owner(op);
    if (op->err.code == ERR_OK && otlp->call.status >= 200 && otlp->call.status < 300) {
        say_well(otlp);
        finish_oldest(otlp, read_rejected(buf_str(&otlp->answer)));
    } else {
        judge_failure(otlp);
    }
    op_release(op);
    consider(otlp);
}

static void post_oldest(struct trace_otlp *otlp)
{
    const struct trace_otlp_options *options = &otlp->options;
    struct http_header headers[MAX_HEADERS] = {{STR("Content-Type"), STR("application/json")}};
    struct str rest = str_of(options->headers);
    struct arena arena;
    size_t used = 1;
    arena_init(&arena, HEADER_BYTES);
    while (used < MAX_HEADERS &&
           otlp_next_pair(&arena, &rest, &headers[used].name, &headers[used].value))
        used++;
    buf_clear(&otlp->answer);
    otlp->call.user = otlp;
    http_call_start(&otlp->call, otlp->client,
                    &(struct http_call_options){
                        .url = options->url,
                        .method = "POST",
                        .headers = headers,
                        .header_count = used,
                        .body = buf_str(&batch_at(otlp->batches.next)->body),
                        .connect_ms = options->timeout_ms,
                        .total_ms = options->timeout_ms,
                        .max_body_bytes = ANSWER_BYTES,
                    },
                    NULL, on_answer, (struct op_waiter){.done = on_sent, .owner = otlp});
    arena_fini(&arena);
}

/* ---- closing ---- */

static void close_client(struct closing *closing)
{
    struct trace_otlp *otlp = container_of(closing, struct trace_otlp, closing);
    closing_enter(closing);
    http_client_close(otlp->client, closing_leave_part, closing);
}

static void free_otlp(struct closing *closing)
{
    struct trace_otlp *otlp = container_of(closing, struct trace_otlp, closing);
    buf_fini(&otlp->answer);
    mem_free(otlp);
}

/* Nothing is sent any more. */
static void finish_sending(struct trace_otlp *otlp)
{
    timer_stop(&otlp->linger_timer);
    otlp->has_finished = true;
    closing_leave(&otlp->closing);
}

static void on_linger_over(struct timer *timer)
{
    struct trace_otlp *otlp = container_of(timer, struct trace_otlp, linger_timer);
    while (otlp->batches.prev != otlp->batches.next)
        drop_batch(otlp, batch_at(otlp->batches.prev));
    op_cancel(&otlp->call.op); /* its end drops the first one */
}

/* Send the oldest sealed batch, if none is on its way and none is waited for; or come to the end.
 */
static void consider(struct trace_otlp *otlp)
{
    bool is_idle = !op_is_pending(&otlp->call.op) && !timer_is_running(&otlp->pause_timer);
    if (!is_idle || otlp->has_finished)
        return;
    if (!list_is_empty(&otlp->batches) &&
        !(otlp->is_open && otlp->batches.next == otlp->batches.prev))
        post_oldest(otlp);
    else if (closing_is_begun(&otlp->closing))
        finish_sending(otlp);
}

void trace_otlp_close(struct trace_otlp *otlp, uint64_t linger_ms, void (*on_closed)(void *owner),
                      void *owner)
{
    closing_begin(&otlp->closing, on_closed, owner);
    closing_enter(&otlp->closing);
    timer_stop(&otlp->pause_timer);
    timer_start(&otlp->linger_timer, otlp->loop, linger_ms, on_linger_over);
    seal(otlp);
    consider(otlp);
}

struct trace_otlp *trace_otlp_create(struct loop *loop, const struct trace_otlp_options *options)
{
    static closing_fn *const steps[] = {close_client, free_otlp, NULL};
    struct trace_otlp *otlp = mem_zalloc(1, sizeof *otlp);
    if (otlp == NULL)
        return NULL;
    otlp->loop = loop;
    otlp->options = *options;
    list_init(&otlp->batches);
    closing_init(&otlp->closing, loop, steps);
    buf_init(&otlp->answer, ANSWER_BYTES);
    otlp->client = http_client_create(loop, &(struct http_client_options){.spread = 1});
    if (otlp->client != NULL)
        return otlp;
    mem_free(otlp);
    return NULL;
}
