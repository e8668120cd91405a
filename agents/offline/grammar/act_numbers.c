/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_numbers.c - actions that make numbers of rows, and group them.
 *
 * Happy path: measures over rows, by groups. Failure: false. */
#include "agents/offline/grammar/actions.h"

#include "agents/english/vocabulary.h"
#include "agents/english/synonyms.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

bool grammar_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *rows = args[0];
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = rows->table, .conds = rows->conds};
    return grammar_is_plain(rows) &&
           grammar_measure(act, made, AGG_COUNT, grammar_rows_of(rows->table));
}

bool grammar_count_with(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_count(act, args, made) && args[1]->kind == SENSE_CONDS &&
           grammar_add(act, made, args[1]->conds);
}

/* "how many flights does Lufthansa have": those that belong to such rows. */
bool grammar_count_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    return args[1]->conds != NULL && args[0]->table != args[1]->table &&
           grammar_is_plain(args[1]) && grammar_count(act, args, made) &&
           grammar_add_rows(act, made, args[1]);
}

/* Whether a number is a place in an order: the highest rank is the lowest number, to some. */
static bool is_rank(const struct act *act, struct reading_column on)
{
    const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, on.table, on.column);
    return w->count > 0 && vocabulary_has(VOCABULARY_RANKS, w->words[w->count - 1]);
}

static bool number(struct act *act, enum offline_agg agg, const struct sense *column,
                   struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(column, &on))
        return false;
    const struct catalog *catalog = act->lexicon->catalog;
    bool numeric = grammar_is_numeric(act, on);
    bool dated = lexicon_index_is_date(catalog, on.table, on.column);
    bool extreme = agg == AGG_MIN || agg == AGG_MAX;
    if (!(numeric || (dated && extreme)) ||
        catalog->tables[on.table].columns[on.column].primary_key ||
        (agg == AGG_SUM && !lexicon_facts_is_measure(act->lexicon, on.table, on.column)) ||
        (extreme && is_rank(act, on)))
        return false;
    if (made->kind != SENSE_NUMBERS)
        *made = (struct sense){.kind = SENSE_NUMBERS, .table = on.table};
    return grammar_measure(act, made, agg, on);
}

bool grammar_number(struct act *act, const struct sense *const args[], struct sense *made)
{
    made->kind = SENSE_WORD;
    return number(act, (enum offline_agg)args[0]->arg, args[1], made);
}

static bool over(struct act *act, struct sense *made, const struct sense *rows)
{
    if (rows->kind == SENSE_CONDS)
        return grammar_add(act, made, rows->conds);
    return rows->kind == SENSE_ROWS && !rows->rank.is && grammar_add_rows(act, made, rows);
}

bool grammar_number_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_number(act, args, made) && over(act, made, args[2]);
}

/* Whether rows are called by their amount: payments, fees. */
static bool is_amount(const struct act *act, int table)
{
    const struct lexicon_words *w = lexicon_spelling_table(act->lexicon, table);
    char stem[STEM_BYTES];
    return w->count > 0 && english_synonyms_is_amount(stem_of(w->words[w->count - 1], stem));
}

static bool has_measure(const struct act *act, int table)
{
    for (size_t c = 0; c < act->lexicon->catalog->tables[table].column_count; c++)
        if (lexicon_facts_is_measure(act->lexicon, table, (int)c))
            return true;
    return false;
}

/* "total payments": their one amount; "total customers", who have none: how many. amount: it is
 * clear that an amount is meant. */
