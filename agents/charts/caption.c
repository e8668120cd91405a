/* SPDX-License-Identifier: MIT */
/* agents/charts/caption.c - "Total amount by month and type".
 *
 * Failure: no memory. A caption that is too long is cut. */
#include "agents/charts/caption.h"

#include "core/base/buf.h"

enum { CAPTION_BYTES = 160 };

struct caption {
    const struct charts_roles *roles;
    const struct charts_plan *plan;
    struct arena *arena;
};

static const struct charts_shape_column *column_at(const struct caption *c, int column)
{
    return charts_roles_column(c->roles, column);
}

/* What a column is called to readers: "period", as askd's own statements call months and years, is
 * told by how its values are written. */
static struct str shown_of(const struct charts_shape_column *column)
{
    static const struct {
        size_t len;
        struct str name;
    } grains[] = {{4, {"Year", 4}}, {7, {"Month", 5}}, {10, {"Day", 3}}};
    const struct str first = column->values == NULL || column->distinct == 0
                                 ? (struct str){NULL, 0}
                                 : column->values[0].text;
    if (!str_equal_nocase(column->name, STR("period")) || column->kind != CHARTS_TIME)
        return column->shown;
    if (str_find(first, STR("-Q")) != STR_NONE)
        return STR("Quarter");
    for (size_t i = 0; i < countof(grains); i++)
        if (first.len == grains[i].len)
            return grains[i].name;
    return column->shown;
}

/* Within a sentence: a small letter, unless it is an abbreviation. */
static void push_lower(struct buf *out, struct str shown)
{
    bool is_word = shown.len > 1 && shown.at[1] >= 'a' && shown.at[1] <= 'z';
    if (shown.len > 0 && is_word && buf_len(out) > 0) {
        buf_push_char(out, str_lower(shown.at[0]));
        shown = str_from(shown, 1);
    }
    buf_push(out, shown);
}

static struct str finish(const struct caption *c, struct buf *out)
{
    struct str text = {NULL, 0};
    if (buf_ok(out) && buf_len(out) > 0)
        text = arena_str(c->arena, str_utf8_prefix(buf_str(out), CAPTION_BYTES));
    buf_fini(out);
    return text;
}

/* The measures of one axis: -1 both. */
static struct str list_measures(const struct caption *c, int axis)
{
    struct buf out;
    struct str last = {NULL, 0};
    buf_init(&out, 8 * CAPTION_BYTES);
    for (size_t i = 0; i < c->plan->measure_count; i++) {
        const struct charts_shape_column *measure = column_at(c, c->plan->measures[i]);
        bool is_second = !str_equal(measure->unit, column_at(c, c->plan->measures[0])->unit);
        if (axis >= 0 && is_second != (axis == 1))
            continue;
        if (!str_is_absent(last)) {
            if (buf_len(&out) > 0)
                buf_push(&out, STR(", "));
            push_lower(&out, last);
        }
        last = measure->shown;
    }
    if (buf_len(&out) > 0)
        buf_push(&out, STR(" and "));
    push_lower(&out, last);
    return finish(c, &out);
}

static struct str make_title(const struct caption *c)
{
    struct buf out;
    buf_init(&out, 8 * CAPTION_BYTES);
    if (c->plan->type == CHARTS_TYPE_SCATTER) {
        push_lower(&out, column_at(c, c->plan->measures[1])->shown);
        buf_push(&out, STR(" against "));
        push_lower(&out, column_at(c, c->plan->measures[0])->shown);
        return finish(c, &out);
    }
    buf_push(&out, list_measures(c, -1));
    if (c->plan->label != CHARTS_ROLES_NONE && c->plan->type != CHARTS_TYPE_METRIC) {
        buf_push(&out, STR(" by "));
        push_lower(&out, shown_of(column_at(c, c->plan->label)));
    }
    if (c->plan->series != CHARTS_ROLES_NONE) {
        buf_push(&out, STR(" and "));
        push_lower(&out, shown_of(column_at(c, c->plan->series)));
    }
    return finish(c, &out);
}

/* One measure, and its unit where the caller gave one. */
static struct str measure_title(const struct caption *c, size_t i)
{
    const struct charts_shape_column *measure = column_at(c, c->plan->measures[i]);
    if (!measure->has_given_unit)
        return measure->shown;
    return arena_printf(c->arena, "%.*s (%.*s)", STR_ARG(measure->shown), STR_ARG(measure->unit));
}

/* The same of all measures at an axis, whose unit is one. */
static struct str value_title(const struct caption *c, int axis)
{
    struct str names = list_measures(c, axis);
    for (size_t i = 0; i < c->plan->measure_count && !str_is_absent(names); i++) {
        const struct charts_shape_column *measure = column_at(c, c->plan->measures[i]);
        bool is_second = !str_equal(measure->unit, column_at(c, c->plan->measures[0])->unit);
        if (is_second == (axis == 1) && measure->has_given_unit)
            return arena_printf(c->arena, "%.*s (%.*s)", STR_ARG(names), STR_ARG(measure->unit));
    }
    return names;
}

static bool write_columns(const struct caption *c, struct charts_spec *spec)
{
    const struct charts_plan *plan = c->plan;
    struct str *y = arena_array(c->arena, CHARTS_PLAN_MEASURES, sizeof *y);
    size_t first = plan->type == CHARTS_TYPE_SCATTER ? 1 : 0;
    for (size_t i = first; y != NULL && i < plan->measure_count; i++)
        y[spec->y_count++] = column_at(c, plan->measures[i])->name;
    spec->y = y;
    if (plan->type == CHARTS_TYPE_SCATTER) {
        spec->x = column_at(c, plan->measures[0])->name;
        spec->label_title = measure_title(c, 0);
        spec->value_titles[0] = measure_title(c, 1);
        return y != NULL;
    }
    if (plan->label != CHARTS_ROLES_NONE) {
        spec->x = column_at(c, plan->label)->name;
        spec->label_title = shown_of(column_at(c, plan->label));
    }
    if (plan->series != CHARTS_ROLES_NONE)
        spec->series_by = column_at(c, plan->series)->name;
    spec->value_titles[0] = value_title(c, 0);
    spec->value_titles[1] = value_title(c, 1);
    return y != NULL;
}

bool charts_caption_write(const struct charts_roles *roles, const struct charts_plan *plan,
                          struct str title, struct arena *arena, struct charts_spec *spec)
{
    const struct caption c = {roles, plan, arena};
    spec->title = title;
    if (plan->type == CHARTS_TYPE_TABLE)
        return true;
    if (str_is_empty(title))
        spec->title = make_title(&c);
    return write_columns(&c, spec) && arena_ok(arena);
}
