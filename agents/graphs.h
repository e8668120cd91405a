/* SPDX-License-Identifier: MIT */
/* agents/graphs.h - every graph that agents/graphs.inc names, and the prompts of all of them.
 * Immutable; any thread. */
#ifndef AGENTS_GRAPHS_H
#define AGENTS_GRAPHS_H

#include "agents/services/registry_entry.h"

/* How many graphs there are; a constant expression, for arrays. */
enum {
#define GRAPH(name) GRAPHS_##name,
#include "agents/graphs.inc"
#undef GRAPH
    GRAPHS_COUNT
};

/* The graphs, in the order of agents/graphs.inc. */
extern const struct registry_entry *const graphs_entries[GRAPHS_COUNT];

/* Read every prompt of every graph, and that of the join review, as prompt_set_load does. */
MUST_USE enum err_code graphs_load_prompts(const char *dir, struct prompt_set **out,
                                           struct err *err);

#endif