static bool number_rows(struct act *act, enum offline_agg agg, const struct sense *rows,
                        bool amount, struct sense *made)
{
    if (!grammar_is_plain(rows))
        return false;
    int measure = act->lexicon->facts[rows->table].measure;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = rows->table, .conds = rows->conds};
    if (measure != CATALOG_NONE && agg == AGG_SUM && !amount && !is_amount(act, rows->table))
        return false; /* their number, or their sum */
    if ((agg == AGG_MIN || agg == AGG_MAX) && rows->plural)
        return false; /* such rows */
    const struct reading_column on = {rows->table, measure, NULL, 0};
    if (measure != CATALOG_NONE)
        return grammar_measure(act, made, agg == AGG_SUM ? grammar_together(act, on) : agg, on);
    return agg == AGG_SUM && !has_measure(act, rows->table) &&
           grammar_measure(act, made, AGG_COUNT, grammar_rows_of(rows->table));
}

bool grammar_number_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    return number_rows(act, (enum offline_agg)args[0]->arg, args[1], act->imm == 1, made);
}

/* "total credits": what such rows amount to. */
bool grammar_number_state(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense rows;
    const struct sense *const own[] = {args[1]};
    return args[0]->arg == AGG_SUM && grammar_stand(act, own, &rows) &&
           act->lexicon->facts[rows.table].measure != CATALOG_NONE &&
           number_rows(act, AGG_SUM, &rows, true, made);
}

/* "whose total debits exceed 20000": what they amount to. */
bool grammar_amount_total(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense number;
    const struct sense *const kids[] = {&number, args[2]};
    return number_rows(act, (enum offline_agg)args[0]->arg, args[1], true, &number) &&
           grammar_amount_of(act, kids, made);
}

bool grammar_number_much(struct act *act, const struct sense *const args[], struct sense *made)
{
    made->kind = SENSE_WORD;
    if (args[0]->kind == SENSE_COLUMNS) /* so much an hour is no amount that was paid */
        return (args[0]->columns->next != NULL ||
                !lexicon_facts_is_rate(act->lexicon, args[0]->columns->on.table,
                                       args[0]->columns->on.column)) &&
               number(act, AGG_SUM, args[0], made);
    return act->lexicon->facts[args[0]->table].measure != CATALOG_NONE &&
           number_rows(act, AGG_SUM, args[0], true, made);
}

static bool begins_with(const struct semantic_named *named, struct str text)
{
    struct str first =
        named->expression.piece_count > 0 ? named->expression.pieces[0].text : STR("");
    return first.len >= text.len && str_equal_nocase(str_slice(first, 0, text.len), text);
}

/* "how much did clients spend": the metric, over rows. */
bool grammar_metric_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return over(act, made, args[1]);
}

/* "total revenue", "average response time": the metric is that already. */
bool grammar_number_metric(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[1];
    const struct semantic_named *named = args[1]->measures->on.metric;
    return (args[0]->arg == AGG_SUM && named->additive) ||
           (args[0]->arg == AGG_AVG && begins_with(named, STR("AVG")));
}

/* "hours per employee": added up. */
bool grammar_plain_number(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { UNSAID = 4 };
    struct reading_column on;
    made->kind = SENSE_WORD;
    act->cost += UNSAID;
    return grammar_column(args[0], &on) &&
           lexicon_facts_is_measure(act->lexicon, on.table, on.column) &&
           number(act, grammar_together(act, on), args[0], made);
}

bool grammar_plain_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_plain_number(act, args, made) && over(act, made, args[1]);
}

bool grammar_number_much_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_number_much(act, args, made) && over(act, made, args[1]);
}

/* ---- several aggregates of one column: args are bits of a mask, in order of AGG_ ---- */

enum { AGG_BITS = 4, AGG_MASK = 15 };

bool grammar_aggs(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->arg = args[0]->arg | args[1]->arg << AGG_BITS;
    if (args[2] != NULL)
        made->arg |= args[2]->arg << (2 * AGG_BITS);
    return args[0]->arg != args[1]->arg;
}

bool grammar_numbers_all(struct act *act, const struct sense *const args[], struct sense *made)
{
    made->kind = SENSE_WORD;
    for (int left = args[0]->arg; left > 0; left >>= AGG_BITS)
        if (!number(act, (enum offline_agg)(left & AGG_MASK), args[1], made))
            return false;
    return true;
}

