/* SPDX-License-Identifier: MIT */
/* proto/json_read.c - the grammar as "what may come next", nesting as one bit per level.
 *
 * Happy path: skip blanks, look at one byte, scan the token it begins; strings are validated eight
 * bytes at a time and stay escaped until somebody wants them.
 * Failure paths:
 * - a byte that may not come here, a broken string, number or word: the problem is kept with its
 *   offset, every later call is JSON_TOKEN_ERROR;
 * - the text ends inside a value: the problem is kept with the offset of the end;
 * - deeper than 64 levels: the problem is kept with the offset of the bracket. */
#include "proto/json_read.h"

#include <string.h>

#include "proto/json_plain.h"

enum expect {
    EXPECT_VALUE,
    EXPECT_FIRST_ITEM, /* a value or ']' */
    EXPECT_FIRST_KEY,  /* a key or '}' */
    EXPECT_KEY,
    EXPECT_COMMA, /* or the end of the object or array */
    EXPECT_NOTHING,
    EXPECT_FAILED
};

static enum json_token refuse(struct json_read *reader, const char *problem)
{
    reader->problem = problem;
    reader->expect = EXPECT_FAILED;
    return JSON_TOKEN_ERROR;
}

static bool broken(struct json_read *reader, const char *problem)
{
    refuse(reader, problem);
    return false;
}

static bool in_object(const struct json_read *reader)
{
    return reader->depth > 0 && (reader->objects >> (reader->depth - 1) & 1) != 0;
}

static void skip_blanks(struct json_read *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' ||
                                        *reader->at == '\r' || *reader->at == '\t'))
        reader->at++;
}

static void finish_value(struct json_read *reader)
{
    reader->expect = reader->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA;
}

/* The value of four hex digits at at, or -1. */
static int32_t hex4(const char *at, const char *end)
{
    int32_t value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = str_lower(at[i]);
        if (str_is_digit(c))
            value = value * 16 + (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (c - 'a' + 10);
        else
            return -1;
    }
    return value;
}

/* Step over the escape at reader->at. False: refused. */
static bool scan_escape(struct json_read *reader)
{
    const char *at = reader->at;
    reader->has_escapes = true;
    if (reader->end - at >= 2 && at[1] != '\0' && strchr("\"\\/bfnrt", at[1]) != NULL) {
        reader->at += 2;
        return true;
    }
    if (reader->end - at < 2 || at[1] != 'u')
        return broken(reader, "expected an escape character");
    int32_t unit = hex4(at + 2, reader->end);
    if (unit < 0)
        return broken(reader, "expected four hex digits");
    if (unit == 0 && reader->refuse_nul)
        return broken(reader, "a NUL character is not allowed");
    reader->at += 6;
    if (unit < 0xD800 || unit > 0xDFFF)
        return true;
    int32_t low = -1;
    if (unit < 0xDC00 && reader->end - at >= 12 && at[6] == '\\' && at[7] == 'u')
        low = hex4(at + 8, reader->end);
    if (low < 0xDC00 || low > 0xDFFF) {
        reader->at = at;
        return broken(reader, "a lone surrogate is not a character");
    }
    reader->at += 6;
    return true;
}

/* Scan the string whose opening quote is at reader->at into reader->text. False: refused. */
static bool scan_string(struct json_read *reader)
{
    const char *begin = reader->at + 1;
    bool has_high = false;
    reader->has_escapes = false;
    for (reader->at = begin;;) {
        reader->at = json_plain_end(reader->at, reader->end);
        if (reader->at == reader->end)
            return broken(reader, "expected the end of the string");
        unsigned char c = (unsigned char)*reader->at;
        if (c == '"')
            break;
        if (c < 0x20)
            return broken(reader, "a control character must be escaped");
        if (c != '\\') {
            has_high = has_high || c >= 0x80;
            reader->at++;
        } else if (!scan_escape(reader)) {
            return false;
        }
    }
    reader->text = str_make(begin, (size_t)(reader->at - begin));
    if (has_high && !str_is_utf8(reader->text)) {
        reader->at = begin;
        return broken(reader, "not UTF-8 in the string");
    }
    reader->at++;
    return true;
}

/* Step over digits. False: there is none. */
static bool scan_digits(struct json_read *reader)
{
    const char *begin = reader->at;
    while (reader->at < reader->end && str_is_digit(*reader->at))
        reader->at++;
    return reader->at > begin;
}

