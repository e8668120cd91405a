/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/join_path: which path, why, and against every path there is. */
#include "tests/unit/joins/rig.h"

static const struct {
    const char *name, *edges, *from, *to, *words, *want;
} paths[] = {
    {"one step", "b.aId>a.id", "a", "b", "", "b.aId=a.id"},
    {"no step to itself", "e.bossId>e.id", "e", "e", "", ""},
    {"up and down", "b.aId>a.id c.bId>b.id", "a", "c", "", "b.aId=a.id c.bId=b.id"},
    {"round an audit column",
     "order.createdBy>user.id call.createdBy>user.id "
     "order.customerId>customer.id contact.customerId>customer.id "
     "call.contactId>contact.id customer.branchId>branch.id",
     "order", "call", "",
     "order.customerId=customer.id contact.customerId=customer.id call.contactId=contact.id"},
    {"the question cancels the audit penalty",
     "order.createdBy>user.id user.x>y.id order.clerkId>clerk.id clerk.personId>person.id "
     "person.userId>user.id",
     "order", "user", "created", "order.createdBy=user.id"},
    {"without the question it does not",
     "order.createdBy>user.id user.x>y.id order.clerkId>clerk.id clerk.personId>person.id "
     "person.userId>user.id",
     "order", "user", "", "order.clerkId=clerk.id clerk.personId=person.id person.userId=user.id"},
    {"round the tenant",
     "a.companyId>company.id b.companyId>company.id c.companyId>company.id a.bId>b.id c.bId>b.id "
     "b.xId>x.id",
     "a", "c", "", "a.bId=b.id c.bId=b.id"},
    {"the tenant itself may be asked for",
     "a.companyId>company.id b.companyId>company.id c.companyId>company.id a.bId>b.id c.bId>b.id",
     "a", "company", "", "a.companyId=company.id"},
    {"round a lookup table",
     "a.statusId>status.id c.statusId>status.id a.bId>b.id c.bId>b.id b.xId>x.id", "a", "c", "",
     "a.bId=b.id c.bId=b.id"},
    {"a role by its word", "t.employeeId>e.id t.approverId>e.id", "t", "e", "approved",
     "t.approverId=e.id"},
    {"a word of two letters more", "t.billToAddressId>a.id t.shipToAddressId>a.id", "t", "a",
     "shipping", "t.shipToAddressId=a.id"},
    {"by the second word, where the first names both",
     "t.billToAddressId>a.id t.shipToAddressId>a.id", "t", "a", "address shipping",
     "t.shipToAddressId=a.id"},
    {"the same word twice is one", "t.billToAddressId>a.id t.shipToAddressId>a.id", "t", "a",
     "addresses address addressed", "t.billToAddressId=a.id"},
    {"words that run together", "t.ISMANAGEDBY>p.id t.ISOWNEDBY>p.id", "t", "p", "owns",
     "t.ISOWNEDBY=p.id"},
    {"and after has", "t.HASCOST>m.id t.HASPRICE>m.id", "t", "m", "prices", "t.HASPRICE=m.id"},
    {"a tie goes by name", "t.employeeId>e.id t.approverId>e.id", "t", "e", "",
     "t.approverId=e.id"},
    {"a tie goes to the surer one", "t.a:0.9>e.id t.b>e.id", "t", "e", "", "t.b=e.id"},
    {"a cycle is no trouble", "e.teamId>t.id t.leadId>e.id t.dId>d.id d.headId>e.id", "e", "d", "",
     "d.headId=e.id"},
    {"by hand is as good as a foreign key",
     "log.orderId!order.id log.actorId>user.id order.aId>a.id a.bId>b.id b.uId>user.id", "order",
     "user", "", "log.orderId=order.id log.actorId=user.id"},
    {"but not from a column that means any table",
     "log.entityId!order.id log.entityId!invoice.id log.actorId>user.id order.aId>a.id a.bId>b.id "
     "b.uId>user.id",
     "order", "user", "", "order.aId=a.id a.bId=b.id b.uId=user.id"},
    {"not over a guess", "a.bId:0.71>b.id a.cId>c.id c.bId>b.id", "a", "b", "",
     "a.cId=c.id c.bId=b.id"},
    {"never over a doubtful one", "a.bId:0.5>b.id a.cId>c.id c.dId>d.id d.bId>b.id", "a", "b", "",
     "a.cId=c.id c.dId=d.id d.bId=b.id"},
};

static size_t split_words(const char *text, struct str *words, size_t max)
{
    size_t count = 0;
    for (struct str rest = str_of(text); !str_is_absent(rest) && count < max;) {
        words[count] = str_split(&rest, ' ');
        count += words[count].len > 0;
    }
    return count;
}

