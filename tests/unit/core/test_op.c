/* SPDX-License-Identifier: MIT */
/* Exactly one done, on a later turn; cancel, hold and release in every phase; groups; misuse. */
#include "tests/lib/loop_rig.h"

#include <sys/wait.h>
#include <unistd.h>

#include "core/loop/op.h"

struct thing {
    struct op op;
    unsigned cancels, holds, goes, releases;
    bool ends_on_cancel;
};

static struct thing *thing_of(struct op *op)
{
    return container_of(op, struct thing, op);
}

static void cancel_thing(struct op *op)
{
    thing_of(op)->cancels++;
    if (thing_of(op)->ends_on_cancel)
        op_finish(op, ERR_CANCELLED, "asked to");
}

static void hold_thing(struct op *op)
{
    thing_of(op)->holds++;
}

static void let_thing_go(struct op *op)
{
    thing_of(op)->goes++;
}

static void release_thing(struct op *op)
{
    thing_of(op)->releases++;
}

static const struct op_kind kind = {"thing", cancel_thing, hold_thing, let_thing_go, release_thing};
static const struct op_kind flowless = {"flowless", cancel_thing, NULL, NULL, NULL};

TEST(done_comes_once_and_later)
{
    struct loop_rig rig;
    struct thing thing = {0};
    loop_rig_init(&rig);
    EXPECT_TRUE("idle", !op_is_pending(&thing.op));
    op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
    EXPECT_TRUE("pending", op_is_pending(&thing.op) && !op_is_finishing(&thing.op));
    EXPECT_INT("in the group", op_group_pending(&rig.group), 1);
    op_finish(&thing.op, ERR_TIMEOUT, "after %d ms", 5);
    EXPECT_TRUE("finishing", op_is_finishing(&thing.op));
    EXPECT_INT("not from inside", rig.done_count, 0);
    loop_rig_dry(&rig);
    EXPECT_INT("once", rig.done_count, 1);
    EXPECT_INT("code", thing.op.err.code, ERR_TIMEOUT);
    EXPECT_STR("text", str_of(thing.op.err.text), STR("after 5 ms"));
    EXPECT_TRUE("idle, still in the group",
                !op_is_pending(&thing.op) && !list_is_empty(&rig.group));
    op_release(&thing.op);
    op_release(&thing.op);
    EXPECT_INT("released once", thing.releases, 1);
    EXPECT_TRUE("left the group", list_is_empty(&rig.group));
    op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
    EXPECT_INT("the old error is gone", thing.op.err.code, ERR_OK);
    op_finish(&thing.op, ERR_OK, "ignored");
    loop_rig_dry(&rig);
    EXPECT_STR("no text for OK", str_of(thing.op.err.text), STR(""));
    op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
    EXPECT_INT("beginning anew released the last result", thing.releases, 2);
    op_finish_err(&thing.op, &(struct err){ERR_BUSY, "later"});
    loop_rig_dry(&rig);
    EXPECT_INT("copied", thing.op.err.code, ERR_BUSY);
    loop_rig_fini(&rig);
    EXPECT_INT("in the end", thing.releases, 3);
}

TEST(cancel_in_every_phase)
{
    for (unsigned phase = 0; phase < 4; phase++) {
        struct loop_rig rig;
        struct thing thing = {.ends_on_cancel = true};
        loop_rig_init(&rig);
        if (phase == 0)
            op_cancel(&thing.op);
        op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
        if (phase == 1) {
            op_cancel(&thing.op);
            op_cancel(&thing.op);
        } else {
            op_finish(&thing.op, ERR_OK, "%s", "");
        }
        if (phase == 2)
            op_cancel(&thing.op);
        loop_rig_dry(&rig);
        if (phase == 3)
            op_cancel(&thing.op);
        loop_rig_dry(&rig);
        EXPECT_INT("one done", rig.done_count, 1);
        EXPECT_INT("asked at most once", thing.cancels, phase == 1);
        EXPECT_INT("code", rig.last_code, phase == 1 ? ERR_CANCELLED : ERR_OK);
        loop_rig_fini(&rig);
    }
}

TEST(flow_is_told_on_change_only)
{
    struct loop_rig rig;
    struct thing thing = {0}, plain = {0};
    loop_rig_init(&rig);
    op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
    op_begin(&plain.op, &flowless, rig.loop, loop_rig_waiter(&rig));
    op_go(&thing.op);
    EXPECT_INT("was going", thing.goes, 0);
    op_group_hold(&rig.group);
    op_hold(&thing.op);
    EXPECT_INT("held once", thing.holds, 1);
    EXPECT_TRUE("remembered", op_is_held(&thing.op) && op_is_held(&plain.op));
    op_group_go(&rig.group);
    op_go(&thing.op);
    EXPECT_INT("went once", thing.goes, 1);
    op_finish(&thing.op, ERR_OK, "%s", "");
    op_hold(&thing.op);
    EXPECT_INT("nothing flows any more", thing.holds, 1);
    op_finish(&plain.op, ERR_OK, "%s", "");
    loop_rig_dry(&rig);
    op_hold(&thing.op);
    op_release(&thing.op);
    op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
    EXPECT_TRUE("forgotten", !op_is_held(&thing.op));
    op_finish(&thing.op, ERR_OK, "%s", "");
    loop_rig_fini(&rig);
}

TEST(groups)
{
    struct loop_rig rig;
    struct thing things[4] = {0};
    loop_rig_init(&rig);
    TEST_EACH(thing, things) {
        thing->ends_on_cancel = true;
        op_begin(&thing->op, &kind, rig.loop, loop_rig_waiter(&rig));
    }
    op_finish(&things[1].op, ERR_OK, "%s", "");
    loop_turn(rig.loop, 1);
    EXPECT_INT("pending", op_group_pending(&rig.group), 3);
    op_group_cancel(&rig.group);
    op_group_cancel(&rig.group);
    loop_rig_dry(&rig);
    EXPECT_INT("done", rig.done_count, 4);
    op_group_release(&rig.group);
    EXPECT_TRUE("empty", list_is_empty(&rig.group));
    TEST_EACH(thing, things)
        EXPECT_INT("released", thing->releases, 1);
    loop_rig_fini(&rig);
}

/* ---- misuse ---- */

static void begin_twice(struct loop_rig *rig, struct thing *thing)
{
    op_begin(&thing->op, &kind, rig->loop, loop_rig_waiter(rig));
}
static void finish_twice(struct loop_rig *rig, struct thing *thing)
{
    (void)rig;
    op_finish(&thing->op, ERR_OK, "%s", "");
    op_finish(&thing->op, ERR_OK, "%s", "");
}
static void release_pending(struct loop_rig *rig, struct thing *thing)
{
    (void)rig;
    op_release(&thing->op);
}

TEST(misuse_aborts)
{
    static void (*const misuses[])(struct loop_rig * rig, struct thing * thing) = {
        begin_twice, finish_twice, release_pending};
    for (size_t i = 0; i < countof(misuses); i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            struct loop_rig rig;
            struct thing thing = {0};
            close(STDERR_FILENO);
            loop_rig_init(&rig);
            op_begin(&thing.op, &kind, rig.loop, loop_rig_waiter(&rig));
            misuses[i](&rig, &thing);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        EXPECT_TRUE("aborted", WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    }
}

RUN_TESTS(T(done_comes_once_and_later), T(cancel_in_every_phase), T(flow_is_told_on_change_only),
          T(groups), T(misuse_aborts))
