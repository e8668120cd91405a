/* SPDX-License-Identifier: MIT */
/* agents/held/numbers.c - takes digits with the signs between them, then reads them.
 *
 * Happy path: digits with points, commas, blanks and apostrophes between them are one token; its
 * signs say what groups and what begins a fraction; a scale or percent behind it counts. Failure: a
 * token that is no number in any notation (a date, a version) is left out. */
#include "agents/held/numbers.h"

#include <math.h>

#include "agents/held/written.h"
#include "core/words/scale.h"

enum { MOST_DIGITS = 18, GROUP = 3 };

static size_t digits_at(struct str text, size_t at)
{
    size_t count = 0;
    while (at + count < text.len && str_is_digit(text.at[at + count]))
        count++;
    return count;
}

/* The bytes of a sign between digits at i; 0: the token ends there. A plain blank only groups. */
static size_t sign_at(struct str text, size_t i)
{
    if (i >= text.len)
        return 0;
    const char c = text.at[i];
    size_t blank = held_written_blank(str_from(text, i));
    if (blank == 0 && c == ' ')
        blank = 1;
    if (blank > 0)
        return digits_at(text, i + blank) == GROUP ? blank : 0;
    return (c == '.' || c == ',' || c == '\'') && digits_at(text, i + 1) > 0 ? 1 : 0;
}

static size_t token_end(struct str text, size_t begin)
{
    size_t i = begin + digits_at(text, begin), sign;
    while ((sign = sign_at(text, i)) > 0)
        i += sign + digits_at(text, i + sign);
    return i;
}

/* ---- what is no number ---- */

static bool is_letter(char c)
{
    return str_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether a sign that ties parts of a day, a time or a name stands at i, with more behind it. */
static bool is_tied(struct str text, size_t i)
{
    return i + 1 < text.len && (text.at[i] == '-' || text.at[i] == '/' || text.at[i] == ':') &&
           (str_is_digit(text.at[i + 1]) || str_is_alpha(text.at[i + 1]));
}

static bool is_tied_before(struct str text, size_t begin)
{
    if (begin == 0)
        return false;
    const char c = text.at[begin - 1];
    if (str_is_alpha(c) || c == '_' || c == '#')
        return true;
    return (c == '-' || c == '/' || c == ':') && begin > 1 &&
           (str_is_digit(text.at[begin - 2]) || is_letter(text.at[begin - 2]));
}

/* "12h" is a number of hours, "2nd" and "3D" are words. */
static bool is_of_word(struct str behind)
{
    static const char *const units[] = {"am", "d", "h", "kg", "km", "min", "pm", "s", "x"};
    struct str word = held_written_word(behind);
    return word.len > 0 && scale_of(word) == 1 &&
           !str_is_listed_nocase(word, units, countof(units));
}

/* ---- one reading ---- */

struct token {
    char digits[MOST_DIGITS + 1];
    size_t count;
    size_t points, commas, others; /* signs */
    size_t behind_last;            /* digits behind the last point or comma */
    bool is_grouped;               /* all parts behind the first are of three digits */
    char last;                     /* the last point or comma; 0: none */
};

static bool split(struct str text, struct token *token)
{
    size_t part = 0;
    bool is_first = true;
    *token = (struct token){.is_grouped = true};
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && str_is_digit(text.at[i])) {
            if (token->count == MOST_DIGITS)
                return false;
            token->digits[token->count++] = text.at[i];
            part++;
            continue;
        }
        if (i < text.len && part == 0) /* the second byte of a blank */
            continue;
        token->is_grouped = token->is_grouped && (is_first || part == GROUP);
        if (i == text.len)
            break;
        is_first = false;
        part = 0;
        token->points += text.at[i] == '.';
        token->commas += text.at[i] == ',';
        token->others += text.at[i] != '.' && text.at[i] != ',';
        if (text.at[i] == '.' || text.at[i] == ',')
            token->last = text.at[i];
    }
    token->behind_last = part;
    return token->count > 0;
}

static void push(struct held_number *number, const struct token *token, size_t decimals)
{
    double value = 0;
    if (number->reading_count == HELD_READINGS ||
        !str_to_double(str_make(token->digits, token->count), &value))
        return;
    const double step = pow(10, -(double)decimals);
    number->readings[number->reading_count].value = value * step;
    number->readings[number->reading_count++].step = step;
}

/* A last sign that is there once may begin a fraction; signs that are there again only group. */
static void read_token(const struct token *token, struct held_number *number)
{
    const size_t of_last = token->last == '.' ? token->points : token->commas;
    const size_t signs = token->points + token->commas + token->others;
    if (signs == 0 || (token->is_grouped && token->count > token->behind_last))
        push(number, token, 0);
    if (token->last != 0 && of_last == 1)
        push(number, token, token->behind_last);
}

/* ---- all of it ---- */

static void read_behind(struct str text, size_t *end, struct held_number *number)
{
    size_t i = *end, len;
    i += i < text.len && text.at[i] == ' ' ? 1 : held_written_blank(str_from(text, i));
    struct str behind = str_from(text, i), word = held_written_word(behind);
    const double scale = scale_of(word);
    if (held_written_percent(behind, &len)) {
        number->is_percent = true;
        *end = i + len;
    } else if (scale != 1) {
        for (size_t k = 0; k < number->reading_count; k++) {
            number->readings[k].value *= scale;
            number->readings[k].step *= scale;
        }
        *end = i + word.len;
    }
}

bool held_numbers_next(struct str *rest, struct held_number *number)
{
    const struct str text = *rest;
    for (size_t i = 0; i < text.len;) {
        struct token token;
        const size_t begin = i;
        if (!str_is_digit(text.at[i])) {
            i++;
            continue;
        }
        size_t end = token_end(text, begin);
        i = end;
        if (is_tied_before(text, begin) || is_tied(text, end) || is_of_word(str_from(text, end)) ||
            held_written_is_item(text, begin, end) || held_written_is_mark(text, begin, end) ||
            !split(str_slice(text, begin, end), &token))
            continue;
        *number = (struct held_number){.reading_count = 0};
        read_token(&token, number);
        if (number->reading_count == 0)
            continue;
        read_behind(text, &end, number);
        number->text = str_slice(text, begin, end);
        *rest = str_from(text, end);
        return true;
    }
    *rest = str_from(text, text.len);
    return false;
}

bool held_numbers_next_plain(struct str *rest, double *value)
{
    const struct str text = *rest;
    size_t i = 0;
    while (i < text.len && !str_is_digit(text.at[i]))
        i++;
    const size_t begin = i;
    i += digits_at(text, i);
    if (i < text.len && text.at[i] == '.' && digits_at(text, i + 1) > 0)
        i += 1 + digits_at(text, i + 1);
    *rest = str_from(text, i);
    return i > begin && str_to_double(str_slice(text, begin, i), value);
}
