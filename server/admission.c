/* SPDX-License-Identifier: MIT */
/* server/admission.c - counters.
 *
 * Failure: none; a count below zero is our mistake. */
#include "server/admission.h"

static size_t share(uint64_t all, uint64_t count)
{
    return (size_t)((all + count - 1) / count);
}

void admission_init(struct admission *admission, uint64_t connections, uint64_t runs,
                    uint64_t queued, uint64_t count)
{
    *admission = (struct admission){.max_connections = share(connections, count),
                                    .max_runs = share(runs, count),
                                    .max_queued = share(queued, count)};
}

bool admission_is_full(const struct admission *admission, size_t connections)
{
    return connections >= admission->max_connections;
}

enum admission_verdict admission_ask(struct admission *admission, bool must_wait)
{
    if (admission->draining)
        return ADMISSION_CLOSED;
    if (!must_wait && admission->queued == 0 && admission->runs < admission->max_runs) {
        admission->runs++;
        return ADMISSION_NOW;
    }
    if (admission->queued >= admission->max_queued)
        return ADMISSION_FULL;
    admission->queued++;
    return ADMISSION_WAIT;
}

bool admission_advance(struct admission *admission, bool forced)
{
    if (!forced && admission->runs >= admission->max_runs)
        return false;
    admission_unqueue(admission);
    admission->runs++;
    return true;
}

void admission_leave(struct admission *admission)
{
    CHECK(admission->runs > 0);
    admission->runs--;
}

void admission_unqueue(struct admission *admission)
{
    CHECK(admission->queued > 0);
    admission->queued--;
}
