/* SPDX-License-Identifier: MIT */
/* Values in and out of sub-graphs, their paths, failures, limits and timeouts; and those that have
 * answered and go on in the background. */
#include "tests/unit/core/walk_graphs.h"

TEST(a_sub_graph_gets_and_gives_values)
{
    struct walk_rig rig;
    walk_rig_init(&rig, &outer);
    struct run_options options = walk_rig_options(&rig);
    options.detail = EVENT_NODES;
    walk_rig_start(&rig, &options);
    loop_rig_dry(&rig.base);
    assert_string_equal(walk_rig_trace(&rig), "before a b c d");
    EXPECT_INT("sum", state_int(run_state(rig.run), SUM), 7);
    EXPECT_TRUE("what the sub-graph leaves absent is cleared",
                !state_has(run_state(rig.run), INPUT));
    EXPECT_TRUE("tool", strstr(walk_rig_transcript(&rig), "tool_start inner\n") != NULL);
    EXPECT_TRUE("path", strstr(rig.said, "node_start inner/c\n") != NULL);
    walk_rig_fini(&rig, "sub");
}

TEST(a_sub_graphs_failure_keeps_its_code)
{
    static const struct {
        const char *name;
        struct slot_ref catch_slot;
        unsigned recursion_limit;
        uint64_t timeout_ms;
        const char *end;
    } cases[] = {
        {"uncaught", {0}, 0, 0, "error model_rejected the model refuses the request\n"},
        {"caught", SLOT(ERROR), 0, 0, "complete\n"},
        {"limit of its own",
         {0},
         1,
         0,
         "error graph_recursion_limit graph 'failing': more than 1 supersteps\n"},
        {"too slow", {0}, 0, 1, "error deadline_exceeded node 'inner' took longer than 1 ms 1\n"},
    };
    TEST_EACH(c, cases) {
        struct graph_def inner = failing, def = outer;
        struct graph_node nodes[] = {outer_nodes[0], outer_nodes[1]};
        struct walk_rig rig;
        inner.nodes = failing_nodes;
        inner.recursion_limit = c->recursion_limit;
        nodes[1].sub = &inner;
        nodes[1].catch_slot = c->catch_slot;
        nodes[1].timeout_ms = c->timeout_ms;
        def.nodes = nodes;
        walk_rig_run(&rig, &def);
        EXPECT_TRUE(c->name, str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)));
        walk_rig_fini(&rig, c->name);
    }
}

/* ---- sub-graphs that go on in the background ---- */

static void start_at_nodes(struct walk_rig *rig, const struct graph_def *def)
{
    walk_rig_init(rig, def);
    struct run_options options = walk_rig_options(rig);
    options.detail = EVENT_NODES;
    walk_rig_start(rig, &options);
}

static void pass_ms(struct walk_rig *rig, unsigned ms)
{
    for (unsigned i = 0; i < ms; i++) {
        loop_advance(rig->base.loop, 1);
        loop_turn(rig->base.loop, 6);
    }
}

static bool said_before(struct walk_rig *rig, const char *first, const char *second)
{
    const char *one = strstr(walk_rig_transcript(rig), first), *other = strstr(rig->said, second);
    return one != NULL && other != NULL && one < other;
}

TEST(the_graph_around_does_not_wait_for_what_lingers)
{
    static const struct {
        const char *name;
        struct script script; /* of the background node, which takes 100 ms */
        uint64_t timeout_ms;  /* of the sub-graph's node */
    } cases[] = {
        {"good", {.step_ms = 100, .add = 9}, 0},
        {"its failure is nobody's", {.step_ms = 100, .code = ERR_INTERNAL}, 0},
        {"its node's time is for the answer", {.step_ms = 100}, 20},
    };
    TEST_EACH(c, cases) {
        struct graph_node inner_nodes[] = {answering_nodes[0], answering_nodes[1]};
        struct graph_node nodes[] = {lingering_nodes[0], lingering_nodes[1]};
        struct graph_def inner = answering, def = lingering;
        struct walk_rig rig;
        inner_nodes[1].config = &c->script;
        inner.nodes = inner_nodes;
        nodes[0].sub = &inner;
        nodes[0].timeout_ms = c->timeout_ms;
        nodes[0].catch_slot = (struct slot_ref)SLOT(ERROR);
        def.nodes = nodes;
        start_at_nodes(&rig, &def);
        pass_ms(&rig, 60);
        EXPECT_TRUE(c->name, event_log_is_closed(run_log(rig.run)));
        EXPECT_INT(c->name, run_phase(rig.run), RUN_ANSWERED);
        pass_ms(&rig, 60);
        EXPECT_INT(c->name, run_phase(rig.run), RUN_ENDED);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), STR("answer after"));
        EXPECT_INT("what it adds afterwards is not passed on", state_int(run_state(rig.run), SUM),
                   2);
        EXPECT_TRUE("nor a failure", !state_has(run_state(rig.run), ERROR));
        EXPECT_TRUE("its end is told at its answer",
                    said_before(&rig, "tool_end inner", "node_start after\n"));
        EXPECT_TRUE("and once", strstr(strstr(rig.said, "tool_end") + 1, "tool_end") == NULL);
        EXPECT_TRUE(c->name, str_ends_with(str_of(rig.said), STR("complete\n")));
        walk_rig_fini(&rig, c->name);
    }
}

