/* SPDX-License-Identifier: MIT */
/* server/schedules/zone.c - RFC 9636: the 64-bit half of a TZif file, and the rule behind it.
 *
 * Happy path: the list of changes is read, the footer says what follows the last one; a span is
 * looked up in the list, or made from the years around it.
 * Failure: a file that is missing, too long, or says nothing sensible is ERR_INVALID. */
#include "server/schedules/zone.h"

#include <stdio.h>
#include <string.h>

#include "core/base/calendar.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"

enum { HEAD_BYTES = 44, TYPE_BYTES = 6, FILE_BYTES = 64 * 1024, PATH_BYTES = 128 };
enum {
    HOUR_S = 3600,
    DAY_S = CALENDAR_DAY_S,
    RULE_TIME_S = 2 * HOUR_S,
    OFFSET_MOST_S = 26 * HOUR_S
};
enum { SINCE_S = 1000000000 }; /* changes before 2001 are of no use here */

static const int64_t never_s = INT64_MAX / 4, always_s = INT64_MIN / 4;

/* ---- the rule behind the list, as POSIX's TZ has it ---- */

struct reader {
    struct str rest;
    bool failed;
};

static bool next_is(struct reader *reader, char c)
{
    if (reader->rest.len == 0 || reader->rest.at[0] != c)
        return false;
    reader->rest = str_from(reader->rest, 1);
    return true;
}

static int64_t take_number(struct reader *reader)
{
    int64_t value = 0;
    size_t len = 0;
    while (len < reader->rest.len && len < 3 && reader->rest.at[len] >= '0' &&
           reader->rest.at[len] <= '9')
        value = value * 10 + (reader->rest.at[len++] - '0');
    reader->failed = reader->failed || len == 0;
    reader->rest = str_from(reader->rest, len);
    return value;
}

