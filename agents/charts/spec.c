/* SPDX-License-Identifier: MIT */
/* agents/charts/spec.c - names of types, and the neutral form of a chart as JSON. */
#include "agents/charts/spec.h"

#include "proto/json_write.h"

static const char *const type_names[CHARTS_TYPE_COUNT] = {
    [CHARTS_TYPE_TABLE] = "table",     [CHARTS_TYPE_METRIC] = "metric",
    [CHARTS_TYPE_BAR] = "bar",         [CHARTS_TYPE_LINE] = "line",
    [CHARTS_TYPE_PIE] = "pie",         [CHARTS_TYPE_DOUGHNUT] = "doughnut",
    [CHARTS_TYPE_SCATTER] = "scatter",
};

const char *charts_spec_type_name(enum charts_type type)
{
    return type_names[type];
}

bool charts_spec_type_find(struct str name, enum charts_type *type)
{
    for (size_t i = 0; i < CHARTS_TYPE_COUNT; i++)
        if (str_equal_nocase(name, str_of(type_names[i]))) {
            *type = (enum charts_type)i;
            return true;
        }
    return false;
}

const char *charts_spec_banking_name(const struct charts_spec *spec)
{
    bool is_group = spec->type == CHARTS_TYPE_METRIC && spec->y_count > 1;
    bool is_known = spec->type != CHARTS_TYPE_SCATTER && !is_group;
    return type_names[is_known ? spec->type : CHARTS_TYPE_TABLE];
}

void charts_spec_write_members(const struct charts_spec *spec, struct json_write *writer)
{
    json_write_member_str(writer, STR("type"), str_of(type_names[spec->type]));
    json_write_member_str(writer, STR("title"), spec->title);
    json_write_member_str(writer, STR("x"), spec->x);
    if (spec->y_count > 0) {
        json_write_key(writer, STR("y"));
        json_write_array(writer);
        for (size_t i = 0; i < spec->y_count; i++)
            json_write_str(writer, spec->y[i]);
        json_write_array_end(writer);
    }
    json_write_member_str(writer, STR("series"), spec->series_by);
    if (spec->is_horizontal)
        json_write_member_str(writer, STR("orientation"), STR("horizontal"));
    if (spec->is_stacked)
        json_write_member_bool(writer, STR("stacked"), true);
    json_write_member_str(writer, STR("note"), spec->note);
    json_write_member_str(writer, STR("remark"), spec->remark);
}
