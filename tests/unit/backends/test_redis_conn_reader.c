/* SPDX-License-Identifier: MIT */
/* backends/redis_conn_reader: every kind of answer however it is cut, nonsense, limits; and the
 * words of refusals as codes. */
#include "backends/redis/redis_conn_reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/redis/redis_error.h"
#include "core/base/buf.h"
#include "tests/lib/test.h"

enum { LIMIT = 1000, SHOWN_BYTES = 4096 };

/* (1 "a" nil) for an array, !text for a refusal. */
static void show(struct buf *out, const struct redis_reply *reply)
{
    switch (reply->kind) {
    case REDIS_REPLY_IS_NIL:
        buf_push(out, STR("nil"));
        break;
    case REDIS_REPLY_IS_INTEGER:
        buf_push_i64(out, reply->integer);
        break;
    case REDIS_REPLY_IS_TEXT:
        buf_printf(out, "\"%.*s\"", STR_ARG(reply->text));
        break;
    case REDIS_REPLY_IS_REFUSAL:
        buf_printf(out, "!%.*s", STR_ARG(reply->text));
        break;
    case REDIS_REPLY_IS_ARRAY:
        buf_push_char(out, '(');
        for (size_t i = 0; i < reply->count; i++) {
            if (i > 0)
                buf_push_char(out, ' ');
            show(out, redis_reply_find(reply, i));
        }
        buf_push_char(out, ')');
        break;
    }
}

/* Feed wire in pieces of step bytes and show what comes out, a blank between; ends with the error's
 * name. */
static void read_all(struct str wire, size_t step, struct buf *shown)
{
    struct redis_conn_reader *reader = redis_conn_reader_create(LIMIT);
    struct redis_reply reply;
    struct arena arena;
    struct err err = {.code = ERR_OK};
    assert_non_null(reader);
    buf_clear(shown);
    for (size_t at = 0; at < wire.len && err.code == ERR_OK; at += step) {
        if (redis_conn_reader_feed(reader, str_slice(wire, at, at + step), &err) != ERR_OK)
            break;
        while (redis_conn_reader_next(reader, &reply, &arena, &err)) {
            show(shown, &reply);
            buf_push_char(shown, ' ');
            arena_fini(&arena);
        }
    }
    buf_push(shown, str_of(err_name(err.code)));
    redis_conn_reader_destroy(reader);
}

#define S(text)                                                                                    \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const struct {
    const char *name;
    struct str wire;
    const char *want;
} cases[] = {
    {"nothing", S(""), "ok"},
    {"status", S("+OK\r\n"), "\"OK\" ok"},
    {"empty status", S("+\r\n"), "\"\" ok"},
    {"integers", S(":0\r\n:-7\r\n:9223372036854775807\r\n"), "0 -7 9223372036854775807 ok"},
    {"text", S("$5\r\na\r\nbc\r\n"), "\"a\r\nbc\" ok"},
    {"empty text", S("$0\r\n\r\n"), "\"\" ok"},
    {"nothing there", S("$-1\r\n*-1\r\n"), "nil nil ok"},
    {"refusal", S("-ERR no such thing\r\n"), "!ERR no such thing ok"},
    {"array", S("*3\r\n:1\r\n$1\r\na\r\n$-1\r\n"), "(1 \"a\" nil) ok"},
    {"empty array", S("*0\r\n+OK\r\n"), "() \"OK\" ok"},
    {"array of arrays", S("*2\r\n*1\r\n:1\r\n*2\r\n*1\r\n+b\r\n-NO\r\n"), "((1) ((\"b\") !NO)) ok"},
    {"half a text", S("+OK\r\n$5\r\nab"), "\"OK\" ok"},
    {"half an array", S("*2\r\n:1\r\n"), "ok"},
    {"HTTP", S("HTTP/1.1 400 Bad Request\r\n"), "protocol"},
    {"after an answer", S("+OK\r\nnonsense\r\n"), "\"OK\" protocol"},
    {"a map of RESP3", S("%1\r\n+a\r\n+b\r\n"), "protocol"},
    {"ten deep", S("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"),
     "protocol"},
    {"an array that cannot fit", S("*251\r\n"), "too_large"},
    {"an array of two milliards", S("*2147483647\r\n"), "too_large"},
    {"array within array", S("*200\r\n*200\r\n"), "too_large"},
};

TEST(reads_however_it_is_cut)
{
    struct buf shown;
    buf_init(&shown, SHOWN_BYTES);
    TEST_EACH(c, cases) {
        for (size_t step = c->wire.len + 1; step > 0; step--) {
            read_all(c->wire, step, &shown);
            EXPECT_STR(c->name, buf_str(&shown), str_of(c->want));
        }
    }
    buf_fini(&shown);
}

