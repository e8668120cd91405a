/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_values.c - actions where a column is what a question is about: its
 * values, by conditions on the rows that have them; and rows that are known by a column.
 *
 * Happy path: different values, or values as groups of which a number is within bounds.
 * Failure: false. */
#include "agents/offline/grammar/actions.h"

#include "agents/english/vocabulary.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "core/words/stem.h"

/* ---- rows by what they are called elsewhere, or by what tells them apart ---- */

static bool has_stem(const struct lexicon_words *w, struct str word)
{
    char a[STEM_BYTES], b[STEM_BYTES];
    for (size_t i = 0; i < w->count; i++)
        if (str_equal(stem_of(w->words[i], a), stem_of(word, b)))
            return true;
    return false;
}

/* Whether a reference is called by words of the table's own name: staffId of staffMember. */
static bool is_called(const struct act *act, struct reading_column on, int to)
{
    const struct lexicon_words *role = lexicon_spelling_column(act->lexicon, on.table, on.column);
    return role->count > 0 && has_stem(lexicon_spelling_table(act->lexicon, to), role->words[0]);
}

/* Whether the table of the reference has others to the same rows, and no other table has this one:
 * it is not what all of them are called, but some. */
static bool is_one_of_several(const struct act *act, struct reading_column on, int to)
{
    const struct catalog *catalog = act->lexicon->catalog;
    struct str name = catalog->tables[on.table].columns[on.column].name;
    size_t siblings = 0, others = 0;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t r = 0; r < catalog->tables[t].reference_count; r++) {
            const struct catalog_reference *ref = &catalog->tables[t].references[r];
            if (ref->to_table != to)
                continue;
            struct str other = catalog->tables[t].columns[ref->columns[0]].name;
            siblings += (int)t == on.table;
            others += (int)t != on.table && str_equal_nocase(other, name);
        }
    return siblings > 1 && others == 0 && !is_called(act, on, to);
}

/* "students" who are called so by all that refers to them, whatever their own table's name. */
bool grammar_role_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[0], &on))
        return false;
    const struct catalog_reference *ref =
        lexicon_index_reference(act->lexicon->catalog, on.table, on.column);
    if (ref == NULL || ref->to_table == on.table || !act->lexicon->facts[ref->to_table].visible ||
        is_one_of_several(act, on, ref->to_table))
        return false;
    *made = (struct sense){.kind = SENSE_ROWS, .table = ref->to_table};
    return true;
}

/* "the supervisor of Lars Olsen": the row that another of the same table refers to. */
bool grammar_role_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[0], &on) || args[1]->kind != SENSE_CONDS)
        return false;
    const struct catalog_reference *ref =
        lexicon_index_reference(act->lexicon->catalog, on.table, on.column);
    if (ref == NULL || ref->to_table != on.table)
        return false;
    bool refers = args[0]->arg != 0; /* "the reports of Lars" */
    struct reading_filter filter = {
        .on = {on.table, refers ? on.column : ref->to_columns[0], NULL, 0},
        .op = OP_EQ,
        .through = true,
        .back = !refers,
        .than = on.column};
    for (const struct sense_cond *c = args[1]->conds; c != NULL; c = c->next) {
        if (c->kind != COND_LEAF || c->table != on.table || c->filter->op != OP_EQ ||
            c->filter->value_count != 1 || c->filter->named != NULL || c->filter->through ||
            filter.value_count == READING_PARTS)
            return false;
        filter.columns[filter.value_count] = c->filter->on.column;
        filter.values[filter.value_count++] = c->filter->values[0];
    }
    struct sense cond;
    *made = (struct sense){.kind = SENSE_ROWS, .table = on.table};
    return grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* Whether a reference may lead to a row that is said behind it. Behind its bare name, by_name, it
 * does not where it leads to its own table: the supervisor of Lars is not whose supervisor is Lars;
 * who reports to Lars is. */
static bool may_lead(const struct catalog_reference *ref, const struct sense *role, bool by_name)
{
    return ref != NULL && ref->column_count == 1 &&
           (!by_name || ref->to_table != role->table || role->arg != 0);
}

/* "departing from Boston", "with the source airport BOS": the row that the reference leads to is
 * that one. */