static const struct graph_edge joining_edges[] = {
    {GRAPH_START, 0}, {GRAPH_START, 1}, {0, 2}, {1, 2}, {2, GRAPH_END}};

TEST(what_lingers_beside_others)
{
    static const struct {
        const char *name;
        struct script remember, beside;
        const char *trace, *end;
    } cases[] = {
        {"they join", {.step_ms = 100}, {.step_ms = 30}, "answer b after", "complete\n"},
        {"it is over first", {.step_ms = 10}, {.step_ms = 30}, "answer b after", "complete\n"},
        {"the other one is interrupted",
         {.step_ms = 100},
         {.step_ms = 30, .interrupts = true},
         "",
         "complete \"interrupted\":true,\"interrupts\":[{\"node\":\"b\",\"why\":\"person\"}]\n"},
        {"the other one fails",
         {.step_ms = 100},
         {.step_ms = 30, .code = ERR_REJECTED},
         "",
         "error model_rejected the model refuses the request\n"},
    };
    static const struct slot three_slots[] = RIG_SLOTS(3);
    TEST_EACH(c, cases) {
        struct graph_node inner_nodes[] = {answering_nodes[0], answering_nodes[1]};
        struct graph_node nodes[] = {
            lingering_nodes[0], {"b", &scripted, &c->beside}, lingering_nodes[1]};
        struct graph_def inner = answering;
        const struct graph_def def = {.name = "joining",
                                      .nodes = nodes,
                                      .node_count = countof(nodes),
                                      .edges = joining_edges,
                                      .edge_count = countof(joining_edges),
                                      .schema = {three_slots, SLOT_COUNT}};
        struct walk_rig rig;
        inner_nodes[1].config = &c->remember;
        inner.nodes = inner_nodes;
        nodes[0].sub = &inner;
        start_at_nodes(&rig, &def);
        pass_ms(&rig, 60);
        EXPECT_TRUE(c->name, event_log_is_closed(run_log(rig.run)));
        loop_rig_dry(&rig.base);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), str_of(c->trace));
        EXPECT_TRUE(c->name, str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)));
        walk_rig_fini(&rig, c->name);
    }
}

TEST(what_lingers_is_entered_again_afterwards)
{
    static const struct graph_node nodes[] = {
        {"inner", .sub = &answering, .in = pass_in, .in_count = countof(pass_in), .out = pass_out,
         .out_count = countof(pass_out)},
        {"check", &scripted, .route = always_again, .labels = {"again", "give_up"}},
    };
    struct graph_def def = looping;
    struct walk_rig rig;
    def.nodes = nodes;
    start_at_nodes(&rig, &def);
    pass_ms(&rig, 90);
    EXPECT_STR("it waits", str_of(walk_rig_trace(&rig)), STR("answer check"));
    pass_ms(&rig, 180);
    EXPECT_STR("three times", str_of(walk_rig_trace(&rig)),
               STR("answer check answer check answer check"));
    EXPECT_TRUE("said", event_log_is_closed(run_log(rig.run)));
    EXPECT_INT("the last one lingers", run_phase(rig.run), RUN_ANSWERED);
    EXPECT_INT("sum", state_int(run_state(rig.run), SUM), 6);
    walk_rig_fini(&rig, "again");
}

TEST(what_lingers_is_cancelled_with_the_run)
{
    struct walk_rig rig;
    start_at_nodes(&rig, &lingering);
    pass_ms(&rig, 30);
    EXPECT_INT("it lingers", run_phase(rig.run), RUN_ANSWERED);
    run_cancel(rig.run, "server_shutdown", "going down");
    loop_turn(rig.base.loop, 10);
    EXPECT_INT("and is over before its time", run_phase(rig.run), RUN_ENDED);
    EXPECT_TRUE("what was said stands",
                str_ends_with(str_of(walk_rig_transcript(&rig)), STR("complete\n")));
    walk_rig_fini(&rig, "cancelled");
}

/* ---- every type there and back ---- */