/* A text that never ends, a line that never ends, an array that drips. */
TEST(stops_at_the_limit)
{
    static const struct {
        const char *name;
        struct str head, more;
    } drips[] = {
        {"text", S("$100000\r\n"), S("xxxxxxxxxx")},
        {"line", S("+"), S("xxxxxxxxxx")},
        {"array", S("*250\r\n"), S("$20\r\nxxxxxxxxxxxxxxxxxxxx\r\n")},
    };
    TEST_EACH(c, drips) {
        struct redis_conn_reader *reader = redis_conn_reader_create(LIMIT);
        struct redis_reply reply;
        struct arena arena;
        struct err err = {.code = ERR_OK};
        size_t fed = c->head.len;
        assert_int_equal(redis_conn_reader_feed(reader, c->head, &err), ERR_OK);
        while (redis_conn_reader_feed(reader, c->more, &err) == ERR_OK) {
            fed += c->more.len;
            EXPECT_TRUE(c->name, !redis_conn_reader_next(reader, &reply, &arena, &err));
            EXPECT_INT(c->name, err.code, ERR_OK);
            EXPECT_TRUE(c->name, fed <= LIMIT + c->more.len);
        }
        EXPECT_INT(c->name, err.code, ERR_TOO_LARGE);
        redis_conn_reader_destroy(reader);
    }
}

/* Many answers one after the other are no large one. */
TEST(limit_is_of_one_answer)
{
    struct redis_conn_reader *reader = redis_conn_reader_create(LIMIT);
    struct redis_reply reply;
    struct arena arena;
    struct err err;
    struct str half[] = {S("$900\r\n"), S("\r\n+OK\r\n")};
    char body[900];
    memset(body, 'x', sizeof body);
    for (unsigned round = 0; round < 100; round++) {
        assert_int_equal(redis_conn_reader_feed(reader, half[0], &err), ERR_OK);
        assert_int_equal(redis_conn_reader_feed(reader, str_make(body, sizeof body), &err), ERR_OK);
        assert_int_equal(redis_conn_reader_feed(reader, half[1], &err), ERR_OK);
        assert_true(redis_conn_reader_next(reader, &reply, &arena, &err));
        EXPECT_INT("length", reply.text.len, sizeof body);
        arena_fini(&arena);
        assert_true(redis_conn_reader_next(reader, &reply, &arena, &err));
        EXPECT_STR("after it", reply.text, STR("OK"));
        arena_fini(&arena);
        assert_false(redis_conn_reader_next(reader, &reply, &arena, &err));
        EXPECT_INT("no error", err.code, ERR_OK);
    }
    redis_conn_reader_destroy(reader);
}

TEST(fails_at_every_allocation)
{
    struct str wire = STR("*3\r\n:1\r\n$5\r\nhello\r\n*1\r\n+OK\r\n");
    bool is_whole = false;
    for (uint64_t nth = 1; !is_whole; nth++) {
        struct redis_reply reply;
        struct arena arena;
        struct err err = {.code = ERR_OK};
        mem_fail_nth(nth);
        struct redis_conn_reader *reader = redis_conn_reader_create(LIMIT);
        if (reader == NULL)
            continue;
        assert_int_equal(redis_conn_reader_feed(reader, wire, &err), ERR_OK);
        is_whole = redis_conn_reader_next(reader, &reply, &arena, &err);
        mem_fail_nth(0);
        if (is_whole)
            arena_fini(&arena);
        else
            EXPECT_INT("why", err.code, ERR_NO_MEMORY);
        redis_conn_reader_destroy(reader);
        EXPECT_TRUE("the sweep ends", nth < 100);
    }
}

TEST(refusals_as_codes)
{
    static const struct {
        const char *text;
        enum err_code want;
    } refusals[] = {
        {"NOAUTH Authentication required.", ERR_DENIED},
        {"WRONGPASS invalid username-password pair", ERR_DENIED},
        {"LOADING Redis is loading the dataset in memory", ERR_UNAVAILABLE},
        {"READONLY You can't write against a read only replica.", ERR_UNAVAILABLE},
        {"BUSY Redis is busy running a script.", ERR_BUSY},
        {"OOM command not allowed when used memory > 'maxmemory'.", ERR_BUSY},
        {"ERR unknown command 'x'", ERR_INVALID},
        {"MOVED 1 10.0.0.1:6379", ERR_INVALID},
        {"OOMPH", ERR_INVALID},
        {"", ERR_INVALID},
        {"ERR \xff\xfe", ERR_INVALID},
        {"\xff\xfe", ERR_INVALID},
    };
    TEST_EACH(c, refusals) {
        struct err err;
        redis_error_of(str_of(c->text), &err);
        EXPECT_INT(c->text, err.code, c->want);
        EXPECT_TRUE(c->text, str_is_utf8(str_of(err.text)));
    }
}

RUN_TESTS(T(reads_however_it_is_cut), T(stops_at_the_limit), T(limit_is_of_one_answer),
          T(fails_at_every_allocation), T(refusals_as_codes))
