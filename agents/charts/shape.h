/* SPDX-License-Identifier: MIT */
/* agents/charts/shape.h - what a chart needs to know of a table's columns: whether each holds
 * numbers, times or categories, its distinct values, their order, its unit.
 *
 * Keys are categories, not numbers; years are times. Any thread. */
#ifndef AGENTS_CHARTS_SHAPE_H
#define AGENTS_CHARTS_SHAPE_H

#include "agents/charts/table.h"

struct charts_shape_column {
    enum charts_kind kind; /* CHARTS_UNKNOWN: NULL in every row */
    struct str name;       /* as given */
    struct str shown;      /* for readers */
    struct str unit;       /* of numbers: columns share an axis only if it is equal */
    bool has_given_unit;   /* the caller gave the unit */
    bool is_key;           /* names rows */
    bool is_ordinal;       /* a category whose values have an order */
    bool is_additive;      /* numbers that may be added up */
    bool is_share;         /* numbers that are percentages, or parts of one */
    bool has_null, has_negative;
    /* Of times and categories; NULL is a value of its own. */
    size_t distinct;
    const unsigned *place;            /* row -> which of the distinct values */
    const struct charts_cell *values; /* the distinct ones, in order of appearance */
    const double *rank;               /* times and ordinals: where each value lies */
};

struct charts_shape {
    const struct charts_table *table; /* joined columns are one (merge.h) */
    struct charts_shape_column *columns;
    size_t column_count, row_count;
};

/* Look at every column. False: no memory. */
MUST_USE bool charts_shape_read(const struct charts_table *table, struct arena *arena,
                                struct charts_shape *shape);
/* Whether rows with the same value in column by always have the same value in column. */
bool charts_shape_determines(const struct charts_shape *shape, size_t by, size_t column,
                             struct arena *arena);
/* Whether texts have an order, as a line's labels must: times, steps, numbers. */
bool charts_shape_is_ordered(const struct str *texts, size_t count);

#endif
