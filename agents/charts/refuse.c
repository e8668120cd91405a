/* SPDX-License-Identifier: MIT */
/* agents/charts/refuse.c - what no chart may do, one function for each type.
 *
 * Happy path: nothing is wrong with the plan. Failure: a reason, as the rest of a sentence. */
#include "agents/charts/refuse.h"

#include <math.h>

#include "agents/charts/grid.h"

static size_t row_count(const struct charts_roles *roles)
{
    return roles->shape->row_count;
}

static const char *say(struct arena *arena, struct str name, const char *what)
{
    struct str text = arena_printf(arena, "'%.*s' %s", STR_ARG(name), what);
    const char *said = arena_cstr(arena, text);
    return said == NULL ? "the data does not allow it" : said;
}

static size_t count_units(const struct charts_roles *roles, const struct charts_plan *plan)
{
    size_t units = 0;
    for (size_t i = 0; i < plan->measure_count; i++) {
        size_t earlier = 0;
        while (earlier < i && !str_equal(charts_roles_column(roles, plan->measures[i])->unit,
                                         charts_roles_column(roles, plan->measures[earlier])->unit))
            earlier++;
        units += earlier == i;
    }
    return units;
}

/* Rows that share a label are added up, which must make sense. */
static const char *refuse_sums(const struct charts_roles *roles, const struct charts_plan *plan,
                               bool has_merged, struct arena *arena)
{
    for (size_t i = 0; has_merged && i < plan->measure_count; i++) {
        const struct charts_shape_column *measure = charts_roles_column(roles, plan->measures[i]);
        if (!measure->is_additive)
            return say(arena, measure->name, "cannot be added up, and several rows share a label");
    }
    return NULL;
}

/* Doubles hold any sum of a pie's parts that is worth a picture. */
static const char *refuse_parts(const struct charts_roles *roles, const struct charts_plan *plan,
                                size_t label_count, struct arena *arena)
{
    const struct charts_shape_column *measure = charts_roles_column(roles, plan->measures[0]);
    double sum = 0;
    if (plan->series != CHARTS_ROLES_NONE || plan->measure_count != 1)
        return "its parts are of one number in one category";
    if (label_count > CHARTS_MAX_PARTS)
        return "there are more than 6 parts";
    if (label_count < 2)
        return "there is only one part";
    if (measure->has_negative)
        return say(arena, measure->name, "has negative values");
    if (measure->has_null)
        return say(arena, measure->name, "has rows without a value");
    if (!measure->is_additive && !measure->is_share)
        return say(arena, measure->name, "is no part of a whole");
    if (roles->shape->table->is_truncated)
        return "parts are missing from the result";
    for (size_t row = 0; row < row_count(roles); row++)
        sum += charts_table_at(roles->shape->table, row, (size_t)plan->measures[0])->number;
    if (!(sum > 0) || !isfinite(sum))
        return "the parts add up to nothing";
    return NULL;
}

static const char *refuse_bars(const struct charts_roles *roles, const struct charts_plan *plan,
                               size_t label_count)
{
    bool is_crossed = plan->series != CHARTS_ROLES_NONE;
    size_t series = is_crossed ? charts_roles_column(roles, plan->series)->distinct : 1;
    if (label_count * series < 2)
        return "there is only one number";
    if (is_crossed && charts_roles_column(roles, plan->label)->kind == CHARTS_CATEGORY &&
        label_count * series > CHARTS_PLAN_CELLS)
        return "there are more than 60 bars";
    return NULL;
}

/* Labels that lie nowhere. */
static size_t count_nulls(const struct charts_roles *roles, const struct charts_plan *plan)
{
    size_t nulls = 0;
    for (size_t row = 0; row < row_count(roles); row++)
        nulls +=
            charts_table_at(roles->shape->table, row, (size_t)plan->label)->type == CHARTS_NULL;
    bool is_one = !roles->rows_apart || plan->series != CHARTS_ROLES_NONE;
    return is_one ? size_min(nulls, 1) : nulls;
}

static const char *refuse_line(const struct charts_roles *roles, const struct charts_plan *plan,
                               size_t label_count, struct arena *arena)
{
    const struct charts_shape_column *label = charts_roles_column(roles, plan->label);
    label_count -= size_min(count_nulls(roles, plan), label_count);
    if (label->kind != CHARTS_TIME && !label->is_ordinal)
        return say(arena, label->name, "has no order");
    return label_count < CHARTS_PLAN_LINE_MIN ? "it has fewer than 3 points" : NULL;
}

static const char *refuse_labelled(const struct charts_roles *roles, const struct charts_plan *plan,
                                   struct arena *arena)
{
    size_t label_count;
    bool has_merged;
    const char *refusal = NULL;
    if (plan->label == CHARTS_ROLES_NONE)
        return "no column names its parts";
    if (!charts_grid_measure(roles, plan, arena, &label_count, &has_merged))
        return "there is no memory for it";
    if (plan->type == CHARTS_TYPE_PIE || plan->type == CHARTS_TYPE_DOUGHNUT)
        refusal = refuse_parts(roles, plan, label_count, arena);
    else if (plan->type == CHARTS_TYPE_LINE)
        refusal = refuse_line(roles, plan, label_count, arena);
    else
        refusal = refuse_bars(roles, plan, label_count);
    if (refusal != NULL)
        return refusal;
    if (count_units(roles, plan) > (plan->type == CHARTS_TYPE_LINE ? 2 : 1) &&
        charts_roles_column(roles, plan->label)->kind != CHARTS_TIME)
        return "its numbers have different units";
    if (count_units(roles, plan) > 2)
        return "its numbers have more than two units";
    return refuse_sums(roles, plan, has_merged, arena);
}

const char *charts_refuse_plan(const struct charts_roles *roles, const struct charts_plan *plan,
                               struct arena *arena)
{
    switch (plan->type) {
    case CHARTS_TYPE_TABLE:
        return NULL;
    case CHARTS_TYPE_METRIC:
        return row_count(roles) == 1 ? NULL : "there are several rows";
    case CHARTS_TYPE_SCATTER:
        if (plan->measure_count != 2)
            return "it takes two columns of numbers";
        return row_count(roles) < CHARTS_PLAN_LINE_MIN ? "it has fewer than 3 points" : NULL;
    default:
        return refuse_labelled(roles, plan, arena);
    }
}
