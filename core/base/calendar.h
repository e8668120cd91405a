/* SPDX-License-Identifier: MIT */
/* core/base/calendar.h - days since 1970 and dates of the Gregorian calendar, which counts on
 * before it began; and times as ISO 8601 writes them.
 *
 * Pure functions. Any thread. */
#ifndef CORE_BASE_CALENDAR_H
#define CORE_BASE_CALENDAR_H

#include "core/base/str.h"

enum { CALENDAR_DAY_S = 86400 };

struct calendar_date {
    int64_t year;
    int month, day; /* from 1 on */
};

/* The number of the day since 1970 that seconds since then fall on. */
int64_t calendar_day_at(int64_t seconds);
/* The number of the day of a date; a day beyond its month is one of the next months. */
int64_t calendar_day(int64_t year, int month, int day);
struct calendar_date calendar_date(int64_t day);
bool calendar_is_leap(int64_t year);
/* Read "2026-01-31", with "T12:00", ":30" and ".5" as there is more, and "Z" or "+01:00" (none: Z)
 * behind a time, as milliseconds since 1970. False: it is no such time, or one before 1970. */
MUST_USE bool calendar_read_time(struct str text, uint64_t *ms);

#endif
