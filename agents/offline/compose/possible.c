/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/possible.c - two bounds or texts of one column are held against each
 * other.
 *
 * Happy path: ranges overlap, or are of different columns. Failure: they do not. */
#include "agents/offline/compose/possible.h"

#include <math.h>

struct bounds {
    double low, high;
    bool open; /* one of its ends is not in it */
};

/* The range that a filter allows; false: it is no range of numbers or days. */
static bool bounds_of(const struct reading_filter *f, struct bounds *b)
{
    *b = (struct bounds){-HUGE_VAL, HUGE_VAL, false};
    if (f->named != NULL || f->versus != AGG_NONE || f->vs_column || f->value_count > 0 ||
        f->numerator || f->out != READING_NONE || f->on.since != 0 || f->minus)
        return false;
    switch (f->op) {
    case OP_LT:
    case OP_LE:
        b->high = f->number;
        b->open = f->op == OP_LT;
        return true;
    case OP_GT:
    case OP_GE:
        b->low = f->number;
        b->open = f->op == OP_GT;
        return true;
    case OP_BETWEEN:
        b->low = f->number;
        b->high = f->high;
        return true;
    case OP_RANGE:
        b->low = f->range.first == OFFLINE_DAY_NONE ? -HUGE_VAL : f->range.first;
        b->high = f->range.end == OFFLINE_DAY_NONE ? HUGE_VAL : f->range.end;
        b->open = true;
        return true;
    default:
        return false;
    }
}

/* Whether a filter wants the column to be one of its values, or to hold its text. */
static bool is_text(const struct reading_filter *f, enum offline_op op)
{
    return f->op == op && f->named == NULL && f->versus == AGG_NONE && !f->vs_column &&
           f->value_count > 0 && !f->numerator && f->out == READING_NONE && !f->minus &&
           !f->through && !f->back;
}

static bool contains(struct str text, struct str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_equal_nocase(str_slice(text, i, i + part.len), part))
            return true;
    return false;
}

/* Whether none of the texts that a wants is one that b wants. */
static bool exclude_texts(const struct reading_filter *a, const struct reading_filter *b)
{
    bool part = is_text(b, OP_LIKE);
    if (!is_text(a, OP_EQ) || (!part && !is_text(b, OP_EQ)))
        return false;
    for (size_t i = 0; i < a->value_count; i++)
        for (size_t k = 0; k < b->value_count; k++)
            if (part ? contains(a->values[i], b->values[k]) : str_equal(a->values[i], b->values[k]))
                return false;
    return true;
}

static bool exclude(const struct reading_filter *a, const struct reading_filter *b)
{
    struct bounds one, other;
    bool same = a->on.table == b->on.table && a->on.column == b->on.column;
    if (same && (exclude_texts(a, b) || exclude_texts(b, a)))
        return true;
    if (a->on.table != b->on.table || a->on.column != b->on.column || !bounds_of(a, &one) ||
        !bounds_of(b, &other) || (a->op == OP_RANGE) != (b->op == OP_RANGE))
        return false;
    double low = fmax(one.low, other.low), high = fmin(one.high, other.high);
    return low > high || (low == high && (one.open || other.open));
}

/* Whether columns are shown of rows that must not be. */
static bool shows_absent(const struct offline_reading *r)
{
    for (size_t s = 1; s < r->scope_count; s++)
        for (size_t i = 0; i < r->out_count && r->scopes[s].kind == SCOPE_NOT; i++)
            if (r->outs[i].agg == AGG_NONE && r->outs[i].on.table != r->target &&
                r->scopes[s].table_count == 1 && r->scopes[s].filter_count == 0 &&
                r->scopes[s].tables[0] == r->outs[i].on.table)
                return true;
    return false;
}

bool offline_possible(const struct offline_reading *reading)
{
    if (shows_absent(reading))
        return false;
    for (size_t s = 0; s < reading->scope_count; s++) {
        const struct reading_scope *scope = &reading->scopes[s];
        for (size_t i = 0; i < scope->filter_count; i++)
            for (size_t k = 0; k < i; k++)
                if (exclude(&scope->filters[i], &scope->filters[k]))
                    return false;
    }
    return true;
}
