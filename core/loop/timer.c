/* SPDX-License-Identifier: MIT */
/* core/loop/timer.c - timers in the loop's heap.
 *
 * Happy path: timer_start adds the timer to the heap and arms the loop when it is the soonest; the
 * loop fires what is due.
 * Failure: none. */
#include "core/loop/timer.h"

void timer_start(struct timer *timer, struct loop *loop, uint64_t delay_ms, timer_fn *fn)
{
    uint64_t due_ms;
    timer_stop(timer);
    timer->loop = loop;
    timer->fn = fn;
    if (__builtin_add_overflow(loop_now_ms(loop), delay_ms, &due_ms))
        due_ms = UINT64_MAX - 1;
    if (timer_heap_push(loop_timers(loop), timer, due_ms))
        loop_arm_timers(loop, due_ms);
}

void timer_stop(struct timer *timer)
{
    struct loop *loop = timer->loop;
    if (loop == NULL)
        return;
    struct timer_heap *heap = loop_timers(loop);
    timer_heap_remove(heap, timer);
    if (timer_heap_due(heap) == UINT64_MAX) /* else the loop wakes a little early, once */
        loop_arm_timers(loop, UINT64_MAX);
}

bool timer_is_running(const struct timer *timer)
{
    return timer->loop != NULL;
}
