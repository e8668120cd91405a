/* SPDX-License-Identifier: MIT */
/* server/wiring/instrument.h - observers that count and trace what one loop's backends do. One
 * loop, one thread. */
#ifndef SERVER_WIRING_INSTRUMENT_H
#define SERVER_WIRING_INSTRUMENT_H

#include "server/observe/audit_file.h"
#include "server/observe/meters.h"
#include "server/observe/seen.h"
#include "server/observe/tracing.h"
#include "server/wiring/wiring.h"

struct instrument { /* zeroed, except these, which are borrowed: */
    const struct wiring *wiring;
    const struct meters *meters;
    struct metrics *metrics;
    struct tracing *tracing;  /* NULL: nothing is traced; closed by whoever closes the backends */
    struct audit_file *audit; /* NULL: no audit stream is kept */
    struct seen *seen;        /* of all loops */
    /* private */
    uint64_t sampled_ns, sampled_idle_ns, sampled_allocations;
};

/* Observe every backend of the wiring and the guard of its services, and trace if that is
 * configured; once, before the first call. instance is the loop's name in traces.
 * False: no memory. */
MUST_USE bool instrument_open(struct instrument *observers, struct services *services,
                              const struct log *log, struct str instance);
/* Put the present state of database connections, model calls and the loop into the metrics; to be
 * called every second or so. */
void instrument_sample(struct instrument *observers);

#endif
