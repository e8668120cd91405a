/* SPDX-License-Identifier: MIT */
/* server/api/run_listing.h - the list of runs of all shards, gathered by a page that visits them.
 *
 * The shard that was asked adds its own runs to the page, then every other one does; when the page
 * is back, the exchange is answered. One loop. */
#ifndef SERVER_API_RUN_LISTING_H
#define SERVER_API_RUN_LISTING_H

#include "server/runs/runs_list.h"

struct exchange;

/* Answer exchange with the runs that filter lets through. A page that does not come back in time
 * (shards that stop drop it) is a 503. */
void run_listing_start(struct exchange *exchange, const struct identity *filter);

#endif
