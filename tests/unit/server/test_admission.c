/* SPDX-License-Identifier: MIT */
/* server/admission: places, the queue, parts of companies and users, when to come again, memory. */
#include "server/runs/admission.h"

#include "tests/lib/loop_rig.h"

enum { MOST = 256 };

struct rig {
    struct loop_rig loop;
    struct config config;
    struct admission admission;
    struct admission_ticket tickets[MOST];
    size_t count;
};

static const struct identity noisy = {{NULL, 0}, {"noisy", 5}, {"bot", 3}};
static const struct identity quiet = {{NULL, 0}, {"quiet", 5}, {"ann", 3}};

static void open_rig(struct rig *rig, struct config config)
{
    memset(rig, 0, sizeof *rig);
    loop_rig_init(&rig->loop);
    rig->config = config;
    rig->config.workers = config.workers == 0 ? 1 : config.workers;
    if (config.company_share == 0)
        rig->config.company_share = 75;
    admission_init(&rig->admission, rig->loop.loop, &rig->config);
}

static void close_rig(struct rig *rig)
{
    for (size_t i = 0; i < rig->count; i++) {
        admission_leave(&rig->tickets[i]);
        admission_leave(&rig->tickets[i]);
    }
    EXPECT_INT("nobody", admission_runs(&rig->admission) + admission_queued(&rig->admission), 0);
    admission_fini(&rig->admission);
    loop_rig_fini(&rig->loop);
}

/* Let in who may; how many did. */
static size_t let_in(struct rig *rig)
{
    struct admission_ticket *next;
    size_t count = 0;
    for (; (next = admission_next(&rig->admission)) != NULL; count++)
        admission_enter(next);
    return count;
}

/* Ask; when the answer is yes join, and go in if it may. */
static enum admission_verdict come(struct rig *rig, const struct identity *caller, bool must_wait)
{
    enum admission_verdict verdict = admission_ask(&rig->admission, caller, must_wait);
    if (verdict != ADMISSION_YES)
        return verdict;
    struct admission_ticket *ticket = &rig->tickets[rig->count++];
    assert_true(rig->count <= MOST);
    assert_true(admission_join(ticket, &rig->admission, caller));
    if (!must_wait)
        admission_line_up(ticket);
    (void)let_in(rig);
    return verdict;
}

TEST(places_then_queue_then_no)
{
    static struct rig rig;
    /* this worker's share: 3 connections, 2 runs, 1 in the queue */
    open_rig(&rig, (struct config){.max_connections = 5,
                                   .max_runs = 4,
                                   .max_queued_runs = 2,
                                   .company_share = 100,
                                   .workers = 2});
    EXPECT_INT("first", come(&rig, &noisy, false), ADMISSION_YES);
    EXPECT_INT("second", come(&rig, &noisy, false), ADMISSION_YES);
    EXPECT_INT("both", admission_runs(&rig.admission), 2);
    EXPECT_INT("third", come(&rig, &noisy, false), ADMISSION_YES);
    EXPECT_INT("waits", admission_queued(&rig.admission), 1);
    EXPECT_INT("fourth", come(&rig, &noisy, false), ADMISSION_FULL);
    admission_leave(&rig.tickets[0]);
    EXPECT_INT("now", let_in(&rig), 1);
    EXPECT_INT("the queue is free again", come(&rig, &noisy, true), ADMISSION_YES);
    EXPECT_INT("it has no turn", let_in(&rig), 0);
    EXPECT_INT("one waits", admission_queued(&rig.admission), 1);
    admission_enter(&rig.tickets[3]); /* past the limit */
    EXPECT_INT("runs", admission_runs(&rig.admission), 3);
    EXPECT_TRUE("connections", admission_is_full(&rig.admission, 3));
    EXPECT_TRUE("connections left", !admission_is_full(&rig.admission, 2));
    rig.admission.draining = true;
    EXPECT_INT("draining", come(&rig, &quiet, false), ADMISSION_CLOSED);
    close_rig(&rig);
}

/* By default no company has all places, nor all of the queue. */
TEST(one_company_leaves_room)
{
    static struct rig rig;
    open_rig(&rig, (struct config){.max_runs = 8, .max_queued_runs = 8});
    unsigned refused = 0;
    for (unsigned i = 0; i < 100; i++)
        refused += come(&rig, &noisy, false) == ADMISSION_SHARE;
    EXPECT_INT("places", admission_runs(&rig.admission), 6);
    EXPECT_INT("queue", admission_queued(&rig.admission), 4);
    EXPECT_INT("refused", refused, 90);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_INT("another", come(&rig, &quiet, false), ADMISSION_YES);
        EXPECT_INT("at once", admission_runs(&rig.admission), 7 + i);
    }
    EXPECT_INT("then it waits", come(&rig, &quiet, false), ADMISSION_YES);
    EXPECT_INT("in line", admission_queued(&rig.admission), 5);
    admission_leave(&rig.tickets[0]); /* a noisy one's */
    EXPECT_INT("one goes", let_in(&rig), 1);
    EXPECT_INT("the queue is the noisy one's", admission_queued(&rig.admission), 4);
    close_rig(&rig);
}

