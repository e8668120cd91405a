/* SPDX-License-Identifier: MIT */
/* core/store/event_bytes.h - events <-> a batch of bytes for a store: versioned, checksummed.
 *
 * Events follow one another with ids that rise by one; the batch's first id is the store's affair.
 * Whatever comes in, reading ends well or with ERR_INVALID. One thread. */
#ifndef CORE_STORE_EVENT_BYTES_H
#define CORE_STORE_EVENT_BYTES_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/store/event.h"

enum { EVENT_BYTES_FORMAT = 2 }; /* 1 is read, too */

/* Begin a batch in an empty buf, append events, end it. */
void event_bytes_begin(struct buf *batch);
void event_bytes_push(struct buf *batch, const struct event *event);
void event_bytes_end(struct buf *batch);

/* What is in a batch, whose checksum is looked at here: *events is a view into it. ERR_INVALID. */
MUST_USE enum err_code event_bytes_open(struct str batch, struct str *events, struct err *err);
/* Take the next event, with this id; texts are views. False: there is none, or nonsense follows. */
MUST_USE bool event_bytes_take(struct str *events, uint64_t id, struct event *event);

#endif
