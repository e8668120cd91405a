/* SPDX-License-Identifier: MIT */
/* What runs say goes through the journal: however it is written, settled, taken over and read, by
 * one connection or another, a run's events are there once, in order and without a gap. */
#include "backends/stores/store_sqlite.h"

#include <sqlite3.h>

#include "core/store/event.h"
#include "core/store/store.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { RUNS = 6, STORES = 2, STEPS = 300, LARGE = 40 * 1024 };

struct model_run {
    char id[16];
    uint64_t epoch, last_id, ids[4]; /* ids: the last one of each epoch, from 1 on */
    bool has_ended;
};

struct world {
    struct rig rig;
    struct sqlite_file file;
    struct store *stores[STORES];
    struct store_call call;
    struct model_run runs[RUNS];
    unsigned begun;
    uint32_t random;
};

static const char *const instances[STORES] = {"one", "two"};
static const struct identity ann = {{"", 0}, {"acme", 4}, {"ann", 3}};

static unsigned pick(struct world *w, unsigned count)
{
    w->random = w->random * 1103515245U + 12345U;
    return (w->random >> 16) % count;
}

static void open_store(struct world *w, size_t at)
{
    w->stores[at] = store_sqlite_create(
        w->rig.loop,
        &(struct store_sqlite_options){.path = w->file.path, .timeout_ms = RIG_SWEEP_MAX});
    assert_non_null(w->stores[at]);
}

static enum err_code wait(struct world *w)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&w->call.op); run++)
        loop_run(w->rig.loop);
    return w->call.op.err.code;
}