bool grammar_role_value(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    const struct sense *row = args[1];
    if (!grammar_column(args[0], &on))
        return false;
    const struct catalog *catalog = act->lexicon->catalog;
    const struct catalog_reference *ref = lexicon_index_reference(catalog, on.table, on.column);
    struct reading_filter filter = {.on = on, .op = OP_EQ, .value_count = 1};
    if (!may_lead(ref, args[0], act->imm == 1))
        return false;
    if (row->kind == SENSE_WORD) { /* its key */
        filter.values[0] = row->text;
        return row->text.len > 0 &&
               catalog->tables[on.table].columns[on.column].type == CATALOG_TEXT &&
               grammar_leaf(act, &filter, made);
    }
    filter.through = true;
    filter.value_count = 0;
    for (const struct sense_cond *c = row->conds; c != NULL; c = c->next) {
        if (c->kind != COND_LEAF || c->table != ref->to_table || c->filter->op != OP_EQ ||
            c->filter->value_count != 1 || c->filter->named != NULL || c->filter->through ||
            filter.value_count == READING_PARTS)
            return false;
        filter.columns[filter.value_count] = c->filter->on.column;
        filter.values[filter.value_count++] = c->filter->values[0];
    }
    return filter.value_count > 0 && (row->kind == SENSE_CONDS || grammar_is_plain(row)) &&
           grammar_leaf(act, &filter, made);
}

/* "from Boston", "into Boston": of the two references of one table to such rows the one that says
 * where something begins, or ends. */
bool grammar_role_way(struct act *act, const struct sense *const args[], struct sense *made)
{
    static const struct str begins = {"departing", 9}, ends = {"arriving", 8};
    const struct catalog *catalog = act->lexicon->catalog;
    struct sense_column way = {.next = NULL};
    size_t found = 0;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t r = 0; r < catalog->tables[t].reference_count; r++) {
            const struct catalog_reference *ref = &catalog->tables[t].references[r];
            const struct lexicon_words *w =
                lexicon_spelling_column(act->lexicon, (int)t, ref->columns[0]);
            char stem[STEM_BYTES];
            if (ref->to_table != args[0]->table || w->count == 0 ||
                !is_one_of_several(act, (struct reading_column){(int)t, ref->columns[0], NULL, 0},
                                   ref->to_table) ||
                !lexicon_spelling_says_role(stem_of(w->words[0], stem),
                                            act->imm == 0 ? &begins : &ends, 1))
                continue;
            way.on = (struct reading_column){(int)t, ref->columns[0], NULL, 0};
            found++;
        }
    const struct sense column = {.kind = SENSE_COLUMNS, .table = way.on.table, .columns = &way};
    const struct sense *const kids[] = {&column, args[0]};
    act->imm = 1;
    return found == 1 && grammar_role_value(act, kids, made);
}

/* "departing flights": which of their references is meant; the join takes it by the word. */
bool grammar_role_said(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[1];
    return args[0]->table == args[1]->table && grammar_is_plain(args[1]);
}

/* "rank of losers": the column of the same table that is called by both. */
bool grammar_role_column(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on, role;
    if (!grammar_column(args[0], &on) || !grammar_column(args[1], &role))
        return false;
    const struct catalog_table *t = &act->lexicon->catalog->tables[role.table];
    const struct lexicon_words *said = lexicon_spelling_column(act->lexicon, on.table, on.column);
    const struct lexicon_words *whose =
        lexicon_spelling_column(act->lexicon, role.table, role.column);
    for (size_t c = 0; c < t->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, role.table, (int)c);
        char a[STEM_BYTES], b[STEM_BYTES];
        if (t->columns[c].hidden || w->count < 2 || said->count == 0 || whose->count == 0 ||
            !str_equal(stem_of(w->words[0], a), stem_of(whose->words[0], b)) ||
            !str_equal(stem_of(w->words[w->count - 1], a),
                       stem_of(said->words[said->count - 1], b)) ||
            w->count - 1 > said->count)
            continue;
        struct sense_column *column = arena_alloc(act->arena, sizeof *column);
        if (column == NULL)
            return false;
        *column = (struct sense_column){.on = {role.table, (int)c, NULL, 0}};
        *made = *args[0];
        made->columns = column;
        made->table = role.table;
        return true;
    }
    return false;
}

static bool is_in_key(const struct catalog_table *t, int column)
{
    if (t->columns[column].primary_key)
        return true;
    for (size_t k = 0; k < t->key_count; k++)
        for (size_t i = 0; i < t->keys[k].column_count; i++)
            if (t->keys[k].columns[i] == column)
                return true;
    return false;
}

