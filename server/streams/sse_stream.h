/* SPDX-License-Identifier: MIT */
/* server/streams/sse_stream.h - one reader of one run: its events, from a cursor on, through an
 * encoder.
 *
 * ": ok" first, then what the exchange's encoder makes of each event, a heartbeat in silence, the
 * end after the terminal event. Stops reading while the connection is full, and tells the run.
 * Frees itself. One loop. */
#ifndef SERVER_STREAMS_SSE_STREAM_H
#define SERVER_STREAMS_SSE_STREAM_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

/* Answer exchange with the events of entry after after_id. ERR_GONE, ERR_INVALID, ERR_NO_MEMORY:
 * nothing was sent and exchange is still the caller's. */
MUST_USE enum err_code sse_stream_start(struct exchange *exchange, struct runs_entry *entry,
                                        uint64_t after_id, struct err *err);

#endif
