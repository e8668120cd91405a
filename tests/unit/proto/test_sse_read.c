/* SPDX-License-Identifier: MIT */
/* Streams as tables, each fed whole, byte by byte and cut at every place; limits; memory. */
#include "tests/lib/test.h"

#include "proto/sse_read.h"

static void note_event(void *owner, const struct sse_event *event)
{
    struct buf *out = owner;
    buf_printf(out, "%.*s|%.*s|%.*s\n", STR_ARG(event->event), STR_ARG(event->id),
               STR_ARG(event->data));
}

static void transcribe(struct str input, size_t step, const struct sse_limits *limits,
                       struct buf *out)
{
    struct sse_read reader;
    struct err err = {0};
    enum err_code code = ERR_OK;
    sse_read_init(&reader, limits, note_event, out);
    for (size_t at = 0; at < input.len && code == ERR_OK; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = mem_alloc(piece.len); /* gone after the call: nothing may point into it */
        assert_non_null(exact);
        memcpy(exact, piece.at, piece.len);
        code = sse_read_feed(&reader, str_make(exact, piece.len), &err);
        mem_free(exact);
    }
    if (code != ERR_OK)
        buf_printf(out, "%s: %s", err_name(code), err.text);
    if (reader.retry_ms != 0)
        buf_printf(out, "retry %d", (int)reader.retry_ms);
    sse_read_fini(&reader);
}

static struct str sweep(const char *name, struct str input, const struct sse_limits *limits,
                        struct buf *whole)
{
    struct buf cut;
    buf_init(&cut, 1 << 16);
    buf_clear(whole);
    transcribe(input, input.len, limits, whole);
    for (size_t step = 1; step < input.len; step++) {
        buf_clear(&cut);
        transcribe(input, step, limits, &cut);
        EXPECT_STR(name, buf_str(&cut), buf_str(whole));
    }
    buf_fini(&cut);
    return buf_str(whole);
}

static const struct {
    const char *name;
    struct str input, want;
} cases[] = {
    {"one", STR("data: a\n\n"), STR("message||a\n")},
    {"two", STR("data: a\n\ndata: b\n\n"), STR("message||a\nmessage||b\n")},
    {"no blank", STR("data:a\n\n"), STR("message||a\n")},
    {"two blanks", STR("data:  a \n\n"), STR("message|| a \n")},
    {"all fields", STR("id: 7\nevent: e\ndata: a\nretry: 250\n\n"), STR("e|7|a\nretry 250")},
    {"id stays, event does not", STR("id: 7\nevent: e\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"),
     STR("e|7|a\nmessage|7|b\nmessage||c\n")},
    {"id with NUL", STR("id: 7\nid: a\0b\ndata: a\n\n"), STR("message|7|a\n")},
    {"several lines", STR("data: a\ndata\ndata: b\n\n"), STR("message||a\n\nb\n")},
    {"empty data", STR("data\n\ndata:\n\n"), STR("message||\nmessage||\n")},
    {"no data, no event", STR("event: x\n\nid: 3\n\ndata: a\n\n"), STR("message|3|a\n")},
    {"comments", STR(": hb\n:\ndata: a\n: OPENROUTER PROCESSING\n\n: x\n\n"), STR("message||a\n")},
    {"unknown fields", STR("dat: x\n data: y\ndatax: z\ndata: a\n\n"), STR("message||a\n")},
    {"CRLF", STR("data: a\r\nid: 1\r\n\r\ndata: b\r\n\r\n"), STR("message|1|a\nmessage|1|b\n")},
    {"CR", STR("data: a\rid: 1\r\rdata: b\r\r"), STR("message|1|a\nmessage|1|b\n")},
    {"mixed", STR("data: a\r\n\ndata: b\n\r\ndata: c\r\r\n"),
     STR("message||a\nmessage||b\nmessage||c\n")},
    {"BOM",
     STR("\xEF\xBB\xBF"
         "data: a\n\n\xEF\xBB\xBF"
         "data: b\n\n"),
     STR("message||a\n")},
    {"BOM then blank line", STR("\xEF\xBB\xBF\ndata: a\n\n"), STR("message||a\n")},
    {"utf-8", STR("data: \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n\n"),
     STR("message||\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n")},
    {"colons", STR("data: {\"a\":\"b: c\"}\n\n"), STR("message||{\"a\":\"b: c\"}\n")},
    {"cut event is dropped", STR("data: a\n\ndata: b\n"), STR("message||a\n")},
    {"cut line is dropped", STR("data: a\n\ndata: [DONE]"), STR("message||a\n")},
    {"bad retry", STR("retry: 1x\nretry: -1\nretry:\ndata: a\n\n"), STR("message||a\n")},
};

