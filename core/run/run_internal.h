/* SPDX-License-Identifier: MIT */
/* core/run/run_internal.h - the inside of a run, for core/run/run.c and core/run/checkpoint.c. */
#ifndef CORE_RUN_RUN_INTERNAL_H
#define CORE_RUN_RUN_INTERNAL_H

#include "core/run/run.h"
#include "core/run/run_context.h"
#include "core/loop/timer.h"
#include "core/run/walk_internal.h"

/* How the graph came to its end; result says whether the run did well. */
enum run_outcome {
    RUN_REACHED_END,
    RUN_INTERRUPTED,  /* nodes wait for a person */
    RUN_CALLED_FAILED /* the graph calls the end that it reached a failure */
};

struct run {
    struct run_options options; /* loop, log, services, detail, conversation_id: as copied below */
    struct run_context context;
    struct state *state;
    struct update *input;
    struct walk *walk;
    struct timer deadline;
    struct loop_task task; /* ends a run that could not start */
    struct err_kept result;
    const char *wire_code;
    enum run_outcome outcome;
    bool readers_hold, log_holds;
    struct str conversation_id;
    /* checkpoints, see core/run/checkpoint.c */
    unsigned deltas; /* written since the last full one */
    bool wants_full; /* the next one has to be full */
    /* when the last one was written: context.memo_count, and the log's last id, without which it is
     * worth nothing; the same of the last one that is stored */
    struct run_written {
        uint64_t memos, event_id;
    } written, stored;
    bool is_restored;     /* the run goes on from top and the context's parts */
    struct snapshot *top; /* of the run's own walk; NULL: nothing was read */
};

#endif
