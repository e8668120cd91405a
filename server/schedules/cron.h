/* SPDX-License-Identifier: MIT */
/* server/schedules/cron.h - a cron expression, and the next time at which it is due in a time zone.
 *
 * Five fields: minute, hour, day of the month, month, day of the week (0 and 7: Sunday), each *, a
 * number, a name (jan, mon), a range, a list, with a step behind a slash; or @hourly, @daily,
 * @midnight, @weekly, @monthly, @yearly, @annually. When both days are restricted, either will do.
 * Where clocks are changed, an expression whose hour begins with * is due as time passes; any other
 * is due once for each wall-clock time: one that is left out at the moment of the change, one that
 * comes twice the first time. Pure; any thread. */
#ifndef SERVER_SCHEDULES_CRON_H
#define SERVER_SCHEDULES_CRON_H

#include "core/base/err.h"
#include "core/base/str.h"
#include "server/schedules/zone.h"

enum { CRON_BYTES = 256 }; /* the longest expression */

struct cron { /* bit n of a field: n will do */
    uint64_t minutes;
    uint32_t hours, days;
    uint16_t months;
    uint8_t weekdays;
    bool any_day, any_weekday; /* not restricted */
    bool follows_time;         /* the hour begins with * */
};

/* ERR_INVALID: which field, what was expected, what came. */
MUST_USE enum err_code cron_parse(struct str text, struct cron *cron, struct err *err);
/* The first time after after_s, in seconds since 1970, at which cron is due. False: none in the ten
 * years that follow (the 30th of February). */
MUST_USE bool cron_next(const struct cron *cron, const struct zone *zone, int64_t after_s,
                        int64_t *next_s);

#endif
