/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_ranks.c - actions that say which rows, or which values, come first: by
 * a column of their own, by what belongs to them, by their date, price or length.
 *
 * Happy path: rows get an order and a limit, or become groups that a number is made for.
 * Failure: false; what rows are ranked by is never guessed among several. */
#include "agents/offline/grammar/actions.h"

#include "agents/english/synonyms.h"
#include "agents/english/verbs.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/tables.h"
#include "core/words/stem.h"

enum { SOME = 10 }; /* of "top customers" */

/* ---- by what ---- */

bool grammar_rank_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    const struct sense *rows = args[1];
    *made = (struct sense){.kind = SENSE_RANK, .table = rows->table, .conds = rows->conds};
    made->rank = (struct sense_rank){.is = true,
                                     .descending = args[0]->arg == 1,
                                     .by_measure = AGG_COUNT,
                                     .on = grammar_rows_of(rows->table),
                                     .limit = 1};
    return grammar_is_plain(rows);
}

bool grammar_rank_column(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[1], &on))
        return false;
    const struct catalog *catalog = act->lexicon->catalog;
    *made = (struct sense){.kind = SENSE_RANK, .table = on.table};
    made->rank =
        (struct sense_rank){.is = true, .descending = args[0]->arg == 1, .on = on, .limit = 1};
    return grammar_is_numeric(act, on) ||
           lexicon_index_is_date(catalog, on.table, on.column);
}

/* "was assigned the most orders": the verb does not say whose they are (arg 1). */
bool grammar_rank_tied(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->arg = 1;
    return true;
}

/* "the most hours": the total of what belongs to each. */
bool grammar_rank_total(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[1], &on) ||
        !lexicon_facts_is_measure(act->lexicon, on.table, on.column))
        return false;
    bool is = grammar_rank_column(act, args, made);
    made->rank.by_measure = grammar_together(act, on);
    return is;
}

bool grammar_rank_number(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    const struct sense *m = args[1];
    if (!grammar_is_number(m))
        return false;
    *made = *m;
    made->kind = SENSE_RANK;
    made->rank = (struct sense_rank){.is = true,
                                     .descending = args[0]->arg == 1,
                                     .by_measure = m->measures->agg,
                                     .on = m->measures->on,
                                     .limit = 1};
    return true;
}

/* "rented the most films": rentals of films are counted. */
bool grammar_rank_deed(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *deed = args[0], *rank = args[1];
    if (rank->rank.by_measure != AGG_COUNT || deed->rank.is || deed->kind != SENSE_ROWS)
        return false;
    *made = *rank;
    made->table = deed->table;
    made->conds = deed->conds;
    made->rank.on = grammar_rows_of(deed->table);
    if (rank->table == deed->table)
        return grammar_add(act, made, rank->conds);
    struct sense rows = {.kind = SENSE_ROWS, .table = rank->table, .conds = rank->conds};
    return grammar_is_one(act, deed->table, rank->table) && grammar_add_rows(act, made, &rows);
}

/* ---- rows by it ---- */

/* The numbers by which groups are ranked. */
static bool begin_numbers(struct act *act, const struct sense *by, enum offline_agg agg,
                          struct sense *made)
{
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = by->table, .conds = by->conds};
    if (!grammar_measure(act, made, agg, by->rank.on))
        return false;
    made->rank = by->rank;
    made->rank.by_measure = agg;
    return true;
}

/* Groups of what belongs to rows, one for each of them. */
static bool rank_by_related(struct act *act, const struct sense *rows, const struct sense *by,
                            enum offline_agg agg, struct sense *made)
{
    if (by->table == rows->table || !begin_numbers(act, by, agg, made))
        return false;
    struct sense_rank rank = made->rank;
    made->rank.is = false;
    bool ok =
        grammar_group_by(act, made, (struct sense_group){.on = grammar_rows_of(rows->table)}) &&
        (rows->conds == NULL || grammar_add_rows(act, made, rows));
    made->rank = rank;
    made->plural = rows->plural;
    return ok;
}

