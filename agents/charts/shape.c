/* SPDX-License-Identifier: MIT */
/* agents/charts/shape.c - count cells by type, look at names, number the distinct values.
 *
 * Happy path: all numbers are a measure unless the name or the run of them says key, year or step;
 * all times are times; the rest are categories.
 * Failure: no memory. A column that is NULL throughout has no kind. */
#include "agents/charts/shape.h"

#include <math.h>
#include <string.h>

#include "agents/charts/merge.h"
#include "agents/charts/names.h"
#include "agents/charts/order.h"

enum { YEAR_LEAST = 1500, YEAR_MOST = 2500, LIKELY_LEAST = 1900, LIKELY_MOST = 2100 };

struct census { /* of one column's cells */
    size_t nulls, numbers, texts, times;
    bool all_integers, is_counting; /* counting: each one more than the one before */
    double least, most;
};

static struct charts_cell cell_at(const struct charts_table *table, size_t row, size_t column)
{
    struct charts_cell cell = *charts_table_at(table, row, column);
    if (cell.type == CHARTS_NUMBER && !isfinite(cell.number))
        cell = (struct charts_cell){0};
    return cell;
}

static struct census take_census(const struct charts_table *table, size_t column)
{
    struct census census = {.all_integers = true, .is_counting = true};
    double before = 0, at;
    for (size_t row = 0; row < table->row_count; row++) {
        struct charts_cell cell = cell_at(table, row, column);
        if (cell.type == CHARTS_NULL) {
            census.nulls++;
        } else if (cell.type == CHARTS_TEXT) {
            census.texts++;
            census.times += charts_order_time(cell.text, &at);
        } else {
            bool is_first = census.numbers++ == 0;
            census.all_integers = census.all_integers && floor(cell.number) == cell.number;
            census.is_counting = census.is_counting && (is_first || cell.number == before + 1);
            census.least = is_first ? cell.number : fmin(census.least, cell.number);
            census.most = is_first ? cell.number : fmax(census.most, cell.number);
            before = cell.number;
        }
    }
    return census;
}

/* Integers that look like years beside something they could be the years of. */
static bool are_years(const struct charts_table *table, const struct census *census,
                      const struct charts_names *name)
{
    if (!census->all_integers)
        return false;
    if (charts_names_is_year(name))
        return census->least >= YEAR_LEAST && census->most <= YEAR_MOST;
    return table->column_count > 1 && table->row_count > 1 && !charts_names_is_measure(name) &&
           census->least >= LIKELY_LEAST && census->most <= LIKELY_MOST;
}

static enum charts_kind kind_of_numbers(const struct charts_table *table, size_t column,
                                        const struct census *census,
                                        const struct charts_names *name,
                                        struct charts_shape_column *to)
{
    double least, most;
    if (are_years(table, census, name))
        return CHARTS_TIME;
    bool is_numbered = column == 0 && table->column_count > 1 && table->row_count > 2 &&
                       census->nulls == 0 && census->is_counting && census->all_integers;
    if (charts_names_is_key(name) || (is_numbered && !charts_names_is_measure(name))) {
        to->is_key = true;
        return CHARTS_CATEGORY;
    }
    if (census->all_integers && charts_names_is_step(name, &least, &most) &&
        census->least >= least && census->most <= most) {
        to->is_ordinal = true;
        return CHARTS_CATEGORY;
    }
    return CHARTS_MEASURE;
}

/* The kind the cells allow: the caller's, where they do. */
static enum charts_kind find_kind(const struct charts_table *table, size_t column,
                                  const struct charts_names *name, struct charts_shape_column *to)
{
    const struct census census = take_census(table, column);
    enum charts_kind given = table->columns[column].kind;
    to->has_null = census.nulls > 0;
    to->has_negative = census.numbers > 0 && census.least < 0;
    if (census.nulls == table->row_count)
        return CHARTS_UNKNOWN;
    bool is_time = census.texts > 0 && census.times == census.texts && census.numbers == 0;
    bool may_be = given == CHARTS_CATEGORY || (given == CHARTS_MEASURE && census.texts == 0) ||
                  (given == CHARTS_TIME && (is_time || census.texts == 0));
    if (given == CHARTS_CATEGORY)
        to->is_key = charts_names_is_key(name);
    if (may_be && given != CHARTS_UNKNOWN)
        return given;
    if (census.texts == 0)
        return kind_of_numbers(table, column, &census, name, to);
    to->is_key = charts_names_is_key(name);
    return is_time && !to->is_key ? CHARTS_TIME : CHARTS_CATEGORY;
}

/* ---- distinct values ---- */

static bool is_same(const struct charts_cell *a, const struct charts_cell *b)
{
    if (a->type != b->type)
        return false;
    return a->type == CHARTS_NUMBER ? a->number == b->number : str_equal(a->text, b->text);
}

static uint64_t hash_cell(const struct charts_cell *cell)
{
    double number = cell->number == 0 ? 0 : cell->number; /* -0 is 0 */
    if (cell->type == CHARTS_NUMBER)
        return str_hash(str_make((const char *)&number, sizeof number));
    return str_hash(cell->text) + (uint64_t)cell->type;
}

