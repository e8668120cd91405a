/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/groups.c - rankings and trends.
 *
 * Happy path: the cells of a row are those of its groups and then of its outputs; a group that is a
 * row of a table is called by its labels, and by its key only where two are called alike.
 * Failure: the buffer's own. */
#include "agents/offline/answers/groups.h"

#include "agents/offline/answers/describe.h"
#include "agents/offline/compose/statement.h"
#include "agents/semantic/model.h"

enum { GROUP_CELLS = 24, PERIODS_SHOWN = 12, MOST_SHOWN = 12 };

struct layout { /* which cells of a row name its groups */
    struct {
        struct cell_manner manner;
        bool key, ends; /* the last of its group */
    } cells[GROUP_CELLS];
    size_t count;
};

void offline_groups_measure(const struct lexicon *lexicon, const struct offline_reading *reading,
                            size_t i, struct buf *out)
{
    const struct reading_scope *main = &reading->scopes[0];
    if (reading->ratio) {
        buf_push(out, STR("percentage of "));
        offline_describe_rows(lexicon, reading, reading->counted, true, out);
        buf_push(out, STR(" that "));
        offline_describe_share(lexicon, reading, out);
        return;
    }
    offline_describe_measure(lexicon, &reading->outs[i], out);
    for (size_t f = 0; f < main->filter_count; f++) {
        if (main->filters[f].out != (int)i)
            continue;
        if (main->filters[f].value_count > 0 && reading->outs[i].agg != AGG_NET)
            buf_printf(out, " (%.*s)", STR_ARG(main->filters[f].values[0]));
        if (main->filters[f].op == OP_RANGE) /* of two periods side by side */
            offline_cells_range(&main->filters[f].range, out);
    }
}

/* ---- names of groups ---- */

static void lay_out(const struct lexicon *lexicon, const struct offline_reading *reading,
                    struct layout *layout)
{
    layout->count = 0;
    for (size_t g = 0; g < reading->group_count; g++) {
        const struct reading_group *group = &reading->groups[g];
        int columns[STATEMENT_COLUMNS];
        size_t count = 1;
        bool entity = group->grain == GRAIN_NONE && group->on.column == READING_NONE;
        if (entity)
            count = offline_statement_columns(lexicon, group->on.table, true, columns,
                                              STATEMENT_COLUMNS);
        for (size_t i = 0; i < count && layout->count < GROUP_CELLS; i++) {
            struct cell_manner *manner = &layout->cells[layout->count].manner;
            *manner = (struct cell_manner){.grain = group->grain};
            if (!entity && group->grain == GRAIN_NONE)
                *manner = offline_cells_manner(lexicon, group->on.table, group->on.column);
            layout->cells[layout->count].key =
                entity && count > 1 && columns[i] == lexicon->facts[group->on.table].key;
            layout->cells[layout->count++].ends = i + 1 == count;
        }
    }
}

static bool ends_in_digit(struct str text)
{
    return text.len > 0 && str_is_digit(text.at[text.len - 1]);
}

/* "Ada Stone", "Oslo / open"; with_keys: keys in brackets behind. */
static void push_name(const struct layout *layout, const struct json_value *row, bool with_keys,
                      struct buf *out)
{
    bool begun = false;
    for (size_t i = 0; i < layout->count; i++) {
        const struct json_value *cell = answer_table_cell(row, i);
        if (cell == NULL || (layout->cells[i].key && !with_keys))
            continue;
        if (i > 0)
            buf_push(out, layout->cells[i].key        ? STR(" (")
                          : layout->cells[i - 1].ends ? STR(" / ")
                          : begun                     ? STR(" ")
                                                      : STR(""));
        offline_cells_push(cell, &layout->cells[i].manner, out);
        if (layout->cells[i].key)
            buf_push_char(out, ')');
        begun = true;
    }
    if (layout->count == 1 && ends_in_digit(buf_str(out)))
        buf_push_char(out, ':'); /* "2: 14" */
}

static bool same_cell(const struct json_value *a, const struct json_value *b)
{
    if (a == NULL || b == NULL || a->type != b->type)
        return a == b;
    return a->type == JSON_STRING ? str_equal(a->text, b->text)
           : a->type == JSON_INT  ? a->integer == b->integer
                                  : true;
}

static bool same_name(const struct layout *layout, const struct json_value *a,
                      const struct json_value *b)
{
    for (size_t i = 0; i < layout->count; i++)
        if (!layout->cells[i].key && !same_cell(answer_table_cell(a, i), answer_table_cell(b, i)))
            return false;
    return true;
}

/* Whether two of the rows are called alike, so that only keys tell them apart. */
static bool needs_keys(const struct layout *layout, const struct json_value *const *rows,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (same_name(layout, rows[i], rows[k]))
                return true;
    return false;
}

/* ---- numbers of groups ---- */

