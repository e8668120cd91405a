/* SPDX-License-Identifier: MIT */
/* server/process/watchdog.h - sends "WATCHDOG=1" to systemd for as long as every worker's loop
 * turns.
 *
 * Each worker counts a timer of its own (METER_LOOP_LAG_SECONDS). When one count has not moved
 * between two beats, nothing is sent, and systemd starts the service anew after WatchdogSec.
 * Without WATCHDOG_USEC (sd_watchdog_enabled(3)) there is no beat. One loop, one thread. */
#ifndef SERVER_PROCESS_WATCHDOG_H
#define SERVER_PROCESS_WATCHDOG_H

#include "core/loop/timer.h"
#include "server/observe/meters.h"

enum { WATCHDOG_MIN_MS = 6000 }; /* of WatchdogSec: half of it far outlasts a worker's timer */

struct watchdog { /* zeroed at first */
    struct timer timer;
    struct loop *loop;
    const struct meters *meters;
    const struct metrics *const *workers;
    size_t count;
    uint64_t every_ms;
    int64_t *seen; /* the count of each worker, at the last beat */
};

/* Beat twice in the period that the environment asks for. In a period under WATCHDOG_MIN_MS beat,
 * too, but whatever the workers do. workers are read until watchdog_stop. ERR_NO_MEMORY. */
MUST_USE enum err_code watchdog_start(struct watchdog *watchdog, struct loop *loop,
                                      const struct meters *meters,
                                      const struct metrics *const *workers, size_t count);
/* Idempotent. */
void watchdog_stop(struct watchdog *watchdog);

#endif
