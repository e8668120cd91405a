/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/change.c - a change is laid over a sense: what it says anew takes the
 * place of what it contradicts, however deep that is; all else is added.
 *
 * Happy path: another condition, period, group, order, or rows instead of their number. Failure: a
 * share, an average of numbers or the extreme of groups is not changed; nor is what stays the same.
 */
#include "agents/offline/grammar/change.h"

#include "agents/offline/grammar/actions.h"

enum { MOST = 10000 };

/* ---- conditions ---- */

static bool is_period(const struct sense_cond *c)
{
    return c->kind == COND_DATE || (c->kind == COND_LEAF && c->filter->op == OP_RANGE);
}

static bool is_bound(enum offline_op op)
{
    return op == OP_GT || op == OP_GE || op == OP_LT || op == OP_LE || op == OP_BETWEEN;
}

static bool is_replaced(const struct sense_cond *old, const struct sense_cond *new)
{
    const struct reading_filter *a = old->filter, *b = new->filter;
    if (new->kind == COND_DATE)
        return is_period(old);
    if (old->kind != COND_LEAF || new->kind != COND_LEAF || old->table != new->table ||
        a->on.column != b->on.column || a->named != b->named || a->vs_column || b->vs_column)
        return false;
    return (a->value_count > 0 && b->value_count > 0) || (is_bound(a->op) && is_bound(b->op)) ||
           (a->value_count == 0 && b->value_count == 0 && a->op == b->op);
}

/* A new period is of the date that the old one was of. */
static const struct sense_cond *make_new(struct act *act, const struct sense_cond *old,
                                         const struct sense_cond *new)
{
    struct sense made;
    struct sense_cond copy = *new;
    copy.next = NULL;
    if (new->kind != COND_DATE || old->kind == COND_DATE)
        return sense_cond_make(act->arena, copy);
    struct reading_filter filter = *old->filter;
    filter.range = new->filter->range;
    return grammar_leaf(act, &filter, &made) ? made.conds : NULL;
}

/* conds with new in the place of the first that it replaces; *done: there was one. NULL: none are
 * left, or no memory. */
static const struct sense_cond *replace(struct act *act, const struct sense_cond *conds,
                                        const struct sense_cond *new, bool *done)
{
    if (conds == NULL)
        return NULL;
    struct sense_cond kept = *conds;
    const struct sense_cond *one = NULL;
    kept.next = NULL;
    if (!*done && is_replaced(conds, new)) {
        *done = true;
        one = make_new(act, conds, new);
    } else {
        kept.of = replace(act, conds->of, new, done);
        one = sense_cond_make(act->arena, kept);
    }
    const struct sense_cond *rest = replace(act, conds->next, new, done);
    return one == NULL ? NULL : sense_cond_join(act->arena, one, rest);
}

/* Put all of conds in the place of others. False: one of them replaces none. */
static bool replace_all(struct act *act, const struct sense_cond *conds, struct sense *made)
{
    const struct sense_cond *replaced = made->conds;
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        bool done = false;
        replaced = replace(act, replaced, c, &done);
        if (!done)
            return false;
    }
    made->conds = replaced;
    return conds != NULL;
}

static bool change_conds(struct act *act, const struct sense_cond *conds, struct sense *made)
{
    enum { BEHIND = 100 }; /* the question before */
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        struct sense_cond one = *c;
        one.next = NULL;
        one.place += BEHIND;
        bool done = replace_all(act, &one, made) ||
                    (c->kind == COND_EXISTS && replace_all(act, c->of, made));
        if (!done && !grammar_add(act, made, &one))
            return false;
    }
    return arena_ok(act->arena);
}

/* The one period among conditions; *count: how many there are. */
static const struct sense_cond *find_period(const struct sense_cond *conds, size_t *count)
{
    const struct sense_cond *found = NULL;
    for (; conds != NULL; conds = conds->next) {
        const struct sense_cond *of = find_period(conds->of, count);
        found = of != NULL ? of : found;
        if (!is_period(conds))
            continue;
        found = conds;
        ++*count;
    }
    return found;
}

