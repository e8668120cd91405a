/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_rows.c - actions that make rows, and say which of their columns are
 * shown and in which order.
 *
 * Happy path: a table gets conditions, columns, an order. Failure: false. */
#include "agents/offline/grammar/actions.h"

/* What a verb without a sense of its own says of rows. */
bool grammar_tied(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_cond *last = NULL;
    *made = *args[0];
    if (made->kind != SENSE_CONDS)
        return true;
    for (const struct sense_cond *c = args[0]->conds; c != NULL; c = c->next) {
        struct sense_cond *tied = arena_alloc(act->arena, sizeof *tied);
        if (tied == NULL)
            return false;
        *tied = *c;
        tied->is_tied = c->kind == COND_LEAF;
        tied->next = last;
        last = tied;
    }
    made->conds = last;
    return true;
}

bool grammar_self(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    return true;
}

/* A function word that stands for others of its kind. */
bool grammar_mark(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_self(act, args, made);
}

/* "customer name", "order date": a column said with its table. */
bool grammar_qualify(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[1];
    return args[0]->table == args[1]->table && args[0]->conds == NULL;
}

/* "customer orders": rows of the second, each of which belongs to one of the first. */
bool grammar_compound(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[1];
    return args[0]->table != args[1]->table && !args[0]->plural &&
           lexicon_index_hops(act->lexicon, args[1]->table, args[0]->table) == 1 &&
           grammar_is_one(act, args[1]->table, args[0]->table);
}

/* Whether values are counted, and rows of another table than theirs are said. */
static bool counts_elsewhere(const struct sense *numbers, const struct sense *conds)
{
    if (numbers->kind != SENSE_NUMBERS || numbers->measures->agg != AGG_DISTINCT ||
        conds->kind != SENSE_CONDS)
        return false;
    for (const struct sense_cond *c = conds->conds; c != NULL; c = c->next)
        if (c->kind == COND_EXISTS && c->table != numbers->table)
            return true;
    return false;
}

/* Conditions or rows to rows, numbers or what ranks. */
enum {
    OF_ALL = 2, /* of a condition on the whole of which a share is taken */
    TORN = 3    /* of half a name apart from the other half */
};

bool grammar_attach(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    if (made->kind == SENSE_COLUMNS || made->kind == SENSE_GROUPS || made->kind == SENSE_WORD)
        return false;
    act->cost += made->ratio || counts_elsewhere(made, args[1]) ? OF_ALL : 0;
    if (grammar_bound_groups(made, args[1]))
        return true;
    if (args[1]->kind == SENSE_CONDS)
        return grammar_add(act, made, args[1]->conds);
    return grammar_add_rows(act, made, args[1]);
}

/* A name of some row may be of any table; a state is said of the noun behind it. */
static bool is_name(const struct act *act, const struct sense_cond *c)
{
    return c->kind == COND_LEAF &&
           lexicon_index_is_label(act->lexicon, c->table, c->filter->on.column);
}

/* Whether rows are already told by the name of another row of their table. */
static bool is_told_by_name(const struct sense *rows)
{
    for (const struct sense_cond *c = rows->conds; c != NULL; c = c->next)
        if (c->kind == COND_LEAF && c->filter->back)
            return true;
    return false;
}

bool grammar_attach_pre(struct act *act, const struct sense *const args[], struct sense *made)
{
    for (const struct sense_cond *c = args[1]->conds; c != NULL; c = c->next)
        if (c->table != args[0]->table && !is_name(act, c) &&
            !grammar_is_one(act, args[0]->table, c->table) &&
            !(c->kind == COND_NONE && grammar_distance(act, c->table, args[0]->table) >= 0 &&
              lexicon_index_hops(act->lexicon, c->table, args[0]->table) == 1))
            return false;
    if (is_told_by_name(args[0]) && args[1]->conds != NULL && is_name(act, args[1]->conds))
        act->cost += TORN;
    return grammar_attach(act, args, made);
}

/* A value behind rows; behind an average of them it is what is averaged: "cats above the average
 * cat". */
