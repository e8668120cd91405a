/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_trace_otlp.c - batches without a collector: bounded, counted, and gone
 * at the end; what a collector answers is tested by tests/node/tracing.test.mjs. */
#include "backends/http/trace_otlp.h"

#include "tests/lib/loop_rig.h"

enum { QUEUE = 8, BATCH = 3, LINGER_MS = 100 };

struct rig {
    struct loop_rig loop;
    struct log log;
    struct trace_otlp *otlp;
    uint64_t counts[TRACE_OTLP_FAILED + 1];
    unsigned closed;
};

static void on_count(void *owner, enum trace_otlp_count what, uint64_t count)
{
    ((struct rig *)owner)->counts[what] += count;
}

static void on_closed(void *owner)
{
    ((struct rig *)owner)->closed++;
}

static void rig_open(struct rig *rig)
{
    *rig = (struct rig){.log = {.level = LOG_OFF}};
    loop_rig_init(&rig->loop);
    const struct trace_otlp_options options = {
        .url = "http://127.0.0.1:1/v1/traces", /* nobody is there */
        .headers = "a=b,broken",
        .resource = {.service_name = STR("s"), .version = STR("1"), .instance = STR("i")},
        .timeout_ms = 1000,
        .every_ms = 10,
        .batch_spans = BATCH,
        .queue_spans = QUEUE,
        .log = &rig->log,
        .on_count = on_count,
        .owner = rig,
    };
    rig->otlp = trace_otlp_create(rig->loop.loop, &options);
}

static void put(struct rig *rig)
{
    struct otlp_span span = {.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                             .span_id = "00f067aa0ba902b7",
                             .kind = OTLP_INTERNAL,
                             .name = "n"};
    otlp_put_text(&span, "k", STR("v"));
    trace_otlp_put(rig->otlp, &span);
}

static void rig_close(struct rig *rig)
{
    if (rig->otlp != NULL) {
        trace_otlp_close(rig->otlp, LINGER_MS, on_closed, rig);
        EXPECT_INT("not inside the call", rig->closed, 0);
        loop_rig_dry(&rig->loop);
        EXPECT_INT("told once", rig->closed, 1);
    }
    loop_rig_fini(&rig->loop);
}

TEST(every_span_is_sent_or_dropped)
{
    for (unsigned spans = 0; spans <= 2 * QUEUE; spans++) {
        struct rig rig;
        rig_open(&rig);
        assert_non_null(rig.otlp);
        for (unsigned i = 0; i < spans; i++)
            put(&rig);
        EXPECT_INT("what has no room is dropped at once", rig.counts[TRACE_OTLP_DROPPED],
                   spans > QUEUE ? spans - QUEUE : 0);
        rig_close(&rig);
        EXPECT_INT("all are accounted for", rig.counts[TRACE_OTLP_DROPPED], spans);
        EXPECT_INT("none arrived", rig.counts[TRACE_OTLP_SENT], 0);
    }
}

TEST(closed_after_any_number_of_turns)
{
    for (unsigned turns = 0; turns < 12; turns++) {
        struct rig rig;
        rig_open(&rig);
        assert_non_null(rig.otlp);
        for (unsigned i = 0; i < BATCH + 1; i++)
            put(&rig);
        loop_turn(rig.loop.loop, turns);
        rig_close(&rig);
        EXPECT_INT("all are accounted for", rig.counts[TRACE_OTLP_DROPPED], BATCH + 1);
    }
}

TEST(no_memory_drops_spans_and_nothing_else)
{
    for (uint64_t n = 1; n <= 40; n++) {
        struct rig rig;
        mem_fail_nth(0);
        rig_open(&rig);
        assert_non_null(rig.otlp);
        mem_fail_nth(n);
        for (unsigned i = 0; i < QUEUE; i++)
            put(&rig);
        mem_fail_nth(0);
        rig_close(&rig);
        EXPECT_INT("all are accounted for", rig.counts[TRACE_OTLP_DROPPED], QUEUE);
    }
}

RUN_TESTS(T(every_span_is_sent_or_dropped), T(closed_after_any_number_of_turns),
          T(no_memory_drops_spans_and_nothing_else))