bool grammar_numbers_all_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    return grammar_numbers_all(act, args, made) && over(act, made, args[2]);
}

bool grammar_count_distinct(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[0], &on))
        return false;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = on.table};
    return grammar_measure(act, made, AGG_DISTINCT, on) &&
           (args[1] == NULL || over(act, made, args[1]));
}

static bool has_cond(const struct sense_cond *conds, const struct sense_cond *one)
{
    for (; conds != NULL; conds = conds->next)
        if (conds->hash == one->hash)
            return true;
    return false;
}

/* Conditions of one that another has, too, or only those that it has not. */
static const struct sense_cond *pick(struct act *act, const struct sense_cond *of,
                                     const struct sense_cond *other, bool shared)
{
    const struct sense_cond *picked = NULL;
    for (; of != NULL; of = of->next) {
        struct sense_cond one = *of;
        one.next = NULL;
        if (has_cond(other, of) == shared)
            picked = sense_cond_join(act->arena, &one, picked);
    }
    return picked;
}

/* Whether a measure can have these conditions for itself. */
static bool are_own(const struct act *act, int table, const struct sense_cond *conds)
{
    for (; conds != NULL; conds = conds->next)
        if (conds->kind != COND_DATE &&
            (conds->kind != COND_LEAF || !grammar_is_one(act, table, conds->table)))
            return false;
    return true;
}

/* numbers gets the measures of others; with only: these are of the rows that meet it. */
static bool add_measures(struct act *act, struct sense *numbers, const struct sense_measure *others,
                         const struct sense_cond *only)
{
    if (others == NULL)
        return true;
    struct sense_measure *measure = arena_alloc(act->arena, sizeof *measure);
    if (measure == NULL || !add_measures(act, numbers, others->next, only) ||
        (only != NULL && others->agg != AGG_SUM && others->agg != AGG_COUNT))
        return false;
    *measure = *others;
    if (only != NULL)
        measure->only = sense_cond_join(act->arena, only, others->only);
    measure->next = numbers->measures;
    numbers->measures = measure;
    return true;
}

/* Two measures of the same rows: conditions of either are of both where the other has none; where
 * both have, each keeps those that the other has not. */
bool grammar_measures(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *a = args[0], *b = args[1];
    const struct sense_cond *of_a = NULL, *of_b = NULL;
    if (a->kind != SENSE_NUMBERS || b->kind != SENSE_NUMBERS || a->table != b->table ||
        a->groups != NULL || b->groups != NULL || b->rank.is || a->rank.is)
        return false;
    *made = *a;
    made->measures = NULL;
    if (a->conds == NULL || b->conds == NULL) {
        made->conds = a->conds == NULL ? b->conds : a->conds;
    } else {
        made->conds = pick(act, a->conds, b->conds, true);
        of_a = pick(act, a->conds, b->conds, false);
        of_b = pick(act, b->conds, a->conds, false);
    }
    return are_own(act, a->table, of_a) && are_own(act, a->table, of_b) &&
           add_measures(act, made, a->measures, of_a) && add_measures(act, made, b->measures, of_b);
}

/* "the count, the total and the average": the rows are counted, too. */
bool grammar_count_beside(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *m = args[0];
    struct sense rows = {.kind = SENSE_NUMBERS, .table = m->table, .conds = m->conds};
    if (m->measures->agg == AGG_COUNT || m->groups != NULL || m->rank.is ||
        !grammar_measure(act, &rows, AGG_COUNT, grammar_rows_of(m->table)))
        return false;
    const struct sense *const kids[] = {&rows, m};
    return grammar_measures(act, kids, made);
}

/* ---- only groups within a bound ---- */

static bool has_cond(const struct sense_cond *conds, const struct sense_cond *one);

/* What is said of groups is said of their rows: "countries with more than 5 cities" beside the
 * average of these cities. */
