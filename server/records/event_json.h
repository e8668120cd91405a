/* SPDX-License-Identifier: MIT */
/* server/records/event_json.h - event -> the JSON the contract shows, straight into a buf.
 *
 * Also what the end of a run says beyond its graph's report: ids, route and stats. Allocates only
 * when buf grows. */
#ifndef SERVER_RECORDS_EVENT_JSON_H
#define SERVER_RECORDS_EVENT_JSON_H

#include "core/store/event.h"
#include "core/run/run.h"

/* One object on one line. */
void event_json_write(struct buf *out, const struct event *event);
/* An error that is not the run's own: "lagged". */
void event_json_write_error(struct buf *out, const char *code, const char *message, bool retryable,
                            struct str run_id);
/* The finish hook of runs: run_id, conversation_id, route, stats. */
void event_json_finish(struct run *run, struct buf *members);

#endif
