/* SPDX-License-Identifier: MIT */
/* agents/charts/choose.c - the rules in their order.
 *
 * Happy path: columns become roles, the first rule that fits names the type, draw makes the chart.
 * Failure: a chart the data does not allow after all (averages that would have to be added up) is a
 * table; no memory gives nothing. */
#include "agents/charts/choose.h"

#include <math.h>

#include "agents/charts/draw.h"
#include "agents/charts/names.h"
#include "agents/charts/refuse.h"

enum { METRIC_COLUMNS = 3, PIE_PARTS = 3, ONE_UNIT_MEASURES = 2 };

struct choosing {
    const struct charts_request *request;
    const struct charts_roles *roles;
    struct charts_plan *plan;
    struct arena *arena;
};

static size_t distinct(const struct choosing *c, int column)
{
    return charts_roles_column(c->roles, column)->distinct;
}

/* Rules 1 and 2. A record of many columns is no number, though it has one. */
static enum charts_type match_one_row(const struct choosing *c)
{
    size_t measures = c->roles->measure_count;
    size_t columns = measures + c->roles->time_count + c->roles->category_count;
    if (measures == 1 && columns > METRIC_COLUMNS)
        return CHARTS_TYPE_TABLE;
    return measures <= CHARTS_PLAN_MEASURES ? CHARTS_TYPE_METRIC : CHARTS_TYPE_TABLE;
}

/* Shares that add up to a whole say so themselves. */
static bool adds_up(const struct choosing *c)
{
    const struct charts_shape *shape = c->roles->shape;
    size_t measure = (size_t)c->plan->measures[0];
    double sum = 0;
    if (!shape->columns[measure].is_share)
        return false;
    for (size_t row = 0; row < shape->row_count; row++)
        sum += charts_table_at(shape->table, row, measure)->number;
    return fabs(sum - 100) <= 1 || fabs(sum - 1) <= 0.01;
}

/* Rules 5 to 7. */
static enum charts_type match_category(const struct choosing *c)
{
    struct charts_plan parts = *c->plan;
    parts.type = distinct(c, parts.label) <= PIE_PARTS ? CHARTS_TYPE_PIE : CHARTS_TYPE_DOUGHNUT;
    bool is_whole = c->request->is_whole || adds_up(c) ||
                    charts_names_asks_share(c->arena, c->request->question);
    if (is_whole && charts_refuse_plan(c->roles, &parts, c->arena) == NULL)
        return parts.type;
    return CHARTS_TYPE_BAR;
}

/* Rules 3 and 4: a line, or bars where it would be too short. */
static enum charts_type match_time(const struct choosing *c)
{
    struct charts_plan line = *c->plan;
    line.type = CHARTS_TYPE_LINE;
    bool is_line = charts_refuse_plan(c->roles, &line, c->arena) == NULL;
    return is_line ? CHARTS_TYPE_LINE : CHARTS_TYPE_BAR;
}

static enum charts_type match(const struct choosing *c)
{
    const struct charts_plan *plan = c->plan;
    if (!charts_plan_places(c->roles, c->plan))
        return CHARTS_TYPE_TABLE;
    if (c->roles->shape->row_count == 1)
        return match_one_row(c);
    if (c->roles->time_count == 1) /* things, each with a key and a time, are no course of time */
        return c->roles->rows_apart ? CHARTS_TYPE_TABLE : match_time(c);
    if (plan->label == CHARTS_ROLES_NONE) /* rule 10 */
        return plan->measure_count == 2 && c->roles->shape->row_count >= CHARTS_PLAN_CLOUD_MIN
                   ? CHARTS_TYPE_SCATTER
                   : CHARTS_TYPE_TABLE;
    if (plan->series != CHARTS_ROLES_NONE) /* rule 9 */
        return CHARTS_TYPE_BAR;
    if (plan->measure_count == 1)
        return match_category(c);
    bool is_pair = plan->measure_count == ONE_UNIT_MEASURES; /* rule 8 */
    return is_pair && charts_plan_is_one_unit(c->roles, plan) ? CHARTS_TYPE_BAR : CHARTS_TYPE_TABLE;
}

const struct charts_spec *charts_choose_spec(const struct charts_request *request,
                                             struct arena *arena)
{
    struct charts_shape shape;
    struct charts_roles roles;
    struct charts_plan plan;
    if (!charts_shape_read(request->table, arena, &shape))
        return NULL;
    if (!charts_roles_find(&shape, arena, &roles))
        return NULL;
    const struct choosing c = {request, &roles, &plan, arena};
    plan.type = match(&c);
    if (charts_refuse_plan(&roles, &plan, arena) != NULL)
        plan.type = CHARTS_TYPE_TABLE;
    return charts_draw_spec(&roles, &plan, request->title, arena);
}
