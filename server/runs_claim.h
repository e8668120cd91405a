/* SPDX-License-Identifier: MIT */
/* server/runs_claim.h - a conversation is one run's at a time, on whichever server, and so is an
 * idempotency key: a run that waits asks the store for them before it begins.
 *
 * The inside of runs, as runs_entry.h. Without a store, or with one that cannot be used now, only
 * what this worker knows counts. */
#ifndef SERVER_RUNS_CLAIM_H
#define SERVER_RUNS_CLAIM_H

#include "server/runs_entry.h"

/* Whether the store has to be asked. */
bool runs_claim_is_needed(const struct runs_entry *entry);
/* Whether entry, whose turn it is here, may begin; else it has asked, and runs_start_waiting is
 * called when it may. */
bool runs_claim_is_held(struct runs_entry *entry);
/* It begins, or is cancelled before that: whoever waits for the claim is told. */
void runs_claim_settle(struct runs_entry *entry);
/* Before entry is destroyed. */
void runs_claim_drop(struct runs_entry *entry);

#endif
