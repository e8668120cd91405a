/* SPDX-License-Identifier: MIT */
/* Graphs that a node runs as operations: what they say is the node's; they end once, whenever the
 * run is cancelled, their time passes, the memory is spent; a run goes on inside of them. */
#include "tests/unit/core/walk_rig.h"

#include "core/base/mem.h"
#include "core/run/checkpoint.h"
#include "core/run/inner.h"

enum { TURNS = 60, ELEMENTS = 2, MOST_CHECKPOINTS = 32 };

/* ---- the graph inside: it says a word, then comes to its end, or fails as often as it is to ----
 */

static unsigned failures_left;

static const char *const words[] = {"hel", "lo", NULL};
static const struct script says = {.step_ms = 2, .tokens = words};

static enum step fail_or_end(struct node *node)
{
    const struct err err = {ERR_UNAVAILABLE, "not now"};
    node_push_item(node, TRACE, STR("then"));
    if (failures_left == 0)
        return STEP_DONE;
    failures_left--;
    return node_fail(node, &err);
}

static enum step enter_then(struct node *node)
{
    struct scripted *f = node_frame(node);
    fake_start(&f->fake, node_loop(node), NULL, 2, ERR_OK, node_waiter(node));
    return node_await(node, fail_or_end);
}

static const struct graph_node_type then = {enter_then, sizeof(struct scripted)};
static const struct graph_node inside_nodes[] = {{"say", &scripted, &says}, {"then", &then}};
static const struct graph_edge inside_edges[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
static const struct slot slots[] = RIG_SLOTS(2);
static const struct graph_def inside = {"inside",     "", {slots, SLOT_COUNT}, inside_nodes, 2,
                                        inside_edges, 3};
static const struct graph_def *const inner_graphs[] = {&inside, NULL};

/* ---- the node that runs it ---- */

struct running {
    struct inner inner[ELEMENTS];
};

static enum step keep(struct node *node)
{
    const struct running *f = node_frame(node);
    for (size_t i = 0; i < ELEMENTS; i++)
        node_push_item(node, TRACE, inner_said(&f->inner[i]));
    return STEP_DONE;
}

static enum step enter(struct node *node)
{
    struct running *f = node_frame(node);
    const uint64_t *most_ms = node_config(node);
    const struct err spent = {ERR_NO_MEMORY, "no memory"};
    for (size_t i = 0; i < ELEMENTS; i++) {
        struct update *input;
        f->inner[i].most_ms = most_ms == NULL ? 0 : *most_ms;
        if (!inner_make(&f->inner[i], node, 0, i == 0 ? STR("0") : STR("1"), &input))
            return node_fail(node, &spent);
        if (input != NULL)
            update_put_str(input, INPUT, STR("question"));
        inner_start(&f->inner[i], node_waiter(node));
    }
    return node_await(node, keep);
}

static const struct graph_node_type runner = {enter, sizeof(struct running)};
static const struct graph_node nodes[] = {{"n", &runner, .inner = inner_graphs, .retries = 1},
                                          {"last", &scripted, &says}};
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
static const struct graph_def def = {"g", "", {slots, SLOT_COUNT}, nodes, 2, edges, 3};

static void turn(struct walk_rig *rig, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        loop_turn(rig->base.loop, 1);
        loop_advance(rig->base.loop, 1);
    }
}

/* ---- what it says ---- */

TEST(what_it_says_is_the_nodes_alone)
{
    for (unsigned failures = 0; failures < 2; failures++) { /* both are run again after one */
        struct walk_rig rig;
        failures_left = failures;
        walk_rig_run(&rig, &def);
        EXPECT_INT("it failed", failures_left, 0);
        EXPECT_STR("heard", str_of(walk_rig_trace(&rig)), STR("hello hello last"));
        EXPECT_STR("told", str_of(walk_rig_transcript(&rig)),
                   STR("route_decision g\ntoken final hel 1\ntoken final lo 1\ncomplete\n"));
        walk_rig_fini(&rig, "said");
    }
}

/* ---- every way to an end, at every moment ---- */

