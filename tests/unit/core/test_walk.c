/* SPDX-License-Identifier: MIT */
/* Supersteps: order, joins, routes, budgets, limits, failures, background, sub-graphs, flow. */
#include "tests/unit/core/walk_graphs.h"

TEST(branches_join_and_merge_in_table_order)
{
    struct walk_rig rig;
    walk_rig_run(&rig, &diamond);
    assert_string_equal(walk_rig_trace(&rig), "a b c d");
    EXPECT_INT("sum of both branches", state_int(run_state(rig.run), SUM), 5);
    assert_string_equal(walk_rig_transcript(&rig), "route_decision diamond\ncomplete\n");
    walk_rig_fini(&rig, "diamond");
}

TEST(nodes_are_told_at_detail_nodes)
{
    struct walk_rig rig;
    walk_rig_init(&rig, &diamond);
    struct run_options options = walk_rig_options(&rig);
    options.detail = EVENT_NODES;
    walk_rig_start(&rig, &options);
    loop_rig_dry(&rig.base);
    assert_string_equal(walk_rig_transcript(&rig), "route_decision diamond\n"
                                                   "node_start a\nnode_end a 1\n"
                                                   "node_start b\nnode_start c\n"
                                                   "node_end c 5\nnode_end b 20\n"
                                                   "node_start d\nnode_end d 1\n"
                                                   "complete\n");
    walk_rig_fini(&rig, "nodes");
}

TEST(a_budget_of_two_means_three_attempts)
{
    struct walk_rig rig;
    walk_rig_init(&rig, &looping);
    struct run_options options = walk_rig_options(&rig);
    options.detail = EVENT_NODES;
    walk_rig_start(&rig, &options);
    loop_rig_dry(&rig.base);
    assert_string_equal(walk_rig_trace(&rig), "write check write check write check");
    EXPECT_INT("retry_count", state_int(run_state(rig.run), RETRIES), 2);
    EXPECT_TRUE("told", strstr(walk_rig_transcript(&rig), "retry retry 1\n") != NULL &&
                            strstr(rig.said, "retry retry 2\n") != NULL &&
                            strstr(rig.said, "retry retry 3\n") == NULL);
    walk_rig_fini(&rig, "budget");
}

struct told {
    struct walk_rig rig;
    unsigned visits[2], retries;
};

static void note_visit(struct run *run, const struct run_visit *visit)
{
    struct told *told = container_of(run_owner(run), struct told, rig);
    EXPECT_TRUE("graph", visit->graph == &looping);
    EXPECT_TRUE("took", visit->took_ms > 0);
    told->visits[visit->node]++;
}

static void note_retry(struct run *run, const struct run_visit *visit)
{
    struct told *told = container_of(run_owner(run), struct told, rig);
    EXPECT_TRUE("graph", visit->graph == &looping);
    EXPECT_INT("from", visit->node, CHECK_IT);
    EXPECT_INT("budget", visit->budget, 0);
    told->retries++;
}

TEST(visits_and_retries_are_told_without_any_events)
{
    struct told told = {.retries = 0};
    walk_rig_init(&told.rig, &looping);
    struct run_options options = walk_rig_options(&told.rig);
    options.detail = EVENT_CORE;
    options.on_visited = note_visit;
    options.on_retry = note_retry;
    walk_rig_start(&told.rig, &options);
    loop_rig_dry(&told.rig.base);
    EXPECT_INT("write", told.visits[WRITE], 3);
    EXPECT_INT("check", told.visits[CHECK_IT], 3);
    EXPECT_INT("retries", told.retries, 2);
    walk_rig_fini(&told.rig, "told");
}