#define ASK(world, at, verb, ...)                                                                  \
    (op_release(&(world)->call.op),                                                                \
     store_##verb##_start(&(world)->call, (world)->stores[at],                                     \
                          &(struct store_##verb){__VA_ARGS__}, rig_waiter(&(world)->rig)),         \
     wait(world))

static void begin_run(struct world *w, struct model_run *run)
{
    *run = (struct model_run){.epoch = 1};
    snprintf(run->id, sizeof run->id, "r-%u", w->begun++);
    EXPECT_INT("begin",
               ASK(w, 0, begin, .lease_ms = 1,
                   .run = {.key = ann,
                           .run_id = str_of(run->id),
                           .graph = STR("g"),
                           .instance = str_of(instances[0])}),
               ERR_OK);
}

static size_t owner_of(const struct model_run *run)
{
    return (run->epoch - 1) % STORES;
}

static struct store_fence fence_of(const struct model_run *run)
{
    return (struct store_fence){str_of(run->id), str_of(instances[owner_of(run)]), run->epoch};
}

static uint64_t next_id(const struct model_run *run)
{
    bool is_first = run->ids[run->epoch - 1] == 0;
    return is_first ? event_first_id(run->epoch) : run->last_id + 1;
}

/* One write of batches of several runs of a store: each batch is the ids of its events. */
static void write_some(struct world *w, size_t at, unsigned bytes)
{
    static char texts[RUNS][LARGE + 64];
    struct store_append appends[RUNS];
    struct model_run *whose[RUNS];
    size_t count = 0;
    for (size_t i = 0; i < RUNS; i++) {
        struct model_run *run = &w->runs[i];
        if (run->has_ended || owner_of(run) != at || pick(w, 3) == 0)
            continue;
        uint64_t first = next_id(run), events = 1 + pick(w, 5);
        int len = snprintf(texts[count], sizeof texts[count], "%llu+%llu %0*u",
                           (unsigned long long)first, (unsigned long long)events, (int)bytes, 7);
        appends[count] = (struct store_append){
            fence_of(run), {first, events, str_make(texts[count], (size_t)len)}};
        run->last_id = run->ids[run->epoch - 1] = first + events - 1;
        whose[count++] = run;
    }
    if (count == 0)
        return;
    EXPECT_INT("write", ASK(w, at, write, .appends = appends, .count = count), ERR_OK);
    for (size_t i = 0; i < count; i++) {
        EXPECT_TRUE(whose[i]->id, w->call.verdicts[i].is_kept);
        EXPECT_INT(whose[i]->id, w->call.verdicts[i].last_id, whose[i]->last_id);
    }
}

/* Read all that comes after an id, in pages; what is not contiguous begins an epoch. */
static void read_run(struct world *w, size_t at, const struct model_run *run)
{
    uint64_t after = run->last_id == 0 ? 0 : pick(w, (unsigned)(run->ids[0] + 1)), seen = after;
    do {
        EXPECT_INT("read",
                   ASK(w, at, read, .run_id = str_of(run->id), .after_id = seen,
                       .limit_bytes = 1 + pick(w, 200)),
                   ERR_OK);
        EXPECT_INT(run->id, w->call.last_id, run->last_id);
        EXPECT_INT(run->id, w->call.runs[0].last_event_id, run->last_id);
        for (size_t i = 0; i < w->call.batch_count; i++) {
            const struct store_batch *batch = &w->call.batches[i];
            char head[64];
            bool follows = batch->first_id <= seen + 1 || batch->first_id % EVENT_IDS_A_SERVER == 1;
            snprintf(head, sizeof head, "%llu+%llu ", (unsigned long long)batch->first_id,
                     (unsigned long long)batch->count);
            EXPECT_TRUE("its own bytes", str_starts_with(batch->bytes, str_of(head)));
            EXPECT_TRUE("no gap", follows);
            EXPECT_TRUE("what is new", batch->first_id + batch->count - 1 > seen);
            seen = batch->first_id + batch->count - 1;
        }
    } while (seen < run->last_id && w->call.batch_count > 0);
    EXPECT_INT("all of it", seen, size_max(run->last_id, after));
}

static void look_for(struct world *w, size_t at, const struct model_run *run)
{
    EXPECT_INT("find", ASK(w, at, find, .run_id = str_of(run->id)), ERR_OK);
    EXPECT_INT(run->id, w->call.runs[0].last_event_id, run->last_id);
}

static void finish_run(struct world *w, struct model_run *run)
{
    EXPECT_INT("finish", ASK(w, owner_of(run), finish, fence_of(run), STORE_COMPLETE), ERR_OK);
    look_for(w, owner_of(run), run);
    run->has_ended = true;
}

/* The other store takes the run over, once its lease is over; its last owner is refused. */
static void claim_run(struct world *w, struct model_run *run)
{
    struct store_append late = {fence_of(run), {next_id(run), 1, STR("late")}};
    size_t before = owner_of(run), at = (before + 1) % STORES;
    if (run->epoch == countof(run->ids))
        return;
    loop_turn(w->rig.loop, 1);
    enum err_code code = ASK(w, at, claim, .run_id = str_of(run->id),
                             .instance = str_of(instances[at]), .lease_ms = 1);
    if (code == ERR_CONFLICT) /* the lease is a millisecond long */
        return;
    EXPECT_INT("claim", code, ERR_OK);
    EXPECT_INT(run->id, w->call.runs[0].last_event_id, run->last_id);
    run->epoch++;
    EXPECT_INT("late", ASK(w, before, write, .appends = &late, .count = 1), ERR_OK);
    EXPECT_TRUE("is refused", !w->call.verdicts[0].is_kept);
}

static void reopen(struct world *w, size_t at)
{
    op_release(&w->call.op);
    store_close(w->stores[at], rig_on_closed, &w->rig);
    loop_run(w->rig.loop);
    open_store(w, at);
}

static void step(struct world *w)
{
    struct model_run *run = &w->runs[pick(w, RUNS)];
    size_t at = pick(w, STORES);
    unsigned what = pick(w, 100);
    if (what < 60)
        write_some(w, at, what == 0 ? LARGE : pick(w, 60));
    else if (what < 80)
        read_run(w, at, run);
    else if (what < 86)
        look_for(w, at, run);
    else if (what < 90 && !run->has_ended)
        claim_run(w, run);
    else if (what < 94 && !run->has_ended)
        finish_run(w, run);
    else if (what < 98 && run->has_ended)
        begin_run(w, run);
    else if (what == 99)
        reopen(w, at);
}

TEST(nothing_is_lost_or_doubled)
{
    for (uint32_t seed = 1; seed <= 3; seed++) {
        static struct world w;
        w = (struct world){.random = seed};
        rig_begin(&w.rig);
        sqlite_file_name(&w.file);
        for (size_t at = 0; at < STORES; at++)
            open_store(&w, at);
        for (size_t i = 0; i < RUNS; i++)
            begin_run(&w, &w.runs[i]);
        for (unsigned i = 0; i < STEPS; i++)
            step(&w);
        for (size_t i = 0; i < RUNS; i++)
            for (size_t at = 0; at < STORES; at++)
                read_run(&w, at, &w.runs[i]);
        op_release(&w.call.op);
        for (size_t at = 0; at < STORES; at++)
            store_close(w.stores[at], rig_on_closed, &w.rig);
        rig_end(&w.rig);
        sqlite_file_remove(&w.file);
    }
}

/* What the owner of a run knows of it is read again when another connection has changed it. */
TEST(a_stop_by_another_is_told_with_the_next_write)
{
    static struct world w;
    w = (struct world){.random = 1};
    rig_begin(&w.rig);
    sqlite_file_name(&w.file);
    for (size_t at = 0; at < STORES; at++)
        open_store(&w, at);
    begin_run(&w, &w.runs[0]);
    for (uint64_t id = 1; id <= 6; id++) {
        const struct store_append append = {fence_of(&w.runs[0]), {id, 1, STR("x")}};
        if (id == 3 || id == 5)
            EXPECT_INT("stop", ASK(&w, 1, stop, .run_id = str_of(w.runs[0].id), .forget = id == 5),
                       ERR_OK);
        EXPECT_INT("write", ASK(&w, 0, write, .appends = &append, .count = 1), ERR_OK);
        EXPECT_TRUE("kept", w.call.verdicts[0].is_kept);
        EXPECT_INT("stop is told", w.call.verdicts[0].cancel_asked, id >= 3);
        EXPECT_INT("so is what is to be forgotten", w.call.verdicts[0].forget_asked, id >= 5);
    }
    op_release(&w.call.op);
    for (size_t at = 0; at < STORES; at++)
        store_close(w.stores[at], rig_on_closed, &w.rig);
    rig_end(&w.rig);
    sqlite_file_remove(&w.file);
}

static int count_rows(struct world *w, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_open(w->file.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int count = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return count;
}

/* Servers look for runs to take over every few seconds and mostly find none: what the journal holds
 * is known as before, and nothing is settled early. */
TEST(a_claim_that_finds_no_run_settles_nothing)
{
    static struct world w;
    w = (struct world){.random = 1};
    rig_begin(&w.rig);
    sqlite_file_name(&w.file);
    open_store(&w, 0);
    begin_run(&w, &w.runs[0]);
    for (uint64_t id = 1; id <= 3; id++) {
        const struct store_append append = {fence_of(&w.runs[0]), {id, 1, STR("x")}};
        EXPECT_INT("write", ASK(&w, 0, write, .appends = &append, .count = 1), ERR_OK);
        EXPECT_INT("claim",
                   ASK(&w, 0, claim, .run_id = STR("nobody"), .instance = str_of(instances[0]),
                       .lease_ms = 1),
                   ERR_NOT_FOUND);
    }
    EXPECT_INT("in the journal", count_rows(&w, "SELECT count(*) FROM journal"), 3);
    EXPECT_INT("not settled", count_rows(&w, "SELECT count(*) FROM events"), 0);
    op_release(&w.call.op);
    store_close(w.stores[0], rig_on_closed, &w.rig);
    rig_end(&w.rig);
    sqlite_file_remove(&w.file);
}

RUN_TESTS(T(nothing_is_lost_or_doubled), T(a_stop_by_another_is_told_with_the_next_write),
          T(a_claim_that_finds_no_run_settles_nothing))
