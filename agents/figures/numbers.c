/* SPDX-License-Identifier: MIT */
/* agents/figures/numbers.c - reads digits, the signs before them, and the words behind them.
 *
 * Happy path: find a digit that begins a figure, read digits with grouping commas and a fraction,
 * then the sign before and the scale and percent behind. Failure: digits that are part of a word, a
 * source mark or the numbering of a list are left out; a figure longer than 40 digits is left out
 * as well. */
#include "agents/figures/numbers.h"

#include <limits.h>
#include <math.h>

enum { MAX_DIGITS = 40, GROUP = 3, LEAST_YEAR = 1900, MOST_YEAR = 2100 };

static const struct {
    const char *word;
    double scale;
} scales[] = {
    {"thousand", 1e3},  {"thousands", 1e3},  {"k", 1e3},  {"million", 1e6},
    {"millions", 1e6},  {"mn", 1e6},         {"m", 1e6},  {"mio", 1e6},
    {"billion", 1e9},   {"billions", 1e9},   {"bn", 1e9}, {"b", 1e9},
    {"trillion", 1e12}, {"trillions", 1e12},
};

static struct str next_word(struct str *rest)
{
    size_t i = 0, begin;
    while (i < rest->len && !str_is_alpha(rest->at[i]))
        i++;
    begin = i;
    while (i < rest->len && str_is_alpha(rest->at[i]))
        i++;
    struct str word = str_slice(*rest, begin, i);
    *rest = str_from(*rest, i);
    return word;
}

static double scale_of(struct str word)
{
    for (size_t i = 0; i < countof(scales); i++)
        if (str_equal_nocase(word, str_of(scales[i].word)))
            return scales[i].scale;
    return 1;
}

static bool is_percent_word(struct str word)
{
    return str_equal_nocase(word, STR("percent")) || str_equal_nocase(word, STR("percentage")) ||
           str_equal_nocase(word, STR("pct"));
}

double figures_numbers_scale(struct str unit, bool *is_percent)
{
    double scale = 1;
    bool percent = str_find_char(unit, '%') != STR_NONE;
    while (unit.len > 0) {
        struct str word = next_word(&unit);
        scale = scale == 1 ? scale_of(word) : scale;
        percent = percent || is_percent_word(word);
    }
    if (is_percent != NULL)
        *is_percent = percent;
    return scale;
}

/* ---- one figure ---- */

/* The end of the digits of a figure from begin on, and how many of them are a fraction. Each
 * grouping comma is followed by three digits. */
static size_t digits_end(struct str text, size_t begin, size_t *decimals)
{
    size_t i = begin;
    *decimals = 0;
    for (;;) {
        while (i < text.len && str_is_digit(text.at[i]))
            i++;
        size_t j = i + 1;
        while (j < text.len && str_is_digit(text.at[j]))
            j++;
        if (i >= text.len || text.at[i] != ',' || j - i - 1 != GROUP)
            break;
        i = j;
    }
    if (i + 1 < text.len && text.at[i] == '.' && str_is_digit(text.at[i + 1])) {
        size_t point = i++;
        while (i < text.len && str_is_digit(text.at[i]))
            i++;
        *decimals = i - point - 1;
    }
    return i;
}

static double read_digits(struct str digits)
{
    char plain[MAX_DIGITS + 1];
    size_t count = 0;
    double value = 0;
    for (size_t i = 0; i < digits.len && count < MAX_DIGITS; i++)
        if (digits.at[i] != ',')
            plain[count++] = digits.at[i];
    return str_to_double(str_make(plain, count), &value) ? value : NAN;
}

static bool is_fiscal(struct str text, size_t begin)
{
    return begin >= 2 && str_equal_nocase(str_slice(text, begin - 2, begin), STR("FY")) &&
           (begin == 2 || !str_is_alpha(text.at[begin - 3]));
}

static bool is_list_number(struct str text, size_t begin, size_t end)
{
    while (begin > 0 && text.at[begin - 1] == ' ')
        begin--;
    return (begin == 0 || text.at[begin - 1] == '\n') && end + 1 < text.len &&
           (text.at[end] == '.' || text.at[end] == ')') && text.at[end + 1] == ' ';
}

/* "[2]" and "[1, 3]". */
static bool is_mark(struct str text, size_t begin, size_t end)
{
    while (begin > 0 && (str_is_digit(text.at[begin - 1]) || text.at[begin - 1] == ' ' ||
                         text.at[begin - 1] == ','))
        begin--;
    while (end < text.len &&
           (str_is_digit(text.at[end]) || text.at[end] == ' ' || text.at[end] == ','))
        end++;
    return begin > 0 && text.at[begin - 1] == '[' && end < text.len && text.at[end] == ']';
}

/* Whether the digits are a part of something that is no figure. */
static bool is_no_figure(struct str text, size_t begin, size_t end)
{
    bool in_word = begin > 0 && (str_is_alpha(text.at[begin - 1]) || text.at[begin - 1] == '_');
    bool hyphen = end + 1 < text.len && text.at[end] == '-' && str_is_alpha(text.at[end + 1]);
    struct str behind = str_from(text, end), word = {NULL, 0};
    if (end < text.len && str_is_alpha(text.at[end]))
        word = next_word(&behind);
    return (in_word && !is_fiscal(text, begin)) || (hyphen && end - begin < GROUP) ||
           (word.len > 0 && scale_of(word) == 1) || is_list_number(text, begin, end) ||
           is_mark(text, begin, end);
}

