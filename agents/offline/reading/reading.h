/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/reading.h - what a question asks for, before it is SQL.
 *
 * Rows of a target table (or of a measure's table), outputs over them, groups, an order, and
 * scopes: the main one filters the rows; a NOT scope says no such related row exists; a HAVING
 * scope compares an aggregate over related rows of the target. Tables and columns are catalog
 * indices. Plain data in the arena of whoever read. */
#ifndef AGENTS_OFFLINE_READING_READING_H
#define AGENTS_OFFLINE_READING_READING_H

#include "agents/english/dates.h"
#include "agents/english/units.h"
#include "agents/english/words.h"

enum {
    READING_FILTERS = 12,
    READING_VALUES = 8,
    READING_PARTS = 2,
    READING_SCOPES = 5,
    READING_OUTS = 8,
    READING_GROUPS = 3,
    READING_TABLES = 8,
    READING_NONE = -1,
    READING_AGE = -1, /* of reading_column.since */
    CANNOT_BYTES = 240,
};

struct semantic_named;

struct reading_column {
    int table, column;                   /* column READING_NONE: the row itself */
    const struct semantic_named *metric; /* of AGG_METRIC; else NULL */
    int since; /* unless 0: one more than a date of the same table; the days from it are meant; or
                  READING_AGE: the whole years from the date until today */
    unsigned unit_size; /* of the unit of time that it is asked for in; 0: as it is kept */
};

/* The rows whose average something is compared with. */
enum reading_mean_of { MEAN_ALL, MEAN_OF_VALUE, MEAN_OF_LIKE };

struct reading_mean {
    enum reading_mean_of of;
    int column;       /* unless MEAN_ALL: it has this value, or that of the row itself */
    struct str value; /* MEAN_OF_VALUE */
};

struct reading_filter {
    struct reading_column on;
    enum offline_op op;
    struct str values[READING_VALUES]; /* OP_EQ, OP_NE of text */
    size_t value_count;                /* 0: number */
    double number, high;               /* high: OP_BETWEEN */
    struct offline_range range;        /* OP_RANGE */
    enum offline_agg versus;           /* number is this of the column, unless AGG_NONE */
    double factor;                     /* ... times this, unless 0 */
    struct reading_mean mean;          /* ... of these rows */
    bool vs_column;                    /* compared with this column of the row */
    int than;
    bool numerator;                     /* of a ratio: counts only in the upper part */
    bool minus;                         /* of AGG_NET: taken away */
    const struct semantic_named *named; /* instead of a column; number 0: its opposite */
    int out;                            /* only for this output, or READING_NONE: for all */
    bool through; /* on is a reference: the row it leads to has values[i] in columns[i] */
    int columns[READING_PARTS];
    bool back; /* ... on is the key that such rows refer to by than */
};

enum reading_scope_kind { SCOPE_MAIN, SCOPE_NOT, SCOPE_HAVING, SCOPE_ROW };

struct reading_scope {
    enum reading_scope_kind kind; /* ROW: the target itself meets the filters */
    unsigned either;              /* unless 0: of scopes with this number one at least must hold */
    int tables[READING_TABLES];   /* tables that must have a row; [0] of HAVING: the measure's */
    int under[READING_TABLES];    /* whose row each of them belongs to; READING_NONE: any */
    size_t table_count;
    struct reading_filter filters[READING_FILTERS];
    size_t filter_count;
    enum offline_agg agg;          /* HAVING */
    struct reading_column measure; /* HAVING; column READING_NONE: rows */
    enum offline_op op;
    double number, high;
    bool vs_average;
    double factor; /* of the average, unless 0 */
};

struct reading_out {
    enum offline_agg agg; /* AGG_NONE: the column itself */
    struct reading_column on;
    /* Said in another unit than it is kept in: the number times one, over the other; 0: as it is.
     */
    unsigned times, over;
};

struct reading_group {
    struct reading_column on; /* column READING_NONE: one group per row of the table */
    enum offline_grain grain;
};

/* What a question leaves open: which date, or which number, of a table, or what its rows are ranked
 * by: "big customers". */
enum reading_want {
    READING_WANTS_NOTHING,
    READING_WANTS_DATE,
    READING_WANTS_NUMBER,
    READING_WANTS_RANK
};

/* Tables of a statement of which not all rows count, so that an answer may say so. */
struct reading_left_out {
    int tables[READING_TABLES];
    size_t count;
};

struct offline_reading {
    int target;  /* table whose rows are listed, or READING_NONE */
    int counted; /* table whose rows are aggregated, or READING_NONE */
    struct reading_out outs[READING_OUTS];
    size_t out_count;
    struct reading_group groups[READING_GROUPS];
    size_t group_count;
    struct reading_scope scopes[READING_SCOPES]; /* [0] is the main one */
    size_t scope_count;
    bool ordered, descending;
    int order_out; /* output to order by, or READING_NONE: order_on */
    struct reading_column order_on;
    unsigned limit;         /* 0: none */
    bool nested;            /* outs[0] is made for each group, and its average is what is shown */
    bool of_group;          /* the rows that have their group's extreme of order_on */
    bool ratio;             /* outs[0] counts; filters marked numerator over all */
    enum offline_over over; /* what outs[0] is held against; two columns behind outs for a change */
    bool keep_zero;         /* groups without rows are kept */
    bool distinct;
    struct english_unit unit; /* that amounts are asked for in; of nothing: the usual one */
    bool bounded;             /* only groups whose bound_agg of bound_on is within this */
    enum offline_op bound_op;
    double bound_number;
    enum offline_agg bound_agg;
    struct reading_column bound_on;
    enum reading_want wants;          /* what would settle it, where it cannot */
    int wants_of;                     /* a column of this table */
    struct reading_left_out left_out; /* known once there is a statement */
    char cannot[CANNOT_BYTES];        /* why there is no reading; "" when there is */
};

#endif