/* "And in May?" after a question of one year is of that year's May. */
static struct offline_range range_of(const struct sense *change, const struct sense *before)
{
    size_t count = 0;
    int year, end_year, m = change->arg, month, day;
    const struct sense_cond *old = find_period(before->conds, &count);
    if (m == 0 || count != 1 || old->filter->range.first == OFFLINE_DAY_NONE ||
        old->filter->range.end == OFFLINE_DAY_NONE)
        return change->range;
    english_dates_split(old->filter->range.first, &year, &month, &day);
    english_dates_split(old->filter->range.end - 1, &end_year, &month, &day);
    if (year != end_year)
        return change->range;
    return (struct offline_range){
        english_dates_day(year, m, 1),
        english_dates_day(m == 12 ? year + 1 : year, m == 12 ? 1 : m + 1, 1)};
}

static bool change_period(struct act *act, const struct sense *change, struct sense *made)
{
    struct sense date, period = {.kind = SENSE_WORD, .range = range_of(change, made)};
    const struct sense *const kids[] = {&period};
    return grammar_dated(act, kids, &date) && change_conds(act, date.conds, made);
}

/* "And for all products?": no condition of their own is left but a period. */
static bool drop_conds(struct act *act, const struct sense *change, struct sense *made)
{
    const struct sense_cond *conds = made->conds;
    made->conds = NULL;
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        struct sense_cond one = *c;
        one.next = NULL;
        if (c->kind == COND_LEAF && !is_period(c) && c->table == made->table)
            continue;
        made->conds = sense_cond_join(act->arena, &one, made->conds);
    }
    return change->table == made->table;
}

/* ---- rows and their number ---- */

static bool to_rows(struct sense *made)
{
    if (made->kind == SENSE_ROWS)
        return true;
    if (!grammar_is_number(made) || made->measures->agg != AGG_COUNT ||
        made->measures->on.table != made->table)
        return false;
    made->kind = SENSE_ROWS;
    made->measures = NULL;
    return true;
}

static bool to_number(struct act *act, struct sense *made)
{
    if (made->kind == SENSE_NUMBERS)
        return grammar_is_number(made) && made->measures->agg == AGG_COUNT;
    if (made->rank.limit > 0 || made->kind != SENSE_ROWS)
        return false;
    const struct sense rows = *made;
    *made = (struct sense){.kind = SENSE_NUMBERS, .table = rows.table, .conds = rows.conds};
    return grammar_measure(act, made, AGG_COUNT, grammar_rows_of(rows.table));
}

/* ---- order ---- */

/* By what there is to rank by: the number of each group, or the one number that rows were compared
 * by. */
static bool find_order(struct sense *made)
{
    size_t compared = 0;
    if (made->rank.is)
        return true;
    if (made->kind == SENSE_NUMBERS) {
        made->rank.by_measure = made->measures->agg;
        made->rank.is = made->groups != NULL && made->measures->next == NULL;
        return made->rank.is;
    }
    for (const struct sense_cond *c = made->conds; c != NULL; c = c->next) {
        if (c->kind != COND_LEAF || !is_bound(c->filter->op) || c->table != made->table)
            continue;
        made->rank.on = c->filter->on;
        compared++;
    }
    made->rank.by_measure = AGG_NONE;
    made->rank.is = compared == 1;
    return made->rank.is;
}

static bool change_limit(const struct sense *change, struct sense *made)
{
    if (!find_order(made) || change->number < 1 || change->number > MOST)
        return false;
    made->rank.descending = change->rank.descending;
    made->rank.limit = (unsigned)change->number;
    return true;
}

/* The other end of an order, or of the one extreme that is shown. */
static bool change_end(struct act *act, bool descending, struct sense *made)
{
    bool extreme = made->kind == SENSE_NUMBERS && made->measures->next == NULL &&
                   (made->measures->agg == AGG_MAX || made->measures->agg == AGG_MIN);
    enum offline_agg agg = descending ? AGG_MAX : AGG_MIN;
    if (extreme) {
        struct reading_column on = made->measures->on;
        made->measures = NULL;
        if (!grammar_measure(act, made, agg, on))
            return false;
        made->rank.by_measure = made->rank.by_measure != AGG_NONE ? agg : AGG_NONE;
    }
    made->rank.descending = made->rank.is && descending;
    return extreme || made->rank.is;
}

