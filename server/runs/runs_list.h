/* SPDX-License-Identifier: MIT */
/* server/runs/runs_list.h - the runs of this worker, as JSON for lists and one by one for the
 * facades. */
#ifndef SERVER_RUNS_RUNS_LIST_H
#define SERVER_RUNS_RUNS_LIST_H

#include "agents/memory/history.h"
#include "server/runs/runs.h"

/* Append a JSON object per run of this worker whose caller passes filter (identity_passes), commas
 * between. */
void runs_list_write(const struct runs *runs, const struct identity *filter, struct buf *out);
/* Call visit with each run of the conversation that is in memory here, ended ones last. */
void runs_visit(const struct runs *runs, const struct identity *conversation,
                void (*visit)(struct runs_entry *entry, void *owner), void *owner);

/* Whether the run waits for its place, or for its turn in its conversation. */
bool runs_is_waiting(const struct runs_entry *entry);
/* How many messages the conversation had when the run began. */
size_t runs_said_count(const struct runs_entry *entry);

#endif