static double number_of(const struct json_value *row, size_t at)
{
    const struct json_value *cell = answer_table_cell(row, at);
    return cell == NULL                ? 0
           : cell->type == JSON_INT    ? (double)cell->integer
           : cell->type == JSON_DOUBLE ? cell->number
                                       : 0;
}

void offline_groups_over(const struct offline_reading *reading, const struct json_value *row,
                         size_t at, const struct cell_manner *manner, struct buf *out)
{
    const struct cell_manner percent = {.counted = true};
    const struct json_value *cell = answer_table_cell(row, at);
    const struct json_value *growth = answer_table_cell(row, at + 1);
    if (cell == NULL || cell->type == JSON_NULL)
        return; /* nothing is before the first */
    if (reading->over == OVER_RUNNING) {
        buf_push(out, STR(" (so far "));
        offline_cells_push(cell, manner, out);
    } else if (reading->over == OVER_SHARE) {
        buf_push(out, STR(" ("));
        offline_cells_push(cell, &percent, out);
        buf_push_char(out, '%');
    } else {
        buf_push(out, number_of(row, at) > 0 ? STR(" (+") : STR(" ("));
        offline_cells_push(cell, manner, out);
        if (growth != NULL && growth->type != JSON_NULL) {
            buf_push(out, number_of(row, at + 1) > 0 ? STR(", +") : STR(", "));
            offline_cells_push(growth, &percent, out);
            buf_push_char(out, '%');
        }
    }
    buf_push_char(out, ')');
}

/* " 3", or of several outputs " number of orders 3, total 12.50". */
static void push_numbers(const struct lexicon *lexicon, const struct offline_reading *reading,
                         const struct layout *layout, const struct json_value *row, struct buf *out)
{
    for (size_t i = 0; i < reading->out_count; i++) {
        const struct json_value *cell = answer_table_cell(row, layout->count + i);
        const struct cell_manner manner = answer_table_manner(lexicon, &reading->outs[i]);
        if (cell == NULL)
            continue;
        buf_push(out, i > 0 ? STR(", ") : STR(" "));
        if (reading->out_count > 1) {
            offline_groups_measure(lexicon, reading, i, out);
            buf_push_char(out, ' ');
        }
        offline_cells_push(cell, &manner, out);
    }
    if (reading->over != OVER_NONE) {
        const struct cell_manner manner = answer_table_manner(lexicon, &reading->outs[0]);
        offline_groups_over(reading, row, layout->count + reading->out_count, &manner, out);
    }
}

static void push_title(const struct lexicon *lexicon, const struct offline_reading *reading,
                       struct buf *out)
{
    size_t at = buf_len(out);
    for (size_t i = 0; i < reading->out_count; i++) {
        if (i > 0)
            buf_push(out, STR(" and "));
        offline_groups_measure(lexicon, reading, i, out);
    }
    offline_describe_groups(lexicon, reading, out);
    if (buf_ok(out) && buf_len(out) > at && out->at[out->start + at] >= 'a' &&
        out->at[out->start + at] <= 'z')
        out->at[out->start + at] = (char)(out->at[out->start + at] - 32);
}

/* ---- trends ---- */

static void push_period(const struct lexicon *lexicon, const struct offline_reading *reading,
                        const struct layout *layout, const struct json_value *row, struct buf *out)
{
    push_name(layout, row, false, out);
    push_numbers(lexicon, reading, layout, row, out);
}

/* "...: highest May 2024 12, lowest July 2024 1; January 2024 3 at the beginning, ... at the end."
 */
static void write_trend(const struct lexicon *lexicon, const struct offline_reading *reading,
                        const struct layout *layout, const struct answer_table *table,
                        struct buf *out)
{
    const struct json_value *first = table->rows->first, *last = first, *most = first,
                            *least = first;
    JSON_EACH(row, table->rows) {
        double number = number_of(row, layout->count);
        most = number > number_of(most, layout->count) ? row : most;
        least = number < number_of(least, layout->count) ? row : least;
        last = row;
    }
    buf_push(out, STR(" highest "));
    push_period(lexicon, reading, layout, most, out);
    buf_push(out, STR(", lowest "));
    push_period(lexicon, reading, layout, least, out);
    buf_push(out, STR("; from "));
    push_period(lexicon, reading, layout, first, out);
    buf_push(out, STR(" to "));
    push_period(lexicon, reading, layout, last, out);
    buf_push(out, table->truncated ? STR(". There are more periods than these.") : STR("."));
}

/* ---- rankings ---- */

/* "; 1,234 in all": of counts and sums of which some are not shown. */
static void push_total(const struct lexicon *lexicon, const struct offline_reading *reading,
                       const struct layout *layout, const struct answer_table *table,
                       struct buf *out)
{
    const struct reading_out *measure = &reading->outs[0];
    bool adds = measure->agg == AGG_COUNT || measure->agg == AGG_SUM ||
                (measure->agg == AGG_METRIC && measure->on.metric->additive);
    const struct cell_manner manner = answer_table_manner(lexicon, measure);
    struct json_value total = {.type = JSON_DOUBLE};
    if (!adds || reading->out_count > 1 || table->truncated || reading->limit > 0 ||
        table->row_count <= ANSWER_SHOWN || table->row_count > table->rows->count)
        return;
    JSON_EACH(row, table->rows)
        total.number += number_of(row, layout->count);
    buf_push(out, STR("; "));
    offline_cells_push(&total, &manner, out);
    buf_push(out, STR(" in all"));
}

