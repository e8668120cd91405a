/* SPDX-License-Identifier: MIT */
/* A run whose server was killed leaves nothing half done: what it had answered is in its
 * conversation, once, and its record has its end, whichever call to the store fails, and even when
 * who takes it up is lost, too. */
#include "tests/lib/faulty_store.h"
#include "tests/lib/loop_rig.h"

#include <stdio.h>

#include "backends/stores/store_memory.h"
#include "core/store/event_bytes.h"
#include "server/runs/takeover.h"

enum { LEASE_MS = 1000, MOST_CALLS = 12 /* to the store, for one run that is taken up */ };

/* One server on the store: who takes runs up. */
struct instance {
    struct faulty_store faulty;
    struct history *history;
    struct conversations *conversations;
    struct takeover takeover;
    unsigned worker, worker_count; /* 0, 0: the only one */
    unsigned revived;
    enum err_code verdict; /* of reviving */
};

struct fixture {
    struct loop_rig base;
    struct store *store;
    struct instance one, other;
    struct store_call call;
    struct log log;
};

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct store_fence dead = {{"run_1", 5}, {"dead", 4}, 1};

static enum err_code revive(void *owner, const struct stored_run *past, uint64_t epoch,
                            struct err *err)
{
    struct instance *instance = owner;
    EXPECT_STR("its input", past->run->input, STR("who is Ann?"));
    EXPECT_TRUE("its epoch", epoch > 1);
    instance->revived++;
    return instance->verdict == ERR_OK ? ERR_OK : err_set(err, instance->verdict, "as told");
}

static bool has_room(void *owner)
{
    (void)owner;
    return true;
}

static void do_nothing(void *owner)
{
    (void)owner;
}

static void begin_instance(struct fixture *f, struct instance *instance, struct str name)
{
    struct loop *loop = f->base.loop;
    faulty_store_init(&instance->faulty, f->store);
    instance->history = history_create(1024 * 1024);
    const struct conversations_options conversations = {.loop = loop,
                                                        .store = &instance->faulty.store,
                                                        .history = instance->history,
                                                        .turns = 10,
                                                        .log = &f->log,
                                                        .owner = f,
                                                        .on_idle = do_nothing};
    instance->conversations = conversations_create(&conversations);
    assert_non_null(instance->conversations);
    const struct takeover_options options = {.store = &instance->faulty.store,
                                             .turns = &instance->faulty.store,
                                             .instance = name,
                                             .lease_ms = LEASE_MS,
                                             .conversations = instance->conversations,
                                             .log = &f->log,
                                             .worker = instance->worker,
                                             .worker_count = instance->worker_count,
                                             .owner = instance,
                                             .revive = revive,
                                             .has_room = has_room};
    takeover_start(&instance->takeover, &options);
}

static void stop_instance(struct instance *instance)
{
    takeover_stop(&instance->takeover);
    conversations_abandon(instance->conversations);
}

static void end_instance(struct fixture *f, struct instance *instance)
{
    stop_instance(instance);
    loop_rig_dry(&f->base);
    conversations_destroy(instance->conversations);
    history_destroy(instance->history);
}

static void wait_for(struct fixture *f)
{
    loop_turn(f->base.loop, 4);
    EXPECT_INT("done", f->call.op.err.code, ERR_OK);
    op_release(&f->call.op);
}

/* How a server that was killed had ended a run in the store, and not in its conversation. */
struct past {
    const char *name;
    const struct event *events;
    size_t event_count;
    bool is_kept, forget_asked, is_alone; /* alone: without a conversation */
    /* what becomes of it */
    enum store_status status;
    const char *answer, *details; /* NULL: no turn */
    bool partial;
};

