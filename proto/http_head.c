/* SPDX-License-Identifier: MIT */
/* proto/http_head.c - one state per place in the grammar, one byte per step.
 *
 * Happy path: empty lines, method, target, version, then lines of name, colon, value, until the
 * empty line.
 * Failure paths, each with its HTTP status and a sentence: a byte that may not stand where it
 * does (400), a version that is not ours (400), too long a target (414), too many bytes or
 * headers (431). */
#include "proto/http_head.h"

#include <string.h>

enum { LONGEST_METHOD = 32 };

static const bool token_chars[256] = {
    /* RFC 9110, 5.6.2 */
    ['!'] = true,         ['#'] = true,         ['$'] = true,         ['%'] = true, ['&'] = true,
    ['\''] = true,        ['*'] = true,         ['+'] = true,         ['-'] = true, ['.'] = true,
    ['^'] = true,         ['_'] = true,         ['`'] = true,         ['|'] = true, ['~'] = true,
    ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true,
};

static bool is_token_char(unsigned char c)
{
    return token_chars[c];
}

static void fail(struct http_head *head, int status, const char *problem)
{
    head->state = HTTP_HEAD_FAILED;
    head->status = status;
    head->problem = problem;
}

/* The state after a line end that began with CR: next if c is the LF. */
static void want_lf(struct http_head *head, unsigned char c, enum http_head_state next)
{
    if (c == '\n')
        head->state = next;
    else
        fail(head, 400, "expected LF after CR");
}

static void take_start(struct http_head *head, unsigned char c)
{
    if (c == '\r') {
        head->state = HTTP_HEAD_START_LF;
    } else if (!is_token_char(c)) {
        fail(head, 400, "expected a method");
    } else {
        head->start = head->len;
        head->method_len = 1;
        head->state = HTTP_HEAD_METHOD;
    }
}

static void take_method(struct http_head *head, unsigned char c)
{
    if (c == ' ') {
        head->target = head->len + 1;
        head->state = HTTP_HEAD_TARGET;
    } else if (!is_token_char(c) || head->method_len == LONGEST_METHOD) {
        fail(head, 400, "expected a method of token characters and one blank");
    } else {
        head->method_len++;
    }
}

static void take_target(struct http_head *head, const struct http_head_limits *limits,
                        unsigned char c)
{
    if (c == ' ' && head->target_len > 0) {
        head->version = head->len + 1;
        head->state = HTTP_HEAD_VERSION;
    } else if (c == '\r' || c == '\n') {
        fail(head, 400, "expected a version after the target, HTTP/0.9 is not served");
    } else if (c <= 0x20 || c >= 0x7F || c == '#') {
        fail(head, 400, "expected a target of visible ASCII characters without '#'");
    } else if (head->target_len == limits->target_bytes) {
        fail(head, 414, "the target is too long");
    } else {
        head->target_len++;
    }
}

static void take_version(struct http_head *head, unsigned char c)
{
    static const char form[] = "HTTP/";
    size_t i = head->len - head->version;
    bool is_right;
    if (i < 5) {
        is_right = c == (unsigned char)form[i];
    } else if (i == 6) {
        is_right = c == '.';
    } else if (i == 8) {
        is_right = c == '\r';
        head->state = HTTP_HEAD_LINE_LF;
    } else {
        is_right = str_is_digit((char)c);
        *(i == 5 ? &head->major : &head->minor) = c - '0';
    }
    if (!is_right)
        fail(head, 400, "expected 'HTTP/1.1' and CR LF after the target");
    else if (i == 8 && (head->major != 1 || head->minor > 1))
        fail(head, 400, "expected HTTP version 1.0 or 1.1");
}

static void take_field(struct http_head *head, const struct http_head_limits *limits,
                       unsigned char c)
{
    if (c == '\r')
        head->state = HTTP_HEAD_END_LF;
    else if (c == ' ' || c == '\t')
        fail(head, 400, "a header line that begins with a blank (folding) is not accepted");
    else if (!is_token_char(c))
        fail(head, 400, "expected a header name of token characters");
    else if (head->header_count == limits->header_count)
        fail(head, 431, "too many header lines");
    else
        head->state = HTTP_HEAD_NAME;
}