/* A name of letters, or anything between < and >. */
static void skip_name(struct reader *reader)
{
    bool is_quoted = next_is(reader, '<');
    size_t len = 0;
    while (len < reader->rest.len && (is_quoted ? reader->rest.at[len] != '>'
                                                : str_lower(reader->rest.at[len]) >= 'a' &&
                                                      str_lower(reader->rest.at[len]) <= 'z'))
        len++;
    reader->failed = reader->failed || len == 0;
    reader->rest = str_from(reader->rest, len);
    if (is_quoted && !next_is(reader, '>'))
        reader->failed = true;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static int64_t take_time(struct reader *reader)
{
    int64_t sign = next_is(reader, '-') ? -1 : 1;
    if (sign > 0)
        (void)next_is(reader, '+');
    int64_t seconds = take_number(reader) * HOUR_S;
    if (next_is(reader, ':'))
        seconds += take_number(reader) * 60;
    if (next_is(reader, ':'))
        seconds += take_number(reader);
    return sign * seconds;
}

static struct zone_rule take_rule(struct reader *reader)
{
    struct zone_rule rule = {.kind = ZONE_RULE_DAY, .time_s = RULE_TIME_S};
    if (next_is(reader, 'M')) {
        rule.kind = ZONE_RULE_MONTH;
        rule.month = (int)take_number(reader);
        reader->failed = !next_is(reader, '.') || reader->failed;
        rule.week = (int)take_number(reader);
        reader->failed = !next_is(reader, '.') || reader->failed;
    } else if (next_is(reader, 'J')) {
        rule.kind = ZONE_RULE_JULIAN;
    }
    rule.day = (int)take_number(reader);
    if (next_is(reader, '/'))
        rule.time_s = take_time(reader);
    bool is_good = rule.kind == ZONE_RULE_MONTH
                       ? rule.month >= 1 && rule.month <= 12 && rule.week >= 1 && rule.week <= 5 &&
                             rule.day <= 6
                       : rule.day <= 366;
    reader->failed = reader->failed || !is_good;
    return rule;
}

/* False: it is no rule. An empty one: the offset of the last change stays. */
static bool read_footer(struct str text, struct zone *zone)
{
    struct reader reader = {text, false};
    zone->has_summer = false;
    zone->standard_s = zone->count > 0 ? zone->changes[zone->count - 1].offset_s : zone->first_s;
    if (text.len == 0)
        return true;
    skip_name(&reader);
    zone->standard_s = -take_time(&reader);
    if (reader.rest.len > 0) {
        zone->has_summer = true;
        skip_name(&reader);
        zone->summer_s = zone->standard_s + HOUR_S;
        if (reader.rest.len > 0 && reader.rest.at[0] != ',')
            zone->summer_s = -take_time(&reader);
        reader.failed = !next_is(&reader, ',') || reader.failed;
        zone->begins = take_rule(&reader);
        reader.failed = !next_is(&reader, ',') || reader.failed;
        zone->ends = take_rule(&reader);
    }
    return !reader.failed && reader.rest.len == 0;
}

/* When the rule says so in year, in local seconds. */
static int64_t rule_in(const struct zone_rule *rule, int64_t year)
{
    int64_t first = calendar_day(year, 1, 1), day;
    if (rule->kind == ZONE_RULE_MONTH) {
        int64_t month = calendar_day(year, rule->month, 1);
        int64_t next = rule->month == 12 ? calendar_day(year + 1, 1, 1)
                                         : calendar_day(year, rule->month + 1, 1);
        int64_t weekday = (month % 7 + 7 + 4) % 7; /* the 1st of January 1970 was a Thursday */
        day = month + (rule->day - weekday + 7) % 7 + (rule->week - 1) * 7;
        if (day >= next)
            day -= 7;
    } else if (rule->kind == ZONE_RULE_JULIAN) {
        day = first + rule->day - 1 + (calendar_is_leap(year) && rule->day >= 60);
    } else {
        day = first + rule->day;
    }
    return day * DAY_S + rule->time_s;
}

/* ---- spans ---- */

/* The span of time_s by the rule: the changes of three years, in order. */
static struct zone_span span_by_rule(const struct zone *zone, int64_t time_s)
{
    struct zone_span span = {always_s, never_s, zone->standard_s, zone->standard_s};
    int64_t year = calendar_date(calendar_day_at(time_s)).year;
    if (!zone->has_summer)
        return span;
    for (int64_t y = year - 1; y <= year + 1; y++) {
        const int64_t at[] = {rule_in(&zone->begins, y) - zone->standard_s,
                              rule_in(&zone->ends, y) - zone->summer_s};
        size_t first = at[0] <= at[1] ? 0 : 1; /* in the south summer ends first */
        for (size_t i = 0; i < 2; i++) {
            size_t which = i == 0 ? first : 1 - first;
            if (at[which] > time_s) {
                span.until_s = at[which];
                return span;
            }
            span.offset_before_s = span.offset_s;
            span.offset_s = which == 0 ? zone->summer_s : zone->standard_s;
            span.from_s = at[which];
        }
    }
    return span;
}

struct zone_span zone_span_at(const struct zone *zone, int64_t time_s)
{
    size_t low = 0, high = zone->count; /* changes before low are at or before time_s */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->changes[middle].at_s <= time_s)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t before_s = low >= 2 ? zone->changes[low - 2].offset_s : zone->first_s;
    struct zone_span span = {
        .from_s = low == 0 ? always_s : zone->changes[low - 1].at_s,
        .until_s = low < zone->count ? zone->changes[low].at_s : never_s,
        .offset_s = low == 0 ? zone->first_s : zone->changes[low - 1].offset_s,
        .offset_before_s = low == 0 ? zone->first_s : before_s,
    };
    if (low < zone->count || (!zone->has_summer && zone->count > 0))
        return span;
    struct zone_span by_rule = span_by_rule(zone, time_s);
    if (zone->count > 0 && by_rule.from_s <= span.from_s) { /* the list's last change is that one */
        by_rule.from_s = span.from_s;
        by_rule.offset_before_s = span.offset_before_s;
    }
    return by_rule;
}

/* ---- files ---- */

static int64_t take_be(const char *at, size_t bytes)
{
    uint64_t value = (unsigned char)at[0] >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | (unsigned char)at[i];
    return (int64_t)value;
}

enum { IS_UT, IS_STANDARD, LEAPS, CHANGES, TYPES, LETTERS, COUNTS };

/* The counts of the head at bytes; false: it is none. */
static bool read_head(struct str bytes, size_t counts[COUNTS])
{
    if (bytes.len < HEAD_BYTES || memcmp(bytes.at, "TZif", 4) != 0)
        return false;
    for (size_t i = 0; i < COUNTS; i++) {
        int64_t count = take_be(bytes.at + 20 + 4 * i, 4);
        if (count < 0 || count > FILE_BYTES)
            return false;
        counts[i] = (size_t)count;
    }
    return true;
}

