/* SPDX-License-Identifier: MIT */
/* The grammar as tables: what is read, what is refused and at which byte. */
#include "tests/lib/test.h"

#include "proto/json_read.h"

/* Every token as one character (strings and numbers with their text), or the error. */
static struct str trace(struct str text, struct buf *out)
{
    static const char marks[] = {
        [JSON_TOKEN_ERROR] = '!',      [JSON_TOKEN_END] = '.',   [JSON_TOKEN_NULL] = 'n',
        [JSON_TOKEN_TRUE] = 't',       [JSON_TOKEN_FALSE] = 'f', [JSON_TOKEN_NUMBER] = '#',
        [JSON_TOKEN_STRING] = '"',     [JSON_TOKEN_KEY] = ':',   [JSON_TOKEN_OBJECT] = '{',
        [JSON_TOKEN_OBJECT_END] = '}', [JSON_TOKEN_ARRAY] = '[', [JSON_TOKEN_ARRAY_END] = ']',
    };
    struct json_read reader;
    struct err err = {0};
    enum json_token token;
    buf_clear(out);
    json_read_init(&reader, text);
    do {
        token = json_read_next(&reader);
        buf_push_char(out, marks[token]);
        if (token == JSON_TOKEN_STRING || token == JSON_TOKEN_KEY || token == JSON_TOKEN_NUMBER)
            buf_push(out, reader.text);
    } while (token != JSON_TOKEN_END && token != JSON_TOKEN_ERROR);
    if (token == JSON_TOKEN_ERROR) {
        EXPECT_INT("error again", json_read_next(&reader), JSON_TOKEN_ERROR);
        EXPECT_INT("code", json_read_error(&reader, &err), ERR_INVALID);
        buf_push(out, str_of(err.text));
    }
    return buf_str(out);
}

static const struct {
    const char *name, *text, *want;
} cases[] = {
    {"null", "null", "n."},
    {"blanks", " \t\r\n true \n", "t."},
    {"object", "{\"a\":1,\"b\":[true,false,null,\"x\"]}", "{:a#1:b[tfn\"x]}."},
    {"empty ones", "[{},[],\"\"]", "[{}[]\"]."},
    {"numbers", "[0,-0,1.5,-1e5,2E+3,1e-7,123456789012345678901234567890]",
     "[#0#-0#1.5#-1e5#2E+3#1e-7#123456789012345678901234567890]."},
    {"escapes stay", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
     "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00."},
    {"utf-8", "\"\xC3\xA9\xF0\x9F\x98\x80 and a longer text\"",
     "\"\xC3\xA9\xF0\x9F\x98\x80 and a longer text."},
    {"DEL and U+2028", "\"\x7F\xE2\x80\xA8\"", "\"\x7F\xE2\x80\xA8."},
    {"nothing", "", "!expected a value, the text is empty at byte 0"},
    {"blanks only", "  ", "!expected a value, the text is empty at byte 2"},
    {"garbage after", "1 2", "#1!expected nothing after the value at byte 2"},
    {"word run on", "nullx", "n!expected nothing after the value at byte 4"},
    {"half a word", "nul", "!expected a value at byte 0"},
    {"capital", "True", "!expected a value at byte 0"},
    {"NaN", "NaN", "!expected a value at byte 0"},
    {"leading zero", "01", "#0!expected nothing after the value at byte 1"},
    {"plus", "+1", "!expected a value at byte 0"},
    {"minus alone", "-", "!expected a digit at byte 1"},
    {"no fraction", "1.", "!expected a digit at byte 2"},
    {"no integer", ".5", "!expected a value at byte 0"},
    {"no exponent", "1e+", "!expected a digit at byte 3"},
    {"open array", "[1", "[#1!the text ends inside a value at byte 2"},
    {"open object", "{\"a\"", "{!expected ':' at byte 4"},
    {"open after comma", "[1,", "[#1!expected a value at byte 3"},
    {"comma at the end", "[1,]", "[#1!expected a value at byte 3"},
    {"comma at the end", "{\"a\":1,}", "{:a#1!expected a member's name in quotes at byte 7"},
    {"comma first", "[,1]", "[!expected a value at byte 1"},
    {"wrong bracket", "[1}", "[#1!expected ',' or ']' at byte 2"},
    {"wrong bracket", "{\"a\":1]", "{:a#1!expected ',' or '}' at byte 6"},
    {"no value", "{\"a\":}", "{:a!expected a value at byte 5"},
    {"no colon", "{\"a\" 1}", "{!expected ':' at byte 5"},
    {"bare key", "{a:1}", "{!expected a member's name in quotes at byte 1"},
    {"single quotes", "'a'", "!expected a value at byte 0"},
    {"comment", "[1/**/]", "[#1!expected ',' or ']' at byte 2"},
    {"open string", "\"abc", "!expected the end of the string at byte 4"},
    {"raw newline", "\"a\nb\"", "!a control character must be escaped at byte 2"},
    {"raw tab", "\"0123456789\t\"", "!a control character must be escaped at byte 11"},
    {"bad escape", "\"\\x\"", "!expected an escape character at byte 1"},
    {"cut escape", "\"\\", "!expected an escape character at byte 1"},
    {"short \\u", "\"\\u12\"", "!expected four hex digits at byte 1"},
    {"bad \\u", "\"\\u12g4\"", "!expected four hex digits at byte 1"},
    {"lone high", "\"\\ud800\"", "!a lone surrogate is not a character at byte 1"},
    {"high high", "\"\\ud800\\ud800\"", "!a lone surrogate is not a character at byte 1"},
    {"lone low", "\"\\udc00\"", "!a lone surrogate is not a character at byte 1"},
    {"BOM",
     "\xEF\xBB\xBF"
     "1",
     "!expected a value at byte 0"},
    {"bad UTF-8", "\"a\x80\"", "!not UTF-8 in the string at byte 1"},
    {"overlong", "\"\xC0\x80\"", "!not UTF-8 in the string at byte 1"},
    {"surrogate in UTF-8", "\"\xED\xA0\x80\"", "!not UTF-8 in the string at byte 1"},
    {"cut UTF-8", "\"\xE2\x80\"", "!not UTF-8 in the string at byte 1"},
};

