/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/cells.c - numbers, dates and periods in words.
 *
 * Happy path: a cell is written by its type and its column's manner. Failure: the buffer's own; a
 * text that only looks like a date stays as it is. */
#include "agents/offline/answers/cells.h"

#include <math.h>
#include <stdio.h>

#include "agents/lexicon/codes.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"

enum { NUMBER_BYTES = 400 };

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

/* ---- numbers ---- */

void offline_cells_number(double number, bool whole, bool counted, struct buf *out)
{
    char digits[NUMBER_BYTES];
    double rounded = whole ? number : round(number * 100) / 100;
    bool plain = whole || (rounded == floor(rounded) && fabs(rounded) < 1e15);
    int len = snprintf(digits, sizeof digits, plain ? "%.0f" : "%.2f", rounded);
    struct str text = str_make(digits, len < 0 ? 0 : size_min((size_t)len, sizeof digits - 1));
    ptrdiff_t dot = str_find_char(text, '.');
    size_t end = dot == STR_NONE ? text.len : (size_t)dot, first = text.at[0] == '-' ? 1 : 0;
    for (size_t i = 0; i < text.len; i++) {
        if (counted && i > first && i < end && (end - i) % 3 == 0)
            buf_push_char(out, ',');
        buf_push_char(out, text.at[i]);
    }
}

static void push_number(const struct json_value *cell, const struct cell_manner *manner,
                        struct buf *out)
{
    bool whole = cell->type == JSON_INT;
    if (manner->cents) {
        double number = whole ? (double)cell->integer : cell->number;
        buf_push(out, number < 0 ? STR("-") : STR(""));
        double units = floor(fabs(round(number)) / 100);
        offline_cells_number(units, true, true, out);
        buf_printf(out, ".%02d", (int)(fabs(round(number)) - units * 100));
    } else if (whole && !manner->counted) {
        buf_push_i64(out, cell->integer);
    } else {
        offline_cells_number(whole ? (double)cell->integer : cell->number, whole, manner->counted,
                             out);
    }
    if (manner->unit.len > 0 && !manner->cents)
        buf_printf(out, "%s%.*s", manner->unit.at[0] == '%' ? "" : " ", STR_ARG(manner->unit));
}

/* ---- dates ---- */

/* count digits at the beginning of text as a number; false: there are not so many. */
static bool read_digits(struct str text, size_t at, size_t count, int *number)
{
    *number = 0;
    for (size_t i = at; i < at + count; i++) {
        if (i >= text.len || !str_is_digit(text.at[i]))
            return false;
        *number = 10 * *number + (text.at[i] - '0');
    }
    return true;
}

static void push_date(int year, int month, int day, struct buf *out)
{
    buf_printf(out, "%d %s %d", day, months[month - 1], year);
}

void offline_cells_day(int32_t day, struct buf *out)
{
    int year, month, dom;
    english_dates_split(day, &year, &month, &dom);
    push_date(year, month, dom, out);
}

/* "10:30" behind a day; false: there is no time, or something else. */
static bool read_time(struct str text, int *hour, int *minute)
{
    return text.len >= 6 && (text.at[0] == ' ' || text.at[0] == 'T') && text.at[3] == ':' &&
           read_digits(text, 1, 2, hour) && read_digits(text, 4, 2, minute);
}

