/* SPDX-License-Identifier: MIT */
/* What a run says is in the store, whole and in order, whenever the run is forgotten; a event
 * writer that has lost its run, or its store, leaves it alone; who asks through the store is heard.
 */
#include "tests/unit/core/walk_rig.h"

#include "backends/stores/store_memory.h"
#include "core/store/event_bytes.h"
#include "server/records/event_writers.h"

static const char *const words[] = {"one ", "two ", "three ", NULL};
static const struct script talk = {.step_ms = 30, .tokens = words};
static const struct graph_node nodes[] = {{.name = "talk", .type = &scripted, .config = &talk}};
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};
static const struct slot slots[SLOT_COUNT] = RIG_SLOTS(1);
static const struct graph_def def = {.name = "talking",
                                     .purpose = "Talk.",
                                     .schema = {slots, SLOT_COUNT},
                                     .nodes = nodes,
                                     .node_count = 1,
                                     .edges = edges,
                                     .edge_count = 2};

struct fixture {
    struct walk_rig walk;
    struct store *store;
    struct event_writers *event_writers;
    struct event_writer *event_writer;
    struct store_call call;
    struct log log;
    unsigned idle_calls, end_calls,
        ends_after; /* the record may end after so many calls; 0: at once */
};

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

static void on_idle(void *owner)
{
    ((struct fixture *)owner)->idle_calls++;
}

/* Of the run's owner, which is the rig. */
static void on_stop(void *run_owner, bool forget)
{
    (void)forget;
    struct walk_rig *rig = run_owner;
    run_cancel(rig->run, "cancelled", "asked");
}

static bool may_end(void *owner, const struct store_run *run)
{
    struct fixture *f = owner;
    EXPECT_STR("of the run", run->run_id, STR("run_test"));
    return ++f->end_calls > f->ends_after;
}

static void on_lost(void *run_owner)
{
    struct walk_rig *rig = run_owner;
    run_cancel(rig->run, "lagged", "it is another's");
}

static void begin(struct fixture *f, struct store *store)
{
    f->store = store;
    const struct event_writers_options options = {
        .loop = f->walk.base.loop,
        .store = store,
        .instance = STR("i1"),
        .lease_ms = 10000,
        .log = &f->log,
        .owner = f,
        .on_idle = on_idle,
        .may_end = may_end,
        .on_stop = on_stop,
        .on_lost = on_lost,
    };
    f->event_writers = event_writers_create(&options);
    assert_non_null(f->event_writers);
    const struct run_options run = walk_rig_options(&f->walk);
    f->walk.run = run_create(&run);
    assert_non_null(f->walk.run);
    f->event_writer = event_writer_begin(
        f->event_writers, f->walk.run,
        &(struct event_writer_options){
            .key = ann, .input = STR("question"), .idempotency_key = STR("key")});
    assert_non_null(f->event_writer);
    run_start(f->walk.run);
}

static void make(struct fixture *f)
{
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    walk_rig_init(&f->walk, &def);
}

/* Forget the run; its event writer ends by itself. */
static void forget(struct fixture *f)
{
    event_writer_leave(f->event_writer);
    run_destroy(f->walk.run);
    f->walk.run = NULL;
}

static void end(struct fixture *f)
{
    op_release(&f->call.op);
    loop_rig_dry(&f->walk.base);
    EXPECT_INT("none is left", event_writers_count(f->event_writers), 0);
    event_writers_destroy(f->event_writers);
    if (f->store != NULL)
        store_close(f->store, NULL, NULL);
    graph_destroy(f->walk.graph);
    loop_rig_fini(&f->walk.base);
}

/* Let ms pass in steps, as the clock would. */
static void pass(struct fixture *f, unsigned ms)
{
    for (unsigned i = 0; i < ms; i += 10) {
        loop_turn(f->walk.base.loop, 8);
        loop_advance(f->walk.base.loop, 10);
    }
    loop_turn(f->walk.base.loop, 8);
}

