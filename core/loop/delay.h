/* SPDX-License-Identifier: MIT */
/* core/loop/delay.h - waiting for a time (backoff) as an operation. One loop, one thread. */
#ifndef CORE_LOOP_DELAY_H
#define CORE_LOOP_DELAY_H

#include "core/loop/op.h"
#include "core/loop/timer.h"

struct delay {
    struct op op;
    /* private */
    struct timer timer;
};

/* Finish with ERR_OK after delay_ms; cancelled: ERR_CANCELLED. */
void delay_start(struct delay *delay, struct loop *loop, uint64_t delay_ms,
                 struct op_waiter waiter);

#endif
