/* SPDX-License-Identifier: MIT */
/* A time at which a schedule is due begins one run, whatever becomes of who took it: stopped at
 * any turn, cut off from its store at any call, without memory at any allocation. */
#include "server/schedules/schedule_runner.h"

#include "backends/stores/store_memory.h"
#include "core/base/mem.h"
#include "server/records/event_writers.h"
#include "tests/lib/faulty_store.h"
#include "tests/lib/loop_rig.h"

enum { MOST_TURNS = 4000, MINUTE_MS = 60000, HOUR_MS = 60 * MINUTE_MS, LEASE_MS = 1000 };

#define JOB "sch_1"

static const struct identity ann = {{"", 0}, {"acme", 4}, {"ann", 3}};

/* One server on the store. */
struct server {
    struct faulty_store faulty;
    struct wiring wiring;
    struct history *history;
    struct conversations *conversations;
    struct event_writers *event_writers;
    struct admission admission;
    struct services services;
    struct knowledge_set set;
    struct knowledge_pin pin;
    struct shard shard;
    struct schedule_runner runner;
};

struct fixture {
    struct loop_rig base;
    struct config *config;
    struct registry *registry;
    struct meters *meters;
    struct metrics *metrics;
    struct shard_group group;
    struct log log;
    struct store *store;
    struct store_call call;
    struct arena arena;
    struct schedule schedule; /* as the store has it */
    uint64_t job_due_ms;
    struct server one, other;
};

static void do_nothing(void *owner)
{
    (void)owner;
}

static void unpin(void *owner, struct knowledge_pin *pin)
{
    (void)owner;
    (void)pin;
}

static void begin_server(struct fixture *f, struct server *server, const char *name)
{
    struct loop *loop = f->base.loop;
    *server = (struct server){.wiring = {.loop = loop}};
    faulty_store_init(&server->faulty, f->store);
    server->wiring.store = server->wiring.events = &server->faulty.store;
    server->history = history_create(65536);
    server->conversations =
        conversations_create(&(struct conversations_options){.loop = loop,
                                                             .store = &server->faulty.store,
                                                             .history = server->history,
                                                             .turns = 10,
                                                             .log = &f->log,
                                                             .owner = f,
                                                             .on_idle = do_nothing});
    server->event_writers =
        event_writers_create(&(struct event_writers_options){.loop = loop,
                                                             .store = &server->faulty.store,
                                                             .instance = str_of(name),
                                                             .lease_ms = LEASE_MS,
                                                             .log = &f->log,
                                                             .owner = f,
                                                             .on_idle = do_nothing,
                                                             .on_stop = runs_stop_run,
                                                             .on_lost = runs_lose_run,
                                                             .on_doubt = runs_doubt_run});
    admission_init(&server->admission, loop, f->config);
    server->services = (struct services){.history = server->history, .loop = loop};
    server->pin.set = &server->set;
    server->shard = (struct shard){.group = &f->group,
                                   .loop = loop,
                                   .log = &f->log,
                                   .metrics = f->metrics,
                                   .wiring = &server->wiring,
                                   .services = &server->services,
                                   .conversations = server->conversations,
                                   .pin = &server->pin};
    server->shard.runs = runs_create(&(struct runs_options){.loop = loop,
                                                            .config = f->config,
                                                            .worker_count = 1,
                                                            .linger_bytes = SIZE_MAX,
                                                            .services = &server->services,
                                                            .event_writers = server->event_writers,
                                                            .conversations = server->conversations,
                                                            .admission = &server->admission,
                                                            .meters = f->meters,
                                                            .metrics = f->metrics,
                                                            .log = &f->log,
                                                            .owner = f,
                                                            .on_idle = do_nothing,
                                                            .on_unpinned = unpin});
    assert_non_null(server->shard.runs);
    schedule_runner_start(&server->runner, &server->shard);
}

