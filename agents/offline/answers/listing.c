/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/listing.c - which cells of a row name it, and which are told of it.
 *
 * Happy path: a row is called by its table's labels, unless they are what the question asked by and
 * so the same in all rows; then by the first columns that differ, at last by its key. What was
 * asked for stands behind in brackets; of a single row more is told. Failure: the buffer's own. */
#include "agents/offline/answers/listing.h"

#include "agents/lexicon/facts.h"
#include "agents/offline/answers/describe.h"
#include "agents/offline/compose/referred.h"
#include "agents/offline/compose/statement.h"
#include "agents/semantic/model.h"

enum { COLUMNS = 32, TELLING = 2, TOLD = 5, LOOKED_AT = 50 };

struct listing {
    const struct lexicon *lexicon;
    const struct offline_reading *reading;
    const struct answer_table *table;
    int columns[COLUMNS]; /* of the target, for each column of the rows; READING_NONE: another's */
    const struct catalog_reference *by[COLUMNS]; /* that leads to whose name it is; NULL: none */
    bool named[COLUMNS], told[COLUMNS];
    bool numbered; /* rows are called by their keys */
    size_t count;
};

/* The column of the target that is called so, or is where it is said in another unit. */
static int find_column(const struct listing *l, struct str name)
{
    int target = l->reading->target;
    int column = catalog_find_column(l->lexicon->catalog, target, name);
    size_t count = l->lexicon->catalog->tables[target].column_count;
    for (size_t c = 0; column == CATALOG_NONE && c < count; c++)
        if (str_equal(lexicon_facts_units_name(l->lexicon, target, (int)c), name))
            column = (int)c;
    return column;
}

static void find_columns(struct listing *l)
{
    l->count = size_min(answer_table_width(l->table), COLUMNS);
    for (size_t i = 0; i < l->count; i++) {
        const struct str name = answer_table_name(l->table, i);
        l->columns[i] = find_column(l, name);
        l->by[i] = l->columns[i] != CATALOG_NONE
                       ? NULL
                       : offline_referred_by(l->lexicon, l->reading->target, name);
    }
}

/* Keys and references say nothing to a reader. */
static bool is_key(const struct listing *l, size_t i)
{
    int t = l->reading->target, c = l->columns[i];
    return c != CATALOG_NONE && (c == l->lexicon->facts[t].key ||
                                 lexicon_index_reference(l->lexicon->catalog, t, c) != NULL);
}

static bool is_label(const struct listing *l, size_t i)
{
    const struct lexicon_facts *facts = &l->lexicon->facts[l->reading->target];
    for (size_t k = 0; k < facts->label_count; k++)
        if (facts->labels[k] == l->columns[i])
            return true;
    return false;
}

/* Whether the question said the value: all rows have it. */
static bool is_asked_by(const struct listing *l, size_t i)
{
    const struct reading_scope *main = &l->reading->scopes[0];
    for (size_t f = 0; f < main->filter_count; f++)
        if (main->filters[f].on.table == l->reading->target && l->columns[i] != CATALOG_NONE &&
            main->filters[f].on.column == l->columns[i] && main->filters[f].op == OP_EQ &&
            main->filters[f].value_count < 2)
            return true;
    return false;
}

static bool same_text(const struct json_value *a, const struct json_value *b)
{
    if (a == NULL || b == NULL || a->type != b->type)
        return false;
    return a->type == JSON_STRING   ? str_equal(a->text, b->text)
           : a->type == JSON_INT    ? a->integer == b->integer
           : a->type == JSON_DOUBLE ? a->number <= b->number && a->number >= b->number
                                    : true;
}

/* Whether the column is the same in all rows, as far as is looked. */
static bool is_constant(const struct listing *l, size_t i)
{
    const struct json_value *first = answer_table_cell(l->table->rows->first, i);
    size_t looked = 0;
    JSON_EACH(row, l->table->rows) {
        if (!same_text(first, answer_table_cell(row, i)))
            return false;
        if (looked++ == LOOKED_AT)
            break;
    }
    return true;
}

