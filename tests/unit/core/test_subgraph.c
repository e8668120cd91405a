/* SPDX-License-Identifier: MIT */
/* Values in and out of sub-graphs, their paths, failures, limits and timeouts. */
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
        unsigned catch_slot, recursion_limit;
        uint64_t timeout_ms;
        const char *end;
    } cases[] = {
        {"uncaught", 0, 0, 0, "error model_rejected scripted\n"},
        {"caught", 1 + ERROR, 0, 0, "complete\n"},
        {"limit of its own", 0, 1, 0,
         "error graph_recursion_limit graph 'failing': more than 1 supersteps\n"},
        {"too slow", 0, 0, 1, "error deadline_exceeded node 'inner' took longer than 1 ms 1\n"},
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

RUN_TESTS(T(a_sub_graph_gets_and_gives_values), T(a_sub_graphs_failure_keeps_its_code))
