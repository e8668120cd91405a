/* SPDX-License-Identifier: MIT */
/* server/conversations/retention.h - removes conversations that nobody touched for long from a
 * store.
 *
 * At the start and every so often, batch after batch, on one instance at a time (the store's lock).
 * A failure is logged and ends the round; the next one comes. One loop. */
#ifndef SERVER_CONVERSATIONS_RETENTION_H
#define SERVER_CONVERSATIONS_RETENTION_H

#include "core/base/id.h"
#include "core/base/log.h"
#include "core/store/store.h"
#include "core/loop/timer.h"

struct retention { /* zeroed: stopped */
    /* private */
    struct store *store;
    const struct log *log;
    uint64_t every_ms, removed, began_ms; /* began: the last call */
    struct id instance;
    struct store_prune ask;
    struct store_call call;
    struct timer timer;
    bool stopped;
};

/* Begin the first round soon. age_ms, every_ms: not 0. */
void retention_start(struct retention *retention, struct store *store, uint64_t age_ms,
                     uint64_t every_ms, const struct log *log);
/* Before the store is closed, which ends what is in flight. Idempotent. */
void retention_stop(struct retention *retention);

#endif
