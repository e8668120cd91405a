/* SPDX-License-Identifier: MIT */
/* What expressions mean, what is refused, and when they are due around changes of the clock. */
#include "server/schedules/cron.h"

#include <stdio.h>

#include "core/base/calendar.h"
#include "tests/lib/test.h"

/* "2026-03-29 00:59" as seconds since 1970, in UTC. */
static int64_t utc(const char *text)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0;
    assert_int_equal(sscanf(text, "%d-%d-%d %d:%d", &year, &month, &day, &hour, &minute), 5);
    return calendar_day(year, month, day) * 86400 + hour * 3600 + minute * 60;
}

static const char *text_of(int64_t seconds, char text[40])
{
    int64_t days = calendar_day_at(seconds), of_day = seconds - days * 86400;
    struct calendar_date date = calendar_date(days);
    snprintf(text, 40, "%04d-%02d-%02d %02d:%02d", (int)date.year, date.month, date.day,
             (int)(of_day / 3600), (int)(of_day % 3600 / 60));
    return text;
}

static void load(const char *name, struct zone *zone)
{
    struct err err = {0};
    if (zone_load(str_of(name), zone, &err) != ERR_OK)
        fail_msg("%s", err.text);
}

TEST(expressions_that_are_refused)
{
    static const char *const cases[] = {
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "* * * foo *",
        "5-1 * * * *",
        "*/0 * * * *",
        "1, * * * *",
        "1-2-3 * * * *",
        "a * * * *",
        "-1 * * * *",
        "*/99 * * * *",
        "@reboot",
        "1//2 * * * *",
        "* * * * mon-",
        "1.5 * * * *",
        "* * * jan5 *",
    };
    TEST_EACH(c, cases) {
        struct cron cron;
        struct err err = {0};
        EXPECT_INT(*c, cron_parse(str_of(*c), &cron, &err), ERR_INVALID);
        EXPECT_TRUE(*c, err.text[0] != '\0');
    }
}

TEST(when_expressions_are_due)
{
    static const struct {
        const char *expression, *after, *due; /* in UTC; due NULL: never */
    } cases[] = {
        {"* * * * *", "2026-01-01 00:00", "2026-01-01 00:01"},
        {"*/15 * * * *", "2026-01-01 00:14", "2026-01-01 00:15"},
        {"5/20 * * * *", "2026-01-01 00:26", "2026-01-01 00:45"},
        {"@hourly", "2026-01-01 00:00", "2026-01-01 01:00"},
        {"@daily", "2026-01-31 12:00", "2026-02-01 00:00"},
        {"@weekly", "2026-01-01 12:00", "2026-01-04 00:00"},
        {"@monthly", "2026-12-02 00:00", "2027-01-01 00:00"},
        {"@yearly", "2026-01-01 00:00", "2027-01-01 00:00"},
        {"0 7 * * mon-fri", "2026-01-02 08:00", "2026-01-05 07:00"},
        {"0 7 * * 7", "2026-01-01 08:00", "2026-01-04 07:00"},
        {"0 7 * * SUN", "2026-01-01 08:00", "2026-01-04 07:00"},
        {"0 0 13 * fri", "2026-02-13 00:00", "2026-02-20 00:00"}, /* either day will do */
        {"0 0 1,15 * *", "2026-02-02 00:00", "2026-02-15 00:00"},
        {"0 0 29 2 *", "2026-01-01 00:00", "2028-02-29 00:00"},
        {"0 0 31 4,6 *", "2026-01-01 00:00", NULL},
        {"0 0 30 feb *", "2026-01-01 00:00", NULL},
        {"0 9-17/4 * jan,dec *", "2026-01-31 17:00", "2026-12-01 09:00"},
        {"  0   0  * * *  ", "2026-01-01 00:00", "2026-01-02 00:00"},
    };
    struct zone zone;
    zone_utc(&zone);
    TEST_EACH(c, cases) {
        struct cron cron;
        struct err err = {0};
        char text[40];
        int64_t next = 0;
        EXPECT_INT(c->expression, cron_parse(str_of(c->expression), &cron, &err), ERR_OK);
        bool found = cron_next(&cron, &zone, utc(c->after), &next);
        EXPECT_INT(c->expression, found, c->due != NULL);
        if (c->due != NULL)
            EXPECT_STR(c->expression, str_of(text_of(next, text)), str_of(c->due));
    }
}

