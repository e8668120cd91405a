/* SPDX-License-Identifier: MIT */
/* A result that nobody takes is sent so often, then its schedule says so and the delivery is gone,
 * whatever becomes of who sends: stopped at any turn or call, or any call fails. */
#include "server/schedules/delivery_runner.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/stores/store_memory.h"
#include "core/store/event_bytes.h"
#include "tests/lib/fake_names.h"
#include "tests/lib/faulty_store.h"
#include "tests/lib/loop_rig.h"

enum { MOST_TURNS = 6000, RUN_LEASE_MS = 60000 };

#define HOOK "http://127.0.0.1:1/" /* where nobody listens */
#define NAME "moves.test"

static const struct identity ann = {{"", 0}, {"acme", 4}, {"ann", 3}};

/* One server on the store. */
struct server {
    struct faulty_store faulty;
    struct wiring wiring;
    struct shard shard;
    struct delivery_runner runner;
    unsigned stop_at, changes; /* stopped by this call; calls that changed something, with it */
};

/* Where results go, and whether an address of this machine will do. */
static const char *hook = HOOK;
static bool is_private = true;
/* Whether its run is there from the start. */
static bool has_run = true;

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
    struct server one, other;
};

static void start_call(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct server *server = container_of(store, struct server, faulty.store);
    faulty_store_start(store, call, waiter);
    if (server->faulty.calls != server->stop_at)
        return;
    delivery_runner_stop(&server->runner);
    server->changes = server->faulty.changes;
}

static void begin_server(struct fixture *f, struct server *server)
{
    static const struct store_vtable vtable = {.name = "stopping", .start = start_call};
    struct loop *loop = f->base.loop;
    *server = (struct server){.wiring = {.loop = loop}};
    faulty_store_init(&server->faulty, f->store);
    server->faulty.store.vtable = &vtable;
    server->wiring.events = &server->faulty.store;
    server->wiring.client = http_client_create(loop, &(struct http_client_options){0});
    assert_non_null(server->wiring.client);
    server->shard = (struct shard){.group = &f->group,
                                   .loop = loop,
                                   .log = &f->log,
                                   .metrics = f->metrics,
                                   .wiring = &server->wiring};
    delivery_runner_start(&server->runner, &server->shard);
}

static void end_server(struct fixture *f, struct server *server)
{
    if (server->wiring.client == NULL)
        return;
    delivery_runner_stop(&server->runner);
    delivery_runner_stop(&server->runner);
    http_client_close(server->wiring.client, NULL, NULL);
    server->wiring.client = NULL;
    unsigned changes = server->faulty.changes;
    loop_rig_dry(&f->base);
    EXPECT_INT("nothing is changed any more", server->faulty.changes, changes);
}

/* Wait for a call that fixes what the store has. */
static void wait_for(struct fixture *f)
{
    loop_turn(f->base.loop, 2);
    EXPECT_INT("done", f->call.op.err.code, ERR_OK);
    op_release(&f->call.op);
}

static void put_run(struct fixture *f)
{
    static const struct store_fence fence = {STR("run_1"), STR("dead"), 1};
    static const struct event event = {.kind = EVENT_COMPLETE, .text = STR("\"route\":\"sql\"")};
    const struct store_begin begin = {.run = {.key = ann,
                                              .run_id = STR("run_1"),
                                              .graph = STR("orchestrator"),
                                              .input = STR("hello"),
                                              .idempotency_key = STR("sch_1-1"),
                                              .instance = STR("dead")},
                                      .lease_ms = RUN_LEASE_MS};
    struct buf bytes;
    buf_init(&bytes, 4096);
    event_bytes_begin(&bytes);
    event_bytes_push(&bytes, &event);
    event_bytes_end(&bytes);
    const struct store_append append = {fence, {1, 1, buf_str(&bytes)}};
    const struct store_finish finish = {fence, STORE_COMPLETE};
    store_begin_start(&f->call, f->store, &begin, loop_rig_waiter(&f->base));
    wait_for(f);
    store_append_start(&f->call, f->store, &append, loop_rig_waiter(&f->base));
    wait_for(f);
    store_finish_start(&f->call, f->store, &finish, loop_rig_waiter(&f->base));
    wait_for(f);
    buf_fini(&bytes);
}

