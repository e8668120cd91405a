/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_conditions.c - actions that make conditions: on columns, on dates, on
 * rows that belong to a row.
 *
 * Happy path: types fit, and a condition comes out. Failure: false. */
#include "agents/offline/grammar/actions.h"

#include <stdio.h>

#include "agents/english/vocabulary.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum { HUNDREDTHS = 100 };

static bool have_rows(struct act *act, enum cond_kind kind, const struct sense *rows,
                      struct sense *made)
{
    return grammar_is_plain(rows) &&
           grammar_cond(act,
                        (struct sense_cond){.kind = kind, .table = rows->table, .of = rows->conds},
                        made);
}

bool grammar_exists(struct act *act, const struct sense *const args[], struct sense *made)
{
    return have_rows(act, COND_EXISTS, args[0], made);
}

bool grammar_none(struct act *act, const struct sense *const args[], struct sense *made)
{
    return have_rows(act, COND_NONE, args[0], made);
}

/* "do not have a cat": no row that is one; of the rows themselves, that they are none. */
bool grammar_none_such(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const kids[] = {&rows};
    return grammar_stand(act, args, &rows) && grammar_none(act, kids, made);
}

/* Neither such a row nor such another. */
bool grammar_none_both(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense one, two;
    const struct sense *const second[] = {args[1]};
    if (args[0]->table == args[1]->table || !grammar_none(act, args, &one) ||
        !grammar_none(act, second, &two))
        return false;
    *made = one;
    made->conds = sense_cond_join(act->arena, one.conds, two.conds);
    return made->conds != NULL;
}

static bool turn(const struct lexicon *lexicon, struct reading_filter *filter)
{
    bool truth = filter->named != NULL ||
                 (filter->on.column != READING_NONE && filter->value_count == 0 &&
                  lexicon_index_is_boolean(lexicon->catalog, filter->on.table, filter->on.column));
    if (truth && filter->op == OP_EQ) {
        filter->number = filter->number > 0 ? 0 : 1;
        return true;
    }
    static const enum offline_op turned[] = {[OP_EQ] = OP_NE,
                                             [OP_NE] = OP_EQ,
                                             [OP_LT] = OP_GE,
                                             [OP_LE] = OP_GT,
                                             [OP_GT] = OP_LE,
                                             [OP_GE] = OP_LT,
                                             [OP_IS_NULL] = OP_NOT_NULL,
                                             [OP_NOT_NULL] = OP_IS_NULL,
                                             [OP_LIKE] = OP_NOT_LIKE,
                                             [OP_NOT_LIKE] = OP_LIKE};
    if (filter->op == OP_BETWEEN || filter->op == OP_RANGE)
        return false;
    filter->op = turned[filter->op];
    return true;
}

bool grammar_negate(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_cond *c = args[0]->conds;
    if (args[0]->kind != SENSE_CONDS || c->next != NULL)
        return false;
    if (c->kind == COND_EXISTS) {
        struct sense_cond none = *c;
        none.kind = COND_NONE;
        none.next = NULL;
        *made = *args[0];
        made->conds = sense_cond_make(act->arena, none);
        return made->conds != NULL;
    }
    if (c->kind == COND_AMOUNT) {
        struct reading_filter bound = {.on = {READING_NONE, READING_NONE, NULL, 0}, .op = c->op};
        struct sense_cond turned = *c;
        bool ok = turn(act->lexicon, &bound);
        turned.op = bound.op;
        return ok && grammar_cond(act, turned, made);
    }
    if (c->kind != COND_LEAF && c->kind != COND_MEAN)
        return false;
    struct reading_filter filter = *c->filter;
    return turn(act->lexicon, &filter) && grammar_filter(act, c->kind, &filter, made);
}

bool grammar_both(struct act *act, const struct sense *const args[], struct sense *made)
{
    if (args[0]->kind != SENSE_CONDS || args[1]->kind != SENSE_CONDS ||
        args[0]->hash == args[1]->hash)
        return false;
    /* two things that are said side by side are of the same row, where they can be */
    int distance = args[0]->table == READING_NONE || args[1]->table == READING_NONE
                       ? 0
                       : grammar_distance(act, args[0]->table, args[1]->table);
    if (distance < 0)
        return false;
    for (const struct sense_cond *a = args[0]->conds; a != NULL; a = a->next)
        for (const struct sense_cond *b = args[1]->conds; b != NULL; b = b->next)
            if (a->kind == COND_LEAF && b->kind == COND_LEAF && a->filter->op == OP_EQ &&
                b->filter->op == OP_EQ && a->table == b->table && a->filter->named == NULL &&
                b->filter->named == NULL && a->filter->on.column == b->filter->on.column)
                return false;
    *made = *args[0];
    made->conds = sense_cond_join(act->arena, args[0]->conds, args[1]->conds);
    return made->conds != NULL;
}

