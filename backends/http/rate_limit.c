/* SPDX-License-Identifier: MIT */
/* backends/http/rate_limit.c - the words of a header's name, and the four ways to write a time.
 *
 * Happy path: "remaining" or "reset" in the name says what the value is, the other words say of
 * what. Failure: what makes no sense is as if not said. */
#include "backends/http/rate_limit.h"

#include <string.h>
#include <time.h>

enum { NAME_BYTES = 80, DATE_BYTES = 40, LONGEST_MS = 24 * 3600 * 1000 };

static const double EPOCH_SECONDS = 1e9, EPOCH_MS = 1e12; /* larger numbers are dates */

/* A number with a unit, as often as there are: "6m0s", "20ms", "1.5s". */
static bool read_units(struct str value, double *ms)
{
    static const struct {
        struct str unit;
        double ms;
    } units[] = {{STR("ms"), 1},    {STR("us"), 0.001},  {STR("s"), 1000},
                 {STR("m"), 60000}, {STR("h"), 3600000}, {STR("d"), 86400000}};
    *ms = 0;
    while (value.len > 0) {
        size_t digits = 0, i = 0;
        double number;
        while (digits < value.len && (str_is_digit(value.at[digits]) || value.at[digits] == '.'))
            digits++;
        if (!str_to_double(str_slice(value, 0, digits), &number))
            return false;
        value = str_from(value, digits);
        while (i < countof(units) && !str_starts_with(value, units[i].unit))
            i++;
        if (i == countof(units))
            return false;
        value = str_from(value, units[i].unit.len);
        *ms += number * units[i].ms;
    }
    return true;
}

/* "2026-11-21T10:00:00Z", fractions of a second are passed over. */
static bool read_date(struct str value, uint64_t wall_ms, double *ms)
{
    char text[DATE_BYTES];
    struct tm date = {0};
    if (value.len >= sizeof text)
        return false;
    memcpy(text, value.at, value.len);
    text[value.len] = '\0';
    if (strptime(text, "%Y-%m-%dT%H:%M:%S", &date) == NULL)
        return false;
    *ms = (double)timegm(&date) * 1000 - (double)wall_ms;
    return true;
}

static uint64_t read_reset(struct str value, uint64_t wall_ms)
{
    double ms = 0;
    if (str_to_double(value, &ms))
        ms = ms >= EPOCH_MS        ? ms - (double)wall_ms
             : ms >= EPOCH_SECONDS ? ms * 1000 - (double)wall_ms
                                   : ms * 1000;
    else if (!read_units(value, &ms) && !read_date(value, wall_ms, &ms))
        return 0;
    return ms <= 0 ? 0 : ms >= LONGEST_MS ? LONGEST_MS : (uint64_t)ms;
}

/* The place of a kind; absent: there are too many. */
static size_t place_of(struct rate_limit *limit, uint64_t kind)
{
    size_t i = 0;
    while (i < limit->count && limit->kinds[i].kind != kind)
        i++;
    if (i == limit->count && i < RATE_LIMIT_KINDS)
        limit->kinds[limit->count++].kind = kind;
    return i;
}

void rate_limit_hear(struct rate_limit *limit, struct str name, struct str value, uint64_t wall_ms)
{
    char lower[NAME_BYTES];
    uint64_t kind = 0;
    bool is_remaining = false, is_reset = false;
    double left;
    if (name.len > sizeof lower)
        return;
    for (size_t i = 0; i < name.len; i++)
        lower[i] = str_lower(name.at[i]);
    struct str rest = str_make(lower, name.len);
    ptrdiff_t at = str_find(rest, STR("ratelimit-"));
    if (at == STR_NONE)
        return;
    rest = str_from(rest, (size_t)at + STR("ratelimit-").len);
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, '-');
        is_remaining |= str_equal(word, STR("remaining"));
        is_reset |= str_equal(word, STR("reset"));
        if (!str_equal(word, STR("remaining")) && !str_equal(word, STR("reset")))
            kind = kind * 31 + str_hash(word);
    }
    size_t place = is_remaining != is_reset ? place_of(limit, kind) : RATE_LIMIT_KINDS;
    if (place == RATE_LIMIT_KINDS)
        return;
    if (is_reset)
        limit->kinds[place].reset_ms = read_reset(value, wall_ms);
    else if (str_to_double(value, &left))
        limit->kinds[place].is_spent = left <= 0;
}

uint64_t rate_limit_pause_ms(const struct rate_limit *limit)
{
    uint64_t ms = 0;
    for (size_t i = 0; i < limit->count; i++)
        if (limit->kinds[i].is_spent && limit->kinds[i].reset_ms > ms)
            ms = limit->kinds[i].reset_ms;
    return ms;
}