static bool is_out(const struct listing *l, size_t i)
{
    const struct offline_reading *r = l->reading;
    for (size_t k = 0; k < r->out_count; k++)
        if (r->outs[k].on.table != r->target || r->outs[k].on.since != 0
                ? l->columns[i] == CATALOG_NONE
                : r->outs[k].on.column == l->columns[i] && l->columns[i] != CATALOG_NONE)
            return true;
    return r->ordered && r->order_out == READING_NONE && r->order_on.table == r->target &&
           r->order_on.column == l->columns[i];
}

/* Whether the column only says whether the row counts. */
static bool is_living(const struct listing *l, size_t i)
{
    const struct semantic_named *living = l->lexicon->facts[l->reading->target].living;
    for (size_t p = 0; living != NULL && p < living->expression.piece_count; p++)
        if (living->expression.pieces[p].column == l->columns[i] && l->columns[i] != CATALOG_NONE)
            return true;
    return false;
}

/* Mark what rows are called by: labels, else the key, else the first column. */
static void choose_names(struct listing *l)
{
    size_t named = 0;
    bool outs = false;
    for (size_t i = 0; i < l->count; i++) {
        l->named[i] = is_label(l, i) && !is_asked_by(l, i);
        named += l->named[i];
        outs = outs || (is_out(l, i) && l->reading->out_count > 0);
    }
    for (size_t i = 0; named == 0 && !outs && i < l->count; i++)
        if (l->columns[i] != CATALOG_NONE &&
            l->columns[i] == l->lexicon->facts[l->reading->target].key) {
            l->named[i] = l->numbered = true;
            named++;
        }
    for (size_t i = 0; named == 0 && !outs && i < l->count; i++) {
        l->named[i] = is_label(l, i) || i == 0;
        named += l->named[i];
    }
}

/* Whether a column says something that the question and the other rows do not. */
static bool tells(const struct listing *l, size_t i)
{
    const struct json_value *cell = answer_table_cell(l->table->rows->first, i);
    return !is_key(l, i) && !is_asked_by(l, i) && !is_living(l, i) && cell != NULL &&
           cell->type != JSON_NULL && (l->table->row_count == 1 || !is_constant(l, i));
}

/* Mark the names of the first row that those without a name refer to. */
static bool tell_referred(struct listing *l)
{
    const struct catalog_reference *first = NULL;
    for (size_t i = 0; i < l->count; i++) {
        if (l->by[i] == NULL || l->told[i] || !tells(l, i) || (first != NULL && l->by[i] != first))
            continue;
        first = l->by[i];
        l->told[i] = true;
    }
    return first != NULL;
}

/* Mark what is told of rows: what was asked for; of one row what else there is, and of rows that
 * have no name but a number a little. */
static void choose_told(struct listing *l)
{
    size_t told = 0, most = l->reading->out_count > 0  ? 0
                            : l->table->row_count == 1 ? TOLD
                            : l->numbered              ? TELLING
                                                       : 0;
    for (size_t i = 0; i < l->count; i++) {
        l->told[i] = !l->named[i] && is_out(l, i);
        told += l->told[i];
    }
    if (l->numbered && told < most)
        told += tell_referred(l);
    for (size_t i = 0; i < l->count && told < most; i++) {
        if (l->named[i] || l->told[i] || l->columns[i] == CATALOG_NONE || !tells(l, i))
            continue;
        l->told[i] = true;
        told++;
    }
}

static void push_cell(const struct listing *l, const struct json_value *row, size_t i,
                      struct buf *out)
{
    struct cell_manner manner = {.counted = false};
    const struct json_value *cell = answer_table_cell(row, i);
    if (l->columns[i] != CATALOG_NONE) {
        const struct reading_column on = {l->reading->target, l->columns[i], NULL, 0, 0};
        const struct reading_out said = offline_statement_list_out(l->lexicon, l->reading, on);
        manner = offline_cells_manner(l->lexicon, l->reading->target, l->columns[i]);
        if (said.over > 1) { /* the statement makes units of them */
            manner.cents = false;
            manner.unit = STR("");
        }
    }
    if (cell != NULL)
        offline_cells_push(cell, &manner, out);
}

/* Whether the column is said in another unit than it is kept in, and so called otherwise. */
static bool is_in_units(const struct listing *l, size_t i)
{
    return catalog_find_column(l->lexicon->catalog, l->reading->target,
                               answer_table_name(l->table, i)) != l->columns[i];
}

