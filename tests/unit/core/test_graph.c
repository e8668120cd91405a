/* SPDX-License-Identifier: MIT */
/* Every check of graph_compile with a message that names the place; routes, budgets, the picture.
 */
#include "tests/lib/test.h"

#include "core/base/buf.h"
#include "core/run/graph.h"

enum { TEXT, COUNT, ITEMS, REAL, SLOT_COUNT };
static const struct slot slots[] = {
    [TEXT] = {"text", SLOT_TEXT, REDUCE_REPLACE, SLOT_WRITER(0) | SLOT_WRITER_INPUT},
    [COUNT] = {"count", SLOT_INT, REDUCE_REPLACE, SLOT_WRITER(1)},
    [ITEMS] = {"items", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(1)},
    [REAL] = {"real", SLOT_REAL, REDUCE_ADD, 0},
};

static enum step enter(struct node *node)
{
    (void)node;
    return STEP_DONE;
}
static const char *route(const struct state *state, const struct graph *graph)
{
    (void)state;
    (void)graph;
    return "again";
}
static const struct graph_node_type plain = {enter, 0}, hollow = {NULL, 0};

/* ask -> check -> END, or back to ask on the budget "retry" */
enum { ASK, REVIEW, NODE_COUNT };
#define GOOD_NODES                                                                                 \
    {"ask", &plain},                                                                               \
    {                                                                                              \
        "review", &plain, .route = route, .labels = { "again", "good" }                            \
    }
static const struct graph_node good_nodes[] = {GOOD_NODES};
static const struct graph_edge good_edges[] = {
    {GRAPH_START, ASK},
    {ASK, REVIEW},
    {REVIEW, ASK, "again", 1},
    {REVIEW, GRAPH_END, "good"},
};
static const struct graph_budget good_budgets[] = {{"retry", SLOT(COUNT), SLOT(TEXT), 2}};
static const struct graph_def good = {
    .name = "good",
    .schema = {slots, SLOT_COUNT},
    .nodes = good_nodes,
    .node_count = NODE_COUNT,
    .edges = good_edges,
    .edge_count = countof(good_edges),
    .budgets = good_budgets,
    .budget_count = 1,
};

/* A graph whose slots its caller and its one node may write. */
static const struct slot open_slots[] = {
    {"question", SLOT_TEXT, REDUCE_REPLACE, SLOT_WRITER_INPUT},
    {"number", SLOT_INT, REDUCE_REPLACE, SLOT_WRITER_INPUT},
    {"own", SLOT_TEXT, REDUCE_REPLACE, SLOT_WRITER(0)},
};
static const struct graph_node sub_nodes[] = {{"think", &plain}};
static const struct graph_edge sub_edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};
static const struct graph_def sub = {"sub", "", {open_slots, 3}, sub_nodes, 1, sub_edges, 2};
static const struct graph_node bad_sub_nodes[] = {{"think", &hollow}};
static const struct graph_def bad_sub = {"bad_sub", "", {open_slots, 3}, bad_sub_nodes, 1,
                                         sub_edges, 2};

#define NODES(...)                                                                                 \
    .nodes = (const struct graph_node[])                                                           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define EDGES(...)                                                                                 \
    .edges = (const struct graph_edge[]){__VA_ARGS__},                                             \
    .edge_count = countof(((const struct graph_edge[]){__VA_ARGS__}))
