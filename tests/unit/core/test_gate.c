/* SPDX-License-Identifier: MIT */
/* Places in fair order, a bounded queue, deadlines, cancel at every turn. */
#include "tests/lib/loop_rig.h"

#include "core/loop/gate.h"

enum { WAIT_MS = 100 };

TEST(places_are_given_in_order)
{
    struct loop_rig rig;
    struct gate gate;
    struct gate_ticket ticket[4] = {0};
    loop_rig_init(&rig);
    gate_init(&gate, rig.loop, "model", 1, 2);
    for (size_t i = 0; i < countof(ticket); i++)
        gate_enter_start(&ticket[i], &gate, WAIT_MS, loop_rig_waiter(&rig));
    EXPECT_INT("nothing from inside start", rig.done_count, 0);
    loop_turn(rig.loop, 1);
    EXPECT_INT("one in, one refused", rig.done_count, 2);
    EXPECT_INT("first", ticket[0].op.err.code, ERR_OK);
    EXPECT_INT("fourth", ticket[3].op.err.code, ERR_BUSY);
    EXPECT_TRUE("second waits", op_is_pending(&ticket[1].op));
    gate_leave(&ticket[0]);
    gate_leave(&ticket[0]);
    loop_turn(rig.loop, 1);
    EXPECT_TRUE("second is in", !op_is_pending(&ticket[1].op) && op_is_pending(&ticket[2].op));
    loop_advance(rig.loop, WAIT_MS);
    loop_turn(rig.loop, 2);
    EXPECT_INT("third timed out", ticket[2].op.err.code, ERR_TIMEOUT);
    gate_leave(&ticket[1]);
    gate_leave(&ticket[2]);
    gate_leave(&ticket[3]);
    gate_fini(&gate);
    EXPECT_INT("done", rig.done_count, 4);
    loop_rig_fini(&rig);
}

TEST(a_company_leaves_room)
{
    struct loop_rig rig;
    struct gate gate;
    struct gate_ticket ticket[6] = {0};
    loop_rig_init(&rig);
    gate_init(&gate, rig.loop, "model", 4, 8);
    gate_limit_company(&gate, 3);
    for (size_t i = 0; i < countof(ticket); i++) {
        ticket[i].caller.company_id = i < 5 ? STR("noisy") : STR("quiet");
        gate_enter_start(&ticket[i], &gate, WAIT_MS, loop_rig_waiter(&rig));
    }
    loop_turn(rig.loop, 1);
    EXPECT_INT("three and one", rig.done_count, 4);
    EXPECT_TRUE("the other's at once", !op_is_pending(&ticket[5].op));
    EXPECT_TRUE("the fourth waits", op_is_pending(&ticket[3].op));
    gate_leave(&ticket[5]);
    loop_turn(rig.loop, 1);
    EXPECT_INT("its place stays free", rig.done_count, 4);
    gate_leave(&ticket[0]);
    loop_turn(rig.loop, 1);
    EXPECT_INT("one for one", rig.done_count, 5);
    op_cancel(&ticket[4].op);
    loop_turn(rig.loop, 1);
    for (size_t i = 0; i < countof(ticket); i++)
        gate_leave(&ticket[i]);
    gate_fini(&gate);
    loop_rig_fini(&rig);
}

TEST(release_gives_the_place_back)
{
    struct loop_rig rig;
    struct gate gate;
    struct gate_ticket a = {0}, b = {0};
    loop_rig_init(&rig);
    gate_init(&gate, rig.loop, "model", 1, 1);
    gate_enter_start(&a, &gate, WAIT_MS, loop_rig_waiter(&rig));
    gate_enter_start(&b, &gate, WAIT_MS, loop_rig_waiter(&rig));
    loop_turn(rig.loop, 1);
    op_release(&a.op);
    loop_turn(rig.loop, 1);
    EXPECT_INT("b", b.op.err.code, ERR_OK);
    EXPECT_TRUE("b is done", !op_is_pending(&b.op));
    op_release(&b.op);
    gate_fini(&gate);
    loop_rig_fini(&rig);
}

/* One that came last goes second, since the others are of one company. */
TEST(companies_take_turns)
{
    struct loop_rig rig;
    struct gate gate;
    struct gate_ticket ticket[4] = {0};
    loop_rig_init(&rig);
    gate_init(&gate, rig.loop, "model", 1, 8);
    for (size_t i = 0; i < countof(ticket); i++) {
        ticket[i].caller.company_id = i < 3 ? STR("noisy") : STR("quiet");
        gate_enter_start(&ticket[i], &gate, WAIT_MS, loop_rig_waiter(&rig));
    }
    static const size_t order[] = {0, 3, 1, 2};
    for (size_t i = 0; i < countof(order); i++) {
        loop_turn(rig.loop, 1);
        EXPECT_INT("one more", rig.done_count, i + 1);
        EXPECT_TRUE("it", rig.last == &ticket[order[i]].op);
        gate_leave(&ticket[order[i]]);
    }
    gate_fini(&gate);
    loop_rig_fini(&rig);
}

TEST(cancelled_at_every_turn)
{
    for (unsigned turn = 0; turn <= 4; turn++)
        for (unsigned which = 0; which < 3; which++) {
            struct loop_rig rig;
            struct gate gate;
            struct gate_ticket ticket[3] = {0};
            loop_rig_init(&rig);
            gate_init(&gate, rig.loop, "model", 1, 2);
            for (size_t i = 0; i < countof(ticket); i++)
                gate_enter_start(&ticket[i], &gate, WAIT_MS, loop_rig_waiter(&rig));
            loop_turn(rig.loop, turn);
            op_cancel(&ticket[which].op);
            op_cancel(&ticket[which].op);
            loop_rig_dry(&rig);
            EXPECT_INT("done", rig.done_count, 3);
            op_group_release(&rig.group);
            gate_fini(&gate);
            loop_rig_fini(&rig);
        }
}

RUN_TESTS(T(a_company_leaves_room), T(companies_take_turns), T(places_are_given_in_order),
          T(release_gives_the_place_back), T(cancelled_at_every_turn))
