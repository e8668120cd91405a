/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_parts.c - actions for numbers that are made of two kinds of rows: one
 * less the other, a part of a whole, more of the one than of the other; and of two columns of a
 * row.
 *
 * Happy path: both are values of one column, or both columns are of one table. Failure: false. */
#include "agents/offline/grammar/actions.h"

#include "agents/lexicon/facts.h"

/* The one value that a condition asks for. */
static bool is_value(const struct sense *s)
{
    return s->kind == SENSE_CONDS && s->conds->next == NULL && s->conds->kind == COND_LEAF &&
           s->conds->filter->op == OP_EQ && s->conds->filter->value_count > 0 &&
           s->conds->filter->named == NULL;
}

/* Conditions for rows with one value, and for those with another of its column, which are taken
 * away. NULL: they are no such values, or no memory. */
static const struct sense_cond *make_sides(struct act *act, const struct sense *plus,
                                           const struct sense *minus)
{
    struct sense less;
    if (!is_value(plus) || !is_value(minus) || plus->table != minus->table ||
        plus->conds->filter->on.column != minus->conds->filter->on.column ||
        plus->hash == minus->hash)
        return NULL;
    struct reading_filter filter = *minus->conds->filter;
    filter.minus = true;
    return grammar_leaf(act, &filter, &less) ? sense_cond_join(act->arena, plus->conds, less.conds)
                                             : NULL;
}

/* "credits minus debits": the sum of what rows with the one value amount to, less the other. */
bool grammar_net(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on = {args[0]->table, CATALOG_NONE, NULL, 0};
    const struct sense_cond *sides = make_sides(act, args[0], args[1]);
    if (sides == NULL || (args[2] != NULL && !grammar_column(args[2], &on)))
        return false;
    if (args[2] == NULL)
        on.column = act->lexicon->facts[on.table].measure;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = on.table};
    struct sense_measure *measure = arena_alloc(act->arena, sizeof *measure);
    if (measure == NULL || on.column == CATALOG_NONE || on.table != args[0]->table)
        return false;
    *measure = (struct sense_measure){.agg = AGG_NET, .on = on, .only = sides};
    made->measures = measure;
    return lexicon_facts_is_measure(act->lexicon, on.table, on.column);
}

/* "net cost, repairs minus refunds": of that column. */
bool grammar_net_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    (void)act;
    *made = *args[0];
    return args[0]->measures->agg == AGG_NET && grammar_column(args[1], &on) &&
           on.table == args[0]->measures->on.table && on.column == args[0]->measures->on.column;
}

/* "accounts with more credits than debits": of the rows that belong to each. */
bool grammar_amount_net(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_cond *sides = make_sides(act, args[1], args[2]);
    return sides != NULL && grammar_cond(act,
                                         (struct sense_cond){.kind = COND_AMOUNT,
                                                             .table = args[1]->table,
                                                             .of = sides,
                                                             .agg = AGG_NET,
                                                             .on = grammar_rows_of(args[1]->table),
                                                             .op = (enum offline_op)args[0]->arg},
                                         made);
}

/* "more hours than the average employee": all of each together, against the average of that. */
bool grammar_amount_average(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[1], &on) && args[2]->arg == AGG_AVG &&
           lexicon_facts_is_measure(act->lexicon, on.table, on.column) &&
           (args[3] == NULL ||
            (grammar_is_plain(args[3]) && args[3]->conds == NULL && args[3]->table != on.table)) &&
           grammar_cond(act,
                        (struct sense_cond){.kind = COND_AMOUNT,
                                            .table = on.table,
                                            .agg = AGG_SUM,
                                            .on = on,
                                            .op = (enum offline_op)args[0]->arg,
                                            .vs_average = true},
                        made);
}

