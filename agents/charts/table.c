/* SPDX-License-Identifier: MIT */
/* agents/charts/table.c - rows from JSON or from a database as cells.
 *
 * Happy path: one cell per value; numbers keep their digits, truth values become words.
 * Failure: rows of another shape, or no memory: no table. What no chart can show (an object, bytes,
 * a number that is not finite) is NULL. */
#include "agents/charts/table.h"

#include <inttypes.h>
#include <math.h>

#include "backends/sql.h"
#include "proto/json_value.h"

static struct charts_cell number_cell(double number, struct str digits)
{
    if (!isfinite(number))
        return (struct charts_cell){0};
    return (struct charts_cell){CHARTS_NUMBER, number, digits};
}

static struct charts_cell text_cell(struct str text)
{
    return (struct charts_cell){CHARTS_TEXT, 0, text};
}

static struct charts_cell cell_of_json(const struct json_value *value)
{
    switch (value->type) {
    case JSON_INT:
    case JSON_DOUBLE:
        return number_cell(value->number, value->text);
    case JSON_STRING:
        return text_cell(value->text);
    case JSON_BOOL:
        return text_cell(value->boolean ? STR("yes") : STR("no"));
    default:
        return (struct charts_cell){0};
    }
}

/* Digits are kept where a double would not have them all. */
static struct charts_cell integer_cell(int64_t integer, struct arena *arena)
{
    const int64_t exact = INT64_C(1) << 53;
    struct str digits = {NULL, 0};
    if (integer > exact || integer < -exact)
        digits = arena_printf(arena, "%" PRId64, integer);
    return number_cell((double)integer, digits);
}

static struct charts_cell cell_of_value(const struct sql_value *value, struct arena *arena)
{
    double number;
    switch (value->type) {
    case SQL_INT:
        return integer_cell(value->integer, arena);
    case SQL_REAL:
        return number_cell(value->real, (struct str){NULL, 0});
    case SQL_DECIMAL:
        return str_to_double(value->text, &number) ? number_cell(number, value->text)
                                                   : (struct charts_cell){0};
    case SQL_TEXT:
        return text_cell(value->text);
    case SQL_BOOL:
        return text_cell(value->integer != 0 ? STR("yes") : STR("no"));
    default:
        return (struct charts_cell){0};
    }
}

/* Room for a table of that shape; cells and columns are zeroed. */
static bool make_table(struct arena *arena, size_t column_count, size_t row_count,
                       struct charts_column **columns, struct charts_cell **cells)
{
    size_t cell_count;
    *columns = arena_array(arena, size_max(column_count, 1), sizeof **columns);
    *cells = NULL;
    if (size_mul(column_count, row_count, &cell_count))
        *cells = arena_array(arena, size_max(cell_count, 1), sizeof **cells);
    return *columns != NULL && *cells != NULL;
}

static size_t count_columns(const struct json_value *columns, const struct json_value *rows)
{
    if (columns != NULL)
        return columns->count;
    return rows->first == NULL ? 0 : rows->first->count;
}

static bool read_row(const struct json_value *row, struct charts_cell *cells, size_t column_count)
{
    size_t column = 0;
    if (row->type != JSON_ARRAY)
        return false;
    for (const struct json_value *cell = row->first; cell != NULL && column < column_count;
         cell = cell->next)
        cells[column++] = cell_of_json(cell);
    return true;
}

bool charts_table_read(const struct json_value *columns, const struct json_value *rows,
                       struct arena *arena, struct charts_table *table)
{
    struct charts_column *names;
    struct charts_cell *cells;
    size_t at = 0;
    *table = (struct charts_table){0};
    if (rows == NULL || rows->type != JSON_ARRAY ||
        (columns != NULL && columns->type != JSON_ARRAY))
        return false;
    size_t column_count = count_columns(columns, rows);
    if (!make_table(arena, column_count, rows->count, &names, &cells))
        return false;
    if (columns != NULL)
        JSON_EACH(name, columns)
            names[at++].name = name->type == JSON_STRING ? name->text : STR("");
    at = 0;
    JSON_EACH(row, rows) {
        if (!read_row(row, &cells[at], column_count))
            return false;
        at += column_count;
    }
    *table = (struct charts_table){names, column_count, cells, rows->count, false};
    return true;
}

bool charts_table_of_result(const struct sql_result *result, struct arena *arena,
                            struct charts_table *table)
{
    struct charts_column *names;
    struct charts_cell *cells;
    *table = (struct charts_table){0};
    if (!make_table(arena, result->column_count, result->row_count, &names, &cells))
        return false;
    for (size_t i = 0; i < result->column_count; i++)
        names[i].name = result->columns[i];
    for (size_t i = 0; i < result->row_count * result->column_count; i++)
        cells[i] = cell_of_value(&result->values[i], arena);
    *table = (struct charts_table){names, result->column_count, cells, result->row_count,
                                   result->truncated};
    return arena_ok(arena);
}