TEST(cancelled_at_every_turn)
{
    for (unsigned failures = 0; failures < 3; failures++)
        for (unsigned turns = 0; turns < TURNS; turns++) {
            struct walk_rig rig;
            failures_left = failures;
            walk_rig_init(&rig, &def);
            struct run_options options = walk_rig_options(&rig);
            walk_rig_start(&rig, &options);
            turn(&rig, turns);
            bool was_over = run_phase(rig.run) == RUN_ENDED;
            run_cancel(rig.run, "cancelled", "enough");
            run_cancel(rig.run, "cancelled", "enough");
            loop_rig_dry(&rig.base);
            bool is_cancelled =
                str_find(str_of(walk_rig_transcript(&rig)), STR("error cancelled")) != STR_NONE;
            EXPECT_TRUE("cancelled, or it was over", is_cancelled != was_over);
            EXPECT_TRUE("all turns are seen", turns + 1 < TURNS || was_over);
            walk_rig_fini(&rig, "cancelled");
        }
}

TEST(its_time_passes_at_every_moment)
{
    for (uint64_t ms = 1; ms < 12; ms++) {
        const struct graph_node own[] = {{"n", &runner, &ms, .inner = inner_graphs},
                                         {"last", &scripted, &says}};
        const struct graph_def timed = {"g", "", {slots, SLOT_COUNT}, own, 2, edges, 3};
        struct walk_rig rig;
        failures_left = 0;
        walk_rig_run(&rig, &timed);
        bool is_fine = str_equal(str_of(walk_rig_trace(&rig)), STR("hello hello last"));
        bool is_late = str_find(str_of(walk_rig_transcript(&rig)), STR("took longer")) != STR_NONE;
        EXPECT_TRUE("one or the other", is_fine != is_late);
        EXPECT_TRUE("late at first, then not", ms > 1 ? ms < 11 || is_fine : is_late);
        walk_rig_fini(&rig, "timed");
    }
}

TEST(the_memory_is_spent_at_every_moment)
{
    bool was_refused = false, was_spent = false, was_fine = false;
    for (size_t bytes = 64; bytes < 32768; bytes += 97) {
        struct walk_rig rig;
        failures_left = 0;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        options.limits.arena_bytes = bytes;
        rig.run = run_create(&options);
        if (rig.run != NULL) {
            update_put_str(run_input(rig.run), INPUT, STR("question"));
            run_start(rig.run);
            loop_rig_dry(&rig.base);
            bool is_fine = str_equal(str_of(walk_rig_trace(&rig)), STR("hello hello last"));
            was_fine = was_fine || is_fine;
            was_spent = was_spent || !is_fine;
        }
        was_refused = was_refused || rig.run == NULL;
        walk_rig_fini(&rig, "spent");
    }
    EXPECT_TRUE("each was seen", was_refused && was_spent && was_fine);
}

TEST(an_allocation_fails_at_every_moment)
{
    bool is_fine = false;
    for (uint64_t n = 1; !is_fine; n++) {
        struct walk_rig rig;
        failures_left = 0;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        rig.run = run_create(&options);
        assert_non_null(rig.run);
        update_put_str(run_input(rig.run), INPUT, STR("question"));
        mem_fail_nth(n);
        run_start(rig.run);
        loop_rig_dry(&rig.base);
        mem_fail_nth(0);
        is_fine = str_equal(str_of(walk_rig_trace(&rig)), STR("hello hello last"));
        EXPECT_TRUE("the sweep ends", n < 1000);
        walk_rig_fini(&rig, "failed");
    }
}

/* ---- flow ---- */

struct chain { /* as a node that starts one when another has ended */
    struct fake_op until;
    struct inner first, second;
    struct node *node;
};

static void on_second(struct op *op)
{
    struct chain *f = op_owner(op);
    EXPECT_STR("said", inner_said(&f->second), STR("hello"));
    fake_end(&f->until, ERR_OK);
}

static void start_link(struct chain *f, struct inner *inner, unsigned which, op_fn *done)
{
    struct update *input;
    assert_true(inner_make(inner, f->node, which, STR("0"), &input));
    update_put_str(input, INPUT, STR("question"));
    inner_start(inner,
                (struct op_waiter){.done = done, .owner = f, .group = node_waiter(f->node).group});
}

static void on_first(struct op *op)
{
    struct chain *f = op_owner(op);
    start_link(f, &f->second, 1, on_second);
}

static enum step chained(struct node *node)
{
    node_push_item(node, TRACE, STR("chained"));
    return STEP_DONE;
}

static enum step enter_chain(struct node *node)
{
    struct chain *f = node_frame(node);
    f->node = node;
    fake_start(&f->until, node_loop(node), NULL, 1000000, ERR_OK, node_waiter(node));
    start_link(f, &f->first, 0, on_first);
    return node_await(node, chained);
}

