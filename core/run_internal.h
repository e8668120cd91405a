/* SPDX-License-Identifier: MIT */
/* core/run_internal.h - the inside of a run, for run.c, run_answer.c and checkpoint.c. */
#ifndef CORE_RUN_INTERNAL_H
#define CORE_RUN_INTERNAL_H

#include "core/snapshot.h"
#include "core/state_internal.h"
#include "core/walk_internal.h"

struct run {
    struct run_options options; /* log and conversation_id: the run's own below */
    struct log log;
    struct arena arena;
    struct state *state;
    struct update *input;
    struct event_log *events;
    struct walk *walk;
    struct timer deadline;
    struct loop_task task; /* ends a run that could not start */
    enum run_phase phase;
    struct err result;
    const char *wire_code;
    bool said_end, interrupted, reports_failure;
    bool readers_hold, log_holds;
    struct run_stats stats;
    uint64_t began_ms, final_deltas;
    struct str route, conversation_id;
    struct str interrupts; /* JSON objects of the nodes that paused */
    /* checkpoints, see core/checkpoint.c */
    uint64_t steps;   /* supersteps that all its walks have begun */
    unsigned deltas;  /* written since the last full one */
    bool is_due;      /* a superstep began since the last one was written */
    bool wants_full;  /* the next one has to be full */
    bool is_restored; /* it goes on from top and parts */
    struct snapshot top;
    struct list parts; /* struct checkpoint_part, of sub-graphs not entered yet */
    struct str resume_node, resume_value; /* a person's answer, until that node has ended */
    int64_t said_attempt;                 /* of the final channel's last token */
    uint64_t said_id;                     /* that token's, of those that were replayed */
    uint64_t least_attempt;               /* of what it says from now on: it was taken over */
    struct str standing;                  /* what its final channel is to say first */
    bool has_void;                        /* and at once: some of what it said does not stand */
};

/* Whether it is a token of the final channel; the text that channel has said up to the event id and
 * that is not void. */
bool run_answer_is(const struct event *event);
void run_answer_collect(const struct run *run, uint64_t id, struct buf *text);
/* Of what the channel had said before the run was taken over some is void: say so at once, with
 * what stands. When all stands, its next word does, since clients may have heard what is not
 * stored. */
void run_answer_void(struct run *run);
/* What events tell about a run: its route, its first word. */
void run_note_event(struct run *run, const struct event *event);

#endif
