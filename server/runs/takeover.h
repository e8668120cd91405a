/* SPDX-License-Identifier: MIT */
/* server/runs/takeover.h - takes over runs whose server is gone: goes on with them here, or ends
 * them, so that nobody waits for them for ever.
 *
 * Four times a second the process asks the store for a run whose server is gone, or whose lease is
 * over: its workers do so in turns. This server claims the run, and shows in the store that it
 * lives itself (store_attend). The run goes on here from its last checkpoint, behind the events it
 * has stored. A run that has stored its terminal event only gets the end of its record, and its
 * conversation the turn. A run that cannot go on gets an error event, which its readers are owed.
 * One loop, one run at a time. */
#ifndef SERVER_RUNS_TAKEOVER_H
#define SERVER_RUNS_TAKEOVER_H

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/loop/timer.h"
#include "server/conversations/conversations.h"
#include "server/records/stored_run.h"

struct takeover_options { /* all borrowed */
    struct store *store,
        *turns; /* store: of runs; turns: of conversations, perhaps the same; may be NULL */
    struct str instance;
    uint64_t lease_ms;
    struct conversations *conversations;
    const struct log *log;
    unsigned worker, worker_count; /* of the process, who look in turns; 0, 0: the only one */
    void *owner;
    /* Go on with the run in past, which was claimed at epoch. ERR_BUSY, ERR_UNAVAILABLE: not now;
     * another error: why the run cannot go on. NULL: runs are only ended. */
    enum err_code (*revive)(void *owner, const struct stored_run *past, uint64_t epoch,
                            struct err *err);
    /* Whether there is a place for one more run. */
    bool (*has_room)(void *owner);
};

struct takeover { /* zeroed: stopped */
    /* private */
    struct takeover_options options;
    struct timer timer;
    struct store_claim claim;
    struct store_append append;
    struct store_finish finish;
    struct store_call claimed, call;
    struct conversations_opening opening;
    struct conversations_settling settling;
    struct stored_run past;
    struct store_fence fence; /* of the claimed run; its texts are views into claimed */
    struct buf batch;
    bool stopped, ends_cancelled;
};

/* Look from now on; options' store is attended for its instance. */
void takeover_start(struct takeover *takeover, const struct takeover_options *options);
/* Stop; before the store is closed, which ends the calls in flight. Idempotent. */
void takeover_stop(struct takeover *takeover);

#endif
