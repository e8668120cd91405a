/* SPDX-License-Identifier: MIT */
/* server/records/event_json.h - event -> its JSON as clients get it, straight into a buf.
 *
 * Also the members that the last event of a run has beside its graph's report: ids, route and
 * stats. Allocates only when buf grows. */
#ifndef SERVER_RECORDS_EVENT_JSON_H
#define SERVER_RECORDS_EVENT_JSON_H

#include "core/store/event.h"
#include "core/run/run.h"

/* Append event as one JSON object on one line. */
void event_json_write(struct buf *out, const struct event *event);
/* Append an error event that the run itself did not say, such as "lagged". */
void event_json_write_error(struct buf *out, const char *code, const char *message, bool retryable,
                            struct str run_id);
/* The finish hook of runs: appends run_id, conversation_id, route and stats to members. */
void event_json_finish(struct run *run, struct buf *members);

#endif