/* One condition or the other, whatever they are of; two values of a column are one condition. */
bool grammar_any(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { LOOSE = 1 };
    const struct sense_cond *a = args[0]->conds, *b = args[1]->conds;
    if (args[0]->kind != SENSE_CONDS || args[1]->kind != SENSE_CONDS || b->next != NULL ||
        a->next != NULL || a->hash == b->hash || b->kind == COND_ANY)
        return false;
    if (grammar_either(act, args, made))
        return true;
    struct sense_cond any = {.kind = COND_ANY, .table = READING_NONE};
    any.of = sense_cond_join(act->arena, a->kind == COND_ANY ? a->of : a, b);
    act->cost += LOOSE;
    return any.of != NULL && grammar_cond(act, any, made);
}

/* Both conditions are values of one column: the row has either. Where "and" is between them, of
 * several rows there is one with each. */
bool grammar_either(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_cond *a = args[0]->conds, *b = args[1]->conds;
    if (args[0]->kind != SENSE_CONDS || args[1]->kind != SENSE_CONDS || a->next != NULL ||
        b->next != NULL || a->kind != COND_LEAF || b->kind != COND_LEAF || a->filter->op != OP_EQ ||
        b->filter->op != OP_EQ || a->filter->value_count == 0 || b->filter->value_count == 0 ||
        a->table != b->table || a->filter->on.column != b->filter->on.column || a->hash == b->hash)
        return false;
    struct reading_filter filter = *a->filter;
    for (size_t i = 0; i < b->filter->value_count; i++) {
        if (filter.value_count == READING_VALUES)
            return false;
        filter.values[filter.value_count++] = b->filter->values[i];
    }
    if (!grammar_leaf(act, &filter, made))
        return false;
    struct sense_cond both = *made->conds;
    both.each = a->each || b->each || (args[2] != NULL && args[2]->arg == 1);
    made->conds = sense_cond_make(act->arena, both);
    return made->conds != NULL;
}

bool grammar_either_three(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense first;
    if (!grammar_either(act, args, &first))
        return false;
    sense_seal(&first);
    const struct sense *const rest[] = {&first, args[2], NULL};
    return grammar_either(act, rest, made);
}

/* A row of each belongs to the row. */
bool grammar_each_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense other;
    if (args[0]->table != args[1]->table || args[0]->hash == args[1]->hash)
        return false;
    struct sense_cond one = {.kind = COND_EXISTS, .table = args[0]->table, .of = args[0]->conds};
    struct sense_cond two = {.kind = COND_EXISTS, .table = args[1]->table, .of = args[1]->conds};
    if (!grammar_cond(act, one, &other))
        return false;
    two.next = other.conds;
    return grammar_cond(act, two, made);
}

/* The same of two kinds of rows, or of one kind twice. */
bool grammar_each_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense one, two;
    const struct sense *const first[] = {args[0]}, *const second[] = {args[1]};
    if (args[0]->hash == args[1]->hash || !grammar_exists(act, first, &one) ||
        !grammar_exists(act, second, &two))
        return false;
    *made = one;
    made->conds = sense_cond_join(act->arena, one.conds, two.conds);
    return made->conds != NULL;
}

/* "visited both a museum in Rome and one in Oslo": a deed with each. */
bool grammar_each_deed(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense one = *args[0], two = *args[0];
    const struct sense *const kids[] = {&one, &two};
    if (!grammar_is_plain(args[0]) || !grammar_add_rows(act, &one, args[1]) ||
        !grammar_add_rows(act, &two, args[2]))
        return false;
    sense_seal(&one);
    sense_seal(&two);
    return grammar_each_rows(act, kids, made);
}

/* "where Visa is the default card": a row of them is that one. */
bool grammar_such_as(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const said[] = {args[1], args[0]}, *const kids[] = {&rows};
    return grammar_attach_pre(act, said, &rows) && grammar_exists(act, kids, made);
}

