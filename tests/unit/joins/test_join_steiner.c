/* SPDX-License-Identifier: MIT */
/* Tests of join_path_plan: trees against every tree there is, and a graph of the seed's size. */
#include "tests/unit/joins/rig.h"

#include "agents/sql/joins/join_words.h"
#include "tests/unit/joins/crew.h"

enum { TABLES = 7, EDGES = 12, GRAPHS = 300, TERMINALS = 4 };

struct world {
    int from[EDGES], to[EDGES];
    bool one[EDGES];
};

static struct join_graph *make_world(struct world *world, uint64_t *seed)
{
    struct buf text;
    buf_init(&text, RIG_TEXT);
    for (int i = 0; i < EDGES; i++) {
        int from = (int)rig_random(seed, TABLES), to = (int)rig_random(seed, TABLES);
        if (i < TABLES - 1) /* joined, at least as a tree */
            from = i + 1, to = (int)rig_random(seed, (unsigned)i + 1);
        while (to == from)
            to = (int)rig_random(seed, TABLES);
        world->from[i] = from;
        world->to[i] = to;
        world->one[i] = rig_random(seed, 6) == 0;
        buf_printf(&text, "t%d.k%d%st%d.id ", from, i, world->one[i] ? "=" : ">", to);
    }
    buf_push_char(&text, '\0');
    struct join_graph *graph = rig_edges(buf_str(&text).at);
    buf_fini(&text);
    return graph;
}

static uint64_t peak_cost(const struct world *world, int table)
{
    if (table < TERMINALS)
        return 300; /* it was asked for */
    for (int i = 0; i < EDGES; i++) {
        if (world->from[i] == table)
            return 300;
    }
    return 3000;
}

/* Cost of the edges in set as a tree that joins the first TERMINALS tables; UINT64_MAX: it is none.
 */
static uint64_t cost_of(const struct world *world, unsigned set)
{
    int part[TABLES], many[TABLES] = {0};
    bool used[TABLES] = {false};
    uint64_t cost = 0;
    for (int t = 0; t < TABLES; t++)
        part[t] = t;
    for (int i = 0; i < EDGES; i++) {
        if ((set >> i & 1) == 0)
            continue;
        int from = part[world->from[i]], to = part[world->to[i]];
        if (from == to)
            return UINT64_MAX;
        for (int t = 0; t < TABLES; t++)
            part[t] = part[t] == from ? to : part[t];
        used[world->from[i]] = used[world->to[i]] = true;
        many[world->to[i]] += !world->one[i];
        cost += 1000;
    }
    for (int t = 0; t < TABLES; t++) {
        if ((t < TERMINALS || used[t]) && part[t] != part[0])
            return UINT64_MAX;
        cost += many[t] > 1 ? (uint64_t)(many[t] - 1) * peak_cost(world, t) : 0;
    }
    return cost;
}

TEST(the_cheapest_of_all_trees)
{
    struct world world;
    uint64_t state = 7;
    for (int round = 0; round < GRAPHS; round++) {
        struct join_graph *graph = make_world(&world, &state);
        struct join_finder *finder =
            join_finder_create(graph, &(struct join_finder_options){.max_hops = 6});
        uint64_t best = UINT64_MAX, second = UINT64_MAX;
        int tables[TERMINALS];
        struct join_plan plan;
        struct err err = {0};
        for (int t = 0; t < TERMINALS; t++) {
            char name[4] = {'t', (char)('0' + t)};
            tables[t] = rig_table(graph, name);
        }
        for (unsigned set = 1; set < 1u << EDGES; set++) {
            uint64_t cost = cost_of(&world, set);
            if (cost < best) {
                second = best;
                best = cost;
            } else if (cost < second) {
                second = cost;
            }
        }
        if (join_path_plan(finder, tables, TERMINALS, NULL, 0, &plan, &err) != ERR_OK)
            fail_msg("round %d: %s", round, err.text);
        if (plan.cost != best || plan.runner_up < second)
            fail_msg("round %d: got %" PRIu64 " then %" PRIu64 ", want %" PRIu64 " then %" PRIu64,
                     round, plan.cost, plan.runner_up, best, second);
        join_finder_destroy(finder);
        join_graph_destroy(graph);
    }
}