static bool ends_with_minus(struct str before)
{
    return str_ends_with(before, STR("-")) || str_ends_with(before, STR("\xE2\x88\x92"));
}

/* A minus belongs to the figure unless a word or figure stands before it: 2023-2024. */
static bool is_negative(struct str text, size_t begin, size_t end)
{
    struct str before = str_slice(text, 0, begin);
    while (before.len > 0 && str_find_char(STR("$ "), before.at[before.len - 1]) != STR_NONE)
        before.len--;
    if (str_ends_with(before, STR("\xE2\x82\xAC")) || str_ends_with(before, STR("\xC2\xA3")))
        before.len -= str_ends_with(before, STR("\xC2\xA3")) ? 2 : 3;
    if (str_ends_with(before, STR("(")) && end < text.len && text.at[end] == ')')
        return true;
    if (!ends_with_minus(before))
        return false;
    before.len -= str_ends_with(before, STR("-")) ? 1 : 3;
    return before.len == 0 ||
           (!str_is_digit(before.at[before.len - 1]) && !str_is_alpha(before.at[before.len - 1]));
}

/* What follows the digits: a scale, then a percent sign, blanks and LaTeX's backslash between. */
static void read_behind(struct str *rest, struct analyst_number *number)
{
    struct str ahead = *rest;
    if (number->is_negative && str_starts_with(ahead, STR(")")))
        ahead = str_from(ahead, 1);
    while (ahead.len > 0 && (ahead.at[0] == ' ' || ahead.at[0] == '\\' || ahead.at[0] == '-'))
        ahead = str_from(ahead, 1);
    if (ahead.len > 0 && ahead.at[0] == '%') {
        number->is_percent = true;
        *rest = str_from(ahead, 1);
        return;
    }
    if (ahead.len == 0 || !str_is_alpha(ahead.at[0]))
        return;
    struct str word = next_word(&ahead);
    double scale = scale_of(word);
    number->is_percent = is_percent_word(word);
    number->scale = scale;
    number->value *= scale;
    number->step *= scale;
    if (number->is_percent || scale != 1)
        *rest = ahead;
}

bool figures_numbers_next(struct str *rest, struct analyst_number *number)
{
    struct str text = *rest;
    for (size_t i = 0; i < text.len;) {
        size_t decimals, begin = i;
        if (!str_is_digit(text.at[i])) {
            i++;
            continue;
        }
        i = digits_end(text, begin, &decimals);
        if (i - begin > MAX_DIGITS || is_no_figure(text, begin, i))
            continue;
        *number = (struct analyst_number){.text = str_slice(text, begin, i), .scale = 1};
        number->value = read_digits(number->text);
        number->step = pow(10, -(double)decimals);
        number->is_negative = is_negative(text, begin, i);
        *rest = str_from(text, i);
        read_behind(rest, number);
        number->is_year = number->text.len == 4 && decimals == 0 && !number->is_percent &&
                          number->scale == 1 && number->value >= LEAST_YEAR &&
                          number->value <= MOST_YEAR;
        if (number->is_negative && !number->is_year)
            number->value = -number->value;
        return true;
    }
    *rest = str_from(text, text.len);
    return false;
}

/* ---- comparing ---- */

bool figures_numbers_agree(const struct analyst_number *claimed, double found)
{
    double a = fabs(claimed->value), b = fabs(found);
    return fabs(a - b) <= claimed->step / 2 + 1e-9 * fmax(a, b);
}

/* "$ million", "USD thousand": the scale word is not a figure's but a currency's. */
static bool is_of_currency(struct str before)
{
    static const char *const signs[] = {"$",   "\xE2\x82\xAC", "\xC2\xA3", "USD",
                                        "EUR", "GBP",          "CHF"};
    before = str_trim(before);
    for (size_t i = 0; i < countof(signs); i++)
        if (str_ends_with(before, str_of(signs[i])))
            return true;
    return false;
}

double figures_numbers_heading(struct str text)
{
    enum { REACH = 3, SHORTEST = 4 /* "m" and "bn" are words of something else */ };
    struct str rest = text;
    for (unsigned since_in = REACH; rest.len > 0; since_in++) {
        struct str word = next_word(&rest);
        double scale = word.len < SHORTEST ? 1 : scale_of(word);
        if (scale != 1 &&
            (since_in < REACH || is_of_currency(str_slice(text, 0, (size_t)(word.at - text.at)))))
            return scale;
        if (str_equal_nocase(word, STR("in")))
            since_in = UINT_MAX;
    }
    return 1;
}

bool figures_numbers_occurs(const struct analyst_number *claimed, struct str text)
{
    double scale = figures_numbers_heading(text);
    struct analyst_number found;
    while (figures_numbers_next(&text, &found)) {
        bool is_finer = claimed->step < found.step * (1 - 1e-9);
        if (!is_finer && figures_numbers_agree(claimed, found.value))
            return true;
        if (scale != 1 && found.scale == 1 && !found.is_percent &&
            claimed->step >= found.step * scale * (1 - 1e-9) &&
            figures_numbers_agree(claimed, found.value * scale))
            return true;
        if (is_finer && claimed->value == found.value) /* 5.0 for 5 */
            return true;
        if (claimed->scale == 1 && found.scale != 1 && !claimed->is_percent &&
            claimed->step >= found.step / found.scale * (1 - 1e-9) &&
            figures_numbers_agree(claimed, found.value / found.scale))
            return true; /* a table's cell whose head says "billion" */
    }
    return false;
}
