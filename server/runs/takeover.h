/* SPDX-License-Identifier: MIT */
/* server/runs/takeover.h - runs whose instance is gone are gone on with, or ended, so that nobody
 * waits for them for ever.
 *
 * Now and then the store is asked for a run whose lease is over. It goes on here from its last
 * checkpoint, behind what it had said. One that said its end gets that of its record,
 * and its conversation what it said; one that cannot go on gets the error event that its readers
 * are owed. One loop, one run at a time. */
#ifndef SERVER_RUNS_TAKEOVER_H
#define SERVER_RUNS_TAKEOVER_H

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/loop/timer.h"
#include "server/conversations/conversations.h"
#include "server/records/stored_run.h"

struct takeover_options { /* all borrowed */
    struct store *store,
        *turns; /* of runs, of conversations: perhaps the same; turns may be NULL */
    struct str instance;
    uint64_t lease_ms;
    struct conversations *conversations;
    const struct log *log;
    void *owner;
    /* Go on with the run that past is of, claimed at epoch. ERR_BUSY, ERR_UNAVAILABLE: not now;
     * otherwise why it cannot. NULL: runs are not gone on with, only ended. */
    enum err_code (*revive)(void *owner, const struct stored_run *past, uint64_t epoch,
                            struct err *err);
    /* Whether there is a place for one more. */
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
    struct store_fence fence; /* of the claimed run; its texts are claimed's */
    struct buf batch;
    bool stopped, ends_cancelled;
};

void takeover_start(struct takeover *takeover, const struct takeover_options *options);
/* Before the store is closed, which ends what is in flight. Idempotent. */
void takeover_stop(struct takeover *takeover);

#endif
