/* SPDX-License-Identifier: MIT */
/* bench/retention.c - what it costs the others when old conversations go, and to load a long one.
 *
 * bench_retention [--conversations N] [--turns N] URL...: for each store (sqlite:PATH,
 * postgresql://..., redis://...) fills N conversations of one turn and one of many turns, then
 * lets server/retention remove the N while another writer, with a connection of its own, saves
 * turn after turn. Prints the longest that one turn of the loop took in which retention asked or
 * was answered, the thread's own computing (1 ms is the aim) and by the clock, beside all turns of
 * that time, a loop that only counts (what the machine does to anybody) and turns while nothing is
 * removed; the longest call that removes, which is the longest that anything is locked (50 ms),
 * and the longest that the writer waited; and how long it takes to load the last turns of the long
 * one, and all of them (5 ms). What it fills stays in the store: give it one of its own. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "backends/stores/store_pg.h"
#include "backends/stores/store_redis.h"
#include "backends/stores/store_sqlite.h"
#include "bench/samples.h"
#include "server/conversations/retention.h"

enum { CONVERSATIONS = 100000, TURNS = 1000, AT_ONCE = 64, LOADS = 200, AGE_MS = 3000 };
enum { BASE_SAVES = 300, TIMEOUT_MS = 60000, LAST_TURNS = 50 };
enum { OVER_MS = 3000, COUNTED_TURNS = 50000, COUNTS = 20000 };

struct slot { /* one save in flight */
    struct bench *bench;
    struct store_call call;
    struct store_save save;
    struct store_turn turn;
    char id[32];
    uint64_t began_ns;
    bool done;
};

/* What one turn takes: the thread's computing, and by the clock. */
struct turn_times {
    struct samples cpu, wall;
};

/* A store that notes how long it took to remove. */
struct timed {
    struct store store;
    struct store *inner;
    struct op_waiter waiter; /* of the call in flight */
    uint64_t began_ns;
    struct samples times;
    bool worked;             /* in this turn retention asked, or was answered */
    struct turn_times turns; /* such turns */
};

struct bench {
    struct loop *loop;
    struct store *store, *other; /* what removes; the writer's own */
    struct slot slots[AT_ONCE];
    size_t in_flight;
    bool failed;
};

/* What this thread has computed: a turn's time whatever else the machine does. */
static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* ---- what is measured ---- */

static void turn(struct loop *loop, struct turn_times *times, struct timed *timed)
{
    uint64_t began_ns = loop_precise_ns(), cpu_began_ns = cpu_ns();
    loop_turn(loop, 1);
    uint64_t cpu = cpu_ns() - cpu_began_ns, wall = loop_precise_ns() - began_ns;
    if (timed != NULL && timed->worked) {
        samples_add(&timed->turns.cpu, cpu);
        samples_add(&timed->turns.wall, wall);
        timed->worked = false;
    }
    samples_add(&times->cpu, cpu);
    samples_add(&times->wall, wall);
}

/* As turn, of a loop in which nothing happens but counting. */
static void time_machine(struct turn_times *times)
{
    for (unsigned i = 0; i < COUNTED_TURNS; i++) {
        uint64_t began_ns = loop_precise_ns(), cpu_began_ns = cpu_ns();
        for (volatile unsigned n = 0; n < COUNTS; n++)
            continue;
        samples_add(&times->cpu, cpu_ns() - cpu_began_ns);
        samples_add(&times->wall, loop_precise_ns() - began_ns);
    }
}

static void on_timed(struct op *op)
{
    struct timed *timed = op_owner(op);
    struct op_waiter waiter = timed->waiter;
    timed->worked = true;
    samples_add(&timed->times, loop_precise_ns() - timed->began_ns);
    op->waiter = waiter;
    waiter.done(op);
}

static void start_timed(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct timed *timed = container_of(store, struct timed, store);
    timed->waiter = waiter;
    timed->worked = true;
    timed->began_ns = loop_precise_ns();
    call->store = timed->inner;
    timed->inner->vtable->start(timed->inner, call,
                                (struct op_waiter){.done = on_timed, .owner = timed});
}

/* ---- what is written and read ---- */

static void on_saved(struct op *op)
{
    struct slot *slot = op_owner(op);
    if (op->err.code != ERR_OK)
        fprintf(stderr, "bench_retention: %s\n", op->err.text);
    slot->bench->failed = slot->bench->failed || op->err.code != ERR_OK;
    slot->done = true;
    slot->bench->in_flight--;
    op_release(op);
}

