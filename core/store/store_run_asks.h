/* SPDX-License-Identifier: MIT */
/* core/store/store_run_asks.h - what a store is asked about runs and their events, as
 * core/store/store_asks.h. "Lost": another instance has claimed the run of the fence. */
#ifndef CORE_STORE_STORE_RUN_ASKS_H
#define CORE_STORE_STORE_RUN_ASKS_H

#include "core/store/store_asks.h"

/* Put a new run with a lease of lease_ms: epoch 1, running. -> runs[0], as stored. ERR_CONFLICT (->
 * runs[0], the other run): the caller's idempotency key was used for that run in this conversation,
 * or, when alone, that run is an unfinished one of the conversation. -> with knows_version, which
 * not every store has, the version of the run's conversation (0: there is none): who has loaded
 * that version need not load it again. */
struct store_begin {
    struct store_run run;
    uint64_t lease_ms;
    bool alone;
};
/* Begin a run in place of one of the caller's that is paused: the paused run is complete then and
 * loses its checkpoints, and checkpoint, a full one, is the first of the new run; all or nothing.
 * -> runs[0], the new run. ERR_CONFLICT (-> runs[0], the other run): as store_begin, or the paused
 * run does not wait any more; ERR_NOT_FOUND: there is no such run. */
struct store_resume {
    struct store_begin begin;
    struct str paused_id;
    struct store_checkpoint checkpoint;
};
/* Take up a run that is paused or whose lease is over: run_id's, or, when that is empty, the one
 * over for longest (never a paused one). Leases of an instance that attended (store_attend) and is
 * gone are over. -> runs[0], of instance, with the next epoch.
 * ERR_NOT_FOUND: none; ERR_CONFLICT: run_id's lease is not over, or it has ended. */
struct store_claim {
    struct str run_id, instance;
    uint64_t lease_ms;
};
/* Renew the run's lease from now on. -> runs[0], with cancel_asked. ERR_CONFLICT: lost. may_wait:
 * STORE_WAIT_MS at most, to be written with other calls. */
struct store_renew {
    struct store_fence fence;
    uint64_t lease_ms;
    bool may_wait;
};
/* Note that the run has ended, or is paused. Of a conversation's ended runs the one that began last
 * keeps its checkpoints, in whatever order their ends are noted; without a conversation a run loses
 * them. ERR_CONFLICT: lost. */
struct store_finish {
    struct store_fence fence;
    enum store_status status;
};
/* -> runs[0]: by run_id, or else by idempotency_key and conversation among the caller's. An empty
 * company_id or user_id fits anybody. ERR_NOT_FOUND. */
struct store_find {
    struct identity key;
    struct str run_id, idempotency_key;
};
/* -> runs that fit key (empty texts fit any), last begun first. */
struct store_runs {
    struct identity key;
    uint64_t limit;
    bool only_open; /* running or paused */
};
/* -> the user's runs that have ended behind the one of after_ms and after_id, first ended first;
 * changed_ms is when they did. While the user has a job, a run that ends has a later time than all
 * of the user's that ended before it, whatever clocks say, and is seen after them: who goes on
 * behind the last one it saw misses none. */
struct store_ended {
    struct identity key; /* a user */
    uint64_t after_ms;
    struct str after_id;
    uint64_t limit;
};
/* Ask whoever runs it to cancel, and to forget what was said. -> runs[0]. ERR_NOT_FOUND: none that
 * fits key (as find). */
struct store_stop {
    struct identity key;
    struct str run_id;
    bool forget;
};
/* Append a batch. -> last_id. A batch that is stored already is fine, so it may be sent again.
 * ERR_CONFLICT: lost, or first_id is not the one that comes next, nor the first of the fence's
 * epoch (core/store/event.h; -> last_id). */
struct store_append {
    struct store_fence fence;
    struct store_batch batch;
};
/* Append batches of several runs, each run once, at most STORE_MAX_ROWS. -> verdicts, one for each
 * in their order, as store_append would have ended. */
struct store_write {
    const struct store_append *appends;
    size_t count;
};
/* -> batches from the one with after_id + 1 on, as many as fit in limit_bytes but at least one,
 * last_id, runs[0]. ERR_NOT_FOUND: no such run that fits key (as find). */
struct store_read {
    struct identity key;
    struct str run_id;
    uint64_t after_id, limit_bytes;
};
/* Put a checkpoint of a run: its version counts from 1 on in the run; run_id is the fence's. A
 * checkpoint that is stored already is fine. ERR_CONFLICT: lost. may_wait: as in store_renew. */
struct store_mark {
    struct store_fence fence;
    struct store_checkpoint checkpoint;
    bool may_wait;
};
/* -> checkpoints of the run, oldest first: the last limit (0: all that fit) before before_version
 * (0: all), without bytes when only_list; runs[0]. ERR_NOT_FOUND: no such run that fits key (as
 * find). */
struct store_marks {
    struct identity key;
    struct str run_id;
    uint64_t before_version, limit;
    bool only_list;
};

#endif