TEST(grammar)
{
    struct buf got;
    buf_init(&got, 1 << 16);
    TEST_EACH(c, cases)
        EXPECT_STR(c->name, trace(str_of(c->text), &got), str_of(c->want));
    EXPECT_STR("NUL", trace(STR("\"a\0\""), &got),
               STR("!a control character must be escaped at byte 2"));
    EXPECT_STR("NUL after", trace(STR("1\0"), &got),
               STR("#1!expected nothing after the value at byte 1"));
    buf_fini(&got);
}

/* Every prefix of a text is refused, and no read goes past it (ASan watches the exact copy). */
TEST(prefixes)
{
    static const struct str text =
        STR("{\"key\\n\":[1.5e3,\"\\ud83d\\ude00\xC3\xA9\",{\"b\":null}],\"c\":true}");
    struct buf got;
    buf_init(&got, 1 << 16);
    for (size_t len = 0; len < text.len; len++) {
        char *exact = mem_alloc(len);
        assert_non_null(exact);
        memcpy(exact, text.at, len);
        trace(str_make(exact, len), &got);
        EXPECT_TRUE("refused", str_find_char(buf_str(&got), '!') != STR_NONE);
        mem_free(exact);
    }
    EXPECT_TRUE("whole", str_ends_with(trace(text, &got), STR("}.")));
    buf_fini(&got);
}

TEST(depth)
{
    char text[2 * 70];
    struct buf got;
    buf_init(&got, 1 << 16);
    for (size_t depth = 60; depth <= 70; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        trace(str_make(text, 2 * depth), &got);
        EXPECT_INT("deep", str_ends_with(buf_str(&got), STR("].")), depth <= JSON_READ_MAX_DEPTH);
    }
    EXPECT_STR("says so", str_from(trace(str_make(text, 70), &got), 64),
               STR("!nested deeper than 64 levels at byte 64"));
    buf_fini(&got);
}