/* "where English is not an official language": no row of them is. */
bool grammar_none_such_as(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const said[] = {args[1], args[0]}, *const kids[] = {&rows};
    return grammar_attach_pre(act, said, &rows) && grammar_none(act, kids, made);
}

/* The same of two: there is a row for each. */
bool grammar_each_such(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense one, two;
    const struct sense *const first[] = {args[2], args[0]}, *const second[] = {args[2], args[1]};
    const struct sense *const kids[] = {&one, &two};
    if (!grammar_attach_pre(act, first, &one) || !grammar_attach_pre(act, second, &two))
        return false;
    sense_seal(&one);
    sense_seal(&two);
    return grammar_each_rows(act, kids, made);
}

/* ---- how many, how much: a quantity is a word with an operator, a number and, of a range, its end
 * ---- */

bool grammar_quantity(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[1];
    made->arg = args[0]->arg;
    return true;
}

/* "more than once": the word says how many. */
bool grammar_quantity_times(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->number = args[1]->arg;
    return true;
}

bool grammar_quantity_not(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_filter filter = {.on = {READING_NONE, READING_NONE, NULL, 0},
                                    .op = (enum offline_op)args[0]->arg};
    bool ok = turn(act->lexicon, &filter);
    *made = *args[1];
    made->arg = (int)filter.op;
    return ok;
}

bool grammar_quantity_between(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->arg = OP_BETWEEN;
    made->high = args[1]->number;
    made->unit = args[1]->unit; /* "between 3 and 4 minutes" */
    return args[0]->number <= args[1]->number &&
           (args[0]->unit.len == 0 || str_equal(args[0]->unit, args[1]->unit));
}

/* "at least 3 and at most 5" */
bool grammar_quantity_both(struct act *act, const struct sense *const args[], struct sense *made)
{
    bool up = args[0]->arg == OP_GE && args[1]->arg == OP_LE;
    const struct sense *const kids[] = {args[up ? 0 : 1], args[up ? 1 : 0]};
    return (up || (args[0]->arg == OP_LE && args[1]->arg == OP_GE)) &&
           grammar_quantity_between(act, kids, made);
}

/* A condition on the rows of table that meet conds: agg of on is within the quantity. */
static bool make_amount(struct act *act, struct sense_cond amount, const struct sense *quantity,
                        struct sense *made)
{
    double scale = grammar_scale(act, amount.agg, amount.on, quantity->unit);
    amount.kind = COND_AMOUNT;
    amount.op = (enum offline_op)quantity->arg;
    amount.number = quantity->number * scale;
    amount.high = quantity->high * scale;
    return scale > 0 && grammar_cond(act, amount, made);
}

bool grammar_amount(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *rows = args[1];
    return grammar_is_plain(rows) && args[0]->unit.len == 0 &&
           make_amount(act,
                       (struct sense_cond){.table = rows->table,
                                           .of = rows->conds,
                                           .agg = AGG_COUNT,
                                           .on = grammar_rows_of(rows->table)},
                       args[0], made);
}

/* "3 children or more" */
bool grammar_amount_said(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense quantity;
    const struct sense *const kids[] = {&quantity, args[2]};
    return grammar_quantity(act, args, &quantity) && grammar_amount(act, kids, made);
}

bool grammar_amount_is(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense quantity = *args[0];
    const struct sense *const kids[] = {&quantity, args[1]};
    quantity.arg = OP_EQ;
    return grammar_amount(act, kids, made);
}

bool grammar_deed_amount(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows = *args[0];
    const struct sense *const kids[] = {args[1], &rows};
    return grammar_add_rows(act, &rows, args[2]) && grammar_amount(act, kids, made);
}

/* "worked more than 20 hours": all of them together. */
bool grammar_amount_sum(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    struct sense date = {.conds = NULL};
    const struct sense *const period[] = {args[2]};
    return grammar_column(args[0], &on) &&
           lexicon_facts_is_measure(act->lexicon, on.table, on.column) &&
           (args[2] == NULL || grammar_dated(act, period, &date)) &&
           make_amount(
               act,
               (struct sense_cond){.table = on.table, .of = date.conds, .agg = AGG_SUM, .on = on},
               args[1], made);
}

/* A number of related rows against one that is said. */
bool grammar_amount_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *m = args[0];
    return grammar_is_number(m) && make_amount(act,
                                               (struct sense_cond){.table = m->table,
                                                                   .of = m->conds,
                                                                   .agg = m->measures->agg,
                                                                   .on = m->measures->on},
                                               args[1], made);
}

