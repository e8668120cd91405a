/* SPDX-License-Identifier: MIT */
/* server/run_stopping.h - a run that goes on elsewhere is asked, through the store, to cancel. */
#ifndef SERVER_RUN_STOPPING_H
#define SERVER_RUN_STOPPING_H

#include "core/store.h"
#include "server/exchange.h"

struct run_stopping_options { /* views are copied */
    struct identity key;      /* whose, as far as it says */
    struct str run_id;
    bool forget; /* what it said, too */
};

/* Answer 202 when it was asked, 200 when it has ended, 410 when there is no such run, 404 when it
 * is somebody else's. It hears of it with its next sign of life. */
void run_stopping_start(struct exchange *exchange, struct store *store,
                        const struct run_stopping_options *options);

#endif
