/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act_over.c - actions that hold numbers of groups against each other:
 * running totals, shares of all, changes from one period to the next.
 *
 * Happy path: the one measure of groups, or one number of two periods. Failure: false. */
#include "agents/offline/grammar/actions.h"

#include "agents/semantic/model.h"

/* Whether the numbers of several groups add up to that of all their rows. */
static bool adds_up(const struct sense_measure *m)
{
    return m->agg == AGG_COUNT || m->agg == AGG_SUM ||
           (m->agg == AGG_METRIC && m->on.metric->additive);
}

/* One number for some of the rows, and one for others. */
static bool are_two(const struct sense_measure *m)
{
    return m->next != NULL && m->next->next == NULL && m->only != NULL && m->next->only != NULL;
}

/* Whether no group is a period. */
static bool are_of_rows(const struct sense_group *g)
{
    for (; g != NULL; g = g->next)
        if (g->grain != GRAIN_NONE)
            return false;
    return true;
}

/* Numbers of groups or rows, just as they are. */
static bool are_simple(const struct sense *s)
{
    return s->kind == SENSE_NUMBERS && !s->nested && !s->ratio && !s->distinct &&
           s->columns == NULL && !s->bound.is && s->measures != NULL;
}

bool grammar_over_fits(const struct sense *numbers)
{
    const struct sense_measure *m = numbers->measures;
    const struct sense_group *g = numbers->groups;
    if (numbers->over == OVER_NONE)
        return true;
    if (!are_simple(numbers))
        return false;
    if (g == NULL || m->next != NULL)
        return numbers->over == OVER_CHANGE && are_two(m) && are_of_rows(g);
    bool periods = g->next == NULL && g->grain != GRAIN_NONE && numbers->rank.limit == 0;
    if (m->only != NULL || m->agg == AGG_NET)
        return false;
    return numbers->over == OVER_SHARE ? adds_up(m)
                                       : periods && (adds_up(m) || numbers->over == OVER_CHANGE);
}

/* "running total of sales by month", "orders by status in percent of all": imm says which. */
bool grammar_over(struct act *act, const struct sense *const args[], struct sense *made)
{
    *made = *args[0];
    bool is_new = made->over == OVER_NONE;
    made->over = (enum offline_over)act->imm;
    made->keep_zero = false;
    return is_new && grammar_over_fits(made);
}

static bool count_rows(struct act *act, const struct sense *rows, struct sense *counted)
{
    const struct sense *const kids[] = {rows};
    return rows->kind == SENSE_ROWS && grammar_count(act, kids, counted);
}

/* "share of sales of each region" */
bool grammar_over_groups(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense grouped;
    const struct sense *const kids[] = {&grouped};
    return grammar_group(act, args, &grouped) && grammar_over(act, kids, made);
}

bool grammar_over_groups_count(struct act *act, const struct sense *const args[],
                               struct sense *made)
{
    struct sense counted;
    const struct sense *const kids[] = {&counted, args[1]};
    return count_rows(act, args[0], &counted) && grammar_over_groups(act, kids, made);
}

/* "month over month change of sales": by such periods. */
bool grammar_over_grain(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense grouped;
    const struct sense *const kids[] = {&grouped};
    return grammar_group_grained(act, args, &grouped) && grammar_over(act, kids, made);
}

bool grammar_over_grain_count(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense counted;
    const struct sense *const kids[] = {&counted, args[1]};
    return count_rows(act, args[0], &counted) && grammar_over_grain(act, kids, made);
}

/* "growth of sales from 2023 to 2024": the earlier period comes first, whichever is said first. */
bool grammar_over_periods(struct act *act, const struct sense *const args[], struct sense *made)
{
    struct sense both;
    bool turned = args[1]->range.first > args[2]->range.first;
    const struct sense *const sides[] = {args[0], args[turned ? 2 : 1], args[turned ? 1 : 2]};
    const struct sense *const kids[] = {&both};
    return args[1]->range.first != args[2]->range.first && grammar_contrast(act, sides, &both) &&
           grammar_over(act, kids, made);
}

bool grammar_over_periods_count(struct act *act, const struct sense *const args[],
                                struct sense *made)
{
    struct sense counted;
    const struct sense *const kids[] = {&counted, args[1], args[2]};
    return count_rows(act, args[0], &counted) && grammar_over_periods(act, kids, made);
}

/* "the branch that grew most in sales from one year to another": by the difference; direction tells
 * which end of it, imm 1 that a decline is meant. */
bool grammar_ranked_change(struct act *act, const struct sense *const args[], struct sense *made)
{
    enum { SOME = 10 };
    const struct sense *what = args[0], *change = args[2];
    struct sense_group group = {.on = grammar_rows_of(what->table)};
    if (change->over != OVER_CHANGE || change->groups != NULL || change->rank.is ||
        (what->kind == SENSE_COLUMNS ? !grammar_column(what, &group.on) : !grammar_is_plain(what)))
        return false;
    const bool is_most = (args[1]->arg & ~OFTEN) == 1;
    *made = *change;
    if (!grammar_group_by(act, made, group) ||
        (what->kind == SENSE_ROWS && what->conds != NULL && !grammar_add_rows(act, made, what)))
        return false;
    made->rank = (struct sense_rank){.is = true,
                                     .descending = is_most != (act->imm == 1),
                                     .by_measure = change->measures->agg,
                                     .on = change->measures->on,
                                     .limit = grammar_limit(what, NULL, SOME)};
    return true;
}
