/* SPDX-License-Identifier: MIT */
/* core/graph_check.h - the mistakes a graph's tables can hold; private to core/graph.
 *
 * Looks at one definition; sub-graphs are checked by their own compilation. Pure. */
#ifndef CORE_GRAPH_CHECK_H
#define CORE_GRAPH_CHECK_H

#include "core/graph.h"

/* ERR_INVALID: err names graph, node and label of the first mistake. */
MUST_USE enum err_code graph_check(const struct graph_def *def, struct err *err);
/* The most supersteps a run of def (checked) can take when every budget is spent on its longest
 * way back; limits by budget index. */
unsigned graph_check_longest(const struct graph_def *def, const unsigned *limits);

#endif
