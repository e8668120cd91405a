/* SPDX-License-Identifier: MIT */
/* core/timer.h - a one-shot deadline embedded in a struct.
 *
 * Stopped at once, without libuv's close callback: a heap driven by one uv_timer_t per loop.
 * Zeroed storage is a stopped timer. Fires on its loop, never inside timer_start. One thread. */
#ifndef CORE_TIMER_H
#define CORE_TIMER_H

#include "core/loop.h"

struct timer;

typedef void timer_fn(struct timer *timer);

struct timer {
    /* private */
    struct loop *loop; /* NULL: stopped */
    timer_fn *fn;
    uint64_t due_ms, sequence;
    size_t heap_index;
};

/* (Re)start: fn is called once, delay_ms from now or later. Cannot fail: room for the heap is
 * reserved by growth at start and CHECKed. */
void timer_start(struct timer *timer, struct loop *loop, uint64_t delay_ms, timer_fn *fn);
/* Stop. Idempotent; fn will not be called. */
void timer_stop(struct timer *timer);
bool timer_is_running(const struct timer *timer);

#endif
