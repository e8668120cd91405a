/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/answer.c - fills templates.
 *
 * Happy path: one number becomes a sentence, groups a short ranking, rows a list of their names;
 * the answer says when rows were cut off. Failure: rows that are not JSON give no answer. */
#include "agents/offline/answers/answer.h"

#include <math.h>

#include "agents/charts/choose.h"
#include "agents/offline/answers/describe.h"
#include "agents/semantic/model.h"
#include "proto/json_value.h"

enum { ANSWER_ARENA = 32 << 20, SHOWN_ROWS = 10, CELLS = 3 };

struct table {
    struct arena arena;
    const struct json_value *columns, *rows;
    size_t row_count;
    bool truncated;
};

static bool read_table(const struct answer_rows *from, struct table *table)
{
    uint64_t count;
    *table = (struct table){0};
    arena_init(&table->arena, ANSWER_ARENA);
    table->rows = json_value_parse(&table->arena, from->rows, NULL, NULL);
    if (!str_is_empty(from->columns))
        table->columns = json_value_parse(&table->arena, from->columns, NULL, NULL);
    if (table->rows == NULL || table->rows->type != JSON_ARRAY)
        return false;
    table->row_count = table->rows->count;
    if (str_to_u64(str_trim(from->row_count), &count))
        table->row_count = (size_t)count;
    /* where all rows were counted, row_count says how many there are */
    table->truncated = str_starts_with(from->truncated, STR("true")) &&
                       str_find(from->truncated, STR(" of ")) == STR_NONE;
    return true;
}

static void push_number(struct buf *out, const struct json_value *cell)
{
    if (cell->type == JSON_INT) {
        buf_push_i64(out, cell->integer);
        return;
    }
    double rounded = round(cell->number * 100) / 100;
    buf_printf(out, rounded == floor(rounded) && fabs(rounded) < 1e15 ? "%.0f" : "%.2f", rounded);
}

static void push_cell(struct buf *out, const struct json_value *cell)
{
    switch (cell->type) {
    case JSON_STRING:
        buf_push(out, cell->text);
        break;
    case JSON_INT:
    case JSON_DOUBLE:
        push_number(out, cell);
        break;
    case JSON_BOOL:
        buf_push(out, cell->boolean ? STR("yes") : STR("no"));
        break;
    default:
        buf_push(out, STR("none"));
        break;
    }
}

static bool is_number(const struct json_value *cell)
{
    return cell != NULL && (cell->type == JSON_INT || cell->type == JSON_DOUBLE);
}

static const struct json_value *cell_at(const struct json_value *row, size_t i)
{
    const struct json_value *cell = row == NULL ? NULL : row->first;
    for (; cell != NULL && i > 0; i--)
        cell = cell->next;
    return cell;
}

static size_t width(const struct table *table)
{
    return table->rows->first == NULL ? 0 : table->rows->first->count;
}

static struct str column_name(const struct table *table, size_t i)
{
    const struct json_value *name = table->columns == NULL ? NULL : cell_at(table->columns, i);
    return name == NULL || name->type != JSON_STRING ? STR("") : name->text;
}

/* Key columns name nothing to a reader. */
static bool is_key(const struct table *table, size_t i)
{
    struct str name = column_name(table, i);
    return str_equal_nocase(name, STR("id")) || str_ends_with(name, STR("_id")) ||
           str_ends_with(name, STR("Id"));
}

/* The cells of a row that are not keys; all of them when all are. */
static void push_row(struct buf *out, const struct table *table, const struct json_value *row,
                     size_t max, size_t end)
{
    size_t said = 0;
    for (int keys = 0; keys < 2 && said == 0; keys++)
        for (size_t i = 0; i < end && said < max; i++) {
            const struct json_value *cell = cell_at(row, i);
            if (cell == NULL || (keys == 0 && is_key(table, i)))
                continue;
            if (said++ > 0)
                buf_push_char(out, ' ');
            push_cell(out, cell);
        }
}

static void push_rest(struct buf *out, const struct table *table, size_t shown)
{
    if (table->row_count > shown)
        buf_printf(out, ", and %zu more", table->row_count - shown);
    buf_push(out, table->truncated ? STR(". There are more than these.") : STR("."));
}

static bool is_aggregate(const struct offline_reading *reading)
{
    return reading != NULL &&
           (reading->ratio || (reading->out_count > 0 && reading->outs[0].agg != AGG_NONE));
}

