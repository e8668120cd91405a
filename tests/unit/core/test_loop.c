/* SPDX-License-Identifier: MIT */
/* Turns, order, end-of-turn hooks, clocks, running dry with and without I/O. */
#include "tests/lib/test.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "core/loop/loop.h"
#include "core/loop/timer.h"

struct counter {
    struct loop_task task, hook, other;
    struct loop *loop;
    unsigned runs, hooks, others;
};

static void count_run(struct loop_task *task)
{
    container_of(task, struct counter, task)->runs++;
}

static void count_hook(struct loop_task *task)
{
    container_of(task, struct counter, hook)->hooks++;
}

static void count_other(struct loop_task *task)
{
    struct counter *counter = container_of(task, struct counter, other);
    counter->others++;
    loop_post(counter->loop, &counter->task, count_run);
    loop_at_turn_end(counter->loop, &counter->hook, count_hook);
}

TEST(what_is_queued_during_a_turn_waits_for_the_next)
{
    struct counter c = {.loop = loop_create()};
    loop_post(c.loop, &c.other, count_other);
    EXPECT_INT("not from inside", c.others, 0);
    loop_turn(c.loop, 1);
    EXPECT_INT("ran", c.others, 1);
    EXPECT_INT("what it queued did not", c.runs, 0);
    EXPECT_INT("its hook did", c.hooks, 1);
    loop_turn(c.loop, 1);
    EXPECT_INT("now", c.runs, 1);
    EXPECT_TRUE("dry", loop_run_dry(c.loop, 3));
    loop_destroy(c.loop);
}

TEST(posts_are_idempotent_and_can_be_taken_back)
{
    struct counter c = {.loop = loop_create()};
    loop_post(c.loop, &c.task, count_run);
    loop_post(c.loop, &c.task, count_run);
    loop_at_turn_end(c.loop, &c.hook, count_hook);
    loop_at_turn_end(c.loop, &c.hook, count_hook);
    loop_post(c.loop, &c.other, count_other);
    loop_unpost(&c.other);
    loop_unpost(&c.other);
    loop_run(c.loop);
    EXPECT_INT("once", c.runs, 1);
    EXPECT_INT("hook once", c.hooks, 1);
    EXPECT_INT("taken back", c.others, 0);
    loop_run(c.loop); /* nothing to wait for: returns */
    loop_destroy(c.loop);
    loop_destroy(NULL);
}

struct chain {
    struct loop_task task;
    struct loop *loop;
    unsigned left;
};

static void post_again(struct loop_task *task)
{
    struct chain *chain = container_of(task, struct chain, task);
    if (chain->left-- > 1)
        loop_post(chain->loop, task, post_again);
}

TEST(run_dry_gives_up_and_loop_run_does_not)
{
    struct chain chain = {.loop = loop_create(), .left = 100};
    loop_post(chain.loop, &chain.task, post_again);
    EXPECT_TRUE("not dry yet", !loop_run_dry(chain.loop, 50));
    loop_run(chain.loop);
    EXPECT_INT("to the end", chain.left, 0);
    loop_destroy(chain.loop);
}

static void add_hook(struct loop_task *task)
{
    struct counter *counter = container_of(task, struct counter, task);
    loop_at_turn_end(counter->loop, &counter->hook, count_hook);
    if (++counter->runs % 3 != 0)
        loop_post(counter->loop, task, add_hook);
}

TEST(loop_run_goes_several_rounds_before_the_hooks)
{
    struct counter c = {.loop = loop_create()};
    loop_post(c.loop, &c.task, add_hook);
    loop_run(c.loop);
    EXPECT_INT("three rounds", c.runs, 3);
    EXPECT_INT("one turn", c.hooks, 1);
    loop_post(c.loop, &c.task, add_hook);
    loop_turn(c.loop, 1);
    EXPECT_INT("a test's turn is one round", c.runs, 4);
    EXPECT_TRUE("dry", loop_run_dry(c.loop, 10));
    EXPECT_INT("the rest", c.runs, 6);
    EXPECT_INT("a hook each", c.hooks, 4);
    loop_destroy(c.loop);
}

static void stop_loop(struct loop_task *task)
{
    struct chain *chain = container_of(task, struct chain, task);
    loop_post(chain->loop, task, stop_loop);
    loop_stop(chain->loop);
}

TEST(stop)
{
    struct chain chain = {.loop = loop_create()};
    loop_post(chain.loop, &chain.task, stop_loop);
    loop_run(chain.loop);
    loop_run(chain.loop);
    loop_unpost(&chain.task);
    loop_destroy(chain.loop);
}

