/* SPDX-License-Identifier: MIT */
/* core/base/calendar.c - eras of 400 years, whose years begin in March, so that the leap day is the
 * last one (Hinnant, "chrono-compatible low-level date algorithms").
 *
 * Failure: a text that is no time, in any part. */
#include "core/base/calendar.h"

enum { ERA_YEARS = 400, ERA_DAYS = 146097, EPOCH_DAYS = 719468, SECOND_MS = 1000, MINUTE_S = 60 };

static int64_t floor_of(int64_t value, int64_t by)
{
    return (value >= 0 ? value : value - by + 1) / by;
}

int64_t calendar_day_at(int64_t seconds)
{
    return floor_of(seconds, CALENDAR_DAY_S);
}

int64_t calendar_day(int64_t year, int month, int day)
{
    int64_t years = month <= 2 ? year - 1 : year;
    int64_t era = floor_of(years, ERA_YEARS), of_era = years - era * ERA_YEARS;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_DAYS;
}

struct calendar_date calendar_date(int64_t day)
{
    int64_t shifted = day + EPOCH_DAYS, era = floor_of(shifted, ERA_DAYS);
    int64_t of_era = shifted - era * ERA_DAYS;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    struct calendar_date date = {.day = (int)(of_year - (153 * month + 2) / 5 + 1),
                                 .month = (int)(month < 10 ? month + 3 : month - 9)};
    date.year = year + era * ERA_YEARS + (date.month <= 2);
    return date;
}

bool calendar_is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* ---- ISO 8601 ---- */

/* The number that the next len digits are. False: they are not all digits. */
static bool take_number(struct str *rest, size_t len, int *number)
{
    *number = 0;
    if (rest->len < len)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!str_is_digit(rest->at[i]))
            return false;
        *number = *number * 10 + (rest->at[i] - '0');
    }
    *rest = str_from(*rest, len);
    return true;
}

static bool take_char(struct str *rest, char c)
{
    if (rest->len == 0 || rest->at[0] != c)
        return false;
    *rest = str_from(*rest, 1);
    return true;
}

static bool take_date(struct str *rest, int64_t *day)
{
    int year, month, of_month;
    if (!take_number(rest, 4, &year) || !take_char(rest, '-') || !take_number(rest, 2, &month) ||
        !take_char(rest, '-') || !take_number(rest, 2, &of_month) || month < 1 || month > 12)
        return false;
    *day = calendar_day(year, month, of_month);
    struct calendar_date date = calendar_date(*day);
    return date.month == month && date.day == of_month; /* else its month has no such day */
}

/* "12:30", as seconds; with_seconds: a ":30" may follow. */
static bool take_clock(struct str *rest, bool with_seconds, int *seconds)
{
    int hour, minute, second = 0;
    if (!take_number(rest, 2, &hour) || !take_char(rest, ':') || !take_number(rest, 2, &minute))
        return false;
    if (with_seconds && take_char(rest, ':') && !take_number(rest, 2, &second))
        return false;
    *seconds = (hour * MINUTE_S + minute) * MINUTE_S + second;
    return hour < 24 && minute < 60 && second < 60;
}

/* ".25", as milliseconds; further digits say nothing more. */
static bool take_fraction(struct str *rest, int *ms)
{
    int scale = 100;
    *ms = 0;
    if (!take_char(rest, '.'))
        return true;
    if (rest->len == 0 || !str_is_digit(rest->at[0]))
        return false;
    for (; rest->len > 0 && str_is_digit(rest->at[0]); scale /= 10) {
        *ms += (rest->at[0] - '0') * scale;
        *rest = str_from(*rest, 1);
    }
    return true;
}

static bool take_offset(struct str *rest, int *seconds)
{
    *seconds = 0;
    if (rest->len == 0 || take_char(rest, 'Z'))
        return true;
    bool is_west = take_char(rest, '-');
    if ((!is_west && !take_char(rest, '+')) || !take_clock(rest, false, seconds))
        return false;
    *seconds = is_west ? -*seconds : *seconds;
    return true;
}

bool calendar_read_time(struct str text, uint64_t *ms)
{
    struct str rest = text;
    int64_t day = 0;
    int clock_s = 0, fraction_ms = 0, offset_s = 0;
    if (!take_date(&rest, &day))
        return false;
    if ((take_char(&rest, 'T') || take_char(&rest, ' ')) &&
        (!take_clock(&rest, true, &clock_s) || !take_fraction(&rest, &fraction_ms) ||
         !take_offset(&rest, &offset_s)))
        return false;
    int64_t at_s = day * CALENDAR_DAY_S + clock_s - offset_s;
    if (rest.len > 0 || at_s < 0)
        return false;
    *ms = (uint64_t)at_s * SECOND_MS + (uint64_t)fraction_ms;
    return true;
}
