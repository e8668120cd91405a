/* SPDX-License-Identifier: MIT */
/* Ids without gaps, or with one that was asked for, rejoin at every id, slow readers, pressure,
 * memory in steady state. */
#include "tests/lib/loop_rig.h"

#include <stdio.h>

#include "core/run/event_log.h"

struct log_rig {
    struct loop_rig base;
    struct event_log *log;
    unsigned full_calls, go_calls;
};

struct taker { /* reads all it is told of, or only when asked */
    struct event_reader reader;
    struct event_log *log;
    unsigned told, taken;
    uint64_t expected;
    bool idle, closes;
};

static void on_pressure(void *owner, bool full)
{
    struct log_rig *rig = owner;
    if (full)
        rig->full_calls++;
    else
        rig->go_calls++;
}

static void rig_init(struct log_rig *rig, size_t limit)
{
    *rig = (struct log_rig){0};
    loop_rig_init(&rig->base);
    rig->log = event_log_create(rig->base.loop, limit, (struct event_log_hooks){rig, on_pressure});
    assert_non_null(rig->log);
}

static void rig_fini(struct log_rig *rig)
{
    event_log_destroy(rig->log);
    loop_rig_fini(&rig->base);
}

static uint64_t say(struct log_rig *rig, enum event_kind kind, struct str text)
{
    const struct event event = {.kind = kind, .name = STR("final"), .text = text, .number = 7};
    return event_log_append(rig->log, &event);
}

/* The text of event id, so that a reader can tell that it got the right one. */
static struct str text_of(uint64_t id, char *room, size_t size)
{
    return str_make(room, (size_t)snprintf(room, size, "text %llu %.*s", (unsigned long long)id,
                                           (int)(id % 30), "..............................."));
}

static void say_many(struct log_rig *rig, unsigned count)
{
    char room[80];
    while (count-- > 0) {
        uint64_t id = event_log_last_id(rig->log) + 1;
        EXPECT_INT("id", say(rig, EVENT_TOKEN, text_of(id, room, sizeof room)), id);
    }
}

static void take_one(struct taker *taker, const struct event *event)
{
    char room[80];
    EXPECT_INT("next id", event->id, ++taker->expected);
    if (!event_is_terminal(event->kind)) {
        EXPECT_STR("text", event->text, text_of(event->id, room, sizeof room));
        EXPECT_STR("name", event->name, STR("final"));
        EXPECT_INT("number", event->number, 7);
    }
    taker->taken++;
}

static void take_all(struct taker *taker)
{
    struct event event;
    while (event_log_next(taker->log, &taker->reader, &event) == ERR_OK) {
        take_one(taker, &event);
        event_log_advance(taker->log, &taker->reader, event.id);
        if (taker->closes && event_is_terminal(event.kind)) {
            event_log_detach(taker->log, &taker->reader);
            return;
        }
    }
}

static void on_grown(struct event_reader *reader)
{
    struct taker *taker = reader->owner;
    taker->told++;
    if (!taker->idle)
        take_all(taker);
}

static enum err_code attach(struct taker *taker, struct log_rig *rig, uint64_t after)
{
    *taker = (struct taker){.log = rig->log, .expected = after};
    taker->reader.on_grown = on_grown;
    taker->reader.owner = taker;
    return event_log_attach(rig->log, &taker->reader, after);
}

TEST(readers_are_told_once_per_turn)
{
    struct log_rig rig;
    struct taker early, late;
    rig_init(&rig, 1 << 16);
    assert_int_equal(attach(&early, &rig, 0), ERR_OK);
    assert_int_equal(attach(&late, &rig, 1), ERR_INVALID);
    say_many(&rig, 5);
    EXPECT_INT("not from inside append", early.told, 0);
    loop_turn(rig.base.loop, 3);
    EXPECT_INT("told", early.told, 1);
    EXPECT_INT("taken", early.taken, 5);
    assert_int_equal(attach(&late, &rig, 5), ERR_OK);
    loop_turn(rig.base.loop, 3);
    EXPECT_INT("nothing to read", late.told, 0);
    event_log_detach(rig.log, &late.reader);
    assert_int_equal(attach(&late, &rig, 2), ERR_OK);
    loop_turn(rig.base.loop, 3);
    EXPECT_INT("told of what was there", late.taken, 3);
    EXPECT_INT("the other was not", early.told, 1);
    event_log_detach(rig.log, &late.reader);
    event_log_detach(rig.log, &late.reader);
    event_log_detach(rig.log, &early.reader);
    EXPECT_INT("readers", event_log_reader_count(rig.log), 0);
    rig_fini(&rig);
}

