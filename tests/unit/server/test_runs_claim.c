/* SPDX-License-Identifier: MIT */
/* A run whose conversation loads beside its record never begins without that conversation:
 * whichever of the two comes last, and also when there is no record, for lack of memory or of a
 * store. */
#include "agents/memory/history.h"
#include "backends/stores/store_memory.h"
#include "server/conversations/conversations.h"
#include "server/records/event_writers.h"
#include "server/runs/runs.h"
#include "tests/lib/fake_registry.h"
#include "tests/lib/loop_rig.h"

enum { TURNS = 60, NEVER = 1000, MOST_HELD = 4 };

/* A store around a store: calls of one verb are held until they are let go, those of another fail.
 */
struct slow_store {
    struct store store;
    struct store *inner;
    int holds, fails; /* the verbs; -1: none */
    struct held {
        struct store_call *call;
        struct op_waiter waiter;
    } held[MOST_HELD];
    unsigned held_count, loads;
};

struct rig {
    struct loop_rig loop;
    struct config *config;
    struct registry *registry;
    struct meters *meters;
    struct metrics *metrics;
    struct admission admission;
    struct services services;
    struct knowledge_set set;
    struct knowledge_pin pin;
    struct log log;
    struct slow_store slow;
    struct event_writers *event_writers;
    struct conversations *conversations;
    struct runs *runs;
    struct store_call call;
};

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct identity elsewhere = {{"c-2", 3}, {"acme", 4}, {"ann", 3}};

static void slow_cancel(struct op *op)
{
    CHECK(op_is_finishing(op)); /* it is from the start */
}

static void slow_start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "store.slow", .cancel = slow_cancel, .release = store_call_release};
    struct slow_store *slow = container_of(store, struct slow_store, store);
    slow->loads += call->verb == STORE_LOAD;
    if ((int)call->verb == slow->holds) {
        assert_true(slow->held_count < MOST_HELD);
        slow->held[slow->held_count++] = (struct held){call, waiter};
    } else if ((int)call->verb == slow->fails) {
        op_begin(&call->op, &kind, store->loop, waiter);
        store_call_begin(call);
        call->store = store;
        store_call_finish(call, &(struct err){ERR_UNAVAILABLE, "the store is lost"});
    } else {
        slow->inner->vtable->start(slow->inner, call, waiter);
    }
}

static void let_go(struct slow_store *slow)
{
    slow->holds = -1;
    for (unsigned i = 0; i < slow->held_count; i++)
        slow->inner->vtable->start(slow->inner, slow->held[i].call, slow->held[i].waiter);
    slow->held_count = 0;
}

static void on_idle(void *owner UNUSED)
{
}

static void on_unpinned(void *owner UNUSED, struct knowledge_pin *pin UNUSED)
{
}

static void open_store(struct rig *rig)
{
    static const struct store_vtable vtable = {.name = "slow", .start = slow_start};
    rig->slow = (struct slow_store){.store = {&vtable, rig->loop.loop},
                                    .inner = store_memory_create(rig->loop.loop),
                                    .holds = -1,
                                    .fails = -1};
    rig->event_writers =
        event_writers_create(&(struct event_writers_options){.loop = rig->loop.loop,
                                                             .store = &rig->slow.store,
                                                             .instance = STR("i1"),
                                                             .lease_ms = 10000,
                                                             .log = &rig->log,
                                                             .on_idle = on_idle,
                                                             .on_stop = runs_stop_run,
                                                             .on_lost = runs_lose_run,
                                                             .on_doubt = runs_doubt_run});
    rig->conversations =
        conversations_create(&(struct conversations_options){.loop = rig->loop.loop,
                                                             .store = &rig->slow.store,
                                                             .history = rig->services.history,
                                                             .turns = 100,
                                                             .log = &rig->log,
                                                             .on_idle = on_idle});
    assert_non_null(rig->event_writers);
    assert_non_null(rig->conversations);
}

