/* SPDX-License-Identifier: MIT */
/* tests/unit/core/walk_graphs.h - the graphs that tests of walks share: a diamond that joins, a
 * loop on a budget, a diamond that fails, a graph around a diamond, and one around a graph that
 * goes on in the background. */
#ifndef TESTS_UNIT_CORE_WALK_GRAPHS_H
#define TESTS_UNIT_CORE_WALK_GRAPHS_H

#include "tests/unit/core/walk_rig.h"

static const struct script slow = {.step_ms = 50}, quick = {.step_ms = 5, .add = 2},
                           adding = {.step_ms = 20, .add = 3},
                           refused = {.step_ms = 1, .code = ERR_REJECTED},
                           flaky = {.step_ms = 1, .code = ERR_UNAVAILABLE, .fails = 2};

/* a -> (b, c) -> d: c ends first, is merged after b all the same */
enum { A, B, C, D };
static const struct slot four_slots[] = RIG_SLOTS(4);
static const struct graph_node diamond_nodes[] = {
    [A] = {"a", &scripted},
    [B] = {"b", &scripted, &adding},
    [C] = {"c", &scripted, &quick},
    [D] = {"d", &scripted},
};
static const struct graph_edge diamond_edges[] = {
    {GRAPH_START, A}, {A, B}, {A, C}, {B, D}, {C, D}, {D, GRAPH_END},
};
#define GRAPH(graph_name, table)                                                                   \
    .name = graph_name, .nodes = table##_nodes, .node_count = countof(table##_nodes),              \
    .edges = table##_edges, .edge_count = countof(table##_edges)
static const struct graph_def diamond = {GRAPH("diamond", diamond),
                                         .schema = {four_slots, SLOT_COUNT}};

/* write -> check -> END or back to write, budget "retry" of 2 */
enum { WRITE, CHECK_IT };
static const struct slot two_slots[] = RIG_SLOTS(2);
static const char *always_again(const struct state *state, const struct graph *graph)
{
    return graph_budget_left(graph, state, graph_find_budget(graph, "retry") - 1) ? "again"
                                                                                  : "give_up";
}
static const struct graph_budget retry_budget[] = {{"retry", SLOT(RETRIES), SLOT(REASON), 2}};
static const struct graph_node loop_nodes[] = {
    [WRITE] = {"write", &scripted},
    [CHECK_IT] = {"check", &scripted, .route = always_again, .labels = {"again", "give_up"}},
};
static const struct graph_edge loop_edges[] = {
    {GRAPH_START, WRITE},
    {WRITE, CHECK_IT},
    {CHECK_IT, WRITE, "again", 1},
    {CHECK_IT, GRAPH_END, "give_up"},
};
static const struct graph_def looping = {GRAPH("looping", loop), .schema = {two_slots, SLOT_COUNT},
                                         .budgets = retry_budget, .budget_count = 1};

static const struct graph_node failing_nodes[] = {
    [A] = {"a", &scripted},
    [B] = {"b", &scripted, &slow},
    [C] = {"c", &scripted, &refused},
    [D] = {"d", &scripted},
};
static const struct graph_def failing = {GRAPH("failing", diamond),
                                         .schema = {four_slots, SLOT_COUNT}};

static const struct graph_pass pass_in[] = {{INPUT, INPUT}, {TRACE, TRACE}, {SUM, SUM}};
static const struct graph_pass pass_out[] = {{TRACE, TRACE}, {SUM, SUM}, {INPUT, REASON}};
static const struct graph_node outer_nodes[] = {
    {"before", &scripted, &quick},
    {"inner", .sub = &diamond, .in = pass_in, .in_count = countof(pass_in), .out = pass_out,
     .out_count = countof(pass_out), .tool = true},
};
static const struct graph_edge outer_edges[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
static const struct graph_def outer = {GRAPH("outer", outer), .schema = {two_slots, SLOT_COUNT}};

/* (answer -> remember) -> after: the sub-graph has answered while it still remembers */
static const struct script remembering = {.step_ms = 100, .add = 9};
static const struct graph_node answering_nodes[] = {
    {"answer", &scripted, &quick},
    {"remember", &scripted, &remembering, .background = true},
};
static const struct graph_def answering = {.name = "answering",
                                           .nodes = answering_nodes,
                                           .node_count = countof(answering_nodes),
                                           .edges = outer_edges,
                                           .edge_count = countof(outer_edges),
                                           .schema = {two_slots, SLOT_COUNT}};
static const struct graph_node lingering_nodes[] = {
    {"inner", .sub = &answering, .in = pass_in, .in_count = countof(pass_in), .out = pass_out,
     .out_count = countof(pass_out), .tool = true},
    {"after", &scripted},
};
static const struct graph_def lingering = {.name = "lingering",
                                           .nodes = lingering_nodes,
                                           .node_count = countof(lingering_nodes),
                                           .edges = outer_edges,
                                           .edge_count = countof(outer_edges),
                                           .schema = {two_slots, SLOT_COUNT}};

#endif