/* "total amount (overdue)": of a number of some of the rows, which. */
static void push_measure(const struct lexicon *lexicon, const struct offline_reading *reading,
                         size_t i, struct buf *out)
{
    const struct reading_scope *main = &reading->scopes[0];
    offline_describe_measure(lexicon, &reading->outs[i], out);
    for (size_t f = 0; f < main->filter_count; f++)
        if (main->filters[f].out == (int)i && main->filters[f].value_count > 0 &&
            reading->outs[i].agg != AGG_NET)
            buf_printf(out, " (%.*s)", STR_ARG(main->filters[f].values[0]));
}

/* "12.50 USD", "68.75%": the unit that the semantic file gives a number. */
static void push_unit(const struct lexicon *lexicon, const struct reading_out *measure,
                      const struct json_value *cell, struct buf *out)
{
    struct str unit = STR("");
    const struct semantic_column *said =
        measure->agg == AGG_METRIC || measure->on.column == READING_NONE
            ? NULL
            : semantic_model_column(lexicon->semantic, measure->on.table, measure->on.column);
    if (measure->agg == AGG_METRIC)
        unit = measure->on.metric->unit;
    else if (said != NULL && measure->agg != AGG_COUNT && measure->agg != AGG_DISTINCT)
        unit = said->unit;
    if (unit.len > 0 && is_number(cell))
        buf_printf(out, "%s%.*s", unit.at[0] == '%' ? "" : " ", STR_ARG(unit));
}

/* "On average there are 6.67 work orders per customer that has any." */
static void write_nested(const struct lexicon *lexicon, const struct offline_reading *reading,
                         const struct json_value *cell, struct buf *out)
{
    const struct reading_group *group = &reading->groups[0];
    static const char *const grains[] = {"", "day", "week", "month", "quarter", "year"};
    bool counts = reading->outs[0].on.column == READING_NONE && reading->outs[0].agg != AGG_METRIC;
    buf_push(out, counts ? STR("On average there are ") : STR("On average the "));
    if (!counts) {
        offline_describe_measure(lexicon, &reading->outs[0], out);
        buf_push(out, STR(" is "));
    }
    push_cell(out, cell);
    push_unit(lexicon, &reading->outs[0], cell, out);
    if (counts) {
        buf_push_char(out, ' ');
        offline_describe_rows(lexicon, reading, reading->counted, true, out);
    }
    buf_push(out, STR(" per "));
    if (group->grain != GRAIN_NONE)
        buf_push(out, str_of(grains[group->grain]));
    else if (group->on.column != READING_NONE)
        lexicon_describe_column(lexicon, group->on.table, group->on.column, out);
    else
        lexicon_describe_table(lexicon, group->on.table, false, out);
    buf_push(out, STR(", of those that have any."));
}

/* One row of numbers: "There are 42 customers." */
static void write_numbers(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct table *table, struct buf *out)
{
    const struct json_value *cell = table->rows->first->first;
    if (reading->ratio && !is_number(cell)) {
        buf_push(out, STR("There is nothing to take a share of: there are no "));
        offline_describe_rows(lexicon, reading, reading->counted, true, out);
        buf_push_char(out, '.');
        return;
    }
    if (reading->ratio) {
        push_cell(out, cell);
        buf_push(out, STR("% of "));
        if (reading->outs[0].on.column != READING_NONE) { /* of a sum, not of rows */
            buf_push(out, STR("the "));
            offline_describe_measure(lexicon, &reading->outs[0], out);
            buf_push(out, STR(" of "));
        }
        offline_describe_rows(lexicon, reading, reading->counted, true, out);
        buf_push_char(out, ' ');
        offline_describe_share(lexicon, reading, out);
        buf_push_char(out, '.');
        return;
    }
    if (reading->outs[0].agg == AGG_COUNT && reading->out_count == 1 && is_number(cell)) {
        bool one = cell->type == JSON_INT && cell->integer == 1;
        buf_push(out, one ? STR("There is ") : STR("There are "));
        push_number(out, cell);
        buf_push_char(out, ' ');
        offline_describe_rows(lexicon, reading, reading->counted, !one, out);
        buf_push_char(out, '.');
        return;
    }
    for (size_t i = 0; i < reading->out_count && cell != NULL; i++, cell = cell->next) {
        buf_push(out, i == 0 ? STR("The ") : STR("; the "));
        push_measure(lexicon, reading, i, out);
        if (i == 0 &&
            (reading->outs[i].on.column != READING_NONE || reading->outs[i].agg == AGG_METRIC)) {
            buf_push(out, STR(" of "));
            offline_describe_rows(lexicon, reading, reading->counted, true, out);
        }
        buf_push(out, STR(" is "));
        push_cell(out, cell);
        push_unit(lexicon, &reading->outs[i], cell, out);
    }
    buf_push_char(out, '.');
}

