/* SPDX-License-Identifier: MIT */
/* server/run_keepers.h - what runs say goes to the store, behind their streams.
 *
 * Each run has a record with a lease there and a keeper here: one more reader of its event log,
 * which writes what is new every 20 ms, one batch at a time, renews the lease, and outlives the run
 * until all is written. A store that fails leaves the run as it is: only its events end there. One
 * loop. */
#ifndef SERVER_RUN_KEEPERS_H
#define SERVER_RUN_KEEPERS_H

#include "core/base/log.h"
#include "core/run.h"
#include "core/store.h"

struct run_keepers;
struct run_keeper;

struct run_keepers_options {
    struct loop *loop;
    struct store *store;
    struct str instance; /* borrowed */
    uint64_t lease_ms;
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* nothing is being written any more; never inside a call */
    /* Somebody asked through the store to cancel the run of this owner. */
    void (*on_stop)(void *run_owner);
};

/* NULL: no memory. */
struct run_keepers *run_keepers_create(const struct run_keepers_options *options);
/* Only when none is left. NULL is fine. */
void run_keepers_destroy(struct run_keepers *keepers);
/* How many are not whole in the store yet. */
size_t run_keepers_count(const struct run_keepers *keepers);
/* Before run_start. NULL: no memory; the run goes on without. */
struct run_keeper *run_keeper_begin(struct run_keepers *keepers, struct run *run,
                                    const struct store_key *key, struct str input);
/* Before the run is destroyed; it ends then, or is done already. NULL is fine. */
void run_keeper_leave(struct run_keeper *keeper);

#endif
