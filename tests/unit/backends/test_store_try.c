/* SPDX-License-Identifier: MIT */
/* A store that does not answer: whose patience it costs, and when it is asked again. */
#include "backends/stores/store_try.h"
#include "tests/unit/backends/rig.h"

enum { WALL_MS = 1000000, TIMEOUT_MS = 2000, PROBE_MS = 500 };

/* A store whose server is there, or is not. */
struct fixture {
    struct rig rig;
    struct store store;
    struct closing closing;
    struct store_tries tries;
    enum err_code answer; /* ERR_UNAVAILABLE: nobody is there */
    unsigned asked;
};

struct asked { /* a call and the storage of its course */
    struct store_try try;
    struct store_call call;
    bool is_dropped;
};

static void cancel(struct op *op)
{
    store_try_cancel(&container_of(op, struct asked, call.op)->try);
}

static const struct op_kind kind = {
    .name = "store.test", .cancel = cancel, .release = store_call_release};
static closing_fn *const steps[] = {NULL};

static void ask(struct store_try *try)
{
    struct fixture *f = container_of(try->tries, struct fixture, tries);
    f->asked++;
    if (f->answer != ERR_UNAVAILABLE || !store_try_again(try, f->answer))
        store_try_finish_as(try, f->answer, "as the test says");
}

static void drop(struct store_try *try)
{
    container_of(try, struct asked, try)->is_dropped = true;
}

static void begin(struct fixture *f)
{
    *f = (struct fixture){.answer = ERR_OK};
    rig_begin(&f->rig);
    loop_fake_clock(f->rig.loop, WALL_MS);
    f->store.loop = f->rig.loop;
    closing_init(&f->closing, f->rig.loop, steps);
    store_tries_init(&f->tries, f->rig.loop, &f->closing, TIMEOUT_MS);
    f->tries.ask = ask;
    f->tries.drop = drop;
}

static void start(struct fixture *f, struct asked *asked)
{
    *asked = (struct asked){.call = {.store = &f->store}};
    op_begin(&asked->call.op, &kind, f->rig.loop, rig_waiter(&f->rig));
    if (store_try_begin(&asked->try, &asked->call, &f->tries))
        store_try_ask(&asked->try);
}

/* How it ended, and how long it took. */
static enum err_code run(struct fixture *f, uint64_t *took_ms)
{
    struct asked asked;
    uint64_t began_ms = loop_now_ms(f->rig.loop);
    start(f, &asked);
    while (op_is_pending(&asked.call.op)) {
        loop_advance(f->rig.loop, 1);
        loop_turn(f->rig.loop, 1);
    }
    *took_ms = loop_now_ms(f->rig.loop) - began_ms;
    EXPECT_TRUE("dropped", asked.is_dropped);
    enum err_code code = asked.call.op.err.code;
    op_release(&asked.call.op);
    return code;
}

TEST(an_outage_costs_one_patience)
{
    struct fixture f;
    uint64_t took_ms;
    begin(&f);
    EXPECT_INT("there", run(&f, &took_ms), ERR_OK);
    loop_advance(f.rig.loop, 10);
    f.answer = ERR_UNAVAILABLE;
    EXPECT_INT("gone", run(&f, &took_ms), ERR_UNAVAILABLE);
    EXPECT_TRUE("after all patience", took_ms >= TIMEOUT_MS / 2);
    f.asked = 0;
    for (int i = 0; i < 20; i++) {
        EXPECT_INT("away", run(&f, &took_ms), ERR_UNAVAILABLE);
        EXPECT_TRUE("at once", took_ms <= 5);
    }
    EXPECT_INT("nobody asks", f.asked, 0);
    loop_advance(f.rig.loop, PROBE_MS);
    EXPECT_INT("one looks", run(&f, &took_ms), ERR_UNAVAILABLE);
    EXPECT_TRUE("and asks", f.asked > 1);
    f.answer = ERR_NOT_FOUND; /* which is an answer */
    loop_advance(f.rig.loop, PROBE_MS);
    for (int i = 0; i < 3; i++)
        EXPECT_INT("back", run(&f, &took_ms), ERR_NOT_FOUND);
    rig_end(&f.rig);
}

/* A call that is slow while others are answered says nothing of the store. */
TEST(one_slow_call_shuts_nobody_out)
{
    struct fixture f;
    struct asked slow;
    uint64_t took_ms;
    begin(&f);
    f.answer = ERR_UNAVAILABLE;
    start(&f, &slow);
    loop_advance(f.rig.loop, 100);
    f.answer = ERR_OK;
    EXPECT_INT("another", run(&f, &took_ms), ERR_OK);
    f.answer = ERR_TIMEOUT;
    while (op_is_pending(&slow.call.op)) {
        loop_advance(f.rig.loop, 10);
        loop_turn(f.rig.loop, 1);
    }
    op_release(&slow.call.op);
    f.answer = ERR_OK;
    EXPECT_INT("still open", run(&f, &took_ms), ERR_OK);
    rig_end(&f.rig);
}

RUN_TESTS(T(an_outage_costs_one_patience), T(one_slow_call_shuts_nobody_out))
