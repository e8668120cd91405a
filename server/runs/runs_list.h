/* SPDX-License-Identifier: MIT */
/* server/runs/runs_list.h - what there is of runs on this worker, for lists and for who shows one.
 */
#ifndef SERVER_RUNS_RUNS_LIST_H
#define SERVER_RUNS_RUNS_LIST_H

#include "agents/memory/history.h"
#include "server/runs/runs.h"

/* Append a JSON object per run of this worker whose caller passes filter (identity_passes), commas
 * between. */
void runs_list_write(const struct runs *runs, const struct identity *filter, struct buf *out);
/* Call visit with each run of the conversation that is in memory here, ended ones last. */
void runs_visit(const struct runs *runs, struct str conversation_id,
                void (*visit)(struct runs_entry *entry, void *owner), void *owner);

/* For its place, or its turn. */
bool runs_is_waiting(const struct runs_entry *entry);
/* Messages of the conversation when the run began. */
size_t runs_said_count(const struct runs_entry *entry);

#endif