/* Berlin: 2026-03-29 02:00 -> 03:00 (01:00 UTC), 2026-10-25 03:00 -> 02:00 (01:00 UTC). New York:
 * 2026-03-08 02:00 -> 03:00 (07:00 UTC), 2026-11-01 02:00 -> 01:00 (06:00 UTC). Lord Howe changes
 * by half an hour: 2026-10-04 02:00 -> 02:30 (15:30 UTC the day before). Havana's days begin at
 * 01:00 once: 2026-03-08 00:00 -> 01:00 (05:00 UTC). */
static const struct {
    const char *name, *zone, *expression, *after;
    const char *due[4];
} changes[] = {
    {"left out: at the change",
     "Europe/Berlin",
     "30 2 * * *",
     "2026-03-28 12:00",
     {"2026-03-29 01:00", "2026-03-30 00:30"}},
    {"left out, and the hour behind it: once",
     "Europe/Berlin",
     "0 2,3 * * *",
     "2026-03-28 12:00",
     {"2026-03-29 01:00", "2026-03-30 00:00"}},
    {"every half hour: as time passes",
     "Europe/Berlin",
     "*/30 * * * *",
     "2026-03-29 00:29",
     {"2026-03-29 00:30", "2026-03-29 01:00", "2026-03-29 01:30"}},
    {"twice: the first time",
     "Europe/Berlin",
     "30 2 * * *",
     "2026-10-24 12:00",
     {"2026-10-25 00:30", "2026-10-26 01:30"}},
    {"twice, every half hour: each time",
     "Europe/Berlin",
     "*/30 * * * *",
     "2026-10-25 00:00",
     {"2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30", "2026-10-25 02:00"}},
    {"at the end of what comes twice",
     "Europe/Berlin",
     "0 3 * * *",
     "2026-10-24 12:00",
     {"2026-10-25 02:00", "2026-10-26 02:00"}},
    {"asked in the second hour",
     "Europe/Berlin",
     "45 2 * * *",
     "2026-10-25 01:10",
     {"2026-10-26 01:45"}},
    {"New York, left out",
     "America/New_York",
     "15 2 * * *",
     "2026-03-07 12:00",
     {"2026-03-08 07:00", "2026-03-09 06:15"}},
    {"New York, twice",
     "America/New_York",
     "15 1 * * *",
     "2026-10-31 12:00",
     {"2026-11-01 05:15", "2026-11-02 06:15"}},
    {"half an hour",
     "Australia/Lord_Howe",
     "15 2 * * *",
     "2026-10-03 00:00",
     {"2026-10-03 15:30", "2026-10-04 15:15"}},
    {"midnight is left out",
     "America/Havana",
     "0 0 * * *",
     "2026-03-07 12:00",
     {"2026-03-08 05:00", "2026-03-09 04:00"}},
    {"no summer time",
     "Asia/Kolkata",
     "0 9 * * *",
     "2026-03-29 00:00",
     {"2026-03-29 03:30", "2026-03-30 03:30"}},
    {"by the rule, behind the list",
     "Europe/Berlin",
     "30 2 * * *",
     "2060-03-27 12:00",
     {"2060-03-28 01:00", "2060-03-29 00:30"}},
    {"the south, by the rule",
     "Australia/Sydney",
     "0 7 * * *",
     "2060-04-02 12:00",
     {"2060-04-02 20:00", "2060-04-03 21:00", "2060-04-04 21:00"}},
};

TEST(when_clocks_change)
{
    TEST_EACH(c, changes) {
        struct zone zone;
        struct cron cron;
        struct err err = {0};
        int64_t at = utc(c->after);
        load(c->zone, &zone);
        EXPECT_INT(c->name, cron_parse(str_of(c->expression), &cron, &err), ERR_OK);
        for (size_t i = 0; i < countof(c->due) && c->due[i] != NULL; i++) {
            char text[40];
            EXPECT_TRUE(c->name, cron_next(&cron, &zone, at, &at));
            EXPECT_STR(c->name, str_of(text_of(at, text)), str_of(c->due[i]));
        }
    }
}

TEST(zones_that_are_not_there)
{
    static const char *const cases[] = {
        "",        "Europe/Nowhere", "../../etc/passwd", "/etc/localtime",
        "Europe/", "Europe",         "zone.tab"};
    TEST_EACH(c, cases) {
        struct zone zone;
        struct err err = {0};
        EXPECT_INT(*c, zone_load(str_of(*c), &zone, &err), ERR_INVALID);
    }
}

RUN_TESTS(T(expressions_that_are_refused), T(when_expressions_are_due), T(when_clocks_change),
          T(zones_that_are_not_there))
