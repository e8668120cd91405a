/* SPDX-License-Identifier: MIT */
/* agents/charts/order.c - a cursor over a text, and sets of words in their order.
 *
 * Happy path: the text matches one form from its first byte to its last. Failure: a text that
 * matches no form has no order. */
#include "agents/charts/order.h"

#include <math.h>
#include <string.h>

#include "agents/english/dates.h"
#include "agents/english/synonyms.h"

enum { DAY = 86400, YEAR_LEAST = 1500, YEAR_MOST = 2500 };

struct cursor {
    struct str left;
};

static bool take_char(struct cursor *c, char wanted)
{
    if (c->left.len == 0 || c->left.at[0] != wanted)
        return false;
    c->left = str_from(c->left, 1);
    return true;
}

static bool take_any(struct cursor *c, const char *wanted)
{
    if (c->left.len == 0 || strchr(wanted, c->left.at[0]) == NULL || c->left.at[0] == '\0')
        return false;
    c->left = str_from(c->left, 1);
    return true;
}

/* Exactly so many digits. */
static bool take_digits(struct cursor *c, size_t digits, int *value)
{
    int number = 0;
    if (c->left.len < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!str_is_digit(c->left.at[i]))
            return false;
        number = number * 10 + (c->left.at[i] - '0');
    }
    if (c->left.len > digits && str_is_digit(c->left.at[digits]))
        return false;
    c->left = str_from(c->left, digits);
    *value = number;
    return true;
}

static bool take_number(struct cursor *c, int least, int most, int *value)
{
    return (take_digits(c, 2, value) || take_digits(c, 1, value)) && *value >= least &&
           *value <= most;
}

static bool take_year(struct cursor *c, int *year)
{
    return take_digits(c, 4, year) && *year >= YEAR_LEAST && *year <= YEAR_MOST;
}

/* 0..11 for "January" and "jan"; -1: no month. */
static int find_month(struct str word)
{
    char lower[16];
    if (word.len > sizeof lower)
        return -1;
    for (size_t i = 0; i < word.len; i++)
        lower[i] = str_lower(word.at[i]);
    return english_synonyms_month(str_make(lower, word.len)) - 1;
}

/* ---- time ---- */

static double seconds_of(int year, int month, int day)
{
    return (double)english_dates_day(year, month, day) * DAY;
}

/* [Z|+HH[:MM]|+HHMM]: minutes east of Greenwich. */
static bool take_zone(struct cursor *c, int *minutes)
{
    int zone = 0, zone_minute = 0;
    bool is_east = c->left.len > 0 && c->left.at[0] == '+';
    *minutes = 0;
    if (take_char(c, 'Z') || !take_any(c, "+-"))
        return true;
    if (!take_digits(c, 2, &zone) && !take_digits(c, 4, &zone))
        return false;
    if (zone >= 100) {
        zone_minute = zone % 100;
        zone /= 100;
    } else if (take_char(c, ':') && !take_digits(c, 2, &zone_minute)) {
        return false;
    }
    *minutes = (zone * 60 + zone_minute) * (is_east ? 1 : -1);
    return true;
}

/* [T ]HH:MM[:SS[.fraction]] and a zone. */
static bool take_clock(struct cursor *c, double *seconds)
{
    int hour, minute, second = 0, east;
    if (!take_any(c, "T ") || !take_digits(c, 2, &hour) || hour > 24 || !take_char(c, ':') ||
        !take_digits(c, 2, &minute) || minute > 59)
        return false;
    if (take_char(c, ':') && (!take_digits(c, 2, &second) || second > 60))
        return false;
    if (take_char(c, '.'))
        while (c->left.len > 0 && str_is_digit(c->left.at[0]))
            c->left = str_from(c->left, 1);
    if (!take_zone(c, &east))
        return false;
    *seconds = hour * 3600.0 + minute * 60.0 + second - east * 60.0;
    return true;
}

/* What may follow a year: nothing, -MM, -MM-DD, -MM-DD and a clock, Qn, Wnn. */
static bool read_after_year(struct cursor *c, int year, double *at)
{
    int number, day;
    double clock;
    *at = seconds_of(year, 1, 1);
    if (c->left.len == 0)
        return true;
    bool is_dashed = take_any(c, "-/ ");
    if (take_any(c, "Qq")) {
        if (!take_digits(c, 1, &number) || number < 1 || number > 4 || c->left.len > 0)
            return false;
        *at = seconds_of(year, 3 * number - 2, 1);
        return true;
    }
    if (take_any(c, "Ww")) {
        if (!take_number(c, 0, 53, &number) || c->left.len > 0)
            return false;
        *at += (double)number * 7 * DAY;
        return true;
    }
    if (!is_dashed || !take_number(c, 1, 12, &number))
        return false;
    *at = seconds_of(year, number, 1);
    if (c->left.len == 0)
        return true;
    if (!take_any(c, "-/") || !take_number(c, 1, 31, &day))
        return false;
    *at = seconds_of(year, number, 1) + (double)(day - 1) * DAY;
    if (c->left.len == 0)
        return true;
    if (!take_clock(c, &clock) || c->left.len > 0)
        return false;
    *at += clock;
    return true;
}

