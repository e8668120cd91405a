/* SPDX-License-Identifier: MIT */
/* server/run_keepers.h - what runs say goes to the store, behind their streams.
 *
 * Each run has a record with a lease there and a keeper here: one more reader of its event log. All
 * that is new of all runs is written every 20 ms, one write at a time; a keeper renews its lease,
 * and outlives its run until all is written. A store that fails leaves runs as they are; what they
 * say waits in their logs, and where a log has no room for it the record keeps a gap: it ends
 * without a terminal event. One loop. */
#ifndef SERVER_RUN_KEEPERS_H
#define SERVER_RUN_KEEPERS_H

#include "core/base/log.h"
#include "core/run.h"
#include "core/store.h"

struct run_keepers;
struct run_keeper;

/* Behind the stream; streams wait for it; at the run's end only. */
enum run_keepers_durability { RUN_KEEPERS_ASYNC, RUN_KEEPERS_SYNC, RUN_KEEPERS_EXIT };

struct run_keepers_options {
    struct loop *loop;
    struct store *store;
    struct str instance; /* borrowed */
    uint64_t lease_ms;
    enum run_keepers_durability durability;
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* nothing is being written any more; never inside a call */
    /* Whether a record may end: what its conversation keeps, and where it paused, is stored; asked
     * for 16 s at most. NULL: always. */
    bool (*may_end)(void *owner, const struct store_run *run);
    /* Of the run of this owner: somebody asked through the store to cancel it, and to forget what
     * was said. */
    void (*on_stop)(void *run_owner, bool forget);
    /* It is another's by now. */
    void (*on_lost)(void *run_owner);
    /* This process slept for so long that the run may be another's; then (false) it is known. */
    void (*on_doubt)(void *run_owner, bool doubts);
};

struct run_keeper_options { /* texts are copied */
    struct identity key;
    struct str input, idempotency_key;
    uint64_t epoch, stored_id; /* of a record that is there, with events up to there: it was
                                  claimed; 0: it is to be put */
    bool alone;                /* only while no other run of the conversation is open */
    /* Not empty: its record takes the place of that one's, which is paused, and has this as its
     * first checkpoint; or there is none (core/store_run_asks.h: resume). */
    struct str paused_id;
    struct store_checkpoint checkpoint;
    /* Once the store has said whether the record is there, later; may be NULL. ERR_CONFLICT: rival
     * has the conversation, or the key; the keeper rests then until run_keeper_retry. Another
     * error: the store cannot be used, the keeper goes on trying by itself, alone or not; unless it
     * is to take the place of another: then it has given up. */
    void (*on_begun)(void *run_owner, enum err_code code, const struct store_run *rival);
};

/* NULL: no memory. */
struct run_keepers *run_keepers_create(const struct run_keepers_options *options);
/* Only when none is left. NULL is fine. */
void run_keepers_destroy(struct run_keepers *keepers);
/* How many are not whole in the store yet. */
size_t run_keepers_count(const struct run_keepers *keepers);
/* Whether what a store refused so may succeed later, and how long to wait after so many failures.
 */
bool run_keepers_may_pass(enum err_code code);
uint64_t run_keepers_pause_ms(unsigned failures);
/* How a run's record ends whose terminal event is this. */
enum store_status run_keepers_status(const struct event *last);
/* Give up what is not written yet. */
void run_keepers_abandon(struct run_keepers *keepers);
/* Whether the last call to the store failed. */
bool run_keepers_is_lost(const struct run_keepers *keepers);
/* Where records are; whether one with this instance was begun here. */
struct store *run_keepers_store(const struct run_keepers *keepers);
bool run_keepers_is_ours(const struct run_keepers *keepers, struct str instance);

/* Before run_start. NULL: no memory; the run goes on without. */
struct run_keeper *run_keeper_begin(struct run_keepers *keepers, struct run *run,
                                    const struct run_keeper_options *options);
enum run_keeper_retry {
    RUN_KEEPER_AS_BEFORE,
    RUN_KEEPER_BESIDE,     /* no more alone */
    RUN_KEEPER_WITHOUT_KEY /* of idempotency */
};
/* After a conflict: ask again in ms. */
void run_keeper_retry(struct run_keeper *keeper, uint64_t ms, enum run_keeper_retry how);
/* Before the run is destroyed: it has ended, or never began. NULL is fine. */
void run_keeper_leave(struct run_keeper *keeper);

#endif
