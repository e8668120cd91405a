/* SPDX-License-Identifier: MIT */
/* agents/analyst/draw.c - makes points into a small table: a row for each period, a column for each
 * company; or, of one period alone, a row for each company.
 *
 * Points are the calculated shares where there are two or more; else the values of the primary
 * metric. Failure: figures of different units are not drawn together: only those with the unit of
 * the first figure are drawn. */
#include "agents/analyst/draw.h"

#include "agents/charts/accept.h"
#include "agents/charts/chartjs.h"

enum { MAX_NAMES = 24 };

struct point {
    struct str company, period, metric, unit;
    double value, scale;
    bool is_percent;
};

struct drawing {
    struct arena *arena;
    struct point points[ANALYST_MAX_VALUES];
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

static void add_point(struct drawing *drawing, const struct point *point)
{
    const struct point *first = &drawing->points[0];
    if (drawing->count == countof(drawing->points) ||
        (drawing->count > 0 && point->is_percent != first->is_percent) ||
        !add_name(drawing->periods, &drawing->period_count, point->period) ||
        !add_name(drawing->companies, &drawing->company_count, point->company))
        return;
    drawing->points[drawing->count++] = *point;
    drawing->same_scale = drawing->same_scale && point->scale == first->scale;
}

static void pick_values(struct drawing *drawing, const struct figures_results *results,
                        struct str metric)
{
    for (size_t i = 0; i < results->value_count; i++) {
        const struct analyst_value *value = &results->values[i];
        const struct point point = {
            .company = value->company,
            .period = value->period,
            .metric = value->metric,
            .unit = value->unit,
            .value = value->number.value,
            .scale = value->number.scale,
            .is_percent = value->number.is_percent,
        };
        if (value->is_verified && str_equal_nocase(value->metric, metric))
            add_point(drawing, &point);
    }
}

/* The primary metric need not be spelled as its values'. */
static struct str first_metric(const struct figures_results *results)
{
    for (size_t i = 0; i < results->value_count; i++)
        if (results->values[i].is_verified)
            return results->values[i].metric;
    return STR("");
}

static bool is_drawn_share(const struct analyst_calculation *calculation)
{
    return calculation->kind == ANALYST_SHARE && calculation->is_verified;
}

static void pick_shares(struct drawing *drawing, const struct figures_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->calculation_count; i++)
        count += is_drawn_share(&results->calculations[i]);
    for (size_t i = 0; i < results->calculation_count && count > 1; i++) {
        const struct analyst_calculation *calculation = &results->calculations[i];
        if (!is_drawn_share(calculation))
            continue;
        const struct analyst_value *part = &results->values[calculation->of[0]];
        const struct analyst_value *whole = &results->values[calculation->of[1]];
        const struct point point = {
            .company = part->company,
            .period = part->period,
            .metric = arena_printf(drawing->arena, "%.*s in %% of %.*s", STR_ARG(part->metric),
                                   STR_ARG(whole->metric)),
            .unit = STR("%"),
            .value = calculation->result.value,
            .scale = 1,
            .is_percent = true,
        };
        if (drawing->count == 0 || str_equal(point.metric, drawing->points[0].metric))
            add_point(drawing, &point);
    }
}

static void pick(struct drawing *drawing, const struct figures_results *results)
{
    drawing->same_scale = true;
    pick_shares(drawing, results);
    if (drawing->count == 0)
        pick_values(drawing, results, results->primary_metric);
    if (drawing->count == 0)
        pick_values(drawing, results, first_metric(results));
    sort_names(drawing->periods, drawing->period_count);
}

static struct charts_cell cell_of(const struct drawing *drawing, struct str period,
                                  struct str company)
{
    for (size_t i = 0; i < drawing->count; i++) {
        const struct point *point = &drawing->points[i];
        if (str_equal_nocase(point->period, period) && str_equal_nocase(point->company, company))
            return charts_table_number(drawing->same_scale ? point->value / point->scale
                                                           : point->value);
    }
    return (struct charts_cell){0};
}

/* "Free cash flow" of "free cash flow"; absent: no memory. */
static struct str in_capitals(struct arena *arena, struct str name)
{
    bool is_small = name.len > 0 && name.at[0] >= 'a' && name.at[0] <= 'z';
    return is_small
               ? arena_printf(arena, "%c%.*s", name.at[0] - 'a' + 'A', STR_ARG(str_from(name, 1)))
               : name;
}

/* "Revenue of Northbeam Instruments, 2022 to 2024"; "Free cash flow in 2024". */
static struct str title_of(const struct drawing *drawing)
{
    struct str metric = in_capitals(drawing->arena, drawing->points[0].metric);
    struct str company = drawing->companies[0];
    const char *of = drawing->company_count == 1 && company.len > 0 ? " of " : "";
    if (*of == '\0')
        company = STR("");
    if (drawing->period_count < 2)
        return arena_printf(drawing->arena, "%.*s%s%.*s in %.*s", STR_ARG(metric), of,
                            STR_ARG(company), STR_ARG(drawing->periods[0]));
    return arena_printf(drawing->arena, "%.*s%s%.*s, %.*s to %.*s", STR_ARG(metric), of,
                        STR_ARG(company), STR_ARG(drawing->periods[0]),
                        STR_ARG(drawing->periods[drawing->period_count - 1]));
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
    struct str metric = in_capitals(drawing->arena, drawing->points[0].metric);
    if (head == NULL || cells == NULL)
        return false;
    head[0] = (struct charts_column){.name = by_period ? STR("period") : STR("company"),
                                     .kind = by_period ? CHARTS_TIME : CHARTS_CATEGORY};
    for (size_t c = 1; c < columns; c++) {
        struct str company = by_period ? drawing->companies[c - 1] : (struct str){NULL, 0};
        head[c] = (struct charts_column){
            .name = by_period && company.len > 0 && drawing->company_count > 1 ? company : metric,
            .unit = drawing->same_scale ? drawing->points[0].unit : (struct str){NULL, 0},
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

struct str analyst_draw_chart(struct arena *arena, const struct figures_results *results,
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
    const struct charts_request request = {
        .table = &table, .question = question, .title = title_of(drawing)};
    const struct charts_spec *spec = str_is_empty(results->chart)
                                         ? charts_choose_spec(&request, arena)
                                         : charts_accept_spec(&request, results->chart, arena);
    return spec == NULL ? none : charts_chartjs_chart(spec, arena);
}
