/* SPDX-License-Identifier: MIT */
/* tests/unit/proto/test_otlp.c - a request byte for byte, lists of pairs, and no memory. */
#include "proto/otlp.h"

#include "tests/lib/test.h"

static void write_request(struct buf *out)
{
    const struct otlp_resource resource = {
        .service_name = STR("askd"),
        .version = STR("1"),
        .instance = STR("i"),
        .attributes = STR("deployment.environment.name=a%20b, service.name=other,broken,=x,k="),
    };
    struct otlp_span span = {
        .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
        .span_id = "00f067aa0ba902b7",
        .kind = OTLP_CLIENT,
        .name = "chat \"m\"",
        .began_ns = 1700000000000000001,
        .ended_ns = 1700000000000000002,
        .is_error = true,
    };
    otlp_put_text(&span, "t", STR("x"));
    otlp_put_text(&span, "absent", (struct str){NULL, 0});
    otlp_put_int(&span, "i", -9007199254740993);
    otlp_put_real(&span, "r", 0.5);
    otlp_put_bool(&span, "b", true);
    otlp_put_texts(&span, "l", STR("stop"));
    otlp_begin(&resource, out);
    otlp_write_span(&span, out);
    otlp_end(out);
}

TEST(one_request)
{
    struct buf out;
    buf_init(&out, 64 * 1024);
    write_request(&out);
    EXPECT_STR(
        "bytes", buf_str(&out),
        STR("{\"resourceSpans\":[{\"resource\":{\"attributes\":["
            "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"askd\"}},"
            "{\"key\":\"service.version\",\"value\":{\"stringValue\":\"1\"}},"
            "{\"key\":\"service.instance.id\",\"value\":{\"stringValue\":\"i\"}},"
            "{\"key\":\"deployment.environment.name\",\"value\":{\"stringValue\":\"a b\"}},"
            "{\"key\":\"k\",\"value\":{\"stringValue\":\"\"}}]},"
            "\"scopeSpans\":[{\"scope\":{\"name\":\"askd\",\"version\":\"1\"},\"spans\":["
            "{\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"spanId\":\"00f067aa0ba902b7\","
            "\"name\":\"chat \\\"m\\\"\",\"kind\":3,"
            "\"startTimeUnixNano\":\"1700000000000000001\","
            "\"endTimeUnixNano\":\"1700000000000000002\",\"attributes\":["
            "{\"key\":\"t\",\"value\":{\"stringValue\":\"x\"}},"
            "{\"key\":\"i\",\"value\":{\"intValue\":\"-9007199254740993\"}},"
            "{\"key\":\"r\",\"value\":{\"doubleValue\":0.5}},"
            "{\"key\":\"b\",\"value\":{\"boolValue\":true}},"
            "{\"key\":\"l\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"stop\"}]}}}],"
            "\"status\":{\"code\":2}}]}]}]}"));
    buf_fini(&out);
}

TEST(more_attributes_than_there_may_be_are_left_out)
{
    struct otlp_span span = {.name = "x"};
    for (int i = 0; i < OTLP_MAX_ATTRIBUTES + 3; i++)
        otlp_put_int(&span, "i", i);
    EXPECT_INT("count", span.attribute_count, OTLP_MAX_ATTRIBUTES);
}

/* An attribute whose value cannot be decoded is left out; anything else fails the buffer. */
TEST(no_memory_is_seen_by_the_buffer)
{
    struct buf whole, out;
    uint64_t before = mem_alloc_count();
    buf_init(&whole, 64 * 1024);
    write_request(&whole);
    uint64_t count = mem_alloc_count() - before;
    EXPECT_TRUE("allocates", count > 1);
    for (uint64_t n = 1; n <= count; n++) {
        buf_init(&out, 64 * 1024);
        mem_fail_nth(n);
        write_request(&out);
        mem_fail_nth(0);
        EXPECT_TRUE("less, or nothing", !buf_ok(&out) || buf_len(&out) < buf_len(&whole));
        buf_fini(&out);
    }
    buf_fini(&whole);
}

RUN_TESTS(T(one_request), T(more_attributes_than_there_may_be_are_left_out),
          T(no_memory_is_seen_by_the_buffer))