/* "Number of accounts by customer: Alice 3, Bob 2." */
static void write_groups(const struct lexicon *lexicon, const struct offline_reading *reading,
                         const struct table *table, struct buf *out)
{
    size_t columns = width(table), outs = reading->out_count, shown = 0;
    size_t named = columns > outs ? columns - outs : columns;
    for (size_t i = 0; i < outs; i++) {
        size_t at = buf_len(out);
        if (i > 0)
            buf_push(out, STR(", "));
        if (i == 0 && table->truncated)
            buf_printf(out, "The first %zu: ", table->row_count);
        push_measure(lexicon, reading, i, out);
        if (i == 0 && !table->truncated && buf_ok(out) && buf_len(out) > at)
            out->at[out->start + at] =
                (char)(out->at[out->start + at] - (out->at[out->start + at] >= 'a' ? 32 : 0));
    }
    buf_push(out, STR(": "));
    JSON_EACH(row, table->rows) {
        if (shown == SHOWN_ROWS)
            break;
        if (shown++ > 0)
            buf_push(out, STR(", "));
        push_row(out, table, row, CELLS, named);
        for (size_t i = named; i < columns; i++) {
            buf_push_char(out, ' ');
            push_cell(out, cell_at(row, i));
            if (i - named < outs)
                push_unit(lexicon, &reading->outs[i - named], cell_at(row, i), out);
        }
    }
    push_rest(out, table, shown);
}

static void write_list(const struct lexicon *lexicon, const struct offline_reading *reading,
                       const struct table *table, struct buf *out)
{
    size_t shown = 0, cells = 2, columns = width(table);
    if (reading != NULL && reading->target != READING_NONE) {
        const struct lexicon_facts *facts = &lexicon->facts[reading->target];
        cells = facts->label_count > 0 ? facts->label_count : 1;
        if (reading->out_count > 0 || table->row_count == 1)
            cells = columns;
        if (table->truncated)
            buf_push(out, STR("The first "));
        buf_printf(out, "%zu ", table->row_count);
        offline_describe_rows(lexicon, reading, reading->target, table->row_count != 1, out);
        buf_push(out, STR(": "));
    } else if (table->row_count == 1 && columns == 1) {
        buf_push(out, STR("The answer is "));
    } else {
        buf_printf(out, "%zu %s: ", table->row_count, table->row_count == 1 ? "row" : "rows");
    }
    JSON_EACH(row, table->rows) {
        if (shown == SHOWN_ROWS)
            break;
        if (shown++ > 0)
            buf_push(out, columns > 1 && cells > 1 ? STR("; ") : STR(", "));
        push_row(out, table, row, cells, columns);
    }
    push_rest(out, table, shown);
}

bool offline_answer_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct answer_rows *rows, struct buf *out)
{
    struct table table;
    bool ok = read_table(rows, &table);
    bool aggregate = is_aggregate(reading);
    if (ok && (table.row_count == 0 || table.rows->first == NULL)) {
        buf_push(out, STR("Nothing matches"));
        if (reading != NULL) {
            int about = reading->target != READING_NONE ? reading->target : reading->counted;
            buf_push(out, STR(": there are no "));
            offline_describe_rows(lexicon, reading, about, true, out);
        }
        buf_push_char(out, '.');
    } else if (ok && reading != NULL && reading->nested) {
        write_nested(lexicon, reading, table.rows->first->first, out);
    } else if (ok && aggregate && reading->group_count == 0) {
        write_numbers(lexicon, reading, &table, out);
    } else if (ok && aggregate) {
        write_groups(lexicon, reading, &table, out);
    } else if (ok) {
        write_list(lexicon, reading, &table, out);
    }
    arena_fini(&table.arena);
    return ok && buf_ok(out);
}

/* ---- charts ---- */

/* Groups of all rows, each counted once, are the parts of a whole. */
static bool is_whole(const struct offline_reading *reading)
{
    return is_aggregate(reading) && !reading->ordered && reading->limit == 0 &&
           reading->outs[0].agg != AGG_AVG;
}

const char *offline_answer_chart(const struct offline_reading *reading,
                                 const struct answer_rows *rows)
{
    struct table table;
    struct charts_table cells;
    const struct charts_spec *spec = NULL;
    const struct charts_request request = {.table = &cells, .is_whole = is_whole(reading)};
    if (read_table(rows, &table) &&
        charts_table_read(table.columns, table.rows, &table.arena, &cells)) {
        cells.is_truncated = table.truncated || table.row_count > cells.row_count;
        spec = charts_choose_spec(&request, &table.arena);
    }
    const char *chart = spec == NULL ? "table" : charts_spec_banking_name(spec);
    arena_fini(&table.arena);
    return chart;
}