/* "languages" of a table of countries and their languages: its rows. */
bool grammar_named_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[0], &on))
        return false;
    const struct catalog *catalog = act->lexicon->catalog;
    *made = (struct sense){.kind = SENSE_ROWS, .table = on.table, .plural = true};
    return lexicon_index_reference(catalog, on.table, on.column) == NULL &&
           catalog->tables[on.table].columns[on.column].type == CATALOG_TEXT &&
           is_in_key(&catalog->tables[on.table], on.column) &&
           !catalog->tables[on.table].columns[on.column].unique;
}

/* ---- values ---- */

static const struct sense_cond *find_amount(const struct sense_cond *conds)
{
    for (; conds != NULL; conds = conds->next)
        if (conds->kind == COND_AMOUNT)
            return conds;
    return NULL;
}

/* Values as groups of the rows of which there are so many, or so much. */
static bool bounded(struct act *act, struct reading_column on, const struct sense_cond *amount,
                    struct sense *made)
{
    enum { SUMMED = 2 };
    if (amount->vs_average || amount->op == OP_BETWEEN ||
        !grammar_is_one(act, amount->table, on.table))
        return false;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = amount->table, .conds = amount->of};
    act->cost += SUMMED;
    if (!grammar_measure(act, made, amount->agg, amount->on) ||
        !grammar_group_by(act, made, (struct sense_group){.on = on}))
        return false;
    made->bound = (struct sense_bound){.is = true,
                                       .op = amount->op,
                                       .number = amount->number,
                                       .agg = amount->agg,
                                       .on = amount->on};
    return true;
}

/* "countries with more than 50 players". */
bool grammar_values_many(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[0], &on) && args[1]->kind == SENSE_CONDS &&
           lexicon_index_reference(act->lexicon->catalog, on.table, on.column) == NULL &&
           args[1]->conds->kind == COND_AMOUNT && args[1]->conds->next == NULL &&
           bounded(act, on, args[1]->conds, made);
}

/* "cities that have a shop": different values of a column. */
bool grammar_values(struct act *act, const struct sense *const args[], struct sense *made)
{
    if (args[1]->kind != SENSE_CONDS)
        return false;
    const struct sense *const own[] = {args[0]};
    if (!grammar_show_own(act, own, made))
        return false;
    made->distinct = true;
    return grammar_add(act, made, args[1]->conds);
}

/* "countries with shops": not only that rows have them, whatever they are. */
bool grammar_values_with(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    const struct sense *const rows[] = {args[1]}, *const kids[] = {args[0], &cond};
    return (args[0]->table != args[1]->table || args[1]->conds != NULL) &&
           grammar_exists(act, rows, &cond) && grammar_values(act, kids, made);
}

/* How many different values rows have that meet it. */
bool grammar_count_values(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const own[] = {args[0], NULL};
    for (const struct sense_cond *c = args[1]->conds; c != NULL; c = c->next)
        act->cost += 2 * (c->table != READING_NONE && c->table != args[0]->table);
    return args[1]->kind == SENSE_CONDS && find_amount(args[1]->conds) == NULL &&
           grammar_count_distinct(act, own, made) && grammar_add(act, made, args[1]->conds);
}

/* ---- a number against the lowest, the highest or the average of all ---- */

/* What is compared with, as a word: arg the operator, number the aggregate, of a column, where one
 * is said, of rows of a table that meet conds. */
static bool versus(const struct sense *op, enum offline_agg agg, const struct sense *column,
                   const struct sense *rows, struct sense *made)
{
    *made = (struct sense){
        .kind = SENSE_WORD, .arg = op->arg, .table = READING_NONE, .factor = op->factor};
    made->number = agg;
    bool above = op->arg == OP_GT, below = op->arg == OP_LT;
    if (agg == AGG_SUM || (agg == AGG_MAX && above) || (agg == AGG_MIN && below) ||
        (column != NULL && column->columns->next != NULL))
        return false;
    if (column != NULL)
        made->columns = column->columns;
    if (rows == NULL)
        return true;
    made->table = rows->table;
    made->conds = rows->conds;
    made->plural = rows->plural;
    return rows->kind == SENSE_CONDS || grammar_is_plain(rows);
}

bool grammar_versus(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    return versus(args[0], AGG_AVG, args[1], args[2], made);
}