static enum step end_at_once(struct node *node)
{
    (void)node;
    return STEP_DONE;
}

TEST(one_that_starts_while_the_run_is_held_waits)
{
    static const struct graph_node_type chain = {enter_chain, sizeof(struct chain)};
    static const struct graph_node_type empty = {end_at_once};
    static const struct graph_node silent_nodes[] = {{"empty", &empty}};
    static const struct graph_edge silent_edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};
    static const struct slot silent_slots[] = RIG_SLOTS(1);
    static const struct graph_def silent = {
        "silent", "", {silent_slots, SLOT_COUNT}, silent_nodes, 1, silent_edges, 2};
    static const struct graph_def *const both[] = {&silent, &inside, NULL};
    static const struct graph_node own[] = {{"n", &chain, .inner = both}};
    static const struct graph_def held = {"g",          "", {silent_slots, SLOT_COUNT}, own, 1,
                                          silent_edges, 2};
    struct walk_rig rig;
    failures_left = 0;
    walk_rig_init(&rig, &held);
    struct run_options options = walk_rig_options(&rig);
    walk_rig_start(&rig, &options);
    run_hold(rig.run);
    turn(&rig, TURNS);
    EXPECT_INT("it waits", rig.end_count, 0);
    run_go(rig.run);
    loop_rig_dry(&rig.base);
    EXPECT_STR("and goes on", str_of(walk_rig_trace(&rig)), STR("chained"));
    walk_rig_fini(&rig, "held");
}

/* ---- taken over ---- */

struct keeper {
    struct walk_rig rig; /* the first member: it owns the run */
    struct buf bytes[MOST_CHECKPOINTS];
    bool is_full[MOST_CHECKPOINTS];
    size_t count;
};

static void on_step(struct run *run)
{
    struct keeper *k = run_owner(run);
    uint64_t step;
    if (!checkpoint_is_due(run))
        return;
    assert_true(k->count < MOST_CHECKPOINTS);
    buf_init(&k->bytes[k->count], 1 << 20);
    assert_true(checkpoint_write(run, &k->bytes[k->count], &step, &k->is_full[k->count]));
    k->count++;
}

static void go_on(const struct keeper *k)
{
    struct checkpoint_kept kept[MOST_CHECKPOINTS];
    struct walk_rig again;
    struct err err = {0};
    size_t used = 0;
    for (size_t i = 0; i < k->count; i++)
        kept[i] = (struct checkpoint_kept){buf_str(&k->bytes[i]), k->is_full[i]};
    walk_rig_init(&again, &def);
    struct run_options options = walk_rig_options(&again);
    again.run = run_create(&options);
    assert_non_null(again.run);
    if (checkpoint_restore(again.run, kept, k->count, UINT64_MAX, &used, &err) != ERR_OK)
        update_put_str(run_input(again.run), INPUT, STR("question"));
    EXPECT_INT("all were read", used, k->count);
    run_start(again.run);
    loop_rig_dry(&again.base);
    EXPECT_STR("the same end", str_of(walk_rig_trace(&again)), STR("hello hello last"));
    walk_rig_fini(&again, "again");
}

TEST(a_run_goes_on_inside_at_every_turn)
{
    for (unsigned failures = 0; failures < 2; failures++)
        for (unsigned turns = 0; turns < TURNS; turns++) {
            struct keeper k = {.count = 0};
            failures_left = failures;
            walk_rig_init(&k.rig, &def);
            struct run_options options = walk_rig_options(&k.rig);
            options.on_step = on_step;
            walk_rig_start(&k.rig, &options);
            turn(&k.rig, turns);
            failures_left = 0;
            go_on(&k);
            run_cancel(k.rig.run, "cancelled", "its server is gone");
            walk_rig_fini(&k.rig, "taken over");
            for (size_t i = 0; i < k.count; i++)
                buf_fini(&k.bytes[i]);
        }
}

RUN_TESTS(T(what_it_says_is_the_nodes_alone), T(cancelled_at_every_turn),
          T(its_time_passes_at_every_moment), T(the_memory_is_spent_at_every_moment),
          T(an_allocation_fails_at_every_moment), T(one_that_starts_while_the_run_is_held_waits),
          T(a_run_goes_on_inside_at_every_turn))
