/* SPDX-License-Identifier: MIT */
/* agents/english/dates.c - the calendar and its phrases.
 *
 * Happy path: an optional preposition (in, before, since, ...), then a period (a day, month,
 * quarter, year, "last 3 months", "this week"); "between" and "from ... to" join two.
 * Failure: no period follows: nothing is taken and the words mean something else. */
#include "agents/english/dates.h"

#include "agents/english/synonyms.h"
#include "core/base/calendar.h"

struct words {
    const struct offline_token *tokens;
    size_t count;
    int32_t today;
};

enum bound { BOUND_IN, BOUND_BEFORE, BOUND_AFTER, BOUND_SINCE, BOUND_UNTIL };
enum unit { UNIT_NONE, UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_QUARTER, UNIT_YEAR };

int32_t english_dates_day(int year, int month, int day)
{
    return (int32_t)calendar_day(year, month, day);
}

void english_dates_split(int32_t day, int *year, int *month, int *dom)
{
    struct calendar_date date = calendar_date(day);
    *year = (int)date.year;
    *month = date.month;
    *dom = date.day;
}

void english_dates_text(int32_t day, char to[11])
{
    int part[3];
    english_dates_split(day, &part[0], &part[1], &part[2]);
    unsigned year = (unsigned)part[0] % 10000, month = (unsigned)part[1], dom = (unsigned)part[2];
    const unsigned digits[10] = {year / 1000, year / 100 % 10, year / 10 % 10, year % 10,
                                 0,           month / 10,      month % 10,     0,
                                 dom / 10,    dom % 10};
    for (size_t i = 0; i < 10; i++)
        to[i] = i == 4 || i == 7 ? '-' : (char)('0' + digits[i]);
    to[10] = '\0';
}

static int32_t month_start(int year, int month)
{
    int zero = month - 1, add = zero >= 0 ? zero / 12 : (zero - 11) / 12;
    return english_dates_day(year + add, zero - add * 12 + 1, 1);
}

static bool word_is(const struct words *w, size_t at, const char *word)
{
    return at < w->count && w->tokens[at].kind == TOKEN_WORD &&
           str_equal(w->tokens[at].lower, str_of(word));
}

static bool word_in(const struct words *w, size_t at, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word_is(w, at, list[i]))
            return true;
    return false;
}

static enum unit unit_of(const struct words *w, size_t at)
{
    static const struct {
        const char *name, *plural;
        enum unit unit;
    } units[] = {{"day", "days", UNIT_DAY},
                 {"week", "weeks", UNIT_WEEK},
                 {"month", "months", UNIT_MONTH},
                 {"quarter", "quarters", UNIT_QUARTER},
                 {"year", "years", UNIT_YEAR}};
    for (size_t i = 0; i < countof(units); i++)
        if (word_is(w, at, units[i].name) || word_is(w, at, units[i].plural))
            return units[i].unit;
    return UNIT_NONE;
}

static bool year_at(const struct words *w, size_t at, int *year)
{
    if (at >= w->count || w->tokens[at].kind != TOKEN_NUMBER || w->tokens[at].text.len != 4 ||
        w->tokens[at].unit.len > 0)
        return false;
    *year = (int)w->tokens[at].number;
    return *year >= 1900 && *year < 2100;
}

/* The calendar unit that lies offset units from the one holding today. */
static struct offline_range unit_range(int32_t today, enum unit unit, int offset)
{
    int year, month, dom;
    english_dates_split(today, &year, &month, &dom);
    int32_t monday = today - (today + 3 - (today + 3 < 0 ? (today + 3) % 7 : 0)) % 7;
    int q = (month - 1) / 3 * 3 + 1;
    switch (unit) {
    case UNIT_DAY:
        return (struct offline_range){today + offset, today + offset + 1};
    case UNIT_WEEK:
        return (struct offline_range){monday + 7 * offset, monday + 7 * offset + 7};
    case UNIT_MONTH:
        return (struct offline_range){month_start(year, month + offset),
                                      month_start(year, month + offset + 1)};
    case UNIT_QUARTER:
        return (struct offline_range){month_start(year, q + 3 * offset),
                                      month_start(year, q + 3 * offset + 3)};
    default:
        return (struct offline_range){month_start(year + offset, 1),
                                      month_start(year + offset + 1, 1)};
    }
}

