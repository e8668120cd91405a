/* SPDX-License-Identifier: MIT */
/* server/orphans.h - runs whose instance is gone are ended, so that nobody waits for them for ever.
 *
 * Now and then the store is asked for a run whose lease is over; it gets the error event that its
 * readers are owed, and its record an end. One loop. */
#ifndef SERVER_ORPHANS_H
#define SERVER_ORPHANS_H

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/store.h"
#include "core/timer.h"

struct orphans { /* zeroed: stopped */
    /* private */
    struct store *store;
    struct str instance;
    const struct log *log;
    struct timer timer;
    struct store_claim claim;
    struct store_append append;
    struct store_finish finish;
    struct store_call claimed, call;
    struct buf batch;
    bool stopped;
};

/* instance and log are borrowed. */
void orphans_start(struct orphans *orphans, struct store *store, struct str instance,
                   const struct log *log);
/* Before the store is closed, which ends what is in flight. Idempotent. */
void orphans_stop(struct orphans *orphans);

#endif