TEST(a_tuning_changes_the_budget)
{
    static const struct graph_tuning none[] = {{"retry", 0}};
    struct walk_rig rig;
    struct err err;
    walk_rig_init(&rig, &looping);
    graph_destroy(rig.graph);
    assert_int_equal(graph_compile(&looping, none, 1, &rig.graph, &err), ERR_OK);
    struct run_options options = walk_rig_options(&rig);
    walk_rig_start(&rig, &options);
    loop_rig_dry(&rig.base);
    assert_string_equal(walk_rig_trace(&rig), "write check");
    walk_rig_fini(&rig, "tuning");
}

static const char *never_tests(const struct state *state, const struct graph *graph)
{
    (void)state;
    (void)graph;
    return "again";
}

TEST(limits_end_the_run)
{
    static const struct graph_node careless_nodes[] = {
        [WRITE] = {"write", &scripted},
        [CHECK_IT] = {"check", &scripted, .route = never_tests, .labels = {"again", "give_up"}},
    };
    struct graph_def careless = looping;
    careless.nodes = careless_nodes;
    struct walk_rig rig;
    walk_rig_run(&rig, &careless);
    assert_string_equal(walk_rig_transcript(&rig),
                        "route_decision looping\nerror graph_recursion_limit "
                        "graph 'looping': budget 'retry' of 2 is spent\n");
    walk_rig_fini(&rig, "spent budget");

    careless.recursion_limit = 4;
    walk_rig_run(&rig, &careless);
    assert_string_equal(walk_rig_transcript(&rig), "route_decision looping\n"
                                                   "error graph_recursion_limit graph 'looping': "
                                                   "more than 4 supersteps\n");
    assert_string_equal(walk_rig_trace(&rig), "write check write check");
    walk_rig_fini(&rig, "recursion limit");
}

static const char *no_label(const struct state *state, const struct graph *graph)
{
    (void)state;
    (void)graph;
    return NULL;
}

static const char *strange_label(const struct state *state, const struct graph *graph)
{
    (void)state;
    (void)graph;
    return "elsewhere";
}

TEST(routes_that_break_their_word)
{
    static const struct {
        const char *name;
        graph_route_fn *route;
        const char *end;
    } cases[] = {
        {"no label", no_label,
         "error internal graph 'looping': node 'check': its route gave no label\n"},
        {"an undeclared one", strange_label,
         "error internal graph 'looping': node 'check': no edge has the label 'elsewhere'\n"},
    };
    TEST_EACH(c, cases) {
        struct graph_node nodes[] = {loop_nodes[0], loop_nodes[1]};
        struct graph_def def = looping;
        struct walk_rig rig;
        nodes[1].route = c->route;
        def.nodes = nodes;
        walk_rig_run(&rig, &def);
        EXPECT_TRUE(c->name, str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)));
        walk_rig_fini(&rig, c->name);
    }
}

/* ---- failures ---- */

TEST(the_first_failure_cancels_the_siblings)
{
    struct graph_def def = failing;
    def.nodes = failing_nodes;
    struct walk_rig rig;
    walk_rig_init(&rig, &def);
    uint64_t began = loop_now_ms(rig.base.loop);
    struct run_options options = walk_rig_options(&rig);
    walk_rig_start(&rig, &options);
    loop_rig_dry(&rig.base);
    EXPECT_TRUE("b was not waited for", loop_now_ms(rig.base.loop) - began < slow.step_ms);
    assert_string_equal(walk_rig_trace(&rig), "a");
    assert_string_equal(
        walk_rig_transcript(&rig),
        "route_decision failing\nerror model_rejected the model refuses the request\n");
    walk_rig_fini(&rig, "siblings");
}

TEST(a_caught_failure_becomes_text)
{
    static const struct graph_node nodes[] = {
        [A] = {"a", &scripted},
        [B] = {"b", &scripted, &slow},
        [C] = {"c", &scripted, &refused, .catch_slot = SLOT(ERROR),
               .catch_code_slot = SLOT(REASON)},
        [D] = {"d", &scripted},
    };
    struct graph_def def = failing;
    def.nodes = nodes;
    struct walk_rig rig;
    walk_rig_run(&rig, &def);
    assert_string_equal(walk_rig_trace(&rig), "a b d");
    EXPECT_STR("error", state_str(run_state(rig.run), ERROR), STR("the model refuses the request"));
    EXPECT_STR("code", state_str(run_state(rig.run), REASON), STR("model_rejected"));
    walk_rig_fini(&rig, "caught");
}