/* As it stops, or as it would be killed: what it has not stored is lost. */
static void end_server(struct fixture *f, struct server *server)
{
    if (server->shard.runs == NULL)
        return;
    schedule_runner_stop(&server->runner);
    schedule_runner_stop(&server->runner);
    runs_drain(server->shard.runs);
    runs_cancel_all(server->shard.runs, "server_shutdown", "the server is stopping");
    conversations_abandon(server->conversations);
    event_writers_abandon(server->event_writers);
    loop_turn(f->base.loop, 64);
    runs_forget_ended(server->shard.runs, NULL);
    loop_rig_dry(&f->base);
    EXPECT_INT("no run is left", runs_open_count(server->shard.runs), 0);
    runs_destroy(server->shard.runs);
    admission_fini(&server->admission);
    event_writers_destroy(server->event_writers);
    conversations_destroy(server->conversations);
    history_destroy(server->history);
}

static void put_schedule(struct fixture *f, uint64_t late_ms)
{
    uint64_t due_ms = loop_wall_ms(f->base.loop) - late_ms;
    const struct schedule schedule = {.caller = ann,
                                      .keeps = true,
                                      .graph = STR("orchestrator"),
                                      .message = STR("hello"),
                                      .cron = STR("@yearly"),
                                      .grace_ms = HOUR_MS,
                                      .webhook = STR("https://hooks.example.com/"),
                                      .due_ms = due_ms};
    struct json_write json;
    struct buf bytes;
    buf_init(&bytes, SCHEDULE_BYTES);
    json_write_init(&json, &bytes);
    json_write_object(&json);
    schedule_write(&schedule, false, &json);
    json_write_object_end(&json);
    const struct store_put put = {.job = {.key = ann,
                                          .kind = STR(SCHEDULE_KIND),
                                          .job_id = STR(JOB),
                                          .due_ms = due_ms,
                                          .bytes = buf_str(&bytes)}};
    store_put_start(&f->call, f->store, &put, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 4);
    EXPECT_INT("put", f->call.op.err.code, ERR_OK);
    op_release(&f->call.op);
    buf_fini(&bytes);
}

static void make(struct fixture *f, uint64_t late_ms)
{
    struct buf problems;
    struct err err;
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    loop_rig_init(&f->base);
    buf_init(&problems, 4096);
    assert_int_equal(config_load(&(struct config_source){0}, &f->config, &problems), ERR_OK);
    buf_fini(&problems);
    assert_int_equal(registry_create(NULL, &f->registry, &err), ERR_OK);
    f->meters = meters_create(&(struct meters_options){.registry = f->registry});
    f->metrics = metrics_create(meters_schema(f->meters));
    f->group = (struct shard_group){
        .config = f->config, .registry = f->registry, .meters = f->meters, .count = 1};
    f->store = store_memory_create(f->base.loop);
    arena_init(&f->arena, 1 << 24);
    put_schedule(f, late_ms);
}

static void end(struct fixture *f)
{
    end_server(f, &f->one);
    end_server(f, &f->other);
    store_close(f->store, NULL, NULL);
    loop_rig_dry(&f->base);
    arena_fini(&f->arena);
    metrics_destroy(f->metrics);
    meters_destroy(f->meters);
    registry_destroy(f->registry);
    config_destroy(f->config);
    loop_rig_fini(&f->base);
}

/* Read the schedule. */
static void look(struct fixture *f)
{
    const struct store_jobs ask = {.key = ann, .kind = STR(SCHEDULE_KIND), .job_id = STR(JOB)};
    struct err err;
    store_jobs_start(&f->call, f->store, &ask, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 1);
    assert_int_equal(f->call.job_count, 1);
    f->job_due_ms = f->call.jobs[0].due_ms;
    arena_fini(&f->arena);
    arena_init(&f->arena, 1 << 24);
    struct store_job job = f->call.jobs[0];
    job.bytes = arena_str(&f->arena, job.bytes);
    op_release(&f->call.op);
    EXPECT_INT("read", schedule_read(&job, &f->arena, &f->schedule, &err), ERR_OK);
}

static size_t count_runs(struct fixture *f)
{
    const struct store_runs ask = {.key = ann};
    store_runs_start(&f->call, f->store, &ask, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 1);
    size_t count = f->call.run_count;
    op_release(&f->call.op);
    return count;
}

