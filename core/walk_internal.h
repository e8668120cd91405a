/* SPDX-License-Identifier: MIT */
/* core/walk_internal.h - what walk.c, node.c, subgraph.c and run.c know of each other.
 *
 * A node in flight has exactly one of: its task queued, operations pending, a sub-graph's walk not
 * ended. So a stopped node always comes to its end on a later turn, by itself. All of it lives in
 * the run's arena. */
#ifndef CORE_WALK_INTERNAL_H
#define CORE_WALK_INTERNAL_H

#include "core/run.h"
#include "core/snapshot.h"
#include "core/timer.h"
#include "core/walk.h"

enum node_outcome { NODE_OPEN, NODE_DONE, NODE_FAILED, NODE_INTERRUPTED, NODE_CANCELLED };

struct node_failure {
    enum err_code code; /* ERR_OK: none */
    const char *wire_code;
    struct str text;
};

struct node {
    struct walk *walk;
    const struct graph_node *def;
    unsigned index;
    const char *path; /* "sql_agent/planner" */
    void *frame;
    struct list ops;
    struct loop_task task; /* enters or resumes */
    struct timer timer;    /* def->timeout_ms */
    struct update *update;
    struct walk *sub; /* kept over visits */
    node_fn *next;
    bool settles; /* next runs even if an operation failed */
    enum node_outcome outcome;
    struct node_failure failure;
    unsigned visits, attempt, retries;
    unsigned entry_visits, entry_attempt; /* as the visit began: of checkpoints within it */
    bool streamed;                        /* in this visit or try */
    bool lingers; /* its sub-graph has answered and goes on in the background */
    uint64_t entered_ms;
    struct trace_place place; /* of this visit; its trace NULL: not traced */
    uint64_t entered_ns;      /* where it is traced */
};

struct walk {
    struct walk_options options;
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
    unsigned first_attempt;       /* of nodes that are new: a walk around it began again */
    const struct snapshot *from;  /* where it goes on; NULL: at GRAPH_START */
    struct snapshot_marks *marks; /* of its checkpoints; NULL: none was written */
    bool is_marked;               /* this walk's state is in one */
    bool is_due;                  /* a superstep began since */
    bool stopping; /* failed or cancelled: end says why; nothing is entered any more */
    bool held, answered, active;
    struct walk_end end;
};

/* ---- walk.c ---- */
/* As walk_start in two: made once, begun again for every visit with a fresh state; from: where it
 * goes on (kept), NULL: at GRAPH_START. False: the arena is spent. */
struct walk *walk_make(const struct walk_options *options);
MUST_USE bool walk_begin(struct walk *walk, struct state *state, const struct snapshot *from);
/* Whether node's sub-graph is where the walk's superstep is: it goes on, or paused. */
bool walk_is_inside(const struct walk *walk, const struct node *node);
/* Where it is. Not before its first superstep. */
void walk_tell(const struct walk *walk, struct snapshot *snapshot);
/* As walk_cancel, with the code on the wire: err and wire_code become the walk's end unless another
 * was decided already. */
void walk_stop(struct walk *walk, const struct err *err, const char *wire_code);
/* node has come to its end (outcome says how). The last thing the caller does. */
void walk_node_ended(struct walk *walk, struct node *node);
/* node's sub-graph has answered and what it gives is put: node counts as ended for its superstep
 * and stays in flight as a background node, until walk_node_ended. The last thing the caller does.
 */
void walk_node_lingers(struct walk *walk, struct node *node);

/* ---- node.c ---- */
struct node *node_make(struct walk *walk, unsigned index);
void node_begin_visit(struct node *node);
void node_stop(struct node *node);
void node_hold(struct node *node);
void node_go(struct node *node);
/* Note the visit's first failure. */
void node_note_failure(struct node *node, enum err_code code, const char *wire_code,
                       struct str text);
/* Its span, for what is its child; NULL: not traced. */
const struct trace_place *node_place(const struct node *node);
/* Its sub-graph has answered: end the visit as far as others can see. The last thing the caller
 * does. */
void node_linger(struct node *node);
/* Nothing of node is in flight: go on, or come to the end. The last thing the caller does. */
void node_proceed(struct node *node);

/* ---- subgraph.c ---- */
/* Begin the sub-graph of node. False: the arena is spent. */
MUST_USE bool subgraph_begin(struct node *node);

/* ---- run.c ---- */
struct loop *run_loop(const struct run *run);
void *run_services(const struct run *run);
const struct log *run_logger(const struct run *run);
bool run_wants(const struct run *run, enum event_level level);
/* Append, unless the terminal event is there already or the detail is not wanted. */
void run_emit(struct run *run, const struct event *event);
void run_describe(struct run *run, const char *node, const struct state *state, uint64_t changed);
/* Tell its owner: a visit of node ended; the edge from node that counts budget (index) is taken. */
void run_note_visit(struct run *run, const struct node *node);
void run_note_retry(struct run *run, const struct graph *graph, unsigned node, unsigned budget);
void run_count_llm(struct run *run, const struct node_usage *usage);
void run_count_sql(struct run *run);

/* ---- run_answer.c ---- */
/* Say text of a node's attempt, in as many tokens as it takes. */
void run_answer_emit(struct run *run, const char *channel, struct str text, unsigned attempt);

/* ---- checkpoint.c ---- */
/* A walk of it begins a superstep. */
void checkpoint_stepped(struct run *run);
/* node paused, with these JSON members. */
void checkpoint_note_interrupt(struct run *run, const char *node, struct str details);
/* A person's answer for the node, absent: none. It is there until the node has ended. */
struct str checkpoint_find_resume(const struct run *run, const char *node);
void checkpoint_drop_resume(struct run *run, const char *node);
/* Where the sub-graph of the node at path was before the run was restored; NULL: nowhere. */
struct checkpoint_part *checkpoint_find_part(struct run *run, const char *path);

#endif
