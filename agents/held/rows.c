/* SPDX-License-Identifier: MIT */
/* agents/held/rows.c - tries each way in which a number can follow, cheapest first.
 *
 * Happy path: a cell has the number; else what is counted, what a column gives, what two cells
 * give. Failure: rows or columns beyond the limits make the rows cut: then a number that does not
 * follow may come from what was not looked at, and is let pass. */
#include "agents/held/rows.h"

#include <math.h>

#include "proto/json_value.h"

enum { PAIRED_ROWS = 16 };

/* ---- reading ---- */

static void say_number(struct held_rows *rows, double number)
{
    if (rows->said_count < HELD_SAID)
        rows->said[rows->said_count++] = number;
}

void held_rows_say(struct held_rows *rows, struct str text)
{
    struct held_number number;
    double plain;
    for (struct str rest = text; held_numbers_next_plain(&rest, &plain);)
        say_number(rows, plain);
    for (struct str rest = text; held_numbers_next(&rest, &number);)
        for (size_t i = 0; i < number.reading_count; i++)
            say_number(rows, number.readings[i].value);
}

static void read_cell(struct held_rows *rows, const struct json_value *cell, size_t row,
                      size_t column)
{
    struct str key = cell->text;
    if (cell->type == JSON_STRING)
        held_rows_say(rows, cell->text);
    if (cell->type == JSON_BOOL)
        key = cell->boolean ? STR("true") : STR("false");
    if (cell->type == JSON_NULL)
        key = STR("");
    rows->cells[row][column].is_number = cell->type == JSON_INT || cell->type == JSON_DOUBLE;
    rows->cells[row][column].number = cell->number;
    rows->cells[row][column].key = str_hash(key) + (uint64_t)cell->type;
}

bool held_rows_read(struct held_rows *rows, struct str json, struct str row_count,
                    struct arena *arena)
{
    const struct json_value *root = json_value_parse(arena, json, NULL, NULL);
    uint64_t total;
    *rows = (struct held_rows){.row_count = 0};
    if (root == NULL || root->type != JSON_ARRAY)
        return false;
    JSON_EACH(row, root) {
        size_t column = 0;
        if (row->type != JSON_ARRAY)
            return false;
        rows->is_cut = rows->is_cut || rows->row_count == HELD_ROWS || row->count > HELD_COLUMNS;
        if (rows->row_count == HELD_ROWS)
            break;
        JSON_EACH(cell, row) {
            if (column < HELD_COLUMNS)
                read_cell(rows, cell, rows->row_count, column++);
        }
        rows->column_count = size_max(rows->column_count, column);
        rows->row_count++;
    }
    rows->total = (double)root->count;
    if (str_to_u64(str_trim(row_count), &total))
        rows->total = (double)total;
    return true;
}

/* ---- comparing ---- */

/* Whether the number says found, rounded to as many digits as it has; as a share, too, of 1. */
static bool says(const struct held_number *number, double found)
{
    found = fabs(found);
    for (size_t i = 0; i < number->reading_count; i++) {
        const double value = number->readings[i].value, step = number->readings[i].step;
        const double slack = step * 0.5000001 + 1e-9 * fmax(value, found);
        if (i > 0 && found == floor(found)) /* "5,000" is five thousand rather than 5.000 */
            continue;
        if (fabs(value - found) <= slack ||
            (number->is_percent && fabs(value - 100 * found) <= slack))
            return true;
        /* cut, not rounded: 12.5 for 12.58 */
        if (found >= value && found - value < step && step < 1)
            return true;
    }
    return false;
}

/* ---- what is counted ---- */

/* Rows whose cell of the column is the same as that of row, and how many different cells there
 * are. */
static bool has_count(const struct held_rows *rows, const struct held_number *number)
{
    if (says(number, rows->total) || says(number, (double)rows->row_count) ||
        says(number, rows->total - (double)rows->row_count))
        return true;
    for (size_t column = 0; column < rows->column_count; column++) {
        size_t different = 0;
        for (size_t row = 0; row < rows->row_count; row++) {
            const uint64_t key = rows->cells[row][column].key;
            size_t same = 0, before = 0;
            for (size_t k = 0; k < rows->row_count; k++) {
                same += rows->cells[k][column].key == key;
                before += k < row && rows->cells[k][column].key == key;
            }
            different += before == 0;
            if (says(number, (double)same) || says(number, rows->total - (double)same) ||
                (number->is_percent && says(number, 100 * (double)same / rows->total)))
                return true;
        }
        if (says(number, (double)different))
            return true;
    }
    return false;
}