TEST(rejoin_at_every_id)
{
    enum { COUNT = 400 };
    struct log_rig rig;
    struct event event;
    rig_init(&rig, 1 << 17);
    say_many(&rig, COUNT);
    assert_int_equal(say(&rig, EVENT_COMPLETE, STR("{}")), COUNT + 1);
    EXPECT_TRUE("closed", event_log_is_closed(rig.log));
    for (uint64_t after = 0; after <= COUNT + 1; after++) {
        struct taker taker;
        assert_int_equal(attach(&taker, &rig, after), ERR_OK);
        loop_turn(rig.base.loop, 1);
        EXPECT_INT("rest", taker.taken, COUNT + 1 - after);
        event_log_detach(rig.log, &taker.reader);
        enum err_code code = event_log_after(rig.log, after, &event);
        EXPECT_INT("after", code, after == COUNT + 1 ? ERR_NOT_FOUND : ERR_OK);
        if (code == ERR_OK)
            EXPECT_INT("id", event.id, after + 1);
    }
    for (uint64_t after = COUNT; after-- > 0;) { /* backwards: the cursor is of no use */
        assert_int_equal(event_log_after(rig.log, after, &event), ERR_OK);
        EXPECT_INT("backwards", event.id, after + 1);
    }
    rig_fini(&rig);
}

TEST(the_only_reader_holds_the_run)
{
    struct log_rig rig;
    struct taker taker;
    rig_init(&rig, 1 << 14);
    assert_int_equal(attach(&taker, &rig, 0), ERR_OK);
    taker.idle = true;
    for (unsigned i = 0; i < 1000 && rig.full_calls == 0; i++) {
        say_many(&rig, 4);
        loop_turn(rig.base.loop, 1);
    }
    EXPECT_INT("held", rig.full_calls, 1);
    EXPECT_TRUE("within the limit", event_log_bytes(rig.log) <= (1 << 14) + (1 << 12));
    loop_turn(rig.base.loop, 5);
    EXPECT_INT("once", rig.full_calls, 1);
    EXPECT_INT("no space yet", rig.go_calls, 0);
    taker.idle = false;
    take_all(&taker);
    loop_turn(rig.base.loop, 2);
    EXPECT_INT("goes on", rig.go_calls, 1);
    EXPECT_TRUE("nothing was lost", !taker.reader.lagged);
    say_many(&rig, 500);
    loop_turn(rig.base.loop, 2);
    EXPECT_INT("all", taker.expected, event_log_last_id(rig.log));
    event_log_detach(rig.log, &taker.reader);
    rig_fini(&rig);
}

TEST(without_a_reader_nothing_is_dropped)
{
    struct log_rig rig;
    struct taker taker;
    rig_init(&rig, 1 << 14);
    for (unsigned i = 0; i < 1000 && rig.full_calls == 0; i++) {
        say_many(&rig, 4);
        loop_turn(rig.base.loop, 1);
    }
    EXPECT_INT("held", rig.full_calls, 1);
    assert_int_equal(attach(&taker, &rig, 0), ERR_OK);
    loop_turn(rig.base.loop, 2);
    EXPECT_INT("got all", taker.expected, event_log_last_id(rig.log));
    EXPECT_INT("goes on", rig.go_calls, 1);
    event_log_detach(rig.log, &taker.reader);
    assert_int_equal(attach(&taker, &rig, 0), ERR_GONE);
    rig_fini(&rig);
}

TEST(the_slower_of_two_readers_lags)
{
    struct log_rig rig;
    struct taker fast, slow;
    struct event event;
    rig_init(&rig, 1 << 14);
    assert_int_equal(attach(&fast, &rig, 0), ERR_OK);
    assert_int_equal(attach(&slow, &rig, 0), ERR_OK);
    slow.idle = true;
    for (unsigned i = 0; i < 500; i++) {
        say_many(&rig, 4);
        loop_turn(rig.base.loop, 1);
    }
    EXPECT_INT("fast got all", fast.taken, 2000);
    EXPECT_TRUE("slow was passed by", slow.reader.lagged && !fast.reader.lagged);
    EXPECT_INT("slow", event_log_next(rig.log, &slow.reader, &event), ERR_GONE);
    EXPECT_INT("after", event_log_after(rig.log, 0, &event), ERR_GONE);
    EXPECT_TRUE("slow was told", slow.told > 0);
    EXPECT_INT("nobody held the run", rig.full_calls, 0);
    event_log_detach(rig.log, &slow.reader);
    event_log_detach(rig.log, &fast.reader);
    rig_fini(&rig);
}