/* The day n units before (negative) or after today. */
static int32_t shift(int32_t today, enum unit unit, int n)
{
    int year, month, dom;
    english_dates_split(today, &year, &month, &dom);
    if (unit == UNIT_DAY || unit == UNIT_WEEK)
        return today + n * (unit == UNIT_WEEK ? 7 : 1);
    int months = n * (unit == UNIT_YEAR ? 12 : unit == UNIT_QUARTER ? 3 : 1);
    int32_t first = month_start(year, month + months);
    int32_t next = month_start(year, month + months + 1);
    return first + dom - 1 < next ? first + dom - 1 : next - 1;
}

int32_t english_dates_back(int32_t day, enum offline_grain grain, int n)
{
    static const enum unit units[] = {[GRAIN_DAY] = UNIT_DAY,
                                      [GRAIN_WEEK] = UNIT_WEEK,
                                      [GRAIN_MONTH] = UNIT_MONTH,
                                      [GRAIN_QUARTER] = UNIT_QUARTER,
                                      [GRAIN_YEAR] = UNIT_YEAR};
    return shift(day, units[grain], -n);
}

/* 2024-05-01 or 2024-05. */
static size_t match_iso(const struct words *w, size_t at, struct offline_range *range)
{
    if (w->tokens[at].kind != TOKEN_CODE)
        return 0;
    struct str rest = w->tokens[at].text;
    int part[3] = {0, 0, 0};
    size_t n = 0;
    while (!str_is_absent(rest) && n < 3) {
        uint64_t value;
        struct str piece = str_split(&rest, '-');
        if (piece.len != (n == 0 ? 4u : 2u) || !str_to_u64(piece, &value))
            return 0;
        part[n++] = (int)value;
    }
    if (!str_is_absent(rest) || n < 2 || part[1] < 1 || part[1] > 12 || (n == 3 && part[2] < 1) ||
        part[2] > 31)
        return 0;
    range->first =
        n == 3 ? english_dates_day(part[0], part[1], part[2]) : month_start(part[0], part[1]);
    range->end = n == 3 ? range->first + 1 : month_start(part[0], part[1] + 1);
    return 1;
}

static int day_number(const struct words *w, size_t at)
{
    if (at >= w->count)
        return 0;
    struct str s = w->tokens[at].lower;
    if (s.len > 2 && (str_ends_with(s, STR("st")) || str_ends_with(s, STR("nd")) ||
                      str_ends_with(s, STR("rd")) || str_ends_with(s, STR("th"))))
        s.len -= 2;
    uint64_t value;
    if (s.len > 2 || !str_to_u64(s, &value) || value < 1 || value > 31)
        return 0;
    return (int)value;
}

static bool comma_at(const struct words *w, size_t at)
{
    return at < w->count && w->tokens[at].kind == TOKEN_SIGN && w->tokens[at].text.at[0] == ',';
}

/* May | May 2024 | May 5, 2024 | 5 May 2024 */
static size_t match_month(const struct words *w, size_t at, struct offline_range *range)
{
    int year, this_month, dom, day = 0;
    size_t i = at;
    english_dates_split(w->today, &year, &this_month, &dom);
    if (day_number(w, i) > 0) {
        day = day_number(w, i++);
        i += word_is(w, i, "of");
    }
    if (i >= w->count || w->tokens[i].kind != TOKEN_WORD)
        return 0;
    int month = english_synonyms_month(w->tokens[i].lower), given = 0;
    if (month == 0)
        return 0;
    i++;
    if (day == 0 && day_number(w, i) > 0)
        day = day_number(w, i++);
    size_t ahead = i + (comma_at(w, i) || word_is(w, i, "of"));
    if (year_at(w, ahead, &given))
        i = ahead + 1, year = given;
    else if (month > this_month)
        year--;
    range->first = day > 0 ? english_dates_day(year, month, day) : month_start(year, month);
    range->end = day > 0 ? range->first + 1 : month_start(year, month + 1);
    return i - at;
}