static bool number_values(const struct charts_table *table, size_t column, struct arena *arena,
                          struct charts_shape_column *to)
{
    size_t slots = 16, rows = table->row_count;
    while (slots < rows * 2)
        slots *= 2;
    unsigned *slot = arena_array(arena, slots, sizeof *slot); /* 1 + index of a value */
    unsigned *place = arena_array(arena, rows, sizeof *place);
    struct charts_cell *values = arena_array(arena, rows, sizeof *values);
    if (slot == NULL || place == NULL || values == NULL)
        return false;
    for (size_t row = 0; row < rows; row++) {
        struct charts_cell cell = cell_at(table, row, column);
        size_t at = (size_t)hash_cell(&cell) & (slots - 1);
        while (slot[at] != 0 && !is_same(&values[slot[at] - 1], &cell))
            at = (at + 1) & (slots - 1);
        if (slot[at] == 0) {
            values[to->distinct] = cell;
            slot[at] = (unsigned)++to->distinct;
        }
        place[row] = slot[at] - 1;
    }
    to->place = place;
    to->values = values;
    return true;
}

/* ---- order ---- */

static double rank_of_time(const struct charts_cell *cell)
{
    double at = -INFINITY;
    if (cell->type == CHARTS_NUMBER)
        return cell->number;
    if (cell->type == CHARTS_TEXT && !charts_order_time(cell->text, &at))
        at = INFINITY;
    return at;
}

/* NULLs last, and only texts have steps. */
static bool rank_steps(const struct charts_shape_column *of, struct arena *arena, double *rank)
{
    struct str *texts = arena_array(arena, of->distinct, sizeof *texts);
    if (texts == NULL)
        return false;
    for (size_t i = 0; i < of->distinct; i++) {
        if (of->values[i].type == CHARTS_NUMBER)
            return false;
        texts[i] = of->values[i].text;
    }
    return charts_order_steps(texts, of->distinct, rank);
}

static bool rank_values(struct charts_shape_column *to, struct arena *arena)
{
    double *rank = arena_array(arena, to->distinct, sizeof *rank);
    if (rank == NULL)
        return false;
    if (to->kind == CHARTS_TIME || to->is_ordinal) {
        for (size_t i = 0; i < to->distinct; i++)
            rank[i] = to->kind == CHARTS_TIME             ? rank_of_time(&to->values[i])
                      : to->values[i].type == CHARTS_NULL ? INFINITY
                                                          : to->values[i].number;
    } else {
        to->is_ordinal = !to->is_key && rank_steps(to, arena, rank);
    }
    to->rank = to->kind == CHARTS_TIME || to->is_ordinal ? rank : NULL;
    return true;
}

static bool read_column(const struct charts_table *table, size_t column, struct arena *arena,
                        struct charts_shape_column *to)
{
    const struct charts_column *from = &table->columns[column];
    const struct charts_names name = charts_names_read(arena, from->name);
    *to =
        (struct charts_shape_column){.name = from->name, .shown = charts_names_show(arena, &name)};
    if (!str_is_empty(from->of) && charts_names_is_bare(&name))
        to->shown = charts_names_capital(arena, from->of);
    to->kind = find_kind(table, column, &name, to);
    if (to->kind == CHARTS_MEASURE) {
        bool has_unit = !str_is_empty(from->unit);
        to->unit = has_unit ? from->unit : charts_names_unit(arena, &name);
        to->has_given_unit = has_unit;
        to->is_share = charts_names_is_share(&name) || str_equal(from->unit, STR("%"));
        to->is_additive = charts_names_is_additive(&name) && !to->is_share;
        return true;
    }
    if (to->kind == CHARTS_UNKNOWN || table->row_count == 0)
        return true;
    return number_values(table, column, arena, to) && rank_values(to, arena);
}

bool charts_shape_read(const struct charts_table *table, struct arena *arena,
                       struct charts_shape *shape)
{
    struct charts_table *merged = arena_alloc(arena, sizeof *merged);
    *shape = (struct charts_shape){0};
    if (merged == NULL || !charts_merge_columns(table, arena, merged))
        return false;
    shape->columns = arena_array(arena, size_max(merged->column_count, 1), sizeof *shape->columns);
    if (shape->columns == NULL)
        return false;
    for (size_t i = 0; i < merged->column_count; i++)
        if (!read_column(merged, i, arena, &shape->columns[i]))
            return false;
    shape->table = merged;
    shape->column_count = merged->column_count;
    shape->row_count = merged->row_count;
    return arena_ok(arena);
}

bool charts_shape_determines(const struct charts_shape *shape, size_t by, size_t column,
                             struct arena *arena)
{
    const struct charts_shape_column *key = &shape->columns[by], *other = &shape->columns[column];
    if (key->distinct == shape->row_count)
        return true;
    unsigned *seen = arena_array(arena, key->distinct, sizeof *seen); /* 1 + place */
    for (size_t row = 0; seen != NULL && row < shape->row_count; row++) {
        unsigned *at = &seen[key->place[row]];
        if (*at != 0 && *at != other->place[row] + 1)
            return false;
        *at = other->place[row] + 1;
    }
    return seen != NULL;
}

bool charts_shape_is_ordered(const struct str *texts, size_t count)
{
    size_t times = 0, numbers = 0;
    double at;
    for (size_t i = 0; i < count; i++) {
        times += charts_order_time(texts[i], &at);
        numbers += str_to_double(texts[i], &at);
    }
    if (times == count || numbers == count)
        return true;
    return charts_order_steps(texts, count, NULL);
}
