/* SPDX-License-Identifier: MIT */
/* agents/charts/grid.c - number the labels, pick the series, add up.
 *
 * Happy path: each row lands in the cell of its label and series; a cell that one row made keeps
 * that row's digits. More series than can be told apart: the 7 largest and the rest as one, or,
 * where adding makes no sense, the 8 largest alone.
 * Failure: no memory. A sum that is not finite is NULL. */
#include "agents/charts/grid.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PAIRS = 4 << 20 };

/* Which label a row belongs to: its own, where a key keeps rows apart. */
static size_t label_of(const struct charts_roles *roles, const struct charts_plan *plan, size_t row)
{
    if (roles->rows_apart && plan->series == CHARTS_ROLES_NONE)
        return row;
    int by = roles->keyed == plan->label ? roles->key : plan->label;
    return charts_roles_column(roles, by)->place[row];
}

static size_t count_labels(const struct charts_roles *roles, const struct charts_plan *plan)
{
    if (roles->rows_apart && plan->series == CHARTS_ROLES_NONE)
        return roles->shape->row_count;
    int by = roles->keyed == plan->label ? roles->key : plan->label;
    return charts_roles_column(roles, by)->distinct;
}

bool charts_grid_measure(const struct charts_roles *roles, const struct charts_plan *plan,
                         struct arena *arena, size_t *label_count, bool *has_merged)
{
    size_t rows = roles->shape->row_count, pairs;
    size_t series =
        plan->series == CHARTS_ROLES_NONE ? 1 : charts_roles_column(roles, plan->series)->distinct;
    *label_count = count_labels(roles, plan);
    *has_merged = *label_count * series < rows;
    if (*has_merged)
        return true;
    if (!size_mul(*label_count, series, &pairs) || pairs > MOST_PAIRS) {
        *has_merged = true; /* to be on the safe side */
        return true;
    }
    bool *seen = arena_array(arena, pairs, sizeof *seen);
    for (size_t row = 0; seen != NULL && row < rows && !*has_merged; row++) {
        size_t at = label_of(roles, plan, row) * series;
        if (plan->series != CHARTS_ROLES_NONE)
            at += charts_roles_column(roles, plan->series)->place[row];
        *has_merged = seen[at];
        seen[at] = true;
    }
    return seen != NULL;
}

/* ---- series ---- */

struct total {
    double sum;
    int value;
};

static int compare_totals(const void *a, const void *b)
{
    const struct total *left = a, *right = b;
    if (left->sum != right->sum)
        return left->sum > right->sum ? -1 : 1;
    return left->value - right->value;
}

/* The series column's values, largest first. NULL: no memory. */
static struct total *total_values(const struct charts_roles *roles, const struct charts_plan *plan,
                                  struct arena *arena)
{
    const struct charts_shape_column *by = charts_roles_column(roles, plan->series);
    struct total *totals = arena_array(arena, by->distinct, sizeof *totals);
    if (totals == NULL)
        return NULL;
    for (size_t i = 0; i < by->distinct; i++)
        totals[i].value = (int)i;
    for (size_t row = 0; row < roles->shape->row_count; row++) {
        const struct charts_cell *cell =
            charts_table_at(roles->shape->table, row, (size_t)plan->measures[0]);
        if (cell->type == CHARTS_NUMBER && isfinite(cell->number))
            totals[by->place[row]].sum += cell->number;
    }
    for (size_t i = 0; i < by->distinct; i++) /* an overflow has no place in an order */
        totals[i].sum = isnan(totals[i].sum) ? 0 : totals[i].sum;
    qsort(totals, by->distinct, sizeof *totals, compare_totals);
    return totals;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct total *left = a, *right = b;
    if (left->sum != right->sum)
        return left->sum < right->sum ? -1 : 1;
    return left->value - right->value;
}