/* Q1 2025 | first quarter of 2025 | second half of 2024; without a year: this one */
static size_t match_part(const struct words *w, size_t at, struct offline_range *range)
{
    int year, month, dom, part = 0, given;
    int months = 3;
    size_t i = at + word_is(w, at, "the");
    english_dates_split(w->today, &year, &month, &dom);
    if (i >= w->count)
        return 0;
    struct str s = w->tokens[i].lower;
    if (s.len == 2 && (s.at[0] == 'q' || s.at[0] == 'h') && s.at[1] >= '1' && s.at[1] <= '4') {
        part = s.at[1] - '0';
        months = s.at[0] == 'q' ? 3 : 6;
        i++;
    } else {
        part = english_synonyms_ordinal(s);
        bool half = word_is(w, i + 1, "half");
        if (part == 0 || (!half && !word_is(w, i + 1, "quarter")))
            return 0;
        months = half ? 6 : 3;
        i += 2;
    }
    if (part * months > 12)
        return 0;
    size_t ahead = i + (word_is(w, i, "of") || comma_at(w, i) || word_is(w, i, "in"));
    if (year_at(w, ahead, &given))
        i = ahead + 1, year = given;
    else if (word_is(w, ahead, "this") && word_is(w, ahead + 1, "year"))
        i = ahead + 2;
    else if (word_is(w, ahead, "last") && word_is(w, ahead + 1, "year"))
        i = ahead + 2, year--;
    *range = (struct offline_range){month_start(year, (part - 1) * months + 1),
                                    month_start(year, part * months + 1)};
    return i - at;
}

static size_t match_number(const struct words *w, size_t at, int *n)
{
    double value;
    if (at >= w->count)
        return 0;
    if (w->tokens[at].kind == TOKEN_NUMBER && w->tokens[at].unit.len == 0)
        value = w->tokens[at].number;
    else if (w->tokens[at].kind != TOKEN_WORD ||
             !english_synonyms_number(w->tokens[at].lower, &value))
        return 0;
    if (value < 1 || value > 5000)
        return 0;
    *n = (int)value;
    return 1;
}

/* last month | last 30 days | this year | next week | 10 days ago | today */
static size_t match_relative(const struct words *w, size_t at, struct offline_range *range)
{
    static const char *const before[] = {"last", "past", "previous", "prior"};
    static const char *const now[] = {"this", "current"};
    static const char *const after[] = {"next", "coming", "following", "upcoming"};
    size_t i = at + word_is(w, at, "the");
    int n = 0, sign = word_in(w, i, before, countof(before)) ? -1
                      : word_in(w, i, after, countof(after)) ? 1
                                                             : 0;
    if (word_is(w, i, "today") || word_is(w, i, "yesterday") || word_is(w, i, "tomorrow")) {
        *range = unit_range(w->today, UNIT_DAY,
                            word_is(w, i, "today")      ? 0
                            : word_is(w, i, "tomorrow") ? 1
                                                        : -1);
        return i + 1 - at;
    }
    if (sign == 0 && !word_in(w, i, now, countof(now))) {
        size_t took = match_number(w, i, &n);
        enum unit unit = unit_of(w, i + took);
        if (took == 0 || unit == UNIT_NONE || !word_is(w, i + 2, "ago"))
            return 0;
        *range = (struct offline_range){shift(w->today, unit, -n), shift(w->today, unit, -n) + 1};
        return i + 3 - at;
    }
    size_t took = sign != 0 ? match_number(w, i + 1, &n) : 0;
    enum unit unit = unit_of(w, i + 1 + took);
    if (unit == UNIT_NONE)
        return 0;
    if (took == 0)
        *range = unit_range(w->today, unit, sign);
    else if (sign < 0)
        *range = (struct offline_range){shift(w->today, unit, -n), w->today + 1};
    else
        *range = (struct offline_range){w->today, shift(w->today, unit, n) + 1};
    return i + 2 + took - at;
}

static size_t match_period(const struct words *w, size_t at, struct offline_range *range)
{
    if (at >= w->count)
        return 0;
    size_t took = match_iso(w, at, range);
    took = took > 0 ? took : match_part(w, at, range);
    took = took > 0 ? took : match_relative(w, at, range);
    return took > 0 ? took : match_month(w, at, range);
}

/* A period, or after a preposition a bare year. */
static size_t match_bounded(const struct words *w, size_t at, bool introduced,
                            struct offline_range *range)
{
    int year;
    size_t took = match_period(w, at, range);
    if (took > 0 || !introduced)
        return took;
    size_t i = at + (word_is(w, at, "the") && word_is(w, at + 1, "year") ? 2
                     : word_is(w, at, "year")                            ? 1
                                                                         : 0);
    if (!year_at(w, i, &year))
        return 0;
    *range = (struct offline_range){month_start(year, 1), month_start(year + 1, 1)};
    return i + 1 - at;
}

