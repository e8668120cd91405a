/* SPDX-License-Identifier: MIT */
/* server/process/watchdog.c - each beat asks: have all workers' timers fired since the last beat?
 *
 * Happy path: they have; systemd is told. Failure: a timer has not: the beats are left out until it
 * has, or systemd ends the process. */
#include "server/process/watchdog.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "server/process/notify.h"

enum { USEC_PER_MS = 1000 };

/* The period that the environment asks for; 0: none. */
static uint64_t period_ms(void)
{
    uint64_t usec = 0;
    const char *text = getenv("WATCHDOG_USEC");
    return text != NULL && str_to_u64(str_of(text), &usec) ? usec / USEC_PER_MS : 0;
}

static bool all_turned(struct watchdog *watchdog)
{
    bool all = true;
    for (size_t i = 0; i < watchdog->count; i++) {
        int64_t turned = meters_get(watchdog->meters, watchdog->workers[i], METER_LOOP_LAG_SECONDS);
        all &= turned != watchdog->seen[i];
        watchdog->seen[i] = turned;
    }
    return all;
}

static void beat(struct timer *timer)
{
    struct watchdog *watchdog = container_of(timer, struct watchdog, timer);
    if (all_turned(watchdog) || watchdog->every_ms < WATCHDOG_MIN_MS / 2)
        notify_send("WATCHDOG=1");
    timer_start(timer, watchdog->loop, watchdog->every_ms, beat);
}

enum err_code watchdog_start(struct watchdog *watchdog, struct loop *loop,
                             const struct meters *meters, const struct metrics *const *workers,
                             size_t count)
{
    uint64_t period = period_ms();
    if (period < 2)
        return ERR_OK;
    *watchdog = (struct watchdog){
        .loop = loop,
        .meters = meters,
        .workers = workers,
        .count = count,
        .every_ms = period / 2,
        .seen = mem_zalloc(count, sizeof(int64_t)),
    };
    if (watchdog->seen == NULL)
        return ERR_NO_MEMORY;
    timer_start(&watchdog->timer, loop, watchdog->every_ms, beat);
    return ERR_OK;
}

void watchdog_stop(struct watchdog *watchdog)
{
    timer_stop(&watchdog->timer);
    mem_free(watchdog->seen);
    watchdog->seen = NULL;
}