/* "(type bug, customer Ada Stone)"; without names where only one thing is told. */
static void push_told(const struct listing *l, const struct json_value *row, size_t count,
                      struct buf *out)
{
    const struct catalog_reference *before = NULL;
    size_t said = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!l->told[i])
            continue;
        const bool goes_on = l->by[i] != NULL && l->by[i] == before; /* first, then last name */
        buf_push(out, goes_on ? STR(" ") : said++ > 0 ? STR(", ") : STR(" ("));
        const size_t at = buf_len(out);
        if (count > 1 && l->columns[i] != CATALOG_NONE && !is_in_units(l, i))
            lexicon_describe_column(l->lexicon, l->reading->target, l->columns[i], out);
        else if (count > 1 && l->columns[i] != CATALOG_NONE)
            lexicon_describe_words(answer_table_name(l->table, i), out);
        else if (count > 1 && l->by[i] != NULL && !goes_on)
            offline_referred_describe(l->lexicon, l->reading->target, l->by[i], out);
        buf_push(out, buf_len(out) > at ? STR(" ") : STR(""));
        push_cell(l, row, i, out);
        before = l->by[i];
    }
    buf_push(out, said > 0 ? STR(")") : STR(""));
}

static void push_row(const struct listing *l, const struct json_value *row, struct buf *out)
{
    size_t named = 0, told = 0;
    for (size_t i = 0; i < l->count; i++)
        told += l->told[i];
    for (size_t i = 0; i < l->count; i++) {
        if (!l->named[i])
            continue;
        buf_push(out, named++ > 0 ? STR(" ") : l->numbered ? STR("#") : STR(""));
        push_cell(l, row, i, out);
    }
    if (named > 0) {
        push_told(l, row, told, out);
        return;
    }
    for (size_t i = 0; i < l->count; i++) {
        if (!l->told[i])
            continue;
        buf_push(out, named++ > 0 ? STR(" ") : STR(""));
        push_cell(l, row, i, out);
    }
}

static void write_rows(const struct listing *l, struct buf *out)
{
    size_t shown = 0, told = 0, named = 0;
    for (size_t i = 0; i < l->count; i++) {
        told += l->told[i];
        named += l->named[i];
    }
    JSON_EACH(row, l->table->rows) {
        if (shown == ANSWER_SHOWN)
            break;
        if (shown++ > 0)
            buf_push(out, named > 1 || told > 0 ? STR("; ") : STR(", "));
        push_row(l, row, out);
    }
    answer_table_rest(l->table, shown, out);
}

/* Rows of nobody knows what: the first cells of each. */
static void write_plain(const struct answer_table *table, struct buf *out)
{
    enum { CELLS = 2 };
    const struct cell_manner manner = {.counted = false};
    size_t shown = 0, columns = answer_table_width(table);
    if (table->row_count == 1 && columns == 1)
        buf_push(out, STR("The answer is "));
    else
        buf_printf(out, "%zu %s: ", table->row_count, table->row_count == 1 ? "row" : "rows");
    JSON_EACH(row, table->rows) {
        if (shown == ANSWER_SHOWN)
            break;
        if (shown++ > 0)
            buf_push(out, columns > 1 ? STR("; ") : STR(", "));
        for (size_t i = 0; i < columns && i < CELLS; i++) {
            buf_push(out, i > 0 ? STR(" ") : STR(""));
            offline_cells_push(answer_table_cell(row, i), &manner, out);
        }
    }
    answer_table_rest(table, shown, out);
}

void offline_listing_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                           const struct answer_table *table, struct buf *out)
{
    struct listing l = {.lexicon = lexicon, .reading = reading, .table = table};
    if (reading == NULL || reading->target == READING_NONE) {
        write_plain(table, out);
        return;
    }
    find_columns(&l);
    choose_names(&l);
    choose_told(&l);
    if (table->truncated)
        buf_push(out, STR("The first "));
    offline_cells_number((double)table->row_count, true, true, out);
    buf_push_char(out, ' ');
    offline_describe_rows(lexicon, reading, reading->target, table->row_count != 1, out);
    buf_push(out, STR(": "));
    write_rows(&l, out);
}
