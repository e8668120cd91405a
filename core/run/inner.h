/* SPDX-License-Identifier: MIT */
/* core/run/inner.h - a graph that a node runs as an operation: one of many elements, or a tool.
 *
 * The node's table entry lists the graphs that it may run (graph_node.inner). Each runs in a walk
 * of its own under "NODE/GRAPH:KEY", with a state of its own, and is in the run's checkpoints:
 * where a run is taken over, a node that makes the same one again finds it where it was. What it
 * says as an answer is for the node alone, not for the reader. It may pause for a person: the node
 * then pauses, too (inner_interrupt), once nothing of it is in flight. Loop thread only. */
#ifndef CORE_RUN_INNER_H
#define CORE_RUN_INNER_H

#include "core/loop/timer.h"
#include "core/run/aside.h"
#include "core/run/node.h"

struct run_part;
struct update;
struct walk;

struct inner {
    struct op op;          /* "graph.run" */
    uint64_t most_ms;      /* in: its time, or 0; ERR_TIMEOUT when it passes */
    struct state *state;   /* out: as the graph left it */
    const char *wire_code; /* out, where op failed; static */
    bool is_paused;        /* out: a person is asked, and it is not at its end */
    /* private */
    struct node *node;
    struct walk *walk;
    struct aside aside;
    struct update *input;
    struct run_part *part; /* where it goes on; NULL: it begins */
    struct timer timer;
};

/* Make inner, zeroed but for its in-fields, ready to run the graph at which of node's. key tells it
 * from others of the visit: letters, digits. *input: to be filled, as a caller fills it; NULL: it
 * goes on where it was. False: the arena is spent. */
MUST_USE bool inner_make(struct inner *inner, struct node *node, unsigned which, struct str key,
                         struct update **input);
/* Run it, with the input as it was filled. */
void inner_start(struct inner *inner, struct op_waiter waiter);
/* Put into input what passes say of the values of node's graph. */
void inner_pass(const struct node *node, const struct graph_pass *passes, size_t count,
                struct update *input);
/* What it has said as its answer; borrowed until the operation is released. */
struct str inner_said(const struct inner *inner);
/* How a node's function ends when what it runs has paused. */
static inline MUST_USE enum step inner_interrupt(struct node *node UNUSED)
{
    return STEP_INTERRUPTED;
}

#endif