/* What the store has of the run, as names, with a blank behind each. */
static struct str stored(struct fixture *f)
{
    static char text[65536];
    const struct store_read ask = {.run_id = STR("run_test"), .limit_bytes = 1 << 20};
    size_t len = 0;
    struct str events;
    struct event event;
    struct err err;
    op_release(&f->call.op);
    store_read_start(&f->call, f->store, &ask, loop_rig_waiter(&f->walk.base));
    loop_turn(f->walk.base.loop, 4);
    EXPECT_INT("read", f->call.op.err.code, ERR_OK);
    for (size_t i = 0; i < f->call.batch_count; i++) {
        uint64_t id = f->call.batches[i].first_id;
        EXPECT_INT("open", event_bytes_open(f->call.batches[i].bytes, &events, &err), ERR_OK);
        while (event_bytes_take(&events, id, &event)) {
            len += (size_t)snprintf(text + len, sizeof text - len, "%llu:%s ",
                                    (unsigned long long)id, event_name(event.kind));
            id++;
        }
        EXPECT_INT("as many as it says", id,
                   f->call.batches[i].first_id + f->call.batches[i].count);
    }
    return str_make(text, len);
}

#define ALL STR("1:route_decision 2:token 3:token 4:token 5:complete ")

TEST(all_of_it_is_stored)
{
    struct fixture f;
    make(&f);
    begin(&f, store_memory_create(f.walk.base.loop));
    pass(&f, 500);
    EXPECT_INT("ended", f.walk.end_count, 1);
    EXPECT_STR("all", stored(&f), ALL);
    EXPECT_INT("its end", f.call.runs[0].status, STORE_COMPLETE);
    EXPECT_STR("its input", f.call.runs[0].input, STR("question"));
    EXPECT_INT("done", event_writers_count(f.event_writers), 0);
    EXPECT_TRUE("told", f.idle_calls > 0);
    forget(&f);
    end(&f);
}

/* Its turn is stored a while later, or is late for ever. */
TEST(a_record_waits_for_its_turn)
{
    static const struct {
        const char *name;
        unsigned ends_after, before_ms, after_ms; /* it is open before, and over after */
    } cases[] = {
        {"stored", 4, 200, 1000}, {"late", 6, 1000, 3000}, {"for ever", 1000000, 14000, 18000}};
    TEST_EACH(c, cases) {
        struct fixture f;
        make(&f);
        f.ends_after = c->ends_after;
        begin(&f, store_memory_create(f.walk.base.loop));
        while (f.end_calls == 0)
            pass(&f, 10);
        forget(&f);
        pass(&f, c->before_ms);
        EXPECT_STR(c->name, stored(&f), ALL);
        EXPECT_INT(c->name, f.call.runs[0].status, STORE_RUNNING);
        pass(&f, c->after_ms - c->before_ms);
        (void)stored(&f);
        EXPECT_INT(c->name, f.call.runs[0].status, STORE_COMPLETE);
        end(&f);
    }
}

TEST(forgotten_at_every_moment_after_its_end)
{
    for (unsigned turns = 0; turns < 30; turns++) {
        struct fixture f;
        make(&f);
        begin(&f, store_memory_create(f.walk.base.loop));
        while (f.walk.end_count == 0) {
            loop_advance(f.walk.base.loop, 30);
            loop_turn(f.walk.base.loop, 1);
        }
        loop_turn(f.walk.base.loop, turns);
        forget(&f);
        pass(&f, 200);
        EXPECT_STR("all", stored(&f), ALL);
        EXPECT_INT("its end", f.call.runs[0].status, STORE_COMPLETE);
        end(&f);
    }
}

TEST(a_run_that_is_anothers_by_now)
{
    struct fixture f;
    const struct store_finish finish = {{STR("run_test"), STR("i1"), 1}, STORE_FAILED};
    make(&f);
    begin(&f, store_memory_create(f.walk.base.loop));
    pass(&f, 20);
    store_finish_start(&f.call, f.store, &finish, loop_rig_waiter(&f.walk.base));
    pass(&f, 500);
    EXPECT_INT("the run ended all the same", f.walk.end_count, 1);
    EXPECT_INT("its keeper too", event_writers_count(f.event_writers), 0);
    EXPECT_TRUE("nothing was written for it", stored(&f).len < ALL.len);
    forget(&f);
    end(&f);
}

