/* SPDX-License-Identifier: MIT */
/* proto/json_write.c - strings are copied, plain run by plain run.
 *
 * Happy path: separator, then the value's bytes into reserved room.
 * Failure paths:
 * - the buf is full or finds no memory: it says so itself, nesting is still tracked;
 * - bytes that are not UTF-8: replaced one by one with U+FFFD;
 * - a value where none may be, an end without a beginning: CHECK. */
#include "proto/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/json_plain.h"

enum { MOST_FORM = 6 }; /* \u00xx, and any character of UTF-8 */

static bool in_object(const struct json_write *writer)
{
    return writer->depth > 0 && (writer->objects >> (writer->depth - 1) & 1) != 0;
}

/* What stands before a value: CHECKs that one may come, writes the comma. */
static void begin_value(struct json_write *writer)
{
    CHECK(!writer->is_complete);
    if (in_object(writer)) {
        CHECK(writer->has_key);
        writer->has_key = false;
    } else if (writer->needs_comma) {
        buf_push_char(writer->buf, ',');
    }
}

static void end_value(struct json_write *writer)
{
    writer->needs_comma = true;
    writer->is_complete = writer->depth == 0;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

/* The letter after the backslash, or 0 for \u00xx. */
static char short_escape(unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        return (char)c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

/* Length of the UTF-8 character that s begins with, 0: none. */
static size_t char_len(struct str s)
{
    for (size_t len = 1; len <= 4 && len <= s.len; len++)
        if (str_is_utf8(str_slice(s, 0, len)))
            return len;
    return 0;
}

/* Write the escaped form of the character s begins with to form, MOST_FORM bytes. Sets *used to its
 * bytes and returns the bytes written. */
static size_t escape_one(struct str s, char *form, size_t *used)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char c = (unsigned char)s.at[0];
    *used = 1;
    if (c >= 0x80) {
        size_t whole = char_len(s);
        *used = whole == 0 ? 1 : whole;
        memcpy(form, whole == 0 ? "\xEF\xBF\xBD" : s.at, whole == 0 ? 3 : whole);
        return whole == 0 ? 3 : whole;
    }
    if (is_plain(c)) {
        form[0] = (char)c;
        return 1;
    }
    form[0] = '\\';
    form[1] = short_escape(c);
    if (form[1] != 0)
        return 2;
    memcpy(form, "\\u00", 4);
    form[4] = hex[c >> 4];
    form[5] = hex[c & 15];
    return MOST_FORM;
}

/* Bytes from at on that stand for themselves: most come in long runs. */
static size_t plain_run(struct str s, size_t at)
{
    return (size_t)(json_plain_end(s.at + at, s.at + s.len) - (s.at + at));
}

/* Where the bytes above ASCII end that begin at byte at of s. */
static size_t high_end(struct str s, size_t at)
{
    while (at < s.len && (unsigned char)s.at[at] >= 0x80)
        at++;
    return at;
}

/* s, from its byte at on, which is not plain, with a quote behind it: run by run, each looked at
 * once. */
static void push_escaped(struct buf *buf, struct str s, size_t at)
{
    char form[MOST_FORM];
    size_t used;
    while (at < s.len) {
        size_t end = high_end(s, at);
        if (end > at && str_is_utf8(str_slice(s, at, end))) {
            buf_push(buf, str_slice(s, at, end));
            at = end;
        } else {
            for (end = size_max(end, at + 1); at < end; at += used) {
                size_t len = escape_one(str_slice(s, at, end), form, &used);
                buf_push(buf, str_make(form, len));
            }
        }
        size_t run = at < s.len ? plain_run(s, at) : 0;
        if (run > 0)
            buf_push(buf, str_slice(s, at, at + run));
        at += run;
    }
    buf_push_char(buf, '"');
}

void json_write_quoted(struct buf *buf, struct str s)
{
    size_t plain = s.len == 0 ? 0 : plain_run(s, 0);
    char *to =
        buf_reserve(buf, s.len + 2); /* what there is at least, so it grows once in most cases */
    if (to == NULL)
        return;
    to[0] = '"';
    if (plain > 0)
        memcpy(to + 1, s.at, plain);
    if (plain == s.len)
        to[plain + 1] = '"';
    buf_commit(buf, plain + (plain == s.len ? 2 : 1));
    if (plain < s.len)
        push_escaped(buf, s, plain);
}

static void open_level(struct json_write *writer, bool is_object)
{
    begin_value(writer);
    CHECK(writer->depth < JSON_WRITE_MAX_DEPTH);
    uint64_t bit = (uint64_t)1 << writer->depth;
    writer->objects = is_object ? writer->objects | bit : writer->objects & ~bit;
    writer->depth++;
    writer->needs_comma = false;
    buf_push_char(writer->buf, is_object ? '{' : '[');
}

static void close_level(struct json_write *writer, bool is_object)
{
    CHECK(writer->depth > 0 && in_object(writer) == is_object && !writer->has_key);
    buf_push_char(writer->buf, is_object ? '}' : ']');
    writer->depth--;
    end_value(writer);
}

void json_write_init(struct json_write *writer, struct buf *buf)
{
    *writer = (struct json_write){.buf = buf};
}

bool json_write_is_complete(const struct json_write *writer)
{
    return writer->is_complete;
}

void json_write_object(struct json_write *writer)
{
    open_level(writer, true);
}

void json_write_object_end(struct json_write *writer)
{
    close_level(writer, true);
}

void json_write_array(struct json_write *writer)
{
    open_level(writer, false);
}

void json_write_array_end(struct json_write *writer)
{
    close_level(writer, false);
}

void json_write_key(struct json_write *writer, struct str key)
{
    CHECK(in_object(writer) && !writer->has_key);
    if (writer->needs_comma)
        buf_push_char(writer->buf, ',');
    json_write_quoted(writer->buf, key);
    buf_push_char(writer->buf, ':');
    writer->has_key = true;
}

void json_write_str(struct json_write *writer, struct str value)
{
    begin_value(writer);
    json_write_quoted(writer->buf, value);
    end_value(writer);
}

void json_write_i64(struct json_write *writer, int64_t value)
{
    begin_value(writer);
    buf_push_i64(writer->buf, value);
    end_value(writer);
}

void json_write_u64(struct json_write *writer, uint64_t value)
{
    begin_value(writer);
    buf_push_u64(writer->buf, value);
    end_value(writer);
}

/* 0.1, 0.25: n tenths or hundredths are the double nearest to that, which is how it reads back;
 * formatting the general way costs more than the rest of a request's body. */
static bool write_short_decimal(struct json_write *writer, double value)
{
    for (unsigned per = 10; per <= 100; per *= 10) {
        if (!(value > 0 && value < 1))
            return false;
        unsigned count = (unsigned)(value * per + 0.5);
        if ((double)count / per != value)
            continue;
        begin_value(writer);
        buf_push(writer->buf, count < 10 && per == 100 ? STR("0.0") : STR("0."));
        buf_push_u64(writer->buf, count);
        end_value(writer);
        return true;
    }
    return false;
}

void json_write_double(struct json_write *writer, double value)
{
    char text[32];
    int len = 0;
    if (!isfinite(value)) {
        json_write_null(writer);
        return;
    }
    if (write_short_decimal(writer, value))
        return;
    for (int digits = 15; digits <= 17; digits++) { /* 17 always read back the same */
        len = snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value)
            break;
    }
    begin_value(writer);
    buf_push(writer->buf, str_make(text, (size_t)len));
    end_value(writer);
}

