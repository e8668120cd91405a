/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_plan.h - a way to join tables, step by step; made by join_path.h. Data
 * only. */
#ifndef AGENTS_SQL_JOINS_JOIN_PLAN_H
#define AGENTS_SQL_JOINS_JOIN_PLAN_H

#include "agents/sql/joins/join_graph.h"

enum {
    JOIN_PATH_MAX_TABLES = 8,
    JOIN_PATH_MAX_EDGES = 48,
    JOIN_PATH_MAX_HOPS = 12, /* the most max_hops may be */
    JOIN_PATH_FURTHER = 2    /* hops over max_hops that a second search reaches, by default */
};

/* One step, oriented: parent is nearer to the first table. */
struct join_step {
    const struct join_edge *edge;
    int parent, child;
    bool forward; /* the edge's from_table is parent */
};

struct join_plan {
    struct join_step steps[JOIN_PATH_MAX_EDGES]; /* in join order: parent is the first table or an
                                                    earlier child */
    size_t step_count;
    int root;
    uint64_t cost;
    double confidence;  /* the least of its edges */
    uint64_t runner_up; /* cost of the next best different plan; UINT64_MAX: none */
    const struct join_edge *other[JOIN_PATH_MAX_EDGES]; /* the next best plan's edges */
    size_t other_count;                                 /* 0: there is no next best plan */
    bool fans_out;                                      /* some step is 1:N as seen from the root */
    bool is_far; /* longer than max_hops, though not than more_hops */
};

/* Whether the next best plan is nearly as good: it costs at most 10 % more. */
static inline bool join_plan_has_rival(const struct join_plan *plan)
{
    return plan->runner_up != UINT64_MAX && plan->runner_up - plan->cost <= plan->cost / 10;
}

#endif