TEST(clocks)
{
    struct loop *loop = loop_create();
    uint64_t began = loop_now_ms(loop);
    EXPECT_TRUE("the wall clock is of this century", loop_wall_ms(loop) > UINT64_C(1600000000000));
    loop_fake_clock(loop, 5000);
    EXPECT_INT("wall", loop_wall_ms(loop), 5000);
    loop_turn(loop, 5);
    loop_advance(loop, 250);
    EXPECT_INT("wall advanced", loop_wall_ms(loop), 5250);
    EXPECT_TRUE("so did the other", loop_now_ms(loop) - began >= 250);
    uint64_t ns = loop_precise_ns();
    EXPECT_TRUE("nanoseconds do not go back", loop_precise_ns() >= ns);
    loop_destroy(loop);
}

/* What a callback for I/O saw of the wall clock before it took long, and a task behind it. */
struct wall {
    struct loop_task task;
    struct loop *loop;
    uint64_t last_ms, back_ms;
};

static void look_at_wall(struct wall *wall)
{
    uint64_t now_ms = loop_wall_ms(wall->loop);
    if (now_ms < wall->last_ms)
        wall->back_ms = wall->last_ms - now_ms;
    wall->last_ms = now_ms;
}

static void look_in_task(struct loop_task *task)
{
    look_at_wall(container_of(task, struct wall, task));
}

static void take_long_every_other_time(uv_poll_t *poll, int status, int events)
{
    struct wall *wall = poll->data;
    (void)status, (void)events;
    look_at_wall(wall);
    uint64_t until_ns = loop_precise_ns() + 10000000;
    bool is_long = loop_wall_ms(wall->loop) / 16 % 2 == 0;
    while (is_long && loop_precise_ns() < until_ns)
        continue;
    loop_post(wall->loop, &wall->task, look_in_task);
}

static int64_t wall_offset_ms(void)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    return (int64_t)wall.tv_sec * 1000 + wall.tv_nsec / 1000000 -
           (int64_t)(loop_precise_ns() / 1000000);
}

TEST(the_wall_clock_does_not_go_back_by_itself)
{
    struct wall wall = {.loop = loop_create()};
    int64_t offset_ms = wall_offset_ms();
    uv_poll_t poll = {.data = &wall};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(uv_poll_init(loop_uv(wall.loop), &poll, ends[0]), 0);
    assert_int_equal(uv_poll_start(&poll, UV_READABLE, take_long_every_other_time), 0);
    for (unsigned turn = 0; turn < 2000; turn++)
        loop_turn(wall.loop, 1);
    if (llabs(wall_offset_ms() - offset_ms) <= 1) /* unless somebody set it meanwhile */
        EXPECT_INT("ms back", wall.back_ms, 0);
    loop_unpost(&wall.task);
    uv_close((uv_handle_t *)&poll, NULL);
    loop_turn(wall.loop, 1);
    close(ends[0]);
    close(ends[1]);
    loop_destroy(wall.loop);
}

/* ---- I/O in flight ---- */

struct piped {
    uv_poll_t poll;
    int ends[2];
    bool readable, closed;
    struct timer deadline;
    bool late;
};

static void on_closed(uv_handle_t *handle)
{
    struct piped *piped = handle->data;
    piped->closed = true;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct piped *piped = poll->data;
    piped->readable = status == 0 && (events & UV_READABLE) != 0;
    timer_stop(&piped->deadline);
    uv_close((uv_handle_t *)poll, on_closed);
}

static void on_late(struct timer *timer)
{
    struct piped *piped = container_of(timer, struct piped, deadline);
    piped->late = true;
    uv_close((uv_handle_t *)&piped->poll, on_closed);
}

static void watch_pipe(struct piped *piped, struct loop *loop)
{
    *piped = (struct piped){0};
    assert_int_equal(pipe(piped->ends), 0);
    uv_poll_init(loop_uv(loop), &piped->poll, piped->ends[0]);
    piped->poll.data = piped;
    uv_poll_start(&piped->poll, UV_READABLE, on_readable);
    timer_start(&piped->deadline, loop, 1000, on_late);
}