/* A turn behind version of the conversation called prefix and number. */
static void save(struct bench *bench, struct slot *slot, struct store *store, const char *prefix,
                 uint64_t number, uint64_t version)
{
    snprintf(slot->id, sizeof slot->id, "%s-%" PRIu64, prefix, number);
    slot->bench = bench;
    slot->done = false;
    slot->turn =
        (struct store_turn){.run_id = STR("run"),
                            .question = STR("How many technicians are active in May?"),
                            .answer = STR("There are 10 active technicians in May."),
                            .details = STR("{\"graph\":\"orchestrator\",\"route\":\"sql\"}")};
    slot->save = (struct store_save){
        .key = {str_of(slot->id), STR("acme"), STR("ann")},
        .expected_version = version,
        .checkpoint = {.is_full = true,
                       .bytes = STR("a checkpoint of some five hundred bytes "
                                    "................................................"
                                    "................................................"
                                    "................................................")},
        .turns = &slot->turn,
        .turn_count = 1};
    slot->began_ns = loop_precise_ns();
    bench->in_flight++;
    store_save_start(&slot->call, store, &slot->save,
                     (struct op_waiter){.done = on_saved, .owner = slot});
}

static void drain(struct bench *bench)
{
    while (bench->in_flight > 0)
        loop_turn(bench->loop, 1);
}

static void fill(struct bench *bench, uint64_t conversations, uint64_t turns)
{
    for (uint64_t n = 0; n < conversations && !bench->failed; n++) {
        struct slot *slot = &bench->slots[n % AT_ONCE];
        while (n >= AT_ONCE && !slot->done)
            loop_turn(bench->loop, 1);
        save(bench, slot, bench->store, "old", n, 0);
    }
    drain(bench);
    for (uint64_t n = 0; n < turns && !bench->failed; n++) {
        save(bench, &bench->slots[0], bench->store, "long", 0, n);
        drain(bench);
    }
}

static void on_loaded(struct op *op)
{
    bool *done = op_owner(op);
    *done = true;
}

static void time_loads(struct bench *bench, uint64_t turns, struct samples *samples)
{
    for (unsigned i = 0; i < LOADS; i++) {
        struct store_call call = {0};
        const struct store_load load = {.key = {STR("long-0"), STR("acme"), STR("ann")},
                                        .turn_limit = turns};
        bool done = false;
        uint64_t began_ns = loop_precise_ns();
        store_load_start(&call, bench->store, &load,
                         (struct op_waiter){.done = on_loaded, .owner = &done});
        while (!done)
            loop_turn(bench->loop, 1);
        samples_add(samples, loop_precise_ns() - began_ns);
        bench->failed = bench->failed || call.op.err.code != ERR_OK || call.turn_count != turns;
        op_release(&call.op);
    }
}

/* Saves of the writer while retention works, or so many: how long each waits, what turns take. */
static void write_on(struct bench *bench, const struct retention *retention, struct timed *timed,
                     uint64_t saves, struct samples *waits, struct turn_times *times)
{
    static uint64_t written;
    struct slot *slot = &bench->slots[0];
    uint64_t last_removed = 0, changed_ns = loop_precise_ns();
    slot->done = true;
    for (uint64_t n = 0;;) {
        if (slot->done && (n == saves || bench->failed))
            return;
        if (slot->done) {
            save(bench, slot, bench->other, "new", 0, written++);
            n++;
        }
        turn(bench->loop, times, timed);
        if (slot->done)
            samples_add(waits, loop_precise_ns() - slot->began_ns);
        if (retention == NULL)
            continue;
        if (retention->removed != last_removed)
            changed_ns = loop_precise_ns();
        last_removed = retention->removed;
        if (last_removed == 0 && loop_precise_ns() - changed_ns > UINT64_C(1000000) * OVER_MS)
            saves = n; /* the round is over */
    }
}

static struct store *open_store(struct loop *loop, const char *url)
{
    struct err err = {0};
    struct str of = str_of(url);
    struct store *store;
    if (str_starts_with(of, STR("sqlite:")))
        return store_sqlite_create(
            loop, &(struct store_sqlite_options){.path = url + 7, .timeout_ms = TIMEOUT_MS});
    if (str_starts_with(of, STR("redis:")))
        store = store_redis_create(
            loop, &(struct store_redis_options){.url = of, .timeout_ms = TIMEOUT_MS}, &err);
    else
        store = store_pg_create(
            loop, &(struct store_pg_options){.url = url, .timeout_ms = TIMEOUT_MS}, &err);
    if (store == NULL)
        fprintf(stderr, "bench_retention: %s\n", err.text);
    return store;
}

