/* SPDX-License-Identifier: MIT */
/* agents/figures/numbers.c - reads digits, the signs before them, and the words behind them.
 *
 * Happy path: find a digit that begins a figure, read digits with what groups them and a fraction,
 * then the sign before and the scale and percent behind. Failure: digits that are part of a word, a
 * source mark or the numbering of a list are left out; a figure longer than 40 digits is left out
 * as well. */
#include "agents/figures/numbers.h"

#include <limits.h>
#include <math.h>

#include "agents/held/written.h"
#include "core/words/scale.h"

enum { MAX_DIGITS = 40, GROUP = 3, LEAST_YEAR = 1900, MOST_YEAR = 2100 };

static struct str next_word(struct str *rest)
{
    struct str word = held_written_word(*rest);
    while (word.len == 0 && rest->len > 0) {
        *rest = str_from(*rest, 1);
        word = held_written_word(*rest);
    }
    *rest = str_from(*rest, word.len);
    return word;
}

double figures_numbers_scale(struct str unit, bool *is_percent)
{
    double scale = 1;
    bool percent = str_find_char(unit, '%') != STR_NONE;
    while (unit.len > 0) {
        size_t len;
        percent = percent || held_written_percent(unit, &len);
        struct str word = next_word(&unit);
        scale = scale == 1 ? scale_of(word) : scale;
    }
    if (is_percent != NULL)
        *is_percent = percent;
    return scale;
}

/* ---- one figure ---- */

struct digits {
    struct str text;
    size_t begin, end;
    size_t decimals;
    enum figures_notation notation;
};

static size_t run_of_digits(struct str text, size_t at)
{
    size_t count = 0;
    while (at + count < text.len && str_is_digit(text.at[at + count]))
        count++;
    return count;
}

/* The bytes of what groups digits at i: the notation's sign, an apostrophe, a blank that does not
 * break. Three digits follow it. 0: nothing does. */
static size_t group_at(struct str text, size_t i, enum figures_notation notation)
{
    size_t len = held_written_blank(str_from(text, i));
    if (i < text.len &&
        (text.at[i] == (notation == FIGURES_COMMA ? '.' : ',') || text.at[i] == '\''))
        len = 1;
    return len > 0 && run_of_digits(text, i + len) == GROUP ? len : 0;
}

/* The end of the digits of a figure from its beginning on, and how many of them are a fraction. */
static void find_end(struct digits *digits)
{
    const struct str text = digits->text;
    const char fraction = digits->notation == FIGURES_COMMA ? ',' : '.';
    size_t i = digits->begin + run_of_digits(text, digits->begin), group;
    while ((group = group_at(text, i, digits->notation)) > 0)
        i += group + GROUP;
    digits->decimals = i < text.len && text.at[i] == fraction ? run_of_digits(text, i + 1) : 0;
    digits->end = i + (digits->decimals > 0 ? 1 + digits->decimals : 0);
}

static double read_digits(const struct digits *digits)
{
    char plain[MAX_DIGITS + 1];
    size_t count = 0;
    double value = 0;
    for (size_t i = digits->begin; i < digits->end && count < MAX_DIGITS; i++) {
        if (digits->decimals > 0 && i + digits->decimals + 1 == digits->end)
            plain[count++] = '.';
        else if (str_is_digit(digits->text.at[i]))
            plain[count++] = digits->text.at[i];
    }
    return str_to_double(str_make(plain, count), &value) ? value : NAN;
}