static bool apply(struct act *act, const struct sense *change, struct sense *made)
{
    const struct sense before = *made;
    struct sense order = {.kind = SENSE_COLUMNS, .columns = change->columns};
    struct sense direction = {.kind = SENSE_WORD, .arg = change->rank.descending};
    struct sense rest, by_groups = *change;
    const struct sense *const by[] = {&before, &order, &direction};
    const struct sense *const groups[] = {&rest, &by_groups};
    switch ((enum sense_change)change->number_of) {
    case CHANGE_CONDS:
        return change_conds(act, change->conds, made);
    case CHANGE_PERIOD:
        return change_period(act, change, made);
    case CHANGE_ALL:
        return drop_conds(act, change, made);
    case CHANGE_ROWS:
        return to_rows(made) && change_conds(act, change->conds, made);
    case CHANGE_COUNT:
        return to_number(act, made) && change_conds(act, change->conds, made);
    case CHANGE_GROUPS:
        made->groups = NULL;
        made->keep_zero = false;
        made->rank = (struct sense_rank){.is = false};
        rest = *made;
        by_groups.kind = SENSE_GROUPS;
        return made->kind == SENSE_NUMBERS && grammar_group(act, groups, made);
    case CHANGE_LIMIT:
        return change_limit(change, made);
    case CHANGE_END: /* who is young was born late */
        return change_end(act,
                          change->rank.descending !=
                              (change->arg == SCALE_AGE && made->rank.on.since == 0 &&
                               !grammar_is_numeric(act, made->rank.on)),
                          made);
    case CHANGE_OVER:
        made->over = (enum offline_over)change->arg;
        return true;
    case CHANGE_REVERSE:
        return find_order(made) && change_end(act, !made->rank.descending, made);
    case CHANGE_ORDER:
        order.table = change->table;
        return grammar_order_rows(act, by, made);
    }
    return false;
}

bool grammar_change(struct arena *arena, const struct lexicon *lexicon, int32_t today,
                    const struct sense *before, const struct sense *change, struct sense *made,
                    int *cost)
{
    struct act act = {.arena = arena, .lexicon = lexicon, .today = today};
    *made = *before;
    if (before->ratio || before->nested || before->of_group || !apply(&act, change, made) ||
        !grammar_over_fits(made))
        return false;
    *cost = act.cost;
    sense_seal(made);
    return made->hash != before->hash;
}

/* ---- the actions of fragments ---- */

static bool make_change(enum sense_change of, struct sense *made)
{
    made->kind = SENSE_CHANGE;
    made->number_of = of;
    return true;
}

bool grammar_change_conds(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    return args[0]->kind == SENSE_CONDS && make_change(CHANGE_CONDS, made);
}

bool grammar_change_period(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    return make_change(CHANGE_PERIOD, made);
}

bool grammar_change_all(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    return args[0]->conds == NULL && make_change(CHANGE_ALL, made);
}

static bool change_turn(enum sense_change of, const struct sense *conds, struct sense *made)
{
    *made = (struct sense){.kind = SENSE_CHANGE, .table = READING_NONE};
    if (conds != NULL)
        made->conds = conds->conds;
    return (conds == NULL || conds->kind == SENSE_CONDS) && make_change(of, made);
}

bool grammar_change_rows(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    return change_turn(CHANGE_ROWS, args[1], made);
}

bool grammar_change_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    return change_turn(CHANGE_COUNT, args[1], made);
}

bool grammar_change_groups(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    return make_change(CHANGE_GROUPS, made);
}

bool grammar_change_limit(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[1];
    made->rank.descending = args[0]->arg == 1;
    return args[1]->unit.len == 0 && make_change(CHANGE_LIMIT, made);
}

bool grammar_change_end(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = (struct sense){.table = READING_NONE};
    made->arg = args[0]->arg >> SCALE_SHIFT;
    made->rank.descending = grammar_descends(args[0]);
    return make_change(CHANGE_END, made);
}

/* "and as percentages?", "running total" */
bool grammar_change_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)args;
    *made = (struct sense){.table = READING_NONE, .arg = act->imm};
    return make_change(CHANGE_OVER, made);
}

bool grammar_change_reverse(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = (struct sense){.table = args[0]->table};
    return make_change(CHANGE_REVERSE, made);
}

bool grammar_change_order(struct act *act, const struct sense *const args[], struct sense *made)
{
    (void)act;
    *made = *args[0];
    made->rank.descending = grammar_descends(args[1]);
    return make_change(CHANGE_ORDER, made);
}
