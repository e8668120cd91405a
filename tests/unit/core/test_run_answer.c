/* SPDX-License-Identifier: MIT */
/* A run that another server goes on with: its text begins again with what stands, under ids that
 * nobody has had. */
#include "core/run/checkpoint.h"

#include "tests/unit/core/walk_graphs.h"

static const char *const dear[] = {"Dear", " you", NULL}, *const hello[] = {"hel", "lo", NULL};
static const struct script greeting = {.step_ms = 2, .tokens = dear},
                           talking = {.step_ms = 2, .tokens = hello};
static const struct graph_node letter_nodes[] = {{"greet", &scripted, &greeting},
                                                 {"talk", &scripted, &talking}};
static const struct graph_edge letter_edges[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
static const struct graph_def letter = {GRAPH("letter", letter), .schema = {two_slots, SLOT_COUNT}};

enum { STEPS = 2, KEPT_BYTES = 1 << 16 };

struct rig {
    struct walk_rig walk; /* first: the run's owner */
    struct buf bytes[STEPS];
    struct checkpoint_kept kept[STEPS];
    uint64_t said[STEPS]; /* the last event by then */
    size_t count;
};

static void on_step(struct run *run)
{
    struct rig *rig = run_owner(run);
    size_t i = rig->count++;
    uint64_t step;
    buf_init(&rig->bytes[i], KEPT_BYTES);
    assert_true(checkpoint_write(run, &rig->bytes[i], &step, &rig->kept[i].is_full));
    rig->kept[i].bytes = buf_str(&rig->bytes[i]);
    rig->said[i] = event_log_last_id(run_log(run));
}

static void run_first(struct rig *first)
{
    *first = (struct rig){0};
    walk_rig_init(&first->walk, &letter);
    struct run_options options = walk_rig_options(&first->walk);
    options.on_step = on_step;
    walk_rig_start(&first->walk, &options);
    loop_rig_dry(&first->walk.base);
    EXPECT_STR("the first server's", str_of(walk_rig_transcript(&first->walk)),
               STR("route_decision letter\ntoken final Dear 1\ntoken final  you 1\n"
                   "token final hel 1\ntoken final lo 1\ncomplete\n"));
    assert_int_equal(first->count, STEPS);
}

static void drop_first(struct rig *first)
{
    for (size_t i = 0; i < STEPS; i++)
        buf_fini(&first->bytes[i]);
    walk_rig_fini(&first->walk, "first");
}

/* The epoch-th server, on count checkpoints and what was said up to id. */
static void take_over(struct rig *again, struct rig *first, size_t count, uint64_t id,
                      uint64_t epoch)
{
    struct event event = {0};
    struct err err;
    size_t used;
    *again = (struct rig){0};
    walk_rig_init(&again->walk, &letter);
    struct run_options options = walk_rig_options(&again->walk);
    struct run *run = again->walk.run = run_create(&options);
    while (event.id < id && event_log_after(run_log(first->walk.run), event.id, &event) == ERR_OK)
        assert_true(checkpoint_replay(run, &event));
    if (count == 0)
        update_put_str(run_input(run), INPUT, STR("question"));
    else
        assert_int_equal(checkpoint_restore(run, first->kept, count, id, &used, &err), ERR_OK);
    assert_true(checkpoint_take_over(run, epoch));
    run_start(run);
    loop_rig_dry(&again->walk.base);
}

#define STANDS  "route_decision letter\ntoken final Dear 1\ntoken final  you 1\n"
#define BEGUN   STANDS "token final hel 1\n"
#define THE_END "complete\n"

TEST(what_stands_is_said_again)
{
    static const struct {
        const char *name;
        size_t count; /* of checkpoints that are stored */
        uint64_t id;  /* and of events */
        uint64_t epoch;
        const char *want;
    } cases[] = {
        {"the second had said nothing that is stored", 2, 3, 2,
         STANDS "token final Dear you + reset 2\ntoken final hel 2\ntoken final lo 2\n" THE_END},
        {"the second had begun", 2, 4, 2,
         BEGUN "token final Dear you + reset 2\ntoken final hel 2\ntoken final lo 2\n" THE_END},
        {"another time", 2, 4, 3,
         BEGUN "token final Dear you + reset 3\ntoken final hel 3\ntoken final lo 3\n" THE_END},
        {"that the first had ended is not stored", 1, 3, 2,
         STANDS "token final + reset 2\ntoken final Dear 2\ntoken final  you 2\n"
                "token final hel 2\ntoken final lo 2\n" THE_END},
        {"nothing is known but its route", 0, 1, 2,
         "route_decision letter\ntoken final Dear + reset 2\ntoken final  you 2\n"
         "token final hel 2\ntoken final lo 2\n" THE_END},
        {"nothing at all", 0, 0, 2,
         "route_decision letter\ntoken final Dear + reset 2\ntoken final  you 2\n"
         "token final hel 2\ntoken final lo 2\n" THE_END},
    };
    static struct rig first, again;
    run_first(&first);
    TEST_EACH(c, cases) {
        uint64_t next = event_first_id(c->epoch);
        struct event event = {.id = c->id};
        take_over(&again, &first, c->count, c->id, c->epoch);
        EXPECT_STR(c->name, str_of(walk_rig_transcript(&again.walk)), str_of(c->want));
        while (event_log_after(run_log(again.walk.run), event.id, &event) == ERR_OK)
            EXPECT_INT(c->name, event.id, next++);
        walk_rig_fini(&again.walk, c->name);
    }
    drop_first(&first);
}

RUN_TESTS(T(what_stands_is_said_again))
