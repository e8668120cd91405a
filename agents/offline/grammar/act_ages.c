/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_ages.c - actions for how old rows are, by a date of birth or by an age
 * that is a number, and for what other adjectives measure: tall, heavy, long.
 *
 * Happy path: the one column of a table that says it is shown, compared or ranked by. Failure:
 * false. */
#include "agents/offline/grammar/actions.h"

#include "agents/english/synonyms.h"
#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/tables.h"
#include "core/words/stem.h"

int grammar_age_column(const struct lexicon *lexicon, int table, bool *dated)
{
    int found = CATALOG_NONE, numbers = 0, dates = 0;
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, (int)c);
        bool date = lexicon_index_is_date(lexicon->catalog, table, (int)c);
        char stem[STEM_BYTES];
        bool age = w->count > 0 && lexicon_index_is_number(lexicon->catalog, table, (int)c) &&
                   english_verbs_measures(SCALE_AGE, stem_of(w->words[w->count - 1], stem));
        if (t->columns[c].hidden || !(age || (date && grammar_has_word(w, grammar_birth))))
            continue;
        numbers += age;
        dates += !age;
        if (age || numbers == 0)
            found = (int)c;
    }
    *dated = numbers == 0;
    return numbers > 1 || (numbers == 0 && dates > 1) ? CATALOG_NONE : found;
}

/* The day so many years before today, or the last day of its month. */
static int32_t years_ago(int32_t today, int years)
{
    int year, month, day;
    english_dates_split(today, &year, &month, &day);
    if (month == 2 && day == 29)
        day = 28;
    return english_dates_day(year - years, month, day);
}

/* Who is older than so many years was born before the day as many years ago. */
static bool by_birth(const struct act *act, enum offline_op op, int years,
                     struct reading_filter *filter)
{
    filter->op = OP_RANGE;
    filter->range = (struct offline_range){OFFLINE_DAY_NONE, OFFLINE_DAY_NONE};
    int32_t then = years_ago(act->today, years);
    if (op == OP_GT) /* of 66 and more, where 65 is said: that birthday has been */
        filter->range.end = then;
    else if (op == OP_GE)
        filter->range.end = then + 1;
    else if (op == OP_LT)
        filter->range.first = then + 1;
    else
        return false;
    return true;
}

bool grammar_aged(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { MOST = 130 };
    bool dated = false;
    struct sense cond;
    if (args[0]->kind != SENSE_ROWS || args[0]->rank.is || args[2]->unit.len > 0 ||
        args[2]->number < 0 || args[2]->number > MOST)
        return false;
    int column = grammar_age_column(act->lexicon, args[0]->table, &dated);
    enum offline_op op = args[1] == NULL ? OP_EQ : (enum offline_op)args[1]->arg;
    struct reading_filter filter = {
        .on = {args[0]->table, column, NULL, 0}, .op = op, .number = args[2]->number};
    *made = *args[0];
    return column != CATALOG_NONE && (!dated || by_birth(act, op, (int)args[2]->number, &filter)) &&
           grammar_leaf(act, &filter, &cond) && grammar_add(act, made, cond.conds);
}

/* "performers are 30 years old" */
bool grammar_aged_is(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const kids[] = {args[0], NULL, args[1]};
    return grammar_aged(act, kids, made);
}

/* ---- what an adjective measures ---- */

/* Whether a name says that the column holds the scale. */
static bool says(enum offline_scale scale, const struct lexicon_words *w)
{
    bool fits = scale == SCALE_WAGE && grammar_has_word(w, grammar_wage);
    for (size_t i = 0; i < w->count && !fits; i++) {
        char stem[STEM_BYTES];
        struct str word = stem_of(w->words[i], stem);
        fits = scale == SCALE_PRICE ? english_synonyms_is_price(word)
                                    : english_verbs_measures(scale, word);
    }
    return fits;
}

/* Whether a column is what was paid for a thing before it was sold. */
static bool is_bought(const struct lexicon_words *w)
{
    char stem[STEM_BYTES];
    for (size_t i = 0; i < w->count; i++)
        if (vocabulary_has(VOCABULARY_BOUGHT, stem_of(w->words[i], stem)))
            return true;
    return false;
}

