/* SPDX-License-Identifier: MIT */
/* Order, restarts, stops from anywhere, against a plain array as the model. */
#include "tests/lib/loop_rig.h"

#include "core/loop/timer.h"

enum { MANY = 400 };

struct watch {
    struct timer timer;
    uint64_t due_ms, started; /* the model: 0 when stopped */
    struct watch *stops;      /* stopped by this one when it fires */
    unsigned fired;
};

static struct {
    struct loop *loop;
    uint64_t last_due, last_started, starts;
} seen; /* a test binary's own */

static void on_fire(struct timer *timer)
{
    struct watch *watch = container_of(timer, struct watch, timer);
    EXPECT_TRUE("not early", loop_now_ms(seen.loop) >= watch->due_ms);
    EXPECT_TRUE("not running inside", !timer_is_running(timer));
    EXPECT_TRUE("in order", watch->due_ms > seen.last_due || (watch->due_ms == seen.last_due &&
                                                              watch->started > seen.last_started));
    seen.last_due = watch->due_ms;
    seen.last_started = watch->started;
    watch->fired++;
    if (watch->stops != NULL)
        timer_stop(&watch->stops->timer);
}

static void start_watch(struct watch *watch, uint64_t delay_ms)
{
    watch->due_ms = loop_now_ms(seen.loop) + delay_ms;
    watch->started = ++seen.starts;
    timer_start(&watch->timer, seen.loop, delay_ms, on_fire);
}

TEST(they_fire_in_order_whatever_was_restarted_or_stopped)
{
    static struct watch watches[MANY];
    struct loop_rig rig;
    uint32_t random = 12345;
    loop_rig_init(&rig);
    seen.loop = rig.loop;
    for (unsigned round = 0; round < 20; round++) {
        memset(watches, 0, sizeof watches);
        seen.last_due = 0;
        for (unsigned i = 0; i < MANY * 3; i++) {
            random = random * 1664525 + 1013904223;
            struct watch *watch = &watches[(random >> 8) % MANY];
            if (random % 4 == 0)
                timer_stop(&watch->timer);
            else
                start_watch(watch, (random >> 20) % 50);
        }
        unsigned running = 0, fired = 0;
        TEST_EACH(watch, watches)
            running += timer_is_running(&watch->timer);
        loop_rig_dry(&rig);
        TEST_EACH(watch, watches)
            fired += watch->fired;
        EXPECT_INT("each running one fired once", fired, running);
    }
    loop_rig_fini(&rig);
}

TEST(one_may_stop_another_that_is_due)
{
    struct watch watches[3] = {0};
    struct loop_rig rig;
    loop_rig_init(&rig);
    seen.loop = rig.loop;
    seen.last_due = 0;
    TEST_EACH(watch, watches)
        start_watch(watch, 10);
    watches[0].stops = &watches[2];
    loop_rig_dry(&rig);
    EXPECT_INT("first", watches[0].fired, 1);
    EXPECT_INT("second", watches[1].fired, 1);
    EXPECT_INT("stopped", watches[2].fired, 0);
    loop_rig_fini(&rig);
}

static void start_self(struct timer *timer)
{
    struct watch *watch = container_of(timer, struct watch, timer);
    if (++watch->fired < 5)
        timer_start(timer, seen.loop, 0, start_self);
}

TEST(zero_delay_fires_once_per_turn)
{
    struct watch watch = {0};
    struct loop_rig rig;
    loop_rig_init(&rig);
    seen.loop = rig.loop;
    timer_start(&watch.timer, rig.loop, 0, start_self);
    EXPECT_INT("not from inside", watch.fired, 0);
    loop_turn(rig.loop, 1);
    EXPECT_INT("once", watch.fired, 1);
    loop_turn(rig.loop, 1);
    EXPECT_INT("twice", watch.fired, 2);
    loop_rig_fini(&rig);
    EXPECT_INT("all", watch.fired, 5);
}

TEST(under_a_real_clock)
{
    struct watch watches[3] = {0};
    seen.loop = loop_create();
    seen.last_due = 0;
    start_watch(&watches[0], 20);
    start_watch(&watches[1], 5);
    start_watch(&watches[2], 2);
    timer_stop(&watches[2].timer);
    timer_stop(&watches[2].timer);
    loop_run(seen.loop);
    EXPECT_TRUE("both", watches[0].fired == 1 && watches[1].fired == 1);
    EXPECT_INT("stopped", watches[2].fired, 0);
    start_watch(&watches[0], 1);
    timer_stop(&watches[0].timer);
    loop_run(seen.loop); /* nothing left: returns at once */
    start_watch(&watches[0], UINT64_MAX);
    timer_stop(&watches[0].timer);
    loop_destroy(seen.loop);
}

RUN_TESTS(T(they_fire_in_order_whatever_was_restarted_or_stopped),
          T(one_may_stop_another_that_is_due), T(zero_delay_fires_once_per_turn),
          T(under_a_real_clock))
