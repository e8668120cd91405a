/* SPDX-License-Identifier: MIT */
/* core/loop/timer_heap.h - the running timers of a loop, soonest at the root; for core/loop/loop
 * and core/loop/timer.
 *
 * An intrusive pairing heap: the links are in the timers, nothing is allocated. It knows no clock:
 * times are its user's. A zeroed heap is empty; one that lives in a loop is the loop's. One thread.
 */
#ifndef CORE_LOOP_TIMER_HEAP_H
#define CORE_LOOP_TIMER_HEAP_H

#include "core/base/defs.h"

struct loop;
struct timer;

typedef void timer_fn(struct timer *timer);

/* A deadline, embedded in a struct; core/loop/timer.h starts and stops it. */
struct timer {
    /* private */
    struct loop *loop; /* NULL: stopped */
    timer_fn *fn;
    uint64_t due_ms, sequence;
    struct timer *child, *sibling, *before; /* before: the parent or the previous sibling */
};

struct timer_heap {
    /* private */
    struct timer *root;
    uint64_t sequence;
};

/* Add a timer (with fn and loop set) that is in no heap, due at due_ms; equal deadlines fire in the
 * order of their adding. Whether it is the soonest now. */
bool timer_heap_push(struct timer_heap *heap, struct timer *timer, uint64_t due_ms);
/* Take out a timer that is in the heap; it is stopped then. */
void timer_heap_remove(struct timer_heap *heap, struct timer *timer);
/* When the soonest is due; UINT64_MAX: the heap is empty. */
uint64_t timer_heap_due(const struct timer_heap *heap);
/* Take out and call the timers that are due at now_ms, but not those that the calls add. */
void timer_heap_fire(struct timer_heap *heap, uint64_t now_ms);

#endif