bool grammar_attach_bare(struct act *act, const struct sense *const args[], struct sense *made)
{
    for (const struct sense_cond *c = args[0]->conds; c != NULL; c = c->next)
        if (c->kind == COND_LEAF && c->filter->versus != AGG_NONE)
            return false;
    return grammar_attach_pre(act, args, made);
}

bool grammar_attach_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return args[0]->table != args[1]->table && grammar_add_rows(act, made, args[1]);
}

bool grammar_attach_date(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense date;
    const struct sense *const kids[] = {args[1]};
    *made = *args[0];
    return grammar_dated(act, kids, &date) && grammar_add(act, made, date.conds);
}

/* "salary by category, only people who work here": of such rows alone. */
bool grammar_attach_said(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows = *args[1];
    *made = *args[0];
    return grammar_is_plain(&rows) && args[2]->kind == SENSE_CONDS &&
           grammar_add(act, &rows, args[2]->conds) && grammar_add_rows(act, made, &rows);
}

/* "bookings except cancelled bookings": rows that are not such, or that have no such row. */
bool grammar_without_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    const struct sense *rows = args[1], *const kids[] = {rows};
    *made = *args[0];
    if (!grammar_is_plain(rows) || made->kind == SENSE_COLUMNS || made->table == READING_NONE)
        return false;
    if (rows->table != made->table)
        return grammar_none(act, kids, &cond) && grammar_add(act, made, cond.conds);
    const struct sense all = {.kind = SENSE_CONDS, .table = rows->table, .conds = rows->conds};
    const struct sense *const denied[] = {&all};
    return rows->conds != NULL && grammar_negate(act, denied, &cond) &&
           grammar_add(act, made, cond.conds);
}

/* What is said behind a comma, as rows or as conditions, of the rows that numbers or lists are of.
 */
static bool said_as_rows(struct act *act, const struct sense *said, struct sense *rows)
{
    const struct sense *const own[] = {said};
    *rows = *said;
    return said->kind == SENSE_CONDS ? grammar_stand(act, own, rows) : grammar_is_plain(said);
}

/* The rows that a question is about, as a sense that takes conditions; what ranks and groups them
 * stays. */
static bool without(struct act *act, const struct sense *from, const struct sense *rows,
                    struct sense *made)
{
    const struct sense *const kids[] = {from, rows};
    return rows->conds != NULL && grammar_without_rows(act, kids, made);
}

/* "revenue per branch, without cancelled orders", "..., not counting refunded ones" */
bool grammar_without_said(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    return said_as_rows(act, args[1], &rows) && without(act, args[0], &rows, made);
}

/* "employees per branch, current staff only" */
bool grammar_attach_only(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    *made = *args[0];
    return said_as_rows(act, args[1], &rows) && rows.conds != NULL && made->kind != SENSE_COLUMNS &&
           grammar_add_rows(act, made, &rows);
}

/* "cancelled orders": those whose date of it is known. */
bool grammar_attach_known(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense known;
    const struct sense *const kids[] = {args[1]};
    *made = *args[0];
    return args[0]->table == args[1]->table && grammar_known(act, kids, &known) &&
           grammar_add(act, made, known.conds);
}

/* "a cat as a pet": rows that are such. */
bool grammar_same_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return grammar_is_plain(args[0]) && grammar_is_plain(args[1]) &&
           args[0]->table == args[1]->table && grammar_add(act, made, args[1]->conds);
}

/* A condition without a noun: "technicians", where that is a role. */
bool grammar_stand(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = (struct sense){.kind = SENSE_ROWS, .table = args[0]->table};
    for (const struct sense_cond *c = args[0]->conds; c != NULL; c = c->next)
        if (c->kind != COND_LEAF || c->table != made->table)
            return false;
    return made->table != READING_NONE && grammar_add(act, made, args[0]->conds);
}

bool grammar_distinct(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->distinct = true;
    return true;
}

