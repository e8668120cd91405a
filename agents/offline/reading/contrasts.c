/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/contrasts.c - what is compared with something else of the same rows.
 *
 * Happy path: two columns of a row around or behind the comparison, or two values of one column
 * whose rows are counted. Failure: whose numbers they are is not said. */
#include "agents/offline/reading/contrasts.h"

#include "agents/offline/reading/bind.h"

/* Whether both items are columns of one table that can be compared: dates, or numbers. */
static bool are_comparable(const struct parse *p, size_t a, size_t b)
{
    if (!(offline_parse_is(p, a, LINK_COLUMN) || offline_parse_is(p, a, LINK_MOMENT)) ||
        !(offline_parse_is(p, b, LINK_COLUMN) || offline_parse_is(p, b, LINK_MOMENT)))
        return false;
    const struct lexicon_link *left = &p->items[a].is, *right = &p->items[b].is;
    return left->table == right->table && left->column != right->column && left->named == NULL &&
           right->named == NULL &&
           ((offline_parse_is_measure(p, left) && offline_parse_is_measure(p, right)) ||
            (lexicon_index_is_date(p->catalog, left->table, left->column) &&
             lexicon_index_is_date(p->catalog, right->table, right->column)));
}

/* "stock below the reorder level", "fewer in stock than their reorder level": two columns of a row
 * around or behind the comparison. *after is left behind them. */
static bool finds_columns(const struct parse *p, size_t *after, int *left, int *right)
{
    size_t next = offline_parse_next(p, *after + 1);
    size_t subject = p->subject_column == READING_NONE ? p->count : (size_t)p->subject_column;
    bool around = are_comparable(p, subject, *after);
    bool behind = !around && next > *after + 1 && are_comparable(p, *after, next);
    if (!around && !behind)
        return false;
    *left = around ? p->subject_column : (int)*after;
    *right = around ? (int)*after : (int)next;
    *after = around ? *after + 1 : next + 1;
    return true;
}

static bool compare_columns(struct parse *p, size_t end, int left, int right)
{
    const struct lexicon_link *link = &p->items[left].is;
    enum offline_op op = (enum offline_op)(p->items[p->at].arg & COMPARE_OP);
    struct reading_filter *filter =
        offline_bind_filter(p, (struct reading_column){link->table, link->column, NULL});
    if (filter == NULL || p->negated)
        return offline_parse_stop(p, "this comparison is not understood");
    filter->op = op;
    filter->vs_column = true;
    filter->than = p->items[right].is.column;
    p->subject_column = READING_NONE;
    p->at = end;
    return true;
}

/* "more open orders than closed": the other value of the same column, past "than". */
static size_t other_value(const struct parse *p, size_t value)
{
    const struct lexicon_link *link = &p->items[value].is;
    size_t i = value + 1;
    if (offline_parse_is(p, i, LINK_TABLE) && p->items[i].is.table == link->table)
        i++;
    size_t other = offline_parse_next(p, i);
    bool than = other > i && str_equal_nocase(p->items[i].text, STR("than"));
    return than && offline_parse_is(p, other, LINK_VALUE) &&
                   p->items[other].is.table == link->table &&
                   p->items[other].is.column == link->column &&
                   !str_equal(p->items[other].is.value, link->value)
               ? other
               : p->count;
}

/* "more debits than credits": rows of one value against those of another. */
static bool compare_values(struct parse *p, size_t value, size_t other)
{
    const size_t sides[] = {value, other};
    const struct lexicon_link *link = &p->items[value].is;
    const struct offline_reading *r = p->reading;
    enum offline_op op = (enum offline_op)(p->items[p->at].arg & COMPARE_OP);
    if ((r->target == READING_NONE && r->counted == READING_NONE) || link->table == r->target ||
        link->table == r->counted || p->expect != EXPECT_NOTHING)
        return offline_parse_stop(p, "whose numbers are compared is not clear");
    if (p->negated || !offline_parse_open_scope(p, SCOPE_HAVING, link->table))
        return offline_parse_stop(p, "a negated comparison is not understood");
    p->scope->agg = AGG_NET;
    p->scope->measure = (struct reading_column){link->table, READING_NONE, NULL};
    p->scope->op = op;
    for (size_t i = 0; i < countof(sides); i++) {
        struct reading_filter *filter = &p->scope->filters[p->scope->filter_count++];
        *filter = (struct reading_filter){
            .on = {link->table, link->column}, .op = OP_EQ, .value_count = 1, .minus = i == 1};
        filter->said_with = READING_NONE;
        filter->values[0] = p->items[sides[i]].is.value;
    }
    p->at = other + 1;
    return true;
}

bool offline_contrasts_take(struct parse *p, size_t after, bool *taken)
{
    int left, right;
    size_t other = offline_parse_is(p, after, LINK_VALUE) ? other_value(p, after) : p->count;
    *taken = false;
    if (other < p->count)
        *taken = compare_values(p, after, other);
    else if (finds_columns(p, &after, &left, &right))
        *taken = compare_columns(p, after, left, right);
    else
        return true;
    return *taken;
}
