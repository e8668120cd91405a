/* SPDX-License-Identifier: MIT */
/* core/run/run.h - one execution of a graph: state, arena, log, walk, limits, beginning and end.
 *
 *   created -run_start-> active -walk answered or ended-> answered -walk ended-> ended
 *   active -run_cancel, deadline-> ending -walk ended-> answered
 * The log gets exactly one complete or error event, then on_end is called once. complete does not
 * wait for background nodes that still run. An interrupted run says "interrupted":true in its
 * complete event, and which nodes paused with what. An error by a spent limit carries the graph's
 * report, too. A run never knows about HTTP. Owned by its creator; one loop, one thread. */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include "core/base/id.h"
#include "core/base/log.h"
#include "core/run/event_log.h"
#include "core/run/graph.h"
#include "core/run/run_phase.h"
#include "core/run/run_stats.h"
#include "core/observe/trace.h"

struct run;
typedef void run_fn(struct run *run);

/* A visit of a node that ended, or that is to be repeated on a budget; borrowed for the call. */
struct run_visit {
    const struct graph_def *graph; /* the graph that has the node; maybe a sub-graph */
    unsigned node;                 /* index */
    unsigned budget;               /* index, of on_retry */
    uint64_t took_ms;              /* of on_visited */
};
typedef void run_visit_fn(struct run *run, const struct run_visit *visit);

struct run_limits {
    size_t arena_bytes, log_bytes;
    size_t members_bytes; /* JSON members of complete or error; 0: 8 MiB */
    uint64_t deadline_ms; /* whole run; 0: none */
};

struct run_options {
    struct loop *loop;
    const struct graph *graph; /* borrowed until the run is destroyed */
    void *services;            /* for node_services(); borrowed likewise */
    struct run_limits limits;
    struct id id;
    const struct log *log; /* copied, run id added */
    run_fn *on_end;        /* after the terminal event is in the log; never inside run_start */
    run_fn *on_answered;   /* the terminal event is in the log and background nodes go on, so that
                              on_end comes later; else not called; may be NULL */
    run_fn *on_step;       /* a superstep begins: a checkpoint can be written; may be NULL */
    bool (*on_save)(struct run *run); /* write a checkpoint now, and call run_saved when it is
                                         stored; false: nobody keeps the run; may be NULL */
    run_visit_fn *on_visited;         /* a visit ended; for metrics; may be NULL */
    run_visit_fn *on_retry; /* an edge from node that has a budget is taken; may be NULL */
    void *owner;
    enum event_level detail; /* events above it are not made */
    bool wants_data;         /* EVENT_DATA is made, too */
    /* JSON is not core's: these write members (no braces, no comma at either end). describe: the
     * slots of mask, for "state" events; NULL: none are made. finish: added to complete and error
     * just before they are logged, after the graph's report; run_result, run_stats and run_route
     * are final by then; may be NULL. */
    void (*describe)(const struct state *state, uint64_t slots, struct buf *members);
    void (*finish)(struct run *run, struct buf *members);
    struct str conversation_id;      /* copied; for complete */
    const struct trace_place *trace; /* the run's span, kept; NULL: not traced */
};

/* NULL: no memory. */
struct run *run_create(const struct run_options *options);
/* Only when created or ended, and with no reader attached. NULL is fine. */
void run_destroy(struct run *run);

/* Before run_start: fill the input (writer 63) through this update. */
struct update *run_input(struct run *run);
struct arena *run_arena(struct run *run);
void run_start(struct run *run);
/* Ask run to end with code ("cancelled", "deadline_exceeded", "server_shutdown") and message. The
 * terminal event comes when nothing is in flight. Idempotent; the first reason wins. */
void run_cancel(struct run *run, const char *code, const char *message);

/* The last checkpoint that was written of run is stored, or none will be any more. It counts once
 * the events before it are stored, too. */
void run_saved(struct run *run, bool is_kept);

const char *run_id(const struct run *run);
void *run_owner(const struct run *run);
enum run_phase run_phase(const struct run *run);
const struct graph *run_graph(const struct run *run);
struct event_log *run_log(struct run *run);
/* The top graph's state: valid until destroy; final after on_end. */
const struct state *run_state(const struct run *run);
/* Whether run has ended and waits for a person. */
bool run_is_paused(const struct run *run);
enum event_level run_detail(const struct run *run);
/* The route decided, or the graph's name when it does not route; absent: not decided yet. */
struct str run_route(const struct run *run);
struct str run_conversation_id(const struct run *run);
/* ERR_OK, or why it ended: code on the wire and message; borrowed until destroy. */
enum err_code run_result(const struct run *run, struct str *wire_code, struct str *message);

/* Flow control from readers: hold counts are not kept, the last call wins. The log's own pressure
 * is separate and added to it. */
void run_hold(struct run *run);
void run_go(struct run *run);

const struct run_stats *run_stats(const struct run *run);

#endif