bool grammar_versus_agg(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    return versus(args[0], (enum offline_agg)args[1]->arg, args[2], args[3], made);
}

/* "above twice the average": times so many hundredths. */
bool grammar_versus_times(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { HUNDREDTHS = 100 };
    (void)act;
    struct sense op = *args[0];
    op.factor = (double)args[1]->arg / HUNDREDTHS;
    return args[2]->arg == AGG_AVG && versus(&op, AGG_AVG, args[3], NULL, made);
}

/* "orders above the average": of the number that is meant of them where none is named. */
bool grammar_versus_measure(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { UNSAID = 1 };
    struct sense cond;
    const struct sense *rows = args[0];
    const struct sense_column number = {
        .on = {rows->table, act->lexicon->facts[rows->table].measure, NULL, 0}};
    const struct sense column = {.kind = SENSE_COLUMNS, .columns = &number};
    const struct sense *const kids[] = {args[1], &column};
    *made = *rows;
    act->cost += UNSAID;
    return rows->kind == SENSE_ROWS && !rows->rank.is && number.on.column != CATALOG_NONE &&
           args[1]->columns == NULL && grammar_compare_versus(act, kids, &cond) &&
           grammar_add(act, made, cond.conds);
}

/* The average is of rows, or of those that meet conditions. */
bool grammar_versus_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    return versus(args[0], (enum offline_agg)args[1]->arg, NULL, args[2], made);
}

/* The average is of rows that are like the row in a column. */
bool grammar_versus_like(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense_group *like = arena_alloc(act->arena, sizeof *like);
    if (like == NULL || !versus(args[0], (enum offline_agg)args[1]->arg, args[2], NULL, made))
        return false;
    *like = (struct sense_group){.grain = GRAIN_NONE};
    made->groups = like;
    return grammar_column(args[3], &like->on);
}

/* "... of their kind" behind any comparison with an average. */
bool grammar_versus_kind(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense_group *like = arena_alloc(act->arena, sizeof *like);
    *made = *args[0];
    if (like == NULL || made->groups != NULL || made->table != READING_NONE)
        return false;
    *like = (struct sense_group){.grain = GRAIN_NONE};
    made->groups = like;
    return grammar_column(args[1], &like->on);
}

/* The one column of table that refers to rows of another; CATALOG_NONE. */
static int find_reference(const struct act *act, int table, int to)
{
    int found = CATALOG_NONE;
    const struct catalog_table *t = &act->lexicon->catalog->tables[table];
    for (size_t r = 0; r < t->reference_count; r++) {
        if (t->references[r].to_table != to)
            continue;
        if (found != CATALOG_NONE || t->references[r].column_count != 1)
            return CATALOG_NONE;
        found = t->references[r].columns[0];
    }
    return found;
}

/* Whose average is meant: all rows, those with one value, or those that are like the row, also in
 * what they belong to ("of their department"); false: others. */
static bool find_mean(const struct act *act, const struct sense *versus, int table,
                      struct reading_mean *mean)
{
    const struct sense_cond *c = versus->conds;
    *mean = (struct reading_mean){.of = MEAN_ALL};
    if (versus->kind == SENSE_WORD && versus->groups != NULL) {
        *mean = (struct reading_mean){MEAN_OF_LIKE, versus->groups->on.column, STR("")};
        return versus->groups->on.table == table;
    }
    if (versus->table != READING_NONE && versus->table != table) {
        int reference = find_reference(act, table, versus->table);
        *mean = (struct reading_mean){MEAN_OF_LIKE, reference, STR("")};
        return versus->kind == SENSE_WORD && c == NULL && !versus->plural &&
               reference != CATALOG_NONE;
    }
    if (c == NULL)
        return true;
    if (c->next != NULL || c->kind != COND_LEAF || c->filter->op != OP_EQ ||
        c->filter->value_count != 1 || c->filter->named != NULL || c->table != table)
        return false;
    *mean = (struct reading_mean){MEAN_OF_VALUE, c->filter->on.column, c->filter->values[0]};
    return true;
}