static void take_name(struct http_head *head, unsigned char c)
{
    if (c == ':')
        head->state = HTTP_HEAD_VALUE;
    else if (c == ' ' || c == '\t')
        fail(head, 400, "a blank between header name and colon is not accepted");
    else if (!is_token_char(c))
        fail(head, 400, "expected a header name of token characters");
}

static void take_value(struct http_head *head, unsigned char c)
{
    if (c == '\r')
        head->state = HTTP_HEAD_VALUE_LF;
    else if (c == '\n')
        fail(head, 400, "expected CR before LF");
    else if ((c < 0x20 && c != '\t') || c == 0x7F)
        fail(head, 400, "a control character in a header value is not accepted");
}

static void take_byte(struct http_head *head, const struct http_head_limits *limits,
                      unsigned char c)
{
    switch (head->state) {
    case HTTP_HEAD_START:
        take_start(head, c);
        break;
    case HTTP_HEAD_START_LF:
        want_lf(head, c, HTTP_HEAD_START);
        break;
    case HTTP_HEAD_METHOD:
        take_method(head, c);
        break;
    case HTTP_HEAD_TARGET:
        take_target(head, limits, c);
        break;
    case HTTP_HEAD_VERSION:
        take_version(head, c);
        break;
    case HTTP_HEAD_LINE_LF:
        head->fields = head->len + 1;
        want_lf(head, c, HTTP_HEAD_FIELD);
        break;
    case HTTP_HEAD_FIELD:
        take_field(head, limits, c);
        break;
    case HTTP_HEAD_NAME:
        take_name(head, c);
        break;
    case HTTP_HEAD_VALUE:
        take_value(head, c);
        break;
    case HTTP_HEAD_VALUE_LF:
        head->header_count++;
        want_lf(head, c, HTTP_HEAD_FIELD);
        break;
    case HTTP_HEAD_END_LF:
        want_lf(head, c, HTTP_HEAD_DONE);
        break;
    case HTTP_HEAD_DONE:
    case HTTP_HEAD_FAILED:
        break;
    }
}

void http_head_init(struct http_head *head)
{
    *head = (struct http_head){.state = HTTP_HEAD_START};
}

void http_head_init_trailers(struct http_head *head)
{
    *head = (struct http_head){.state = HTTP_HEAD_FIELD};
}

size_t http_head_feed(struct http_head *head, const struct http_head_limits *limits,
                      struct str bytes)
{
    size_t taken = 0;
    while (taken < bytes.len && head->state != HTTP_HEAD_DONE) {
        if (head->len == limits->head_bytes)
            fail(head, 431, "request line and headers are too long");
        else
            take_byte(head, limits, (unsigned char)bytes.at[taken]);
        if (head->state == HTTP_HEAD_FAILED)
            break;
        head->len++;
        taken++;
    }
    return taken;
}

bool http_head_is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_token_char((unsigned char)s.at[i]))
            return false;
    return s.len > 0;
}

bool http_head_next_field(struct str fields, size_t *cursor, struct str *name, struct str *value)
{
    struct str rest = str_from(fields, *cursor);
    ptrdiff_t lf = str_find_char(rest, '\n');
    if (lf == STR_NONE)
        return false;
    *cursor += (size_t)lf + 1;
    struct str line = str_slice(rest, 0, (size_t)lf);
    *name = str_split(&line, ':');
    *value = str_trim(line);
    return true;
}

struct str http_head_find(struct str fields, struct str name)
{
    while (fields.len > name.len) {
        const char *lf = memchr(fields.at, '\n', fields.len);
        if (lf == NULL)
            break;
        struct str line = str_make(fields.at, (size_t)(lf - fields.at));
        if (line.len > name.len && line.at[name.len] == ':' &&
            str_equal_nocase(str_slice(line, 0, name.len), name))
            return str_trim(str_from(line, name.len + 1));
        fields = str_from(fields, line.len + 1);
    }
    return (struct str){NULL, 0};
}
