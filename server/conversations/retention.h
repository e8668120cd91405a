/* SPDX-License-Identifier: MIT */
/* server/conversations/retention.h - removes conversations from a store that were not touched for a
 * long time.
 *
 * A round comes at the start and every every_ms: batch after batch, on one server at a time (the
 * store has a lock for it). A failure is logged and ends the round; the next one comes. One
 * loop. */
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
    uint64_t every_ms, removed, began_ms; /* since the start; began_ms: when the last call began */
    struct id instance;
    struct store_prune ask;
    struct store_call call;
    struct timer timer;
    bool stopped;
};

/* Begin the first round soon. age_ms: conversations untouched for longer are removed; every_ms:
 * between rounds. Neither may be 0. */
void retention_start(struct retention *retention, struct store *store, uint64_t age_ms,
                     uint64_t every_ms, const struct log *log);
/* Stop; before the store is closed, which ends the call in flight. Idempotent. */
void retention_stop(struct retention *retention);

#endif
