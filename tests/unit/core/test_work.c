/* SPDX-License-Identifier: MIT */
/* Results, failures and cancel at every stage of calls on other threads. */
#include "tests/lib/loop_rig.h"

#include <stdatomic.h>
#include <unistd.h>

#include "core/loop/work.h"

struct job {
    struct work work;
    int ends[2]; /* run waits for a byte, when gated */
    int started; /* and writes one there before */
    bool gated;
    enum err_code code;
    atomic_uint runs;
};

static enum err_code run_job(struct work *work, struct err *err)
{
    struct job *job = work->arg;
    char byte = 's';
    if (job->gated && (write(job->started, &byte, 1) != 1 || read(job->ends[0], &byte, 1) != 1))
        return err_set(err, ERR_INTERNAL, "the gate is broken");
    atomic_fetch_add(&job->runs, 1);
    if (job->code != ERR_OK)
        return err_set(err, job->code, "as told");
    return ERR_OK;
}

TEST(results_come_back)
{
    static const struct {
        const char *name, *text;
        enum err_code code;
    } cases[] = {{"good", "", ERR_OK}, {"bad", "as told", ERR_UNAVAILABLE}};
    TEST_EACH(c, cases) {
        struct loop_rig rig;
        struct job job = {.code = c->code};
        loop_rig_init(&rig);
        work_start(&job.work, rig.loop, run_job, &job, loop_rig_waiter(&rig));
        loop_rig_dry(&rig);
        EXPECT_INT(c->name, rig.done_count, 1);
        EXPECT_INT(c->name, rig.last_code, c->code);
        EXPECT_STR(c->name, str_of(job.work.op.err.text), str_of(c->text));
        EXPECT_INT(c->name, atomic_load(&job.runs), 1);
        loop_rig_fini(&rig);
    }
}

TEST(many_at_once)
{
    static struct job jobs[200];
    struct loop_rig rig;
    loop_rig_init(&rig);
    TEST_EACH(job, jobs)
        work_start(&job->work, rig.loop, run_job, job, loop_rig_waiter(&rig));
    EXPECT_INT("on the pool", loop_work_count(rig.loop), countof(jobs));
    loop_rig_dry(&rig);
    EXPECT_INT("back again", loop_work_count(rig.loop), 0);
    EXPECT_INT("done", rig.done_count, countof(jobs));
    loop_rig_fini(&rig);
}

TEST(cancelled_while_queued_and_while_running)
{
    enum { THREADS = 4 }; /* libuv's default, so that the last job queues */
    struct loop_rig rig;
    struct job jobs[THREADS + 1] = {0};
    int started[2];
    char byte;
    loop_rig_init(&rig);
    assert_int_equal(pipe(started), 0);
    TEST_EACH(job, jobs) {
        job->gated = true;
        job->started = started[1];
        assert_int_equal(pipe(job->ends), 0);
        work_start(&job->work, rig.loop, run_job, job, loop_rig_waiter(&rig));
    }
    assert_int_equal(read(started[0], &byte, 1), 1); /* one runs by now */
    TEST_EACH(job, jobs) {
        op_cancel(&job->work.op);
        op_cancel(&job->work.op);
    }
    loop_turn(rig.loop, 5);
    EXPECT_TRUE("what runs is waited for", rig.done_count < countof(jobs));
    TEST_EACH(job, jobs)
        assert_int_equal(write(job->ends[1], "x", 1), 1);
    loop_rig_dry(&rig);
    EXPECT_INT("done", rig.done_count, countof(jobs));
    TEST_EACH(job, jobs) {
        EXPECT_INT("code", job->work.op.err.code, ERR_CANCELLED);
        close(job->ends[0]);
        close(job->ends[1]);
    }
    close(started[0]);
    close(started[1]);
    loop_rig_fini(&rig);
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turns = 0; !ended; turns++) {
        struct loop_rig rig;
        struct job job = {0};
        loop_rig_init(&rig);
        work_start(&job.work, rig.loop, run_job, &job, loop_rig_waiter(&rig));
        ended = loop_rig_turn(&rig, turns, 1);
        op_cancel(&job.work.op);
        loop_rig_dry(&rig);
        EXPECT_INT("one done", rig.done_count, 1);
        EXPECT_TRUE("code", rig.last_code == ERR_OK || (!ended && rig.last_code == ERR_CANCELLED));
        loop_rig_fini(&rig);
    }
}

TEST(no_memory)
{
    struct loop_rig rig;
    struct job job = {0};
    loop_rig_init(&rig);
    mem_fail_nth(1);
    work_start(&job.work, rig.loop, run_job, &job, loop_rig_waiter(&rig));
    mem_fail_nth(0);
    EXPECT_INT("not from inside", rig.done_count, 0);
    loop_rig_dry(&rig);
    EXPECT_INT("code", rig.last_code, ERR_NO_MEMORY);
    loop_rig_fini(&rig);
}

RUN_TESTS(T(results_come_back), T(many_at_once), T(cancelled_while_queued_and_while_running),
          T(cancelled_at_every_turn), T(no_memory))