static void put_run(struct fixture *f, const struct past *past)
{
    const struct identity nobody = {{"", 0}, {"acme", 4}, {"ann", 3}};
    const struct store_begin begin = {.run = {.key = past->is_alone ? nobody : ann,
                                              .run_id = dead.run_id,
                                              .graph = STR("sql_agent"),
                                              .input = STR("who is Ann?"),
                                              .instance = dead.instance},
                                      .lease_ms = LEASE_MS};
    struct buf bytes;
    store_begin_start(&f->call, f->store, &begin, loop_rig_waiter(&f->base));
    wait_for(f);
    buf_init(&bytes, 65536);
    event_bytes_begin(&bytes);
    for (size_t i = 0; i < past->event_count; i++)
        event_bytes_push(&bytes, &past->events[i]);
    event_bytes_end(&bytes);
    const struct store_append append = {dead, {1, past->event_count, buf_str(&bytes)}};
    store_append_start(&f->call, f->store, &append, loop_rig_waiter(&f->base));
    wait_for(f);
    buf_fini(&bytes);
    const struct store_stop stop = {
        .key = {STR(""), STR(""), STR("")}, .run_id = dead.run_id, .forget = true};
    if (past->forget_asked) {
        store_stop_start(&f->call, f->store, &stop, loop_rig_waiter(&f->base));
        wait_for(f);
    }
    const struct store_turn turn = {.run_id = dead.run_id,
                                    .question = STR("who is Ann?"),
                                    .answer = STR("kept"),
                                    .details = STR("{}")};
    const struct store_save save = {.key = ann,
                                    .checkpoint = {.is_full = true, .bytes = STR("s")},
                                    .turns = &turn,
                                    .turn_count = 1};
    if (past->is_kept) {
        store_save_start(&f->call, f->store, &save, loop_rig_waiter(&f->base));
        wait_for(f);
    }
}

static void make(struct fixture *f, const struct past *past)
{
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    loop_rig_init(&f->base);
    f->store = store_memory_create(f->base.loop);
    assert_non_null(f->store);
    put_run(f, past);
    begin_instance(f, &f->one, STR("one"));
}

static void end(struct fixture *f)
{
    end_instance(f, &f->one);
    store_close(f->store, NULL, NULL);
    loop_rig_fini(&f->base);
}

/* Let ms pass in steps, as the clock would. */
static void pass(struct fixture *f, unsigned ms)
{
    for (unsigned i = 0; i < ms; i += 100) {
        loop_turn(f->base.loop, 32);
        loop_advance(f->base.loop, 100);
    }
    loop_turn(f->base.loop, 32);
}

/* The store holds what past says, once. */
static void expect(struct fixture *f, const struct past *past)
{
    const struct store_find find = {.run_id = dead.run_id};
    const struct store_load load = {.key = ann};
    store_find_start(&f->call, f->store, &find, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 4);
    EXPECT_INT(past->name, f->call.runs[0].status, past->status);
    op_release(&f->call.op);
    store_load_start(&f->call, f->store, &load, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 4);
    EXPECT_INT(past->name, f->call.turn_count, past->answer != NULL);
    if (past->answer != NULL) {
        const struct store_turn *turn = f->call.turns;
        EXPECT_STR(past->name, turn->run_id, dead.run_id);
        EXPECT_STR(past->name, turn->question, STR("who is Ann?"));
        EXPECT_STR(past->name, turn->answer, str_of(past->answer));
        EXPECT_STR(past->name, turn->details, str_of(past->details));
        EXPECT_INT(past->name, turn->partial, past->partial);
    }
    op_release(&f->call.op);
}

#define TEXT(literal)                                                                              \
    {                                                                                              \
        "" literal "", sizeof(literal) - 1                                                         \
    }
#define SAYS(channel, words, nth)                                                                  \
    {                                                                                              \
        .kind = EVENT_TOKEN, .name = TEXT(channel), .text = TEXT(words), .number = (nth)           \
    }
#define ROUTED                                                                                     \
    {                                                                                              \
        .kind = EVENT_ROUTE_DECISION, .name = TEXT("sql")                                          \
    }

