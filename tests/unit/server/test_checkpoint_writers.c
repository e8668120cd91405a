/* SPDX-License-Identifier: MIT */
/* Where a run is can be read from its store whichever call fails, is answered too late for its run,
 * or is the last that is done: whoever goes on from there comes to the same end. */
#include "tests/unit/core/walk_rig.h"

#include "backends/stores/store_memory.h"
#include "core/run/checkpoint.h"
#include "server/records/checkpoint_writers.h"
#include "tests/lib/faulty_store.h"

enum { STEP_MS = 200, MOST_CALLS = 8, MOST_TURNS = 60 };

static const struct script slow = {.step_ms = STEP_MS};
static const struct graph_node nodes[] = {
    {"a", &scripted, &slow},
    {"b", &scripted, &slow},
    {"c", &scripted, &slow},
    {"d", &scripted, &slow},
};
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, 1}, {1, 2}, {2, 3}, {3, GRAPH_END}};
static const struct slot slots[SLOT_COUNT] = RIG_SLOTS(4);
static const struct graph_def def = {.name = "marked",
                                     .purpose = "Walk.",
                                     .schema = {slots, SLOT_COUNT},
                                     .nodes = nodes,
                                     .node_count = countof(nodes),
                                     .edges = edges,
                                     .edge_count = countof(edges)};

struct fixture {
    struct walk_rig walk;
    struct store *store;
    struct faulty_store faulty;
    struct checkpoint_writers *checkpoint_writers;
    struct checkpoint_writer *checkpoint_writer;
    struct store_call call;
    struct log log;
};

/* The rig is the first member: it owns the run. */
static void on_step(struct run *run)
{
    struct fixture *f = container_of((struct walk_rig *)run_owner(run), struct fixture, walk);
    checkpoint_writer_stepped(f->checkpoint_writer);
}

static void begin(struct fixture *f)
{
    const struct store_begin record = {
        .run = {.run_id = STR("run_test"), .graph = STR("marked"), .instance = STR("i1")},
        .lease_ms = 1000000};
    *f = (struct fixture){.log = {.level = LOG_OFF}};
    walk_rig_init(&f->walk, &def);
    f->store = store_memory_create(f->walk.base.loop);
    faulty_store_init(&f->faulty, f->store);
    store_begin_start(&f->call, f->store, &record, loop_rig_waiter(&f->walk.base));
    loop_turn(f->walk.base.loop, 4);
    op_release(&f->call.op);
    const struct checkpoint_writers_options checkpoint_writers = {.loop = f->walk.base.loop,
                                                                  .store = &f->faulty.store,
                                                                  .instance = STR("i1"),
                                                                  .delay_ms = 20,
                                                                  .log = &f->log};
    f->checkpoint_writers = checkpoint_writers_create(&checkpoint_writers);
    assert_non_null(f->checkpoint_writers);
    struct run_options options = walk_rig_options(&f->walk);
    options.on_step = on_step;
    f->walk.run = run_create(&options);
    f->checkpoint_writer = checkpoint_writer_begin(f->checkpoint_writers, f->walk.run, 1, 0);
    assert_non_null(f->checkpoint_writer);
    update_put_str(run_input(f->walk.run), INPUT, STR("question"));
    run_start(f->walk.run);
}

