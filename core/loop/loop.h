/* SPDX-License-Identifier: MIT */
/* core/loop/loop.h - a libuv loop plus a ready queue, end-of-turn hooks and a cached clock.
 *
 * A turn: poll for I/O, fire due timers, run what is queued by then, run the end-of-turn hooks. A
 * task that another task queues runs on a later round: of the next turn or, in loop_run, of this
 * one, a bounded number of times. A task that a hook queues, and a timer that starts itself anew
 * without delay, wait for the next turn. So nothing runs inside the call that queued it, and nobody
 * starves I/O. One loop belongs to one thread; only core/loop/work, core/loop/inbox and
 * backends/sqlite/sqlite_thread call into it from outside, by uv_async. */
#ifndef CORE_LOOP_LOOP_H
#define CORE_LOOP_LOOP_H

#include "core/base/list.h"

struct loop;
struct uv_loop_s; /* libuv's uv_loop_t */
struct timer_heap;
struct loop_task;
struct ahead;

typedef void loop_fn(struct loop_task *task);

/* A function to run on a later turn, embedded in the struct that wants it run. Zeroed is fine
 * before use. */
struct loop_task {
    struct list link;
    loop_fn *fn;
};

/* A loop on the calling thread. NULL: no memory or no descriptors. */
struct loop *loop_create(void);
/* Free a loop that has run dry: CHECKs that no handle, task or timer is left. NULL is fine. */
void loop_destroy(struct loop *loop);

/* libuv's loop, for the files that may include uv.h. */
struct uv_loop_s *loop_uv(struct loop *loop);
/* Monotonic milliseconds, cached at the start of the turn; never goes back. */
uint64_t loop_now_ms(const struct loop *loop);
/* Wall clock, milliseconds since 1970 UTC, cached likewise. */
uint64_t loop_wall_ms(const struct loop *loop);
/* Monotonic nanoseconds, read now: for measuring, not for deadlines. */
uint64_t loop_precise_ns(void);

/* Run task->fn on a later round; already queued: nothing changes. task stays put until it ran. */
void loop_post(struct loop *loop, struct loop_task *task, loop_fn *fn);
/* Run task->fn once at the end of this turn (after the ready queue), or of the next when called
 * outside one. The same rules as loop_post. For "tell the readers once". */
void loop_at_turn_end(struct loop *loop, struct loop_task *task, loop_fn *fn);
/* Call fn(owner) as the last thing of each turn, before loop waits; NULL: nothing is called. */
void loop_each_turn(struct loop *loop, void (*fn)(void *owner), void *owner);
/* For each_turn: nanoseconds from the end of the turn before to the end of this one, without what
 * was waited for I/O: how long the loop served nobody else. */
uint64_t loop_turn_ns(const struct loop *loop);
/* Take a queued task out of either queue. Idempotent. */
void loop_unpost(struct loop_task *task);

/* Turn until loop_stop, or until nothing is left that could wake it. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* For tests: at most count turns without waiting for I/O that is not there yet. */
void loop_turn(struct loop *loop, unsigned count);
/* For tests: turn until nothing is left, waiting for I/O in flight; under a fake clock, jump to the
 * next timer when idle (with handles open: when they stay silent). False after max_turns turns, and
 * under a fake clock when open handles stay silent for seconds. */
MUST_USE bool loop_run_dry(struct loop *loop, unsigned max_turns);
/* For tests: from now on time stands still and moves only by loop_advance (and loop_run_dry). */
void loop_fake_clock(struct loop *loop, uint64_t wall_ms);
void loop_advance(struct loop *loop, uint64_t ms);

/* Nanoseconds that loop has waited for I/O with nothing to do, since it was created. */
uint64_t loop_idle_ns(struct loop *loop);
/* For core/loop/work only: one more call is on the thread pool, or one came back. */
void loop_count_work(struct loop *loop, int change);
/* Calls of this loop on the thread pool that have not come back. */
size_t loop_work_count(const struct loop *loop);

/* For core/loop/ahead only: where the piece that is on its way is noted. */
struct ahead **loop_ahead(struct loop *loop);

/* For core/loop/timer only: the heap, and "look at it again at due_ms" (UINT64_MAX: it is empty).
 */
struct timer_heap *loop_timers(struct loop *loop);
void loop_arm_timers(struct loop *loop, uint64_t due_ms);

#endif