/* Let time pass until the time that was due is dealt with. */
static bool is_dealt_with(struct fixture *f)
{
    uint64_t far_ms = loop_wall_ms(f->base.loop) + 2 * HOUR_MS;
    for (unsigned turn = 0; turn < MOST_TURNS; turn++) {
        (void)!loop_run_dry(f->base.loop, 1);
        if (turn % 64 != 0)
            continue;
        look(f);
        if (f->job_due_ms > far_ms)
            return true;
    }
    return false;
}

/* One run, and its owner reads so once. */
static void expect_one_run(struct fixture *f, const char *what)
{
    EXPECT_TRUE(what, is_dealt_with(f));
    EXPECT_INT(what, count_runs(f), 1);
    EXPECT_INT(what, f->schedule.note_count, 1);
    EXPECT_STR(what, f->schedule.notes[0].what, STR("begun"));
}

TEST(a_time_that_is_due_begins_a_run)
{
    struct fixture f;
    make(&f, 1000);
    begin_server(&f, &f.one, "one");
    expect_one_run(&f, "one");
    end(&f);
}

TEST(stopped_at_every_turn)
{
    bool has_begun = false;
    for (unsigned turns = 0; !has_begun; turns++) {
        struct fixture f;
        assert_true(turns < 500);
        make(&f, 1000);
        begin_server(&f, &f.one, "one");
        (void)!loop_run_dry(f.base.loop, turns);
        end_server(&f, &f.one);
        f.one.shard.runs = NULL;
        look(&f);
        has_begun = f.schedule.note_count > 0;
        begin_server(&f, &f.other, "other");
        expect_one_run(&f, "by another");
        end(&f);
    }
}

/* Its schedule is taken anew long after its run began, and within its grace. */
TEST(a_run_is_found_after_a_long_time)
{
    struct fixture f;
    make(&f, 1000);
    begin_server(&f, &f.one, "one");
    for (unsigned turn = 0; turn < MOST_TURNS && count_runs(&f) == 0; turn++)
        (void)!loop_run_dry(f.base.loop, 1);
    f.one.faulty.is_down = true; /* before it can say so */
    end_server(&f, &f.one);
    f.one.shard.runs = NULL;
    look(&f);
    EXPECT_INT("nothing is said", f.schedule.note_count, 0);
    loop_advance(f.base.loop, HOUR_MS / 2);
    begin_server(&f, &f.other, "other");
    expect_one_run(&f, "by another");
    end(&f);
}

/* One call fails, or its answer is lost, or all from then on, and another server takes over. */
TEST(whichever_call_fails)
{
    for (unsigned way = 0; way < 4; way++) {
        bool is_swept = false;
        for (unsigned n = 1; !is_swept; n++) {
            struct fixture f;
            assert_true(n < 200);
            make(&f, 1000);
            begin_server(&f, &f.one, "one");
            f.one.faulty.fail_at = n;
            f.one.faulty.keeps = way % 2 == 1;
            f.one.faulty.for_good = way >= 2;
            for (unsigned turn = 0; turn < 400 && f.schedule.note_count == 0; turn++) {
                (void)!loop_run_dry(f.base.loop, 1);
                look(&f);
            }
            is_swept = f.one.faulty.calls < n;
            if (way >= 2) {
                end_server(&f, &f.one);
                f.one.shard.runs = NULL;
                begin_server(&f, &f.other, "other");
            }
            expect_one_run(&f, "all the same");
            end(&f);
        }
    }
}

TEST(without_memory_at_any_allocation)
{
    bool is_swept = false;
    for (uint64_t n = 1; !is_swept; n++) {
        struct fixture f;
        make(&f, 1000);
        begin_server(&f, &f.one, "one");
        uint64_t before = mem_alloc_count();
        mem_fail_nth(n);
        for (unsigned turn = 0; turn < 100; turn++)
            (void)!loop_run_dry(f.base.loop, 1);
        is_swept = mem_alloc_count() - before < n;
        mem_fail_nth(0);
        EXPECT_TRUE("dealt with", is_dealt_with(&f));
        EXPECT_INT("one run", count_runs(&f), 1);
        end(&f);
    }
}

RUN_TESTS(T(a_time_that_is_due_begins_a_run), T(stopped_at_every_turn),
          T(a_run_is_found_after_a_long_time), T(whichever_call_fails),
          T(without_memory_at_any_allocation))
