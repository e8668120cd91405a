/* SPDX-License-Identifier: MIT */
/* tests/unit/charts/charts_rig.h - tables from JSON or by rule, and a chart as one line of text. */
#ifndef TESTS_UNIT_CHARTS_RIG_H
#define TESTS_UNIT_CHARTS_RIG_H

#include "tests/lib/test.h"

#include "agents/charts/chartjs.h"
#include "agents/charts/check.h"
#include "agents/charts/choose.h"
#include "core/base/buf.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { RIG_BYTES = 64 << 20 };

static inline struct charts_table rig_table(struct arena *arena, const char *columns,
                                            const char *rows)
{
    struct charts_table table = {0};
    struct err err = {0};
    const struct json_value *names = json_value_parse(arena, str_of(columns), NULL, &err);
    const struct json_value *cells = json_value_parse(arena, str_of(rows), NULL, &err);
    if (names == NULL || cells == NULL || !charts_table_read(names, cells, arena, &table))
        fail_msg("%s %s: %s", columns, rows, err.text);
    return table;
}

static inline void rig_push_cell(struct buf *out, const struct charts_cell *cell)
{
    struct json_write writer;
    if (cell->type == CHARTS_NULL) {
        buf_push_char(out, '-');
    } else if (cell->text.len > 0) {
        buf_push(out, cell->text);
    } else {
        json_write_init(&writer, out);
        json_write_double(&writer, cell->number);
    }
}

static inline void rig_push_series(struct buf *out, const struct charts_spec *spec)
{
    for (size_t i = 0; i < spec->series_count; i++) {
        buf_printf(out, " | %.*s%s:", STR_ARG(spec->series[i].name),
                   spec->series[i].on_second_axis ? " (2)" : "");
        for (size_t at = 0; at < spec->label_count; at++) {
            buf_push_char(out, ' ');
            if (spec->xs != NULL) {
                rig_push_cell(out, &spec->xs[at]);
                buf_push_char(out, '/');
            }
            rig_push_cell(out, &spec->series[i].values[at]);
        }
        if (spec->type == CHARTS_TYPE_METRIC && spec->label_count == 0) {
            buf_push_char(out, ' ');
            rig_push_cell(out, &spec->series[i].values[0]);
        }
    }
}

/* "bar horizontal 'Total by city': Oslo Bergen | Total: 2 1 (note)"; in arena. */
static inline struct str rig_describe(const struct charts_spec *spec, struct arena *arena)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    if (spec == NULL)
        return STR("no memory");
    buf_printf(&out, "%s%s%s", charts_spec_type_name(spec->type),
               spec->is_horizontal ? " horizontal" : "", spec->is_stacked ? " stacked" : "");
    if (!str_is_absent(spec->title))
        buf_printf(&out, " '%.*s'", STR_ARG(spec->title));
    if (spec->label_count > 0 && spec->xs == NULL)
        buf_push_char(&out, ':');
    for (size_t i = 0; spec->xs == NULL && i < spec->label_count; i++)
        buf_printf(&out, " %.*s", STR_ARG(spec->labels[i]));
    rig_push_series(&out, spec);
    if (!str_is_absent(spec->note))
        buf_printf(&out, " (%.*s)", STR_ARG(spec->note));
    if (!str_is_absent(spec->remark))
        buf_printf(&out, " [%.*s]", STR_ARG(spec->remark));
    struct str text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

/* What must hold of every chart that Chart.js draws: the check accepts it. */
static inline void rig_check_chartjs(const char *name, const struct charts_spec *spec,
                                     struct arena *arena)
{
    struct buf out;
    struct json_write writer;
    struct err err = {0};
    if (!charts_chartjs_draws(spec))
        return;
    buf_init(&out, 1 << 20);
    json_write_init(&writer, &out);
    charts_chartjs_write(spec, &writer);
    if (!buf_ok(&out) || charts_check_text(buf_str(&out), arena, &err) != ERR_OK)
        fail_msg("%s: %s in %.*s", name, err.text, STR_ARG(buf_str(&out)));
    buf_fini(&out);
}

#endif
