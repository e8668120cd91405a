/* SPDX-License-Identifier: MIT */
/* server/api/cancel_elsewhere.h - cancelling a run that goes on at another server, by asking
 * through the store. */
#ifndef SERVER_API_CANCEL_ELSEWHERE_H
#define SERVER_API_CANCEL_ELSEWHERE_H

#include "core/store/store.h"
#include "server/http/exchange.h"

struct cancel_elsewhere_options { /* views are copied */
    const struct identity *key;   /* the user whose run it must be; NULL: anybody's */
    struct str run_id;
    bool forget; /* forget what the run said, too */
};

/* Answer 202 when the run was asked, 200 when it has ended, 410 or 503 when there is no such run
 * (shard_miss_run), 404 when it is somebody else's. The run's server hears of it when it next
 * writes or renews its lease. */
void cancel_elsewhere_start(struct exchange *exchange, struct store *store,
                            const struct cancel_elsewhere_options *options);

#endif
