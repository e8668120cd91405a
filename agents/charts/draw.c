/* SPDX-License-Identifier: MIT */
/* agents/charts/draw.c - order the labels, keep as many as a reader can take, name what is shown.
 *
 * Happy path: labels in their own order, or the largest first; every series has a value or a gap
 * for each label.
 * Failure: no memory. What is added up, folded or left out is said in the note. */
#include "agents/charts/draw.h"

#include <math.h>
#include <stdlib.h>

#include "agents/charts/caption.h"
#include "agents/charts/grid.h"
#include "agents/charts/labels.h"
#include "core/base/buf.h"

enum { NOTE_BYTES = 4096, STACK_MIN = 4 };

struct drawing {
    const struct charts_roles *roles;
    const struct charts_plan *plan;
    struct arena *arena;
    struct charts_spec *spec;
    struct charts_grid grid;
    size_t *order; /* the labels that are shown */
    size_t order_count;
    struct buf note;
};

static const struct charts_shape_column *column_at(const struct drawing *d, int column)
{
    return charts_roles_column(d->roles, column);
}

static const struct charts_shape_column *measure_at(const struct drawing *d, size_t i)
{
    return column_at(d, d->plan->measures[i]);
}

static void begin_note(struct drawing *d)
{
    if (buf_len(&d->note) > 0)
        buf_push_char(&d->note, ' ');
}

/* ---- order ---- */

struct item {
    double key; /* smaller is first */
    size_t label;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->label < right->label ? -1 : 1;
}

/* The largest label has the least key; one without numbers the greatest. */
static double size_key(const struct drawing *d, size_t label)
{
    double sum = 0;
    bool is_any = false;
    size_t series = d->plan->series == CHARTS_ROLES_NONE ? 1 : d->grid.series_count;
    for (size_t i = 0; i < series; i++) {
        const struct charts_cell *cell = &d->grid.cells[label * d->grid.series_count + i];
        sum += cell->type == CHARTS_NUMBER ? cell->number : 0;
        is_any = is_any || cell->type == CHARTS_NUMBER;
    }
    return is_any && !isnan(sum) ? -sum : INFINITY;
}

static double rank_key(const struct drawing *d, size_t label)
{
    const struct charts_shape_column *column = column_at(d, d->plan->label);
    return column->rank[column->place[d->grid.label_row[label]]];
}

static void sort_labels(struct drawing *d, struct item *items, size_t count, bool by_rank)
{
    for (size_t i = 0; i < count; i++)
        items[i].key = by_rank ? rank_key(d, items[i].label) : size_key(d, items[i].label);
    qsort(items, count, sizeof *items, compare_items);
}

/* How many labels a chart of this kind can take. */
static size_t most_labels(const struct drawing *d)
{
    bool is_time = column_at(d, d->plan->label)->kind == CHARTS_TIME;
    if (d->plan->type == CHARTS_TYPE_BAR && !is_time && d->plan->series == CHARTS_ROLES_NONE)
        return d->grid.label_count > CHARTS_PLAN_BARS ? CHARTS_PLAN_TOP : CHARTS_PLAN_BARS;
    return CHARTS_MAX_POINTS / d->grid.series_count;
}

static void note_largest(struct drawing *d, size_t shown)
{
    begin_note(d);
    buf_printf(&d->note, "The %zu largest of %zu are shown; the table has all of them.", shown,
               d->grid.label_count);
}

static void note_latest(struct drawing *d, size_t shown, size_t count)
{
    begin_note(d);
    buf_printf(&d->note, "The last %zu of %zu are shown; the table has all of them.", shown, count);
}

/* A line has no place for what has no place in its order. */
static size_t list_labels(struct drawing *d, struct item *items)
{
    const struct charts_shape_column *column = column_at(d, d->plan->label);
    size_t count = 0;
    for (size_t i = 0; i < d->grid.label_count; i++) {
        bool is_null = column->values[column->place[d->grid.label_row[i]]].type == CHARTS_NULL;
        if (!is_null || d->plan->type != CHARTS_TYPE_LINE)
            items[count++].label = i;
    }
    if (count < d->grid.label_count) {
        begin_note(d);
        buf_printf(&d->note, "Rows without \"%.*s\" are left out.", STR_ARG(column->shown));
    }
    return count;
}

