/* SPDX-License-Identifier: MIT */
/* agents/charts/accept.c - tries the suggested type with the columns in their places.
 *
 * Happy path: charts_refuse_plan does not refuse the plan, and it is drawn. Failure: the rules of
 * choose.h choose the chart, and its remark says what spoke against the suggestion. */
#include "agents/charts/accept.h"

#include "agents/charts/draw.h"
#include "agents/charts/refuse.h"

enum { SHOWN_BYTES = 32 };

/* The rules' chart with a remark, which is the only thing in it that changes. */
static const struct charts_spec *choose_instead(const struct charts_request *request,
                                                struct str suggested, const char *because,
                                                struct arena *arena)
{
    struct charts_spec *own = arena_alloc(arena, sizeof *own);
    const struct charts_spec *chosen = charts_choose_spec(request, arena);
    if (own == NULL || chosen == NULL)
        return NULL;
    *own = *chosen;
    own->remark = arena_printf(arena, "\"%.*s\" was suggested, but %s.",
                               STR_ARG(str_utf8_prefix(suggested, SHOWN_BYTES)), because);
    return arena_ok(arena) ? own : NULL;
}

const struct charts_spec *charts_accept_spec(const struct charts_request *request,
                                             struct str suggested, struct arena *arena)
{
    struct charts_shape shape;
    struct charts_roles roles;
    struct charts_plan plan;
    enum charts_type type;
    suggested = str_trim(suggested);
    if (!charts_spec_type_find(suggested, &type))
        return choose_instead(request, suggested, "there is no such chart", arena);
    if (!charts_shape_read(request->table, arena, &shape) ||
        !charts_roles_find(&shape, arena, &roles))
        return NULL;
    bool has_places = charts_plan_places(&roles, &plan);
    plan.type = type;
    if (!has_places && type != CHARTS_TYPE_TABLE)
        return choose_instead(request, suggested, "its columns have no places in one", arena);
    const char *refusal = charts_refuse_plan(&roles, &plan, arena);
    if (refusal != NULL)
        return choose_instead(request, suggested, refusal, arena);
    const struct charts_spec *spec = charts_draw_spec(&roles, &plan, request->title, arena);
    if (spec != NULL && spec->type != type)
        return choose_instead(request, suggested, "there is no number in it", arena);
    return spec;
}
