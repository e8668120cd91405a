/* SPDX-License-Identifier: MIT */
/* core/run/run_context.h - what the walks and nodes of a run share: memory, the event log, counts,
 * a person's answer.
 *
 * The part of a run that knows nothing of walks; core/run/run embeds it, begins and ends it, and
 * hears of the rest by hooks. One loop, one thread. */
#ifndef CORE_RUN_RUN_CONTEXT_H
#define CORE_RUN_RUN_CONTEXT_H

#include "core/base/log.h"
#include "core/run/event_log.h"
#include "core/run/graph.h"
#include "core/run/run_phase.h"
#include "core/run/run_stats.h"
#include "core/run/snapshot.h"

struct run_context;

/* A sub-graph's walk of a restored run whose node is not entered yet; in the run's arena. */
struct run_part {
    struct list link;
    struct str path;
    const struct graph *graph;
    struct state *state;
    struct snapshot snapshot;
    bool is_aside; /* it is of a node in the background, or inside of one */
};

/* What a visit of the node at path is not to do again; in the run's arena. */
struct run_memo {
    struct list link;
    struct str path, key, text;
    bool is_saved; /* a checkpoint has it */
};

struct run_context_hooks {                        /* any but on_mute may be NULL */
    void (*on_mute)(struct run_context *context); /* no memory for an event: the run has to end */
    void (*on_step)(struct run_context *context); /* a walk begins a superstep */
    /* Write a checkpoint now; run_saved follows. False: nobody keeps the run. */
    bool (*on_save)(struct run_context *context);
    /* on_visited: a visit of graph's node has ended; on_retry: an edge from node that has a budget
     * (an index) is taken. */
    void (*on_visited)(struct run_context *context, const struct graph_def *graph, unsigned node,
                       uint64_t took_ms);
    void (*on_retry)(struct run_context *context, const struct graph_def *graph, unsigned node,
                     unsigned budget);
    /* As run_options.describe. */
    void (*describe)(const struct state *state, uint64_t slots, struct buf *members);
};

struct run_context {
    struct loop *loop;
    void *services;
    struct log log; /* with the run's id */
    struct arena arena;
    struct event_log *events;
    size_t log_bytes;
    enum event_level detail; /* events above it are not made */
    bool wants_data;         /* rows are said before the answer about them */
    struct run_context_hooks hooks;
    enum run_phase phase; /* written by core/run/run.c */
    struct run_stats stats;
    uint64_t began_ms, final_deltas;
    struct str route;
    uint64_t steps;        /* supersteps that all its walks have begun */
    bool is_due;           /* a superstep began since the last checkpoint was written */
    struct list parts;     /* struct run_part */
    struct list memos;     /* struct run_memo, oldest first */
    uint64_t memo_count;   /* that were put, ever */
    struct list saves;     /* struct save: who waits until they are stored */
    struct str interrupts; /* JSON objects of the nodes that paused */
    struct str resume_node, resume_value; /* a person's answer, until that node has ended */
    int64_t said_attempt;                 /* of the final channel's last token */
    uint64_t said_id;                     /* id of that token, if it was replayed */
    uint64_t least_attempt;               /* of tokens from now on: the run was taken over */
    struct str standing;                  /* text the final channel is to repeat first */
    bool has_void;                        /* at once: some of that channel's text is void */
};

/* Whether events of level are made and may still be said. */
bool run_context_wants(const struct run_context *context, enum event_level level);
/* Append event to the log, unless the run is over or the event's level is not wanted. */
void run_context_emit(struct run_context *context, const struct event *event);
/* Note what event tells about the run: its route, or when the first token of the answer came. */
void run_context_note_event(struct run_context *context, const struct event *event);
/* Say what changed (bits of slots) in the state that the node at path put into. */
void run_context_describe(struct run_context *context, const char *path, const struct state *state,
                          uint64_t changed);

/* Say text of a node's attempt, in as many tokens as it takes. */
void run_context_say(struct run_context *context, const char *channel, struct str text,
                     unsigned attempt);
/* run_context_is_answer: whether event is a token of the final channel. run_context_collect_answer:
 * append the text that that channel has said up to the event id and that is not void. */
bool run_context_is_answer(const struct event *event);
void run_context_collect_answer(const struct run_context *context, uint64_t id, struct buf *text);
/* After a takeover: when some of what the final channel had said is void, say so at once, with the
 * text that stands. When all of it stands, the channel's next token says so, since clients may have
 * heard text that is not stored. */
void run_context_void_answer(struct run_context *context);

/* A walk of the run begins a superstep. */
void run_context_step(struct run_context *context);
/* The node at path paused, with these JSON members. */
void run_context_interrupt(struct run_context *context, const char *path, struct str details);
/* A person's answer for the node at path, absent: none. An answer is there until it is dropped. */
struct str run_context_find_resume(const struct run_context *context, const char *path);
void run_context_drop_resume(struct run_context *context, const char *path);
/* Where the sub-graph of the node at path was before the run was restored; NULL: nowhere. */
struct run_part *run_context_find_part(const struct run_context *context, struct str path);
/* Drop those of the walks inside what is at path. */
void run_context_drop_parts(struct run_context *context, struct str path);

/* Memos (node.h): put one, which makes a checkpoint due; find the last of a key, absent: there is
 * none; drop those of the node at path and of the nodes inside it. False, of add: no memory. */
void run_context_put_memo(struct run_context *context, struct str path, struct str key,
                          struct str text);
MUST_USE bool run_context_add_memo(struct run_context *context, const struct run_memo *memo);
struct str run_context_find_memo(const struct run_context *context, struct str path,
                                 struct str key);
void run_context_drop_memos(struct run_context *context, struct str path);

#endif