TEST(streams)
{
    struct buf got;
    buf_init(&got, 1 << 16);
    TEST_EACH(c, cases)
        EXPECT_STR(c->name, sweep(c->name, c->input, NULL, &got), c->want);
    buf_fini(&got);
}

TEST(limits)
{
    static const struct sse_limits small = {.line_bytes = 12, .event_bytes = 10};
    static const struct {
        const char *name, *input, *want;
    } rows[] = {
        {"line at the limit", "data: 012345\n\n", "message||012345\n"},
        {"line over it", "data: 0123456\n\n",
         "too_large: expected at most 12 bytes in one line of the event stream, more came"},
        {"endless line", "data: 01234567890123456789",
         "too_large: expected at most 12 bytes in one line of the event stream, more came"},
        {"endless comment", "data: a\n\n: 01234567890123456789",
         "message||a\ntoo_large: expected at most 12 bytes in one line of the event stream, more "
         "came"},
        {"event at the limit", "data: 01234\ndata: 6789\n\n", "message||01234\n6789\n"},
        {"event over it", "data: 01234\ndata: 67890\n\n",
         "too_large: expected at most 10 bytes in one event of the event stream, more came"},
    };
    struct buf got;
    buf_init(&got, 1 << 16);
    TEST_EACH(c, rows)
        EXPECT_STR(c->name, sweep(c->name, str_of(c->input), &small, &got), str_of(c->want));
    buf_fini(&got);
}

TEST(no_memory)
{
    static const struct str input = STR("id: 1\nevent: e\ndata: a\ndata: b\n\n");
    bool passed = false;
    for (uint64_t n = 1; !passed && n < 40; n++) {
        struct sse_read reader;
        struct buf out;
        struct err err = {0};
        enum err_code code = ERR_OK;
        buf_init(&out, 1 << 16);
        EXPECT_TRUE("room", buf_reserve(&out, 4096) != NULL);
        sse_read_init(&reader, NULL, note_event, &out);
        mem_fail_nth(n);
        for (size_t i = 0; i < input.len && code == ERR_OK; i++)
            code = sse_read_feed(&reader, str_slice(input, i, i + 1), &err);
        mem_fail_nth(0);
        passed = code == ERR_OK;
        EXPECT_INT("code", code, passed ? ERR_OK : ERR_NO_MEMORY);
        EXPECT_INT("again", sse_read_feed(&reader, STR("\n"), &err), code);
        EXPECT_INT("events", buf_len(&out) > 0, passed);
        sse_read_reset(&reader);
        EXPECT_INT("after reset", sse_read_feed(&reader, STR("data: x\n\n"), &err), ERR_OK);
        sse_read_fini(&reader);
        buf_fini(&out);
    }
    EXPECT_TRUE("it passes in the end", passed);
}

static void count_view(void *owner, const struct sse_event *event)
{
    struct str *input = owner;
    EXPECT_TRUE("a view", event->data.at > input->at && event->data.at < input->at + input->len);
}

TEST(whole_events_are_views)
{
    struct str input = STR("data: {\"a\":1}\n\n: hb\ndata: {\"b\":2}\n\n");
    struct sse_read reader;
    sse_read_init(&reader, NULL, count_view, &input);
    uint64_t before = mem_alloc_count();
    for (int i = 0; i < 3; i++)
        EXPECT_INT("feed", sse_read_feed(&reader, input, NULL), ERR_OK);
    EXPECT_INT("allocations", mem_alloc_count() - before, 0);
    sse_read_fini(&reader);
}

RUN_TESTS(T(streams), T(limits), T(no_memory), T(whole_events_are_views))