static void end(struct fixture *f)
{
    op_release(&f->call.op);
    checkpoint_writer_leave(f->checkpoint_writer);
    loop_rig_dry(&f->walk.base);
    EXPECT_TRUE("nothing is written",
                !checkpoint_writers_is_writing(f->checkpoint_writers, STR("run_test")));
    checkpoint_writers_destroy(f->checkpoint_writers);
    store_close(f->store, NULL, NULL);
    walk_rig_fini(&f->walk, "run");
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

/* Another instance, on what the store has: how many checkpoints it used. */
static size_t go_on(struct fixture *f, uint64_t said_id)
{
    static const struct store_marks all = {.run_id = {"run_test", 8}};
    struct checkpoint_kept kept[2 * MOST_CALLS];
    struct walk_rig again;
    struct err err;
    size_t used = 0;
    store_marks_start(&f->call, f->store, &all, loop_rig_waiter(&f->walk.base));
    loop_turn(f->walk.base.loop, 4);
    EXPECT_INT("read", f->call.op.err.code, ERR_OK);
    assert_true(f->call.checkpoint_count <= countof(kept));
    for (size_t i = 0; i < f->call.checkpoint_count; i++)
        kept[i] =
            (struct checkpoint_kept){f->call.checkpoints[i].bytes, f->call.checkpoints[i].is_full};
    walk_rig_init(&again, &def);
    struct run_options options = walk_rig_options(&again);
    again.run = run_create(&options);
    struct event event = {0};
    while (event.id < said_id &&
           event_log_after(run_log(f->walk.run), event.id, &event) == ERR_OK &&
           !event_is_terminal(event.kind))
        assert_true(checkpoint_replay(again.run, &event));
    enum err_code code =
        checkpoint_restore(again.run, kept, f->call.checkpoint_count, said_id, &used, &err);
    EXPECT_INT("all were read", used, f->call.checkpoint_count);
    if (code == ERR_NOT_FOUND)
        update_put_str(run_input(again.run), INPUT, STR("question"));
    run_start(again.run);
    loop_rig_dry(&again.base);
    EXPECT_STR("the same end", str_of(walk_rig_trace(&again)), STR("a b c d"));
    walk_rig_fini(&again, "again");
    op_release(&f->call.op);
    return used;
}

TEST(whichever_call_fails)
{
    for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned n = 1; n <= MOST_CALLS; n++) {
            struct fixture f;
            begin(&f);
            f.faulty.fail_at = n;
            f.faulty.keeps = (mode & 1) != 0;
            f.faulty.for_good = (mode & 2) != 0;
            pass(&f, 2 * STEP_MS + STEP_MS / 2); /* c is entered */
            size_t used = go_on(&f, event_log_last_id(run_log(f.walk.run)));
            EXPECT_TRUE("what was not lost",
                        f.faulty.for_good ? used + 1 >= size_min(n, 3) : used >= 2);
            pass(&f, 4 * STEP_MS);
            EXPECT_INT("the run ended all the same", f.walk.end_count, 1);
            EXPECT_STR("well", str_of(walk_rig_trace(&f.walk)), STR("a b c d"));
            end(&f);
        }
}

/* Its record is another's by now: it gives up, a few tries later. */
TEST(a_run_that_is_anothers)
{
    struct fixture f;
    begin(&f);
    f.faulty.code = ERR_CONFLICT;
    f.faulty.is_down = true;
    pass(&f, 20 * STEP_MS);
    EXPECT_INT("the run ended all the same", f.walk.end_count, 1);
    EXPECT_TRUE("not for ever", f.faulty.calls > 1 && f.faulty.calls < 10);
    end(&f);
}

static bool is_writing(const struct fixture *f)
{
    return checkpoint_writers_is_writing(f->checkpoint_writers, STR("run_test"));
}

/* A record does not end before the checkpoint of its pause is stored: not between two of them, and
 * not while one that failed waits for the next try. */
TEST(a_pause_is_stored_before_the_record_ends)
{
    struct fixture f;
    begin(&f);
    loop_turn(f.walk.base.loop, 4);
    EXPECT_INT("none is written yet", f.faulty.calls, 0);
    checkpoint_writer_pause(f.checkpoint_writer);
    EXPECT_INT("the first is under way", f.faulty.calls, 1);
    EXPECT_TRUE("which is said", is_writing(&f));
    checkpoint_forget(f.walk.run); /* so that another one is due */
    f.faulty.fail_at = 2;
    loop_turn(f.walk.base.loop, 8);
    EXPECT_INT("the next follows at once", f.faulty.calls, 2);
    EXPECT_TRUE("while it waits to be tried again", is_writing(&f));
    pass(&f, 10 * STEP_MS);
    EXPECT_TRUE("it was tried again", f.faulty.calls > 2);
    EXPECT_TRUE("stored", !is_writing(&f));
    end(&f);
}

TEST(left_at_every_turn)
{
    for (unsigned turns = 0; turns < MOST_TURNS; turns++) {
        struct fixture f;
        begin(&f);
        f.faulty.fail_at = turns % 3; /* what is in flight may fail, too */
        for (unsigned i = 0; i < turns; i++) {
            loop_turn(f.walk.base.loop, 1);
            loop_advance(f.walk.base.loop, 10);
        }
        checkpoint_writer_leave(f.checkpoint_writer);
        f.checkpoint_writer = NULL;
        pass(&f, 6 * STEP_MS);
        EXPECT_INT("ended", f.walk.end_count, 1);
        end(&f);
    }
}

RUN_TESTS(T(whichever_call_fails), T(a_run_that_is_anothers),
          T(a_pause_is_stored_before_the_record_ends), T(left_at_every_turn))
