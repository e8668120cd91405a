/* SPDX-License-Identifier: MIT */
/* bench/grow.c - what a request costs a worker beside more and more other runs.
 *
 * bench_grow [MOST]: beside N runs that go on, N that wait for their conversation, N that ended and
 * linger, and N turns whose save does not end, requests begin, answer and end, with a store that
 * answers at once. N doubles from 100 to MOST (default 12800). Printed: this thread's CPU for each
 * request, less what the same time costs without requests, and its ratio to the least N's. Nothing
 * may grow with the number of runs: the ratio is to stay below 1.3, but for what a processor's
 * caches no longer hold.
 * Happy path: a worker's runs, records and conversations without sockets, on a clock of our own.
 * Failure: a run that is refused, or does not end, ends the program with status 1. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agents/memory/history.h"
#include "server/config/run_limits.h"
#include "server/conversations/conversations.h"
#include "server/records/checkpoint_writers.h"
#include "server/records/event_writers.h"
#include "server/runs/runs.h"

enum {
    FEWEST = 100,
    MOST = 12800,
    REQUESTS = 2000,
    AT_ONCE = 20,
    ROUND_MS = 20,
    ROUNDS = 9, /* of each number: the least counts */
    MOST_TURNS = 100,
    NAME_BYTES = 32,
    HISTORY_BYTES = 1 << 30,
};

/* Whose runs are timed, and do not linger. */
#define TIMED "timed"
static const struct identity timed = {.company_id = {TIMED, sizeof TIMED - 1},
                                      .user_id = {TIMED, sizeof TIMED - 1}};

struct ready_store { /* answers at once, and keeps nothing */
    struct store store;
    bool parks; /* saves do not end */
};

struct bench {
    struct loop *loop;
    struct config *config;
    struct registry *registry;
    struct meters *meters;
    struct metrics *metrics;
    struct admission admission;
    struct services services;
    struct knowledge_set set;
    struct knowledge_pin pin;
    struct log log;
    struct ready_store store;
    struct conversations *conversations;
    struct event_writers *event_writers;
    struct checkpoint_writers *checkpoint_writers;
    struct runs *runs;
    unsigned names; /* used up */
};

static void give_up(const char *why)
{
    fprintf(stderr, "bench_grow: %s\n", why);
    exit(1);
}

/* ---- the store ---- */

static void cancel_call(struct op *op)
{
    if (!op_is_finishing(op))
        op_finish(op, ERR_CANCELLED, "cancelled");
}

static enum err_code answer(struct store_call *call)
{
    static const struct store_verdict kept = {.is_kept = true};
    static const struct store_run unasked = {.epoch = 1};
    enum err_code code = ERR_OK;
    switch (call->verb) {
    case STORE_BEGIN:
        return store_add_run(call, &call->ask.begin->run);
    case STORE_RENEW:
        return store_add_run(call, &unasked);
    case STORE_WRITE:
        for (size_t i = 0; i < call->ask.write->count && code == ERR_OK; i++)
            code = store_add_verdict(call, &kept);
        return code;
    case STORE_SAVE:
        call->version = call->ask.save->expected_version + 1;
        return ERR_OK;
    default:
        return ERR_OK;
    }
}

static void start_call(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "store.ready", .cancel = cancel_call, .release = store_call_release};
    struct ready_store *ready = container_of(store, struct ready_store, store);
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    if (ready->parks && call->verb == STORE_SAVE)
        return;
    const struct err err = {.code = answer(call)};
    op_finish_err(&call->op, &err);
}

/* ---- a worker ---- */

static bool may_end(void *owner, const struct store_run *run)
{
    const struct bench *bench = owner;
    return !conversations_is_saving(bench->conversations, &run->key) &&
           !checkpoint_writers_is_writing(bench->checkpoint_writers, run->run_id);
}

static void on_idle(void *owner)
{
    (void)owner;
}

static void make_records(struct bench *bench)
{
    static const struct store_vtable vtable = {.name = "ready", .start = start_call};
    bench->store = (struct ready_store){.store = {.vtable = &vtable, .loop = bench->loop}};
    bench->conversations =
        conversations_create(&(struct conversations_options){.loop = bench->loop,
                                                             .store = &bench->store.store,
                                                             .history = bench->services.history,
                                                             .turns = 10,
                                                             .log = &bench->log,
                                                             .owner = bench,
                                                             .on_idle = on_idle});
    bench->event_writers =
        event_writers_create(&(struct event_writers_options){.loop = bench->loop,
                                                             .store = &bench->store.store,
                                                             .instance = STR("bench"),
                                                             .lease_ms = bench->config->lease_ms,
                                                             .log = &bench->log,
                                                             .owner = bench,
                                                             .on_idle = on_idle,
                                                             .may_end = may_end,
                                                             .on_stop = runs_stop_run,
                                                             .on_lost = runs_lose_run});
    bench->checkpoint_writers =
        checkpoint_writers_create(&(struct checkpoint_writers_options){.loop = bench->loop,
                                                                       .store = &bench->store.store,
                                                                       .instance = STR("bench"),
                                                                       .delay_ms = ROUND_MS,
                                                                       .log = &bench->log});
}

