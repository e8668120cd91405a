/* SPDX-License-Identifier: MIT */
/* Days and dates are the C library's, over eight centuries; times of ISO 8601, and what is none. */
#include "core/base/calendar.h"

#include <time.h>

#include "tests/lib/test.h"

TEST(days_and_dates_are_the_librarys)
{
    enum { FROM = -146097, TO = 2 * 146097 };
    for (int64_t day = FROM; day <= TO; day += 17) {
        time_t seconds = (time_t)(day * CALENDAR_DAY_S + day % 7 * 12341 % CALENDAR_DAY_S);
        struct tm parts;
        if (day % 7 < 0)
            seconds = (time_t)(day * CALENDAR_DAY_S);
        gmtime_r(&seconds, &parts);
        struct calendar_date date = calendar_date(day);
        EXPECT_INT("the day of a time", calendar_day_at((int64_t)seconds), day);
        EXPECT_INT("year", date.year, parts.tm_year + 1900);
        EXPECT_INT("month", date.month, parts.tm_mon + 1);
        EXPECT_INT("day", date.day, parts.tm_mday);
        EXPECT_INT("back", calendar_day(date.year, date.month, date.day), day);
    }
    EXPECT_TRUE("leap", calendar_is_leap(2024) && calendar_is_leap(2000) &&
                            !calendar_is_leap(1900) && !calendar_is_leap(2026));
    EXPECT_INT("before 1970", calendar_day_at(-1), -1);
    EXPECT_INT("a day beyond its month", calendar_day(2026, 2, 31), calendar_day(2026, 3, 3));
}

TEST(times_of_iso_8601)
{
    static const struct {
        const char *text;
        uint64_t ms; /* 0: it is none */
    } cases[] = {
        {"2026-01-31", 1769817600000},
        {"2026-01-31T12:30", 1769862600000},
        {"2026-01-31 12:30:15", 1769862615000},
        {"2026-01-31T12:30:15Z", 1769862615000},
        {"2026-01-31T12:30:15.5Z", 1769862615500},
        {"2026-01-31T12:30:15.123456+00:00", 1769862615123},
        {"2026-01-31T12:30:15+01:30", 1769857215000},
        {"2026-01-31T12:30:15-05:00", 1769880615000},
        {"2024-02-29T00:00Z", 1709164800000},
        {"1970-01-01T00:00:01Z", 1000},
        {"", 0},
        {"2026", 0},
        {"2026-13-01", 0},
        {"2026-00-01", 0},
        {"2026-02-29", 0},
        {"2026-04-31", 0},
        {"2026-01-00", 0},
        {"2026-01-31T", 0},
        {"2026-01-31T24:00", 0},
        {"2026-01-31T12:60", 0},
        {"2026-01-31T12:30:60", 0},
        {"2026-01-31T12:30:", 0},
        {"2026-01-31T12:30:15.", 0},
        {"2026-01-31T12:30:15+1", 0},
        {"2026-01-31T12:30:15Zx", 0},
        {"2026-01-31Z", 0},
        {"1969-12-31", 0},
        {"1970-01-01T00:30+01:00", 0},
        {"tomorrow", 0},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        uint64_t ms = 0;
        bool is_time = calendar_read_time(str_of(cases[i].text), &ms);
        EXPECT_INT(cases[i].text, is_time, cases[i].ms != 0);
        EXPECT_TRUE(cases[i].text, !is_time || ms == cases[i].ms);
    }
}

RUN_TESTS(T(days_and_dates_are_the_librarys), T(times_of_iso_8601))
