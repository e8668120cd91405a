/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/rig.h - a loop and a waiter that counts, for tests of backends.
 *
 * rig_end demands that the loop has run dry: no handle, timer or task is left. */
#ifndef TESTS_UNIT_BACKENDS_RIG_H
#define TESTS_UNIT_BACKENDS_RIG_H

#include "core/loop/op.h"
#include "tests/lib/test.h"

enum { RIG_TURNS = 200000, RIG_SWEEP_MAX = 1000000 };

struct rig {
    struct loop *loop;
    unsigned done_calls, closed_calls;
    struct err err;                   /* of the last done */
    void (*at_done)(struct rig *rig); /* called from inside the next done, once; may be NULL */
};

static inline void rig_begin(struct rig *rig)
{
    *rig = (struct rig){.loop = loop_create()};
    assert_non_null(rig->loop);
}

static inline void rig_on_done(struct op *op)
{
    struct rig *rig = op_owner(op);
    rig->done_calls++;
    rig->err = op->err;
    void (*at_done)(struct rig * at) = rig->at_done;
    rig->at_done = NULL;
    if (at_done != NULL)
        at_done(rig);
    loop_stop(rig->loop);
}

static inline void rig_on_closed(void *owner)
{
    struct rig *rig = owner;
    rig->closed_calls++;
}

static inline struct op_waiter rig_waiter(struct rig *rig)
{
    return (struct op_waiter){.done = rig_on_done, .owner = rig};
}

/* Turn until done was called calls times. */
static inline void rig_wait(const char *name, struct rig *rig, unsigned calls)
{
    for (unsigned run = 0; run < RIG_TURNS && rig->done_calls < calls; run++)
        loop_run(rig->loop);
    EXPECT_INT(name, rig->done_calls, calls);
}

/* At most count turns, each waiting for I/O in flight, while fewer than calls are done. True: they
 * are done, and a sweep over turns has seen all there are. */
static inline bool rig_turn(struct rig *rig, unsigned count, unsigned calls)
{
    for (unsigned turn = 0; turn < count && rig->done_calls < calls; turn++)
        if (loop_run_dry(rig->loop, 1))
            break;
    return rig->done_calls >= calls;
}

/* The next point of a sweep over turns: every one at first, then sparser, since on a slow machine
 * most turns only wait. No machine is so slow that a sweep passes RIG_SWEEP_MAX. */
static inline unsigned rig_after(unsigned turns)
{
    EXPECT_TRUE("the sweep ends", turns < RIG_SWEEP_MAX);
    return turns + 1 + turns / 16;
}

static inline void rig_end(struct rig *rig)
{
    assert_true(loop_run_dry(rig->loop, RIG_TURNS));
    loop_destroy(rig->loop);
}

#endif