/* "orders in more than one status": so many different values. */
bool grammar_amount_values(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_is_plain(args[0]) && grammar_column(args[2], &on) &&
           on.table == args[0]->table && args[1]->unit.len == 0 &&
           make_amount(act,
                       (struct sense_cond){
                           .table = on.table, .of = args[0]->conds, .agg = AGG_DISTINCT, .on = on},
                       args[1], made);
}

/* "payments of over 500 in total": what they amount to. */
bool grammar_amount_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    int measure = act->lexicon->facts[args[0]->table].measure;
    return grammar_is_plain(args[0]) && measure != CATALOG_NONE && args[1]->unit.len == 0 &&
           make_amount(act,
                       (struct sense_cond){.table = args[0]->table,
                                           .of = args[0]->conds,
                                           .agg = AGG_SUM,
                                           .on = {args[0]->table, measure, NULL, 0}},
                       args[1], made);
}

/* "worked more than 20h": the number has the column of its unit with it. */
bool grammar_amount_unit(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense quantity = {
        .kind = SENSE_WORD, .arg = args[0]->arg, .number = args[1]->number};
    const struct sense *const kids[] = {args[1], &quantity, NULL};
    return grammar_amount_sum(act, kids, made);
}

/* "has no hours": no row that has such a number. */
bool grammar_none_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    struct sense rows = {.kind = SENSE_ROWS, .table = args[0]->table};
    const struct sense *const kids[] = {&rows};
    return grammar_column(args[0], &on) &&
           lexicon_facts_is_measure(act->lexicon, on.table, on.column) &&
           (args[1] == NULL ||
            (args[1]->kind == SENSE_CONDS && grammar_add(act, &rows, args[1]->conds))) &&
           grammar_none(act, kids, made);
}

/* "leads the crew": rows that say so of themselves, with what they belong to. */
bool grammar_state_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const own[] = {args[0]}, *const kids[] = {&rows};
    return grammar_stand(act, own, &rows) && args[1]->table != rows.table &&
           grammar_add_rows(act, &rows, args[1]) && grammar_exists(act, kids, made);
}

/* ... against the average of them all. */
bool grammar_amount_versus(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *m = args[0], *versus = args[1];
    return grammar_is_number(m) && versus->number == AGG_AVG && versus->columns == NULL &&
           versus->table == READING_NONE &&
           grammar_cond(act,
                        (struct sense_cond){.kind = COND_AMOUNT,
                                            .table = m->table,
                                            .of = m->conds,
                                            .agg = m->measures->agg,
                                            .on = m->measures->on,
                                            .op = (enum offline_op)versus->arg,
                                            .vs_average = true,
                                            .factor = versus->factor},
                        made);
}

/* ---- columns against numbers and texts ---- */

/* Whether a column's numbers are parts of something: "over 90 %" is said of no head count. */
static bool is_share(const struct lexicon *lexicon, struct reading_column on)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, on.table, on.column);
    const struct semantic_column *said =
        semantic_model_column(lexicon->semantic, on.table, on.column);
    char stem[STEM_BYTES];
    if (said != NULL && said->unit.len > 0)
        return str_equal(said->unit, STR("%")) || str_equal_nocase(said->unit, STR("percent"));
    for (size_t i = 0; i < w->count; i++)
        if (vocabulary_has(VOCABULARY_LEVELS, stem_of(w->words[i], stem)) ||
            vocabulary_has(VOCABULARY_SHARES, stem_of(w->words[i], stem)))
            return true;
    return false;
}

/* How many of a column's unit make one of a unit of time; 0: it counts no time. */
static double scale_of_time(const struct act *act, struct reading_column on, unsigned size)
{
    struct english_unit kept = lexicon_facts_unit(act->lexicon, on.table, on.column);
    return kept.of == UNIT_OF_TIME ? (double)size / kept.size : 0;
}

static bool ends_in(struct str name, struct str word)
{
    return name.len > word.len && str_equal_nocase(str_from(name, name.len - word.len), word);
}

