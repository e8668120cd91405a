/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_clauses.c - actions of a clause behind a whole question: what else is
 * shown of its rows, who, and how many.
 *
 * Happy path: the question gets columns more. Failure: false; what the clause
 * is about is never guessed among several. */
#include "agents/offline/grammar/actions.h"

/* Columns are shown beside those that a list shows already. */
static bool add_columns(struct act *act, const struct sense *list, const struct sense *columns,
                        struct sense *made)
{
    enum { MORE = 1 };
    *made = *list;
    act->cost += MORE;
    for (const struct sense_column *c = columns->columns; c != NULL; c = c->next) {
        int distance = grammar_distance(act, list->table, c->on.table);
        if (distance < 0 || !grammar_is_one(act, list->table, c->on.table) ||
            grammar_has_column(list->columns, c->on))
            return false;
        act->cost += distance;
    }
    made->columns = grammar_join_columns(act->arena, list->columns, columns->columns);
    return made->columns != NULL;
}

/* "... Show their name and city": beside what is shown already. */
bool grammar_show_more(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *columns = args[0], *q = args[1];
    if (q->kind == SENSE_ROWS && q->columns != NULL && columns->kind == SENSE_COLUMNS)
        return add_columns(act, q, columns, made);
    return grammar_show_columns(act, args, made);
}

/* "... List the name and the number": the number is already there. */
bool grammar_show_counted(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_said_count(act, args, made) && grammar_show_of_group(act, args[1], made);
}

/* "how many employees left, and who were they": they are listed. */
static bool list_counted(struct act *act, const struct sense *counted, struct sense *made)
{
    *made = (struct sense){.kind = SENSE_ROWS, .table = counted->table, .conds = counted->conds};
    return grammar_is_number(counted) && counted->measures->agg == AGG_COUNT &&
           counted->measures->only == NULL && counted->conds != NULL &&
           grammar_person(act, counted->table) == counted->table;
}

/* Whether a column of the table says who did something: created_by. */
static bool says_doer(const struct act *act, int table)
{
    for (size_t c = 0; c < act->lexicon->catalog->tables[table].column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, table, (int)c);
        if (w->count > 1 && str_equal(w->words[w->count - 1], STR("by")))
            return true;
    }
    return false;
}

/* "... and who is driving": the persons that the rows belong to, by name; not where a column says
 * who did what. */
bool grammar_show_who(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *list = args[0];
    struct sense names, own;
    if (list->kind == SENSE_NUMBERS)
        return list_counted(act, list, made);
    if (list->kind != SENSE_ROWS || says_doer(act, list->table))
        return false;
    int person = grammar_person(act, list->table);
    *made = *list;
    if (person == READING_NONE || person == list->table ||
        !grammar_is_one(act, list->table, person) || !grammar_label_columns(act, person, &names))
        return false;
    if (list->columns == NULL && lexicon_index_hops(act->lexicon, list->table, person) == 1)
        return true; /* whole rows are shown with the names of what they refer to */
    if (list->columns == NULL) {
        if (!grammar_label_columns(act, list->table, &own))
            return false;
        made->columns = own.columns;
    }
    const struct sense shown = *made;
    return add_columns(act, &shown, &names, made);
}