static enum json_token read_number(struct json_read *reader)
{
    const char *begin = reader->at;
    reader->is_integer = true;
    if (*reader->at == '-')
        reader->at++;
    if (reader->at < reader->end && *reader->at == '0')
        reader->at++;
    else if (!scan_digits(reader))
        return refuse(reader, "expected a digit");
    if (reader->at < reader->end && *reader->at == '.') {
        reader->is_integer = false;
        reader->at++;
        if (!scan_digits(reader))
            return refuse(reader, "expected a digit");
    }
    if (reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
        reader->is_integer = false;
        reader->at++;
        if (reader->at < reader->end && (*reader->at == '+' || *reader->at == '-'))
            reader->at++;
        if (!scan_digits(reader))
            return refuse(reader, "expected a digit");
    }
    reader->text = str_make(begin, (size_t)(reader->at - begin));
    finish_value(reader);
    return JSON_TOKEN_NUMBER;
}

static enum json_token read_word(struct json_read *reader, struct str word, enum json_token token)
{
    struct str left = str_make(reader->at, (size_t)(reader->end - reader->at));
    if (!str_starts_with(left, word))
        return refuse(reader, "expected a value");
    reader->at += word.len;
    finish_value(reader);
    return token;
}

static enum json_token open_level(struct json_read *reader, bool is_object)
{
    if (reader->depth == JSON_READ_MAX_DEPTH)
        return refuse(reader, "nested deeper than 64 levels");
    uint64_t bit = (uint64_t)1 << reader->depth;
    reader->objects = is_object ? reader->objects | bit : reader->objects & ~bit;
    reader->depth++;
    reader->at++;
    reader->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
    return is_object ? JSON_TOKEN_OBJECT : JSON_TOKEN_ARRAY;
}

static enum json_token close_level(struct json_read *reader)
{
    enum json_token token = in_object(reader) ? JSON_TOKEN_OBJECT_END : JSON_TOKEN_ARRAY_END;
    reader->at++;
    reader->depth--;
    finish_value(reader);
    return token;
}

static enum json_token read_value(struct json_read *reader)
{
    switch (*reader->at) {
    case '{':
        return open_level(reader, true);
    case '[':
        return open_level(reader, false);
    case '"':
        if (!scan_string(reader))
            return JSON_TOKEN_ERROR;
        finish_value(reader);
        return JSON_TOKEN_STRING;
    case 't':
        return read_word(reader, STR("true"), JSON_TOKEN_TRUE);
    case 'f':
        return read_word(reader, STR("false"), JSON_TOKEN_FALSE);
    case 'n':
        return read_word(reader, STR("null"), JSON_TOKEN_NULL);
    default:
        if (*reader->at == '-' || str_is_digit(*reader->at))
            return read_number(reader);
        return refuse(reader, "expected a value");
    }
}

static enum json_token read_key(struct json_read *reader)
{
    if (*reader->at != '"')
        return refuse(reader, "expected a member's name in quotes");
    if (!scan_string(reader))
        return JSON_TOKEN_ERROR;
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != ':')
        return refuse(reader, "expected ':'");
    reader->at++;
    reader->expect = EXPECT_VALUE;
    return JSON_TOKEN_KEY;
}

