/* SPDX-License-Identifier: MIT */
/* proto/url.c - splits at '/', '&' and '=', then decodes the pieces.
 *
 * Happy path: no escapes, the piece itself is the answer.
 * Failure paths: '%' without two hex digits, a decoded NUL, bytes that are not UTF-8: ERR_INVALID
 * with the piece; the arena is spent: ERR_NO_MEMORY. */
#include "proto/url.h"

#include <string.h>

enum err_code url_split_path(struct str path, struct str *segments, size_t max, size_t *count)
{
    size_t found = 0;
    if (path.len == 0 || path.at[0] != '/')
        return ERR_INVALID;
    struct str rest = str_from(path, 1);
    while (!str_is_absent(rest)) {
        if (found == max)
            return ERR_TOO_LARGE;
        segments[found++] = str_split(&rest, '/');
    }
    *count = found;
    return ERR_OK;
}

/* 0 to 15, or -1. */
static int hex_digit(char c)
{
    c = str_lower(c);
    if (str_is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode text into to, which has room for it; blank is what '+' stands for. False: bad escape. */
static bool decode_into(struct str text, char blank, char *to, size_t *len)
{
    size_t out = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i] == '+' ? blank : text.at[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex_digit(text.at[i + 1]) : -1;
            int low = i + 2 < text.len ? hex_digit(text.at[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        to[out++] = c;
    }
    *len = out;
    return true;
}

static enum err_code decode(struct arena *arena, struct str text, char blank, struct str *decoded,
                            struct err *err)
{
    struct str result = text;
    if (str_find_char(text, '%') != STR_NONE ||
        (blank != '+' && str_find_char(text, '+') != STR_NONE)) {
        char *to = arena_alloc(arena, text.len);
        if (to == NULL)
            return err_set(err, ERR_NO_MEMORY, "no memory to decode a part of the URL");
        result.at = to;
        if (!decode_into(text, blank, to, &result.len))
            return err_set(err, ERR_INVALID, "expected two hex digits after '%%' in '%.*s'",
                           STR_ARG(str_utf8_prefix(text, 100)));
    }
    if (str_find_char(result, '\0') != STR_NONE)
        return err_set(err, ERR_INVALID, "a NUL character in '%.*s' is not allowed",
                       STR_ARG(str_utf8_prefix(text, 100)));
    if (!str_is_utf8(result))
        return err_set(err, ERR_INVALID, "expected UTF-8 in '%.*s'",
                       STR_ARG(str_utf8_prefix(text, 100)));
    *decoded = result;
    return ERR_OK;
}

enum err_code url_decode(struct arena *arena, struct str text, struct str *decoded, struct err *err)
{
    return decode(arena, text, '+', decoded, err);
}

enum err_code url_decode_form(struct arena *arena, struct str text, struct str *decoded,
                              struct err *err)
{
    return decode(arena, text, ' ', decoded, err);
}

enum err_code url_next_param(struct arena *arena, struct str *rest, struct str *name,
                             struct str *value, struct err *err)
{
    struct str pair = {NULL, 0};
    while (!str_is_absent(*rest) && pair.len == 0) /* "a=1&&b=2" has two parameters */
        pair = str_split(rest, '&');
    *name = *value = (struct str){NULL, 0};
    if (pair.len == 0)
        return ERR_OK;
    struct str text = pair;
    struct str left = str_split(&text, '=');
    enum err_code code = url_decode_form(arena, left, name, err);
    if (code != ERR_OK)
        return code;
    return url_decode_form(arena, str_is_absent(text) ? STR("") : text, value, err);
}

enum err_code url_find_param(struct arena *arena, struct str query, struct str name,
                             struct str *value, struct err *err)
{
    *value = (struct str){NULL, 0};
    for (;;) {
        struct str got_name, got_value;
        enum err_code code = url_next_param(arena, &query, &got_name, &got_value, err);
        if (code != ERR_OK || str_is_absent(got_name))
            return code;
        if (str_equal(got_name, name)) {
            *value = got_value;
            return ERR_OK;
        }
    }
}

void url_encode(struct buf *buf, struct str text)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        unsigned char byte = (unsigned char)c;
        if (str_is_alpha(c) || str_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            buf_push_char(buf, c);
        } else {
            char escape[3] = {'%', hex[byte >> 4], hex[byte & 15]};
            buf_push(buf, str_make(escape, sizeof escape));
        }
    }
}