TEST(the_path_that_is_meant)
{
    TEST_EACH(c, paths) {
        struct join_graph *graph = rig_edges(c->edges);
        struct join_finder *finder = join_finder_create(graph, NULL);
        struct join_plan plan, again;
        struct err err = {0};
        struct str words[8];
        struct buf got;
        buf_init(&got, RIG_TEXT);
        size_t count = split_words(c->words, words, countof(words));
        int from = rig_table(graph, c->from), to = rig_table(graph, c->to);
        if (join_path_find(finder, from, to, words, count, &plan, &err) != ERR_OK)
            fail_msg("%s: %s", c->name, err.text);
        rig_write_plan(graph, &plan, &got);
        EXPECT_STR(c->name, buf_str(&got), str_of(c->want));
        assert_int_equal(join_path_find(finder, from, to, words, count, &again, &err), ERR_OK);
        EXPECT_INT(c->name, again.cost, plan.cost);
        EXPECT_INT(c->name, again.step_count, plan.step_count);
        EXPECT_INT(c->name, again.root, plan.root);
        buf_fini(&got);
        join_finder_destroy(finder);
        join_graph_destroy(graph);
    }
}

static const struct {
    const char *name, *edges, *from, *to, *says;
} nowhere[] = {
    {"too far", "a.b>b.id b.c>c.id c.d>d.id d.e>e.id e.f>f.id", "a", "f", "raise max_hops to 5"},
    {"too doubtful", "a.b:0.4>b.id", "a", "b", "confidence 0.70"},
    {"apart", "a.b>b.id c.d>d.id", "a", "c", "no chain"},
};

TEST(no_path_says_what_would_help)
{
    TEST_EACH(c, nowhere) {
        struct join_graph *graph = rig_edges(c->edges);
        struct join_finder *finder = join_finder_create(graph, NULL);
        struct join_plan plan;
        struct err err = {0};
        int tables[] = {rig_table(graph, c->from), rig_table(graph, c->to)};
        EXPECT_INT(c->name, join_path_plan(finder, tables, 2, NULL, 0, &plan, &err), ERR_NOT_FOUND);
        if (str_find(str_of(err.text), str_of(c->says)) < 0)
            fail_msg("%s: '%s' does not say '%s'", c->name, err.text, c->says);
        join_finder_destroy(finder);
        join_graph_destroy(graph);
    }
}

TEST(options_are_heeded)
{
    struct join_graph *graph = rig_edges("a.b>b.id b.c>c.id c.d>d.id d.e>e.id e.f:0.3>f.id");
    struct join_finder *finder = join_finder_create(
        graph, &(struct join_finder_options){.confidence_threshold = 0.3, .max_hops = 5});
    struct join_plan plan;
    struct err err = {0};
    assert_int_equal(
        join_path_find(finder, rig_table(graph, "a"), rig_table(graph, "f"), NULL, 0, &plan, &err),
        ERR_OK);
    EXPECT_INT("hops", plan.step_count, 5);
    EXPECT_TRUE("the least confidence", plan.confidence > 0.29 && plan.confidence < 0.31);
    EXPECT_INT("4 sure, 1 inferred at .3", plan.cost, 5000 + 1400 + 3000);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
}