static bool is_fiscal(struct str text, size_t begin)
{
    return begin >= 2 && str_equal_nocase(str_slice(text, begin - 2, begin), STR("FY")) &&
           (begin == 2 || !str_is_alpha(text.at[begin - 3]));
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
           (word.len > 0 && scale_of(word) == 1) || held_written_is_item(text, begin, end) ||
           held_written_is_mark(text, begin, end);
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
    size_t len;
    if (number->is_negative && str_starts_with(ahead, STR(")")))
        ahead = str_from(ahead, 1);
    while ((len = held_written_blank(ahead)) > 0 ||
           (ahead.len > 0 && str_find_char(STR(" \\-"), ahead.at[0]) != STR_NONE))
        ahead = str_from(ahead, len > 0 ? len : 1);
    if (held_written_percent(ahead, &len)) {
        number->is_percent = true;
        *rest = str_from(ahead, len);
        return;
    }
    struct str word = held_written_word(ahead);
    number->scale = scale_of(word);
    number->value *= number->scale;
    number->step *= number->scale;
    if (number->scale != 1)
        *rest = str_from(ahead, word.len);
}

bool figures_numbers_next_in(struct str *rest, enum figures_notation notation,
                             struct analyst_number *number)
{
    struct str text = *rest;
    for (size_t i = 0; i < text.len;) {
        struct digits digits = {.text = text, .begin = i, .notation = notation};
        if (!str_is_digit(text.at[i])) {
            i++;
            continue;
        }
        find_end(&digits);
        i = digits.end;
        if (digits.end - digits.begin > MAX_DIGITS || is_no_figure(text, digits.begin, digits.end))
            continue;
        *number =
            (struct analyst_number){.text = str_slice(text, digits.begin, digits.end), .scale = 1};
        number->value = read_digits(&digits);
        number->step = pow(10, -(double)digits.decimals);
        number->is_negative = is_negative(text, digits.begin, digits.end);
        *rest = str_from(text, digits.end);
        read_behind(rest, number);
        number->is_year = number->text.len == 4 && digits.decimals == 0 && !number->is_percent &&
                          number->scale == 1 && number->value >= LEAST_YEAR &&
                          number->value <= MOST_YEAR;
        if (number->is_negative && !number->is_year)
            number->value = -number->value;
        return true;
    }
    *rest = str_from(text, text.len);
    return false;
}

bool figures_numbers_next(struct str *rest, struct analyst_number *number)
{
    return figures_numbers_next_in(rest, FIGURES_POINT, number);
}

/* ---- notation ---- */

/* What one run of digits and signs tells: above 0 that points begin fractions, below that commas
 * do. A sign with other than three digits behind it, or behind another sign, begins a fraction; one
 * that is there again groups. Days (30.6.2025) and numbers of sections (2.3.1) tell nothing. */
static int told_by(struct str text, size_t begin, size_t *end)
{
    enum { MUCH = 4, LITTLE = 1 };
    size_t i = begin + run_of_digits(text, begin), points = 0, commas = 0, behind = 0;
    bool is_grouped = true, has_grouped = true; /* all parts of three digits, all but the last */
    char last = 0;
    while (i + 1 < text.len && (text.at[i] == '.' || text.at[i] == ',') &&
           (behind = run_of_digits(text, i + 1)) > 0) {
        has_grouped = is_grouped;
        is_grouped = is_grouped && behind == GROUP;
        last = text.at[i];
        points += last == '.';
        commas += last == ',';
        i += 1 + behind;
    }
    *end = i;
    const int sign = last == '.' ? 1 : -1;
    if (last == 0 || held_written_is_mark(text, begin, i))
        return 0;
    if (points > 0 && commas > 0)
        return has_grouped && (last == '.' ? points : commas) == 1 ? MUCH * sign : 0;
    if (points + commas > 1)
        return is_grouped ? -MUCH * sign : 0;
    return behind == GROUP ? 0 : LITTLE * sign;
}

enum figures_notation figures_numbers_notation(struct str text)
{
    int told = 0;
    for (size_t i = 0; i < text.len;) {
        if (str_is_digit(text.at[i]))
            told += told_by(text, i, &i);
        else
            i++;
    }
    return told > 0 ? FIGURES_POINT : told < 0 ? FIGURES_COMMA : FIGURES_UNTOLD;
}