static const struct event answered[] = {
    ROUTED,
    SAYS("debug", "hmm ", 1),
    SAYS("final", "She ", 1),
    SAYS("final", "is it.", 1),
    {.kind = EVENT_COMPLETE,
     .text = TEXT("\"run_id\":\"run_1\",\"route\":\"sql\",\"sql\":\"SELECT 1\","
                  "\"data\":{\"rows\":[[1]],\"row_count\":1}")},
};
static const struct event anew[] = {
    SAYS("final", "He is ", 1),
    SAYS("final", "She ", 2),
    SAYS("final", "is it.", 2),
    {.kind = EVENT_COMPLETE, .text = TEXT("\"route\":\"general\"")},
};
static const struct event cancelled[] = {
    SAYS("final", "She ", 1),
    {.kind = EVENT_ERROR, .name = TEXT("cancelled"), .text = TEXT("asked")},
};
static const struct event failed[] = {
    {.kind = EVENT_ERROR, .name = TEXT("internal"), .text = TEXT("no")},
};
static const struct event paused[] = {
    {.kind = EVENT_INTERRUPT, .name = TEXT("approve"), .text = TEXT("\"sql\":\"SELECT 1\"")},
    {.kind = EVENT_COMPLETE, .text = TEXT("\"interrupted\":true")},
};
static const struct event speechless[] = {
    ROUTED,
    {.kind = EVENT_COMPLETE, .text = TEXT("\"route\":\"sql\"")},
};

#define EVENTS(array) .events = (array), .event_count = countof(array)
#define SQL_DETAILS                                                                                \
    "{\"graph\":\"sql_agent\",\"route\":\"sql\",\"sql\":\"SELECT 1\",\"row_count\":1,"             \
    "\"result\":{\"data\":{\"row_count\":1,\"rows\":[[1]]}}}"

static const struct past pasts[] = {
    {"answered", EVENTS(answered), .answer = "She is it.", .details = SQL_DETAILS,
     .status = STORE_COMPLETE},
    {"answered at the second attempt", EVENTS(anew), .answer = "She is it.",
     .details = "{\"graph\":\"sql_agent\",\"route\":\"general\"}", .status = STORE_COMPLETE},
    {"cancelled", EVENTS(cancelled), .answer = "She ",
     .details =
         "{\"graph\":\"sql_agent\",\"error\":{\"code\":\"cancelled\",\"message\":\"asked\"}}",
     .partial = true, .status = STORE_CANCELLED},
    {"failed", EVENTS(failed), .status = STORE_FAILED},
    {"paused", EVENTS(paused), .status = STORE_PAUSED},
    {"said nothing", EVENTS(speechless), .status = STORE_COMPLETE},
    {"kept already", EVENTS(answered), .is_kept = true, .answer = "kept", .details = "{}",
     .status = STORE_COMPLETE},
    {"not to be kept", EVENTS(answered), .forget_asked = true, .status = STORE_COMPLETE},
    {"without a conversation", EVENTS(answered), .is_alone = true, .status = STORE_COMPLETE},
};

TEST(what_it_had_said_is_kept)
{
    TEST_EACH(past, pasts) {
        struct fixture f;
        make(&f, past);
        pass(&f, 2 * LEASE_MS + 4000);
        expect(&f, past);
        EXPECT_INT("it had ended", f.one.revived, 0);
        end(&f);
    }
}

/* One call fails, or its answer is lost; time heals it. */
TEST(whichever_call_fails)
{
    for (size_t i = 0; i < countof(pasts); i++)
        for (unsigned keeps = 0; keeps < 2; keeps++)
            for (unsigned n = 1; n <= MOST_CALLS; n++) {
                struct fixture f;
                make(&f, &pasts[i]);
                pass(&f, LEASE_MS - 200); /* the lease is not over: nothing is asked but claims */
                f.one.faulty.fail_at = f.one.faulty.calls + n;
                f.one.faulty.keeps = keeps;
                pass(&f, 12000);
                expect(&f, &pasts[i]);
                end(&f);
            }
}