bool grammar_compare_versus(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *than = args[0];
    struct reading_filter filter = {.op = (enum offline_op)than->arg,
                                    .versus = (enum offline_agg)than->number,
                                    .factor = than->factor};
    if (args[1] == NULL ? than->columns == NULL : !grammar_column(args[1], &filter.on))
        return false;
    if (args[1] == NULL)
        filter.on = than->columns->on;
    const struct catalog *catalog = act->lexicon->catalog;
    bool same = than->columns == NULL || (than->columns->on.table == filter.on.table &&
                                          than->columns->on.column == filter.on.column);
    return same && find_mean(act, than, filter.on.table, &filter.mean) &&
           (grammar_is_numeric(act, filter.on) ||
            (lexicon_index_is_date(catalog, filter.on.table, filter.on.column) &&
             filter.versus != AGG_AVG)) &&
           grammar_filter(act, COND_MEAN, &filter, made);
}

/* ---- the first row of all as a condition ---- */

/* "the stadium with the highest capacity" inside a question: rows that have what it has. */
bool grammar_first_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *first = args[0];
    struct sense cond;
    if (first->kind != SENSE_ROWS || !first->rank.is || first->rank.limit != 1 ||
        first->rank.by_measure != AGG_NONE || first->rank.on.table != first->table ||
        first->rank.on.since != 0 || first->columns != NULL)
        return false;
    struct reading_filter filter = {
        .on = first->rank.on, .op = OP_EQ, .versus = first->rank.descending ? AGG_MAX : AGG_MIN};
    if (!find_mean(act, first, first->table, &filter.mean))
        return false;
    *made = (struct sense){.kind = SENSE_ROWS, .table = first->table, .conds = first->conds};
    return grammar_filter(act, COND_MEAN, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* ---- said once more ---- */

static bool is_measured(const struct sense *said, const struct sense *m)
{
    for (const struct sense_measure *s = said->measures; s != NULL; s = s->next)
        if (s->agg == m->measures->agg && s->on.table == m->measures->on.table &&
            s->on.column == m->measures->on.column && s->on.metric == m->measures->on.metric)
            return true;
    return false;
}

/* "Which country has the most channels? List the country and the number of channels.": the number
 * is already there, or comes beside it; the columns are those of the group. */
bool grammar_show_measured(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *q = args[0], *columns = args[1], *m = args[2];
    *made = *q;
    if (q->kind != SENSE_NUMBERS || q->groups == NULL || m->kind != SENSE_NUMBERS ||
        m->groups != NULL || m->rank.is || m->conds != NULL || m->table != q->table)
        return false;
    for (const struct sense_measure *each = m->measures; each != NULL; each = each->next) {
        const struct sense one = {.measures = each};
        if (is_measured(made, &one))
            continue;
        struct sense more = *made;
        if (!grammar_measure(act, &more, each->agg, each->on))
            return false;
        made->measures = more.measures;
    }
    return columns == NULL || grammar_show_of_group(act, columns, made);
}

/* "which country has the most channels and how many does it have": the number is there. */
bool grammar_said_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    return made->kind == SENSE_NUMBERS && made->groups != NULL &&
           made->measures->agg == AGG_COUNT && made->measures->next == NULL;
}

/* ---- a number against another of the same row ---- */

/* What there is of a thing, where a level of it is said: the one number of the table that is called
 * a stock; CATALOG_NONE. */
static int find_stock(const struct act *act, int table, int beside)
{
    const char *const *words = vocabulary_lists[VOCABULARY_STOCKS];
    int found = CATALOG_NONE;
    for (size_t c = 0; c < act->lexicon->catalog->tables[table].column_count; c++) {
        if ((int)c == beside || act->lexicon->catalog->tables[table].columns[c].hidden ||
            !lexicon_index_is_number(act->lexicon->catalog, table, (int)c) ||
            !grammar_has_word(lexicon_spelling_column(act->lexicon, table, (int)c), words))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

/* "drugs below reorder level": what there is of each against that number of its own. */
bool grammar_beyond(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column than;
    struct sense cond;
    *made = *args[0];
    if (args[0]->kind != SENSE_ROWS || args[0]->rank.is || !grammar_column(args[2], &than) ||
        than.table != args[0]->table || args[1]->arg == OP_EQ)
        return false;
    struct reading_filter filter = {
        .on = {than.table, find_stock(act, than.table, than.column), NULL, 0},
        .op = (enum offline_op)args[1]->arg,
        .vs_column = true,
        .than = than.column};
    return filter.on.column != CATALOG_NONE && grammar_leaf(act, &filter, &cond) &&
           grammar_add(act, made, cond.conds);
}