TEST(retries_and_timeouts_of_a_node)
{
    static const struct {
        const char *name;
        struct graph_node b;
        const char *trace, *end;
    } cases[] = {
        {"two retries are enough", {"b", &scripted, &flaky, .retries = 2}, "a b c d", "complete\n"},
        {"one is not",
         {"b", &scripted, &flaky, .retries = 1},
         "a",
         "error model_unavailable the model is unavailable 1\n"},
        {"not retryable",
         {"b", &scripted, &refused, .retries = 9},
         "a",
         "error model_rejected the model refuses the request\n"},
        {"timeout",
         {"b", &scripted, &slow, .timeout_ms = 10},
         "a",
         "error deadline_exceeded node 'b' took longer than 10 ms 1\n"},
        {"timeout caught",
         {"b", &scripted, &slow, .timeout_ms = 10, .catch_slot = SLOT(ERROR)},
         "a c d",
         "complete\n"},
        {"in time", {"b", &scripted, &slow, .timeout_ms = 60}, "a b c d", "complete\n"},
    };
    TEST_EACH(c, cases) {
        struct graph_node nodes[] = {
            [A] = {"a", &scripted}, [B] = c->b, [C] = {"c", &scripted}, [D] = {"d", &scripted}};
        struct graph_def def = diamond;
        struct walk_rig rig;
        def.nodes = nodes;
        walk_rig_run(&rig, &def);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), str_of(c->trace));
        EXPECT_TRUE(c->name, str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)));
        walk_rig_fini(&rig, c->name);
    }
}

/* ---- background ---- */

TEST(the_reply_does_not_wait_for_the_background)
{
    static const struct {
        const char *name;
        struct script script;
        const char *trace;
    } cases[] = {
        {"good", {.step_ms = 100}, "a c d b"},
        {"its failure is nobody's", {.step_ms = 100, .code = ERR_INTERNAL}, "a c d"},
        {"early", {.step_ms = 1}, "a b c d"},
    };
    TEST_EACH(c, cases) {
        struct graph_node nodes[] = {
            [A] = {"a", &scripted},
            [B] = {"b", &scripted, &c->script, .background = true},
            [C] = {"c", &scripted, &quick},
            [D] = {"d", &scripted},
        };
        static const struct graph_edge edges[] = {{GRAPH_START, A}, {A, B}, {A, C},
                                                  {B, GRAPH_END},   {C, D}, {D, GRAPH_END}};
        struct graph_def def = diamond;
        struct walk_rig rig;
        def.nodes = nodes;
        def.edges = edges;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        walk_rig_start(&rig, &options);
        for (unsigned i = 0; i < 50; i++) {
            loop_advance(rig.base.loop, 1);
            loop_turn(rig.base.loop, 3);
        }
        EXPECT_TRUE(c->name, event_log_is_closed(run_log(rig.run)));
        EXPECT_INT(c->name, run_phase(rig.run), c->script.step_ms == 1 ? RUN_ENDED : RUN_ANSWERED);
        loop_rig_dry(&rig.base);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), str_of(c->trace));
        assert_string_equal(walk_rig_transcript(&rig), "route_decision diamond\ncomplete\n");
        walk_rig_fini(&rig, c->name);
    }
}

