/* SPDX-License-Identifier: MIT */
/* core/loop/timer.h - a one-shot deadline embedded in a struct.
 *
 * A timer stops at once, without libuv's close callback: the timers of a loop are an intrusive
 * pairing heap driven by one uv_timer_t, so nothing is allocated. Zeroed storage is a stopped
 * timer. A timer fires on its loop, never inside timer_start. One thread. */
#ifndef CORE_LOOP_TIMER_H
#define CORE_LOOP_TIMER_H

#include "core/loop/loop.h"
#include "core/loop/timer_heap.h"

/* (Re)start: fn is called once, delay_ms from now or later; equal deadlines in order of start.
 * Cannot fail. */
void timer_start(struct timer *timer, struct loop *loop, uint64_t delay_ms, timer_fn *fn);
/* Stop. Idempotent; fn will not be called. */
void timer_stop(struct timer *timer);
bool timer_is_running(const struct timer *timer);

#endif