/* "2025-05-01", with a time "2025-05-01 10:30:00": "1 May 2025, 10:30"; false: it is neither. */
static bool push_moment(struct str text, struct buf *out)
{
    int year, month, day, hour = 0, minute = 0;
    bool dashes = text.len >= 10 && text.at[4] == '-' && text.at[7] == '-';
    if (!dashes || !read_digits(text, 0, 4, &year) || !read_digits(text, 5, 2, &month) ||
        !read_digits(text, 8, 2, &day) || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    if (text.len > 10 && !read_time(str_from(text, 10), &hour, &minute))
        return false;
    push_date(year, month, day, out);
    if (hour > 0 || minute > 0)
        buf_printf(out, ", %02d:%02d", hour, minute);
    return true;
}

/* "2024-05" by month: "May 2024"; "2024-Q2": "Q2 2024"; "2024-07" by week: "week 7 of 2024". */
static bool push_period(struct str text, enum offline_grain grain, struct buf *out)
{
    int year, part;
    if (!read_digits(text, 0, 4, &year) || text.len < 6 || text.at[4] != '-')
        return false;
    bool quarter = text.at[5] == 'Q' && read_digits(text, 6, 1, &part);
    if (grain == GRAIN_QUARTER && quarter)
        buf_printf(out, "Q%d %d", part, year);
    else if (grain == GRAIN_MONTH && text.len == 7 && read_digits(text, 5, 2, &part) && part >= 1 &&
             part <= 12)
        buf_printf(out, "%s %d", months[part - 1], year);
    else if (grain == GRAIN_WEEK && text.len == 7 && read_digits(text, 5, 2, &part))
        buf_printf(out, "week %d of %d", part, year);
    else
        return false;
    return true;
}

/* The label of a code; false: it has none. */
static bool push_label(const struct json_value *cell, const struct cell_manner *manner,
                       struct buf *out)
{
    char digits[24];
    struct str code = cell->text, label = {NULL, 0};
    if (manner->lexicon == NULL || (cell->type != JSON_STRING && cell->type != JSON_INT))
        return false;
    if (cell->type == JSON_INT)
        code = str_make(digits,
                        (size_t)snprintf(digits, sizeof digits, "%lld", (long long)cell->integer));
    label = lexicon_codes_label(manner->lexicon, manner->table, manner->column, code);
    buf_push(out, label);
    return !str_is_absent(label);
}

void offline_cells_push(const struct json_value *cell, const struct cell_manner *manner,
                        struct buf *out)
{
    if (push_label(cell, manner, out))
        return;
    if (manner->truth && cell->type == JSON_INT) {
        buf_push(out, cell->integer != 0 ? STR("yes") : STR("no"));
        return;
    }
    switch (cell->type) {
    case JSON_STRING:
        if (!push_period(cell->text, manner->grain, out) && !push_moment(cell->text, out))
            buf_push(out, cell->text);
        break;
    case JSON_INT:
    case JSON_DOUBLE:
        push_number(cell, manner, out);
        break;
    case JSON_BOOL:
        buf_push(out, cell->boolean ? STR("yes") : STR("no"));
        break;
    default:
        buf_push(out, STR("none"));
        break;
    }
}

/* ---- ranges ---- */

/* A whole year, quarter or month; false: it is none of these. */
static bool push_whole(const struct offline_range *range, struct buf *out)
{
    int year, month, day, end_year, end_month, end_day;
    english_dates_split(range->first, &year, &month, &day);
    english_dates_split(range->end, &end_year, &end_month, &end_day);
    int count = 12 * (end_year - year) + end_month - month;
    if (day != 1 || end_day != 1)
        return false;
    if (count == 12 && month == 1)
        buf_printf(out, " in %d", year);
    else if (count == 3 && month % 3 == 1)
        buf_printf(out, " in Q%d %d", month / 3 + 1, year);
    else if (count == 1)
        buf_printf(out, " in %s %d", months[month - 1], year);
    else if (count > 12 && month == 1 && end_month == 1)
        buf_printf(out, " from %d to %d", year, end_year - 1);
    else
        return false;
    return true;
}

void offline_cells_range(const struct offline_range *range, struct buf *out)
{
    if (range->first == OFFLINE_DAY_NONE) {
        buf_push(out, STR(" before "));
        offline_cells_day(range->end, out);
    } else if (range->end == OFFLINE_DAY_NONE) {
        buf_push(out, STR(" from "));
        offline_cells_day(range->first, out);
        buf_push(out, STR(" on"));
    } else if (range->end == range->first + 1) {
        buf_push(out, STR(" on "));
        offline_cells_day(range->first, out);
    } else if (!push_whole(range, out)) {
        buf_push(out, STR(" from "));
        offline_cells_day(range->first, out);
        buf_push(out, STR(" to "));
        offline_cells_day(range->end - 1, out);
    }
}

/* ---- manners ---- */

struct cell_manner offline_cells_manner(const struct lexicon *lexicon, int table, int column)
{
    struct cell_manner manner = {.counted = true};
    if (column < 0)
        return manner;
    const struct semantic_column *said = semantic_model_column(lexicon->semantic, table, column);
    manner.counted = lexicon_facts_is_measure(lexicon, table, column);
    manner.cents = lexicon_facts_in_cents(lexicon, table, column);
    manner.unit = said == NULL ? STR("") : said->unit;
    manner.truth = lexicon_index_is_boolean(lexicon->catalog, table, column);
    manner.lexicon = lexicon;
    manner.table = table;
    manner.column = column;
    return manner;
}