bool grammar_bound_groups(struct sense *numbers, const struct sense *said)
{
    const struct sense_cond *c = said->kind == SENSE_CONDS ? said->conds : NULL;
    if (c == NULL || c->kind != COND_AMOUNT || c->next != NULL || c->vs_average ||
        c->agg == AGG_NET || c->op == OP_BETWEEN || numbers->kind != SENSE_NUMBERS ||
        numbers->groups == NULL || numbers->bound.is || numbers->nested || numbers->ratio ||
        c->table != numbers->table)
        return false;
    for (const struct sense_cond *of = c->of; of != NULL; of = of->next)
        if (!has_cond(numbers->conds, of))
            return false;
    numbers->bound = (struct sense_bound){
        .is = true, .op = c->op, .number = c->number, .agg = c->agg, .on = c->on};
    numbers->keep_zero = false;
    return true;
}

/* "sums by department, over 1000 only": the first of the numbers is within it. */
bool grammar_bound(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_measure *first = args[0]->measures;
    (void)act;
    *made = *args[0];
    if (made->kind != SENSE_NUMBERS || made->groups == NULL || made->bound.is || made->nested ||
        made->ratio || args[1]->unit.len > 0 || args[1]->arg == OP_BETWEEN || first->next != NULL ||
        first->only != NULL || first->agg == AGG_NET || first->agg == AGG_NONE)
        return false;
    made->bound = (struct sense_bound){.is = true,
                                       .op = (enum offline_op)args[1]->arg,
                                       .number = args[1]->number *
                                                 grammar_scale(act, first->agg, first->on, STR("")),
                                       .agg = first->agg,
                                       .on = first->on};
    made->keep_zero = false;
    return true;
}

/* "months in 2024 with more than 10 orders" */
bool grammar_grain_bounded(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense grouped, dated;
    const struct sense *const kids[] = {&grouped, args[2]}, *const period[] = {args[3]};
    return grammar_group_grained_count(act, args, &grouped) &&
           (args[3] == NULL ||
            (grammar_dated(act, period, &dated) && grammar_add(act, &grouped, dated.conds))) &&
           grammar_bound(act, kids, made);
}

/* ---- groups ---- */

static bool make_group(struct act *act, struct sense_group group, struct sense *made)
{
    struct sense_group *copy = arena_alloc(act->arena, sizeof *copy);
    if (copy == NULL)
        return false;
    *copy = group;
    *made = (struct sense){.kind = SENSE_GROUPS, .table = group.on.table, .groups = copy};
    return true;
}

bool grammar_group_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    return args[0]->conds == NULL &&
           make_group(act, (struct sense_group){.on = grammar_rows_of(args[0]->table)}, made);
}

bool grammar_group_role(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!grammar_column(args[0], &on))
        return false;
    const struct catalog_reference *ref =
        lexicon_index_reference(act->lexicon->catalog, on.table, on.column);
    return ref != NULL && ref->to_table != on.table &&
           make_group(act, (struct sense_group){.on = grammar_rows_of(ref->to_table)}, made);
}

/* Whether what rows are or are not is called by a noun, maybe: is_hub. */
static bool is_noun_of_state(const struct act *act, struct reading_column on)
{
    const struct catalog *catalog = act->lexicon->catalog;
    return lexicon_index_is_boolean(catalog, on.table, on.column) &&
           lexicon_index_has_adverb(catalog->tables[on.table].columns[on.column].name);
}

/* "for each hub" is of rows that are one, and no group of those that are and those that are not;
 * "by hub" may be. */
bool grammar_group_column(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[0], &on) &&
           (act->imm == 1 || !is_noun_of_state(act, on)) &&
           make_group(act, (struct sense_group){.on = on}, made);
}

bool grammar_group_grain(struct act *act, const struct sense *const args[], struct sense *made)
{
    return make_group(act,
                      (struct sense_group){.on = {READING_NONE, READING_NONE, NULL, 0},
                                           .grain = (enum offline_grain)args[0]->arg},
                      made);
}

