/* SPDX-License-Identifier: MIT */
/* core/run/walk.h - supersteps over a graph: enter, resume, merge, route, hold, cancel.
 *
 * Active and next sets are masks over the graph's nodes. All active nodes run interleaved and see
 * the same state; when all have ended their puts are merged in table order, budgets of the taken
 * edges are counted, and the next set becomes active. A sub-graph is a walk inside a node. A walk
 * ends once, on a later turn, when nothing of it is in flight. One thread. */
#ifndef CORE_RUN_WALK_H
#define CORE_RUN_WALK_H

#include "core/base/err.h"

struct aside;
struct graph;
struct run_context;
struct snapshot;
struct state;
struct trace_place;
struct walk;

struct walk_end {
    enum err_code code;    /* ERR_OK: it reached END */
    const char *wire_code; /* "sql_failed"; static */
    struct err_kept err; /* until on_end returns */
    bool interrupted;
    bool is_early; /* a node ended the run: nothing follows, nor in the walks around */
};
typedef void walk_fn(struct walk *walk, const struct walk_end *end);

struct walk_options {
    struct run_context *context;
    const struct graph *graph;
    struct state *state;             /* the caller's, in the run's arena */
    const struct snapshot *from;     /* the top walk goes on here; kept. NULL: at GRAPH_START */
    const char *path;                /* "sql_agent" under a sub-graph node, or NULL at the top */
    const struct trace_place *trace; /* parent of its nodes' spans; NULL: not traced; kept */
    walk_fn *on_end;
    void (*on_answered)(struct walk *walk); /* only background nodes still run; may be NULL */
    struct aside *aside;                    /* where its answers go; NULL: to the run's reader */
    void *owner;
};

/* Begin at GRAPH_START, or go on; the first node is entered on a later turn. NULL: the arena is
 * spent. */
struct walk *walk_start(const struct walk_options *options);
void *walk_owner(const struct walk *walk);
/* Give everything up; on_end comes with ERR_CANCELLED (or why's code), or what was already decided.
 * Idempotent. */
void walk_cancel(struct walk *walk, const struct err *why);
/* Flow control of everything in flight, now and started later. Idempotent. */
void walk_hold(struct walk *walk);
void walk_go(struct walk *walk);

#endif