void json_write_bool(struct json_write *writer, bool value)
{
    json_write_raw(writer, value ? STR("true") : STR("false"));
}

void json_write_null(struct json_write *writer)
{
    json_write_raw(writer, STR("null"));
}

void json_write_raw(struct json_write *writer, struct str json)
{
    CHECK(json.len > 0);
    begin_value(writer);
    buf_push(writer->buf, json);
    end_value(writer);
}

void json_write_member_str(struct json_write *writer, struct str key, struct str value)
{
    if (str_is_absent(value))
        return;
    json_write_key(writer, key);
    json_write_str(writer, value);
}

void json_write_member_i64(struct json_write *writer, struct str key, int64_t value)
{
    json_write_key(writer, key);
    json_write_i64(writer, value);
}

void json_write_member_u64(struct json_write *writer, struct str key, uint64_t value)
{
    json_write_key(writer, key);
    json_write_u64(writer, value);
}

void json_write_member_double(struct json_write *writer, struct str key, double value)
{
    json_write_key(writer, key);
    json_write_double(writer, value);
}

void json_write_member_bool(struct json_write *writer, struct str key, bool value)
{
    json_write_key(writer, key);
    json_write_bool(writer, value);
}

void json_write_member_raw(struct json_write *writer, struct str key, struct str json)
{
    json_write_key(writer, key);
    json_write_raw(writer, json);
}