bool grammar_group_dated(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    return grammar_column(args[0], &on) &&
           make_group(act,
                      (struct sense_group){.on = on, .grain = (enum offline_grain)args[1]->arg},
                      made);
}

/* "scheduled in each month": by that date. */
bool grammar_group_moment(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_group *group = args[1]->groups;
    const struct sense grain = {.kind = SENSE_WORD, .arg = (int)group->grain};
    const struct sense *const kids[] = {args[0], &grain};
    return group->next == NULL && group->on.table == READING_NONE &&
           grammar_group_dated(act, kids, made);
}

bool grammar_groups(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_group *added = args[1]->groups;
    *made = *args[0];
    for (const struct sense_group *g = args[0]->groups; g != NULL; g = g->next)
        if (g->on.table == added->on.table && g->on.column == added->on.column &&
            g->grain == added->grain)
            return false;
    struct sense_group *copy = arena_alloc(act->arena, sizeof *copy);
    if (copy == NULL || added->next != NULL)
        return false;
    *copy = *added;
    copy->next = args[0]->groups;
    made->groups = copy;
    return true;
}

static bool add_groups(struct act *act, struct sense *numbers, const struct sense_group *groups)
{
    return groups == NULL ||
           (add_groups(act, numbers, groups->next) && grammar_group_by(act, numbers, *groups));
}

bool grammar_group(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    return made->kind == SENSE_NUMBERS && made->groups == NULL && !made->rank.is &&
           args[1]->kind == SENSE_GROUPS && add_groups(act, made, args[1]->groups);
}

/* "how many orders does each client have": those with none are among them. */
bool grammar_group_each(struct act *act, const struct sense *const args[], struct sense *made)
{
    if (!grammar_group(act, args, made))
        return false;
    const struct sense_group *g = made->groups;
    made->keep_zero = g->next == NULL && g->on.column == READING_NONE &&
                      g->on.table != READING_NONE && made->measures->agg == AGG_COUNT &&
                      made->measures->next == NULL;
    return true;
}

/* Drop what the groups are already: "countries and the number of singers per country". */
bool grammar_show_of_group(struct act *act, const struct sense *columns, struct sense *numbers)
{
    const struct sense_group *g = numbers->groups;
    if (columns->columns->next == NULL && g != NULL && g->on.table == columns->columns->on.table &&
        g->on.column == columns->columns->on.column)
        return true;
    const struct sense copy = *numbers;
    const struct sense *const kids[] = {columns, &copy};
    return g != NULL && g->on.column == READING_NONE && grammar_show_columns(act, kids, numbers);
}

/* "names and the number of concerts for each singer" */
bool grammar_group_shown(struct act *act, const struct sense *const args[], struct sense *made)
{
    bool all = args[3] == NULL || (grammar_is_plain(args[3]) && args[3]->conds == NULL &&
                                   args[3]->table == args[2]->table);
    return all && grammar_group(act, args, made) && grammar_show_of_group(act, args[2], made);
}

/* "the name of each teacher and how many courses": for each of these rows. */
bool grammar_group_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *rows = args[1], *said = args[3];
    *made = *args[0];
    if (said != NULL && said->kind == SENSE_GROUPS &&
        (said->groups->next != NULL || said->groups->on.table != rows->table ||
         said->groups->on.column != READING_NONE))
        return false; /* "in each concert", of which the columns are */
    return grammar_is_plain(rows) && made->kind == SENSE_NUMBERS && made->groups == NULL &&
           !made->rank.is &&
           grammar_group_by(act, made, (struct sense_group){.on = grammar_rows_of(rows->table)}) &&
           (rows->conds == NULL || grammar_add_rows(act, made, rows)) &&
           grammar_show_of_group(act, args[2], made);
}