/* "patient P100257", "policy 500012": the row of that name, or of that key. */
bool grammar_label(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct lexicon_facts *facts = &act->lexicon->facts[args[0]->table];
    struct reading_filter filter = {.op = OP_EQ};
    struct sense cond;
    bool text = args[1]->text.len > 0;
    int column = text ? (facts->label_count > 0 ? facts->labels[0] : CATALOG_NONE) : facts->key;
    *made = *args[0];
    if (column == CATALOG_NONE || (!text && args[1]->unit.len > 0))
        return false;
    enum catalog_type type = act->lexicon->catalog->tables[args[0]->table].columns[column].type;
    filter.on = (struct reading_column){args[0]->table, column, NULL, 0};
    if (text) {
        filter.values[0] = args[1]->text;
        filter.value_count = 1;
    } else {
        filter.number = args[1]->number;
    }
    return (text ? type == CATALOG_TEXT : type == CATALOG_INTEGER) &&
           grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* ---- columns ---- */

const struct sense_column *grammar_join_columns(struct arena *arena,
                                                const struct sense_column *before,
                                                const struct sense_column *after)
{
    if (after == NULL)
        return before;
    struct sense_column *copy = arena_alloc(arena, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = *after;
    copy->next = grammar_join_columns(arena, before, after->next);
    return copy;
}

bool grammar_has_column(const struct sense_column *columns, struct reading_column on)
{
    for (const struct sense_column *c = columns; c != NULL; c = c->next)
        if (c->on.table == on.table && c->on.column == on.column)
            return true;
    return false;
}

bool grammar_columns(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    if (grammar_has_column(args[0]->columns, args[1]->columns->on))
        return false;
    int distance = grammar_distance(act, args[0]->table, args[1]->table);
    act->cost += distance;
    made->columns = grammar_join_columns(act->arena, args[0]->columns, args[1]->columns);
    return distance >= 0 && made->columns != NULL;
}

/* The column of rows of table that has the same values, row by row: of a reference to a key and the
 * key one has the values of the other. */
static struct reading_column own_key(const struct act *act, int table, struct reading_column on)
{
    const struct catalog *catalog = act->lexicon->catalog;
    const struct catalog_table *own = &catalog->tables[table];
    int found = READING_NONE;
    if (on.table == table || on.column == READING_NONE)
        return on;
    const struct catalog_reference *back =
        lexicon_index_reference(catalog, on.table, on.column);
    if (back != NULL && back->to_table == table && back->column_count == 1 &&
        str_equal_nocase(own->columns[back->to_columns[0]].name,
                         catalog->tables[on.table].columns[on.column].name))
        return (struct reading_column){table, back->to_columns[0], NULL, 0};
    for (size_t r = 0; r < own->reference_count; r++) {
        const struct catalog_reference *ref = &own->references[r];
        if (ref->to_table != on.table)
            continue;
        if (ref->column_count != 1 || ref->to_columns[0] != on.column || found != READING_NONE)
            return on;
        found = ref->columns[0];
    }
    return found == READING_NONE ? on : (struct reading_column){table, found, NULL, 0};
}

/* The same of each of columns; NULL: no memory. */
static const struct sense_column *own_keys(const struct act *act, int table,
                                           const struct sense_column *columns)
{
    if (columns == NULL)
        return NULL;
    struct sense_column *copy = arena_alloc(act->arena, sizeof *copy);
    if (copy == NULL)
        return NULL;
    copy->on = own_key(act, table, columns->on);
    copy->next = own_keys(act, table, columns->next);
    return copy;
}

/* Whether a column and the one before it are parts of a person's name. */
static bool are_one_name(const struct act *act, const struct sense_column *c)
{
    const struct sense_column *before = c->next;
    return before != NULL && before->on.table == c->on.table &&
           act->lexicon->facts[c->on.table].person &&
           lexicon_index_is_label(act->lexicon, c->on.table, c->on.column) &&
           lexicon_index_is_label(act->lexicon, c->on.table, before->on.column);
}

/* The rows' columns that are shown, each of the rows themselves or of what each belongs to. */
bool grammar_show_columns(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { MANY = 10 };
    const struct sense *rows = args[1];
    int about = rows->table;
    if (rows->kind == SENSE_NUMBERS && rows->groups != NULL)
        about = rows->groups->on.table;
    if (about == READING_NONE || args[0]->kind != SENSE_COLUMNS || rows->columns != NULL ||
        (rows->kind == SENSE_NUMBERS && rows->groups == NULL)) /* of which row is not said */
        return false;
    const struct sense_column *columns = own_keys(act, about, args[0]->columns);
    const struct sense_column *said = args[0]->columns;
    for (const struct sense_column *c = columns; c != NULL; c = c->next, said = said->next) {
        int distance = grammar_distance(act, about, said->on.table);
        if (distance < 0)
            return false;
        if (!are_one_name(act, c))
            act->cost += 2 * distance + (grammar_is_one(act, about, c->on.table) ? 0 : MANY);
        if (rows->kind == SENSE_NUMBERS && !grammar_is_one(act, about, c->on.table))
            return false;
    }
    *made = *rows;
    made->columns = columns;
    made->distinct = rows->distinct || args[0]->distinct;
    return columns != NULL;
}

/* "employees name and salary"; behind a value of other rows a column's name belongs to that value,
 * whatever it is there: "organizations on the enterprise plan". */
bool grammar_show_columns_behind(struct act *act, const struct sense *const args[],
                                 struct sense *made)
{
    for (const struct sense_cond *c = args[1]->conds; c != NULL; c = c->next)
        if (c->table != args[1]->table)
            return false;
    return grammar_show_columns(act, args, made);
}

static void rows_of_columns(const struct sense *columns, struct sense *rows)
{
    *rows = (struct sense){.kind = SENSE_ROWS, .table = columns->table};
}

bool grammar_show_own(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    rows_of_columns(args[0], &rows);
    const struct sense *const kids[] = {args[0], &rows};
    return grammar_show_columns(act, kids, made);
}

bool grammar_show_attach(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const kids[] = {args[0]};
    for (const struct sense_cond *c = args[1]->conds; c != NULL; c = c->next)
        if (c->table != args[0]->table || (c->kind != COND_LEAF && c->kind != COND_MEAN))
            return false; /* whose columns they are is not said */
    return grammar_show_own(act, kids, made) && grammar_add(act, made, args[1]->conds);
}

bool grammar_show_both(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense columns;
    if (!grammar_columns(act, args, &columns))
        return false;
    const struct sense *const kids[] = {&columns, args[2]};
    return grammar_show_columns(act, kids, made);
}

/* "the city with the most orders": of a column that many rows share its values have them. */
static bool is_kind_ranked(const struct act *act, const struct sense *columns,
                           const struct sense *by)
{
    struct reading_column on;
    if (by->rank.by_measure == AGG_NONE || !grammar_column(columns, &on))
        return false;
    const struct catalog_column *c = &act->lexicon->catalog->tables[on.table].columns[on.column];
    return !c->unique && !c->primary_key &&
           !lexicon_index_is_label(act->lexicon, on.table, on.column);
}

/* "the name with the highest price": rows of the columns' table. */
bool grammar_show_ranked(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows, ranked;
    rows_of_columns(args[0], &rows);
    const struct sense *const kids[] = {&rows, args[1]};
    if (!grammar_ranked(act, kids, &ranked) || is_kind_ranked(act, args[0], args[1]))
        return false;
    const struct sense *const shown[] = {args[0], &ranked};
    return grammar_show_columns(act, shown, made);
}

/* "the newest bikes with their owner": what the row each belongs to is called. */
bool grammar_show_with(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { ADDED = 1 };
    const struct sense *rows = args[0], *with = args[1];
    const struct lexicon_facts *facts = &act->lexicon->facts[with->table];
    struct sense columns;
    if (rows->kind != SENSE_ROWS || rows->columns != NULL || !grammar_is_plain(with) ||
        with->conds != NULL || rows->table == with->table ||
        !grammar_is_one(act, rows->table, with->table) ||
        !grammar_label_columns(act, with->table, &columns))
        return false;
    const struct sense *const kids[] = {&columns, rows};
    act->cost +=
        ADDED - 2 * grammar_distance(act, rows->table, with->table) * (int)facts->label_count;
    return grammar_show_columns(act, kids, made);
}

bool grammar_label_columns(struct act *act, int table, struct sense *columns)
{
    const struct lexicon_facts *facts = &act->lexicon->facts[table];
    *columns = (struct sense){.kind = SENSE_COLUMNS, .table = table};
    for (size_t i = 0; i < facts->label_count; i++) {
        struct sense_column *column = arena_alloc(act->arena, sizeof *column);
        if (column == NULL)
            return false;
        *column = (struct sense_column){.on = {table, facts->labels[i], NULL, 0},
                                        .next = columns->columns};
        columns->columns = column;
    }
    return columns->columns != NULL;
}

static bool asks_for(const struct sense *list, int table)
{
    for (const struct sense_cond *c = list->conds; c != NULL; c = c->next)
        if (c->kind == COND_EXISTS && c->table == table)
            return true;
    return false;
}

/* Columns of rows that belong to the rows of a list are shown beside these. */
static bool show_beside(struct act *act, const struct sense *list, const struct sense *columns,
                        const struct sense *rows, struct sense *made)
{
    enum { BESIDE = 1 };
    struct sense own;
    *made = *list;
    if (list->kind != SENSE_ROWS || list->rank.limit > 0 || !grammar_is_plain(rows) ||
        (rows->conds != NULL && asks_for(list, rows->table)) || columns->kind != SENSE_COLUMNS ||
        rows->table == list->table ||
        (list->columns == NULL && !grammar_label_columns(act, list->table, &own)))
        return false;
    for (const struct sense_column *c = columns->columns; c != NULL; c = c->next) {
        int distance = grammar_distance(act, list->table, c->on.table);
        if (distance < 0 || !grammar_is_one(act, rows->table, c->on.table) ||
            grammar_has_column(list->columns, c->on))
            return false;
    }
    act->cost += grammar_distance(act, list->table, rows->table) + BESIDE;
    made->columns = grammar_join_columns(
        act->arena, list->columns == NULL ? own.columns : list->columns, columns->columns);
    return made->columns != NULL && (rows->conds == NULL || grammar_add_rows(act, made, rows));
}

/* "the names of teachers and the titles of their courses" */
bool grammar_show_pairs(struct act *act, const struct sense *const args[], struct sense *made)
{
    return show_beside(act, args[0], args[1], args[2], made);
}

/* "the names of teachers and the courses that they teach" */
bool grammar_show_beside(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense columns;
    return args[0]->columns != NULL && grammar_label_columns(act, args[1]->table, &columns) &&
           show_beside(act, args[0], &columns, args[1], made);
}

/* "names of countries that speak two languages, and how many they speak": a number of each. */
bool grammar_show_number(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *list = args[0], *m = args[1];
    struct sense rows = *list;
    const struct sense columns = {
        .kind = SENSE_COLUMNS, .table = list->table, .columns = list->columns};
    rows.columns = NULL;
    *made = *m;
    return list->kind == SENSE_ROWS && !list->rank.is && list->table != m->table &&
           m->kind == SENSE_NUMBERS && m->groups == NULL && !m->rank.is && !m->ratio &&
           grammar_group_by(act, made, (struct sense_group){.on = grammar_rows_of(list->table)}) &&
           (rows.conds == NULL || grammar_add_rows(act, made, &rows)) &&
           (list->columns == NULL || grammar_show_of_group(act, &columns, made));
}

/* "song names by young singers": of rows of the table that the columns are said with. */
bool grammar_show_told(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const kids[] = {args[0]};
    return grammar_show_own(act, kids, made) && grammar_add(act, made, args[1]->conds);
}

/* "population by district": a column of each such row, where rows have it themselves. */
bool grammar_show_each(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_group *g = args[1]->groups;
    const struct sense rows = {.kind = SENSE_ROWS, .table = g->on.table};
    const struct sense *const kids[] = {args[0], &rows};
    return g->next == NULL && g->on.table == args[0]->table && g->on.column == READING_NONE &&
           g->grain == GRAIN_NONE && grammar_show_columns(act, kids, made);
}

/* ---- an order of all rows ---- */

bool grammar_descends(const struct sense *direction)
{
    return direction != NULL && (direction->arg & SUPER_DESC) != 0;
}

bool grammar_orders(const struct act *act, const struct sense *direction, struct reading_column on)
{
    int what = direction == NULL ? 0 : direction->arg;
    bool date = lexicon_index_is_date(act->lexicon->catalog, on.table, on.column);
    return (what & SUPER_DATE) != 0    ? date
           : (what & SUPER_COUNT) != 0 ? grammar_is_numeric(act, on)
                                       : true;
}

/* "shops by the number of their products": what belongs to each is counted, or added up. */
bool grammar_order_measured(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *list = args[0], *const kids[] = {list, args[1]};
    if (list->kind != SENSE_ROWS || !grammar_is_number(args[1]) ||
        args[1]->measures->agg == AGG_DISTINCT || !grammar_show_number(act, kids, made))
        return false;
    made->rank = (struct sense_rank){.is = true,
                                     .descending = grammar_descends(args[2]),
                                     .by_measure = args[1]->measures->agg,
                                     .on = args[1]->measures->on};
    return true;
}

bool grammar_order_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    *made = *args[0];
    if (made->kind != SENSE_ROWS || made->rank.is || !grammar_column(args[1], &on) ||
        !grammar_is_one(act, made->table, on.table) || !grammar_orders(act, args[2], on))
        return false;
    act->cost += grammar_distance(act, made->table, on.table);
    made->rank =
        (struct sense_rank){.is = true, .descending = grammar_descends(args[2]), .on = on};
    return true;
}

/* The one column of a kind among those that are shown; column CATALOG_NONE: none, or several. */
static struct reading_column find_shown(const struct act *act, const struct sense *list,
                                        const struct sense *direction)
{
    struct reading_column found = {list->table, CATALOG_NONE, NULL, 0};
    for (const struct sense_column *c = list->columns; c != NULL; c = c->next) {
        if (!grammar_orders(act, direction, c->on))
            continue;
        if (found.column != CATALOG_NONE)
            return (struct reading_column){list->table, CATALOG_NONE, NULL, 0};
        found = c->on;
    }
    return found;
}

/* "..., oldest first": by the date that is shown, else by that of the rows; of persons by age. */
static bool order_dated(struct act *act, const struct sense *direction, struct sense *list)
{
    struct reading_column on = find_shown(act, list, direction);
    bool dated = true, aged = !grammar_descends(direction);
    if (on.column == CATALOG_NONE && aged)
        on.column = grammar_age_column(act->lexicon, list->table, &dated);
    if (on.column == CATALOG_NONE)
        on.table = grammar_dated_by_default(act->lexicon, list->table, &on.column);
    list->rank = (struct sense_rank){
        .is = true, .descending = grammar_descends(direction) || !dated, .on = on};
    return on.column != CATALOG_NONE;
}

/* "..., largest first": by the number that is shown, else by that of the rows. */
static bool order_sized(struct act *act, const struct sense *direction, struct sense *list)
{
    enum { UNSAID = 1 };
    struct reading_column on = find_shown(act, list, direction);
    if (on.column == CATALOG_NONE) {
        on.column = act->lexicon->facts[list->table].measure;
        act->cost += UNSAID;
    }
    list->rank =
        (struct sense_rank){.is = true, .descending = grammar_descends(direction), .on = on};
    return on.column != CATALOG_NONE;
}

bool grammar_order_names(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *direction = args[1];
    *made = *args[0];
    if (made->kind != SENSE_ROWS || made->rank.is)
        return false;
    if ((direction->arg & SUPER_DATE) != 0)
        return order_dated(act, direction, made);
    if ((direction->arg & SUPER_COUNT) != 0)
        return order_sized(act, direction, made);
    const struct sense_column *first = made->columns;
    if (first == NULL)
        return false;
    while (first->next != NULL)
        first = first->next;
    made->rank = (struct sense_rank){
        .is = true, .descending = grammar_descends(direction), .on = first->on};
    return true;
}