/* "more pets than the average person": their number, against the average of that. */
bool grammar_amount_rows_average(struct act *act, const struct sense *const args[],
                                 struct sense *made)
{
    const struct sense *rows = args[1], *whose = args[3];
    return args[2]->arg == AGG_AVG && grammar_is_plain(rows) &&
           (whose == NULL ||
            (grammar_is_plain(whose) && whose->conds == NULL && whose->table != rows->table)) &&
           grammar_cond(act,
                        (struct sense_cond){.kind = COND_AMOUNT,
                                            .table = rows->table,
                                            .of = rows->conds,
                                            .agg = AGG_COUNT,
                                            .on = grammar_rows_of(rows->table),
                                            .op = (enum offline_op)args[0]->arg,
                                            .vs_average = true},
                        made);
}

/* "customers whose costs are above the average per customer" */
bool grammar_amount_versus_each(struct act *act, const struct sense *const args[],
                                struct sense *made)
{
    struct sense cond;
    const struct sense_group *each = args[3]->groups;
    const struct sense *const kids[] = {args[1], args[2]};
    *made = *args[0];
    return grammar_is_plain(made) && each->next == NULL && each->grain == GRAIN_NONE &&
           each->on.table == made->table && each->on.column == READING_NONE &&
           grammar_amount_versus(act, kids, &cond) && grammar_add(act, made, cond.conds);
}

/* "a higher price than the average": of the same column. */
bool grammar_compare_more(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense than;
    const struct sense *const versus[] = {args[0], args[2], NULL, NULL};
    const struct sense *const kids[] = {&than, args[1]};
    return grammar_versus_agg(act, versus, &than) && grammar_compare_versus(act, kids, made);
}

/* ---- a part of a whole ---- */

/* Conditions that pick the part: on the rows of the whole, or on what each of them belongs to. */
static bool add_part(struct act *act, const struct sense_cond *conds, struct sense *whole)
{
    struct sense part = {.kind = whole->kind, .table = whole->table};
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        bool own = c->kind == COND_LEAF && c->table == whole->table;
        if (c->kind == COND_DATE || own)
            continue;
        if (c->kind != COND_LEAF || !grammar_is_one(act, whole->table, c->table))
            return false;
        act->cost += grammar_distance(act, whole->table, c->table);
    }
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        struct sense_cond one = *c;
        one.next = NULL;
        part.conds = sense_cond_join(act->arena, &one, part.conds);
    }
    whole->ratio = true;
    whole->numerator = part.conds;
    return part.conds != NULL;
}

bool grammar_share(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense part;
    if (args[1]->kind != SENSE_CONDS || !grammar_count(act, args, made))
        return false;
    part = (struct sense){.kind = SENSE_NUMBERS, .table = made->table};
    if (!grammar_add(act, &part, args[1]->conds))
        return false;
    for (const struct sense_cond *c = part.conds; c != NULL; c = c->next)
        if (c->kind != COND_LEAF)
            return add_part(act, args[1]->conds, made);
    return add_part(act, part.conds, made);
}

/* "share of overtime hours": of all hours. */
bool grammar_share_sum(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_plain_number(act, &args[1], made) && args[0]->kind == SENSE_CONDS &&
           add_part(act, args[0]->conds, made);
}

/* "share of the total amount that was made in May" */
bool grammar_share_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return grammar_is_number(made) && made->measures->agg == AGG_SUM &&
           made->measures->only == NULL && args[1]->kind == SENSE_CONDS &&
           add_part(act, args[1]->conds, made);
}

/* ---- two columns of a row ---- */

/* "returned after the due date" */
bool grammar_versus_column(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_filter filter = {.op = (enum offline_op)args[1]->arg, .vs_column = true};
    struct reading_column than;
    const struct catalog *catalog = act->lexicon->catalog;
    if (!grammar_column(args[0], &filter.on) || !grammar_column(args[2], &than) ||
        filter.on.table != than.table || filter.on.column == than.column)
        return false;
    filter.than = than.column;
    bool dates = lexicon_index_is_date(catalog, than.table, than.column) &&
                 lexicon_index_is_date(catalog, than.table, filter.on.column);
    bool numbers = lexicon_facts_is_measure(act->lexicon, than.table, than.column) &&
                   lexicon_facts_is_measure(act->lexicon, than.table, filter.on.column);
    return (dates || numbers) && grammar_leaf(act, &filter, made);
}
