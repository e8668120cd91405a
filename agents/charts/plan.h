/* SPDX-License-Identifier: MIT */
/* agents/charts/plan.h - a plan: a type of chart and the columns in its places. choose.c and
 * accept.c make plans, draw.c draws them. Any thread. */
#ifndef AGENTS_CHARTS_PLAN_H
#define AGENTS_CHARTS_PLAN_H

#include "agents/charts/roles.h"
#include "agents/charts/spec.h"

enum {
    CHARTS_PLAN_MEASURES = 4,
    CHARTS_PLAN_LINES = 8,     /* series of one chart; more are folded */
    CHARTS_PLAN_BARS = 25,     /* labels of a bar chart; of more only the largest are shown */
    CHARTS_PLAN_TOP = 20,      /* how many of the largest are shown then */
    CHARTS_PLAN_CELLS = 60,    /* bars of two crossed categories */
    CHARTS_PLAN_LINE_MIN = 3,  /* points of a line */
    CHARTS_PLAN_CLOUD_MIN = 10 /* points of a scatter nobody asked for */
};

struct charts_plan {
    enum charts_type type;
    int label;  /* column; CHARTS_ROLES_NONE */
    int series; /* column whose values are the series; CHARTS_ROLES_NONE: each measure is one */
    int measures[CHARTS_PLAN_MEASURES];
    size_t measure_count;
};

/* Put the columns into the places that they have in every chart of this table: a time before
 * categories, the category with fewer values as series. type is left CHARTS_TYPE_TABLE. False: the
 * table gives no chart (too many columns, or nothing to measure). */
MUST_USE bool charts_plan_places(const struct charts_roles *roles, struct charts_plan *plan);
/* Whether the measures of plan share a unit. */
bool charts_plan_is_one_unit(const struct charts_roles *roles, const struct charts_plan *plan);

#endif