bool grammar_ranked(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { EXTREME = 3 };
    const struct sense *rows = args[0], *by = args[1];
    if (rows->kind != SENSE_ROWS || rows->rank.is || by->kind != SENSE_RANK)
        return false;
    int to = by->rank.on.table;
    bool own = to == rows->table && by->rank.on.column != READING_NONE && by->conds == NULL;
    if (by->rank.by_measure != AGG_NONE && !own)
        return rank_by_related(act, rows, by, by->rank.by_measure, made);
    if (!grammar_is_one(act, rows->table, to)) {
        const struct reading_column on = by->rank.on;
        const bool is_level = lexicon_facts_is_level(act->lexicon, on.table, on.column);
        act->cost += EXTREME;
        return rank_by_related(act, rows, by,
                               is_level              ? AGG_AVG
                               : by->rank.descending ? AGG_MAX
                                                     : AGG_MIN,
                               made);
    }
    *made = *rows;
    made->rank = by->rank;
    made->rank.by_measure = AGG_NONE; /* "the most inhabitants": each has its number */
    act->cost += grammar_distance(act, rows->table, to);
    return by->conds == NULL || grammar_add(act, made, by->conds);
}

/* "the language that the most countries speak": a table of both refers to the countries, and each
 * of its rows has a language. */
static bool rank_by_referred(struct act *act, struct reading_column on, const struct sense *by,
                             struct sense *made)
{
    enum { FARTHER = 1 };
    const struct catalog_table *t = &act->lexicon->catalog->tables[on.table];
    struct sense rows = {.kind = SENSE_ROWS, .table = by->table, .conds = by->conds};
    int column = CATALOG_NONE;
    for (size_t r = 0; r < t->reference_count; r++) {
        if (t->references[r].to_table != by->table)
            continue;
        if (column != CATALOG_NONE || t->references[r].column_count != 1)
            return false;
        column = t->references[r].columns[0];
    }
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = on.table};
    if (column == CATALOG_NONE ||
        !grammar_measure(act, made, AGG_DISTINCT,
                         (struct reading_column){on.table, column, NULL, 0}) ||
        (by->conds != NULL && !grammar_add_rows(act, made, &rows)) ||
        !grammar_group_by(act, made, (struct sense_group){.on = on}))
        return false;
    act->cost += grammar_distance(act, on.table, by->table) + FARTHER;
    made->rank = by->rank;
    made->rank.by_measure = AGG_DISTINCT;
    return true;
}

/* "which city has the most customers": values of a column by rows that have them. */
bool grammar_ranked_values(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    const struct sense *by = args[1];
    if (!grammar_column(args[0], &on) || by->kind != SENSE_RANK)
        return false;
    enum offline_agg agg = by->rank.by_measure != AGG_NONE ? by->rank.by_measure
                           : by->rank.descending           ? AGG_MAX
                                                           : AGG_MIN;
    if (by->rank.by_measure == AGG_NONE && on.table == by->table)
        return false; /* the row that has it */
    if (agg == AGG_COUNT && on.table != by->table && grammar_is_one(act, on.table, by->table))
        return rank_by_referred(act, on, by, made);
    if (!begin_numbers(act, by, agg, made))
        return false;
    struct sense_rank rank = made->rank;
    made->rank.is = false;
    bool ok = grammar_group_by(act, made, (struct sense_group){.on = on});
    made->rank = rank;
    return ok;
}

/* "the year with the most loans" */
bool grammar_ranked_grain(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *by = args[1];
    if (by->kind != SENSE_RANK || by->rank.by_measure == AGG_NONE ||
        !begin_numbers(act, by, by->rank.by_measure, made))
        return false;
    struct sense_rank rank = made->rank;
    made->rank.is = false;
    bool ok = grammar_group_by(act, made,
                               (struct sense_group){.on = {READING_NONE, READING_NONE, NULL, 0},
                                                    .grain = (enum offline_grain)args[0]->arg});
    if (ok && args[2] != NULL) {
        struct sense date;
        const struct sense *const period[] = {args[2]};
        ok = grammar_dated(act, period, &date) && grammar_add(act, made, date.conds);
    }
    made->rank = rank;
    return ok;
}

/* "the busiest month for loans" */
bool grammar_busiest_grain(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rank;
    const struct sense *const by[] = {args[0], args[2]}, *const kids[] = {args[1], &rank, NULL};
    return args[2]->kind == SENSE_ROWS && grammar_rank_rows(act, by, &rank) &&
           grammar_ranked_grain(act, kids, made);
}

/* "which question fails most often": rows that are so are counted. */
bool grammar_rank_state(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const own[] = {args[1]}, *const kids[] = {args[0], &rows};
    return args[1]->kind == SENSE_CONDS && grammar_stand(act, own, &rows) &&
           grammar_rank_rows(act, kids, made);
}

/* "big customers": by which number is not said. */
bool grammar_vague(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[1];
    made->vague = true;
    made->rank.limit = args[2] == NULL ? 0 : 1;
    return grammar_is_plain(args[1]);
}

