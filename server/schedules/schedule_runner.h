/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_runner.h - takes the schedules that are due, one after the other, and
 * begins their runs on this worker.
 *
 * Of all servers one takes a schedule at a time, for a lease. A time at which it is due names its
 * run's idempotency key, so that a server that takes the schedule after another one died finds the
 * run that the other began, and begins none. What cannot begin now is tried again until its grace
 * is over; then it is missed, and its owner reads so. One loop. */
#ifndef SERVER_SCHEDULES_SCHEDULE_RUNNER_H
#define SERVER_SCHEDULES_SCHEDULE_RUNNER_H

#include "core/loop/timer.h"
#include "server/runs/shard.h"
#include "server/schedules/schedule.h"
#include "server/schedules/schedule_clock.h"

enum { SCHEDULE_RUNNER_KEY = 120 };

/* What a turn of a schedule changes in it; it may have been changed meanwhile. */
struct schedule_outcome {
    struct schedule_note note;
    bool has_note, was_asked;
    uint64_t due_ms;  /* the time by the clock that is dealt with; 0: none */
    uint64_t next_ms; /* its next one */
    uint64_t seen_ms; /* the run that was looked at last; 0: none */
    struct str seen_id;
    uint64_t again_ms; /* not 0: when its job is to be taken, whatever its times */
};

struct schedule_runner { /* zeroed: stopped */
    /* private */
    struct shard *shard;
    struct store *store;
    struct timer timer;
    bool is_stopped;
    struct arena arena; /* of the schedule that is taken */
    struct store_take take;
    struct store_put put;
    struct store_ended ended;
    struct store_read last_event;
    struct store_jobs reload;
    struct store_call taken, call;
    struct schedule schedule;
    struct schedule_clock clock;
    struct schedule_outcome outcome;
    struct conversations_opening opening;
    struct runs_watch watch;
    struct str job_id, key;
    struct identity caller; /* of the run that is begun */
    uint64_t version, now_ms;
    unsigned tries;
    struct buf bytes;
};

/* Begin to look. shard has a store of runs, and outlives it. */
void schedule_runner_start(struct schedule_runner *runner, struct shard *shard);
/* Stop, before the store is closed, which ends the calls in flight. Idempotent. */
void schedule_runner_stop(struct schedule_runner *runner);

#endif
