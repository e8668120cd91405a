/* SPDX-License-Identifier: MIT */
/* agents/charts/spec.h - a chart as data, independent of any chart library: type, labels, series.
 *
 * Its numbers are the table's numbers, or sums of them that the note states. charts_choose_spec and
 * charts_accept_spec make it in the caller's arena; it is immutable. Any thread. */
#ifndef AGENTS_CHARTS_SPEC_H
#define AGENTS_CHARTS_SPEC_H

#include "agents/charts/table.h"

struct json_write;

enum charts_type {
    CHARTS_TYPE_TABLE,  /* the rows as they are: no labels, no series */
    CHARTS_TYPE_METRIC, /* one row of numbers: each of y is a series of one value */
    CHARTS_TYPE_BAR,
    CHARTS_TYPE_LINE,
    CHARTS_TYPE_PIE,
    CHARTS_TYPE_DOUGHNUT,
    CHARTS_TYPE_SCATTER, /* no labels: points of xs and the one series */
    CHARTS_TYPE_COUNT
};

enum {
    CHARTS_MAX_PARTS = 6,         /* of a pie or doughnut */
    CHARTS_MAX_POINTS = 1000,     /* labels times series */
    CHARTS_MAX_LABEL_CHARS = 40,  /* a longer label is cut */
    CHARTS_HORIZONTAL_CHARS = 12, /* a longer label turns the bars */
};

struct charts_series {
    struct str name;
    const struct charts_cell *values; /* one per label (of a scatter: per point); NULL is a gap */
    bool on_second_axis;              /* another unit than the first series' */
};

struct charts_spec {
    enum charts_type type;
    struct str title;
    struct str x;        /* column of the labels; absent where there are none */
    const struct str *y; /* columns of the numbers */
    size_t y_count;
    struct str series_by;           /* column whose values are the series; absent: y's are */
    struct str note;                /* sentences a reader must see; absent: none */
    struct str remark;              /* why a suggestion was not kept; absent: kept, or none */
    bool is_horizontal, is_stacked; /* bars */
    const struct str *labels;       /* texts along the axis of labels; not always unique */
    size_t label_count;
    const struct charts_cell *xs; /* of a scatter, label_count of them */
    const struct charts_series *series;
    size_t series_count;
    struct str label_title;     /* of the axis (or legend) of labels, or of xs */
    struct str value_titles[2]; /* of the first and the second axis of numbers; absent: none */
};

/* "table", "metric", "bar", ...; static. */
const char *charts_spec_type_name(enum charts_type type);
/* The type that name (in any case) spells; false: none. */
MUST_USE bool charts_spec_type_find(struct str name, enum charts_type *type);
/* The type's name for the banking assistant, whose set of charts has no scatter and no group of
 * metrics; static. */
const char *charts_spec_banking_name(const struct charts_spec *spec);
/* Write the members of spec into an object that the caller has begun: type, title, x, y (an array),
 * series, orientation, stacked, note, remark; absent ones are left out. */
void charts_spec_write_members(const struct charts_spec *spec, struct json_write *writer);

#endif
