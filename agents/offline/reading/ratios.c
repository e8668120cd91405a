/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/ratios.c - numbers made of two: a share of a whole, one less another.
 *
 * Happy path: what is said after "are" is above the line, what before below; "minus" takes the rows
 * of one value from those of another.
 * Failure: what is taken of what is not said, or the parts are of different rows. */
#include "agents/offline/reading/ratios.h"

bool offline_ratios_take(struct parse *p)
{
    if (p->reading->out_count > 0 || p->reading->target != READING_NONE)
        return offline_parse_stop(p, "a ratio inside another question is not understood");
    p->reading->ratio = true;
    p->expect = EXPECT_COUNT;
    p->at++;
    return offline_parse_add_out(p, AGG_COUNT, (struct reading_column){READING_NONE, READING_NONE});
}

/* "net amount": a sum that waits for what is taken from what. */
bool offline_ratios_net(struct parse *p)
{
    if (p->expect != EXPECT_NOTHING || p->reading->out_count > 0)
        return offline_parse_stop(p, "'%.*s' is not understood here",
                                  STR_ARG(p->items[p->at].text));
    p->net = true;
    p->pending_from = 0;
    p->expect = EXPECT_MEASURE;
    p->at++;
    return offline_parse_add_out(p, AGG_SUM, (struct reading_column){READING_NONE, READING_NONE});
}

/* "sales minus returns": the sum of the rows with the value before, less that of the rows with
 * the value after. */
bool offline_ratios_minus(struct parse *p)
{
    struct offline_reading *r = p->reading;
    struct reading_scope *main = &r->scopes[0];
    size_t next = offline_parse_next(p, p->at + 1);
    if (offline_parse_is_cue(p, next, CUE_AGG) && p->items[next].arg == AGG_SUM)
        next = offline_parse_next(p, next + 1);
    const struct lexicon_link link = next < p->count ? p->items[next].is : (struct lexicon_link){0};
    struct reading_filter *plus =
        main->filter_count > 0 ? &main->filters[main->filter_count - 1] : NULL;
    bool fits = offline_parse_is(p, next, LINK_VALUE) && plus != NULL && plus->op == OP_EQ &&
                plus->value_count == 1 && plus->on.table == link.table &&
                plus->on.column == link.column && plus->out == READING_NONE &&
                !str_equal(plus->values[0], link.value) && p->expect == EXPECT_NOTHING &&
                p->scope == main && !r->ratio && r->out_count < 2 &&
                main->filter_count < READING_FILTERS;
    int measure = fits ? p->lexicon->facts[link.table].measure : CATALOG_NONE;
    if (fits && r->out_count == 1)
        measure = r->outs[0].agg == AGG_SUM && r->outs[0].on.table == link.table
                      ? r->outs[0].on.column
                      : CATALOG_NONE;
    if (measure == CATALOG_NONE)
        return offline_parse_stop(p, "what is taken from what is not clear");
    r->outs[0] = (struct reading_out){AGG_NET, {link.table, measure}};
    r->out_count = 1;
    r->counted = p->noun = link.table;
    r->target = r->target == link.table ? READING_NONE : r->target;
    plus->out = 0;
    struct reading_filter *less = &main->filters[main->filter_count++];
    *less = *plus;
    less->values[0] = link.value;
    less->minus = p->between_minus = true;
    p->at = next + 1;
    if (offline_parse_is(p, p->at, LINK_TABLE) && p->items[p->at].is.table == link.table)
        p->at++;
    if (offline_parse_is(p, p->at, LINK_COLUMN) && p->items[p->at].is.table == link.table &&
        p->items[p->at].is.column == measure)
        p->at++;
    return true;
}

/* "share of tracks are rock": a condition on the one row that is referred to. */
static bool refer_through(const struct parse *p, struct reading_filter *filter)
{
    const struct catalog_table *t = &p->catalog->tables[p->reading->counted];
    int column = CATALOG_NONE;
    for (size_t i = 0; i < t->reference_count; i++)
        if (t->references[i].to_table == filter->on.table && t->references[i].column_count == 1) {
            if (column != CATALOG_NONE)
                return false;
            column = t->references[i].columns[0];
        }
    if (column == CATALOG_NONE || filter->op != OP_EQ || filter->value_count != 1)
        return false;
    filter->columns[0] = filter->on.column;
    filter->on = (struct reading_column){p->reading->counted, column, NULL};
    filter->through = true;
    return true;
}

bool offline_ratios_finish(struct parse *p)
{
    struct offline_reading *r = p->reading;
    size_t upper = 0;
    struct reading_scope *scope = &r->scopes[0];
    bool adds = r->outs[0].agg == AGG_SUM && r->outs[0].on.column != READING_NONE;
    bool counts = r->outs[0].agg == AGG_COUNT && r->outs[0].on.column == READING_NONE;
    if (r->out_count != 1 || r->scope_count > 1 || r->ordered || (!adds && !counts))
        return offline_parse_stop(p, "this ratio is not understood");
    for (size_t i = 0; i < scope->filter_count; i++)
        upper += scope->filters[i].numerator;
    bool split = p->copula_filters > 0 && p->copula_filters < scope->filter_count;
    for (size_t i = 0; upper == 0 && i < scope->filter_count; i++)
        scope->filters[i].numerator =
            split ? i >= p->copula_filters : scope->filters[i].op != OP_RANGE;
    for (size_t i = 0; upper == 0 && i < scope->filter_count; i++)
        upper += scope->filters[i].numerator;
    for (size_t i = 0; i < scope->filter_count; i++)
        if (scope->filters[i].numerator && scope->filters[i].on.table != r->counted &&
            !refer_through(p, &scope->filters[i]))
            return offline_parse_stop(p, "a ratio over related rows is not understood");
    return upper > 0 || offline_parse_stop(p, "what share is asked for is not said");
}