/* How many of the unit that a column counts in make one of what is said; 0: they do not fit. */
static double scale_of(const struct act *act, struct reading_column on, struct str unit)
{
    struct english_unit said = english_units_find(unit);
    if (said.of == UNIT_OF_TIME)
        return scale_of_time(act, on, said.size);
    if (said.of == UNIT_OF_MONEY && said.size == 1)
        return lexicon_facts_in_cents(act->lexicon, on.table, on.column) ? 1 : 0;
    bool money = str_equal(unit, STR("$")) || str_equal(unit, STR("\xe2\x82\xac")) ||
                 str_equal(unit, STR("\xc2\xa3")) || unit.len == 0;
    if (money)
        return lexicon_facts_in_cents(act->lexicon, on.table, on.column) ? HUNDREDTHS : 1;
    if (str_equal(unit, STR("%")))
        return is_share(act->lexicon, on) ? 1 : 0;
    if (english_verbs_is_unit(unit)) /* "1500 kg", of weight_kg */
        return ends_in(act->lexicon->catalog->tables[on.table].columns[on.column].name, unit);
    return str_equal(unit, STR("k")) ? 1 : 0;
}

double grammar_scale(const struct act *act, enum offline_agg agg, struct reading_column on,
                     struct str unit)
{
    bool kept = on.column != READING_NONE && on.since == 0 && agg != AGG_COUNT &&
                agg != AGG_DISTINCT && agg != AGG_METRIC && agg != AGG_NET;
    return kept ? scale_of(act, on, unit) : 1;
}

/* "1000 dollars": an amount. */
bool grammar_money(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->unit = STR("$");
    return args[0]->unit.len == 0;
}

bool grammar_compare(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *quantity = args[1];
    struct reading_filter filter = {.op = (enum offline_op)quantity->arg,
                                    .number = quantity->number};
    if (!grammar_column(args[0], &filter.on))
        return false;
    double scale = scale_of(act, filter.on, quantity->unit);
    filter.number *= scale;
    filter.high = quantity->high * scale;
    return scale > 0 && grammar_is_numeric(act, filter.on) && grammar_leaf(act, &filter, made);
}

/* "above age 20" */
bool grammar_compare_than(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense quantity;
    const struct sense *const said[] = {args[1], args[2]}, *const kids[] = {args[0], &quantity};
    return grammar_quantity(act, said, &quantity) && grammar_compare(act, kids, made);
}

bool grammar_compare_is(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense quantity = *args[1];
    const struct sense *const kids[] = {args[0], &quantity};
    quantity.arg = OP_EQ;
    return grammar_compare(act, kids, made);
}

/* "in grade 10", where a column is called nothing but that: the final grade is of other rows. */
bool grammar_compare_said(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[0], &on) &&
           lexicon_spelling_column(act->lexicon, on.table, on.column)->count == 1 &&
           grammar_compare_is(act, args, made);
}

/* "in grade 9 or 10" */
bool grammar_either_numbers(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { DIGITS = 32 };
    struct reading_filter filter = {.op = OP_EQ};
    if (!grammar_column(args[0], &filter.on) || args[1]->unit.len > 0 || args[2]->unit.len > 0 ||
        scale_of(act, filter.on, args[1]->unit) != 1)
        return false;
    for (size_t i = 1; i <= 2; i++) {
        char text[DIGITS];
        snprintf(text, sizeof text, "%.15g", args[i]->number);
        filter.values[filter.value_count++] = arena_str(act->arena, str_of(text));
    }
    return arena_ok(act->arena) && grammar_leaf(act, &filter, made);
}

/* Rows by the number that is meant of them where none is named. */
bool grammar_above_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense cond;
    int measure = act->lexicon->facts[args[0]->table].measure;
    const struct sense_column number = {.on = {args[0]->table, measure, NULL, 0}};
    const struct sense column = {.kind = SENSE_COLUMNS, .columns = &number};
    const struct sense *const kids[] = {&column, args[1]};
    *made = *args[0];
    return made->kind == SENSE_ROWS && measure != CATALOG_NONE &&
           !grammar_is_year(act->lexicon, number.on) && /* no year is an age */
           grammar_compare(act, kids, &cond) && grammar_add(act, made, cond.conds);
}

/* A value of the column, or a text that may be one. */
bool grammar_equals(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_filter filter = {.op = OP_EQ, .value_count = 1};
    if (!grammar_column(args[0], &filter.on))
        return false;
    if (args[1]->kind == SENSE_CONDS) {
        const struct reading_filter *value = args[1]->conds->filter;
        *made = *args[1];
        return args[1]->conds->kind == COND_LEAF && value->on.table == filter.on.table &&
               value->on.column == filter.on.column;
    }
    filter.values[0] = args[1]->text;
    const struct catalog_column *c =
        &act->lexicon->catalog->tables[filter.on.table].columns[filter.on.column];
    return args[1]->text.len > 0 && c->type == CATALOG_TEXT && grammar_leaf(act, &filter, made);
}

