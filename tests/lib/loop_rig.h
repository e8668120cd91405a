/* SPDX-License-Identifier: MIT */
/* tests/lib/loop_rig.h - a loop on a fake clock and a waiter that counts done calls.
 *
 *   struct loop_rig rig;
 *   loop_rig_init(&rig);
 *   x_start(&x, ..., loop_rig_waiter(&rig));
 *   loop_rig_dry(&rig);               turn until nothing is left; fails the test if it never is
 *   EXPECT_INT("done", rig.done_count, 1);
 *   loop_rig_fini(&rig);              releases what ended, CHECKs that nothing is left in the loop
 */
#ifndef TESTS_LIB_LOOP_RIG_H
#define TESTS_LIB_LOOP_RIG_H

#include "tests/lib/test.h"

#include "core/loop/loop.h"
#include "core/loop/op.h"

enum { LOOP_RIG_TURNS = 20000, LOOP_RIG_WALL_MS = 1700000000 };

struct loop_rig {
    struct loop *loop;
    struct list group;   /* the operations of loop_rig_waiter, until released */
    unsigned done_count; /* how often done came */
    struct op *last;     /* the operation whose done came last */
    enum err_code last_code;
};

static inline void loop_rig_init(struct loop_rig *rig)
{
    *rig = (struct loop_rig){.loop = loop_create()};
    assert_non_null(rig->loop);
    list_init(&rig->group);
    loop_fake_clock(rig->loop, (uint64_t)LOOP_RIG_WALL_MS * 1000);
}

static inline void loop_rig_on_done(struct op *op)
{
    struct loop_rig *rig = op_owner(op);
    rig->done_count++;
    rig->last = op;
    rig->last_code = op->err.code;
}

static inline struct op_waiter loop_rig_waiter(struct loop_rig *rig)
{
    return (struct op_waiter){loop_rig_on_done, rig, &rig->group};
}

static inline void loop_rig_dry(struct loop_rig *rig)
{
    if (!loop_run_dry(rig->loop, LOOP_RIG_TURNS))
        fail_msg("the loop is still busy after %d turns", LOOP_RIG_TURNS);
}

/* At most count turns, each waiting for I/O in flight, while fewer than calls are done. True: they
 * are done, and a sweep over turns has seen all there are. */
static inline bool loop_rig_turn(struct loop_rig *rig, unsigned count, unsigned calls)
{
    for (unsigned turn = 0; turn < count && rig->done_count < calls; turn++)
        if (loop_run_dry(rig->loop, 1))
            break;
    EXPECT_TRUE("the sweep ends", count < LOOP_RIG_TURNS);
    return rig->done_count >= calls;
}

static inline void loop_rig_fini(struct loop_rig *rig)
{
    loop_rig_dry(rig);
    op_group_release(&rig->group);
    loop_rig_dry(rig);
    loop_destroy(rig->loop); /* CHECKs that no handle, task or timer is left */
}

#endif
