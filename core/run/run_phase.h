/* SPDX-License-Identifier: MIT */
/* core/run/run_phase.h - where a run is in its life, and which way it may go on.
 *
 *   created -> active ------------> answered -> ended
 *                 +---> ending ---------^
 * A run that is asked to end while it is active is ending until nothing is in flight; one that is
 * asked later stays answered. Values and one table. Any thread. */
#ifndef CORE_RUN_RUN_PHASE_H
#define CORE_RUN_RUN_PHASE_H

#include "core/base/defs.h"

enum run_phase {
    RUN_CREATED,
    RUN_ACTIVE,
    RUN_ENDING,   /* asked to end, and has not said its end yet */
    RUN_ANSWERED, /* the terminal event is said; background nodes may go on */
    RUN_ENDED,
    RUN_PHASES
};

/* Move *phase on to next. A move that the life of a run does not have is a CHECK. */
void run_phase_move(enum run_phase *phase, enum run_phase next);
/* Whether the terminal event is said, so that nothing is said any more. */
static inline bool run_phase_is_over(enum run_phase phase)
{
    return phase >= RUN_ANSWERED;
}

#endif