bool grammar_group_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense counted;
    if (!grammar_count(act, args, &counted))
        return false;
    const struct sense *const kids[] = {&counted, args[1]};
    return grammar_group(act, kids, made);
}

/* "new members per month": by the date at which they came about, which is a period's. */
bool grammar_group_new(struct act *act, const struct sense *const args[], struct sense *made)
{
    bool grained = false;
    for (const struct sense_group *g = args[1]->groups; g != NULL; g = g->next)
        grained = grained || g->grain != GRAIN_NONE;
    return grained && grammar_group_count(act, args, made);
}

bool grammar_group_grained(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense groups;
    const struct sense *const grain[] = {args[1]};
    if (!grammar_group_grain(act, grain, &groups))
        return false;
    const struct sense *const kids[] = {args[0], &groups};
    return grammar_group(act, kids, made);
}

bool grammar_group_grained_count(struct act *act, const struct sense *const args[],
                                 struct sense *made)
{
    struct sense counted;
    if (!grammar_count(act, args, &counted))
        return false;
    const struct sense *const kids[] = {&counted, args[1]};
    return grammar_group_grained(act, kids, made);
}

/* "customers and the number of their orders"; each has one (imm): those with none are among them.
 */
bool grammar_group_entity(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    if (args[1]->kind != SENSE_ROWS || args[1]->rank.is || made->groups != NULL ||
        args[1]->conds != NULL ||
        !grammar_group_by(act, made, (struct sense_group){.on = grammar_rows_of(args[1]->table)}))
        return false;
    made->keep_zero =
        act->imm == 1 && made->measures->agg == AGG_COUNT && made->measures->next == NULL;
    return true;
}

bool grammar_zero(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->keep_zero = true;
    return args[0]->groups != NULL;
}

/* Numbers of groups by their one measure, which may be said. */
bool grammar_order_numbers(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    const struct sense *direction = args[1], *by = args[2];
    *made = *args[0];
    if (made->kind != SENSE_NUMBERS || made->groups == NULL || made->rank.is ||
        made->measures->next != NULL ||
        (direction != NULL && (direction->arg & SUPER_DATE) != 0) ||
        (by != NULL && (by->measures->agg != made->measures->agg || by->table != made->table)))
        return false;
    made->rank = (struct sense_rank){.is = true,
                                     .descending = grammar_descends(direction),
                                     .by_measure = made->measures->agg};
    return true;
}

/* "formats of records in ascending order of their number" */
bool grammar_group_ordered(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense numbers;
    const struct sense *const said[] = {args[0], args[1]};
    const struct sense *const kids[] = {&numbers, args[2], NULL};
    return args[0]->kind == SENSE_ROWS && grammar_group_count(act, said, &numbers) &&
           grammar_order_numbers(act, kids, made);
}

/* "sales by region, top 3" */
bool grammar_first_groups(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense *const kids[] = {args[0], args[1], NULL};
    bool ok =
        args[2]->unit.len == 0 && args[2]->number >= 1 && grammar_order_numbers(act, kids, made);
    made->rank.limit = ok ? (unsigned)args[2]->number : 0;
    return ok && made->groups->grain == GRAIN_NONE && grammar_over_fits(made);
}

/* Numbers of groups by a column that is one of them, or of the rows that the groups are. */
bool grammar_order_groups(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    bool shown = false;
    (void)act;
    *made = *args[0];
    if (made->kind != SENSE_NUMBERS || made->rank.is || made->nested || made->ratio ||
        !grammar_column(args[1], &on))
        return false;
    for (const struct sense_group *g = made->groups; g != NULL; g = g->next)
        shown = shown || (g->on.table == on.table && g->on.column == on.column) ||
                (g->on.table == on.table && g->on.column == READING_NONE &&
                 (act->lexicon->facts[on.table].key == on.column ||
                  lexicon_index_is_label(act->lexicon, on.table, on.column)));
    for (const struct sense_column *c = made->columns; c != NULL; c = c->next)
        shown = shown || (c->on.table == on.table && c->on.column == on.column);
    made->rank = (struct sense_rank){
        .is = true, .descending = grammar_descends(args[2]), .on = on};
    return shown && grammar_orders(act, args[2], on);
}