TEST(four_hops_then_six)
{
    struct join_graph *graph =
        rig_edges("a.b>b.id b.c>c.id c.d>d.id d.e>e.id e.f>f.id f.g>g.id g.h>h.id x.b>b.id");
    struct join_finder *finder =
        join_finder_create(graph, &(struct join_finder_options){.more_hops = 6});
    struct join_plan plan;
    struct err err = {0};
    int a = rig_table(graph, "a"), far[3] = {a, rig_table(graph, "x"), rig_table(graph, "f")};
    EXPECT_INT("four", join_path_find(finder, a, rig_table(graph, "e"), NULL, 0, &plan, &err),
               ERR_OK);
    EXPECT_TRUE("is near", !plan.is_far);
    for (int again = 0; again < 2; again++) { /* the second from the cache */
        EXPECT_INT("six", join_path_find(finder, a, rig_table(graph, "g"), NULL, 0, &plan, &err),
                   ERR_OK);
        EXPECT_TRUE("is far", plan.is_far && plan.step_count == 6);
    }
    EXPECT_INT("seven", join_path_find(finder, a, rig_table(graph, "h"), NULL, 0, &plan, &err),
               ERR_NOT_FOUND);
    EXPECT_INT("a tree", join_path_plan(finder, far, 3, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_TRUE("with a long leg", plan.is_far && plan.step_count == 6);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
}

TEST(steps_are_oriented_and_fan_out_is_known)
{
    struct join_graph *graph = rig_edges("b.aId>a.id c.bId>b.id b.xId=x.id");
    struct join_finder *finder = join_finder_create(graph, NULL);
    struct join_plan plan;
    struct err err = {0};
    int a = rig_table(graph, "a"), b = rig_table(graph, "b"), c = rig_table(graph, "c");
    assert_int_equal(join_path_find(finder, a, c, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_INT("root", plan.root, a);
    EXPECT_INT("parent", plan.steps[0].parent, a);
    EXPECT_INT("child", plan.steps[0].child, b);
    EXPECT_TRUE("against the edge", !plan.steps[0].forward);
    EXPECT_TRUE("1:N", plan.fans_out);
    assert_int_equal(join_path_find(finder, c, a, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_TRUE("with the edge", plan.steps[0].forward && plan.steps[1].forward);
    EXPECT_TRUE("N:1", !plan.fans_out);
    assert_int_equal(join_path_find(finder, b, rig_table(graph, "x"), NULL, 0, &plan, &err),
                     ERR_OK);
    EXPECT_TRUE("1:1", !plan.fans_out);
    EXPECT_TRUE("no second way", plan.runner_up == UINT64_MAX);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
}

TEST(suggestions_come_best_first)
{
    struct join_graph *graph =
        rig_edges("t.employeeId>e.id t.approverId>e.id t.sId>s.id s.eId>e.id t.createdBy>e.id");
    struct join_finder *finder = join_finder_create(graph, NULL);
    struct join_plan plans[8], plan;
    struct err err = {0};
    int t = rig_table(graph, "t"), e = rig_table(graph, "e");
    size_t count = join_path_suggest(finder, t, e, plans, countof(plans));
    EXPECT_INT("all there are", count, 4);
    for (size_t i = 1; i < count; i++)
        EXPECT_TRUE("rising", plans[i - 1].cost <= plans[i].cost);
    assert_int_equal(join_path_find(finder, t, e, NULL, 0, &plan, &err), ERR_OK);
    EXPECT_INT("the first is the path", plan.steps[0].edge == plans[0].steps[0].edge, true);
    EXPECT_INT("and the second its runner-up", plan.runner_up, plans[1].cost);
    EXPECT_INT("no more than asked for", join_path_suggest(finder, t, e, plans, 2), 2);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
}

/* ---- against every path there is, by DOMAIN section 4's words */

enum { TABLES = 8, MAX_EDGES = 18, GRAPHS = 400, HOPS = 4 };

struct world {
    struct {
        int from, to;
        bool many_to_many, one_to_one, audit;
        unsigned cents; /* confidence */
    } edges[MAX_EDGES];
    size_t count;
};

static struct join_graph *make_world(struct world *world, uint64_t seed)
{
    struct buf text;
    buf_init(&text, RIG_TEXT);
    *world = (struct world){.count = 0};
    size_t want = 6 + rig_random(&seed, MAX_EDGES - 6);
    for (size_t i = 0; i < want; i++) {
        unsigned kind = rig_random(&seed, 8);
        int from = (int)rig_random(&seed, TABLES), to = (int)rig_random(&seed, TABLES);
        if (from == to)
            continue;
        bool audit = kind == 0, many = kind == 1, one = kind == 2;
        unsigned cents = many ? 90 : kind == 3 ? 60 + rig_random(&seed, 30) : 100;
        buf_printf(&text, "t%d.%s%zu", from, audit ? "c" : "k", i);
        if (audit)
            buf_push(&text, STR("_created_by"));
        if (kind == 3)
            buf_printf(&text, ":0.%02u", cents);
        buf_printf(&text, "%st%d.%s ", many ? "~" : one ? "=" : ">", to, many ? "k" : "id");
        world->edges[world->count].from = from;
        world->edges[world->count].to = to;
        world->edges[world->count].many_to_many = many;
        world->edges[world->count].one_to_one = one;
        world->edges[world->count].audit = audit;
        world->edges[world->count++].cents = cents;
    }
    for (int t = 1; t < TABLES; t++) /* so that all tables exist; apart from the rest */
        buf_printf(&text, "far%d.k:0.01>t%d.id ", t, t);
    buf_printf(&text, "far0.k:0.01>t0.id");
    buf_push_char(&text, '\0');
    struct join_graph *graph = rig_edges(buf_str(&text).at);
    buf_fini(&text);
    return graph;
}

static bool is_inferred(const struct world *world, size_t i)
{
    return world->edges[i].many_to_many || world->edges[i].cents < 100;
}

static uint64_t edge_cost(const struct world *world, size_t i)
{
    return 1000 + 20 * (100 - world->edges[i].cents) + (world->edges[i].audit ? 8000 : 0) +
           (is_inferred(world, i) ? 3000 : 0);
}

static bool meets_many(const struct world *world, size_t i, int table)
{
    return world->edges[i].many_to_many ||
           (!world->edges[i].one_to_one && world->edges[i].to == table);
}

static uint64_t peak_cost(const struct world *world, int table)
{
    for (size_t i = 0; i < world->count; i++) {
        if (world->edges[i].from == table && !world->edges[i].many_to_many &&
            !world->edges[i].audit)
            return 300;
    }
    return 3000;
}

struct walk {
    const struct world *world;
    int to;
    bool seen[TABLES];
    uint64_t best;
};

static void walk_on(struct walk *walk, int at, int arrived_by, unsigned hops, uint64_t cost)
{
    const struct world *world = walk->world;
    if (at == walk->to) {
        walk->best = cost < walk->best ? cost : walk->best;
        return;
    }
    if (hops == HOPS)
        return;
    walk->seen[at] = true;
    for (size_t i = 0; i < world->count; i++) {
        if (world->edges[i].cents < 70 || (world->edges[i].from != at && world->edges[i].to != at))
            continue;
        int next = world->edges[i].from == at ? world->edges[i].to : world->edges[i].from;
        uint64_t more = edge_cost(world, i);
        if (arrived_by >= 0 && meets_many(world, (size_t)arrived_by, at) &&
            meets_many(world, i, at))
            more += peak_cost(world, at);
        if (!walk->seen[next])
            walk_on(walk, next, (int)i, hops + 1, cost + more);
    }
    walk->seen[at] = false;
}

TEST(the_cheapest_of_all_paths)
{
    struct world world;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        struct join_graph *graph = make_world(&world, seed);
        struct join_finder *finder = join_finder_create(graph, NULL);
        for (int pair = 0; pair < TABLES * TABLES; pair++) {
            char from[4] = {'t', (char)('0' + pair / TABLES)},
                 to[4] = {'t', (char)('0' + pair % TABLES)};
            struct walk walk = {.world = &world, .to = pair % TABLES, .best = UINT64_MAX};
            struct join_plan plan = {.cost = 0}, back = {.cost = 0};
            struct err err = {0};
            int a = rig_table(graph, from), b = rig_table(graph, to);
            walk_on(&walk, pair / TABLES, -1, 0, 0);
            enum err_code code = join_path_find(finder, a, b, NULL, 0, &plan, &err);
            enum err_code other = join_path_find(finder, b, a, NULL, 0, &back, &err);
            if (code != (walk.best == UINT64_MAX ? ERR_NOT_FOUND : ERR_OK) || code != other ||
                (code == ERR_OK && (plan.cost != walk.best || back.cost != plan.cost)))
                fail_msg("seed %" PRIu64 " %s %s: got %d %" PRIu64 " (back %" PRIu64
                         "), want %" PRIu64,
                         seed, from, to, code, plan.cost, back.cost, walk.best);
            for (size_t i = 0; code == ERR_OK && i < plan.step_count; i++) {
                bool both = false;
                for (size_t k = 0; k < back.step_count; k++)
                    both = both || back.steps[k].edge == plan.steps[i].edge;
                EXPECT_TRUE("the same edges both ways", both);
            }
        }
        join_finder_destroy(finder);
        join_graph_destroy(graph);
    }
}

TEST(every_allocation_may_fail)
{
    struct join_graph *graph = rig_edges("b.aId>a.id c.bId>b.id");
    for (uint64_t n = 1;; n++) {
        mem_fail_nth(n);
        struct join_finder *finder = join_finder_create(graph, NULL);
        mem_fail_nth(0);
        if (finder != NULL) {
            uint64_t before = mem_alloc_count();
            struct join_plan plan;
            struct err err = {0};
            assert_int_equal(join_path_find(finder, 0, 1, NULL, 0, &plan, &err), ERR_OK);
            EXPECT_INT("finding allocates nothing", mem_alloc_count() - before, 0);
            join_finder_destroy(finder);
            break;
        }
        assert_true(n < 1000);
    }
    join_graph_destroy(graph);
}

RUN_TESTS(T(the_path_that_is_meant), T(no_path_says_what_would_help), T(options_are_heeded),
          T(four_hops_then_six), T(steps_are_oriented_and_fan_out_is_known),
          T(suggestions_come_best_first), T(the_cheapest_of_all_paths),
          T(every_allocation_may_fail))