static void on_closed(void *owner)
{
    size_t *open = owner;
    --*open;
}

static void print_turns(const char *what, const struct turn_times *times)
{
    printf("  a turn of the loop, %-22s longest %6.2f ms computing, %6.2f ms by the clock\n", what,
           (double)times->cpu.most / 1e6, (double)times->wall.most / 1e6);
}

static void print_samples(const char *what, const struct samples *samples)
{
    printf("  %-42s p50 %6.2f ms, p99 %6.2f ms, longest %6.2f ms\n", what,
           samples_us(samples, 0.5) / 1e3, samples_us(samples, 0.99) / 1e3,
           (double)samples->most / 1e6);
}

struct figures {
    struct samples few_loads, all_loads, base_waits, waits;
    struct turn_times machine, base_turns, turns;
};

static void print_figures(const struct figures *got, const struct timed *timed, double seconds)
{
    print_samples("load of the last turns of the long one", &got->few_loads);
    print_samples("load of all its turns", &got->all_loads);
    printf("  removed in %.1f s\n", seconds);
    print_turns("in which retention works", &timed->turns);
    print_turns("while all this goes on", &got->turns);
    print_turns("nothing is removed", &got->base_turns);
    print_turns("it only counts", &got->machine);
    print_samples("a call that removes", &timed->times);
    print_samples("another writer's save", &got->waits);
    print_samples("the same, nothing is removed", &got->base_waits);
}

static bool measure(const char *url, uint64_t conversations, uint64_t turns)
{
    static const struct store_vtable timed_vtable = {"timed", start_timed, NULL, NULL};
    static const struct log log = {.level = LOG_WARN};
    static struct figures got;
    static struct timed timed;
    static struct bench bench;
    struct retention retention = {0};
    size_t open = 2;
    got = (struct figures){0};
    bench = (struct bench){.loop = loop_create()};
    bench.store = open_store(bench.loop, url);
    bench.other = open_store(bench.loop, url);
    if (bench.store == NULL || bench.other == NULL)
        return false;
    timed = (struct timed){.store = {&timed_vtable, bench.loop}, .inner = bench.store};
    uint64_t began_ns = loop_precise_ns();
    fill(&bench, conversations, turns);
    printf("%s: %" PRIu64 " conversations and one of %" PRIu64 " turns, filled in %.1f s\n", url,
           conversations, turns, (double)(loop_precise_ns() - began_ns) / 1e9);
    time_loads(&bench, LAST_TURNS, &got.few_loads);
    time_loads(&bench, turns, &got.all_loads);
    uint64_t until_ns = loop_precise_ns() + UINT64_C(1000000) * (AGE_MS + 500);
    while (loop_precise_ns() < until_ns) /* until all is old but what is written now */
        write_on(&bench, NULL, NULL, BASE_SAVES, &got.base_waits, &got.base_turns);
    time_machine(&got.machine);
    began_ns = loop_precise_ns();
    retention_start(&retention, &timed.store, AGE_MS, UINT64_C(3600000), &log);
    write_on(&bench, &retention, &timed, UINT64_MAX, &got.waits, &got.turns);
    print_figures(&got, &timed, (double)(loop_precise_ns() - began_ns) / 1e9 - OVER_MS / 1e3);
    retention_stop(&retention);
    store_close(bench.store, on_closed, &open);
    store_close(bench.other, on_closed, &open);
    while (open > 0)
        loop_turn(bench.loop, 1);
    loop_destroy(bench.loop);
    return !bench.failed;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"conversations", required_argument, NULL, 'c'},
                                            {"turns", required_argument, NULL, 't'},
                                            {0}};
    uint64_t conversations = CONVERSATIONS, turns = TURNS;
    bool fine = true;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        fine = fine && (option == 'c'   ? str_to_u64(str_of(optarg), &conversations)
                        : option == 't' ? str_to_u64(str_of(optarg), &turns)
                                        : false);
    if (!fine || optind == argc || conversations < AT_ONCE || turns < LAST_TURNS ||
        turns > STORE_MAX_ROWS) {
        fprintf(stderr, "usage: bench_retention [--conversations N] [--turns N] URL...\n");
        return 2;
    }
    for (int i = optind; i < argc && fine; i++)
        fine = measure(argv[i], conversations, turns);
    return fine ? 0 : 1;
}
