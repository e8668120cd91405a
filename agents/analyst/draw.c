/* SPDX-License-Identifier: MIT */
/* agents/analyst/draw.c - values into a small table: a row for each period, a column for each
 * company; or, of one period alone, a row for each company.
 *
 * Failure: figures of different units are not drawn together: the first one's decide. */
#include "agents/analyst/draw.h"

#include "agents/charts/accept.h"
#include "agents/charts/chartjs.h"

enum { MAX_NAMES = 24 };

struct drawing {
    struct arena *arena;
    const struct analyst_value *shown[ANALYST_MAX_VALUES];
    size_t count;
    struct str periods[MAX_NAMES], companies[MAX_NAMES];
    size_t period_count, company_count;
    bool same_scale;
};

static size_t find_name(const struct str *names, size_t count, struct str name)
{
    size_t i = 0;
    while (i < count && !str_equal_nocase(names[i], name))
        i++;
    return i;
}

/* False: there is no room for another name. */
static bool add_name(struct str *names, size_t *count, struct str name)
{
    if (find_name(names, *count, name) < *count)
        return true;
    if (*count == MAX_NAMES)
        return false;
    names[(*count)++] = name;
    return true;
}

static void sort_names(struct str *names, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && str_compare(names[k - 1], names[k]) > 0; k--) {
            struct str other = names[k];
            names[k] = names[k - 1];
            names[k - 1] = other;
        }
}

static void pick(struct drawing *drawing, const struct analyst_results *results)
{
    struct str metric = results->primary_metric;
    drawing->same_scale = true;
    for (unsigned pass = 0; pass < 2 && drawing->count == 0; pass++) {
        for (size_t i = 0; i < results->value_count; i++) {
            const struct analyst_value *value = &results->values[i];
            if (pass == 1 && drawing->count == 0 && value->is_verified)
                metric = value->metric;
            if (!value->is_verified || !str_equal_nocase(value->metric, metric) ||
                (drawing->count > 0 &&
                 value->number.is_percent != drawing->shown[0]->number.is_percent) ||
                !add_name(drawing->periods, &drawing->period_count, value->period) ||
                !add_name(drawing->companies, &drawing->company_count, value->company))
                continue;
            drawing->shown[drawing->count++] = value;
            drawing->same_scale =
                drawing->same_scale && value->number.scale == drawing->shown[0]->number.scale;
        }
    }
    sort_names(drawing->periods, drawing->period_count);
}

static struct charts_cell cell_of(const struct drawing *drawing, struct str period,
                                  struct str company)
{
    for (size_t i = 0; i < drawing->count; i++) {
        const struct analyst_value *value = drawing->shown[i];
        if (str_equal_nocase(value->period, period) && str_equal_nocase(value->company, company))
            return charts_table_number(drawing->same_scale
                                           ? value->number.value / value->number.scale
                                           : value->number.value);
    }
    return (struct charts_cell){0};
}

static struct charts_cell text_cell(struct str text)
{
    return (struct charts_cell){CHARTS_TEXT, 0, text};
}

static bool fill(const struct drawing *drawing, struct charts_table *table)
{
    bool by_period = drawing->period_count > 1;
    size_t rows = by_period ? drawing->period_count : drawing->company_count;
    size_t columns = by_period ? drawing->company_count + 1 : 2;
    struct charts_column *head = arena_array(drawing->arena, columns, sizeof *head);
    struct charts_cell *cells = arena_array(drawing->arena, rows * columns, sizeof *cells);
    struct str metric = drawing->shown[0]->metric;
    if (head == NULL || cells == NULL)
        return false;
    head[0] = (struct charts_column){.name = by_period ? STR("period") : STR("company"),
                                     .kind = by_period ? CHARTS_TIME : CHARTS_CATEGORY};
    for (size_t c = 1; c < columns; c++) {
        struct str company = by_period ? drawing->companies[c - 1] : (struct str){NULL, 0};
        head[c] = (struct charts_column){
            .name = by_period && company.len > 0 && drawing->company_count > 1 ? company : metric,
            .unit = drawing->same_scale ? drawing->shown[0]->unit : (struct str){NULL, 0},
            .kind = CHARTS_MEASURE};
    }
    for (size_t r = 0; r < rows; r++) {
        struct str name = by_period ? drawing->periods[r] : drawing->companies[r];
        cells[r * columns] = text_cell(name);
        for (size_t c = 1; c < columns; c++)
            cells[r * columns + c] = by_period ? cell_of(drawing, name, drawing->companies[c - 1])
                                               : cell_of(drawing, drawing->periods[0], name);
    }
    *table = (struct charts_table){
        .columns = head, .column_count = columns, .cells = cells, .row_count = rows};
    return true;
}

struct str analyst_draw_chart(struct arena *arena, const struct analyst_results *results,
                              struct str question)
{
    struct drawing *drawing = arena_alloc(arena, sizeof *drawing);
    const struct str none = {NULL, 0};
    struct charts_table table;
    if (drawing == NULL)
        return none;
    drawing->arena = arena;
    pick(drawing, results);
    if (drawing->count < 2 || !fill(drawing, &table))
        return none;
    const struct charts_request request = {.table = &table, .question = question};
    const struct charts_spec *spec = str_is_empty(results->chart)
                                         ? charts_choose_spec(&request, arena)
                                         : charts_accept_spec(&request, results->chart, arena);
    return spec == NULL ? none : charts_chartjs_chart(spec, arena);
}