static void put_jobs(struct fixture *f)
{
    const struct delivery delivery = {
        .key = ann, .run_key = STR("sch_1-1"), .schedule_id = STR("sch_1"), .url = str_of(hook)};
    const struct schedule schedule = {.caller = ann,
                                      .graph = STR("orchestrator"),
                                      .cron = STR("@yearly"),
                                      .webhook = str_of(hook)};
    struct store_put put;
    struct json_write json;
    struct buf bytes;
    buf_init(&bytes, SCHEDULE_BYTES);
    EXPECT_TRUE("written", delivery_write(&delivery, STR("sch_1-1"), 1, &bytes, &put));
    store_put_start(&f->call, f->store, &put, loop_rig_waiter(&f->base));
    wait_for(f);
    buf_clear(&bytes);
    json_write_init(&json, &bytes);
    json_write_object(&json);
    schedule_write(&schedule, false, &json);
    json_write_object_end(&json);
    put = (struct store_put){.job = {.key = ann,
                                     .kind = STR(SCHEDULE_KIND),
                                     .job_id = STR("sch_1"),
                                     .bytes = buf_str(&bytes)}};
    store_put_start(&f->call, f->store, &put, loop_rig_waiter(&f->base));
    wait_for(f);
    buf_fini(&bytes);
}

static void make(struct fixture *f)
{
    char hooks[64];
    snprintf(hooks, sizeof hooks, "ASKD_WEBHOOKS=%s", hook);
    const char *const settings[] = {hooks, "ASKD_WEBHOOK_RETRY_SECONDS=0.01",
                                    is_private ? "ASKD_WEBHOOK_PRIVATE=on" : NULL, NULL};
    const struct config_source source = {.environment = settings};
    struct buf problems;
    struct err err;
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    loop_rig_init(&f->base);
    buf_init(&problems, 4096);
    assert_int_equal(config_load(&source, &f->config, &problems), ERR_OK);
    buf_fini(&problems);
    assert_int_equal(registry_create(NULL, &f->registry, &err), ERR_OK);
    f->meters = meters_create(&(struct meters_options){.registry = f->registry});
    f->metrics = metrics_create(meters_schema(f->meters));
    f->group = (struct shard_group){
        .config = f->config, .registry = f->registry, .meters = f->meters, .count = 1};
    f->store = store_memory_create(f->base.loop);
    if (has_run)
        put_run(f);
    put_jobs(f);
    begin_server(f, &f->one);
}

static void end(struct fixture *f)
{
    end_server(f, &f->one);
    end_server(f, &f->other);
    store_close(f->store, NULL, NULL);
    loop_rig_dry(&f->base);
    metrics_destroy(f->metrics);
    meters_destroy(f->meters);
    registry_destroy(f->registry);
    config_destroy(f->config);
    loop_rig_fini(&f->base);
}

/* Whether there is a delivery. */
static bool is_waiting(struct fixture *f)
{
    const struct store_jobs ask = {.key = ann, .kind = STR(DELIVERY_KIND)};
    store_jobs_start(&f->call, f->store, &ask, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 1);
    bool is_waiting = f->call.job_count > 0;
    op_release(&f->call.op);
    return is_waiting;
}

/* Let time pass until the delivery is gone. is_told: its schedule says so, which it does not when
 * the call that says it is the one that fails. */
static void expect_given_up(struct fixture *f, const char *what, bool is_told)
{
    const struct store_jobs ask = {.key = ann, .kind = STR(SCHEDULE_KIND)};
    struct schedule schedule;
    struct arena arena;
    struct err err;
    unsigned turns = 0;
    while (turns < MOST_TURNS && (turns % 16 != 0 || is_waiting(f))) {
        (void)!loop_run_dry(f->base.loop, 1);
        turns++;
    }
    EXPECT_TRUE(what, turns < MOST_TURNS);
    arena_init(&arena, 1 << 20);
    store_jobs_start(&f->call, f->store, &ask, loop_rig_waiter(&f->base));
    loop_turn(f->base.loop, 1);
    EXPECT_INT(what, f->call.job_count, 1);
    EXPECT_INT(what, schedule_read(f->call.jobs, &arena, &schedule, &err), ERR_OK);
    EXPECT_TRUE(what, !is_told || (schedule.webhook_failures > 0 && schedule.webhook_said.len > 0));
    op_release(&f->call.op);
    arena_fini(&arena);
}