/* What stands behind "by": a number made of rows, a column, or already an order. */
static bool make_rank(struct act *act, const struct sense *direction, const struct sense *by,
                      struct sense *rank)
{
    const struct sense *const kids[] = {direction, by};
    if (by->kind == SENSE_RANK) {
        *rank = *by;
        return true;
    }
    return by->kind == SENSE_COLUMNS ? grammar_rank_column(act, kids, rank)
                                     : grammar_rank_number(act, kids, rank);
}

static bool top(struct act *act, const struct sense *direction, unsigned limit,
                const struct sense *rows, const struct sense *by, struct sense *made)
{
    struct sense rank;
    if (limit == 0 || !make_rank(act, direction, by, &rank))
        return false;
    rank.rank.limit = limit;
    if (by->kind != SENSE_RANK)
        rank.rank.descending = direction->arg == 1;
    if (by->kind == SENSE_COLUMNS && rows->kind == SENSE_ROWS &&
        !grammar_is_one(act, rows->table, rank.rank.on.table) &&
        lexicon_facts_is_measure(act->lexicon, rank.rank.on.table, rank.rank.on.column))
        rank.rank.by_measure = grammar_together(act, rank.rank.on); /* "customers by amount" */
    const struct sense *const kids[] = {rows, &rank};
    return rows->kind == SENSE_COLUMNS ? grammar_ranked_values(act, kids, made)
                                       : grammar_ranked(act, kids, made);
}

bool grammar_ranked_top(struct act *act, const struct sense *const args[], struct sense *made)
{
    return top(act, args[0], grammar_limit(args[2], args[1], 0), args[2], args[3], made);
}

bool grammar_ranked_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    return top(act, args[2], grammar_limit(args[1], args[0], 0), args[1], args[2], made);
}

bool grammar_ranked_first(struct act *act, const struct sense *const args[], struct sense *made)
{
    return top(act, args[0], grammar_limit(args[1], NULL, SOME), args[1], args[2], made);
}

unsigned grammar_limit(const struct sense *rows, const struct sense *number, unsigned some)
{
    enum { MOST = 1000 };
    if (number == NULL)
        return rows->plural ? some : 1;
    bool fits = number->unit.len == 0 && number->number >= 1 && number->number <= MOST;
    return fits ? (unsigned)number->number : 0;
}

/* ---- by date, price, length ---- */

bool grammar_first(const struct sense *rows, int table, int column, bool descending, unsigned limit,
                   struct sense *made)
{
    if (rows->kind != SENSE_ROWS || rows->rank.is || column == CATALOG_NONE || limit == 0)
        return false;
    *made = *rows;
    made->rank = (struct sense_rank){
        .is = true, .descending = descending, .on = {table, column, NULL, 0}, .limit = limit};
    return true;
}

bool grammar_first_dated(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *rows = args[1];
    int column, holder = grammar_dated_by_default(act->lexicon, rows->table, &column);
    if (column == CATALOG_NONE) { /* the year that its rows have as a number */
        holder = rows->table;
        column = grammar_year_column(act->lexicon, rows->table);
    }
    return !grammar_has_age(act, rows->table) && /* who is old was born early */
           grammar_first(rows, holder, column, args[0]->arg == 1,
                         grammar_limit(rows, args[2], SOME), made);
}

bool grammar_first_priced(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { UNSAID = 2 };
    const struct sense *rows = args[1];
    int column = grammar_scale_column(act, rows->table, SCALE_PRICE).column;
    if (column == CATALOG_NONE) { /* the one amount that it has */
        column = act->lexicon->facts[rows->table].measure;
        act->cost += UNSAID;
    }
    return grammar_first(rows, rows->table, column, args[0]->arg == 1,
                         grammar_limit(rows, args[2], 0), made);
}

/* What says how big rows are: their one size, else their one measure; CATALOG_NONE. */
static int find_size(const struct act *act, int table)
{
    int found = CATALOG_NONE;
    const struct catalog_table *t = &act->lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, table, (int)c);
        char stem[STEM_BYTES];
        if (t->columns[c].hidden || w->count == 0 ||
            !lexicon_facts_is_measure(act->lexicon, table, (int)c) ||
            !english_verbs_measures(SCALE_SIZE, stem_of(w->words[w->count - 1], stem)))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found != CATALOG_NONE ? found : act->lexicon->facts[table].measure;
}

