/* SPDX-License-Identifier: MIT */
/* Thousands of made-up graphs with failures, retries, budgets, background nodes and sub-graphs,
 * held, let go, cancelled and starved of memory at made-up moments. Whatever happens: one end, one
 * terminal event, ids without gaps, an empty loop. */
#include "tests/unit/core/walk_graphs.h"

enum { SEEDS = 3000, MOST_NODES = 8, MOST_EDGES = 40, STEPS = 120 };

struct made {
    struct graph_def def;
    struct slot slots[SLOT_COUNT];
    struct graph_node nodes[MOST_NODES];
    struct script scripts[MOST_NODES];
    struct graph_edge edges[MOST_EDGES];
    char names[MOST_NODES][12];
};

static const char *const words[] = {"a", "b", "c", NULL};
static const struct slot model_slots[] = RIG_SLOTS(MOST_NODES);

static uint32_t next_random(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static const char *on_or_back(const struct state *state, const struct graph *graph)
{
    bool again = state_int(state, SUM) % 3 == 0 && graph_budget_left(graph, state, 0);
    return again ? "back" : "on";
}

static void add_edge(struct made *made, unsigned from, unsigned to, const char *label)
{
    made->edges[made->def.edge_count++] = (struct graph_edge){from, to, label};
}

static void make_node(struct made *made, unsigned i, uint32_t *seed)
{
    static const enum err_code codes[] = {ERR_OK, ERR_OK, ERR_OK,      ERR_UNAVAILABLE,
                                          ERR_OK, ERR_OK, ERR_REJECTED};
    struct script *script = &made->scripts[i];
    struct graph_node *node = &made->nodes[i];
    snprintf(made->names[i], sizeof made->names[i], "n%u", i);
    *script = (struct script){.step_ms = next_random(seed, 20),
                              .code = codes[next_random(seed, countof(codes))],
                              .fails = next_random(seed, 3),
                              .tokens = next_random(seed, 3) == 0 ? words : NULL,
                              .add = next_random(seed, 4),
                              .interrupts = next_random(seed, 40) == 0};
    *node = (struct graph_node){.name = made->names[i],
                                .config = script,
                                .retries = next_random(seed, 3),
                                .timeout_ms = next_random(seed, 4) == 0 ? 8 : 0,
                                .catch_slot = next_random(seed, 2) == 0 ? 1 + ERROR : 0,
                                .background = next_random(seed, 5) == 0,
                                .tool = next_random(seed, 2) == 0};
    if (next_random(seed, 5) == 0) {
        static const struct graph_def *const subs[] = {&diamond, &looping, &lingering};
        node->sub = subs[next_random(seed, countof(subs))];
        node->in = pass_in;
        node->in_count = countof(pass_in);
        node->out = pass_out;
        node->out_count = countof(pass_out);
    } else {
        node->type = &scripted;
    }
}

/* Edges lead on to later nodes or END; a routed node may also go back, on the budget. */
static void make_edges(struct made *made, unsigned i, unsigned count, uint32_t *seed)
{
    unsigned next = i + 1 < count ? i + 1 : GRAPH_END;
    if (next_random(seed, 3) == 0) {
        made->nodes[i].route = on_or_back;
        made->nodes[i].labels[0] = "on";
        made->nodes[i].labels[1] = "back";
        add_edge(made, i, next, "on");
        add_edge(made, i, next_random(seed, i + 1), "back");
        made->edges[made->def.edge_count - 1].budget = 1;
        return;
    }
    add_edge(made, i, next, NULL);
    for (unsigned j = i + 2; j < count; j++)
        if (next_random(seed, 3) == 0)
            add_edge(made, i, j, NULL);
}

static void make_graph(struct made *made, uint32_t *seed)
{
    unsigned count = 1 + next_random(seed, MOST_NODES);
    *made = (struct made){.def = {.name = "made",
                                  .schema = {made->slots, SLOT_COUNT},
                                  .nodes = made->nodes,
                                  .node_count = count,
                                  .edges = made->edges,
                                  .budgets = retry_budget,
                                  .budget_count = 1,
                                  .recursion_limit = 4 + next_random(seed, 20)}};
    memcpy(made->slots, model_slots, sizeof made->slots);
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        made->slots[i].writers &= RIG_WRITERS(count);
    add_edge(made, GRAPH_START, 0, NULL);
    for (unsigned i = 0; i < count; i++) {
        make_node(made, i, seed);
        make_edges(made, i, count, seed);
    }
}

static void poke(struct walk_rig *rig, uint32_t *seed)
{
    switch (next_random(seed, 30)) {
    case 0:
        run_hold(rig->run);
        break;
    case 1:
    case 2:
        run_go(rig->run);
        break;
    case 3:
        if (next_random(seed, 10) == 0)
            run_cancel(rig->run, "cancelled", "enough");
        break;
    case 4:
        if (next_random(seed, 10) == 0)
            mem_fail_nth(1 + next_random(seed, 5));
        break;
    default:
        break;
    }
    loop_advance(rig->base.loop, next_random(seed, 4));
    loop_turn(rig->base.loop, 1);
}

static void check_events(struct walk_rig *rig, uint32_t seed)
{
    struct event event = {0};
    uint64_t count = 0;
    while (event_log_after(run_log(rig->run), event.id, &event) == ERR_OK) {
        EXPECT_INT("id", event.id, ++count);
        if (event_is_terminal(event.kind) != (count == event_log_last_id(run_log(rig->run))))
            fail_msg("seed %u: event %llu of %llu is %s", seed, (unsigned long long)count,
                     (unsigned long long)event_log_last_id(run_log(rig->run)),
                     event_name(event.kind));
    }
}

TEST(whatever_happens_there_is_one_end)
{
    unsigned complete = 0;
    for (uint32_t first = 0; first < SEEDS; first++) {
        uint32_t seed = first * 2654435761u;
        struct walk_rig rig;
        static struct made made;
        make_graph(&made, &seed);
        walk_rig_init(&rig, &made.def);
        struct run_options options = walk_rig_options(&rig);
        options.detail = (enum event_level)next_random(&seed, 3);
        options.limits.arena_bytes = next_random(&seed, 8) == 0 ? 9000 : 1 << 20;
        options.limits.deadline_ms = next_random(&seed, 8) == 0 ? 30 : 0;
        walk_rig_start(&rig, &options);
        for (unsigned step = 0; step < STEPS && rig.end_count == 0; step++)
            poke(&rig, &seed);
        mem_fail_nth(0);
        run_go(rig.run);
        loop_rig_dry(&rig.base);
        check_events(&rig, first);
        struct str code, message;
        complete += run_result(rig.run, &code, &message) == ERR_OK;
        walk_rig_fini(&rig, "made");
    }
    EXPECT_TRUE("both ends were seen", complete > SEEDS / 10 && complete < SEEDS);
}

RUN_TESTS(T(whatever_happens_there_is_one_end))