bool grammar_differs(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense same;
    if (!grammar_equals(act, args, &same))
        return false;
    const struct sense *const kids[] = {&same};
    return grammar_negate(act, kids, made);
}

/* Neither of two conditions. */
bool grammar_neither(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense either;
    const struct sense *const kids[] = {&either};
    if (grammar_either(act, args, &either))
        return grammar_negate(act, kids, made);
    struct sense one, two;
    const struct sense *const first[] = {args[0]}, *const second[] = {args[1]};
    const struct sense *const denied[] = {&one, &two};
    if (!grammar_negate(act, first, &one) || !grammar_negate(act, second, &two))
        return false;
    sense_seal(&one);
    sense_seal(&two);
    return grammar_both(act, denied, made);
}

bool grammar_unlike(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense like;
    const struct sense *const kids[] = {&like};
    return grammar_like(act, args, &like) && grammar_negate(act, kids, made);
}

bool grammar_like(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_filter filter = {.op = OP_LIKE, .value_count = 1, .number = act->imm};
    if (!grammar_column(args[0], &filter.on))
        return false;
    filter.values[0] =
        args[1]->kind == SENSE_CONDS ? args[1]->conds->filter->values[0] : args[1]->text;
    const struct catalog_column *c =
        &act->lexicon->catalog->tables[filter.on.table].columns[filter.on.column];
    return filter.values[0].len > 0 && c->type == CATALOG_TEXT && grammar_leaf(act, &filter, made);
}

/* ---- what is so, or not ---- */

static bool truth(struct act *act, const struct sense *column, double holds, struct sense *made)
{
    struct reading_filter filter = {.op = OP_EQ, .number = holds};
    return grammar_column(column, &filter.on) &&
           lexicon_index_is_boolean(act->lexicon->catalog, filter.on.table, filter.on.column) &&
           grammar_leaf(act, &filter, made);
}

/* "get the newsletter": a column says so. */
bool grammar_truth(struct act *act, const struct sense *const args[], struct sense *made)
{
    return truth(act, args[0], 1, made);
}

bool grammar_untruth(struct act *act, const struct sense *const args[], struct sense *made)
{
    return truth(act, args[0], 0, made);
}

/* ---- what is not known ---- */

static bool is_null(struct act *act, const struct sense *column, enum offline_op op,
                    struct sense *made)
{
    struct reading_filter filter = {.op = op};
    if (!grammar_column(column, &filter.on))
        return false;
    const struct catalog_column *c =
        &act->lexicon->catalog->tables[filter.on.table].columns[filter.on.column];
    return !c->not_null && !c->primary_key && grammar_leaf(act, &filter, made);
}

bool grammar_missing(struct act *act, const struct sense *const args[], struct sense *made)
{
    return is_null(act, args[0], OP_IS_NULL, made);
}

bool grammar_known(struct act *act, const struct sense *const args[], struct sense *made)
{
    return is_null(act, args[0], OP_NOT_NULL, made) && grammar_is_done(act, made);
}

bool grammar_is_done(struct act *act, struct sense *conds)
{
    struct sense_cond done = *conds->conds;
    done.is_done = true;
    conds->conds = sense_cond_join(act->arena, &done, NULL);
    return conds->conds != NULL;
}

/* ---- dates ---- */

/* "in 2023 and 2024": periods that follow each other. */
bool grammar_period_both(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct offline_range a = args[0]->range, b = args[1]->range;
    (void)act;
    *made = *args[0];
    made->arg = 0;
    made->range = (struct offline_range){a.first, b.end};
    return a.end == b.first && a.end != OFFLINE_DAY_NONE;
}

bool grammar_dated(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct reading_filter filter = {
        .on = {READING_NONE, READING_NONE, NULL, 0}, .op = OP_RANGE, .range = args[0]->range};
    return grammar_filter(act, COND_DATE, &filter, made);
}

bool grammar_dated_by(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_filter filter = {.op = OP_RANGE, .range = args[1]->range};
    return grammar_column(args[0], &filter.on) && grammar_leaf(act, &filter, made);
}
