/* SPDX-License-Identifier: MIT */
/* server/schedules/cron.c - fields are sets of bits; the next time is sought by month, day, hour
 * and minute of the local clock, in one span of unchanged offset after the other.
 *
 * Happy path: in the span that holds the time after which is asked, the first local minute that all
 * fields allow; when it lies behind the span, the search goes on in the next one.
 * Failure: a field that says nothing sensible is ERR_INVALID; nothing within ten years. */
#include "server/schedules/cron.h"

#include "core/base/calendar.h"

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = CALENDAR_DAY_S, YEARS_S = 10 * 366 * DAY_S };
enum { WEEKDAY_OF_1970 = 4, SUNDAY_AGAIN = 7, NAME_BYTES = 3, WORD_BYTES = 40 };

/* ---- reading ---- */

struct field {
    const char *name;
    uint64_t low, high;
    const char *names; /* of low, low + 1 and so on, three letters each; NULL: none */
};

static const struct field fields[] = {
    {"minute", 0, 59, NULL},
    {"hour", 0, 23, NULL},
    {"day of the month", 1, 31, NULL},
    {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    {"day of the week", 0, 7, "sunmontuewedthufrisat"},
};

static const struct {
    struct str name, means;
} shorthands[] = {
    {{"@yearly", 7}, {"0 0 1 1 *", 9}},  {{"@annually", 9}, {"0 0 1 1 *", 9}},
    {{"@monthly", 8}, {"0 0 1 * *", 9}}, {{"@weekly", 7}, {"0 0 * * 0", 9}},
    {{"@daily", 6}, {"0 0 * * *", 9}},   {{"@midnight", 9}, {"0 0 * * *", 9}},
    {{"@hourly", 7}, {"0 * * * *", 9}},
};

static enum err_code refuse(const struct field *field, struct str word, struct err *err)
{
    return err_set(err, ERR_INVALID,
                   "the %s: expected %llu to %llu%s, a range, a list, * or a step, got '%.*s'",
                   field->name, (unsigned long long)field->low, (unsigned long long)field->high,
                   field->names == NULL ? "" : " or a name",
                   STR_ARG(str_utf8_prefix(word, WORD_BYTES)));
}

/* A number or a name of the field. */
static bool read_value(const struct field *field, struct str word, uint64_t *value)
{
    if (field->names != NULL && word.len == NAME_BYTES)
        for (size_t i = 0; field->names[i] != '\0'; i += NAME_BYTES)
            if (str_equal_nocase(word, str_make(field->names + i, NAME_BYTES))) {
                *value = field->low + i / NAME_BYTES;
                return true;
            }
    return word.len > 0 && word.len <= 2 && str_to_u64(word, value) && *value >= field->low &&
           *value <= field->high;
}

/* One item of a list: *, a value or a range, and perhaps a step. */
static bool read_item(const struct field *field, struct str item, uint64_t *bits)
{
    bool has_step = str_find_char(item, '/') != STR_NONE;
    struct str step = item, range = str_split(&step, '/');
    uint64_t from = field->low, to = field->high, by = 1;
    if (!str_equal(range, STR("*"))) {
        bool is_range = str_find_char(range, '-') != STR_NONE;
        struct str last = range, first = str_split(&last, '-');
        if (!read_value(field, first, &from) || (is_range && !read_value(field, last, &to)))
            return false;
        if (!is_range && !has_step)
            to = from;
    }
    if (has_step && (!str_to_u64(step, &by) || by == 0 || by > field->high))
        return false;
    if (from > to)
        return false;
    for (uint64_t value = from; value <= to; value += by)
        *bits |= UINT64_C(1) << value;
    return true;
}

static enum err_code read_field(const struct field *field, struct str word, uint64_t *bits,
                                struct err *err)
{
    bool more = true;
    *bits = 0;
    for (struct str rest = word; more;) {
        more = str_find_char(rest, ',') != STR_NONE;
        if (!read_item(field, str_split(&rest, ','), bits))
            return refuse(field, word, err);
    }
    return ERR_OK;
}

static struct str expand(struct str text)
{
    for (size_t i = 0; i < countof(shorthands); i++)
        if (str_equal_nocase(text, shorthands[i].name))
            return shorthands[i].means;
    return text;
}

/* The next word, blanks skipped; empty: none is left. */
static struct str take_word(struct str *rest)
{
    size_t from = 0, to;
    while (from < rest->len && (rest->at[from] == ' ' || rest->at[from] == '\t'))
        from++;
    for (to = from; to < rest->len && rest->at[to] != ' ' && rest->at[to] != '\t';)
        to++;
    struct str word = str_slice(*rest, from, to);
    *rest = str_from(*rest, to);
    return word;
}

enum err_code cron_parse(struct str text, struct cron *cron, struct err *err)
{
    struct str rest = expand(str_trim(text)), words[countof(fields)];
    uint64_t bits[countof(fields)];
    if (text.len > CRON_BYTES)
        return err_set(err, ERR_INVALID, "expected at most %d bytes, got %zu", CRON_BYTES,
                       text.len);
    for (size_t i = 0; i < countof(fields); i++) {
        words[i] = take_word(&rest);
        if (words[i].len == 0)
            return err_set(err, ERR_INVALID,
                           "expected minute, hour, day of the month, month and day of the week, or "
                           "@hourly, @daily, @weekly, @monthly, @yearly; got %zu fields",
                           i);
        if (read_field(&fields[i], words[i], &bits[i], err) != ERR_OK)
            return err->code;
    }
    if (str_trim(rest).len > 0)
        return err_set(err, ERR_INVALID, "expected five fields, got more: '%.*s'",
                       STR_ARG(str_utf8_prefix(str_trim(rest), WORD_BYTES)));
    if ((bits[4] >> SUNDAY_AGAIN & 1) != 0)
        bits[4] |= 1;
    *cron = (struct cron){.minutes = bits[0],
                          .hours = (uint32_t)bits[1],
                          .days = (uint32_t)bits[2],
                          .months = (uint16_t)bits[3],
                          .weekdays = (uint8_t)(bits[4] & 0x7F),
                          .any_day = words[2].at[0] == '*',
                          .any_weekday = words[4].at[0] == '*',
                          .follows_time = words[1].at[0] == '*'};
    return ERR_OK;
}

/* ---- the next time ---- */

static bool has(uint64_t bits, int64_t place)
{
    return (bits >> place & 1) != 0;
}

static bool is_day(const struct cron *cron, const struct calendar_date *date, int64_t days)
{
    bool day = has(cron->days, date->day);
    bool weekday = has(cron->weekdays, (days % 7 + 7 + WEEKDAY_OF_1970) % 7);
    if (cron->any_day || cron->any_weekday)
        return day && weekday;
    return day || weekday;
}

/* The first minute of the local clock from local_s on, which is a whole minute, before until_s,
 * that all fields allow; until_s: none. */
static int64_t seek(const struct cron *cron, int64_t local_s, int64_t until_s)
{
    while (local_s < until_s) {
        int64_t days = calendar_day_at(local_s), of_day = local_s - days * DAY_S;
        struct calendar_date date = calendar_date(days);
        if (!has(cron->months, date.month))
            local_s = calendar_day(date.month == 12 ? date.year + 1 : date.year,
                                   date.month == 12 ? 1 : date.month + 1, 1) *
                      DAY_S;
        else if (!is_day(cron, &date, days))
            local_s = (days + 1) * DAY_S;
        else if (!has(cron->hours, of_day / HOUR_S))
            local_s += HOUR_S - of_day % HOUR_S;
        else if (!has(cron->minutes, of_day % HOUR_S / MINUTE_S))
            local_s += MINUTE_S;
        else
            return local_s;
    }
    return until_s;
}

static int64_t to_whole_minute(int64_t local_s)
{
    int64_t past = (local_s % MINUTE_S + MINUTE_S) % MINUTE_S;
    return past == 0 ? local_s : local_s + MINUTE_S - past;
}

bool cron_next(const struct cron *cron, const struct zone *zone, int64_t after_s, int64_t *next_s)
{
    int64_t from_s = after_s + 1, end_s = after_s + YEARS_S;
    while (from_s < end_s) {
        struct zone_span span = zone_span_at(zone, from_s);
        int64_t until_s = span.until_s < end_s ? span.until_s : end_s;
        int64_t first = to_whole_minute(from_s + span.offset_s);
        int64_t again = span.from_s + span.offset_before_s; /* local times before came already */
        if (!cron->follows_time && first < again)
            first = to_whole_minute(again);
        int64_t found = seek(cron, first, until_s + span.offset_s);
        if (found < until_s + span.offset_s) {
            *next_s = found - span.offset_s;
            return true;
        }
        struct zone_span next = zone_span_at(zone, until_s);
        int64_t left_out = until_s + next.offset_s; /* from the end of the span's clock to here */
        if (!cron->follows_time && until_s == span.until_s &&
            seek(cron, to_whole_minute(until_s + span.offset_s), left_out) < left_out) {
            *next_s = until_s;
            return true;
        }
        from_s = until_s;
    }
    return false;
}
