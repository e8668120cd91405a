/* SPDX-License-Identifier: MIT */
/* server/streams/encoder_native.c - our own stream: "id: <run>:<n>" and the event's JSON, for every
 * event.
 *
 * The whole answer is the graph's own (invocation).
 * Failure: none but a full buf. */
#include "server/http/encoder.h"

#include "proto/sse_write.h"
#include "server/records/event_json.h"
#include "server/http/exchange.h"
#include "server/streams/invocation.h"

enum { ID_BYTES = 64 };

struct native {
    struct encoder encoder;
    struct str run_id;
    char id[ID_BYTES]; /* "<run id>:", the event's number is put behind it */
};

static struct native *native_of(struct encoder *encoder)
{
    return container_of(encoder, struct native, encoder);
}

static void begin(struct encoder *encoder, struct str run_id, struct buf *out)
{
    struct native *native = native_of(encoder);
    (void)out;
    CHECK(run_id.len == ID_RUN_BYTES);
    native->run_id = run_id;
    memcpy(native->id, run_id.at, ID_RUN_BYTES);
    native->id[ID_RUN_BYTES] = ':';
}

/* Digits of number behind the run's id in id; returns the length. */
static size_t write_number(char *id, size_t len, uint64_t number)
{
    size_t digits = 1;
    for (uint64_t rest = number; rest >= 10; rest /= 10)
        digits++;
    for (size_t i = digits; i-- > 0; number /= 10)
        id[len + i] = (char)('0' + number % 10);
    return len + digits;
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct native *native = native_of(encoder);
    size_t len = write_number(native->id, ID_RUN_BYTES + 1, event->id);
    size_t mark = sse_write_begin(out, str_make(native->id, len));
    event_json_write(out, event);
    sse_write_end(out, mark);
}

static void write_error(struct encoder *encoder, const char *code, const char *message,
                        struct buf *out)
{
    size_t mark = sse_write_begin(out, STR(""));
    event_json_write_error(out, code, message, true, native_of(encoder)->run_id);
    sse_write_end(out, mark);
}

/* The answer has its keys whatever happened; that it is worth asking again soon, the status says.
 */
static int write_answer(struct encoder *encoder, struct runs_entry *entry, struct buf *out)
{
    struct run *run = runs_run(entry);
    struct str code = STR(""), message;
    (void)encoder;
    invocation_write(runs_registry(entry), run, out);
    return run_result(run, &code, &message) != ERR_OK && str_equal(code, STR("overloaded")) ? 503
                                                                                            : 200;
}

static const struct encoder_kind native_kind = {.headers = STR(""),
                                                .begin = begin,
                                                .event = write_event,
                                                .heartbeat = sse_write_heartbeat,
                                                .error = write_error,
                                                .answer = write_answer};

struct encoder *encoder_of(struct exchange *exchange)
{
    if (exchange->encoder != NULL)
        return exchange->encoder;
    struct native *native = arena_alloc(&exchange->arena, sizeof *native);
    if (native == NULL)
        return NULL;
    native->encoder.kind = &native_kind;
    exchange->encoder = &native->encoder;
    return exchange->encoder;
}