TEST(nobody_takes_it)
{
    struct fixture f;
    make(&f);
    expect_given_up(&f, "given up", true);
    end(&f);
}

TEST(stopped_at_every_turn)
{
    bool is_swept = false;
    for (unsigned turns = 0; !is_swept; turns++) {
        struct fixture f;
        make(&f);
        (void)!loop_run_dry(f.base.loop, turns);
        end_server(&f, &f.one);
        is_swept = !is_waiting(&f);
        EXPECT_TRUE("the sweep ends", turns < MOST_TURNS);
        begin_server(&f, &f.other);
        expect_given_up(&f, "by another", true);
        end(&f);
    }
}

/* While a call is under way: what it says is not acted upon. */
TEST(stopped_at_every_call)
{
    bool is_swept = false;
    for (unsigned n = 1; !is_swept; n++) {
        struct fixture f;
        make(&f);
        f.one.stop_at = n;
        for (unsigned turns = 0; turns < MOST_TURNS && is_waiting(&f); turns++)
            if (loop_run_dry(f.base.loop, 1) || f.one.faulty.calls >= n)
                break;
        is_swept = f.one.faulty.calls < n;
        loop_turn(f.base.loop, 32);
        EXPECT_TRUE("nothing is changed any more",
                    is_swept || f.one.faulty.changes == f.one.changes);
        end_server(&f, &f.one);
        begin_server(&f, &f.other);
        expect_given_up(&f, "by another", true);
        end(&f);
    }
}

TEST(whichever_call_fails)
{
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        bool is_swept = false;
        for (unsigned n = 1; !is_swept; n++) {
            struct fixture f;
            make(&f);
            f.one.faulty.fail_at = n;
            f.one.faulty.keeps = keeps;
            expect_given_up(&f, "all the same", false);
            is_swept = f.one.faulty.calls < n;
            end(&f);
        }
    }
}

/* A name that is public when it is judged and of this machine when it is asked again: what is
 * judged is the address that is connected to, each time. */
TEST(a_name_that_moves_is_not_followed_inside)
{
    static const char *const answers[] = {"8.8.8.8 127.0.0.1", "127.0.0.1 8.8.8.8"};
    struct fixture f;
    hook = "http://" NAME ":1/";
    is_private = false;
    setenv("no_proxy", "*", 1);
    fake_names_set(NAME, answers, countof(answers));
    make(&f);
    expect_given_up(&f, "given up", true);
    EXPECT_TRUE("tried", fake_names_seen().outside > 0);
    EXPECT_INT("never inside", fake_names_seen().inside, 0);
    end(&f);
    hook = HOOK;
    is_private = true;
}

/* Whoever put it had a later clock than who takes it: it is no old one without a run. */
TEST(put_by_a_later_clock)
{
    struct fixture f;
    has_run = false;
    make(&f);
    has_run = true;
    loop_fake_clock(f.base.loop, loop_wall_ms(f.base.loop) - 5000);
    for (unsigned turns = 0; f.one.faulty.changes < 2; turns++) { /* taken and put back */
        EXPECT_TRUE("it is looked at", turns < MOST_TURNS);
        (void)!loop_run_dry(f.base.loop, 1);
    }
    EXPECT_TRUE("it waits for its run", is_waiting(&f));
    put_run(&f);
    expect_given_up(&f, "sent, by nobody taken", true);
    end(&f);
}

RUN_TESTS(T(put_by_a_later_clock), T(nobody_takes_it), T(a_name_that_moves_is_not_followed_inside),
          T(stopped_at_every_turn), T(stopped_at_every_call), T(whichever_call_fails))