TEST(an_interrupt_pauses_the_run)
{
    static const struct script asks = {.step_ms = 1, .interrupts = true};
    static const struct graph_node nodes[] = {
        [A] = {"a", &scripted},
        [B] = {"b", &scripted, &asks},
        [C] = {"c", &scripted, &slow},
        [D] = {"d", &scripted},
    };
    struct graph_def inner = diamond, def = outer;
    inner.nodes = nodes;
    struct walk_rig rig;
    walk_rig_run(&rig, &inner);
    assert_string_equal(walk_rig_transcript(&rig),
                        "route_decision diamond\ninterrupt b \"why\":\"person\"\n"
                        "complete \"interrupted\":true,"
                        "\"interrupts\":[{\"node\":\"b\",\"why\":\"person\"}]\n");
    assert_string_equal(walk_rig_trace(&rig), "a"); /* not c: it is entered again with b */
    walk_rig_fini(&rig, "interrupt");

    struct graph_node outside[] = {outer_nodes[0], outer_nodes[1]};
    outside[1].sub = &inner;
    def.nodes = outside;
    walk_rig_run(&rig, &def);
    EXPECT_TRUE("path", strstr(walk_rig_transcript(&rig), "interrupt inner/b ") != NULL);
    EXPECT_TRUE("end", strstr(rig.said, "complete \"interrupted\":true,") != NULL);
    walk_rig_fini(&rig, "interrupt inside");
}

/* ---- flow, cancel, memory ---- */

static const char *const words[] = {"one", "two", "three", NULL};
static const struct script speaking = {.step_ms = 10, .tokens = words};

TEST(hold_reaches_what_runs_and_what_begins_later)
{
    static const struct graph_node nodes[] = {
        [A] = {"a", &scripted},
        [B] = {"b", &scripted, &speaking},
        [C] = {"c", &scripted},
        [D] = {"d", &scripted, &speaking},
    };
    struct graph_def def = diamond, around = outer;
    struct graph_node outside[] = {outer_nodes[0], outer_nodes[1]};
    def.nodes = nodes;
    outside[1].sub = &def;
    around.nodes = outside;
    for (unsigned turn = 0; turn < 60; turn++) {
        struct walk_rig rig;
        walk_rig_init(&rig, turn % 2 == 0 ? &def : &around);
        struct run_options options = walk_rig_options(&rig);
        walk_rig_start(&rig, &options);
        for (unsigned i = 0; i < turn; i++) {
            loop_advance(rig.base.loop, 2);
            loop_turn(rig.base.loop, 1);
        }
        run_hold(rig.run);
        run_hold(rig.run);
        loop_rig_dry(&rig.base);
        EXPECT_TRUE("held somewhere, or ended before",
                    run_phase(rig.run) == (rig.end_count == 0 ? RUN_ACTIVE : RUN_ENDED));
        uint64_t last = event_log_last_id(run_log(rig.run));
        loop_rig_dry(&rig.base);
        EXPECT_INT("silence", event_log_last_id(run_log(rig.run)), last);
        run_go(rig.run);
        loop_rig_dry(&rig.base);
        EXPECT_TRUE("all was said",
                    strstr(walk_rig_transcript(&rig), "token final one 1\ntoken final two 1\n"
                                                      "token final three 1\ntoken final one 1\n"
                                                      "token final two 1\ntoken final three 1\n"
                                                      "complete\n") != NULL);
        walk_rig_fini(&rig, "hold");
    }
}

static const struct graph_def *const all_graphs[] = {&diamond, &looping, &outer, &lingering};

TEST(cancelled_at_every_turn)
{
    TEST_EACH(def, all_graphs) {
        unsigned turn = 0;
        for (bool swept = false; !swept; turn++) {
            struct walk_rig rig;
            walk_rig_init(&rig, *def);
            struct run_options options = walk_rig_options(&rig);
            walk_rig_start(&rig, &options);
            for (unsigned i = 0; i < turn; i++) {
                loop_advance(rig.base.loop, i % 3);
                loop_turn(rig.base.loop, 1);
            }
            bool ended = run_phase(rig.run) == RUN_ENDED;
            bool said = event_log_is_closed(run_log(rig.run));
            swept = ended;
            assert_true(turn < LOOP_RIG_TURNS);
            run_cancel(rig.run, "server_shutdown", "going down");
            run_cancel(rig.run, "cancelled", "too late");
            EXPECT_INT("not from inside", rig.end_count, ended);
            loop_rig_dry(&rig.base);
            EXPECT_TRUE((*def)->name,
                        str_ends_with(str_of(walk_rig_transcript(&rig)),
                                      said ? STR("complete\n")
                                           : STR("error server_shutdown going down 1\n")));
            walk_rig_fini(&rig, (*def)->name);
        }
    }
}

