/* SPDX-License-Identifier: MIT */
/* server/api/conversations/run_pause.h - what a run of a conversation waits for, when one waits for
 * a person. One loop. */
#ifndef SERVER_API_CONVERSATIONS_RUN_PAUSE_H
#define SERVER_API_CONVERSATIONS_RUN_PAUSE_H

#include "core/loop/timer.h"
#include "server/records/stored_run.h"

struct shard;

struct run_pause {
    struct op op; /* "run.pause" */
    /* the answer, valid in done until release: the run that paused last; NULL: none waits */
    const struct stored_run *past;
    /* private */
    struct shard *shard;
    struct store_runs runs;
    struct store_call call;
    struct stored_run found;
    struct timer timer;
    unsigned tries;
};

/* At the conversation's worker. key's texts are kept until done. Fails as the store of runs does;
 * without such a store nothing waits. */
void run_pause_start(struct run_pause *pause, struct shard *shard, const struct identity *key,
                     struct op_waiter waiter);

#endif
