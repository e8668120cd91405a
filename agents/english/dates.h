/* SPDX-License-Identifier: MIT */
/* agents/english/dates.h - phrases of time -> half-open ranges of days.
 *
 * Weeks begin on Monday. A month without a year is the latest one that has begun. Any thread. */
#ifndef AGENTS_ENGLISH_DATES_H
#define AGENTS_ENGLISH_DATES_H

#include "agents/english/tokens.h"
#include "agents/english/words.h"

enum { OFFLINE_DAY_NONE = INT32_MIN };

struct offline_range { /* days since 1970-01-01, first <= day < end; OFFLINE_DAY_NONE: open */
    int32_t first, end;
};

/* Set *range to the period of time that tokens[at..] begin with. Returns how many tokens it takes,
 * 0: no period. today is a day number. */
size_t english_dates_match(const struct offline_token *tokens, size_t count, size_t at,
                           int32_t today, struct offline_range *range);

int32_t english_dates_day(int year, int month, int day);
void english_dates_split(int32_t day, int *year, int *month, int *dom);
/* The day so many of grain before day; grain is not GRAIN_NONE. */
int32_t english_dates_back(int32_t day, enum offline_grain grain, int n);
/* "2025-06-30" into to (11 bytes). */
void english_dates_text(int32_t day, char to[11]);

#endif