static bool order_labels(struct drawing *d)
{
    const struct charts_shape_column *column = column_at(d, d->plan->label);
    size_t most = most_labels(d), from = 0;
    struct item *items = arena_array(d->arena, d->grid.label_count, sizeof *items);
    d->order = arena_array(d->arena, d->grid.label_count, sizeof *d->order);
    if (items == NULL || d->order == NULL)
        return false;
    size_t count = list_labels(d, items);
    sort_labels(d, items, count, column->kind == CHARTS_TIME);
    if (count > most && column->kind == CHARTS_TIME) {
        from = count - most;
        note_latest(d, most, count);
    } else if (count > most) {
        note_largest(d, most);
        count = most;
    }
    if (column->kind != CHARTS_TIME && column->rank != NULL)
        sort_labels(d, items, count, true);
    for (size_t i = from; i < count; i++)
        d->order[d->order_count++] = items[i].label;
    return true;
}

/* ---- labels and series ---- */

static bool write_labels(struct drawing *d)
{
    const struct charts_shape_column *column = column_at(d, d->plan->label);
    size_t clock_bytes = charts_labels_clock(column);
    struct str *labels = arena_array(d->arena, d->order_count, sizeof *labels);
    bool is_long = false;
    for (size_t i = 0; labels != NULL && i < d->order_count; i++) {
        size_t row = d->grid.label_row[d->order[i]];
        const struct charts_cell *cell = &column->values[column->place[row]];
        labels[i] = charts_labels_text(cell, clock_bytes, d->arena);
        is_long = is_long || charts_labels_chars(labels[i]) > CHARTS_HORIZONTAL_CHARS;
    }
    d->spec->labels = labels;
    d->spec->label_count = d->order_count;
    d->spec->is_horizontal = is_long && d->plan->type == CHARTS_TYPE_BAR;
    return labels != NULL;
}

static struct str series_name(struct drawing *d, size_t series)
{
    if (d->plan->series == CHARTS_ROLES_NONE)
        return measure_at(d, series)->shown;
    int value = d->grid.series_value[series];
    const struct charts_shape_column *by = column_at(d, d->plan->series);
    if (value == CHARTS_ROLES_NONE)
        return STR("Other");
    return charts_labels_text(&by->values[value], charts_labels_clock(by), d->arena);
}

static bool write_series(struct drawing *d)
{
    struct charts_series *series = arena_array(d->arena, d->grid.series_count, sizeof *series);
    if (series == NULL)
        return false;
    for (size_t i = 0; i < d->grid.series_count; i++) {
        struct charts_cell *values = arena_array(d->arena, d->order_count, sizeof *values);
        if (values == NULL)
            return false;
        for (size_t label = 0; label < d->order_count; label++)
            values[label] = d->grid.cells[d->order[label] * d->grid.series_count + i];
        series[i].name = series_name(d, i);
        series[i].values = values;
        series[i].on_second_axis = d->plan->series == CHARTS_ROLES_NONE &&
                                   !str_equal(measure_at(d, i)->unit, measure_at(d, 0)->unit);
    }
    d->spec->series = series;
    d->spec->series_count = d->grid.series_count;
    return true;
}

/* Bars of one label on each other: parts of a sum, or one bar a label. */
static bool is_stack(const struct drawing *d)
{
    const struct charts_shape_column *measure = measure_at(d, 0);
    if (d->plan->type != CHARTS_TYPE_BAR || d->plan->series == CHARTS_ROLES_NONE)
        return false;
    bool is_one_each = d->grid.label_count == d->roles->shape->row_count;
    return is_one_each ||
           (measure->is_additive && !measure->has_negative && d->grid.series_count >= STACK_MIN);
}

static void note_series(struct drawing *d)
{
    const struct charts_grid *grid = &d->grid;
    struct str label = column_at(d, d->plan->label)->shown;
    if (grid->has_merged && grid->folded == 0) {
        begin_note(d);
        buf_printf(&d->note, "Rows with the same \"%.*s\" are added up.", STR_ARG(label));
    }
    if (grid->folded > 0) {
        begin_note(d);
        buf_printf(&d->note, "\"Other\" adds up the %zu smallest of %zu (%.*s).", grid->folded,
                   grid->folded + grid->series_count - 1,
                   STR_ARG(column_at(d, d->plan->series)->shown));
    }
    if (grid->left_out > 0) {
        begin_note(d);
        buf_printf(&d->note, "The %zu largest of %zu (%.*s) are shown.", grid->series_count,
                   grid->left_out + grid->series_count,
                   STR_ARG(column_at(d, d->plan->series)->shown));
    }
}

static bool draw_labelled(struct drawing *d)
{
    if (!charts_grid_fill(d->roles, d->plan, d->arena, &d->grid))
        return false;
    note_series(d);
    d->spec->is_stacked = is_stack(d);
    return order_labels(d) && write_labels(d) && write_series(d);
}

/* ---- points and numbers ---- */