struct str figures_numbers_exchange(struct arena *arena, struct str text)
{
    char *at = arena_alloc(arena, text.len + 1);
    for (size_t i = 0; at != NULL && i < text.len; i++) {
        char c = text.at[i];
        bool is_within = i > 0 && i + 1 < text.len && str_is_digit(text.at[i - 1]) &&
                         str_is_digit(text.at[i + 1]);
        at[i] = is_within && c == '.' ? ',' : is_within && c == ',' ? '.' : c;
    }
    return at == NULL ? (struct str){NULL, 0} : str_make(at, text.len);
}

/* ---- comparing ---- */

bool figures_numbers_agree(const struct analyst_number *claimed, double found)
{
    double a = fabs(claimed->value), b = fabs(found);
    return fabs(a - b) <= claimed->step / 2 + 1e-9 * fmax(a, b);
}

/* "$ million", "USD thousand", "Mio. €": the scale word, which is text from begin to end, is not a
 * figure's but a currency's. */
static bool is_of_currency(struct str text, size_t begin, size_t end)
{
    static const char *const signs[] = {"$", "€", "£", "USD", "EUR", "GBP", "CHF"};
    const struct str before = str_trim(str_slice(text, 0, begin));
    struct str behind = str_from(text, end);
    while (behind.len > 0 && (behind.at[0] == '.' || behind.at[0] == ' '))
        behind = str_from(behind, 1);
    for (size_t i = 0; i < countof(signs); i++)
        if (str_ends_with(before, str_of(signs[i])) || str_starts_with(behind, str_of(signs[i])))
            return true;
    return false;
}

double figures_numbers_heading(struct str text)
{
    enum { REACH = 3, SHORTEST = 3 /* "m" and "bn" are words of something else */ };
    struct str rest = text;
    for (unsigned since_in = REACH; rest.len > 0; since_in++) {
        struct str word = next_word(&rest);
        double scale = word.len < SHORTEST ? 1 : scale_of(word);
        const size_t begin = (size_t)(word.at - text.at);
        if (scale != 1 && (since_in < REACH || is_of_currency(text, begin, begin + word.len)))
            return scale;
        if (str_equal_nocase(word, STR("in")))
            since_in = UINT_MAX;
    }
    return 1;
}

static bool agrees_with(const struct analyst_number *claimed, const struct analyst_number *found,
                        double heading)
{
    const bool is_finer = claimed->step < found->step * (1 - 1e-9);
    if (!is_finer && figures_numbers_agree(claimed, found->value))
        return true;
    if (heading != 1 && found->scale == 1 && !found->is_percent &&
        claimed->step >= found->step * heading * (1 - 1e-9) &&
        figures_numbers_agree(claimed, found->value * heading))
        return true;
    if (is_finer && claimed->value == found->value) /* 5.0 for 5 */
        return true;
    return claimed->scale == 1 && found->scale != 1 && !claimed->is_percent &&
           claimed->step >= found->step / found->scale * (1 - 1e-9) &&
           figures_numbers_agree(claimed, found->value / found->scale); /* a cell, its head "bn" */
}

static bool occurs_in(const struct analyst_number *claimed, struct str text,
                      enum figures_notation notation, bool is_told)
{
    const double heading = figures_numbers_heading(text);
    struct analyst_number found;
    while (figures_numbers_next_in(&text, notation, &found)) {
        const bool has_comma = str_find_char(found.text, ',') != STR_NONE;
        if ((is_told || notation == FIGURES_POINT || !has_comma) &&
            agrees_with(claimed, &found, heading))
            return true;
    }
    return false;
}

/* In a text that does not tell, "1.234" may be either, and "1,234" is what English writes. */
bool figures_numbers_occurs(const struct analyst_number *claimed, struct str text)
{
    const enum figures_notation notation = figures_numbers_notation(text);
    const bool is_told = notation != FIGURES_UNTOLD;
    return (notation != FIGURES_COMMA && occurs_in(claimed, text, FIGURES_POINT, is_told)) ||
           (notation != FIGURES_POINT && occurs_in(claimed, text, FIGURES_COMMA, is_told));
}