#define BUDGETS(...)                                                                               \
    .budgets = (const struct graph_budget[])                                                       \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SLOTS(...)                                                                                 \
    .slots = (const struct slot[])                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define PASS(...)                                                                                  \
    (const struct graph_pass[])                                                                    \
    {                                                                                              \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define REVIEWED                                                                                   \
    {                                                                                              \
        "review", &plain, .route = route, .labels = { "again", "good" }                            \
    }

static const struct {
    const char *name;
    const struct graph_node *nodes; /* NULL: good's, and so on */
    size_t node_count;
    const struct graph_edge *edges;
    size_t edge_count;
    const struct graph_budget *budgets;
    size_t budget_count;
    const struct slot *slots;
    const char *want; /* words of the message, separated by '|' */
} mistakes[] = {
    {"two of a name", NODES({"review", &plain}, REVIEWED), .want = "'good'|'review'|twice"},
    {"no name", NODES({NULL, &plain}, REVIEWED), .want = "'good'|node 0"},
    {"reserved name", NODES({"End", &plain}, REVIEWED), .want = "'good'|'End'"},
    {"odd name", NODES({"a b", &plain}, REVIEWED), .want = "'good'|'a b'"},
    {"neither type nor sub", NODES({"ask"}, REVIEWED), .want = "'ask'|either"},
    {"both type and sub", NODES({"ask", &plain, .sub = &sub}, REVIEWED), .want = "'ask'|either"},
    {"hollow type", NODES({"ask", &hollow}, REVIEWED), .want = "'ask'|enter"},
    {"passes without sub", NODES({"ask", &plain, .in = PASS(0, 0), .in_count = 1}, REVIEWED),
     .want = "'ask'|without a sub-graph"},
    {"catch slot of another type", NODES({"ask", &plain, .catch_slot = SLOT(COUNT)}, REVIEWED),
     .want = "'ask'|catch"},
    {"catch slot out of range", NODES({"ask", &plain, .catch_slot = SLOT(98)}, REVIEWED),
     .want = "'ask'|catch"},
    {"catch code slot of another type",
     NODES({"ask", &plain, .catch_slot = SLOT(TEXT), .catch_code_slot = SLOT(COUNT)}, REVIEWED),
     .want = "'ask'|catch code"},
    {"catch code without catch", NODES({"ask", &plain, .catch_code_slot = SLOT(TEXT)}, REVIEWED),
     .want = "'ask'|without a catch slot"},
    {"too many nodes", .node_count = 64, .want = "'good'|64 nodes"},
    {"edge from nowhere", EDGES({GRAPH_START, ASK}, {7, ASK}), .want = "edge 1|7"},
    {"edge to nowhere", EDGES({GRAPH_START, ASK}, {ASK, 9}), .want = "'ask'|9"},
    {"edge out of END", EDGES({GRAPH_END, ASK}), .want = "edge 0"},
    {"edge into START", EDGES({ASK, GRAPH_START}), .want = "'ask'"},
    {"edge counts no budget", EDGES({GRAPH_START, ASK, NULL, 3}), .want = "'START'|'ask'|3"},
    {"label without an edge", EDGES({GRAPH_START, ASK}, {ASK, REVIEW}, {REVIEW, GRAPH_END, "good"}),
     .want = "'review'|'again'|0 edges"},
    {"label with two edges",
     EDGES({GRAPH_START, ASK}, {ASK, REVIEW}, {REVIEW, ASK, "again", 1}, {REVIEW, REVIEW, "again"},
           {REVIEW, GRAPH_END, "good"}),
     .want = "'review'|'again'|2 edges"},
    {"label not declared",
     EDGES({GRAPH_START, ASK}, {ASK, REVIEW}, {REVIEW, ASK, "again", 1},
           {REVIEW, GRAPH_END, "good"}, {REVIEW, GRAPH_END, "bad"}),
     .want = "'review'|'bad'|not declared"},
    {"edge of a routed node without a label",
     EDGES({GRAPH_START, ASK}, {ASK, REVIEW}, {REVIEW, ASK, "again", 1},
           {REVIEW, GRAPH_END, "good"}, {REVIEW, GRAPH_END}),
     .want = "'review'|'END'|no label"},
    {"route without labels", NODES({"ask", &plain}, {"review", &plain, .route = route}),
     .want = "'review'|no label"},
    {"labels without a route", NODES({"ask", &plain, .labels = {"x"}}, REVIEWED),
     .want = "'ask'|'x'|without a route"},
    {"labelled edge without a route",
     EDGES({GRAPH_START, ASK}, {ASK, REVIEW, "x"}, {REVIEW, ASK, "again", 1},
           {REVIEW, GRAPH_END, "good"}),
     .want = "'ask'|'x'|no route"},
    {"the same edge twice", EDGES({GRAPH_START, ASK}, {GRAPH_START, ASK}),
     .want = "'START'|two edges to 'ask'"},
    {"not reachable",
     EDGES({GRAPH_START, REVIEW}, {ASK, REVIEW}, {REVIEW, REVIEW, "again", 1},
           {REVIEW, GRAPH_END, "good"}),
     .want = "'ask'|not reachable from START"},
    {"no way to END",
     EDGES({GRAPH_START, ASK}, {GRAPH_START, REVIEW}, {REVIEW, GRAPH_END, "again"},
           {REVIEW, GRAPH_END, "good"}),
     .want = "'ask'|END is not reachable"},
    {"cycle without a budget",
     EDGES({GRAPH_START, ASK}, {ASK, REVIEW}, {REVIEW, ASK, "again"}, {REVIEW, GRAPH_END, "good"}),
     .want = "'ask'|cycle"},
    {"budget without a name", BUDGETS({NULL, SLOT(COUNT)}), .want = "budget 0"},
    {"budget of another type", BUDGETS({"retry", SLOT(TEXT)}), .want = "'retry'|integer"},
    {"budget out of range", BUDGETS({"retry", SLOT(40)}), .want = "'retry'|integer"},
    {"budget without a counter", BUDGETS({"retry"}), .want = "'retry'|integer"},
    {"reason out of range", BUDGETS({"retry", SLOT(COUNT), SLOT(40)}), .want = "'retry'|reason"},
    {"reason of another type", BUDGETS({"retry", SLOT(COUNT), SLOT(COUNT)}),
     .want = "'retry'|reason"},
    {"two budgets of a name", BUDGETS({"retry", SLOT(COUNT)}, {"retry", SLOT(COUNT)}),
     .budget_count = 2, .want = "'retry'|twice"},
    {"writer that is no node",
     SLOTS({"text", SLOT_TEXT, REDUCE_REPLACE, SLOT_WRITER(2)}, {"c", SLOT_INT}, {"l", SLOT_LIST},
           {"r", SLOT_REAL}),
     .want = "'text'|writer 2"},
    {"reducer of another type",
     SLOTS({"text", SLOT_TEXT, REDUCE_ADD}, {"c", SLOT_INT}, {"l", SLOT_LIST}, {"r", SLOT_REAL}),
     .want = "'text'|reducer"},
    {"slot without a name", SLOTS({NULL}, {"c", SLOT_INT}, {"l", SLOT_LIST}, {"r", SLOT_REAL}),
     .want = "slot 0"},
    {"passes of two types",
     NODES({"ask", .sub = &sub, .in = PASS(TEXT, 1), .in_count = 1}, REVIEWED),
     .want = "'ask'|'text'|'number'|type"},
    {"pass out of range", NODES({"ask", .sub = &sub, .in = PASS(TEXT, 5), .in_count = 1}, REVIEWED),
     .want = "'ask'|not there"},
    {"passed in where the caller may not write",
     NODES({"ask", .sub = &sub, .in = PASS(TEXT, 2), .in_count = 1}, REVIEWED),
     .want = "'ask'|'own'"},
    {"passed out where the node may not write",
     NODES({"ask", .sub = &sub, .out = PASS(COUNT, 1), .out_count = 1}, REVIEWED),
     .want = "'ask'|'count'"},
    {"a mistake below", NODES({"ask", .sub = &bad_sub}, REVIEWED), .want = "'bad_sub'|'think'"},
};

static struct graph_def with_mistake(size_t i)
{
    struct graph_def def = good;
    if (mistakes[i].nodes != NULL)
        def.nodes = mistakes[i].nodes;
    if (mistakes[i].node_count != 0)
        def.node_count = mistakes[i].node_count;
    if (mistakes[i].edges != NULL) {
        def.edges = mistakes[i].edges;
        def.edge_count = mistakes[i].edge_count;
    }
    if (mistakes[i].budgets != NULL)
        def.budgets = mistakes[i].budgets;
    if (mistakes[i].budget_count != 0)
        def.budget_count = mistakes[i].budget_count;
    if (mistakes[i].slots != NULL)
        def.schema.slots = mistakes[i].slots;
    return def;
}

TEST(every_mistake_is_found_and_named)
{
    for (size_t i = 0; i < countof(mistakes); i++) {
        struct graph_def def = with_mistake(i);
        struct err err = {0};
        struct graph *graph;
        EXPECT_INT(mistakes[i].name, graph_compile(&def, NULL, 0, &graph, &err), ERR_INVALID);
        assert_null(graph);
        for (struct str rest = str_of(mistakes[i].want); !str_is_absent(rest);)
            if (str_find(str_of(err.text), str_split(&rest, '|')) == STR_NONE)
                fail_msg("%s: '%s' lacks part of '%s'", mistakes[i].name, err.text,
                         mistakes[i].want);
    }
}

TEST(mistakes_of_the_whole)
{
    static const struct slot many[65];
    static const struct graph_edge joint[] = {
        {GRAPH_START, ASK},        {ASK, REVIEW, NULL, 1},      {ASK, GRAPH_END, NULL, 1},
        {REVIEW, ASK, "again", 1}, {REVIEW, GRAPH_END, "good"},
    };
    struct graph_def nameless = good, wide = good, twice = good;
    struct graph *graph;
    struct err err;
    nameless.name = NULL;
    assert_int_equal(graph_compile(&nameless, NULL, 0, &graph, &err), ERR_INVALID);
    wide.schema = (struct schema){many, 65};
    assert_int_equal(graph_compile(&wide, NULL, 0, &graph, &err), ERR_INVALID);
    EXPECT_TRUE(err.text, strstr(err.text, "65 slots") != NULL);
    twice.edges = joint;
    twice.edge_count = countof(joint);
    assert_int_equal(graph_compile(&twice, NULL, 0, &graph, &err), ERR_INVALID);
    EXPECT_TRUE(err.text, strstr(err.text, "'ask'") && strstr(err.text, "taken together"));
}

TEST(a_graph_inside_itself_is_refused)
{
    struct graph_node nodes[] = {{"again"}};
    struct graph_def endless = sub;
    struct err err = {0};
    struct graph *graph;
    endless.nodes = nodes;
    nodes[0].sub = &endless;
    assert_int_equal(graph_compile(&endless, NULL, 0, &graph, &err), ERR_INVALID);
    EXPECT_TRUE(err.text, strstr(err.text, "deeper") != NULL);
}

TEST(next_follows_routes_and_edges)
{
    struct err err;
    struct graph *graph;
    uint64_t mask;
    bool ends;
    unsigned budget;
    assert_int_equal(graph_compile(&good, NULL, 0, &graph, &err), ERR_OK);
    assert_int_equal(graph_next(graph, GRAPH_START, NULL, &mask, &ends, &budget, &err), ERR_OK);
    EXPECT_TRUE("start", mask == 1 && !ends && budget == 0);
    assert_int_equal(graph_next(graph, REVIEW, "again", &mask, &ends, &budget, &err), ERR_OK);
    EXPECT_TRUE("again", mask == 1 && !ends && budget == 1);
    assert_int_equal(graph_next(graph, REVIEW, "good", &mask, &ends, &budget, &err), ERR_OK);
    EXPECT_TRUE("good", mask == 0 && ends && budget == 0);
    assert_int_equal(graph_next(graph, REVIEW, "else", &mask, &ends, &budget, &err), ERR_INTERNAL);
    EXPECT_TRUE(err.text, strstr(err.text, "'review'") && strstr(err.text, "'else'"));
    graph_destroy(graph);
    graph_destroy(NULL);
}

TEST(budgets_are_tuned_counted_and_warned_about)
{
    static const struct {
        const char *name, *budget;
        unsigned tuned, recursion_limit, want_limit;
        bool warns;
    } cases[] = {
        {"default", "other", 9, 0, 2, false},
        {"tuned", "retry", 6, 0, 6, false}, /* 2 + 6 * 2 = 14 supersteps */
        {"one too many", "retry", 7, 0, 7, true},
        {"limit of its own", "retry", 7, 16, 7, false},
        {"no end of it", "retry", UINT32_MAX, 0, UINT32_MAX, true},
    };
    TEST_EACH(c, cases) {
        const struct graph_tuning tuning = {c->budget, c->tuned};
        struct graph_def def = good;
        struct arena arena;
        struct err err;
        struct graph *graph;
        def.recursion_limit = c->recursion_limit;
        assert_int_equal(graph_compile(&def, &tuning, 1, &graph, &err), ERR_OK);
        EXPECT_INT(c->name, graph_budget_limit(graph, 0), c->want_limit);
        EXPECT_INT(c->name, graph_warning(graph) != NULL, c->warns);
        EXPECT_INT(c->name, graph_find_budget(graph, "retry"), 1);
        EXPECT_INT(c->name, graph_find_budget(graph, "none"), 0);
        arena_init(&arena, 4096);
        struct state *state = state_create(&def.schema, &arena);
        EXPECT_TRUE(c->name, graph_budget_left(graph, state, 0));
        EXPECT_INT(c->name, state_set_int(state, COUNT, c->want_limit), ERR_OK);
        EXPECT_TRUE(c->name, !graph_budget_left(graph, state, 0));
        arena_fini(&arena);
        graph_destroy(graph);
    }
}

TEST(a_tuning_may_name_a_graph)
{
    const struct graph_tuning tunings[] = {{.graph = good.name, .limit = 40},
                                           {.graph = "another", .limit = 3}};
    struct err err;
    struct graph *graph;
    assert_int_equal(graph_compile(&good, tunings, 2, &graph, &err), ERR_OK);
    EXPECT_INT("its supersteps", graph_recursion_limit(graph), 40);
    graph_destroy(graph);
}

TEST(the_picture)
{
    static const struct graph_node nodes[] = {
        {"load", &plain},
        {"sql_agent", .sub = &sub, .route = route, .labels = {"again", "good"}},
        {"remember", &plain, .background = true},
    };
    static const struct graph_edge edges[] = {
        {GRAPH_START, 0},       {0, 1}, {1, 1, "again", 1},
        {1, GRAPH_END, "good"}, {0, 2}, {2, GRAPH_END},
    };
    struct graph_def def = good;
    struct err err;
    struct graph *graph;
    struct buf out;
    def.nodes = nodes;
    def.node_count = countof(nodes);
    def.edges = edges;
    def.edge_count = countof(edges);
    assert_int_equal(graph_compile(&def, NULL, 0, &graph, &err), ERR_OK);
    EXPECT_TRUE("sub", graph_sub(graph, 1) != NULL && graph_sub(graph, 0) == NULL);
    EXPECT_TRUE("def", graph_def(graph) == &def);
    buf_init(&out, 4096);
    graph_write_mermaid(graph, &out);
    EXPECT_STR("mermaid", buf_str(&out),
               STR("graph TD\n"
                   "    START([START]) --> load\n"
                   "    load --> sql_agent[[sql_agent]]\n"
                   "    sql_agent -->|again| sql_agent\n"
                   "    sql_agent -->|good| END([END])\n"
                   "    load -.-> remember\n"
                   "    remember --> END\n"));
    buf_fini(&out);
    graph_destroy(graph);
}

TEST(the_nth_allocation_fails)
{
    static const struct graph_node nodes[] = {{"ask", .sub = &sub}, REVIEWED};
    struct graph_def def = good;
    struct graph *graph = NULL;
    struct err err;
    def.nodes = nodes;
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t n = 1; code != ERR_OK; n++) {
        mem_fail_nth(n);
        code = graph_compile(&def, NULL, 0, &graph, &err);
        mem_fail_nth(0);
        EXPECT_TRUE("code", code == ERR_OK || code == ERR_NO_MEMORY);
    }
    graph_destroy(graph);
}

RUN_TESTS(T(every_mistake_is_found_and_named), T(mistakes_of_the_whole),
          T(a_graph_inside_itself_is_refused), T(next_follows_routes_and_edges),
          T(budgets_are_tuned_counted_and_warned_about), T(a_tuning_may_name_a_graph),
          T(the_picture), T(the_nth_allocation_fails))