static bool is_number(const struct charts_cell *cell)
{
    return cell->type == CHARTS_NUMBER && isfinite(cell->number);
}

/* Rows with both numbers; of more than can be shown every so many-th. */
static bool draw_points(struct drawing *d)
{
    const struct charts_table *table = d->roles->shape->table;
    size_t whole = 0, shown = 0, x = (size_t)d->plan->measures[0], y = (size_t)d->plan->measures[1];
    size_t *rows = arena_array(d->arena, table->row_count, sizeof *rows);
    struct charts_cell *cells = arena_array(d->arena, 2 * CHARTS_MAX_POINTS, sizeof *cells);
    struct charts_series *series = arena_alloc(d->arena, sizeof *series);
    if (rows == NULL || cells == NULL || series == NULL)
        return false;
    for (size_t row = 0; row < table->row_count; row++)
        if (is_number(charts_table_at(table, row, x)) && is_number(charts_table_at(table, row, y)))
            rows[whole++] = row;
    shown = size_min(whole, CHARTS_MAX_POINTS);
    for (size_t i = 0; i < shown; i++) {
        size_t row = rows[i * whole / shown];
        cells[i] = *charts_table_at(table, row, x);
        cells[CHARTS_MAX_POINTS + i] = *charts_table_at(table, row, y);
    }
    if (shown < whole) {
        begin_note(d);
        buf_printf(&d->note, "%zu of %zu points are shown.", shown, whole);
    }
    *series = (struct charts_series){measure_at(d, 1)->shown, cells + CHARTS_MAX_POINTS, false};
    d->spec->xs = cells;
    d->spec->label_count = shown;
    d->spec->series = series;
    d->spec->series_count = 1;
    return true;
}

static bool draw_numbers(struct drawing *d)
{
    const struct charts_table *table = d->roles->shape->table;
    struct charts_series *series = arena_array(d->arena, d->plan->measure_count, sizeof *series);
    struct str *label = arena_alloc(d->arena, sizeof *label);
    if (series == NULL || label == NULL)
        return false;
    for (size_t i = 0; i < d->plan->measure_count; i++)
        series[i] = (struct charts_series){
            measure_at(d, i)->shown, charts_table_at(table, 0, (size_t)d->plan->measures[i]),
            !str_equal(measure_at(d, i)->unit, measure_at(d, 0)->unit)};
    d->spec->series = series;
    d->spec->series_count = d->plan->measure_count;
    d->spec->label_count = d->plan->label != CHARTS_ROLES_NONE;
    d->spec->labels = label;
    if (d->plan->label != CHARTS_ROLES_NONE)
        *label = charts_labels_text(charts_table_at(table, 0, (size_t)d->plan->label),
                                    charts_labels_clock(column_at(d, d->plan->label)), d->arena);
    return true;
}

static bool draw_type(struct drawing *d)
{
    switch (d->plan->type) {
    case CHARTS_TYPE_TABLE:
        return true;
    case CHARTS_TYPE_METRIC:
        return draw_numbers(d);
    case CHARTS_TYPE_SCATTER:
        return draw_points(d);
    default:
        return draw_labelled(d);
    }
}

/* Numbers may all be NULL where they could be shown, or too large to be added up. */
static bool has_number(const struct charts_spec *spec)
{
    size_t count = spec->type == CHARTS_TYPE_METRIC ? 1 : spec->label_count;
    for (size_t i = 0; i < spec->series_count; i++)
        for (size_t at = 0; at < count; at++)
            if (is_number(&spec->series[i].values[at]))
                return true;
    return spec->type == CHARTS_TYPE_TABLE;
}

struct charts_spec *charts_draw_spec(const struct charts_roles *roles,
                                     const struct charts_plan *plan, struct str title,
                                     struct arena *arena)
{
    struct drawing d = {roles, plan, arena, arena_alloc(arena, sizeof *d.spec)};
    bool is_done = d.spec != NULL;
    buf_init(&d.note, NOTE_BYTES);
    if (is_done && roles->shape->table->is_truncated)
        buf_push(&d.note, STR("The result is cut off: there are more rows than these."));
    if (is_done) {
        d.spec->type = plan->type;
        is_done = draw_type(&d) && charts_caption_write(roles, plan, title, arena, d.spec);
    }
    if (is_done && !has_number(d.spec))
        *d.spec = (struct charts_spec){.type = CHARTS_TYPE_TABLE, .title = title};
    if (is_done && buf_len(&d.note) > 0)
        d.spec->note = arena_str(arena, buf_str(&d.note));
    is_done = is_done && buf_ok(&d.note) && arena_ok(arena);
    buf_fini(&d.note);
    return is_done ? d.spec : NULL;
}