TEST(who_asks_through_the_store_is_heard)
{
    static const char *const endless[] = {"a", "b", NULL};
    static const struct script slow = {.step_ms = 20000, .tokens = endless};
    static const struct graph_node slow_nodes[] = {
        {.name = "talk", .type = &scripted, .config = &slow}};
    struct graph_def slow_def = def;
    struct fixture f = {.log = {.level = LOG_OFF}};
    const struct store_stop stop = {.key = ann, .run_id = STR("run_test")};
    slow_def.nodes = slow_nodes;
    walk_rig_init(&f.walk, &slow_def);
    begin(&f, store_memory_create(f.walk.base.loop));
    pass(&f, 100);
    store_stop_start(&f.call, f.store, &stop, loop_rig_waiter(&f.walk.base));
    pass(&f, 10000);
    EXPECT_INT("ended", f.walk.end_count, 1);
    EXPECT_STR("by an error", stored(&f), STR("1:route_decision 2:error "));
    EXPECT_INT("as cancelled", f.call.runs[0].status, STORE_CANCELLED);
    forget(&f);
    end(&f);
}

/* ---- a store that cannot be used now and then ---- */

struct flaky {
    struct store store;
    struct store *inner;
    bool is_down, is_slow;
    unsigned refused;
    struct store_call *slow; /* a write that does not end by itself */
};

/* It ends when it ends. */
static void ignore_cancel(struct op *op)
{
    (void)op;
}

static void start_flaky(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "store.none", .cancel = ignore_cancel, .release = store_call_release};
    struct flaky *flaky = container_of(store, struct flaky, store);
    if (!flaky->is_down) {
        flaky->inner->vtable->start(flaky->inner, call, waiter);
        return;
    }
    flaky->refused++;
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    if (flaky->is_slow && call->verb == STORE_WRITE)
        flaky->slow = call;
    else
        op_finish(&call->op, ERR_UNAVAILABLE, "there is no store");
}

static const struct store_vtable flaky_vtable = {"flaky", start_flaky, NULL, NULL};

static void make_flaky(struct flaky *flaky, struct fixture *f, bool is_down)
{
    make(f);
    *flaky = (struct flaky){.store = {&flaky_vtable, f->walk.base.loop},
                            .inner = store_memory_create(f->walk.base.loop),
                            .is_down = is_down};
    begin(f, &flaky->store);
}

static void end_flaky(struct flaky *flaky, struct fixture *f)
{
    f->store = flaky->inner;
    end(f);
}

TEST(a_run_goes_on_without_its_store)
{
    struct fixture f;
    struct flaky flaky;
    make_flaky(&flaky, &f, true);
    pass(&f, 500);
    EXPECT_INT("ended", f.walk.end_count, 1);
    EXPECT_TRUE("well",
                str_find(str_of(walk_rig_transcript(&f.walk)), STR("complete")) != STR_NONE);
    forget(&f);
    pass(&f, 5000);
    EXPECT_TRUE("now and then", flaky.refused > 3 && flaky.refused < 20);
    EXPECT_INT("its keeper tries on", event_writers_count(f.event_writers), 1);
    event_writers_abandon(f.event_writers);
    loop_turn(f.walk.base.loop, 8);
    EXPECT_INT("unless told", event_writers_count(f.event_writers), 0);
    end_flaky(&flaky, &f);
}

/* While a run has no record, its client may have asked another server with the same key. */
TEST(a_run_whose_key_was_taken_while_the_store_was_lost)
{
    struct fixture f;
    struct flaky flaky;
    make_flaky(&flaky, &f, true);
    pass(&f, 50);
    const struct store_begin rival = {.run = {.key = ann,
                                              .run_id = STR("run_rival"),
                                              .instance = STR("i2"),
                                              .idempotency_key = STR("key")},
                                      .lease_ms = 10000};
    store_begin_start(&f.call, flaky.inner, &rival, loop_rig_waiter(&f.walk.base));
    loop_turn(f.walk.base.loop, 4);
    EXPECT_INT("begun", f.call.op.err.code, ERR_OK);
    flaky.is_down = false;
    pass(&f, 2000);
    f.store = flaky.inner;
    EXPECT_STR("all of it", stored(&f), ALL);
    EXPECT_INT("to its end", f.call.runs[0].status, STORE_COMPLETE);
    forget(&f);
    end_flaky(&flaky, &f);
}

