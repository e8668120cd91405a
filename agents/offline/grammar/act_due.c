/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_due.c - actions for what was in time, is late or is still open: the
 * dates of a table by which something must be done, and when it was; else the rows that say it was.
 *
 * Happy path: conditions on these dates or rows. Failure: false; which date is due or done is never
 * chosen among several. */
#include "agents/offline/grammar/actions.h"

#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/tables.h"
#include "agents/semantic/model.h"

/* The only date of the table whose name has a word of list and none of not; CATALOG_NONE. */
static int find_date(const struct act *act, int table, const char *const *list,
                     const char *const * not, bool nullable)
{
    int found = CATALOG_NONE;
    const struct catalog_table *t = &act->lexicon->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, table, (int)c);
        if (t->columns[c].hidden || !lexicon_index_is_date(act->lexicon->catalog, table, (int)c) ||
            (nullable && t->columns[c].not_null) || !grammar_has_word(w, list) ||
            (not != NULL && grammar_has_word(w, not )))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

static bool says_time(const struct lexicon *lexicon, int table)
{
    const struct semantic_table *said = semantic_model_table(lexicon->semantic, table);
    return said != NULL && said->time.len > 0;
}

int grammar_dated_by_default(const struct lexicon *lexicon, int table, int *column)
{
    int holder = lexicon_facts_dated(lexicon, table, column), found = CATALOG_NONE;
    const int taken = *column;
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    bool written = taken != CATALOG_NONE && holder == table && /* when it was only written down */
                   !says_time(lexicon, table) && lexicon_facts_is_audit(t->columns[taken].name);
    if (taken != CATALOG_NONE && !written)
        return holder;
    for (size_t c = 0; c < t->column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, (int)c);
        const bool is_of_some = /* known of some rows, where the other is known of all */
            taken != CATALOG_NONE && t->columns[taken].not_null && !t->columns[c].not_null;
        if ((int)c == taken || t->columns[c].hidden || is_of_some ||
            !lexicon_index_is_date(lexicon->catalog, table, (int)c) ||
            grammar_has_word(w, grammar_due) || grammar_has_word(w, grammar_done) ||
            grammar_has_word(w, grammar_birth) || grammar_has_word(w, grammar_touched))
            continue;
        if (found != CATALOG_NONE)
            return table;
        found = (int)c;
    }
    *column = found != CATALOG_NONE ? found : taken;
    return table;
}

int grammar_due_date(const struct act *act, int table)
{
    return find_date(act, table, grammar_due, NULL, false);
}

int grammar_done_date(const struct act *act, int table)
{
    return find_date(act, table, grammar_done, grammar_due, true);
}

/* The only table whose rows say that something was done with one row of table, each by a date that
 * is called so: the payments of invoices; READING_NONE: none, or several. */
static int find_settling(const struct act *act, int table)
{
    int found = READING_NONE;
    const struct catalog *catalog = act->lexicon->catalog;
    for (size_t t = 0; t < catalog->table_count; t++) {
        int began = act->lexicon->facts[t].began;
        bool refers = false;
        for (size_t r = 0; r < catalog->tables[t].reference_count; r++)
            refers = refers || catalog->tables[t].references[r].to_table == table;
        if (!refers || (int)t == table || !act->lexicon->facts[t].visible ||
            began == CATALOG_NONE ||
            !grammar_has_word(lexicon_spelling_column(act->lexicon, (int)t, began), grammar_done))
            continue;
        if (found != READING_NONE)
            return READING_NONE;
        found = (int)t;
    }
    return found;
}

/* That what is due is not done: its own date says so, or the rows by which it is done. False:
 * nothing says it. */
static bool not_done(struct act *act, struct sense *rows)
{
    struct sense open;
    struct reading_filter filter = {
        .on = {rows->table, grammar_done_date(act, rows->table), NULL, 0}, .op = OP_IS_NULL};
    if (filter.on.column != CATALOG_NONE)
        return grammar_leaf(act, &filter, &open) && grammar_add(act, rows, open.conds);
    const struct sense_cond none = {
        .kind = COND_NONE, .table = find_settling(act, rows->table), .is_done = true};
    return none.table != READING_NONE && grammar_cond(act, none, &open) &&
           grammar_add(act, rows, open.conds);
}

bool grammar_due_before(struct act *act, int32_t day, struct sense *rows)
{
    int due = grammar_due_date(act, rows->table), done = grammar_done_date(act, rows->table);
    struct reading_filter before = {
        .on = {rows->table, due, NULL, 0}, .op = OP_RANGE, .range = {OFFLINE_DAY_NONE, day}};
    struct sense cond;
    bool known = done != CATALOG_NONE || find_settling(act, rows->table) != READING_NONE;
    return due != CATALOG_NONE && grammar_leaf(act, &before, &cond) &&
           grammar_add(act, rows, cond.conds) && (!known || not_done(act, rows));
}

