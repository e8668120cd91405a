/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_ages.c - actions for how old rows are, by a date of birth or by an age
 * that is a number.
 *
 * Happy path: the one birth or age of a table is compared or ranked by. Failure: false. */
#include "agents/offline/grammar/actions.h"

#include "agents/english/verbs.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/tables.h"
#include "core/words/stem.h"

/* The column of the table that says how old a row is, rather a number than a date; *dated: it is a
 * date. Of several of a kind, none. */
static int find_age(const struct act *act, int table, bool *dated)
{
    int found = CATALOG_NONE, numbers = 0, dates = 0;
    const struct catalog_table *t = &act->lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, table, (int)c);
        bool date = lexicon_index_is_date(act->lexicon->catalog, table, (int)c);
        char stem[STEM_BYTES];
        bool age = w->count > 0 && lexicon_index_is_number(act->lexicon->catalog, table, (int)c) &&
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
    int column = find_age(act, args[0]->table, &dated);
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

/* "how old are performers on average", where their age is a number. */
bool grammar_average_age(struct act *act, const struct sense *const args[], struct sense *made)
{
    bool dated = false;
    int column = find_age(act, args[0]->table, &dated);
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = args[0]->table, .conds = args[0]->conds};
    return grammar_is_plain(args[0]) && column != CATALOG_NONE && !dated &&
           grammar_measure(act, made, AGG_AVG,
                           (struct reading_column){made->table, column, NULL, 0});
}

/* "the average age": of the column that says it, or of the time since birth. */
bool grammar_aggregate_age(struct act *act, const struct sense *const args[], struct sense *made)
{
    return args[1]->arg == AGG_AVG && grammar_average_age(act, args, made);
}

/* Who is old was born early, or has a high age. */
bool grammar_first_aged(struct act *act, const struct sense *const args[], struct sense *made)
{
    bool dated = false, old = args[0]->arg == 0;
    const struct sense *rows = args[1];
    int column = find_age(act, rows->table, &dated);
    return grammar_first(rows, rows->table, column, old != dated, grammar_limit(rows, args[2], 0),
                         made);
}

bool grammar_has_age(const struct act *act, int table)
{
    bool dated = false;
    return find_age(act, table, &dated) != CATALOG_NONE;
}