static void check_plan(const char *name, const struct join_plan *plan, const int *tables,
                       size_t count)
{
    EXPECT_INT(name, plan->root, tables[0]);
    for (size_t i = 0; i < plan->step_count; i++) {
        bool known = plan->steps[i].parent == plan->root;
        for (size_t k = 0; k < i; k++) {
            known = known || plan->steps[k].child == plan->steps[i].parent;
            EXPECT_TRUE(name, plan->steps[k].child != plan->steps[i].child);
        }
        EXPECT_TRUE(name, known);
    }
    for (size_t t = 0; t < count; t++) {
        bool joined = tables[t] == plan->root;
        for (size_t i = 0; i < plan->step_count; i++)
            joined = joined || plan->steps[i].child == tables[t];
        EXPECT_TRUE(name, joined);
    }
}

TEST(a_graph_of_the_seeds_size)
{
    struct buf json;
    struct err err = {0};
    struct join_graph *graph = NULL;
    buf_init(&json, RIG_TEXT);
    crew_write(&json, 1);
    assert_true(buf_ok(&json));
    assert_int_equal(join_graph_from_json(buf_str(&json), &graph, &err), ERR_OK);
    EXPECT_INT("tables", join_graph_table_count(graph), CREW_TABLES);
    EXPECT_INT("given", join_graph_given_count(graph), CREW_RELATIONSHIPS);
    EXPECT_TRUE("folded", join_graph_edge_count(graph) < CREW_RELATIONSHIPS / 2);
    struct join_finder *finder = join_finder_create(graph, NULL);
    struct join_plan plan;
    uint64_t state = 3;
    unsigned found = 0;
    for (int round = 0; round < 200; round++) {
        int tables[JOIN_PATH_MAX_TABLES];
        size_t count = 2 + rig_random(&state, JOIN_PATH_MAX_TABLES - 1);
        for (size_t i = 0; i < count; i++)
            tables[i] = (int)rig_random(&state, CREW_TABLES);
        if (join_path_plan(finder, tables, count, NULL, 0, &plan, &err) != ERR_OK)
            continue;
        check_plan("crew", &plan, tables, count);
        found++;
    }
    EXPECT_TRUE("most are joined", found > 180);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
    buf_fini(&json);
}

