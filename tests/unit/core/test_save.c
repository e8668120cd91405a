/* SPDX-License-Identifier: MIT */
/* A node that goes on only when its memo is stored: whoever keeps the run takes it, refuses it,
 * answers late or never; events are stored later, or never; the memory is spent; the run is
 * cancelled at every turn. */
#include "tests/unit/core/walk_rig.h"

#include "core/run/checkpoint.h"
#include "core/run/save.h"

enum { TURNS = 20 };

struct saving {
    struct save save;
};

static enum step saved(struct node *node)
{
    const struct saving *f = node_frame(node);
    bool is_there = !str_is_absent(node_find_memo(node, STR("began")));
    EXPECT_TRUE("none is stored that is not there", is_there || f->save.op.err.code != ERR_OK);
    node_push_item(node, TRACE, str_of(err_name(f->save.op.err.code)));
    return STEP_DONE;
}

static enum step enter(struct node *node)
{
    struct saving *f = node_frame(node);
    node_put_memo(node, STR("began"), STR("1"));
    save_start(&f->save, node, node_waiter(node));
    return node_settle(node, saved);
}

static const struct graph_node_type saver = {enter, sizeof(struct saving)};
static const struct graph_node nodes[] = {{"a", &saver}, {"b", &saver}};
static const struct graph_edge edges[] = {
    {GRAPH_START, 0}, {GRAPH_START, 1}, {0, GRAPH_END}, {1, GRAPH_END}};
static const struct slot slots[] = RIG_SLOTS(2);
static const struct graph_def def = {"g", "", {slots, SLOT_COUNT}, nodes, 2, edges, 4};

/* ---- who keeps the run ---- */

static unsigned asked;

static bool write_one(struct run *run)
{
    struct buf bytes;
    uint64_t step;
    bool is_full;
    buf_init(&bytes, 1 << 20);
    assert_true(checkpoint_is_due(run));
    bool fine = checkpoint_write(run, &bytes, &step, &is_full);
    buf_fini(&bytes);
    return fine;
}

static bool nobody(struct run *run)
{
    (void)run;
    asked++;
    return false;
}

static bool keep_at_once(struct run *run)
{
    asked++;
    run_saved(run, write_one(run));
    return true;
}

static bool refuse(struct run *run)
{
    asked++;
    run_saved(run, false);
    return true;
}

static bool answer_later(struct run *run)
{
    if (asked++ == 0)
        assert_true(write_one(run));
    return true;
}

static void begin(struct walk_rig *rig, bool (*on_save)(struct run *run))
{
    asked = 0;
    walk_rig_init(rig, &def);
    struct run_options options = walk_rig_options(rig);
    options.on_save = on_save;
    walk_rig_start(rig, &options);
}

TEST(what_it_says_of_each_who_keeps)
{
    static const struct {
        const char *name;
        bool (*on_save)(struct run *run);
        const char *trace;
        unsigned asked;
    } cases[] = {
        {"there is no such hook", NULL, "ok ok", 0},
        {"nobody keeps it", nobody, "ok ok", 2},
        {"kept at once", keep_at_once, "ok ok", 2},
        {"refused", refuse, "unavailable unavailable", 2},
    };
    TEST_EACH(c, cases) {
        struct walk_rig rig;
        begin(&rig, c->on_save);
        loop_rig_dry(&rig.base);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), str_of(c->trace));
        EXPECT_INT(c->name, asked, c->asked);
        walk_rig_fini(&rig, c->name);
    }
}

/* What was put after a checkpoint was written is not in it. */
TEST(only_what_was_written_is_stored)
{
    for (unsigned refused = 0; refused < 2; refused++) {
        struct walk_rig rig;
        begin(&rig, answer_later);
        loop_turn(rig.base.loop, TURNS);
        EXPECT_INT("both asked", asked, 2);
        run_saved(rig.run, true);
        loop_turn(rig.base.loop, TURNS);
        EXPECT_INT("one still waits", rig.end_count, 0);
        assert_true(write_one(rig.run));
        run_saved(rig.run, refused == 0);
        loop_rig_dry(&rig.base);
        EXPECT_STR("in order", str_of(walk_rig_trace(&rig)),
                   refused == 0 ? STR("ok ok") : STR("ok unavailable"));
        walk_rig_fini(&rig, "two");
    }
}

/* A checkpoint without the events before it is worth nothing: none is counted as stored that has
 * them to come, and none where they never will. */
TEST(not_before_its_events)
{
    for (unsigned is_lost = 0; is_lost < 2; is_lost++)
        for (unsigned is_early = 0; is_early < 2; is_early++) {
            struct walk_rig rig;
            begin(&rig, answer_later);
            struct event_log *log = run_log(rig.run);
            event_log_keep(log);
            loop_turn(rig.base.loop, TURNS);
            const uint64_t said = event_log_last_id(log);
            assert_true(write_one(rig.run)); /* of both nodes */
            if (is_early != 0)
                event_log_note_stored(log, said - 1);
            run_saved(rig.run, true);
            loop_turn(rig.base.loop, TURNS);
            EXPECT_INT("both wait for an event", rig.end_count, 0);
            if (is_lost != 0)
                event_log_lose(log);
            else
                event_log_note_stored(log, said);
            loop_rig_dry(&rig.base);
            EXPECT_STR("then", str_of(walk_rig_trace(&rig)),
                       is_lost != 0 ? STR("unavailable unavailable") : STR("ok ok"));
            walk_rig_fini(&rig, "events");
        }
}

/* The answer comes never, or once nobody waits any more. */
TEST(cancelled_at_every_turn)
{
    for (unsigned turns = 0; turns < TURNS; turns++)
        for (unsigned is_late = 0; is_late < 2; is_late++) {
            struct walk_rig rig;
            begin(&rig, answer_later);
            loop_turn(rig.base.loop, turns);
            run_cancel(rig.run, "cancelled", "enough");
            if (is_late != 0)
                run_saved(rig.run, true);
            loop_rig_dry(&rig.base);
            run_saved(rig.run, true);
            run_saved(rig.run, false);
            EXPECT_STR("cancelled", str_of(walk_rig_transcript(&rig)),
                       STR("route_decision g\nerror cancelled enough 1\n"));
            walk_rig_fini(&rig, "cancelled");
        }
}

TEST(the_memory_is_spent_at_every_moment)
{
    bool was_spent = false, was_fine = false;
    for (size_t bytes = 512; bytes < 8192; bytes += 31) {
        struct walk_rig rig;
        asked = 0;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        options.on_save = nobody;
        options.limits.arena_bytes = bytes;
        rig.run = run_create(&options);
        if (rig.run != NULL) {
            update_put_str(run_input(rig.run), INPUT, STR("question"));
            run_start(rig.run);
            loop_rig_dry(&rig.base);
            bool is_fine = str_equal(str_of(walk_rig_trace(&rig)), STR("ok ok"));
            was_fine = was_fine || is_fine;
            was_spent = was_spent || !is_fine;
        }
        walk_rig_fini(&rig, "spent");
    }
    EXPECT_TRUE("both were seen", was_spent && was_fine);
}

RUN_TESTS(T(what_it_says_of_each_who_keeps), T(only_what_was_written_is_stored),
          T(not_before_its_events), T(cancelled_at_every_turn),
          T(the_memory_is_spent_at_every_moment))
