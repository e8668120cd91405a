/* SPDX-License-Identifier: MIT */
/* backends/stores/store_attend: when what shows that an instance lives is shown again. */
#include "backends/stores/store_attend.h"

#include "tests/lib/loop_rig.h"

enum { HELD_MS = 1000, LATER_MS = 10000 };

struct fixture {
    struct loop_rig rig;
    struct closing closing;
    struct store_attend attend;
    unsigned shown, closed_calls;
};

static void show(struct store_attend *attend)
{
    container_of(attend, struct fixture, attend)->shown++;
}

struct waiting {
    struct store_attend_wait wait;
    unsigned went;
};

static void go(struct store_attend_wait *wait)
{
    container_of(wait, struct waiting, wait)->went++;
}

static void free_nothing(struct closing *closing)
{
    (void)closing;
}

static void on_closed(void *owner)
{
    struct fixture *f = owner;
    f->closed_calls++;
}

static void pass(struct fixture *f, uint64_t ms)
{
    loop_advance(f->rig.loop, ms);
    loop_turn(f->rig.loop, 4);
}

static void begin(struct fixture *f)
{
    static closing_fn *const steps[] = {free_nothing, NULL};
    *f = (struct fixture){0};
    loop_rig_init(&f->rig);
    closing_init(&f->closing, f->rig.loop, steps);
    store_attend_start(&f->attend, f->rig.loop, &f->closing, STR("i1"), show);
    EXPECT_INT("at once", f->shown, 1);
}

static void end(struct fixture *f)
{
    closing_begin(&f->closing, on_closed, f);
    store_attend_stop(&f->attend);
    loop_rig_dry(&f->rig);
    EXPECT_INT("closed", f->closed_calls, 1);
    loop_rig_fini(&f->rig);
}

TEST(what_holds_is_left_alone)
{
    struct fixture f;
    begin(&f);
    store_attend_again(&f.attend, true);
    pass(&f, HELD_MS);
    EXPECT_INT("left", f.shown, 1);
    pass(&f, LATER_MS);
    EXPECT_INT("and shown now and then", f.shown, 2);
    store_attend_again(&f.attend, true);
    end(&f);
    EXPECT_INT("no more", f.shown, 2);
}

TEST(what_makes_a_run_waits_for_the_first_time)
{
    struct waiting one = {0}, other = {0}, later = {0};
    struct fixture f;
    begin(&f);
    EXPECT_TRUE("begins", store_attend_await(&f.attend, STORE_BEGIN, &one.wait, go));
    EXPECT_TRUE("resumes", store_attend_await(&f.attend, STORE_RESUME, &other.wait, go));
    EXPECT_TRUE("looks", !store_attend_await(&f.attend, STORE_CLAIM, &later.wait, go));
    list_remove(&other.wait.link); /* given up */
    EXPECT_INT("not yet", one.went, 0);
    store_attend_again(&f.attend, false); /* it could not be shown: leases are all there is */
    EXPECT_INT("goes", one.went, 1);
    EXPECT_INT("was given up", other.went, 0);
    EXPECT_TRUE("no more", !store_attend_await(&f.attend, STORE_BEGIN, &later.wait, go));
    pass(&f, HELD_MS);
    store_attend_again(&f.attend, true);
    EXPECT_INT("once", one.went, 1);
    end(&f);
}

TEST(what_was_not_shown_is_shown_soon)
{
    struct fixture f;
    begin(&f);
    store_attend_again(&f.attend, false);
    pass(&f, HELD_MS);
    EXPECT_INT("again", f.shown, 2);
    store_attend_again(&f.attend, true);
    end(&f);
}

TEST(what_is_lost_is_shown_at_once)
{
    struct fixture f;
    begin(&f);
    store_attend_lost(&f.attend);
    loop_turn(f.rig.loop, 4);
    EXPECT_INT("it is in flight", f.shown, 1);
    store_attend_again(&f.attend, true);
    store_attend_lost(&f.attend);
    store_attend_lost(&f.attend);
    loop_turn(f.rig.loop, 4);
    EXPECT_INT("once", f.shown, 2);
    store_attend_again(&f.attend, true);
    end(&f);
    store_attend_lost(&f.attend);
    EXPECT_INT("not when it is closed", f.shown, 2);
}

TEST(closed_while_it_is_shown)
{
    struct fixture f;
    begin(&f);
    closing_begin(&f.closing, on_closed, &f);
    store_attend_stop(&f.attend);
    loop_turn(f.rig.loop, 4);
    EXPECT_INT("waits for it", f.closed_calls, 0);
    store_attend_again(&f.attend, true);
    loop_rig_dry(&f.rig);
    EXPECT_INT("closed", f.closed_calls, 1);
    EXPECT_INT("once", f.shown, 1);
    loop_rig_fini(&f.rig);
}

RUN_TESTS(T(what_holds_is_left_alone), T(what_makes_a_run_waits_for_the_first_time),
          T(what_was_not_shown_is_shown_soon), T(what_is_lost_is_shown_at_once),
          T(closed_while_it_is_shown))