static bool against_due(struct act *act, const struct sense *moment, enum offline_op op,
                        struct sense *made)
{
    struct reading_filter filter = {.op = op, .vs_column = true};
    if (!grammar_column(moment, &filter.on))
        return false;
    filter.than = grammar_due_date(act, filter.on.table);
    return filter.than != CATALOG_NONE && filter.than != filter.on.column &&
           grammar_leaf(act, &filter, made);
}

/* "paid late in May": both by that date. */
bool grammar_late(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense late, dated;
    const struct sense *const kids[] = {&late, &dated};
    if (args[1] == NULL)
        return against_due(act, args[0], OP_GT, made);
    if (!against_due(act, args[0], OP_GT, &late) || !grammar_dated_by(act, args, &dated))
        return false;
    sense_seal(&late);
    sense_seal(&dated);
    return grammar_both(act, kids, made);
}

bool grammar_in_time(struct act *act, const struct sense *const args[], struct sense *made)
{
    return against_due(act, args[0], OP_LE, made);
}

static bool overdue(struct act *act, struct sense *rows)
{
    return grammar_due_before(act, act->today, rows) &&
           (grammar_done_date(act, rows->table) != CATALOG_NONE ||
            find_settling(act, rows->table) != READING_NONE);
}

/* "open invoices": what has to be done by a date, and is not. */
bool grammar_undone_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return made->kind == SENSE_ROWS && !made->rank.is &&
           grammar_due_date(act, made->table) != CATALOG_NONE && not_done(act, made);
}

/* Whether what is done with rows of the table is over then: a delivery, not a debt. */
static bool passes(const struct act *act, int table)
{
    int done = grammar_done_date(act, table);
    return done != CATALOG_NONE &&
           grammar_has_word(lexicon_spelling_column(act->lexicon, table, done), grammar_passing);
}

/* "overdue loans", "late loans": what should have been done. Late is rather what came late, where
 * it comes. */
bool grammar_overdue_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { CAME = 4 };
    *made = *args[0];
    act->cost += args[1]->arg == 0 && passes(act, made->table) ? CAME : 0;
    return made->kind == SENSE_ROWS && !made->rank.is && overdue(act, made);
}

/* "late deliveries": what was done after it was due. */
bool grammar_late_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    const struct sense_column done = {
        .on = {args[0]->table, grammar_done_date(act, args[0]->table), NULL, 0}};
    const struct sense moment = {.kind = SENSE_COLUMNS, .columns = &done};
    *made = *args[0];
    return made->kind == SENSE_ROWS && !made->rank.is && done.on.column != CATALOG_NONE &&
           against_due(act, &moment, OP_GT, &cond) && grammar_add(act, made, cond.conds);
}

/* "currently admitted": what began and has no end yet. */
bool grammar_open_since(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    struct sense rows, cond;
    if (!grammar_column(args[0], &on))
        return false;
    int done = grammar_done_date(act, on.table);
    struct reading_filter open = {.on = {on.table, done, NULL, 0}, .op = OP_IS_NULL};
    rows = (struct sense){.kind = SENSE_ROWS, .table = on.table};
    const struct sense *const kids[] = {&rows};
    return done != CATALOG_NONE && done != on.column && grammar_leaf(act, &open, &cond) &&
           grammar_add(act, &rows, cond.conds) && grammar_exists(act, kids, made);
}

/* "loans right now": those that have no end yet, where rows have one; "still": they must. */
bool grammar_now_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    *made = *args[0];
    int done = made->kind == SENSE_ROWS ? grammar_done_date(act, made->table) : CATALOG_NONE;
    struct reading_filter open = {.on = {made->table, done, NULL, 0}, .op = OP_IS_NULL};
    if (done == CATALOG_NONE || made->rank.is)
        return made->rank.is || args[1]->arg == 0;
    return grammar_leaf(act, &open, &cond) && grammar_add(act, made, cond.conds);
}

/* "what share of payments were late": of those done after they were due. */
bool grammar_share_late(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense conds;
    const struct sense_column done = {
        .on = {args[0]->table, grammar_done_date(act, args[0]->table), NULL, 0}};
    const struct sense moment = {.kind = SENSE_COLUMNS, .columns = &done};
    const struct sense *const kids[] = {args[0], &conds};
    return args[0]->kind == SENSE_ROWS && done.on.column != CATALOG_NONE &&
           against_due(act, &moment, OP_GT, &conds) && grammar_share(act, kids, made);
}