bool grammar_first_measured(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *rows = args[1];
    return grammar_person(act, rows->table) != rows->table &&
           grammar_first(rows, rows->table, find_size(act, rows->table), args[0]->arg == 1,
                         grammar_limit(rows, args[2], 0), made);
}

/* ---- the most common ---- */

/* Values of a column, or rows, by how many rows of counted have them. */
static bool common(struct act *act, const struct sense *direction, unsigned limit,
                   const struct sense *what, const struct sense *counted, struct sense *made)
{
    struct sense by;
    const struct sense *const kids[] = {direction, counted};
    if (limit == 0 || !grammar_rank_rows(act, kids, &by))
        return false;
    by.rank.limit = limit;
    const struct sense *const ranked[] = {what, &by};
    return what->kind == SENSE_COLUMNS ? grammar_ranked_values(act, ranked, made)
                                       : grammar_ranked(act, ranked, made);
}

/* The only table whose rows refer to rows of table; READING_NONE: none, or several. */
static int only_child(const struct act *act, int table)
{
    int found = READING_NONE;
    for (size_t t = 0; t < act->lexicon->catalog->table_count; t++) {
        const struct catalog_table *other = &act->lexicon->catalog->tables[t];
        for (size_t r = 0; r < other->reference_count; r++) {
            if (other->references[r].to_table != table || !act->lexicon->facts[t].visible)
                continue;
            if (found != READING_NONE && found != (int)t)
                return READING_NONE;
            found = (int)t;
        }
    }
    return found;
}

/* "parts that were never used": no row refers to them, where only rows of one table can. */
bool grammar_unused(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense users = {.kind = SENSE_ROWS, .table = READING_NONE}, cond;
    const struct sense *const kids[] = {&users};
    *made = *args[0];
    if (made->kind != SENSE_ROWS || made->rank.is)
        return false;
    users.table = only_child(act, made->table);
    return users.table != READING_NONE && grammar_none(act, kids, &cond) &&
           grammar_add(act, made, cond.conds);
}

static bool has_date(const struct act *act, int table)
{
    for (size_t c = 0; c < act->lexicon->catalog->tables[table].column_count; c++)
        if (lexicon_index_is_date(act->lexicon->catalog, table, (int)c))
            return true;
    return false;
}

/* Whose rows say how busy rows of table are: of several that refer to them, the one that has dates,
 * is no person and refers to most others. */
static int busy_child(const struct act *act, int table)
{
    int found = READING_NONE;
    size_t most = 0;
    bool tied = false;
    const struct catalog *catalog = act->lexicon->catalog;
    for (size_t t = 0; t < catalog->table_count; t++) {
        const struct catalog_table *child = &catalog->tables[t];
        bool refers = false;
        for (size_t r = 0; r < child->reference_count; r++)
            refers = refers || child->references[r].to_table == table;
        if (!refers || !act->lexicon->facts[t].visible || child->reference_count < most ||
            grammar_person(act, (int)t) == (int)t)
            continue;
        if (child->reference_count == most && has_date(act, (int)t) <= has_date(act, found)) {
            tied = tied || has_date(act, (int)t) == has_date(act, found);
            continue;
        }
        found = (int)t;
        most = child->reference_count;
        tied = false;
    }
    return tied ? READING_NONE : found;
}

/* "the busiest site", "top 5 diagnoses": by how many rows refer to each. */
bool grammar_busiest(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *what = args[1];
    struct sense counted = {.kind = SENSE_ROWS, .table = READING_NONE};
    bool kinds = act->imm == 1; /* of kinds of things, not of persons or what has an amount */
    for (const struct sense_cond *c = what->conds; c != NULL; c = c->next)
        if (c->kind == COND_DATE) /* it is of what is counted */
            return false;
    if (what->kind != SENSE_ROWS ||
        (kinds && (act->lexicon->facts[what->table].measure != CATALOG_NONE ||
                   grammar_person(act, what->table) == what->table)))
        return false;
    counted.table = busy_child(act, what->table);
    return counted.table != READING_NONE &&
           common(act, args[0], grammar_limit(what, args[2], 1), what, &counted, made);
}

bool grammar_common(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *what = args[1];
    struct sense counted = {.kind = SENSE_ROWS, .table = what->table};
    if (what->kind == SENSE_ROWS)
        counted.table = only_child(act, what->table);
    return counted.table != READING_NONE &&
           common(act, args[0], grammar_limit(what, args[2], 1), what, &counted, made);
}

bool grammar_common_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    return common(act, args[0], 1, args[1], args[2], made);
}
