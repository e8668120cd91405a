/* SPDX-License-Identifier: MIT */
/* server/schedules/zone.h - a time zone of the system's database (TZif files), and the calendar.
 *
 * Times are seconds since 1970 without leap seconds; offsets are seconds east of Greenwich. Pure
 * but for zone_load; any thread. */
#ifndef SERVER_SCHEDULES_ZONE_H
#define SERVER_SCHEDULES_ZONE_H

#include "core/base/err.h"
#include "core/base/str.h"

enum { ZONE_CHANGES = 512, ZONE_NAME_BYTES = 64 };

/* When clocks change each year, and to what. */
struct zone_rule {
    enum { ZONE_RULE_MONTH, ZONE_RULE_JULIAN, ZONE_RULE_DAY } kind;
    int month, week,
        day;        /* M: the week-th (5: last) day, 0 Sunday, of month; else a day's number */
    int64_t time_s; /* after local midnight */
};

struct zone {
    struct {
        int64_t at_s, offset_s; /* from at_s on */
    } changes[ZONE_CHANGES];
    size_t count;
    int64_t first_s; /* offset before the first change */
    /* after the last change */
    int64_t standard_s, summer_s;
    bool has_summer;
    struct zone_rule begins, ends; /* of summer time */
};

/* A span of time in which the offset stays. */
struct zone_span {
    int64_t from_s, until_s; /* from INT64_MIN / 4, to INT64_MAX / 4, where there is no end */
    int64_t offset_s, offset_before_s;
};

/* UTC, which needs no database. */
void zone_utc(struct zone *zone);
/* Whether name is written as names of zones are: "Europe/Berlin", "UTC". */
bool zone_is_name(struct str name);
/* Read the zone out of the bytes of a TZif file. ERR_INVALID: they are none, or damaged. */
MUST_USE enum err_code zone_parse(struct str bytes, struct zone *zone, struct err *err);
/* Read the zone called name from the system's database. Blocking: not on a loop. ERR_INVALID: there
 * is no such zone here. */
MUST_USE enum err_code zone_load(struct str name, struct zone *zone, struct err *err);

/* The span that holds time_s. */
struct zone_span zone_span_at(const struct zone *zone, int64_t time_s);

#endif