/* As long as those before it hold their places, going by the last ones. */
TEST(when_to_come_again)
{
    static struct rig rig;
    open_rig(&rig, (struct config){.max_runs = 2, .max_queued_runs = 16, .company_share = 100});
    EXPECT_INT("not known", admission_retry_s(&rig.admission, &noisy, ADMISSION_FULL), 1);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_INT("yes", come(&rig, &noisy, false), ADMISSION_YES);
    EXPECT_INT("two", admission_runs(&rig.admission), 2);
    loop_advance(rig.loop.loop, 10000);
    admission_leave(&rig.tickets[0]); /* it held its place ten seconds */
    EXPECT_INT("one", let_in(&rig), 1);
    EXPECT_INT("seven before it, two at a time",
               admission_retry_s(&rig.admission, &noisy, ADMISSION_FULL), 40);
    EXPECT_INT("its own part", admission_retry_s(&rig.admission, &noisy, ADMISSION_SHARE), 40);
    EXPECT_INT("no memory", admission_retry_s(&rig.admission, &quiet, ADMISSION_HEAVY), 5);
    loop_advance(rig.loop.loop, 100000000);
    admission_leave(&rig.tickets[1]);
    EXPECT_INT("not for ever", admission_retry_s(&rig.admission, &noisy, ADMISSION_FULL), 600);
    close_rig(&rig);
}

TEST(order_is_foretold)
{
    static struct rig rig;
    struct admission_ticket *order[MOST];
    open_rig(&rig, (struct config){.max_runs = 1, .max_queued_runs = 200});
    for (unsigned i = 0; i < 20; i++)
        EXPECT_INT("yes", come(&rig, i == 19 ? &quiet : &noisy, false), ADMISSION_YES);
    EXPECT_INT("one", admission_runs(&rig.admission), 1);
    EXPECT_INT("the others", admission_order(&rig.admission, order, MOST), 19);
    EXPECT_TRUE("it came last and goes next", order[0] == &rig.tickets[19]);
    close_rig(&rig);
}

TEST(memory)
{
    static struct rig rig;
    open_rig(&rig, (struct config){
                       .max_runs = 4, .max_queued_runs = 4, .memory_bytes = UINT64_C(1) << 50});
    EXPECT_TRUE("at first", admission_wants_weight(&rig.admission));
    admission_weigh(&rig.admission, 1000);
    EXPECT_TRUE("not at once again", !admission_wants_weight(&rig.admission));
    EXPECT_INT("light", come(&rig, &noisy, false), ADMISSION_YES);
    admission_weigh(&rig.admission, UINT64_C(1) << 50);
    EXPECT_INT("heavy", come(&rig, &noisy, false), ADMISSION_HEAVY);
    admission_weigh(&rig.admission, 0);
    EXPECT_INT("light again", come(&rig, &noisy, false), ADMISSION_YES);
    rig.admission.memory_bytes = 4096; /* less than any process holds */
    admission_weigh(&rig.admission, 0);
    EXPECT_INT("the process itself", come(&rig, &noisy, false), ADMISSION_HEAVY);
    close_rig(&rig);
}

TEST(no_memory_for_a_line)
{
    static struct rig rig;
    bool whole = false;
    for (uint64_t nth = 1; !whole; nth++) {
        open_rig(&rig, (struct config){.max_runs = 4, .max_queued_runs = 4});
        struct admission_ticket *ticket = &rig.tickets[0];
        rig.count = 1;
        mem_fail_nth(nth);
        if (admission_join(ticket, &rig.admission, &noisy)) {
            admission_line_up(ticket);
            whole = admission_next(&rig.admission) == ticket;
            admission_enter(ticket); /* forced, and uncounted when there is no memory */
            admission_line_up(ticket);
        }
        mem_fail_nth(0);
        close_rig(&rig);
        EXPECT_TRUE("the sweep ends", nth < 100);
    }
}

RUN_TESTS(T(places_then_queue_then_no), T(one_company_leaves_room), T(when_to_come_again),
          T(order_is_foretold), T(memory), T(no_memory_for_a_line))
