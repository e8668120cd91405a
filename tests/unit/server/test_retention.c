/* SPDX-License-Identifier: MIT */
/* Retention removes what is old, all of it, in batches, and only that; it goes on after failures
 * and leaves the work to another instance that is at it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/stores/store_memory.h"
#include "server/conversations/retention.h"
#include "tests/lib/loop_rig.h"

enum { HOUR_MS = 3600000, OLD = 150 };

struct fixture {
    struct loop_rig rig;
    struct store *store;
    struct retention retention;
    struct log log;
    struct store_call call;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    loop_rig_init(&f->rig);
    f->store = store_memory_create(f->rig.loop);
    assert_non_null(f->store);
}

static void end(struct fixture *f)
{
    retention_stop(&f->retention);
    op_release(&f->call.op);
    store_close(f->store, NULL, NULL);
    loop_rig_fini(&f->rig);
}

static void say(struct fixture *f, unsigned n)
{
    char id[16];
    snprintf(id, sizeof id, "c-%u", n);
    const struct store_save save = {.key = {str_of(id), STR("acme"), STR("ann")},
                                    .checkpoint = {.is_full = true, .bytes = STR("x")}};
    op_release(&f->call.op);
    store_save_start(&f->call, f->store, &save, loop_rig_waiter(&f->rig));
    loop_turn(f->rig.loop, 4);
    EXPECT_INT("saved", f->call.op.err.code, ERR_OK);
}

static size_t count(struct fixture *f)
{
    const struct store_list list = {.key = {STR(""), STR("acme"), STR("ann")}};
    op_release(&f->call.op);
    store_list_start(&f->call, f->store, &list, loop_rig_waiter(&f->rig));
    loop_turn(f->rig.loop, 4);
    return f->call.summary_count;
}

/* Let ms pass, with enough turns for all that happens in them. */
static void pass(struct fixture *f, uint64_t ms)
{
    loop_advance(f->rig.loop, ms);
    for (unsigned i = 0; i < 50; i++) {
        loop_turn(f->rig.loop, 4);
        loop_advance(f->rig.loop, 2);
    }
}

TEST(what_is_old_goes)
{
    struct fixture f;
    begin(&f);
    for (unsigned i = 0; i < OLD; i++)
        say(&f, i);
    loop_advance(f.rig.loop, 23 * (uint64_t)HOUR_MS);
    retention_start(&f.retention, f.store, 24 * (uint64_t)HOUR_MS, HOUR_MS, &f.log);
    pass(&f, 0);
    EXPECT_INT("not yet", count(&f), OLD);
    say(&f, OLD);
    pass(&f, HOUR_MS);
    EXPECT_INT("but the new one", count(&f), 1);
    pass(&f, 21 * (uint64_t)HOUR_MS);
    EXPECT_INT("until it is old", count(&f), 1);
    pass(&f, 3 * (uint64_t)HOUR_MS);
    EXPECT_INT("then it goes too", count(&f), 0);
    end(&f);
}

TEST(at_the_start_too)
{
    struct fixture f;
    begin(&f);
    say(&f, 1);
    loop_advance(f.rig.loop, 25 * (uint64_t)HOUR_MS);
    retention_start(&f.retention, f.store, 24 * (uint64_t)HOUR_MS, HOUR_MS, &f.log);
    pass(&f, 0);
    EXPECT_INT("gone", count(&f), 0);
    end(&f);
}

TEST(one_instance_at_a_time)
{
    struct fixture f;
    struct retention second;
    const struct store_prune prune = {.age_ms = UINT64_MAX / 2, .instance = STR("another")};
    begin(&f);
    say(&f, 1);
    loop_advance(f.rig.loop, 25 * (uint64_t)HOUR_MS);
    store_prune_start(&f.call, f.store, &prune, loop_rig_waiter(&f.rig)); /* it is at it now */
    loop_turn(f.rig.loop, 4);
    retention_start(&second, f.store, 24 * (uint64_t)HOUR_MS, HOUR_MS, &f.log);
    loop_turn(f.rig.loop, 8);
    EXPECT_INT("left to it", count(&f), 1);
    pass(&f, HOUR_MS);
    EXPECT_INT("the next round", count(&f), 0);
    retention_stop(&second);
    end(&f);
}

/* ---- a store that takes its time ---- */

struct slow {
    struct store store;
    struct store *inner;
    uint64_t took_ms;
    uint64_t limits[32]; /* of the calls, in order */
    size_t count;
};

static void start_slow(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct slow *slow = container_of(store, struct slow, store);
    if (slow->count < countof(slow->limits))
        slow->limits[slow->count++] = call->ask.prune->limit;
    slow->inner->vtable->start(slow->inner, call, waiter);
    loop_advance(store->loop, slow->took_ms);
}

static void pass_until_none_is_left(struct fixture *f)
{
    for (unsigned i = 0; i < 100 && count(f) > 0; i++)
        pass(f, 0);
    EXPECT_INT("all went", count(f), 0);
}

