/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/answer.c - the sentence by the shape of the reading.
 *
 * Happy path: numbers become a sentence (here), groups a ranking or a trend (groups), rows a list
 * of their names (listing); the answer says when rows were cut off, and which rows do not count.
 * Failure: rows that are not JSON give no answer. */
#include "agents/offline/answers/answer.h"

#include "agents/charts/choose.h"
#include "agents/offline/answers/describe.h"
#include "agents/offline/answers/groups.h"
#include "agents/offline/answers/listing.h"
#include "agents/semantic/model.h"

static bool is_aggregate(const struct offline_reading *reading)
{
    return reading != NULL &&
           (reading->ratio || (reading->out_count > 0 && reading->outs[0].agg != AGG_NONE));
}

static bool is_number(const struct json_value *cell)
{
    return cell != NULL && (cell->type == JSON_INT || cell->type == JSON_DOUBLE);
}

/* "On average there are 6.67 work orders per customer that has any." */
static void write_nested(const struct lexicon *lexicon, const struct offline_reading *reading,
                         const struct json_value *cell, struct buf *out)
{
    const struct reading_group *group = &reading->groups[0];
    static const char *const grains[] = {"", "day", "week", "month", "quarter", "year"};
    bool counts = reading->outs[0].on.column == READING_NONE && reading->outs[0].agg != AGG_METRIC;
    const struct cell_manner manner = answer_table_manner(lexicon, &reading->outs[0]);
    buf_push(out, counts ? STR("On average there are ") : STR("On average the "));
    if (!counts) {
        offline_describe_measure(lexicon, &reading->outs[0], out);
        buf_push(out, STR(" is "));
    }
    offline_cells_push(cell, &manner, out);
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

/* "37.50% of orders have status shipped." */
static void write_ratio(const struct lexicon *lexicon, const struct offline_reading *reading,
                        const struct json_value *cell, struct buf *out)
{
    const struct cell_manner manner = {.counted = true};
    if (!is_number(cell)) {
        buf_push(out, STR("There is nothing to take a share of: there are no "));
        offline_describe_rows(lexicon, reading, reading->counted, true, out);
        buf_push_char(out, '.');
        return;
    }
    offline_cells_push(cell, &manner, out);
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
}

/* One row of numbers: "There are 42 customers." */
static void write_numbers(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct answer_table *table, struct buf *out)
{
    const struct json_value *cell = table->rows->first->first;
    if (reading->ratio) {
        write_ratio(lexicon, reading, cell, out);
        return;
    }
    if (reading->outs[0].agg == AGG_COUNT && reading->out_count == 1 && is_number(cell)) {
        bool one = cell->type == JSON_INT && cell->integer == 1;
        const struct cell_manner manner = {.counted = true};
        buf_push(out, one ? STR("There is ") : STR("There are "));
        offline_cells_push(cell, &manner, out);
        buf_push_char(out, ' ');
        offline_describe_rows(lexicon, reading, reading->counted, !one, out);
        buf_push_char(out, '.');
        return;
    }
    for (size_t i = 0; i < reading->out_count && cell != NULL; i++, cell = cell->next) {
        const struct cell_manner manner = answer_table_manner(lexicon, &reading->outs[i]);
        buf_push(out, i == 0 ? STR("The ") : STR("; the "));
        offline_groups_measure(lexicon, reading, i, out);
        if (i == 0 &&
            (reading->outs[i].on.column != READING_NONE || reading->outs[i].agg == AGG_METRIC)) {
            buf_push(out, STR(" of "));
            offline_describe_rows(lexicon, reading, reading->counted, true, out);
        }
        buf_push(out, STR(" is "));
        offline_cells_push(cell, &manner, out);
    }
    if (reading->over != OVER_NONE) {
        const struct cell_manner manner = answer_table_manner(lexicon, &reading->outs[0]);
        offline_groups_over(reading, table->rows->first, reading->out_count, &manner, out);
    }
    buf_push_char(out, '.');
}

/* A condition as its file has it, but for the quotes of names. */
static void push_condition(struct str condition, struct buf *out)
{
    for (size_t i = 0; i < condition.len; i++)
        if (condition.at[i] != '"' && condition.at[i] != '`')
            buf_push_char(out, condition.at[i]);
}

/* "Deleted ones are left out.": where not all rows of the tables that were asked count; each thing
 * is said once. */
static void push_left_out(const struct lexicon *lexicon, const struct offline_reading *reading,
                          struct buf *out)
{
    const int about = reading->target != READING_NONE ? reading->target : reading->counted;
    size_t deleted = 0;
    for (size_t i = 0; i < reading->left_out.count; i++)
        deleted += lexicon->facts[reading->left_out.tables[i]].living->name.len > 0;
    for (size_t i = 0; i < reading->left_out.count; i++) {
        int table = reading->left_out.tables[i];
        const struct semantic_named *living = lexicon->facts[table].living;
        bool is_deleted = living->name.len > 0;
        if (is_deleted && deleted == 0)
            continue;
        buf_push(out, is_deleted ? STR(" Deleted ") : STR(" Only "));
        if (is_deleted && (table == about || deleted > 1))
            buf_push(out, STR("ones"));
        else
            lexicon_describe_table(lexicon, table, true, out);
        if (is_deleted) {
            buf_push(out, STR(" are left out."));
            deleted = 0;
        } else {
            buf_push(out, STR(" with "));
            push_condition(living->expression.text, out);
            buf_push(out, STR(" count."));
        }
    }
}

static void write_nothing(const struct lexicon *lexicon, const struct offline_reading *reading,
                          struct buf *out)
{
    buf_push(out, STR("Nothing matches"));
    if (reading != NULL) {
        int about = reading->target != READING_NONE ? reading->target : reading->counted;
        buf_push(out, STR(": there are no "));
        offline_describe_rows(lexicon, reading, about, true, out);
    }
    buf_push_char(out, '.');
}

bool offline_answer_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct answer_rows *rows, struct buf *out)
{
    struct answer_table table;
    bool ok = answer_table_read(rows, &table);
    bool aggregate = is_aggregate(reading);
    if (ok && (table.row_count == 0 || table.rows->first == NULL))
        write_nothing(lexicon, reading, out);
    else if (ok && reading != NULL && reading->nested)
        write_nested(lexicon, reading, table.rows->first->first, out);
    else if (ok && aggregate && reading->group_count == 0)
        write_numbers(lexicon, reading, &table, out);
    else if (ok && aggregate)
        offline_groups_write(lexicon, reading, &table, out);
    else if (ok && reading != NULL && reading->of_group)
        offline_groups_extremes(lexicon, reading, &table, out);
    else if (ok)
        offline_listing_write(lexicon, reading, &table, out);
    if (ok && reading != NULL)
        push_left_out(lexicon, reading, out);
    arena_fini(&table.arena);
    return ok && buf_ok(out);
}

/* ---- charts ---- */

/* Groups of all rows, each counted once, are the parts of a whole. */
static bool is_whole(const struct offline_reading *reading)
{
    return is_aggregate(reading) && !reading->ordered && reading->limit == 0 &&
           reading->outs[0].agg != AGG_AVG && !reading->ratio;
}

const char *offline_answer_chart(const struct offline_reading *reading,
                                 const struct answer_rows *rows)
{
    struct answer_table table;
    struct charts_table cells;
    const struct charts_spec *spec = NULL;
    const struct charts_request request = {.table = &cells, .is_whole = is_whole(reading)};
    if (answer_table_read(rows, &table) &&
        charts_table_read(table.columns, table.rows, &table.arena, &cells)) {
        cells.is_truncated = table.truncated || table.row_count > cells.row_count;
        spec = charts_choose_spec(&request, &table.arena);
    }
    const char *chart = spec == NULL ? "table" : charts_spec_banking_name(spec);
    arena_fini(&table.arena);
    return chart;
}
