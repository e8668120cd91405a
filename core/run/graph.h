/* SPDX-License-Identifier: MIT */
/* core/run/graph.h - tables -> a checked, immutable graph, and its picture.
 *
 * A definition is static data in docs/requirements.md's names; graph_compile checks all of it once
 * and says every mistake with node and label. A compiled graph is shared by all loops. */
#ifndef CORE_RUN_GRAPH_H
#define CORE_RUN_GRAPH_H

#include "core/base/buf.h"
#include "core/run/slot.h"
#include "core/run/state.h"

struct node;
struct graph;

enum { GRAPH_MAX_NODES = 63, GRAPH_MAX_LABELS = 8, GRAPH_MAX_INNER = 16 };
enum { GRAPH_START = 1000, GRAPH_END = 1001 };

enum step {
    STEP_WAIT, /* from node_await, node_settle */
    STEP_DONE,
    STEP_FAILED,      /* from node_fail */
    STEP_INTERRUPTED, /* from node_interrupt */
    STEP_LAST,        /* from node_end_run */
    STEP_LEFT,        /* from node_leave */
};
typedef enum step node_fn(struct node *node);
/* Picks the label of the edge to take. Pure: reads state and budgets only. */
typedef const char *graph_route_fn(const struct state *state, const struct graph *graph);
struct graph_node;
/* The same, told its node: for routes that are data of the node. */
typedef const char *graph_route_by_fn(const struct graph_node *node, const struct state *state,
                                      const struct graph *graph);

struct graph_node_type {
    node_fn *enter;
    size_t frame_bytes; /* zeroed before enter; node_frame() */
};

/* A value that crosses between a graph and its sub-graph. */
struct graph_pass {
    unsigned outer, inner; /* slot indices */
};

struct graph_node {
    const char *name;
    const struct graph_node_type *type; /* or sub, never both */
    const void *config;                 /* for the node function; static */
    const struct graph_def *sub;        /* a sub-graph with a state of its own */
    const struct graph_pass *in, *out;  /* copied before and after it ran */
    size_t in_count, out_count;
    const struct graph_def *const *inner; /* graphs that its function runs as operations, NULL after
                                             the last; or NULL (core/run/inner.h) */
    graph_route_fn *route;                /* or route_by, or neither */
    graph_route_by_fn *route_by;          /* node->config and node->rules are its own */
    const void *rules;                    /* for route_by; static */
    const char *labels[GRAPH_MAX_LABELS]; /* all the route may return, NULL-terminated */
    uint64_t timeout_ms;                  /* 0: none but the run's; ERR_TIMEOUT when it passes */
    unsigned retries;                     /* re-enter after a retryable failure, at most so often */
    struct slot_ref catch_slot;           /* gets the text of a failure; none: it ends the run */
    struct slot_ref catch_code_slot;      /* with catch_slot, for its code on the wire; or none */
    bool background;                      /* only the run waits for it */
    bool tool;                            /* announced by tool_start (and tool_end) */
};

/* One primitive for every budget: counted on the edge that carries it, tested before counting. */
struct graph_budget {
    const char *name;             /* "retry" */
    struct slot_ref counter_slot; /* SLOT_INT: times used */
    struct slot_ref reason_slot;  /* whose text is the reason; or none */
    unsigned limit;               /* default; graph_tuning may override it by name */
    bool is_turn;                 /* taking the edge is no second try: nobody is told */
    bool counted_by_node; /* a node before the edge has counted: the counter may reach limit */
};

struct graph_edge {
    unsigned from, to; /* node index, GRAPH_START or GRAPH_END */
    const char *label; /* NULL: unconditional */
    unsigned budget;   /* 1 + index: taking this edge counts one; 0: none */
};

struct graph_def {
    const char *name;
    const char *purpose; /* one sentence */
    struct schema schema;
    const struct graph_node *nodes;
    size_t node_count;
    const struct graph_edge *edges;
    size_t edge_count;
    const struct graph_budget *budgets;
    size_t budget_count;
    unsigned recursion_limit; /* supersteps per invocation; 0: 15 */
    /* Writes what a complete event carries beyond the engine's own stats: JSON members
     * (`"sql":"...","data":{...}`, no braces) of the agents' choice, into out. May be NULL. */
    void (*report)(const struct state *state, struct buf *out);
    /* The wire code of a run that reached END and failed all the same (a spent budget), with the
     * reason in *message, borrowed from state; NULL: it did not fail. A run that failed ends in
     * error, with what report wrote. May be NULL; asked for the top graph only. */
    const char *(*failure)(const struct state *state, struct str *message);
    /* The graph's nodes emit route_decision; otherwise a run says the graph's name at its start. */
    bool routes;
};

struct graph_tuning { /* from configuration: a budget's limit, or that of a graph's supersteps */
    const char *budget;
    unsigned limit;
    const char *graph; /* with budget NULL: the graph whose recursion limit it is */
};

/* Check def and everything below it. ERR_INVALID: the first mistake, "graph 'G': node 'N': what is
 * wrong"; or slot, or budget. tunings apply to sub-graphs, too. The result is the caller's. Checks:
 * node names unique; type xor sub; every edge's ends exist; every declared label has exactly one
 * edge and every labelled edge is declared; a node without route has no labels; all nodes reachable
 * from GRAPH_START; GRAPH_END reachable from all; budgets' counters are SLOT_INT; every cycle
 * carries a budgeted edge; writers name nodes that exist; passes agree in type and writer;
 * sub-graphs compile; the recursion limit covers the longest budgeted path (else graph_warning). */
MUST_USE enum err_code graph_compile(const struct graph_def *def,
                                     const struct graph_tuning *tunings, size_t tuning_count,
                                     struct graph **out, struct err *err);
void graph_destroy(struct graph *graph);

const struct graph_def *graph_def(const struct graph *graph);
/* What an operator should know about a right graph; NULL: nothing. */
const char *graph_warning(const struct graph *graph);
unsigned graph_recursion_limit(const struct graph *graph);
/* What the route of node picks; NULL: it has none. */
const char *graph_pick(const struct graph *graph, unsigned node, const struct state *state,
                       bool *is_routed);
/* The compiled sub-graph of node, or NULL; of those that it runs as operations, the one at i, or by
 * its name, or NULL. */
const struct graph *graph_sub(const struct graph *graph, unsigned node);
const struct graph *graph_inner(const struct graph *graph, unsigned node, unsigned i);
const struct graph *graph_find_inner(const struct graph *graph, unsigned node, struct str name);
/* The nodes that follow from: by all edges of an unrouted node, or by the one with label. A mask of
 * node bits, with *ends set when GRAPH_END is among them, *budget the edge's (1 + index) or 0.
 * ERR_INTERNAL: no such label (a route broke its declaration). from may be GRAPH_START. */
MUST_USE enum err_code graph_next(const struct graph *graph, unsigned from, const char *label,
                                  uint64_t *mask, bool *ends, unsigned *budget, struct err *err);
/* graph_budget_left: whether budget (an index) still has a turn, by state's counter;
 * graph_budget_limit: its limit; graph_find_budget: 1 + its index, by name. */
bool graph_budget_left(const struct graph *graph, const struct state *state, unsigned budget);
unsigned graph_budget_limit(const struct graph *graph, unsigned budget);
unsigned graph_find_budget(const struct graph *graph, const char *name); /* 0: none */

/* The picture, as Mermaid "graph TD": START and END as ([START]) and ([END]), edges in table order,
 * labels as -->|label|; sub-graphs as one node each with [[name]]; edges to background nodes
 * dotted. */
void graph_write_mermaid(const struct graph *graph, struct buf *out);

#endif