TEST(a_call_that_takes_long_is_followed_by_a_smaller_one)
{
    enum { FEW = 60 };
    static const struct store_vtable vtable = {"slow", start_slow, NULL, NULL};
    struct fixture f;
    begin(&f);
    for (unsigned i = 0; i < OLD; i++)
        say(&f, i);
    loop_advance(f.rig.loop, 25 * (uint64_t)HOUR_MS);
    struct slow slow = {{&vtable, f.rig.loop}, f.store, .took_ms = 21};
    retention_start(&f.retention, &slow.store, 24 * (uint64_t)HOUR_MS, HOUR_MS, &f.log);
    pass_until_none_is_left(&f);
    EXPECT_INT("at first", slow.limits[0], 64);
    for (size_t i = 1; i < slow.count; i++)
        EXPECT_INT("half of it", slow.limits[i], size_max(slow.limits[i - 1] / 2, 1));
    for (unsigned i = 0; i < FEW; i++)
        say(&f, i);
    slow.took_ms = slow.count = 0;
    pass(&f, 25 * (uint64_t)HOUR_MS);
    pass_until_none_is_left(&f);
    EXPECT_INT("as it was", slow.limits[0], 1);
    for (size_t i = 1; i < 6; i++)
        EXPECT_INT("twice as many", slow.limits[i], slow.limits[i - 1] * 2);
    end(&f);
}

/* ---- stopped ---- */

struct stopping {
    struct store store;
    struct store *inner;
    struct retention *retention;
    unsigned calls, stop_at; /* 0: not from inside of a call */
};

static void start_stopping(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct stopping *stopping = container_of(store, struct stopping, store);
    stopping->inner->vtable->start(stopping->inner, call, waiter);
    if (++stopping->calls == stopping->stop_at)
        retention_stop(stopping->retention);
}

/* R223: while a call is under way, it is the last one; between two, none follows. */
TEST(stopped_in_the_middle)
{
    static const struct store_vtable vtable = {"stopping", start_stopping, NULL, NULL};
    static const struct {
        const char *name;
        unsigned stop_at;
        size_t left;
    } stops[] = {
        {"in the first", 1, OLD - 64}, {"in the second", 2, OLD - 128}, {"between", 0, OLD - 64}};
    TEST_EACH(stop, stops) {
        struct fixture f;
        begin(&f);
        for (unsigned i = 0; i < OLD; i++)
            say(&f, i);
        loop_advance(f.rig.loop, 25 * (uint64_t)HOUR_MS);
        struct stopping stopping = {
            {&vtable, f.rig.loop}, f.store, &f.retention, .stop_at = stop->stop_at};
        retention_start(&f.retention, &stopping.store, 24 * (uint64_t)HOUR_MS, HOUR_MS, &f.log);
        for (unsigned i = 0; i < 8 && (stopping.calls == 0 || op_is_pending(&f.retention.call.op));
             i++) {
            loop_advance(f.rig.loop, 1);
            loop_turn(f.rig.loop, 1);
        }
        EXPECT_INT("one call was made", stopping.calls, 1);
        if (stop->stop_at == 0)
            retention_stop(&f.retention);
        pass(&f, 3 * (uint64_t)HOUR_MS);
        EXPECT_INT(stop->name, count(&f), stop->left);
        end(&f);
    }
}

/* ---- a store that fails ---- */

struct failing {
    struct store store;
    struct store *inner;
    unsigned calls, fails; /* the first so many fail */
};

static void cancel_failing(struct op *op)
{
    CHECK(op_is_finishing(op)); /* it is from the start */
}

static void start_failing(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "store.failing", .cancel = cancel_failing, .release = store_call_release};
    struct failing *failing = container_of(store, struct failing, store);
    if (failing->calls++ >= failing->fails) {
        failing->inner->vtable->start(failing->inner, call, waiter);
        return;
    }
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    op_finish(&call->op, ERR_UNAVAILABLE, "the disk is full");
}

/* R230. */
TEST(a_store_that_fails)
{
    static const struct store_vtable vtable = {"failing", start_failing, NULL, NULL};
    char said[512] = "";
    int ends[2];
    struct fixture f;
    begin(&f);
    assert_int_equal(pipe(ends), 0);
    f.log = (struct log){.level = LOG_WARN, .fd = ends[1]};
    say(&f, 1);
    loop_advance(f.rig.loop, 25 * (uint64_t)HOUR_MS);
    struct failing failing = {{&vtable, f.rig.loop}, f.store, .fails = 1};
    retention_start(&f.retention, &failing.store, 24 * (uint64_t)HOUR_MS, HOUR_MS, &f.log);
    pass(&f, 0);
    EXPECT_INT("it failed", failing.calls, 1);
    EXPECT_INT("nothing went", count(&f), 1);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    EXPECT_TRUE(said, strstr(said, "retention.failed") != NULL);
    EXPECT_TRUE(said, strstr(said, "the disk is full") != NULL);
    pass(&f, HOUR_MS);
    EXPECT_INT("the next round goes on", count(&f), 0);
    close(ends[0]);
    close(ends[1]);
    end(&f);
}

RUN_TESTS(T(stopped_in_the_middle), T(a_store_that_fails), T(what_is_old_goes), T(at_the_start_too),
          T(one_instance_at_a_time), T(a_call_that_takes_long_is_followed_by_a_smaller_one))