/* After a value inside an object or array: the comma and what follows it, or the end. */
static enum json_token read_after_value(struct json_read *reader)
{
    bool is_object = in_object(reader);
    if (*reader->at == (is_object ? '}' : ']'))
        return close_level(reader);
    if (*reader->at != ',')
        return refuse(reader, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    reader->at++;
    skip_blanks(reader);
    reader->expect = is_object ? EXPECT_KEY : EXPECT_VALUE;
    if (reader->at == reader->end)
        return refuse(reader, is_object ? "expected a member" : "expected a value");
    return is_object ? read_key(reader) : read_value(reader);
}

void json_read_init(struct json_read *reader, struct str text)
{
    const char *begin = text.at == NULL ? "" : text.at;
    *reader = (struct json_read){
        .begin = begin, .at = begin, .end = begin + text.len, .expect = EXPECT_VALUE};
}

void json_read_init_no_nul(struct json_read *reader, struct str text)
{
    json_read_init(reader, text);
    reader->refuse_nul = true;
}

enum json_token json_read_next(struct json_read *reader)
{
    if (reader->expect == EXPECT_FAILED)
        return JSON_TOKEN_ERROR;
    skip_blanks(reader);
    if (reader->at == reader->end)
        return reader->expect == EXPECT_NOTHING
                   ? JSON_TOKEN_END
                   : refuse(reader, reader->depth > 0 ? "the text ends inside a value"
                                                      : "expected a value, the text is empty");
    switch ((enum expect)reader->expect) {
    case EXPECT_FIRST_ITEM:
        return *reader->at == ']' ? close_level(reader) : read_value(reader);
    case EXPECT_FIRST_KEY:
        return *reader->at == '}' ? close_level(reader) : read_key(reader);
    case EXPECT_KEY:
        return read_key(reader);
    case EXPECT_COMMA:
        return read_after_value(reader);
    case EXPECT_NOTHING:
        return refuse(reader, "expected nothing after the value");
    case EXPECT_VALUE:
    case EXPECT_FAILED:
        break;
    }
    return read_value(reader);
}

bool json_read_skip(struct json_read *reader, enum json_token token)
{
    if (token == JSON_TOKEN_KEY)
        token = json_read_next(reader);
    if (token == JSON_TOKEN_OBJECT || token == JSON_TOKEN_ARRAY) {
        unsigned outside = reader->depth - 1;
        while (token != JSON_TOKEN_ERROR && reader->depth > outside)
            token = json_read_next(reader);
    }
    return token != JSON_TOKEN_ERROR;
}

static size_t put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F));
    to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

/* Decode the byte or escape at *at, which scan_string has accepted; returns the bytes written. */
static size_t decode_one(const char **at, const char *end, char to[4])
{
    const char *from = *at;
    if (*from != '\\') {
        to[0] = *from;
        *at += 1;
        return 1;
    }
    *at += 2;
    switch (from[1]) {
    case 'b':
        to[0] = '\b';
        return 1;
    case 'f':
        to[0] = '\f';
        return 1;
    case 'n':
        to[0] = '\n';
        return 1;
    case 'r':
        to[0] = '\r';
        return 1;
    case 't':
        to[0] = '\t';
        return 1;
    case 'u':
        break;
    default:
        to[0] = from[1];
        return 1;
    }
    *at += 4;
    uint32_t code = (uint32_t)hex4(from + 2, end);
    if (code >= 0xD800 && code <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + ((uint32_t)hex4(from + 8, end) - 0xDC00);
        *at += 6;
    }
    return put_utf8(to, code);
}

bool json_read_is(const struct json_read *reader, struct str plain)
{
    if (!reader->has_escapes)
        return str_equal(reader->text, plain);
    const char *at = reader->text.at, *end = at + reader->text.len;
    while (at < end) {
        char one[4];
        struct str got = str_make(one, decode_one(&at, end, one));
        if (!str_starts_with(plain, got))
            return false;
        plain = str_from(plain, got.len);
    }
    return plain.len == 0;
}

size_t json_read_unescape_to(const struct json_read *reader, char *to)
{
    const char *at = reader->text.at, *end = at + reader->text.len;
    char *begin = to;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((slash == NULL ? end : slash) - at);
        memcpy(to, at, plain);
        to += plain;
        at += plain;
        if (at < end) {
            char one[4];
            size_t len = decode_one(&at, end, one);
            memcpy(to, one, len);
            to += len;
        }
    }
    return (size_t)(to - begin);
}

struct str json_read_unescape(const struct json_read *reader, struct buf *scratch)
{
    if (!reader->has_escapes)
        return reader->text;
    char *to = buf_reserve(scratch, reader->text.len);
    if (to == NULL)
        return (struct str){NULL, 0};
    size_t len = json_read_unescape_to(reader, to);
    buf_commit(scratch, len);
    return str_make(to, len);
}

bool json_read_i64(const struct json_read *reader, int64_t *value)
{
    return reader->is_integer && str_to_i64(reader->text, value);
}

bool json_read_double(const struct json_read *reader, double *value)
{
    return str_to_double(reader->text, value);
}

enum err_code json_read_error(const struct json_read *reader, struct err *err)
{
    return err_set(err, ERR_INVALID, "%s at byte %zu",
                   reader->problem == NULL ? "no problem" : reader->problem,
                   json_read_offset(reader));
}

size_t json_read_offset(const struct json_read *reader)
{
    return (size_t)(reader->at - reader->begin);
}