/* The one number of a table whose name says the scale; CATALOG_NONE: none, or several. */
static int find_number(const struct act *act, int table, enum offline_scale scale, bool sold)
{
    int found = CATALOG_NONE;
    const struct catalog_table *t = &act->lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        if (t->columns[c].hidden || !lexicon_facts_is_measure(act->lexicon, table, (int)c) ||
            !says(scale, lexicon_spelling_column(act->lexicon, table, (int)c)) ||
            (sold && is_bought(lexicon_spelling_column(act->lexicon, table, (int)c))))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

struct reading_column grammar_scale_column(const struct act *act, int table,
                                           enum offline_scale scale)
{
    struct reading_column on = {table, CATALOG_NONE, NULL, 0};
    bool dated = false;
    on.column = scale == SCALE_AGE ? grammar_age_column(act->lexicon, table, &dated)
                                   : find_number(act, table, scale, scale == SCALE_PRICE);
    if (on.column == CATALOG_NONE && scale == SCALE_PRICE) /* all there is, is what it cost */
        on.column = find_number(act, table, scale, false);
    on.since = dated && on.column != CATALOG_NONE ? READING_AGE : 0;
    return on;
}

/* The column that a word of comparison is about, as a sense of columns. */
static bool scale_of(const struct act *act, const struct sense *word, int table,
                     struct sense_column *column, struct sense *columns)
{
    const enum offline_scale scale = (enum offline_scale)(word->arg >> SCALE_SHIFT);
    *column = (struct sense_column){.on = grammar_scale_column(act, table, scale)};
    *columns = (struct sense){.kind = SENSE_COLUMNS, .table = table, .columns = column};
    return column->on.column != CATALOG_NONE;
}

/* "the heaviest vehicle"; who is old was born early, or has a high age. */
bool grammar_first_scaled(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense_column column;
    struct sense columns;
    const struct sense *rows = args[1];
    bool most = (args[0]->arg & SCALE_WAY) == 1;
    return rows->kind == SENSE_ROWS && scale_of(act, args[0], rows->table, &column, &columns) &&
           grammar_first(rows, rows->table, column.on.column, most == (column.on.since == 0),
                         grammar_limit(rows, args[2], 0), made);
}

/* "vehicles heavier than 2000 kg", "rooms that cost more than 80 a night": the way is that of the
 * word, else of the number. */
bool grammar_scaled_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense_column column;
    struct sense columns, cond, quantity = *args[2];
    const struct sense *const kids[] = {&columns, &quantity};
    if ((args[1]->arg & SCALE_WAY) != 0)
        quantity.arg = args[1]->arg & SCALE_WAY;
    *made = *args[0];
    return made->kind == SENSE_ROWS && !made->rank.is &&
           scale_of(act, args[1], made->table, &column, &columns) &&
           grammar_compare(act, kids, &cond) && grammar_add(act, made, cond.conds);
}

/* "how tall is Ann": beside her name. */
bool grammar_show_scaled(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense columns;
    struct sense_column *column = arena_alloc(act->arena, sizeof *column);
    const struct sense *const kids[] = {&columns, args[1]};
    return column != NULL && args[1]->kind == SENSE_ROWS &&
           scale_of(act, args[0], args[1]->table, column, &columns) &&
           grammar_show_columns(act, kids, made);
}

/* "how old are performers on average" */
bool grammar_average_scaled(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense_column column;
    struct sense columns;
    const struct sense *rows = args[1];
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = rows->table, .conds = rows->conds};
    return grammar_is_plain(rows) && scale_of(act, args[0], rows->table, &column, &columns) &&
           grammar_measure(act, made, AGG_AVG, column.on);
}

bool grammar_has_age(const struct act *act, int table)
{
    return grammar_scale_column(act, table, SCALE_AGE).column != CATALOG_NONE;
}

bool grammar_has_length(const struct act *act, int table)
{
    return grammar_scale_column(act, table, SCALE_LENGTH).column != CATALOG_NONE;
}
