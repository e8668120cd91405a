/* SPDX-License-Identifier: MIT */
/* core/base/log_pairs.c - one pass over the line; what is no pair is passed over.
 *
 * Happy path: a name, an equals sign, a word or something in double quotes.
 * Failure: no room: the pair is left out. */
#include "core/base/log_pairs.h"

enum { MOST_NUMBER_DIGITS = 15 }; /* what JavaScript reads exactly */

struct out {
    char *at;
    size_t len, size;
    bool is_full;
};

struct pair {
    struct str key, value;
    bool is_quoted;
};

size_t log_pairs_escape(struct str text, char *room, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len && len + 2 <= size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == '"' || c == '\\')
            room[len++] = '\\';
        room[len++] = c < 0x20 || c == 0x7f ? ' ' : text.at[i];
    }
    return len;
}

static void put(struct out *out, struct str text)
{
    out->is_full |= text.len > out->size - out->len;
    if (out->is_full)
        return;
    memcpy(out->at + out->len, text.at, text.len);
    out->len += text.len;
}

static void put_text(struct out *out, struct str text)
{
    put(out, STR("\""));
    if (2 * text.len > out->size - out->len)
        out->is_full = true;
    if (!out->is_full)
        out->len += log_pairs_escape(text, out->at + out->len, out->size - out->len);
    put(out, STR("\""));
}

static bool is_number(const struct pair *pair)
{
    size_t at = pair->value.len > 1 && pair->value.at[0] == '-';
    if (pair->is_quoted || pair->value.len == 0 || pair->value.len > MOST_NUMBER_DIGITS ||
        (pair->value.at[at] == '0' && pair->value.len > at + 1))
        return false;
    while (at < pair->value.len && str_is_digit(pair->value.at[at]))
        at++;
    return at == pair->value.len;
}

static void put_member(struct out *out, struct str key, const struct pair *pair)
{
    put(out, STR("\""));
    put(out, key);
    put(out, STR("\":"));
    if (is_number(pair))
        put(out, pair->value);
    else
        put_text(out, pair->value);
}

/* ---- reading ---- */

static bool is_key_char(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '_';
}

/* The end of a quoted value that begins at at: its quote is before a blank or the end. */
static size_t find_quote(struct str text, size_t at)
{
    while (at < text.len && !(text.at[at] == '"' && (at + 1 == text.len || text.at[at + 1] == ' ')))
        at++;
    return at;
}

static bool take_pair(struct str *rest, struct pair *pair)
{
    size_t at = 0, end;
    while (rest->len > 0) {
        *rest = str_trim(*rest);
        for (at = 0; at < rest->len && is_key_char(rest->at[at]);)
            at++;
        if (at > 0 && at < rest->len && rest->at[at] == '=')
            break;
        for (at = 0; at < rest->len && rest->at[at] != ' ';)
            at++;
        *rest = str_from(*rest, at);
    }
    if (rest->len == 0)
        return false;
    pair->key = str_slice(*rest, 0, at++);
    pair->is_quoted = at < rest->len && rest->at[at] == '"';
    if (pair->is_quoted)
        end = find_quote(*rest, ++at);
    else
        for (end = at; end < rest->len && rest->at[end] != ' ';)
            end++;
    pair->value = str_slice(*rest, at, end);
    *rest = str_from(*rest, end + pair->is_quoted);
    return true;
}

/* ---- writing ---- */

static struct str name_of(struct str key)
{
    if (str_equal(key, STR("run")))
        return STR("run_id");
    return str_equal(key, STR("ms")) ? STR("duration_ms") : key;
}

static bool is_message(struct str key)
{
    return str_equal(key, STR("text")) || str_equal(key, STR("error")) ||
           str_equal(key, STR("reason"));
}

static void put_err(struct out *out, const struct pair *code, const struct pair *message)
{
    if (str_is_absent(code->value) && str_is_absent(message->value))
        return;
    put(out, STR(",\"err\":{"));
    if (!str_is_absent(code->value))
        put_member(out, STR("code"), code);
    if (!str_is_absent(code->value) && !str_is_absent(message->value))
        put(out, STR(","));
    if (!str_is_absent(message->value))
        put_member(out, STR("message"), message);
    put(out, STR("}"));
}

/* Nothing of what did not fit stays. */
static void settle(struct out *out, size_t before)
{
    if (out->is_full)
        out->len = before;
    out->is_full = false;
}

size_t log_pairs_write(struct str text, char *room, size_t size)
{
    struct out out = {.at = room, .size = size};
    struct pair pair, code = {.is_quoted = true}, message = {.is_quoted = true};
    while (take_pair(&text, &pair)) {
        size_t before = out.len;
        if (str_equal(pair.key, STR("code"))) {
            code.value = str_equal(pair.value, STR("ok")) ? code.value : pair.value;
        } else if (is_message(pair.key)) {
            message.value = pair.value;
        } else {
            put(&out, STR(","));
            put_member(&out, name_of(pair.key), &pair);
        }
        settle(&out, before);
    }
    size_t before = out.len;
    put_err(&out, &code, &message);
    settle(&out, before);
    return out.len;
}
