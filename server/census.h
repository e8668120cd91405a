/* SPDX-License-Identifier: MIT */
/* server/census.h - the list of runs of all workers, gathered by a page that goes around.
 *
 * The worker that was asked adds its own runs to the page and sends it on; every worker adds its
 * own; when the page is back, the exchange is answered. Nothing is shared: the page has one owner
 * at a time. */
#ifndef SERVER_CENSUS_H
#define SERVER_CENSUS_H

#include "core/base/list.h"
#include "server/runs_list.h"

struct exchange;

struct census { /* a worker's; private */
    struct list asked;
    uint64_t tickets;
};

void census_init(struct census *census);
/* Answer exchange with the runs that filter lets through. A page that does not come back in time
 * (workers that stop drop it) is a 503. */
void census_start(struct exchange *exchange, const struct runs_filter *filter);

#endif
