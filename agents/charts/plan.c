/* SPDX-License-Identifier: MIT */
/* agents/charts/plan.c - the places of columns.
 *
 * Happy path: the roles fit the places. Failure: there is no chart in the table. */
#include "agents/charts/plan.h"

static size_t row_count(const struct charts_roles *roles)
{
    return roles->shape->row_count;
}

/* Of two categories the one with fewer values is the series. */
static void place_crossed(const struct charts_roles *roles, struct charts_plan *plan)
{
    int first = roles->categories[0], second = roles->categories[1];
    size_t a = charts_roles_column(roles, first)->distinct,
           b = charts_roles_column(roles, second)->distinct;
    bool swaps = a < b || (a == b && charts_roles_column(roles, second)->is_ordinal &&
                           !charts_roles_column(roles, first)->is_ordinal);
    plan->label = swaps ? second : first;
    plan->series = swaps ? first : second;
}

bool charts_plan_places(const struct charts_roles *roles, struct charts_plan *plan)
{
    size_t labels = roles->time_count + roles->category_count;
    *plan = (struct charts_plan){.label = CHARTS_ROLES_NONE, .series = CHARTS_ROLES_NONE};
    if (roles->measure_count == 0 || roles->measure_count > CHARTS_PLAN_MEASURES || labels > 2 ||
        roles->time_count > 1 || row_count(roles) == 0)
        return false;
    for (size_t i = 0; i < roles->measure_count; i++)
        plan->measures[plan->measure_count++] = roles->measures[i];
    if (roles->time_count == 1)
        plan->label = roles->times[0];
    else if (roles->category_count > 0)
        plan->label = roles->categories[0];
    if (roles->category_count == 2 && roles->time_count == 0 && row_count(roles) == 1 &&
        charts_roles_column(roles, plan->label)->is_key)
        plan->label = roles->categories[1];
    if (row_count(roles) == 1 || labels < 2)
        return true;
    if (roles->time_count == 1)
        plan->series = roles->categories[0];
    else
        place_crossed(roles, plan);
    return plan->measure_count == 1;
}

bool charts_plan_is_one_unit(const struct charts_roles *roles, const struct charts_plan *plan)
{
    struct str unit = charts_roles_column(roles, plan->measures[0])->unit;
    for (size_t i = 1; i < plan->measure_count; i++)
        if (!str_equal(unit, charts_roles_column(roles, plan->measures[i])->unit))
            return false;
    return true;
}