static void destroy_on_end(struct run *run)
{
    struct walk_rig *rig = run_owner(run);
    rig->end_count++;
    rig->run = NULL;
    run_destroy(run);
}

TEST(on_end_may_destroy_the_run)
{
    TEST_EACH(def, all_graphs)
        for (unsigned turn = 0; turn < 60; turn++) {
            struct walk_rig rig;
            walk_rig_init(&rig, *def);
            struct run_options options = walk_rig_options(&rig);
            options.on_end = destroy_on_end;
            walk_rig_start(&rig, &options);
            for (unsigned i = 0; i < turn && rig.run != NULL; i++) {
                loop_advance(rig.base.loop, 2);
                loop_turn(rig.base.loop, 1);
            }
            if (rig.run != NULL && turn % 2 == 0)
                run_cancel(rig.run, "cancelled", "enough");
            loop_rig_dry(&rig.base);
            EXPECT_INT("ended", rig.end_count, 1);
            walk_rig_fini(&rig, (*def)->name);
        }
}

TEST(the_nth_allocation_fails)
{
    TEST_EACH(def, all_graphs)
        for (uint64_t n = 1; n < 200; n++) {
            struct walk_rig rig;
            walk_rig_init(&rig, *def);
            struct run_options options = walk_rig_options(&rig);
            options.detail = EVENT_NODES;
            mem_fail_nth(n);
            rig.run = run_create(&options);
            if (rig.run != NULL)
                run_start(rig.run);
            loop_rig_dry(&rig.base);
            mem_fail_nth(0);
            bool complete =
                rig.run != NULL && strstr(walk_rig_transcript(&rig), "complete") != NULL;
            walk_rig_fini(&rig, (*def)->name);
            if (complete)
                break;
            EXPECT_TRUE("it passes in the end", n < 199);
        }
}

TEST(a_spent_arena_ends_the_run)
{
    for (size_t bytes = 512; bytes < 12000; bytes += 256) {
        struct walk_rig rig;
        walk_rig_init(&rig, &outer);
        struct run_options options = walk_rig_options(&rig);
        options.limits.arena_bytes = bytes;
        rig.run = run_create(&options);
        if (rig.run != NULL) {
            run_start(rig.run);
            loop_rig_dry(&rig.base);
            walk_rig_transcript(&rig);
            EXPECT_TRUE("said", strstr(rig.said, "complete\n") != NULL ||
                                    strstr(rig.said, "error internal ") != NULL);
        }
        walk_rig_fini(&rig, "arena");
    }
}

RUN_TESTS(T(branches_join_and_merge_in_table_order), T(nodes_are_told_at_detail_nodes),
          T(a_budget_of_two_means_three_attempts),
          T(visits_and_retries_are_told_without_any_events), T(a_tuning_changes_the_budget),
          T(limits_end_the_run), T(routes_that_break_their_word),
          T(the_first_failure_cancels_the_siblings), T(a_caught_failure_becomes_text),
          T(retries_and_timeouts_of_a_node), T(the_reply_does_not_wait_for_the_background),
          T(an_interrupt_pauses_the_run), T(hold_reaches_what_runs_and_what_begins_later),
          T(cancelled_at_every_turn), T(on_end_may_destroy_the_run), T(the_nth_allocation_fails),
          T(a_spent_arena_ends_the_run))