TEST(unescape)
{
    static const struct {
        const char *text, *plain;
    } strings[] = {
        {"\"plain\"", "plain"},
        {"\"\"", ""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"a\\u0041\\u00e9\\u20AC\\uD83D\\uDE00z\"", "aA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"},
    };
    struct buf scratch;
    buf_init(&scratch, 1 << 10);
    TEST_EACH(c, strings) {
        struct json_read reader;
        json_read_init(&reader, str_of(c->text));
        EXPECT_INT(c->text, json_read_next(&reader), JSON_TOKEN_STRING);
        EXPECT_STR(c->text, json_read_unescape(&reader, &scratch), str_of(c->plain));
        EXPECT_TRUE(c->text, json_read_is(&reader, str_of(c->plain)));
        EXPECT_TRUE(c->text, !json_read_is(&reader, STR("plai")));
        EXPECT_TRUE(c->text,
                    !json_read_is(&reader, STR("aA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80zz")));
    }
    buf_fini(&scratch);
    struct json_read reader;
    buf_init(&scratch, 2);
    json_read_init(&reader, STR("\"\\n123\""));
    EXPECT_INT("full", json_read_next(&reader), JSON_TOKEN_STRING);
    EXPECT_TRUE("full", str_is_absent(json_read_unescape(&reader, &scratch)));
    buf_fini(&scratch);
    json_read_init_no_nul(&reader, STR("\"a\\u0000\""));
    EXPECT_INT("NUL refused", json_read_next(&reader), JSON_TOKEN_ERROR);
    json_read_init(&reader, STR("\"a\\u0000\""));
    EXPECT_INT("NUL taken", json_read_next(&reader), JSON_TOKEN_STRING);
    EXPECT_TRUE("NUL", json_read_is(&reader, STR("a\0")));
}

TEST(numbers)
{
    static const struct {
        const char *text;
        bool fits;
        int64_t want;
    } integers[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"1.0", false, 0},
        {"1e2", false, 0},
    };
    struct json_read reader;
    double number;
    TEST_EACH(c, integers) {
        int64_t got = 0;
        json_read_init(&reader, str_of(c->text));
        EXPECT_INT(c->text, json_read_next(&reader), JSON_TOKEN_NUMBER);
        EXPECT_INT(c->text, json_read_i64(&reader, &got), c->fits);
        EXPECT_INT(c->text, got, c->want);
        EXPECT_TRUE(c->text, json_read_double(&reader, &number));
    }
    json_read_init(&reader, STR("1e999"));
    EXPECT_INT("1e999", json_read_next(&reader), JSON_TOKEN_NUMBER);
    EXPECT_TRUE("infinite", !json_read_double(&reader, &number));
}

TEST(skips_values)
{
    static const struct str text = STR("{\"a\":{\"x\":[1,{\"y\":2}],\"z\":3},\"b\":[[]],\"c\":5}");
    struct json_read reader;
    json_read_init(&reader, text);
    EXPECT_INT("{", json_read_next(&reader), JSON_TOKEN_OBJECT);
    EXPECT_INT("a", json_read_next(&reader), JSON_TOKEN_KEY);
    EXPECT_TRUE("a", json_read_skip(&reader, JSON_TOKEN_KEY));
    EXPECT_INT("b", json_read_next(&reader), JSON_TOKEN_KEY);
    EXPECT_TRUE("b", json_read_is(&reader, STR("b")));
    EXPECT_INT("[", json_read_next(&reader), JSON_TOKEN_ARRAY);
    EXPECT_TRUE("[", json_read_skip(&reader, JSON_TOKEN_ARRAY));
    EXPECT_INT("c", json_read_next(&reader), JSON_TOKEN_KEY);
    EXPECT_TRUE("c", json_read_skip(&reader, JSON_TOKEN_KEY));
    EXPECT_INT("}", json_read_next(&reader), JSON_TOKEN_OBJECT_END);
    EXPECT_INT("end", json_read_next(&reader), JSON_TOKEN_END);
    json_read_init(&reader, STR("[[1,"));
    EXPECT_INT("[", json_read_next(&reader), JSON_TOKEN_ARRAY);
    EXPECT_TRUE("cut", !json_read_skip(&reader, JSON_TOKEN_ARRAY));
}

RUN_TESTS(T(grammar), T(prefixes), T(depth), T(unescape), T(numbers), T(skips_values))
