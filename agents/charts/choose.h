/* SPDX-License-Identifier: MIT */
/* agents/charts/choose.h - chooses the chart that shows a table: an ordered list of rules (in
 * choose.c), of which the first that fits wins.
 *
 * Never chosen: a pie with negatives or more than 6 parts, a line over unordered categories, a
 * truncated result without a note, more than 1,000 points. Pure; any thread. */
#ifndef AGENTS_CHARTS_CHOOSE_H
#define AGENTS_CHARTS_CHOOSE_H

#include "agents/charts/spec.h"

struct charts_request {
    const struct charts_table *table;
    struct str question; /* looked at for whether it asks for shares; may be absent */
    struct str title;    /* absent: one is made of the columns' names */
    bool is_whole;       /* the caller knows that the rows are the parts of one whole */
};

/* The chart for request, a table where no rule fits. NULL: no memory. */
const struct charts_spec *charts_choose_spec(const struct charts_request *request,
                                             struct arena *arena);

#endif
