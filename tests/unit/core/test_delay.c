/* SPDX-License-Identifier: MIT */
/* When due, when cancelled. */
#include "tests/lib/loop_rig.h"

#include "core/loop/delay.h"

TEST(it_ends_when_due_or_cancelled)
{
    struct loop_rig rig;
    struct delay delay = {0};
    loop_rig_init(&rig);
    delay_start(&delay, rig.loop, 10, loop_rig_waiter(&rig));
    loop_advance(rig.loop, 9);
    loop_turn(rig.loop, 3);
    EXPECT_INT("early", rig.done_count, 0);
    loop_advance(rig.loop, 1);
    loop_turn(rig.loop, 2);
    EXPECT_INT("due", rig.done_count, 1);
    EXPECT_INT("ok", rig.last_code, ERR_OK);
    delay_start(&delay, rig.loop, 10, loop_rig_waiter(&rig));
    op_cancel(&delay.op);
    EXPECT_INT("not from inside", rig.done_count, 1);
    loop_rig_dry(&rig);
    EXPECT_INT("cancelled", rig.last_code, ERR_CANCELLED);
    loop_rig_fini(&rig);
}

RUN_TESTS(T(it_ends_when_due_or_cancelled))