static size_t block_bytes(const size_t counts[COUNTS], size_t time_bytes)
{
    return counts[CHANGES] * (time_bytes + 1) + counts[TYPES] * TYPE_BYTES + counts[LETTERS] +
           counts[LEAPS] * (time_bytes + 4) + counts[IS_STANDARD] + counts[IS_UT];
}

static bool read_changes(const char *at, const size_t counts[COUNTS], struct zone *zone)
{
    const char *places = at + 8 * counts[CHANGES], *types = places + counts[CHANGES];
    zone->count = 0;
    zone->first_s = take_be(types, 4);
    for (size_t i = 0; i < counts[CHANGES]; i++) {
        size_t place = (unsigned char)places[i];
        int64_t at_s = take_be(at + 8 * i, 8);
        int64_t offset_s = place < counts[TYPES] ? take_be(types + TYPE_BYTES * place, 4) : 0;
        if (place >= counts[TYPES] || offset_s > OFFSET_MOST_S || offset_s < -OFFSET_MOST_S ||
            at_s > never_s || (zone->count > 0 && at_s <= zone->changes[zone->count - 1].at_s))
            return false;
        if (at_s < SINCE_S) {
            zone->first_s = offset_s;
            continue;
        }
        if (zone->count == ZONE_CHANGES)
            return false;
        zone->changes[zone->count].at_s = at_s;
        zone->changes[zone->count++].offset_s = offset_s;
    }
    return zone->first_s <= OFFSET_MOST_S && zone->first_s >= -OFFSET_MOST_S;
}

enum err_code zone_parse(struct str bytes, struct zone *zone, struct err *err)
{
    size_t counts[COUNTS], skipped, length;
    if (!read_head(bytes, counts) || bytes.at[4] < '2')
        return err_set(err, ERR_INVALID, "not a time zone of version 2 or later");
    skipped = HEAD_BYTES + block_bytes(counts, 4);
    bytes = skipped <= bytes.len ? str_from(bytes, skipped) : STR("");
    if (!read_head(bytes, counts) || counts[TYPES] == 0)
        return err_set(err, ERR_INVALID, "a time zone that is cut short");
    length = block_bytes(counts, 8);
    if (bytes.len - HEAD_BYTES < length || !read_changes(bytes.at + HEAD_BYTES, counts, zone))
        return err_set(err, ERR_INVALID, "a time zone that is damaged");
    struct str footer = str_from(bytes, HEAD_BYTES + length);
    if (footer.len > 0 && footer.at[0] == '\n')
        footer = str_from(footer, 1);
    if (!read_footer(str_split(&footer, '\n'), zone))
        return err_set(err, ERR_INVALID, "a time zone whose rule is damaged");
    return ERR_OK;
}

void zone_utc(struct zone *zone)
{
    *zone = (struct zone){.count = 0};
}

bool zone_is_name(struct str name)
{
    bool fine = name.len > 0 && name.len <= ZONE_NAME_BYTES;
    for (size_t i = 0; fine && i < name.len; i++) {
        char c = str_lower(name.at[i]);
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        bool mark = c == '_' || c == '-' || c == '+' || (c == '/' && i > 0 && i + 1 < name.len);
        fine = letter || mark;
    }
    return fine;
}

enum err_code zone_load(struct str name, struct zone *zone, struct err *err)
{
    char path[PATH_BYTES], bytes[FILE_BYTES];
    if (str_equal(name, STR("UTC"))) {
        zone_utc(zone);
        return ERR_OK;
    }
    FILE *file = NULL;
    if (zone_is_name(name)) {
        snprintf(path, sizeof path, ZONE_FOLDER "/%.*s", STR_ARG(name));
        file = fopen(path, "rb");
    }
    size_t len = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL)
        fclose(file);
    if (len == 0 || zone_parse(str_make(bytes, len), zone, err) != ERR_OK)
        return err_set(err, ERR_INVALID, "there is no time zone '%.*s' here",
                       STR_ARG(str_utf8_prefix(name, ZONE_NAME_BYTES)));
    return ERR_OK;
}