/* "Sky Tower has the highest number of tickets: 51." */
static void write_first(const struct lexicon *lexicon, const struct offline_reading *reading,
                        const struct layout *layout, const struct json_value *row, struct buf *out)
{
    const size_t i = (size_t)reading->order_out;
    const struct cell_manner manner = answer_table_manner(lexicon, &reading->outs[i]);
    const struct json_value *cell = answer_table_cell(row, layout->count + i);
    push_name(layout, row, false, out);
    if (str_ends_with(buf_str(out), STR(":")))
        buf_truncate(out, buf_len(out) - 1);
    buf_push(out, reading->descending ? STR(" has the highest ") : STR(" has the lowest "));
    offline_groups_measure(lexicon, reading, i, out);
    buf_push(out, STR(": "));
    if (cell != NULL)
        offline_cells_push(cell, &manner, out);
    buf_push_char(out, '.');
}

void offline_groups_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct answer_table *table, struct buf *out)
{
    const struct json_value *rows[MOST_SHOWN];
    struct layout layout;
    lay_out(lexicon, reading, &layout);
    if (reading->limit == 1 && reading->ordered && reading->order_out != READING_NONE &&
        table->rows->count == 1 && reading->out_count == 1) {
        write_first(lexicon, reading, &layout, table->rows->first, out);
        return;
    }
    if (table->truncated) {
        buf_push(out, STR("The first "));
        offline_cells_number((double)table->row_count, true, true, out);
        buf_push(out, STR(", "));
    }
    push_title(lexicon, reading, out);
    buf_push_char(out, ':');
    bool periods = reading->group_count == 1 && reading->groups[0].grain != GRAIN_NONE &&
                   !reading->ordered && reading->out_count == 1;
    if (periods && table->rows->count > PERIODS_SHOWN) {
        write_trend(lexicon, reading, &layout, table, out);
        return;
    }
    const size_t most = periods ? PERIODS_SHOWN : ANSWER_SHOWN;
    size_t shown = 0;
    JSON_EACH(row, table->rows)
        if (shown < most)
            rows[shown++] = row;
    bool keys = needs_keys(&layout, rows, shown);
    for (size_t i = 0; i < shown; i++) {
        buf_push(out, i == 0 ? STR(" ") : reading->out_count > 1 ? STR("; ") : STR(", "));
        push_name(&layout, rows[i], keys, out);
        buf_push(out, reading->out_count > 1 ? STR(":") : STR(""));
        push_numbers(lexicon, reading, &layout, rows[i], out);
    }
    if (table->row_count > shown)
        push_total(lexicon, reading, &layout, table, out);
    answer_table_rest(table, shown, out);
}

void offline_groups_extremes(const struct lexicon *lexicon, const struct offline_reading *reading,
                             const struct answer_table *table, struct buf *out)
{
    struct layout layout;
    size_t shown = 0, width = answer_table_width(table);
    const struct cell_manner value =
        offline_cells_manner(lexicon, reading->order_on.table, reading->order_on.column);
    int own[STATEMENT_COLUMNS];
    size_t owns = offline_statement_columns(lexicon, reading->target, true, own, STATEMENT_COLUMNS);
    lay_out(lexicon, reading, &layout);
    buf_push(out, reading->descending ? STR("The highest ") : STR("The lowest "));
    lexicon_describe_column(lexicon, reading->order_on.table, reading->order_on.column, out);
    offline_describe_groups(lexicon, reading, out);
    buf_push_char(out, ':');
    JSON_EACH(row, table->rows) {
        bool begun = false;
        if (shown == ANSWER_SHOWN)
            break;
        buf_push(out, shown++ > 0 ? STR("; ") : STR(" "));
        push_name(&layout, row, false, out);
        buf_push(out, STR(": "));
        for (size_t i = 0; i < owns; i++) {
            const struct cell_manner manner = {.counted = false};
            const struct json_value *cell = answer_table_cell(row, layout.count + i);
            if (cell == NULL || (owns > 1 && own[i] == lexicon->facts[reading->target].key))
                continue;
            buf_push(out, begun ? STR(" ") : STR(""));
            offline_cells_push(cell, &manner, out);
            begun = true;
        }
        const struct json_value *cell = width == 0 ? NULL : answer_table_cell(row, width - 1);
        if (cell == NULL)
            continue;
        buf_push(out, STR(" ("));
        offline_cells_push(cell, &value, out);
        buf_push_char(out, ')');
    }
    answer_table_rest(table, shown, out);
}
