/* SPDX-License-Identifier: MIT */
/* core/run/run_phase.c - one table of moves.
 *
 * Failure: a move that is not in the table is a mistake of the caller. */
#include "core/run/run_phase.h"

/* From which phases, as bits, each phase may be entered. */
static const unsigned enters_from[RUN_PHASES] = {
    [RUN_ACTIVE] = 1U << RUN_CREATED,
    [RUN_ENDING] = 1U << RUN_ACTIVE,
    [RUN_ANSWERED] = 1U << RUN_ACTIVE | 1U << RUN_ENDING,
    [RUN_ENDED] = 1U << RUN_ANSWERED,
};

void run_phase_move(enum run_phase *phase, enum run_phase next)
{
    CHECK(next < RUN_PHASES && (enters_from[next] & 1U << *phase) != 0);
    *phase = next;
}
