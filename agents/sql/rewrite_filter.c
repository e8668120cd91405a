/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_filter.c - finds a written filter by place, in logarithmic time.
 *
 * Cannot fail. Filters stand in the order of the text and do not overlap. */
#include "agents/sql/rewrite.h"

static bool lies_in(struct sql_span inner, struct sql_span outer)
{
    return inner.end > inner.start && inner.start >= outer.start && inner.end <= outer.end;
}

/* The first filter whose predicate ends behind start. */
static size_t first_behind(const struct sql_rewrite *rewrite, size_t start)
{
    size_t low = 0, high = rewrite->filter_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rewrite->filters[middle].predicate.end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t sql_rewrite_filter_at(const struct sql_rewrite *rewrite, struct sql_span span)
{
    size_t i = first_behind(rewrite, span.start);
    return i < rewrite->filter_count && lies_in(span, rewrite->filters[i].predicate)
               ? i
               : rewrite->filter_count;
}

/* A derived table ends with its predicate and a parenthesis, so what begins in it ends before. */
size_t sql_rewrite_filter_around(const struct sql_rewrite *rewrite, struct sql_span span)
{
    size_t i = first_behind(rewrite, span.start);
    return i < rewrite->filter_count && lies_in(span, rewrite->filters[i].around)
               ? i
               : rewrite->filter_count;
}
