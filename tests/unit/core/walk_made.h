/* SPDX-License-Identifier: MIT */
/* tests/unit/core/walk_made.h - graphs made up from a seed: nodes that fail, retry, are caught, in
 * the background, a graph themselves; routes back on a budget. Plain ones pause nowhere, have
 * nothing in the background and time nothing, so that what they do depends on their tables alone.
 */
#ifndef TESTS_UNIT_CORE_WALK_MADE_H
#define TESTS_UNIT_CORE_WALK_MADE_H

#include "tests/unit/core/walk_graphs.h"

enum { MOST_NODES = 8, MOST_EDGES = 40 };

struct walk_made {
    struct graph_def def;
    struct slot slots[SLOT_COUNT];
    struct graph_node nodes[MOST_NODES];
    struct script scripts[MOST_NODES];
    struct graph_edge edges[MOST_EDGES];
    char names[MOST_NODES][12];
};

static const char *const walk_made_words[] = {"a", "b", "c", NULL};
static const struct slot walk_made_slots[] = RIG_SLOTS(MOST_NODES);

static inline uint32_t walk_made_random(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static const char *walk_made_route(const struct state *state, const struct graph *graph)
{
    bool again = state_int(state, SUM) % 3 == 0 && graph_budget_left(graph, state, 0);
    return again ? "back" : "on";
}

static inline void walk_made_edge(struct walk_made *made, unsigned from, unsigned to,
                                  const char *label)
{
    made->edges[made->def.edge_count++] = (struct graph_edge){from, to, label};
}

static inline void walk_made_node(struct walk_made *made, unsigned i, uint32_t *seed, bool is_plain)
{
    static const enum err_code codes[] = {ERR_OK, ERR_OK, ERR_OK,      ERR_UNAVAILABLE,
                                          ERR_OK, ERR_OK, ERR_REJECTED};
    struct script *script = &made->scripts[i];
    struct graph_node *node = &made->nodes[i];
    snprintf(made->names[i], sizeof made->names[i], "n%u", i);
    *script = (struct script){.step_ms = walk_made_random(seed, 20),
                              .code = codes[walk_made_random(seed, countof(codes))],
                              .fails = walk_made_random(seed, 3),
                              .tokens = walk_made_random(seed, 3) == 0 ? walk_made_words : NULL,
                              .add = walk_made_random(seed, 4),
                              .interrupts = walk_made_random(seed, 40) == 0 && !is_plain};
    *node = (struct graph_node){.name = made->names[i],
                                .config = script,
                                .retries = walk_made_random(seed, 3),
                                .timeout_ms = walk_made_random(seed, 4) == 0 && !is_plain ? 8 : 0,
                                .catch_slot = walk_made_random(seed, 2) == 0
                                                  ? (struct slot_ref)SLOT(ERROR)
                                                  : (struct slot_ref){0},
                                .background = walk_made_random(seed, 5) == 0 && !is_plain,
                                .tool = walk_made_random(seed, 2) == 0};
    if (walk_made_random(seed, 5) == 0) {
        static const struct graph_def *const subs[] = {&diamond, &looping, &lingering};
        node->sub = subs[walk_made_random(seed, is_plain ? 2 : countof(subs))];
        node->in = pass_in;
        node->in_count = countof(pass_in);
        node->out = pass_out;
        node->out_count = countof(pass_out);
    } else {
        node->type = &scripted;
    }
}

/* Edges lead on to later nodes or END; a routed node may also go back, on the budget. */
static inline void walk_made_edges(struct walk_made *made, unsigned i, unsigned count,
                                   uint32_t *seed)
{
    unsigned next = i + 1 < count ? i + 1 : GRAPH_END;
    if (walk_made_random(seed, 3) == 0) {
        made->nodes[i].route = walk_made_route;
        made->nodes[i].labels[0] = "on";
        made->nodes[i].labels[1] = "back";
        walk_made_edge(made, i, next, "on");
        walk_made_edge(made, i, walk_made_random(seed, i + 1), "back");
        made->edges[made->def.edge_count - 1].budget = 1;
        return;
    }
    walk_made_edge(made, i, next, NULL);
    for (unsigned j = i + 2; j < count; j++)
        if (walk_made_random(seed, 3) == 0)
            walk_made_edge(made, i, j, NULL);
}

static inline void walk_made_graph(struct walk_made *made, uint32_t *seed, bool is_plain)
{
    unsigned count = 1 + walk_made_random(seed, MOST_NODES);
    *made = (struct walk_made){.def = {.name = "made",
                                       .schema = {made->slots, SLOT_COUNT},
                                       .nodes = made->nodes,
                                       .node_count = count,
                                       .edges = made->edges,
                                       .budgets = retry_budget,
                                       .budget_count = 1,
                                       .recursion_limit = 4 + walk_made_random(seed, 20)}};
    memcpy(made->slots, walk_made_slots, sizeof made->slots);
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        made->slots[i].writers &= RIG_WRITERS(count);
    walk_made_edge(made, GRAPH_START, 0, NULL);
    for (unsigned i = 0; i < count; i++) {
        walk_made_node(made, i, seed, is_plain);
        walk_made_edges(made, i, count, seed);
    }
}

#endif
