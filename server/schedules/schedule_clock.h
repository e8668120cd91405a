/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_clock.h - when an expression is due next, found off the loop: the time
 * zone is a file, and the next 29th of February may be years away. One loop. */
#ifndef SERVER_SCHEDULES_SCHEDULE_CLOCK_H
#define SERVER_SCHEDULES_SCHEDULE_CLOCK_H

#include "core/loop/work.h"

struct schedule_clock {
    struct work work;      /* its op's: ERR_INVALID: text begins with "/cron" or "/timezone" */
    struct str cron, zone; /* in, kept until done; an empty zone: UTC */
    uint64_t after_ms;     /* in */
    uint64_t next_ms;      /* out; 0: never */
};

/* Start on a clock whose in-fields are set. */
void schedule_clock_start(struct schedule_clock *clock, struct loop *loop, struct op_waiter waiter);

#endif
