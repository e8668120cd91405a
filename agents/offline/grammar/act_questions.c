/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_questions.c - actions that end a question.
 *
 * Happy path: rows or numbers are what is asked for. Failure: false. */
#include "agents/offline/grammar/actions.h"

#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "core/words/stem.h"

/* The line by which things are sold that are counted; NULL: none is said. */
static const struct sense_cond *find_trade(const struct act *act, const struct sense *rows)
{
    for (const struct sense_cond *c = rows->conds; c != NULL; c = c->next)
        if (c->kind == COND_EXISTS && act->lexicon->facts[c->table].quantity != CATALOG_NONE &&
            act->lexicon->facts[c->table].thing == rows->table)
            return c;
    return NULL;
}

/* "kettles sold": of things, how many the lines say is meant, not how many kinds there are. */
static bool count_traded(struct act *act, struct sense *numbers)
{
    const struct sense_cond *line = find_trade(act, numbers);
    struct sense things = {.kind = SENSE_ROWS, .table = numbers->table};
    if (line == NULL || numbers->measures->agg != AGG_COUNT)
        return true;
    if (numbers->measures->next != NULL || numbers->groups != NULL || numbers->rank.is)
        return false;
    for (const struct sense_cond *c = numbers->conds; c != NULL; c = c->next) {
        struct sense_cond one = *c;
        one.next = NULL;
        if (c != line)
            things.conds = sense_cond_join(act->arena, &one, things.conds);
    }
    int quantity = act->lexicon->facts[line->table].quantity;
    *numbers = (struct sense){.kind = SENSE_NUMBERS, .table = line->table, .conds = line->of};
    return (things.conds == NULL || grammar_add_rows(act, numbers, &things)) &&
           grammar_measure(act, numbers, AGG_SUM,
                           (struct reading_column){line->table, quantity, NULL, 0});
}

/* "the newest bikes with their owners": that each has one is no condition. */
static bool says_nothing(const struct act *act, const struct sense *rows)
{
    for (const struct sense_cond *c = rows->conds; c != NULL; c = c->next)
        if (c->kind == COND_EXISTS && c->of == NULL && grammar_is_one(act, rows->table, c->table))
            return true;
    return false;
}

bool grammar_finish(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    if (made->kind == SENSE_NUMBERS)
        return made->measures != NULL && count_traded(act, made);
    return made->kind == SENSE_ROWS && !(made->rank.is && says_nothing(act, made));
}

bool grammar_finish_with(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return made->kind == SENSE_ROWS && args[1]->kind == SENSE_CONDS &&
           grammar_add(act, made, args[1]->conds);
}

bool grammar_finish_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_count_with(act, args, made) && count_traded(act, made);
}

/* The persons that a condition is about, as rows. */
static bool who(struct act *act, int about, struct sense *rows)
{
    *rows = (struct sense){.kind = SENSE_ROWS};
    rows->table = about == READING_NONE ? READING_NONE : grammar_person(act, about);
    return rows->table != READING_NONE;
}

/* Whether all that a verb says of persons is what they are called: "works with Ann" is said of
 * others. */
static bool only_names(const struct act *act, const struct sense *said, const struct sense *rows)
{
    bool is_tied = said->conds != NULL && said->conds->kind == COND_EXISTS &&
                   said->conds->table == rows->table;
    for (const struct sense_cond *c = rows->conds; c != NULL; c = c->next) {
        if (!grammar_is_name(act, c) || c->table != rows->table)
            return false;
        is_tied = is_tied || c->is_tied;
    }
    return is_tied;
}

bool grammar_finish_who(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows, args[0]};
    return args[0]->kind == SENSE_CONDS && who(act, args[0]->table, &rows) &&
           grammar_finish_with(act, kids, made) && !only_names(act, args[0], made);
}

bool grammar_finish_who_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    int about = args[0]->table;
    if (args[0]->kind == SENSE_NUMBERS && args[0]->groups != NULL)
        about = args[0]->groups->on.table;
    return about != READING_NONE && grammar_person(act, about) == about &&
           grammar_finish(act, args, made);
}

/* The column beside a date that says who did it: created_by of created_at; CATALOG_NONE. */
static int find_doer(const struct act *act, struct reading_column date)
{
    char verb[STEM_BYTES], stem[STEM_BYTES];
    const struct catalog_table *t = &act->lexicon->catalog->tables[date.table];
    const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, date.table, date.column);
    struct str deed = w->count > 0 ? stem_of(w->words[0], verb) : STR("");
    for (size_t c = 0; c < t->column_count; c++) {
        w = lexicon_spelling_column(act->lexicon, date.table, (int)c);
        if ((int)c != date.column && !t->columns[c].hidden && w->count > 1 &&
            str_equal(stem_of(w->words[0], stem), deed) && str_equal(w->words[1], STR("by")))
            return (int)c;
    }
    return CATALOG_NONE;
}

/* Who did what has a date of its own: by the column that says so, else by persons that it belongs
 * to; of a date when a row was only written down nobody else is meant. */
static bool who_did(struct act *act, struct reading_column date, struct sense *rows)
{
    const struct catalog *catalog = act->lexicon->catalog;
    int doer = find_doer(act, date);
    if (doer == CATALOG_NONE)
        return !lexicon_facts_is_audit(catalog->tables[date.table].columns[date.column].name) &&
               who(act, date.table, rows);
    const struct catalog_reference *ref = lexicon_index_reference(catalog, date.table, doer);
    *rows = (struct sense){.kind = SENSE_ROWS};
    rows->table = ref == NULL ? READING_NONE : ref->to_table;
    return ref != NULL && act->lexicon->facts[ref->to_table].visible;
}

bool grammar_finish_who_ranked(struct act *act, const struct sense *const args[],
                               struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows, args[0]};
    if (args[0]->kind != SENSE_RANK)
        return false;
    bool known = args[0]->columns != NULL ? who_did(act, args[0]->columns->on, &rows)
                                          : who(act, args[0]->table, &rows);
    return known && (args[0]->arg == 0 || grammar_is_only_person(act, args[0]->table)) &&
           grammar_ranked(act, kids, made);
}

bool grammar_finish_who_deed(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    if (!grammar_exists(act, args, &cond))
        return false;
    const struct sense *const kids[] = {&cond};
    return grammar_finish_who(act, kids, made);
}

/* "when was order 5 shipped": the date of the rows. */
bool grammar_finish_when(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense columns = *args[0];
    columns.kind = SENSE_COLUMNS;
    const struct sense *const own[] = {&columns};
    return grammar_show_own(act, own, made) && args[1]->kind == SENSE_CONDS &&
           grammar_add(act, made, args[1]->conds);
}

bool grammar_finish_when_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const kids[] = {args[1], args[0]};
    return args[0]->table == args[1]->table && args[0]->conds != NULL &&
           grammar_show_columns(act, kids, made);
}