/* Who takes it up is cut off from the store in the middle of it, for good; another one comes. */
TEST(whoever_takes_it_up_is_lost_too)
{
    for (size_t i = 0; i < countof(pasts); i++)
        for (unsigned keeps = 0; keeps < 2; keeps++)
            for (unsigned n = 1; n <= MOST_CALLS; n++) {
                struct fixture f;
                make(&f, &pasts[i]);
                pass(&f, LEASE_MS - 200);
                f.one.faulty.fail_at = f.one.faulty.calls + n;
                f.one.faulty.keeps = keeps;
                f.one.faulty.for_good = true;
                pass(&f, 6000);
                begin_instance(&f, &f.other, STR("other"));
                pass(&f, 2 * LEASE_MS + 4000);
                expect(&f, &pasts[i]);
                stop_instance(&f.one);
                end_instance(&f, &f.other);
                end(&f);
            }
}

/* Its conversation cannot be written for a while: the record waits for it. */
TEST(a_turn_that_is_late)
{
    static const struct past *const past = &pasts[0];
    struct past open = {"still open", .status = STORE_RUNNING};
    struct fixture f;
    make(&f, past);
    struct faulty_store turns;
    faulty_store_init(&turns, f.store);
    end_instance(&f, &f.one);
    f.one = (struct instance){0};
    begin_instance(&f, &f.one, STR("one"));
    f.one.takeover.options.store = f.store; /* only what is said is away */
    pass(&f, 500);
    f.one.faulty.is_down = true;
    f.one.takeover.options.turns = f.store;
    pass(&f, 20000);
    expect(&f, &open);
    f.one.faulty.is_down = false;
    pass(&f, 40000);
    expect(&f, past);
    end(&f);
}

/* One that had not ended goes on, or gets the end that it is owed, with what it had said. */
TEST(one_that_had_not_ended)
{
    static const struct event begun[] = {SAYS("final", "She ", 1)};
    static const struct past running = {"running", EVENTS(begun), .status = STORE_RUNNING};
    static const struct past gone = {"gone",           EVENTS(begun),
                                     .answer = "She ", .details = "{\"graph\":\"sql_agent\"}",
                                     .partial = true,  .status = STORE_FAILED};
    struct fixture f;
    make(&f, &running);
    pass(&f, LEASE_MS + 400);
    EXPECT_INT("revived", f.one.revived, 1);
    expect(&f, &running);
    end(&f);
    make(&f, &gone);
    f.one.verdict = ERR_NOT_FOUND;
    pass(&f, LEASE_MS + 6000);
    EXPECT_INT("tried", f.one.revived, 1);
    expect(&f, &gone);
    end(&f);
}

/* However many workers a process has, it looks four times a second: each of two does twice. */
TEST(workers_look_in_turns)
{
    struct fixture f = {.log = {.level = LOG_OFF}};
    loop_rig_init(&f.base);
    f.store = store_memory_create(f.base.loop);
    assert_non_null(f.store);
    f.one.worker_count = f.other.worker_count = 2;
    f.other.worker = 1;
    begin_instance(&f, &f.one, STR("one"));
    begin_instance(&f, &f.other, STR("other"));
    pass(&f, 1000); /* their first looks */
    for (unsigned second = 0; second < 20; second++) {
        unsigned ones = f.one.faulty.calls, others = f.other.faulty.calls;
        pass(&f, 1000);
        EXPECT_INT("one", f.one.faulty.calls, ones + 2);
        EXPECT_INT("the other", f.other.faulty.calls, others + 2);
    }
    stop_instance(&f.one);
    end_instance(&f, &f.other);
    end(&f);
}

RUN_TESTS(T(workers_look_in_turns), T(what_it_had_said_is_kept), T(whichever_call_fails),
          T(whoever_takes_it_up_is_lost_too), T(a_turn_that_is_late), T(one_that_had_not_ended))
