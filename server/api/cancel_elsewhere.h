/* SPDX-License-Identifier: MIT */
/* server/api/cancel_elsewhere.h - a run that goes on elsewhere is asked, through the store, to
 * cancel. */
#ifndef SERVER_API_CANCEL_ELSEWHERE_H
#define SERVER_API_CANCEL_ELSEWHERE_H

#include "core/store/store.h"
#include "server/http/exchange.h"

struct cancel_elsewhere_options { /* views are copied */
    struct identity key;          /* whose, as far as it says */
    struct str run_id;
    bool forget; /* what it said, too */
};

/* Answer 202 when it was asked, 200 when it has ended, 410 when there is no such run, 404 when it
 * is somebody else's. It hears of it with its next sign of life. */
void cancel_elsewhere_start(struct exchange *exchange, struct store *store,
                            const struct cancel_elsewhere_options *options);

#endif
