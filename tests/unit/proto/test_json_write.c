/* SPDX-License-Identifier: MIT */
/* Strings and numbers as tables, structure as one document, and what the token path costs. */
#include "tests/lib/test.h"

#include <math.h>

#include "proto/json_read.h"
#include "proto/json_write.h"

static const struct {
    const char *name;
    struct str text, want;
} strings[] = {
    {"plain", STR("hello world"), STR("\"hello world\"")},
    {"empty", STR(""), STR("\"\"")},
    {"short escapes", STR("\"\\/\b\f\n\r\t"), STR("\"\\\"\\\\/\\b\\f\\n\\r\\t\"")},
    {"controls", STR("a\0\x01\x1f\x7f"), STR("\"a\\u0000\\u0001\\u001f\x7f\"")},
    {"utf-8", STR("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
     STR("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"")},
    {"stray byte", STR("a\x80z"), STR("\"a\xEF\xBF\xBDz\"")},
    {"cut character", STR("a\xE2\x82"), STR("\"a\xEF\xBF\xBD\xEF\xBF\xBD\"")},
    {"surrogate", STR("\xED\xA0\x80"), STR("\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"")},
    {"overlong and good", STR("\xC0\x80\xC3\xA9\n"),
     STR("\"\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9\\n\"")},
    {"characters, a quote, and one cut by it", STR("\xE4\xB8\xAD\xE6\x96\x87\"\xC3\xA9\xE2\x82\"z"),
     STR("\"\xE4\xB8\xAD\xE6\x96\x87\\\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\\\"z\"")},
};

TEST(text)
{
    struct buf buf;
    buf_init(&buf, 1 << 12);
    TEST_EACH(c, strings) {
        struct json_write writer;
        buf_clear(&buf);
        json_write_init(&writer, &buf);
        json_write_str(&writer, c->text);
        EXPECT_STR(c->name, buf_str(&buf), c->want);
        EXPECT_TRUE(c->name, json_write_is_complete(&writer));
    }
    buf_fini(&buf);
}

TEST(doubles)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {0.1, "0.1"},
        {0.9, "0.9"},
        {0.01, "0.01"},
        {0.25, "0.25"},
        {0.99, "0.99"},
        {0.999, "0.999"},
        {0.1000000001, "0.1000000001"},
        {1, "1"},
        {1.0 / 3, "0.3333333333333333"},
        {1e21, "1e+21"},
        {100, "100"},
        {-2.5, "-2.5"},
        {5e-324, "4.94065645841247e-324"},
        {INFINITY, "null"},
        {NAN, "null"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
    };
    struct buf buf;
    buf_init(&buf, 1 << 12);
    TEST_EACH(c, cases) {
        struct json_write writer;
        struct json_read reader;
        double back;
        buf_clear(&buf);
        json_write_init(&writer, &buf);
        json_write_double(&writer, c->value);
        EXPECT_STR(c->want, buf_str(&buf), str_of(c->want));
        json_read_init(&reader, buf_str(&buf));
        if (json_read_next(&reader) == JSON_TOKEN_NUMBER) {
            EXPECT_TRUE(c->want, json_read_double(&reader, &back));
            EXPECT_TRUE(c->want, back == c->value);
        }
    }
    buf_fini(&buf);
}

/* Whatever stands where: the eight-byte steps must not miss what needs an escape. */
TEST(every_byte_at_every_place)
{
    enum { LONGEST = 20 };
    struct buf buf;
    buf_init(&buf, 1 << 10);
    for (unsigned at = 0; at < LONGEST; at++) {
        for (unsigned c = 0; c < 0x80; c++) {
            char text[LONGEST], back[LONGEST];
            struct json_write writer;
            struct json_read reader;
            memset(text, 'x', sizeof text);
            text[at] = (char)c;
            buf_clear(&buf);
            json_write_init(&writer, &buf);
            json_write_str(&writer, str_make(text, sizeof text));
            json_read_init(&reader, buf_str(&buf));
            assert_int_equal(json_read_next(&reader), JSON_TOKEN_STRING);
            assert_int_equal(json_read_unescape_to(&reader, back), sizeof text);
            assert_memory_equal(back, text, sizeof text);
        }
    }
    buf_fini(&buf);
}

static void write_document(struct buf *buf)
{
    struct json_write w;
    json_write_init(&w, buf);
    json_write_object(&w);
    json_write_member_str(&w, STR("event"), STR("token"));
    json_write_member_str(&w, STR("absent"), (struct str){NULL, 0});
    json_write_member_i64(&w, STR("i"), INT64_MIN);
    json_write_member_u64(&w, STR("u"), UINT64_MAX);
    json_write_member_double(&w, STR("d"), 1.5);
    json_write_member_bool(&w, STR("b"), true);
    json_write_member_raw(&w, STR("r"), STR("{\"x\":1}"));
    json_write_key(&w, STR("list"));
    json_write_array(&w);
    json_write_null(&w);
    json_write_object(&w);
    json_write_object_end(&w);
    json_write_array(&w);
    json_write_array_end(&w);
    json_write_bool(&w, false);
    json_write_array_end(&w);
    json_write_member_str(&w, STR("k\"ey"), STR(""));
    json_write_object_end(&w);
    assert_true(json_write_is_complete(&w));
}

static const struct str document =
    STR("{\"event\":\"token\",\"i\":-9223372036854775808,\"u\":18446744073709551615,\"d\":1.5,"
        "\"b\":true,\"r\":{\"x\":1},\"list\":[null,{},[],false],\"k\\\"ey\":\"\"}");

TEST(structure)
{
    struct buf buf;
    buf_init(&buf, 1 << 12);
    write_document(&buf);
    EXPECT_STR("document", buf_str(&buf), document);
    uint64_t before = mem_alloc_count();
    buf_clear(&buf);
    write_document(&buf);
    EXPECT_INT("allocations once it has grown", mem_alloc_count() - before, 0);
    buf_fini(&buf);
}

TEST(full_buf)
{
    for (size_t limit = 0; limit <= document.len; limit++) {
        struct buf buf;
        buf_init(&buf, limit);
        write_document(&buf);
        EXPECT_INT("fits", buf_ok(&buf), limit == document.len);
        buf_fini(&buf);
    }
}

/* Eight million bytes that are no characters: each is looked at once, else this does not end. */
TEST(bytes_that_are_no_text)
{
    enum { COUNT = 8 << 20 };
    struct buf from, to;
    struct json_write writer;
    buf_init(&from, COUNT);
    buf_init(&to, 4 * COUNT);
    for (size_t i = 0; i < COUNT; i++)
        buf_push_char(&from, '\xFF');
    json_write_init(&writer, &to);
    json_write_str(&writer, buf_str(&from));
    EXPECT_INT("replaced", buf_len(&to), 3 * COUNT + 2);
    buf_fini(&from);
    buf_fini(&to);
}

RUN_TESTS(T(text), T(bytes_that_are_no_text), T(doubles), T(every_byte_at_every_place),
          T(structure), T(full_buf))