TEST(a_fake_clock_waits_for_bytes_that_come_and_not_for_others)
{
    for (unsigned comes = 0; comes < 2; comes++) {
        struct loop *loop = loop_create();
        struct piped piped;
        loop_fake_clock(loop, 0);
        watch_pipe(&piped, loop);
        if (comes)
            assert_int_equal(write(piped.ends[1], "x", 1), 1);
        EXPECT_TRUE("dry", loop_run_dry(loop, 100));
        EXPECT_INT("read", piped.readable, comes);
        EXPECT_INT("timed out", piped.late, !comes);
        EXPECT_TRUE("closed", piped.closed);
        close(piped.ends[0]);
        close(piped.ends[1]);
        loop_destroy(loop);
    }
}

/* ---- nobody starves I/O ---- */

struct greedy { /* starts itself anew for as long as the pipe was not read */
    struct loop *loop;
    struct piped piped;
    struct timer timer;
    struct loop_task task;
    unsigned fired, ran;
};

enum { TOO_OFTEN = 1000 };

static void fire_again(struct timer *timer)
{
    struct greedy *greedy = container_of(timer, struct greedy, timer);
    if (!greedy->piped.readable && ++greedy->fired < TOO_OFTEN)
        timer_start(timer, greedy->loop, 0, fire_again);
}

static void run_again(struct loop_task *task)
{
    struct greedy *greedy = container_of(task, struct greedy, task);
    if (!greedy->piped.readable && ++greedy->ran < TOO_OFTEN)
        loop_post(greedy->loop, task, run_again);
}

TEST(a_timer_without_delay_and_a_task_that_go_on_for_ever_leave_room_for_io)
{
    for (unsigned posts = 0; posts < 2; posts++) {
        struct greedy greedy = {.loop = loop_create()};
        watch_pipe(&greedy.piped, greedy.loop);
        assert_int_equal(write(greedy.piped.ends[1], "x", 1), 1);
        if (posts)
            loop_post(greedy.loop, &greedy.task, run_again);
        else
            timer_start(&greedy.timer, greedy.loop, 0, fire_again);
        loop_run(greedy.loop);
        EXPECT_TRUE("read", greedy.piped.closed && !greedy.piped.late);
        EXPECT_TRUE("soon", greedy.fired < TOO_OFTEN && greedy.ran < TOO_OFTEN);
        close(greedy.piped.ends[0]);
        close(greedy.piped.ends[1]);
        loop_destroy(greedy.loop);
    }
}

/* ---- how long turns are ---- */

enum { BUSY_NS = 5000000, WAIT_MS = 60 };

struct turns {
    struct loop *loop;
    struct loop_task task;
    struct timer timer;
    uint64_t longest_ns, sum_ns;
};

static void note_turn(void *owner)
{
    struct turns *turns = owner;
    const uint64_t ns = loop_turn_ns(turns->loop);
    turns->longest_ns = ns > turns->longest_ns ? ns : turns->longest_ns;
    turns->sum_ns += ns;
}

static void be_busy(struct loop_task *task UNUSED)
{
    for (const uint64_t from_ns = loop_precise_ns(); loop_precise_ns() - from_ns < BUSY_NS;)
        ;
}

static void stop_waiting(struct timer *timer UNUSED)
{
}

TEST(the_length_of_a_turn_has_what_was_done_and_not_what_was_waited_for)
{
    struct turns turns = {.loop = loop_create()};
    const uint64_t from_ns = loop_precise_ns();
    loop_each_turn(turns.loop, note_turn, &turns);
    loop_post(turns.loop, &turns.task, be_busy);
    timer_start(&turns.timer, turns.loop, WAIT_MS, stop_waiting);
    loop_run(turns.loop);
    const uint64_t passed_ns = loop_precise_ns() - from_ns;
    EXPECT_TRUE("done", turns.longest_ns >= BUSY_NS);
    EXPECT_TRUE("waited", turns.sum_ns + (uint64_t)(WAIT_MS / 2) * 1000000 <= passed_ns);
    loop_destroy(turns.loop);
}

TEST(no_memory_for_a_loop)
{
    mem_fail_nth(1);
    assert_null(loop_create());
    mem_fail_nth(0);
}

RUN_TESTS(T(what_is_queued_during_a_turn_waits_for_the_next),
          T(posts_are_idempotent_and_can_be_taken_back), T(run_dry_gives_up_and_loop_run_does_not),
          T(loop_run_goes_several_rounds_before_the_hooks), T(stop), T(clocks),
          T(the_wall_clock_does_not_go_back_by_itself),
          T(a_fake_clock_waits_for_bytes_that_come_and_not_for_others),
          T(a_timer_without_delay_and_a_task_that_go_on_for_ever_leave_room_for_io),
          T(the_length_of_a_turn_has_what_was_done_and_not_what_was_waited_for),
          T(no_memory_for_a_loop))