TEST(steady_state_allocates_nothing)
{
    struct log_rig rig;
    struct taker taker;
    rig_init(&rig, 1 << 17);
    assert_int_equal(attach(&taker, &rig, 0), ERR_OK);
    uint64_t before = 0;
    for (unsigned i = 0; i < 4000; i++) {
        say_many(&rig, 4);
        loop_turn(rig.base.loop, 1);
        if (i == 2000)
            before = mem_alloc_count();
    }
    EXPECT_INT("allocations", mem_alloc_count(), before);
    EXPECT_INT("all", taker.taken, 16000);
    event_log_detach(rig.log, &taker.reader);
    rig_fini(&rig);
}

TEST(a_short_run_is_small)
{
    struct log_rig rig;
    rig_init(&rig, 1 << 18);
    for (unsigned i = 0; i < 40; i++)
        say(&rig, EVENT_TOKEN, STR(" word"));
    EXPECT_TRUE("forty tokens", event_log_bytes(rig.log) < 6 * 1024);
    rig_fini(&rig);
}

TEST(the_terminal_event_may_have_any_size)
{
    struct log_rig rig;
    struct taker taker;
    static char big[1 << 20];
    memset(big, 'x', sizeof big);
    rig_init(&rig, 1 << 14);
    assert_int_equal(attach(&taker, &rig, 0), ERR_OK);
    say_many(&rig, 3);
    assert_int_equal(say(&rig, EVENT_COMPLETE, str_make(big, sizeof big)), 4);
    taker.closes = true;
    loop_turn(rig.base.loop, 1);
    EXPECT_INT("taken", taker.taken, 4);
    EXPECT_INT("detached from inside", event_log_reader_count(rig.log), 0);
    EXPECT_INT("a closed log holds nobody", rig.full_calls, 0);
    rig_fini(&rig);
}

TEST(cursors_into_dropped_chunks_are_forgotten)
{
    struct log_rig rig;
    struct taker fast, slow;
    struct event event;
    rig_init(&rig, 1 << 14);
    assert_int_equal(attach(&fast, &rig, 0), ERR_OK);
    assert_int_equal(attach(&slow, &rig, 0), ERR_OK);
    slow.idle = true;
    say_many(&rig, 2);
    assert_int_equal(event_log_next(rig.log, &slow.reader, &event), ERR_OK);
    assert_int_equal(event_log_after(rig.log, 0, &event), ERR_OK);
    for (unsigned i = 0; i < 500; i++) {
        say_many(&rig, 4);
        loop_turn(rig.base.loop, 1);
    }
    uint64_t last = event_log_last_id(rig.log);
    EXPECT_INT("slow", event_log_next(rig.log, &slow.reader, &event), ERR_GONE);
    assert_int_equal(event_log_after(rig.log, last - 1, &event), ERR_OK);
    EXPECT_INT("the cache found its way", event.id, last);
    event_log_detach(rig.log, &slow.reader);
    event_log_detach(rig.log, &fast.reader);
    rig_fini(&rig);
}

TEST(the_slow_one_that_leaves_lets_the_run_go)
{
    struct log_rig rig;
    struct taker slow, early;
    rig_init(&rig, 1 << 14);
    assert_int_equal(attach(&slow, &rig, 0), ERR_OK);
    slow.idle = true;
    while (rig.full_calls == 0) {
        say_many(&rig, 4);
        loop_turn(rig.base.loop, 1);
    }
    assert_int_equal(attach(&early, &rig, event_log_last_id(rig.log)), ERR_OK);
    event_log_detach(rig.log, &slow.reader);
    loop_turn(rig.base.loop, 2);
    EXPECT_INT("the other has read all", rig.go_calls, 1);
    event_log_detach(rig.log, &early.reader);
    rig_fini(&rig);
}

/* Ids 6 to 1000 are never said. */
TEST(ids_that_are_left_out)
{
    static const struct {
        uint64_t after, next;
    } cases[] = {{0, 1}, {4, 5}, {5, 1001}, {6, 1001}, {1000, 1001}, {1001, 1002}, {1079, 1080}};
    struct log_rig rig;
    struct event event;
    struct event_reader reader = {0};
    rig_init(&rig, 1 << 16);
    say_many(&rig, 5);
    event_log_skip(rig.log, 3);
    event_log_skip(rig.log, 1001);
    EXPECT_INT("not said yet", event_log_last_id(rig.log), 5);
    EXPECT_INT("nothing newer", event_log_after(rig.log, 700, &event), ERR_NOT_FOUND);
    EXPECT_INT("but known", event_log_attach(rig.log, &reader, 1000), ERR_OK);
    event_log_detach(rig.log, &reader);
    EXPECT_INT("beyond", event_log_attach(rig.log, &reader, 1001), ERR_INVALID);
    EXPECT_INT("the first after", say(&rig, EVENT_TOKEN, STR("x")), 1001);
    say_many(&rig, 79);
    TEST_EACH(c, cases) {
        EXPECT_INT("attach", event_log_attach(rig.log, &reader, c->after), ERR_OK);
        for (uint64_t id = c->next; id <= 1080; id = id == 5 ? 1001 : id + 1) {
            EXPECT_INT("there is one", event_log_next(rig.log, &reader, &event), ERR_OK);
            EXPECT_INT("the next", event.id, id);
            EXPECT_INT("there is one", event_log_after(rig.log, id - 1, &event), ERR_OK);
            EXPECT_INT("that one", event.id, id);
            event_log_advance(rig.log, &reader, id);
        }
        EXPECT_INT("all", event_log_next(rig.log, &reader, &event), ERR_NOT_FOUND);
        event_log_detach(rig.log, &reader);
    }
    rig_fini(&rig);
}