/* A write that is on its way when all is given up, and ends when it ends. */
TEST(who_waits_for_the_end_is_told_of_the_last_write)
{
    struct fixture f;
    struct flaky flaky;
    make_flaky(&flaky, &f, false);
    pass(&f, 10);
    flaky.is_down = flaky.is_slow = true;
    pass(&f, 200);
    assert_non_null(flaky.slow);
    forget(&f);
    event_writers_abandon(f.event_writers);
    loop_turn(f.walk.base.loop, 8);
    EXPECT_INT("not yet", event_writers_count(f.event_writers), 1);
    unsigned idle_calls = f.idle_calls;
    op_finish(&flaky.slow->op, ERR_UNAVAILABLE, "there is no store");
    loop_turn(f.walk.base.loop, 8);
    EXPECT_INT("none", event_writers_count(f.event_writers), 0);
    EXPECT_INT("told", f.idle_calls, idle_calls + 1);
    end_flaky(&flaky, &f);
}

/* Down from one moment of the run on, and back a second later. */
TEST(all_is_stored_when_the_store_is_back)
{
    for (unsigned ms = 0; ms <= 250; ms += 10) {
        struct fixture f;
        struct flaky flaky;
        make_flaky(&flaky, &f, ms == 0);
        pass(&f, ms);
        flaky.is_down = true;
        pass(&f, 1000);
        EXPECT_INT("ended", f.walk.end_count, 1);
        forget(&f);
        pass(&f, 100);
        flaky.is_down = false;
        pass(&f, 3000);
        EXPECT_INT("whole", event_writers_count(f.event_writers), 0);
        EXPECT_STR("all", stored(&f), ALL);
        EXPECT_INT("its end", f.call.runs[0].status, STORE_COMPLETE);
        end_flaky(&flaky, &f);
    }
}

static void read_on(struct event_reader *reader)
{
    struct event_log *log = reader->owner;
    event_log_advance(log, reader, event_log_last_id(log));
}

/* Another reader goes on, so the log drops what the store has not taken. */
TEST(a_gap_is_left_when_the_log_has_no_room)
{
    enum { WORDS = 1000 };
    static const char *many[WORDS + 1];
    static const struct script talks = {.step_ms = 1, .tokens = many};
    static const struct graph_node many_nodes[] = {
        {.name = "talk", .type = &scripted, .config = &talks}};
    struct graph_def many_def = def;
    struct fixture f = {.log = {.level = LOG_OFF}};
    struct flaky flaky = {.is_down = false};
    for (size_t i = 0; i < WORDS; i++)
        many[i] = "a word that takes some room in the log of the run ";
    many_def.nodes = many_nodes;
    walk_rig_init(&f.walk, &many_def);
    flaky.store = (struct store){&flaky_vtable, f.walk.base.loop};
    flaky.inner = store_memory_create(f.walk.base.loop);
    begin(&f, &flaky.store);
    struct event_reader client = {.on_grown = read_on, .owner = run_log(f.walk.run)};
    EXPECT_INT("attach", event_log_attach(run_log(f.walk.run), &client, 0), ERR_OK);
    pass(&f, 60);
    flaky.is_down = true;
    for (unsigned i = 0; i < 100 && f.walk.end_count == 0; i++)
        pass(&f, 1000);
    EXPECT_INT("ended", f.walk.end_count, 1);
    flaky.is_down = false;
    event_log_detach(run_log(f.walk.run), &client);
    forget(&f);
    pass(&f, 5000);
    EXPECT_INT("done", event_writers_count(f.event_writers), 0);
    EXPECT_TRUE("not its end", str_find(stored(&f), STR("complete")) == STR_NONE);
    EXPECT_TRUE("but a part", f.call.batch_count > 0);
    EXPECT_INT("and how it ended", f.call.runs[0].status, STORE_COMPLETE);
    end_flaky(&flaky, &f);
}

RUN_TESTS(T(all_of_it_is_stored), T(a_record_waits_for_its_turn),
          T(forgotten_at_every_moment_after_its_end), T(a_run_that_is_anothers_by_now),
          T(who_asks_through_the_store_is_heard), T(a_run_goes_on_without_its_store),
          T(a_run_whose_key_was_taken_while_the_store_was_lost),
          T(who_waits_for_the_end_is_told_of_the_last_write),
          T(all_is_stored_when_the_store_is_back), T(a_gap_is_left_when_the_log_has_no_room))
