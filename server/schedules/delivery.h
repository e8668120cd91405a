/* SPDX-License-Identifier: MIT */
/* server/schedules/delivery.h - the result of a run that is to be sent to a webhook: a job in the
 * store, put before the run begins, so that no death in between loses it. Any thread. */
#ifndef SERVER_SCHEDULES_DELIVERY_H
#define SERVER_SCHEDULES_DELIVERY_H

#include "core/base/buf.h"
#include "core/store/store.h"

#define DELIVERY_KIND "delivery" /* of its job in the store */

struct delivery {
    struct identity key;    /* whose, and the run's conversation ("": none) */
    struct str run_key;     /* the idempotency key that names the run */
    struct str schedule_id; /* "": the run came by a request */
    struct str url;
    uint64_t attempts; /* that failed */
};

/* Fill *put with a new job called id, whose bytes go into the empty out. False: no memory. */
MUST_USE bool delivery_write(const struct delivery *delivery, struct str id, uint64_t due_ms,
                             struct buf *out, struct store_put *put);
/* Read a job; views of it and of arena. ERR_PROTOCOL. */
MUST_USE enum err_code delivery_read(const struct store_job *job, struct arena *arena,
                                     struct delivery *delivery, struct err *err);
/* How long after the attempts-th failure the next attempt is made: it grows, with some chance. 0:
 * it was the last one. */
uint64_t delivery_pause_ms(uint64_t attempts, uint64_t first_ms, uint64_t chance);

#endif