/* The events before the gap go: who has them all, or ids that nobody said, misses nothing. */
TEST(ids_that_are_left_out_and_gone)
{
    struct log_rig rig;
    struct event event;
    struct event_reader slow = {0}, reader = {0};
    rig_init(&rig, 1 << 12);
    say_many(&rig, 5);
    event_log_skip(rig.log, 1001);
    say(&rig, EVENT_TOKEN, STR("x"));
    EXPECT_INT("all are there", event_log_gone_id(rig.log), 0);
    assert_int_equal(event_log_attach(rig.log, &slow, 1001), ERR_OK);
    while (event_log_gone_id(rig.log) == 0) {
        say_many(&rig, 1);
        event_log_advance(rig.log, &slow, event_log_last_id(rig.log));
        loop_turn(rig.base.loop, 1);
    }
    EXPECT_INT("those before", event_log_gone_id(rig.log), 5);
    EXPECT_INT("are gone", event_log_after(rig.log, 4, &event), ERR_GONE);
    EXPECT_INT("who lacks one", event_log_attach(rig.log, &reader, 4), ERR_GONE);
    for (uint64_t after = 5; after <= 1000; after += 199) {
        EXPECT_INT("who has all", event_log_attach(rig.log, &reader, after), ERR_OK);
        EXPECT_INT("gets", event_log_next(rig.log, &reader, &event), ERR_OK);
        EXPECT_INT("the next", event.id, 1001);
        event_log_detach(rig.log, &reader);
    }
    event_log_detach(rig.log, &slow);
    rig_fini(&rig);
}

static void destroy_log(struct event_reader *reader)
{
    struct log_rig *rig = reader->owner;
    event_log_detach(rig->log, reader);
    event_log_destroy(rig->log);
    rig->log = NULL;
}

TEST(a_reader_may_destroy_the_log)
{
    struct log_rig rig;
    rig_init(&rig, 1 << 14);
    struct event_reader reader = {.on_grown = destroy_log, .owner = &rig};
    assert_int_equal(event_log_attach(rig.log, &reader, 0), ERR_OK);
    say_many(&rig, 1);
    loop_turn(rig.base.loop, 2);
    assert_null(rig.log);
    rig_fini(&rig);
}

TEST(the_nth_allocation_fails)
{
    for (uint64_t n = 1; n < 20; n++) {
        struct log_rig rig = {0};
        loop_rig_init(&rig.base);
        mem_fail_nth(n);
        rig.log = event_log_create(rig.base.loop, 1 << 14, (struct event_log_hooks){0});
        unsigned refused = 0;
        uint64_t last = 0;
        for (unsigned i = 0; rig.log != NULL && i < 300; i++) {
            uint64_t id = say(&rig, EVENT_TOKEN, STR("some text that is said again"));
            refused += id == 0;
            EXPECT_TRUE("no gap", id == 0 || id == last + 1);
            last = id == 0 ? last : id;
        }
        mem_fail_nth(0);
        EXPECT_TRUE("at most one", refused <= 1);
        rig_fini(&rig);
    }
}

RUN_TESTS(T(readers_are_told_once_per_turn), T(rejoin_at_every_id),
          T(the_only_reader_holds_the_run), T(without_a_reader_nothing_is_dropped),
          T(the_slower_of_two_readers_lags), T(steady_state_allocates_nothing),
          T(a_short_run_is_small), T(the_terminal_event_may_have_any_size),
          T(cursors_into_dropped_chunks_are_forgotten), T(the_slow_one_that_leaves_lets_the_run_go),
          T(ids_that_are_left_out), T(ids_that_are_left_out_and_gone),
          T(a_reader_may_destroy_the_log), T(the_nth_allocation_fails))
