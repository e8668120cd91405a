/* SPDX-License-Identifier: MIT */
/* agents/charts/table.h - a small table of cells, from any source: what a chart is made of.
 *
 * The maker of a table owns its cells; charts made of it borrow them, so that the cells must live
 * as long as the arena of the chart or longer. Any thread. */
#ifndef AGENTS_CHARTS_TABLE_H
#define AGENTS_CHARTS_TABLE_H

#include "core/base/arena.h"

struct json_value;
struct sql_result;

enum charts_cell_type { CHARTS_NULL, CHARTS_NUMBER, CHARTS_TEXT };

struct charts_cell {
    enum charts_cell_type type;
    double number;   /* CHARTS_NUMBER; what is not finite counts as CHARTS_NULL */
    struct str text; /* CHARTS_TEXT, or a number's digits, shown as they are; absent: by number */
};

/* What a column holds: numbers to measure, times or categories. */
enum charts_kind {
    CHARTS_UNKNOWN, /* of a column: look at its name and cells; of a shape: all NULL */
    CHARTS_MEASURE,
    CHARTS_TIME,
    CHARTS_CATEGORY
};

struct charts_column {
    struct str name;       /* as its maker calls it: total_amount, COUNT(*) */
    struct str unit;       /* "USD", "%", "hours"; absent: by the name */
    enum charts_kind kind; /* set by a caller who knows it (a key is a category) */
    struct str of;         /* what its values are the names of, in words: "work order"; absent: not
                              known, or its own name says it */
};

struct charts_table {
    const struct charts_column *columns;
    size_t column_count;
    const struct charts_cell *cells; /* row-major, row_count * column_count */
    size_t row_count;
    bool is_truncated; /* there are rows that are not here */
};

/* The cell of a number that was computed, not read. */
static inline struct charts_cell charts_table_number(double number)
{
    return (struct charts_cell){CHARTS_NUMBER, number, {NULL, 0}};
}

static inline const struct charts_cell *charts_table_at(const struct charts_table *table,
                                                        size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

/* Make a table of JSON: columns is an array of names (NULL: they have none), rows an array of
 * arrays; a short row ends in NULLs. False: another shape, or no memory. */
MUST_USE bool charts_table_read(const struct json_value *columns, const struct json_value *rows,
                                struct arena *arena, struct charts_table *table);
/* Make a table of a database's rows; their texts are borrowed. False: no memory. */
MUST_USE bool charts_table_of_result(const struct sql_result *result, struct arena *arena,
                                     struct charts_table *table);

#endif
