/* SPDX-License-Identifier: MIT */
/* core/run/walk_internal.h - the inside of walks and of the visits of their nodes.
 *
 * A node in flight has exactly one of these: its task queued, operations pending (and maybe its
 * early task queued beside them), a sub-graph's walk not ended. So a stopped node always comes to
 * its end on a later turn, by itself. All of it lives in the run's arena. */
#ifndef CORE_RUN_WALK_INTERNAL_H
#define CORE_RUN_WALK_INTERNAL_H

#include "core/loop/op.h"
#include "core/run/run_context.h"
#include "core/run/snapshot.h"
#include "core/loop/timer.h"
#include "core/observe/trace.h"
#include "core/run/walk.h"

enum node_outcome { NODE_OPEN, NODE_DONE, NODE_FAILED, NODE_INTERRUPTED, NODE_CANCELLED };

struct node_failure {
    enum err_code code; /* ERR_OK: none */
    const char *wire_code;
    struct str text; /* for the log */
    struct str told; /* for everybody else: events, state, the end (wire_code_public) */
};

struct node {
    struct walk *walk;
    const struct graph_node *def;
    unsigned index;
    const char *path; /* "sql_agent/planner" */
    struct arena scratch; /* of the visit: what is over with it */
    void *frame;          /* in scratch */
    struct list ops;
    struct loop_task task; /* enters or resumes */
    struct timer timer;    /* def->timeout_ms */
    struct update *update;
    struct walk *sub;  /* kept over visits */
    struct list inner; /* walks of graphs that this visit runs as operations, by link */
    node_fn *next;
    node_fn *early;              /* runs instead, at the end of this turn */
    struct loop_task early_task; /* queued beside operations, too */
    bool settles;                /* next runs even if an operation failed */
    enum node_outcome outcome;
    struct node_failure failure;
    unsigned visits, attempt, retries;
    unsigned entry_visits, entry_attempt; /* as the visit began: for checkpoints */
    bool streamed;                        /* it said tokens in this visit or try */
    bool lingers; /* it has done its part, and its sub-graph or its operations go on in the
                     background */
    uint64_t entered_ms;
    struct trace_place place; /* of this visit; its trace NULL: not traced */
    uint64_t entered_ns;      /* where it is traced */
};

enum walk_phase {
    WALK_RESTS, /* not begun, or over */
    WALK_GOES,
    WALK_ANSWERED, /* it goes on, but what it was begun for is done */
    WALK_STOPS,    /* failed or cancelled: end says why; nothing is entered any more */
    WALK_PHASES
};

struct walk {
    struct walk_options options;
    struct list link; /* in the node's inner ones */
    struct arena *arena;
    struct loop *loop;
    struct loop_task task; /* begins */
    struct node **nodes;   /* by index; made when first entered */
    uint64_t running;      /* of the superstep, not ended */
    uint64_t background;   /* background and lingering nodes in flight */
    uint64_t delayed;      /* to be entered once they linger no more */
    uint64_t ended;        /* to be merged and routed at the superstep's end */
    uint64_t entered;      /* the superstep's nodes */
    uint64_t entered_id;   /* the last event before it */
    unsigned supersteps;
    unsigned first_attempt;       /* of new nodes, when a walk around began again */
    const struct snapshot *from;  /* where it goes on; NULL: at GRAPH_START */
    struct snapshot_mark *marks;  /* of the walk's checkpoints; NULL: none was written */
    bool is_marked;               /* a checkpoint holds this walk's state */
    bool is_due;                  /* a superstep began since the last checkpoint */
    enum walk_phase phase;
    bool held;
    struct walk_end end;
};

static inline bool walk_is_active(const struct walk *walk)
{
    return walk->phase != WALK_RESTS;
}

static inline bool walk_is_stopping(const struct walk *walk)
{
    return walk->phase == WALK_STOPS;
}

/* ---- walk.c ---- */
/* walk_start in two halves: made once, begun again for every visit with a fresh state; from: where
 * it goes on (kept), NULL: at GRAPH_START. False: the arena is spent. */
struct walk *walk_make(const struct walk_options *options);
MUST_USE bool walk_begin(struct walk *walk, struct state *state, const struct snapshot *from);
/* Whether the walk is inside node's sub-graph, in its superstep or in the background, which goes on
 * or has paused. */
bool walk_is_inside(const struct walk *walk, const struct node *node);
/* The same of a graph that node runs as an operation. */
bool walk_is_inside_as(const struct walk *walk, const struct node *node, const struct walk *inner);
/* Write where walk is into *snapshot. Not before its first superstep. */
void walk_tell(const struct walk *walk, struct snapshot *snapshot);
/* As walk_cancel, with the code on the wire: err and wire_code become the walk's end unless another
 * was decided already. */
void walk_stop(struct walk *walk, const struct err *err, const char *wire_code);
/* node has come to its end (outcome says how). The last thing the caller does. */
void walk_node_ended(struct walk *walk, struct node *node);
/* node has done its part and what it gives is put, though its sub-graph or its operations go on:
 * node counts as ended for its superstep and stays in flight as a background node, until
 * walk_node_ended. The last thing the caller does. */
void walk_node_lingers(struct walk *walk, struct node *node);

/* ---- walk_visit.c ---- */
struct node *walk_visit_make(struct walk *walk, unsigned index);
void walk_visit_begin(struct node *node);
void walk_visit_stop(struct node *node);
void walk_visit_hold(struct node *node);
void walk_visit_go(struct node *node);
/* As node_hasten says. */
void walk_visit_hasten(struct node *node, node_fn *next);
/* Note the visit's first failure. */
void walk_visit_fail(struct node *node, enum err_code code, const char *wire_code, struct str text);
/* The visit's span, as the parent of the visit's operations; NULL: not traced. */
const struct trace_place *walk_visit_place(const struct node *node);
/* Put what is passed in of the values of node's graph. */
void walk_visit_pass_in(const struct node *node, const struct graph_pass *passes, size_t count,
                        struct update *input);
/* Where the operations of the visit end; their owner is the node. */
op_fn walk_visit_on_op;

#endif
