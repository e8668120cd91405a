/* SPDX-License-Identifier: MIT */
/* core/loop/delay.c - a timer as an operation; ends when due, or at once when cancelled. */
#include "core/loop/delay.h"

static void finish_delay(struct delay *delay, enum err_code code)
{
    timer_stop(&delay->timer);
    op_finish(&delay->op, code, "%s", "the delay was cancelled");
}

static void cancel_delay(struct op *op)
{
    finish_delay(container_of(op, struct delay, op), ERR_CANCELLED);
}

static const struct op_kind delay_kind = {.name = "delay", .cancel = cancel_delay};

static void on_delay_over(struct timer *timer)
{
    finish_delay(container_of(timer, struct delay, timer), ERR_OK);
}

void delay_start(struct delay *delay, struct loop *loop, uint64_t delay_ms, struct op_waiter waiter)
{
    op_begin(&delay->op, &delay_kind, loop, waiter);
    timer_start(&delay->timer, loop, delay_ms, on_delay_over);
}
