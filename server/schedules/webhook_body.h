/* SPDX-License-Identifier: MIT */
/* server/schedules/webhook_body.h - a run that has ended -> the JSON that a webhook gets. One
 * thread. */
#ifndef SERVER_SCHEDULES_WEBHOOK_BODY_H
#define SERVER_SCHEDULES_WEBHOOK_BODY_H

#include "core/base/buf.h"
#include "server/records/stored_run.h"

enum { WEBHOOK_BODY_BYTES = 1024 * 1024 };

/* Append the message about past to out; schedule_id may be empty. What of the answer or of its rows
 * is too long is left out, and said. False: no memory, or the stored events are damaged. */
MUST_USE bool webhook_body_write(const struct stored_run *past, struct str schedule_id,
                                 struct buf *out);

#endif
