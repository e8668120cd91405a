/* SPDX-License-Identifier: MIT */
/* server/streams/replay_stream.h - a run's events from the store: what memory has dropped, what
 * another instance says, what was said before a restart.
 *
 * Reads on until the terminal event comes, asking the store again while the run goes on elsewhere.
 * One loop. */
#ifndef SERVER_STREAMS_REPLAY_STREAM_H
#define SERVER_STREAMS_REPLAY_STREAM_H

#include "core/store/store.h"
#include "server/http/exchange.h"

/* Answer with the events of run_id after after_id, if the run is key's (identity_is_of), else 404;
 * 204: there is nothing after the terminal one; 410 or 503: no such run (shard_miss_run); 400:
 * after_id was never said. */
void replay_stream_start(struct exchange *exchange, struct store *store, const struct identity *key,
                         struct str run_id, uint64_t after_id);

#endif