/* ---- what a column gives ---- */

struct column {
    double values[HELD_ROWS];
    size_t count;
    double sum;
};

static struct column take_column(const struct held_rows *rows, size_t at)
{
    struct column column = {.count = 0};
    for (size_t row = 0; row < rows->row_count; row++)
        if (rows->cells[row][at].is_number) {
            column.values[column.count++] = rows->cells[row][at].number;
            column.sum += rows->cells[row][at].number;
        }
    return column;
}

static bool is_share(const struct held_number *number, double part, double whole)
{
    if (whole == 0)
        return false;
    return number->is_percent
               ? says(number, 100 * part / whole) || says(number, 100 - 100 * part / whole)
               : says(number, part / whole);
}

/* The difference, ratio or change of two cells. */
static bool has_pair(const struct held_number *number, double one, double two)
{
    return says(number, one - two) || says(number, one + two) || is_share(number, one, two) ||
           is_share(number, two, one) ||
           (number->is_percent && one != 0 && says(number, 100 * (two - one) / one));
}

/* Sums of the first and the last rows, shares of the sum, the average; pairs while they are few. */
static bool has_column(const struct held_rows *rows, const struct held_number *number, size_t at)
{
    const struct column column = take_column(rows, at);
    double running = 0;
    if (column.count == 0)
        return false;
    if (says(number, column.sum) || says(number, column.sum / (double)column.count))
        return true;
    for (size_t i = 0; i < column.count; i++) {
        running += column.values[i];
        if (says(number, running) || says(number, column.sum - running) ||
            is_share(number, column.values[i], column.sum) || is_share(number, running, column.sum))
            return true;
        for (size_t k = 0; k < i && column.count <= PAIRED_ROWS; k++)
            if (has_pair(number, column.values[k], column.values[i]))
                return true;
    }
    return column.count > PAIRED_ROWS &&
           has_pair(number, column.values[0], column.values[column.count - 1]);
}

/* The sum of a column's cells in the rows that are the same in another. */
static bool has_group(const struct held_rows *rows, const struct held_number *number, size_t by,
                      size_t of)
{
    for (size_t row = 0; row < rows->row_count; row++) {
        double sum = 0;
        for (size_t k = 0; k < rows->row_count; k++)
            if (rows->cells[k][by].key == rows->cells[row][by].key && rows->cells[k][of].is_number)
                sum += rows->cells[k][of].number;
        if (says(number, sum))
            return true;
    }
    return false;
}

static bool has_row_pair(const struct held_rows *rows, const struct held_number *number)
{
    for (size_t row = 0; row < rows->row_count; row++)
        for (size_t i = 0; i < rows->column_count; i++)
            for (size_t k = 0; k < i; k++)
                if (rows->cells[row][i].is_number && rows->cells[row][k].is_number &&
                    has_pair(number, rows->cells[row][k].number, rows->cells[row][i].number))
                    return true;
    return false;
}

/* ---- all of it ---- */

static bool has_cell(const struct held_rows *rows, const struct held_number *number)
{
    for (size_t row = 0; row < rows->row_count; row++)
        for (size_t column = 0; column < rows->column_count; column++)
            if (rows->cells[row][column].is_number && says(number, rows->cells[row][column].number))
                return true;
    return false;
}

static bool was_said(const struct held_rows *rows, const struct held_number *number)
{
    for (size_t i = 0; i < rows->said_count; i++)
        if (says(number, rows->said[i]))
            return true;
    return number->is_percent && number->readings[0].value == 100;
}

bool held_rows_has(const struct held_rows *rows, const struct held_number *number)
{
    if (was_said(rows, number) || has_cell(rows, number) || has_count(rows, number) || rows->is_cut)
        return true;
    for (size_t column = 0; column < rows->column_count; column++) {
        if (has_column(rows, number, column))
            return true;
        for (size_t by = 0; by < rows->column_count; by++)
            if (by != column && has_group(rows, number, by, column))
                return true;
    }
    return has_row_pair(rows, number);
}

size_t held_rows_lacks(const struct held_rows *rows, struct str text, struct held_number *lacking,
                       size_t most)
{
    struct held_number number;
    size_t count = 0;
    while (held_numbers_next(&text, &number)) {
        if (held_rows_has(rows, &number))
            continue;
        if (count < most)
            lacking[count] = number;
        count++;
    }
    return count;
}
