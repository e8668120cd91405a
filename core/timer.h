/* SPDX-License-Identifier: MIT */
/* core/timer.h - a one-shot deadline embedded in a struct.
 *
 * Stopped at once, without libuv's close callback: an intrusive pairing heap driven by one
 * uv_timer_t per loop, so nothing is allocated. Zeroed storage is a stopped timer. Fires on its
 * loop, never inside timer_start. One thread. */
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
    struct timer *child, *sibling, *before; /* before: the parent or the previous sibling */
};

/* All running timers of a loop, soonest at the root; lives in the loop. */
struct timer_heap {
    /* private */
    struct timer *root;
    uint64_t sequence;
};

/* (Re)start: fn is called once, delay_ms from now or later; equal deadlines in order of start.
 * Cannot fail. */
void timer_start(struct timer *timer, struct loop *loop, uint64_t delay_ms, timer_fn *fn);
/* Stop. Idempotent; fn will not be called. */
void timer_stop(struct timer *timer);
bool timer_is_running(const struct timer *timer);

/* ---- for core/loop only ---- */

/* When the soonest is due; UINT64_MAX: none runs. */
uint64_t timer_heap_due(const struct timer_heap *heap);
/* Call what is due at now_ms; not what those calls start. */
void timer_heap_fire(struct timer_heap *heap, uint64_t now_ms);

#endif
