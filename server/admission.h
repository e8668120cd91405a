/* SPDX-License-Identifier: MIT */
/* server/admission.h - places for connections, runs and the queue of one worker.
 *
 * Says no before anything exists. Limits are the worker's share of what is configured. */
#ifndef SERVER_ADMISSION_H
#define SERVER_ADMISSION_H

#include "core/base/defs.h"

struct admission {
    size_t max_connections, max_runs, max_queued;
    size_t runs, queued; /* now */
    bool draining;       /* no new runs */
};

enum admission_verdict {
    ADMISSION_NOW,   /* a place was taken */
    ADMISSION_WAIT,  /* a place in the queue was taken */
    ADMISSION_FULL,  /* 429 */
    ADMISSION_CLOSED /* 503: draining */
};

/* A worker's share of limits that are for all of count workers. */
void admission_init(struct admission *admission, uint64_t connections, uint64_t runs,
                    uint64_t queued, uint64_t count);
/* Whether one more connection is too many. */
bool admission_is_full(const struct admission *admission, size_t connections);
/* Ask for a place; must_wait: only the queue will do (the conversation is busy). */
enum admission_verdict admission_ask(struct admission *admission, bool must_wait);
/* From the queue into a run's place; false: none is free. forced: takes one past the limit. */
bool admission_advance(struct admission *admission, bool forced);
/* Give a place back: of a run, or of the queue. */
void admission_leave(struct admission *admission);
void admission_unqueue(struct admission *admission);

#endif