/* ---- kinds: the different values of a column that says of which sort rows are ---- */

static bool is_kind(const struct act *act, const struct sense *column, struct reading_column *on)
{
    if (!grammar_column(column, on))
        return false;
    const struct catalog_table *t = &act->lexicon->catalog->tables[on->table];
    const struct catalog_column *c = &t->columns[on->column];
    return c->type == CATALOG_TEXT && !c->unique && !c->primary_key && t->reference_count > 0 &&
           lexicon_index_reference(act->lexicon->catalog, on->table, on->column) == NULL;
}

/* "how many languages they speak" */
bool grammar_count_kinds(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    const struct sense *const own[] = {args[0], NULL};
    return is_kind(act, args[0], &on) && grammar_count_distinct(act, own, made);
}

/* "speak at least 3 languages" */
bool grammar_amount_kinds(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    if (!is_kind(act, args[1], &on))
        return false;
    const struct sense rows = {.kind = SENSE_ROWS, .table = on.table};
    const struct sense *const kids[] = {&rows, args[0], args[1]};
    return grammar_amount_values(act, kids, made);
}

/* "speaks the most languages" */
bool grammar_rank_kinds(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct reading_column on;
    (void)act;
    if (!is_kind(act, args[1], &on))
        return false;
    *made = (struct sense){.kind = SENSE_RANK, .table = on.table};
    made->rank = (struct sense_rank){.is = true,
                                     .descending = args[0]->arg == 1,
                                     .by_measure = AGG_DISTINCT,
                                     .on = on,
                                     .limit = 1};
    return true;
}

/* ---- averages of numbers of groups ---- */

/* Whether the word for a sum is what its column is called: a total. */
static bool is_called_total(const struct act *act, const struct reading_column *on)
{
    const struct lexicon_words *w =
        on->column < 0 ? NULL : lexicon_spelling_column(act->lexicon, on->table, on->column);
    return w != NULL && w->count > 0 &&
           (str_equal(w->words[0], STR("total")) ||
            str_equal(w->words[w->count - 1], STR("total")));
}

bool grammar_nest(struct act *act, const struct sense *const args[], struct sense *made)
{
    const struct sense_measure *inner = args[1]->measures;
    if (args[0]->arg != AGG_AVG || inner == NULL || inner->next != NULL ||
        (inner->agg != AGG_SUM && inner->agg != AGG_COUNT && inner->agg != AGG_METRIC) ||
        (inner->agg == AGG_SUM && is_called_total(act, &inner->on)))
        return false;
    const struct sense *const kids[] = {args[1], args[2]};
    if (!grammar_group(act, kids, made) || made->groups->next != NULL)
        return false;
    made->nested = true;
    return true;
}

/* "how many loans has a member on average" */
bool grammar_nest_of(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense counted;
    const struct sense *const rows[] = {args[0]};
    if (!grammar_count(act, rows, &counted) || !grammar_is_plain(args[1]) ||
        args[1]->conds != NULL || args[1]->table == counted.table ||
        !grammar_group_by(act, &counted,
                          (struct sense_group){.on = grammar_rows_of(args[1]->table)}))
        return false;
    *made = counted;
    made->nested = true;
    return true;
}

bool grammar_nest_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense counted;
    const struct sense *const rows[] = {args[1]};
    if (!grammar_count(act, rows, &counted))
        return false;
    const struct sense *const kids[] = {args[0], &counted, args[2]};
    return grammar_nest(act, kids, made);
}

bool grammar_nest_not(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->nested = true;
    return made->groups != NULL && made->groups->next == NULL && !made->rank.is &&
           made->measures->next == NULL && !args[0]->nested && !args[0]->ratio;
}
