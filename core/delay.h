/* SPDX-License-Identifier: MIT */
/* core/delay.h - waiting for a time (backoff) as an operation. One loop, one thread. */
#ifndef CORE_DELAY_H
#define CORE_DELAY_H

#include "core/op.h"
#include "core/timer.h"

struct delay {
    struct op op;
    /* private */
    struct timer timer;
};

/* Finish with ERR_OK after delay_ms; cancelled: ERR_CANCELLED. */
void delay_start(struct delay *delay, struct loop *loop, uint64_t delay_ms,
                 struct op_waiter waiter);

#endif
