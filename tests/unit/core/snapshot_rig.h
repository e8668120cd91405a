/* SPDX-License-Identifier: MIT */
/* tests/unit/core/snapshot_rig.h - a graph of two nodes over the slots of state_rig.h and a secret
 * one, and a state filled in steps. For test_snapshot and fuzz_snapshot. */
#ifndef TESTS_UNIT_CORE_SNAPSHOT_RIG_H
#define TESTS_UNIT_CORE_SNAPSHOT_RIG_H

#include "core/run/node.h"
#include "core/run/snapshot.h"
#include "core/run/update.h"

enum { TEXT, JSON, NUMBER, SUM, REAL, FLAG, LOG_LIST, PICK, HIDDEN, SLOT_COUNT };
#define ALL_WRITERS (SLOT_WRITER(0) | SLOT_WRITER(1) | SLOT_WRITER_INPUT)

static const struct slot snapshot_slots[] = {
    [TEXT] = {"text", SLOT_TEXT, REDUCE_REPLACE, ALL_WRITERS},
    [JSON] = {"json", SLOT_JSON, REDUCE_REPLACE, ALL_WRITERS},
    [NUMBER] = {"number", SLOT_INT, REDUCE_REPLACE, ALL_WRITERS},
    [SUM] = {"sum", SLOT_INT, REDUCE_ADD, ALL_WRITERS},
    [REAL] = {"real", SLOT_REAL, REDUCE_REPLACE, ALL_WRITERS},
    [FLAG] = {"flag", SLOT_BOOL, REDUCE_REPLACE, ALL_WRITERS},
    [LOG_LIST] = {"log", SLOT_LIST, REDUCE_APPEND, ALL_WRITERS},
    [PICK] = {"pick", SLOT_LIST, REDUCE_REPLACE, ALL_WRITERS, .passing = true},
    [HIDDEN] = {"hidden", SLOT_TEXT, REDUCE_REPLACE, ALL_WRITERS, .secret = true},
};

static inline enum step snapshot_rig_enter(struct node *node)
{
    (void)node;
    return STEP_DONE;
}

static const struct graph_node_type snapshot_type = {snapshot_rig_enter, 8};
static const struct graph_node snapshot_nodes[] = {{"first", &snapshot_type},
                                                   {"second", &snapshot_type}};
static const struct graph_edge snapshot_edges[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
static const struct graph_def snapshot_def = {
    .name = "two",
    .purpose = "Two steps.",
    .schema = {snapshot_slots, SLOT_COUNT},
    .nodes = snapshot_nodes,
    .node_count = 2,
    .edges = snapshot_edges,
    .edge_count = 3,
};

static inline struct graph *snapshot_rig_graph(void)
{
    struct graph *graph = NULL;
    struct err err = {0};
    enum err_code code = graph_compile(&snapshot_def, NULL, 0, &graph, &err);
    return code == ERR_OK ? graph : NULL;
}

/* Step n of a run: the first fills all, later ones change some. */
static inline void snapshot_rig_step(struct state *state, struct arena *arena, unsigned n)
{
    struct update *update = update_create(state, 0, arena);
    if (n == 0) {
        update_put_str(update, TEXT, STR("a \"text\" \xC3\xBC"));
        update_put_str(update, JSON, STR("{\"a\":[1,2]}"));
        update_put_int(update, NUMBER, INT64_MIN);
        update_put_real(update, REAL, -0.1);
        update_put_bool(update, FLAG, true);
        update_put_str(update, HIDDEN, STR("secret"));
        update_push_item(update, PICK, STR("p1"));
        update_push_item(update, PICK, STR(""));
    }
    if (n == 2)
        update_clear(update, TEXT);
    if (n == 3) {
        update_push_item(update, PICK, STR("q1"));
        update_push_item(update, PICK, STR("q2"));
        update_push_item(update, PICK, STR("q3"));
    }
    update_put_int(update, SUM, n + 1);
    update_push_item(update, LOG_LIST, STR("said \0 so"));
    CHECK(update_merge(update, state) == ERR_OK);
}

#endif