/* The store has a turn of ann's conversation, which memory has not. */
static void say_before(struct rig *rig)
{
    const struct store_turn turn = {.run_id = STR("run_before"),
                                    .question = STR("before"),
                                    .answer = STR("yes"),
                                    .details = STR("{}")};
    const struct store_save save = {.key = ann,
                                    .checkpoint = {.is_full = true, .bytes = STR("{}")},
                                    .turns = &turn,
                                    .turn_count = 1};
    store_save_start(&rig->call, rig->slow.inner, &save, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    assert_int_equal(rig->loop.last_code, ERR_OK);
}

static void open_rig(struct rig *rig)
{
    struct buf problems;
    struct err err;
    *rig = (struct rig){.log = {.level = LOG_OFF}};
    loop_rig_init(&rig->loop);
    buf_init(&problems, 4096);
    assert_int_equal(config_load(&(struct config_source){0}, &rig->config, &problems), ERR_OK);
    buf_fini(&problems);
    assert_int_equal(registry_create(NULL, &rig->registry, &err), ERR_OK);
    rig->meters = meters_create(&(struct meters_options){.registry = rig->registry});
    rig->metrics = metrics_create(meters_schema(rig->meters));
    admission_init(&rig->admission, rig->loop.loop, rig->config);
    rig->services.history = history_create(65536);
    rig->services.loop = rig->loop.loop;
    rig->pin.set = &rig->set;
    open_store(rig);
    rig->runs = runs_create(&(struct runs_options){.loop = rig->loop.loop,
                                                   .config = rig->config,
                                                   .worker_count = 1,
                                                   .linger_bytes = SIZE_MAX,
                                                   .services = &rig->services,
                                                   .event_writers = rig->event_writers,
                                                   .conversations = rig->conversations,
                                                   .admission = &rig->admission,
                                                   .meters = rig->meters,
                                                   .metrics = rig->metrics,
                                                   .log = &rig->log,
                                                   .on_idle = on_idle,
                                                   .on_unpinned = on_unpinned});
    assert_non_null(rig->runs);
    say_before(rig);
}

/* Let ms pass in steps, as the clock would. */
static void pass(struct rig *rig, unsigned ms)
{
    for (unsigned i = 0; i < ms; i += 50) {
        loop_turn(rig->loop.loop, 8);
        loop_advance(rig->loop.loop, 50);
    }
    loop_turn(rig->loop.loop, 8);
}

static void close_rig(struct rig *rig)
{
    pass(rig, 2000); /* until what was said is stored */
    EXPECT_INT("open runs", runs_open_count(rig->runs), 0);
    EXPECT_INT("places", admission_runs(&rig->admission) + admission_queued(&rig->admission), 0);
    runs_destroy(rig->runs);
    pass(rig, 2000);
    EXPECT_INT("records", event_writers_count(rig->event_writers), 0);
    EXPECT_INT("turns", conversations_saving(rig->conversations), 0);
    event_writers_destroy(rig->event_writers);
    conversations_destroy(rig->conversations);
    op_release(&rig->call.op);
    store_close(rig->slow.inner, NULL, NULL);
    admission_fini(&rig->admission);
    history_destroy(rig->services.history);
    metrics_destroy(rig->metrics);
    meters_destroy(rig->meters);
    registry_destroy(rig->registry);
    config_destroy(rig->config);
    loop_rig_fini(&rig->loop);
}

static struct runs_request make(struct rig *rig, const struct identity *caller)
{
    return (struct runs_request){
        .graph = registry_graph(rig->registry, 0),
        .entry = registry_entry(rig->registry, 0),
        .pin = &rig->pin,
        .message = STR("hello"),
        .caller = *caller,
    };
}

static struct runs_entry *submit(struct rig *rig, const struct runs_request *request)
{
    struct runs_entry *entry = NULL;
    struct err err = {0};
    EXPECT_INT(err.text, runs_submit(rig->runs, request, &entry, &err), ERR_OK);
    return entry;
}

static struct runs_entry *submit_loading(struct rig *rig)
{
    struct runs_request request = make(rig, &ann);
    EXPECT_TRUE("it may", runs_may_load(rig->runs, &request));
    request.loads = true;
    return submit(rig, &request);
}

static bool has_begun(const struct runs_entry *entry)
{
    return runs_has_answered(entry) || runs_has_ended(entry);
}

static enum err_code result_of(struct runs_entry *entry)
{
    struct str code, message;
    return run_result(runs_run(entry), &code, &message);
}

/* Memory has the turn of before, and behind it the run's: it was there when the run began. */
static void expect_conversation(struct rig *rig)
{
    struct history_message messages[8];
    EXPECT_INT("all", history_last(rig->services.history, &ann, messages, 8), 4);
    EXPECT_STR("before", messages[0].text, STR("before"));
    EXPECT_STR("now", messages[2].text, STR("hello"));
}

static const struct {
    const char *name;
    int holds;
    unsigned loads; /* it is not loaded again */
} lates[] = {
    {"the load ends after the record is there", STORE_LOAD, 1},
    {"the record is there after the load ended", STORE_BEGIN, 1},
};

TEST(it_waits_for_both)
{
    TEST_EACH(c, lates) {
        struct rig rig;
        open_rig(&rig);
        rig.slow.holds = c->holds;
        struct runs_entry *entry = submit_loading(&rig);
        pass(&rig, 500);
        EXPECT_INT(c->name, rig.slow.held_count, 1);
        EXPECT_TRUE(c->name, runs_is_claiming(entry) && !has_begun(entry));
        let_go(&rig.slow);
        pass(&rig, 500);
        EXPECT_TRUE(c->name, runs_has_ended(entry));
        EXPECT_INT(c->name, result_of(entry), ERR_OK);
        EXPECT_INT(c->name, rig.slow.loads, c->loads);
        expect_conversation(&rig);
        close_rig(&rig);
    }
}

/* The last call of the event writers failed, since runs_may_load was asked. */
TEST(a_store_lost_between_is_waited_for)
{
    struct rig rig;
    open_rig(&rig);
    struct runs_request request = make(&rig, &ann), other = make(&rig, &elsewhere);
    EXPECT_TRUE("it may", runs_may_load(rig.runs, &request));
    request.loads = true;
    rig.slow.fails = STORE_BEGIN;
    struct runs_entry *first = submit(&rig, &other);
    loop_turn(rig.loop.loop, TURNS);
    EXPECT_TRUE("another begins without", has_begun(first));
    EXPECT_TRUE("it is lost", event_writers_is_lost(rig.event_writers));
    rig.slow.holds = STORE_LOAD;
    rig.slow.loads = 0; /* the other's is over */
    struct runs_entry *entry = submit(&rig, &request);
    loop_turn(rig.loop.loop, TURNS);
    EXPECT_INT("it loads", rig.slow.held_count, 1);
    EXPECT_TRUE("it waits", runs_is_claiming(entry) && !has_begun(entry));
    let_go(&rig.slow);
    loop_turn(rig.loop.loop, TURNS);
    EXPECT_TRUE("it ended", runs_has_ended(entry));
    EXPECT_INT("well", result_of(entry), ERR_OK);
    EXPECT_INT("loaded once", rig.slow.loads, 1);
    expect_conversation(&rig);
    rig.slow.fails = -1;
    close_rig(&rig);
}

TEST(cancelled_while_it_loads)
{
    static const int fails[] = {-1, STORE_BEGIN};
    TEST_EACH(verb, fails) {
        struct rig rig;
        open_rig(&rig);
        rig.slow.holds = STORE_LOAD;
        rig.slow.fails = *verb;
        struct runs_entry *entry = submit_loading(&rig);
        loop_turn(rig.loop.loop, TURNS);
        runs_cancel(entry, "cancelled", "now");
        loop_turn(rig.loop.loop, TURNS);
        EXPECT_TRUE("it ended", runs_has_ended(entry));
        EXPECT_INT("cancelled", result_of(entry), ERR_CANCELLED);
        rig.slow.fails = -1;
        let_go(&rig.slow);
        close_rig(&rig);
    }
}

/* One allocation of the submission fails, be it the load's, the record's or the run's own. */
TEST(no_memory_at_any_point)
{
    for (uint64_t n = 1;; n++) {
        struct rig rig;
        struct runs_entry *entry = NULL;
        struct err err = {0};
        open_rig(&rig);
        struct runs_request request = make(&rig, &ann);
        request.loads = true;
        rig.slow.holds = STORE_LOAD;
        uint64_t before = mem_alloc_count();
        mem_fail_nth(n);
        enum err_code code = runs_submit(rig.runs, &request, &entry, &err);
        mem_fail_nth(0);
        uint64_t made = mem_alloc_count() - before;
        if (code == ERR_OK) {
            pass(&rig, 500);
            bool is_refused = has_begun(entry) && result_of(entry) == ERR_CANCELLED;
            EXPECT_TRUE("it waits for the load, or goes", !has_begun(entry) || is_refused);
            let_go(&rig.slow);
            pass(&rig, 500);
            EXPECT_TRUE("it ended", runs_has_ended(entry));
            if (!is_refused) {
                EXPECT_INT("well", result_of(entry), ERR_OK);
                expect_conversation(&rig);
            }
        } else {
            EXPECT_INT("code", code, ERR_NO_MEMORY);
            let_go(&rig.slow);
        }
        close_rig(&rig);
        if (made < n)
            break;
        assert_true(n < NEVER);
    }
}

RUN_TESTS(T(it_waits_for_both), T(a_store_lost_between_is_waited_for), T(cancelled_while_it_loads),
          T(no_memory_at_any_point))