TEST(odd_requests)
{
    struct join_graph *graph =
        rig_edges("b.a>a.id c.a>a.id d.a>a.id e.a>a.id f.a>a.id g.a>a.id h.a>a.id i.a>a.id "
                  "x.y>y.id");
    struct join_finder *finder = join_finder_create(graph, NULL);
    struct join_plan plan;
    struct err err = {0};
    int all[9], twice[] = {0, 1, 0, 1}, apart[3];
    for (int i = 0; i < 9; i++)
        all[i] = i;
    apart[0] = rig_table(graph, "a");
    apart[1] = rig_table(graph, "b");
    apart[2] = rig_table(graph, "y");
    EXPECT_INT("none", join_path_plan(finder, all, 0, NULL, 0, &plan, &err), ERR_INVALID);
    EXPECT_INT("one", join_path_plan(finder, all, 1, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_INT("one needs no step", plan.step_count, 0);
    EXPECT_INT("twice the same", join_path_plan(finder, twice, 4, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_INT("is one step", plan.step_count, 1);
    EXPECT_INT("nine", join_path_plan(finder, all, 9, NULL, 0, &plan, &err), ERR_TOO_LARGE);
    EXPECT_INT("eight", join_path_plan(finder, all, 8, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_INT("a star", plan.step_count, 7);
    EXPECT_INT("apart", join_path_plan(finder, apart, 3, NULL, 0, &plan, &err), ERR_NOT_FOUND);
    EXPECT_TRUE("names the table", str_find(str_of(err.text), STR("'y'")) > 0);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
}

/* Whether the plan's steps, or with next_best the edges of its next best, are those of text. */
static bool joins_by(const struct join_graph *graph, const struct join_plan *plan, bool next_best,
                     const char *text)
{
    struct buf edge;
    size_t found = 0, count = next_best ? plan->other_count : plan->step_count, of = 1;
    buf_init(&edge, RIG_TEXT);
    for (size_t i = 0; i < count; i++) {
        buf_clear(&edge);
        join_graph_write_edge(graph, next_best ? plan->other[i] : plan->steps[i].edge, &edge);
        struct str written = buf_str(&edge);
        size_t end = (size_t)str_find(written, STR(" (")); /* the cardinality follows */
        found += str_find(str_of(text), str_slice(written, 0, end)) != STR_NONE;
    }
    buf_fini(&edge);
    for (const char *at = text; *at != '\0'; at++)
        of += *at == ',';
    return found == count && count == of;
}

static const struct {
    const char *name, *edges, *tables[3], *plan, *other;
} ways[] = {
    {"a hub that was asked for is no chance meeting",
     "hours.pId>p.id crewman.pId>p.id hours.oId>o.id crew.oId>o.id crewman.crewId>crew.id o.x>x.id "
     "crew.x>x.id",
     {"p", "hours", "crewman"},
     "hours.pId = p.id, crewman.pId = p.id",
     "hours.pId = p.id, hours.oId = o.id, crew.oId = o.id, crewman.crewId = crew.id"},
    {"the next best plan of three",
     "a.bId>b.id a.otherId>b.id b.cId>c.id",
     {"a", "b", "c"},
     "a.bId = b.id, b.cId = c.id",
     "a.otherId = b.id, b.cId = c.id"},
};

TEST(ways_of_three_tables)
{
    for (size_t i = 0; i < countof(ways); i++) {
        struct join_graph *graph = rig_edges(ways[i].edges);
        struct join_finder *finder = join_finder_create(graph, NULL);
        struct join_plan plan;
        struct err err = {0};
        int tables[3];
        for (size_t t = 0; t < countof(tables); t++)
            tables[t] = rig_table(graph, ways[i].tables[t]);
        for (int again = 0; again < 2; again++) { /* found, then from the cache */
            EXPECT_INT(ways[i].name,
                       join_path_plan(finder, tables, countof(tables), NULL, 0, &plan, &err),
                       ERR_OK);
            EXPECT_TRUE(ways[i].name, joins_by(graph, &plan, false, ways[i].plan));
            EXPECT_TRUE(ways[i].name, joins_by(graph, &plan, true, ways[i].other));
        }
        join_finder_destroy(finder);
        join_graph_destroy(graph);
    }
}

static const struct {
    const char *column, *word;
    bool names;
} named[] = {
    {"createdBy", "created", true},
    {"createdBy", "creates", true},
    {"createdBy", "customers", false},
    {"companyId", "companies", true},
    {"companyId", "company", true},
    {"inspectorId", "inspected", true},
    {"id", "id", false},
    {"updated_by", "UPDATES", true},
    {"by", "by", false},
};

TEST(words_that_name_a_column)
{
    for (size_t i = 0; i < countof(named); i++) {
        const struct str words[] = {STR("the"), str_of(named[i].word)};
        EXPECT_TRUE(named[i].column,
                    join_words_name(str_of(named[i].column), words, 2) == named[i].names);
    }
}

RUN_TESTS(T(ways_of_three_tables), T(words_that_name_a_column), T(the_cheapest_of_all_trees),
          T(a_graph_of_the_seeds_size), T(odd_requests))