enum { TEXT, JSON, NUMBER, TOTAL, REAL, WEIGHT, FLAG, ITEMS, ABSENT, ALL_COUNT };
#define ANYONE (SLOT_WRITER(0) | SLOT_WRITER_INPUT)
static const struct slot all_slots[] = {
    [TEXT] = {"text", SLOT_TEXT, REDUCE_REPLACE, ANYONE},
    [JSON] = {"json", SLOT_JSON, REDUCE_REPLACE, ANYONE},
    [NUMBER] = {"number", SLOT_INT, REDUCE_REPLACE, ANYONE},
    [TOTAL] = {"total", SLOT_INT, REDUCE_ADD, ANYONE},
    [REAL] = {"real", SLOT_REAL, REDUCE_REPLACE, ANYONE},
    [WEIGHT] = {"weight", SLOT_REAL, REDUCE_ADD, ANYONE},
    [FLAG] = {"flag", SLOT_BOOL, REDUCE_REPLACE, ANYONE},
    [ITEMS] = {"items", SLOT_LIST, REDUCE_APPEND, ANYONE},
    [ABSENT] = {"absent", SLOT_TEXT, REDUCE_REPLACE, ANYONE},
};

static enum step change_all(struct node *node)
{
    const struct state *inner = node_state(node);
    EXPECT_STR("text", state_str(inner, TEXT), STR("in"));
    EXPECT_STR("json", state_str(inner, JSON), STR("[1]"));
    EXPECT_TRUE("numbers", state_int(inner, NUMBER) == 1 && state_int(inner, TOTAL) == 10);
    EXPECT_TRUE("reals", state_real(inner, REAL) == 0.5 && state_real(inner, WEIGHT) == 2.5);
    EXPECT_TRUE("flag and absence", state_bool(inner, FLAG) && !state_has(inner, ABSENT));
    EXPECT_INT("items", state_list_count(inner, ITEMS), 1);
    node_put_str(node, TEXT, STR("out"));
    node_put_str(node, JSON, STR("[2]"));
    node_put_int(node, NUMBER, 2);
    node_put_int(node, TOTAL, 5);
    node_put_real(node, REAL, 1.5);
    node_put_real(node, WEIGHT, 0.25);
    node_put_bool(node, FLAG, false);
    node_push_item(node, ITEMS, STR("inner"));
    return STEP_DONE;
}

static const struct graph_node_type changing = {change_all, 0};
static const struct graph_node inner_nodes[] = {{"change", &changing}};
static const struct graph_edge one_edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};
static const struct graph_def inner_def = {"inner",   "", {all_slots, ALL_COUNT}, inner_nodes, 1,
                                           one_edges, 2};
static const struct graph_pass all_passes[] = {
    {TEXT, TEXT},     {JSON, JSON}, {NUMBER, NUMBER}, {TOTAL, TOTAL},   {REAL, REAL},
    {WEIGHT, WEIGHT}, {FLAG, FLAG}, {ITEMS, ITEMS},   {ABSENT, ABSENT},
};
static const struct graph_node around_nodes[] = {
    {"sub", .sub = &inner_def, .in = all_passes, .in_count = countof(all_passes), .out = all_passes,
     .out_count = countof(all_passes)}};
static const struct graph_def around_def = {"around",  "", {all_slots, ALL_COUNT}, around_nodes, 1,
                                            one_edges, 2};

TEST(every_type_goes_in_and_comes_out_once)
{
    struct walk_rig rig;
    walk_rig_init(&rig, &around_def);
    struct run_options options = walk_rig_options(&rig);
    rig.run = run_create(&options);
    struct update *input = run_input(rig.run);
    update_put_str(input, TEXT, STR("in"));
    update_put_str(input, JSON, STR("[1]"));
    update_put_int(input, NUMBER, 1);
    update_put_int(input, TOTAL, 10);
    update_put_real(input, REAL, 0.5);
    update_put_real(input, WEIGHT, 2.5);
    update_put_bool(input, FLAG, true);
    update_push_item(input, ITEMS, STR("outer"));
    run_start(rig.run);
    loop_rig_dry(&rig.base);
    const struct state *state = run_state(rig.run);
    EXPECT_STR("text", state_str(state, TEXT), STR("out"));
    EXPECT_STR("json", state_str(state, JSON), STR("[2]"));
    EXPECT_INT("replaced", state_int(state, NUMBER), 2);
    EXPECT_INT("summed once", state_int(state, TOTAL), 15);
    EXPECT_TRUE("real", state_real(state, REAL) == 1.5);
    EXPECT_TRUE("summed once", state_real(state, WEIGHT) == 2.75);
    EXPECT_TRUE("flag", state_has(state, FLAG) && !state_bool(state, FLAG));
    EXPECT_INT("appended once", state_list_count(state, ITEMS), 2);
    EXPECT_STR("what was added", state_list_item(state, ITEMS, 1), STR("inner"));
    EXPECT_TRUE("absent", !state_has(state, ABSENT));
    EXPECT_STR("id", str_of(run_id(rig.run)), STR("run_test"));
    walk_rig_fini(&rig, "types");
}

RUN_TESTS(T(every_type_goes_in_and_comes_out_once), T(a_sub_graph_gets_and_gives_values),
          T(a_sub_graphs_failure_keeps_its_code),
          T(the_graph_around_does_not_wait_for_what_lingers), T(what_lingers_beside_others),
          T(what_lingers_is_entered_again_afterwards), T(what_lingers_is_cancelled_with_the_run))
