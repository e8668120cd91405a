/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/answer_table.c - JSON rows and what prompts say of them.
 *
 * Happy path: columns and rows are parsed, and the number of all rows is taken over. Failure: rows
 * that are no JSON array. */
#include "agents/offline/answers/answer_table.h"

#include "agents/semantic/model.h"

enum { ANSWER_ARENA = 32 << 20 };

bool answer_table_read(const struct answer_rows *from, struct answer_table *table)
{
    uint64_t count;
    *table = (struct answer_table){0};
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

const struct json_value *answer_table_cell(const struct json_value *row, size_t i)
{
    const struct json_value *cell = row == NULL ? NULL : row->first;
    for (; cell != NULL && i > 0; i--)
        cell = cell->next;
    return cell;
}

size_t answer_table_width(const struct answer_table *table)
{
    return table->rows->first == NULL ? 0 : table->rows->first->count;
}

struct str answer_table_name(const struct answer_table *table, size_t i)
{
    const struct json_value *name =
        table->columns == NULL ? NULL : answer_table_cell(table->columns, i);
    return name == NULL || name->type != JSON_STRING ? STR("") : name->text;
}

void answer_table_rest(const struct answer_table *table, size_t shown, struct buf *out)
{
    if (table->row_count > shown) {
        buf_push(out, STR(", and "));
        offline_cells_number((double)(table->row_count - shown), true, true, out);
        buf_push(out, STR(" more"));
    }
    buf_push(out, table->truncated ? STR(". There are more than these.") : STR("."));
}

struct cell_manner answer_table_manner(const struct lexicon *lexicon, const struct reading_out *out)
{
    struct cell_manner manner = {.counted = true};
    if (out->agg == AGG_METRIC) {
        manner.unit = out->on.metric->unit;
        manner.cents = str_equal_nocase(manner.unit, STR("cents"));
    } else if (out->on.column != READING_NONE && out->agg != AGG_COUNT &&
               out->agg != AGG_DISTINCT) {
        manner = offline_cells_manner(lexicon, out->on.table, out->on.column);
        manner.counted = manner.counted || out->agg == AGG_SUM || out->agg == AGG_NET;
        manner.lexicon = NULL;
        manner.truth = false;
        manner.cents = manner.cents && out->over <= 1;
        if ((out->times > 1 || out->over > 1) && !manner.cents)
            manner.unit = STR(""); /* the unit that was asked for */
    }
    return manner;
}