/* How many tokens the preposition at at takes, and which bound it sets. */
static size_t match_bound(const struct words *w, size_t at, enum bound *bound)
{
    static const struct {
        const char *first, *second;
        enum bound bound;
    } bounds[] = {
        {"prior", "to", BOUND_BEFORE},
        {"earlier", "than", BOUND_BEFORE},
        {"later", "than", BOUND_AFTER},
        {"up", "to", BOUND_UNTIL},
        {"starting", "from", BOUND_SINCE},
        {"starting", "in", BOUND_SINCE},
        {"before", NULL, BOUND_BEFORE},
        {"after", NULL, BOUND_AFTER},
        {"since", NULL, BOUND_SINCE},
        {"until", NULL, BOUND_UNTIL},
        {"till", NULL, BOUND_UNTIL},
        {"through", NULL, BOUND_UNTIL},
        {"in", NULL, BOUND_IN},
        {"on", NULL, BOUND_IN},
        {"during", NULL, BOUND_IN},
        {"within", NULL, BOUND_IN},
        {"from", NULL, BOUND_IN},
        {"for", NULL, BOUND_IN},
        {"of", NULL, BOUND_IN},
        {"over", NULL, BOUND_IN},
        {"throughout", NULL, BOUND_IN},
    };
    for (size_t i = 0; i < countof(bounds); i++)
        if (word_is(w, at, bounds[i].first) &&
            (bounds[i].second == NULL || word_is(w, at + 1, bounds[i].second))) {
            *bound = bounds[i].bound;
            return bounds[i].second == NULL ? 1 : 2;
        }
    return 0;
}

/* between A and B | from A to B | A - B */
static size_t match_span(const struct words *w, size_t at, struct offline_range *range)
{
    bool between = word_is(w, at, "between");
    struct offline_range first, last;
    if (!between && !word_is(w, at, "from"))
        return 0;
    size_t a = match_bounded(w, at + 1, true, &first);
    size_t link = at + 1 + a;
    if (a == 0 || !(between ? word_is(w, link, "and")
                            : word_is(w, link, "to") || word_is(w, link, "until") ||
                                  word_is(w, link, "through")))
        return 0;
    size_t b = match_bounded(w, link + 1, true, &last);
    if (b == 0)
        return 0;
    if (a == 1 && w->tokens[at + 1].kind == TOKEN_WORD &&
        english_synonyms_month(w->tokens[at + 1].lower) > 0) {
        /* "between January and March 2023": the year belongs to both */
        int year, month, last_month, dom;
        english_dates_split(first.first, &year, &month, &dom);
        english_dates_split(last.first, &year, &last_month, &dom);
        first.first = month_start(month > last_month ? year - 1 : year, month);
    }
    *range = (struct offline_range){first.first, last.end};
    return range->first < range->end ? link + 1 + b - at : 0;
}

size_t english_dates_match(const struct offline_token *tokens, size_t count, size_t at,
                           int32_t today, struct offline_range *range)
{
    const struct words w = {tokens, count, today};
    struct offline_range period;
    size_t span = match_span(&w, at, range);
    if (span > 0)
        return span;
    enum bound bound = BOUND_IN;
    size_t intro = match_bound(&w, at, &bound);
    /* "over 2000" is an amount */
    bool introduced = intro > 0 && !word_is(&w, at, "over") && !word_is(&w, at, "within");
    size_t took = match_bounded(&w, at + intro, introduced, &period);
    if (took == 0)
        return 0;
    /* a month's name needs a preposition, a day or a year: "may" is also a verb */
    if (intro == 0 && took == 1 && tokens[at].kind == TOKEN_WORD &&
        english_synonyms_month(tokens[at].lower) > 0 && !tokens[at].capital)
        return 0;
    *range = period;
    if (bound == BOUND_BEFORE)
        *range = (struct offline_range){OFFLINE_DAY_NONE, period.first};
    else if (bound == BOUND_AFTER)
        *range = (struct offline_range){period.end, OFFLINE_DAY_NONE};
    else if (bound == BOUND_SINCE)
        *range = (struct offline_range){period.first, OFFLINE_DAY_NONE};
    else if (bound == BOUND_UNTIL)
        *range = (struct offline_range){OFFLINE_DAY_NONE, period.end};
    return intro + took;
}