static void make_worker(struct bench *bench)
{
    static const char *const settings[] = {"ASKD_WORKERS=1",
                                           "ASKD_MAX_RUNS=100000",
                                           "ASKD_MAX_QUEUED_RUNS=100000",
                                           "ASKD_LINGER_SECONDS=86400",
                                           "ASKD_LEASE_SECONDS=600",
                                           NULL};
    const struct config_source source = {.environment = settings};
    struct buf problems;
    struct err err;
    buf_init(&problems, 4096);
    bench->loop = loop_create();
    bench->log = (struct log){.level = LOG_OFF};
    if (bench->loop == NULL || config_load(&source, &bench->config, &problems) != ERR_OK ||
        registry_create(NULL, &bench->registry, &err) != ERR_OK)
        give_up("no worker");
    buf_fini(&problems);
    loop_fake_clock(bench->loop, UINT64_C(1700000000000));
    bench->meters = meters_create(&(struct meters_options){.registry = bench->registry});
    bench->metrics = metrics_create(meters_schema(bench->meters));
    admission_init(&bench->admission, bench->loop, bench->config);
    bench->services =
        (struct services){.history = history_create(HISTORY_BYTES), .loop = bench->loop};
    bench->pin.set = &bench->set;
    make_records(bench);
    bench->runs = runs_create(&(struct runs_options){
        .loop = bench->loop,
        .config = bench->config,
        .worker_count = 1,
        .linger_bytes = SIZE_MAX,
        .services = &bench->services,
        .event_writers = bench->event_writers,
        .checkpoint_writers = bench->checkpoint_writers,
        .conversations = bench->conversations,
        .admission = &bench->admission,
        .meters = bench->meters,
        .metrics = bench->metrics,
        .log = &bench->log,
        .owner = bench,
        .on_idle = on_idle,
    });
    if (bench->runs == NULL)
        give_up("no worker");
}

/* ---- runs ---- */

/* Begin a run in the conversation of this number. Eight users are in a company. */
static struct runs_entry *submit(struct bench *bench, const char *message, unsigned number,
                                 bool is_timed)
{
    char conversation[NAME_BYTES], company[NAME_BYTES], user[NAME_BYTES];
    struct runs_entry *entry;
    struct err err = {0};
    snprintf(conversation, sizeof conversation, "conversation-%08u", number);
    snprintf(company, sizeof company, is_timed ? TIMED : "company-%u", number / 8);
    snprintf(user, sizeof user, is_timed ? TIMED : "user-%u", number);
    const struct runs_request request = {
        .graph = registry_graph(bench->registry, 0),
        .entry = registry_entry(bench->registry, 0),
        .pin = &bench->pin,
        .multitask = RUNS_ENQUEUE,
        .outlives_readers = true,
        .caller = {str_of(conversation), str_of(company), str_of(user)},
        .message = str_of(message),
    };
    if (runs_submit(bench->runs, &request, &entry, &err) != ERR_OK)
        give_up(err.text);
    return entry;
}

/* Let runs that are no more than AT_ONCE come to their end, in ROUND_MS of the clock. */
static void turn(struct bench *bench, struct runs_entry *const *entries, size_t count)
{
    unsigned turns = 0;
    for (size_t i = 0; i < count; i++)
        while (!runs_has_ended(entries[i]) && turns++ < MOST_TURNS)
            loop_turn(bench->loop, 1);
    if (turns >= MOST_TURNS)
        give_up("a run did not end");
    loop_advance(bench->loop, ROUND_MS);
    loop_turn(bench->loop, 4);
}

/* Make it count runs of each kind, from before. */
static void grow(struct bench *bench, unsigned before, unsigned count)
{
    for (unsigned i = before; i < count; i++) {
        unsigned live = ++bench->names, saved = ++bench->names;
        (void)submit(bench, "stall 1", live, false);
        turn(bench, NULL, 0);
        (void)submit(bench, "hello", live, false); /* waits for its turn there */
        bench->store.parks = true;
        struct runs_entry *ends = submit(bench, "hello", saved, false);
        turn(bench, &ends, 1);
        bench->store.parks = false;
    }
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* CPU of a round of requests; at_once 0: of the same time without any. */
static uint64_t time_round(struct bench *bench, unsigned at_once)
{
    struct runs_entry *entries[AT_ONCE];
    uint64_t began_ns = cpu_ns();
    for (unsigned done = 0; done < REQUESTS; done += AT_ONCE) {
        for (unsigned i = 0; i < at_once; i++)
            entries[i] = submit(bench, "stream 10 0 8", ++bench->names, true);
        turn(bench, entries, at_once);
    }
    uint64_t spent_ns = cpu_ns() - began_ns;
    runs_forget_ended(bench->runs, &timed);
    return spent_ns;
}

static double measure(struct bench *bench)
{
    uint64_t least_idle = UINT64_MAX, least = UINT64_MAX;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t idle = time_round(bench, 0), busy = time_round(bench, AT_ONCE);
        least_idle = idle < least_idle ? idle : least_idle;
        least = busy < least ? busy : least;
    }
    return least > least_idle ? (double)(least - least_idle) / REQUESTS / 1000 : 0;
}

int main(int count, char **arguments)
{
    static struct bench bench;
    unsigned long most = count > 1 ? strtoul(arguments[1], NULL, 10) : MOST;
    unsigned before = 0;
    double first = 0, ratio = 1;
    make_worker(&bench);
    printf("%8s %10s %6s\n", "runs", "us/req", "ratio");
    for (unsigned runs = FEWEST; runs <= most; runs *= 2) {
        grow(&bench, before, runs);
        double us = measure(&bench);
        before = runs;
        first = first > 0 ? first : us;
        ratio = first > 0 ? us / first : 0;
        printf("%8u %10.2f %6.2f\n", runs, us, ratio);
        fflush(stdout);
    }
    return 0;
}
