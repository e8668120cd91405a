/* SPDX-License-Identifier: MIT */
/* server/streams/invocation_stored.h - one JSON answer to a run that is, or was, another server's:
 * out of the stores, when it has ended. One loop. */
#ifndef SERVER_STREAMS_INVOCATION_STORED_H
#define SERVER_STREAMS_INVOCATION_STORED_H

#include "core/store/store.h"
#include "server/http/exchange.h"

/* Answer exchange as invocation_start would, with the state as the run's conversation has it;
 * fields that a graph only passes on, and those of a run without a conversation, are null. 410:
 * how it ended is lost; else as the stores fail. */
void invocation_stored_start(struct exchange *exchange, const struct identity *key,
                             struct str run_id);

#endif