/* Q2 2025, FY2025, FY 25, Jun 2025. */
static bool read_word_first(struct str text, double *at)
{
    struct cursor c = {text};
    int number, year;
    size_t letters = 0;
    while (letters < text.len && str_is_alpha(text.at[letters]))
        letters++;
    struct str word = str_slice(text, 0, letters);
    c.left = str_from(text, letters);
    if (str_equal_nocase(word, STR("Q"))) {
        if (!take_digits(&c, 1, &number) || number < 1 || number > 4 || !take_any(&c, " -/"))
            return false;
        (void)(take_char(&c, 'F') && take_char(&c, 'Y'));
        if (!take_year(&c, &year))
            return false;
        *at = seconds_of(year, 3 * number - 2, 1);
        return c.left.len == 0;
    }
    (void)take_any(&c, " -");
    if (str_equal_nocase(word, STR("FY")) && take_digits(&c, 2, &year))
        year += 2000;
    else if (!take_year(&c, &year))
        return false;
    int month = find_month(word);
    if (month < 0 && !str_equal_nocase(word, STR("FY")))
        return false;
    *at = seconds_of(year, month < 0 ? 1 : month + 1, 1);
    return c.left.len == 0;
}

bool charts_order_time(struct str text, double *at)
{
    struct cursor c = {str_trim(text)};
    int year;
    if (c.left.len == 0)
        return false;
    if (!str_is_digit(c.left.at[0]))
        return read_word_first(c.left, at);
    return take_year(&c, &year) && read_after_year(&c, year, at);
}

/* ---- steps ---- */

enum { SET_RANGE, SET_CLOCK, SET_MONTH, SET_WORDS };

static const char *const words[][12] = {
    {"mon", "tue", "wed", "thu", "fri", "sat", "sun"},
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
    {"xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"},
    {"extra small", "small", "medium", "large", "extra large"},
    {"none", "very low", "low", "normal", "medium", "high", "very high", "urgent", "critical"},
    {"minor", "moderate", "major", "severe", "critical", "blocker"},
    {"strongly disagree", "disagree", "neutral", "agree", "strongly agree"},
    {"very poor", "poor", "fair", "average", "good", "very good", "excellent"},
    {"never", "rarely", "sometimes", "often", "always"},
    {"q1", "q2", "q3", "q4"},
    {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"},
    {"night", "morning", "noon", "afternoon", "evening"},
    {"daily", "weekly", "biweekly", "monthly", "quarterly", "yearly"},
    {"beginner", "intermediate", "advanced", "expert"},
    {"junior", "mid", "senior", "lead", "principal"},
    {"bronze", "silver", "gold", "platinum", "diamond"},
};

/* Whether rest goes on to a second bound: "-25", "to 9", "and over". */
static bool is_joined(struct str rest)
{
    static const char *const joints[] = {"-", "\xe2\x80\x93", "to "};
    for (size_t i = 0; i < countof(joints); i++) {
        struct str second = str_trim(str_from(rest, strlen(joints[i])));
        if (str_starts_with(rest, str_of(joints[i])) && second.len > 0 &&
            str_is_digit(second.at[0]))
            return true;
    }
    return str_starts_with(rest, STR("and "));
}

/* 18-25, 60+, <18, >= 1,000, 0 to 9. */
static bool find_range(struct str text, double *rank)
{
    char digits[24];
    size_t at = 0, len = 0;
    double after = 0;
    while (at < text.len && strchr("<>= $", text.at[at]) != NULL && text.at[at] != '\0')
        at++;
    bool is_bound = at > 0 && (text.at[0] == '<' || text.at[0] == '>');
    if (is_bound)
        after = text.at[0] == '<' ? -0.5 : 0.5;
    for (; at < text.len && len < sizeof digits; at++) {
        if (text.at[at] == ',')
            continue;
        if (!str_is_digit(text.at[at]) && text.at[at] != '.')
            break;
        digits[len++] = text.at[at];
    }
    struct str rest = str_trim(str_from(text, at));
    bool is_open = str_equal(rest, STR("+"));
    if (!str_to_double(str_make(digits, len), rank) || !(is_bound || is_joined(rest) || is_open))
        return false;
    *rank += is_open ? 0.5 : after;
    return true;
}

static bool find_clock(struct str text, double *rank)
{
    struct cursor c = {text};
    int hour, minute;
    if (!take_number(&c, 0, 24, &hour) || !take_char(&c, ':') || !take_digits(&c, 2, &minute))
        return false;
    *rank = hour * 60.0 + minute;
    return c.left.len == 0;
}

static bool find_word(struct str text, const char *const *set, double *rank)
{
    for (size_t i = 0; i < countof(words[0]) && set[i] != NULL; i++)
        if (str_equal_nocase(text, str_of(set[i]))) {
            *rank = (double)i;
            return true;
        }
    return false;
}

static bool find_in_set(struct str text, int set, double *rank)
{
    switch (set) {
    case SET_RANGE:
        return find_range(text, rank);
    case SET_CLOCK:
        return find_clock(text, rank);
    case SET_MONTH:
        *rank = find_month(text);
        return *rank >= 0;
    default:
        return find_word(text, words[set - SET_WORDS], rank);
    }
}

bool charts_order_steps(const struct str *texts, size_t count, double *rank)
{
    for (int set = 0; set < SET_WORDS + (int)countof(words); set++) {
        size_t i = 0, found = 0;
        for (; i < count; i++) {
            double at = INFINITY;
            if (!str_is_absent(texts[i]) && !find_in_set(str_trim(texts[i]), set, &at))
                break;
            found += !str_is_absent(texts[i]);
            if (rank != NULL)
                rank[i] = at;
        }
        if (i == count)
            return found > 0;
    }
    return false;
}