/* series_of: value -> series. False: no memory. */
static bool pick_series(const struct charts_roles *roles, const struct charts_plan *plan,
                        struct arena *arena, struct charts_grid *grid, int *series_of)
{
    const struct charts_shape_column *by = charts_roles_column(roles, plan->series);
    bool adds = charts_roles_column(roles, plan->measures[0])->is_additive;
    struct total *totals = total_values(roles, plan, arena);
    int *values = arena_array(arena, CHARTS_PLAN_LINES, sizeof *values);
    if (totals == NULL || values == NULL)
        return false;
    bool is_folded = by->distinct > CHARTS_PLAN_LINES && adds;
    size_t kept = size_min(by->distinct, is_folded ? CHARTS_PLAN_LINES - 1 : CHARTS_PLAN_LINES);
    if (by->rank != NULL) {
        for (size_t i = 0; i < kept; i++)
            totals[i].sum = by->rank[totals[i].value];
        qsort(totals, kept, sizeof *totals, compare_ranks);
    }
    for (size_t i = 0; i < by->distinct; i++)
        series_of[totals[i].value] = i < kept ? (int)i : is_folded ? (int)kept : CHARTS_ROLES_NONE;
    for (size_t i = 0; i < kept; i++)
        values[i] = totals[i].value;
    if (is_folded)
        values[kept] = CHARTS_ROLES_NONE;
    grid->series_value = values;
    grid->series_count = kept + is_folded;
    grid->folded = is_folded ? by->distinct - kept : 0;
    grid->left_out = is_folded ? 0 : by->distinct - kept;
    return true;
}

/* ---- cells ---- */

static void add_cell(struct charts_grid *grid, struct charts_cell *to,
                     const struct charts_cell *from)
{
    if (from->type != CHARTS_NUMBER || !isfinite(from->number))
        return;
    if (to->type == CHARTS_NULL) {
        *to = *from;
        return;
    }
    grid->has_merged = true;
    *to = charts_table_number(to->number + from->number);
}

static void add_row(const struct charts_roles *roles, const struct charts_plan *plan,
                    struct charts_grid *grid, size_t row, size_t label, const int *series_of)
{
    const struct charts_table *table = roles->shape->table;
    struct charts_cell *cells = &grid->cells[label * grid->series_count];
    if (series_of == NULL) {
        for (size_t i = 0; i < plan->measure_count; i++)
            add_cell(grid, &cells[i], charts_table_at(table, row, (size_t)plan->measures[i]));
        return;
    }
    int series = series_of[charts_roles_column(roles, plan->series)->place[row]];
    if (series != CHARTS_ROLES_NONE)
        add_cell(grid, &cells[series], charts_table_at(table, row, (size_t)plan->measures[0]));
}

bool charts_grid_fill(const struct charts_roles *roles, const struct charts_plan *plan,
                      struct arena *arena, struct charts_grid *grid)
{
    size_t rows = roles->shape->row_count, cell_count;
    int *series_of = NULL;
    *grid = (struct charts_grid){.label_count = count_labels(roles, plan),
                                 .series_count = plan->measure_count};
    if (plan->series != CHARTS_ROLES_NONE) {
        series_of = arena_array(arena, charts_roles_column(roles, plan->series)->distinct,
                                sizeof *series_of);
        if (series_of == NULL || !pick_series(roles, plan, arena, grid, series_of))
            return false;
    }
    size_t *first = arena_array(arena, grid->label_count, sizeof *first);
    bool *seen = arena_array(arena, grid->label_count, sizeof *seen);
    if (first == NULL || seen == NULL ||
        !size_mul(grid->label_count, grid->series_count, &cell_count))
        return false;
    grid->cells = arena_array(arena, cell_count, sizeof *grid->cells);
    if (grid->cells == NULL)
        return false;
    for (size_t row = 0; row < rows; row++) {
        size_t label = label_of(roles, plan, row);
        if (!seen[label])
            first[label] = row;
        seen[label] = true;
        add_row(roles, plan, grid, row, label, series_of);
    }
    for (size_t i = 0; i < cell_count; i++)
        if (grid->cells[i].type == CHARTS_NUMBER && !isfinite(grid->cells[i].number))
            grid->cells[i] = (struct charts_cell){0};
    grid->label_row = first;
    return true;
}
