/* SPDX-License-Identifier: MIT */
/* What the prompt says of joins (DOMAIN section 4): where they begin, what they multiply, LEFT,
 * roles, self references, and tables that do not join. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/sql_agent/root.h"
#include "agents/sql_agent/state.h"

static const char world[] =
    "{\"version\":1,\"tables\":{"
    "\"customer\":{\"columns\":[\"id\",\"name\",\"credit\"],\"unique_columns\":[\"id\"],"
    "\"types\":{\"credit\":\"REAL\"}},"
    "\"workOrder\":{\"columns\":[\"id\",\"customerId\",\"crewId\",\"number\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"invoice\":{\"columns\":[\"id\",\"customerId\",\"amount\"],\"unique_columns\":[\"id\"],"
    "\"types\":{\"amount\":\"REAL\"}},"
    "\"payment\":{\"columns\":[\"id\",\"invoiceId\",\"paid\"],\"unique_columns\":[\"id\"]},"
    "\"employee\":{\"columns\":[\"id\",\"managerId\",\"name\"],\"unique_columns\":[\"id\"]},"
    "\"inspection\":{\"columns\":[\"id\",\"inspectorId\",\"reviewerId\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"unit\":{\"columns\":[\"id\",\"plant\",\"line\"]},"
    "\"reading\":{\"columns\":[\"id\",\"plant\",\"line\"],\"unique_columns\":[\"id\"]},"
    "\"island\":{\"columns\":[\"id\"],\"unique_columns\":[\"id\"]}},"
    "\"relationships\":["
#define KEY(child, column, parent)                                                                 \
    "{\"from_table\":\"" child "\",\"from_column\":\"" column "\",\"to_table\":\"" parent          \
    "\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,"                         \
    "\"cardinality\":\"N:1\"}"
    KEY("workOrder", "customerId", "customer") "," KEY("invoice", "customerId", "customer") "," KEY(
        "payment", "invoiceId",
        "invoice") "," KEY("employee", "managerId",
                           "employee") "," KEY("inspection", "inspectorId",
                                               "employee") "," KEY("inspection", "reviewerId",
                                                                   "employee") ","
                                                                               "{\"from_table\":"
                                                                               "\"reading\",\"from_"
                                                                               "columns\":["
                                                                               "\"plant\",\"line\"]"
                                                                               ",\"to_table\":"
                                                                               "\"unit\","
                                                                               "\"to_columns\":["
                                                                               "\"plant\",\"line\"]"
                                                                               ",\"type\":"
                                                                               "\"foreign_key\","
                                                                               "\"confidence\":1.0,"
                                                                               "\"cardinality\":"
                                                                               "\"N:1\"}]}";

static const struct {
    const char *name, *question, *tables, *want[4], *never;
} cases[] = {
    {"a parent",
     "Names of the customers by work order",
     "[\"workOrder\",\"customer\"]",
     {"FROM workOrder\nJOIN customer ON workOrder.customerId = customer.id   (one customer for one "
      "workOrder)\n"},
     "multiply"},
    {"rows are counted",
     "For which customers are there how many work orders?",
     "[\"customer\",\"workOrder\"]",
     {"FROM workOrder\nJOIN customer "},
     "multiply"},
    {"a column is summed",
     "What is the total amount by customer?",
     "[\"customer\",\"invoice\"]",
     {"FROM invoice\nJOIN customer "},
     "multiply"},
    {"the measure's rows are multiplied",
     "What is the average credit of customers with an invoice?",
     "[\"invoice\",\"customer\"]",
     {"FROM customer\nJOIN invoice ON invoice.customerId = customer.id   (many invoice for one "
      "customer)\n",
      "Some joins multiply rows: invoice those of customer. ", "COUNT(DISTINCT key)", "EXISTS"},
     "each other"},
    {"a chasm",
     "How many customers have invoices and work orders?",
     "[\"customer\",\"invoice\",\"workOrder\"]",
     {"FROM customer\n", "invoice and workOrder multiply each other: for measures of both, one "
                         "derived table for each"},
     "LEFT"},
    {"one below the other is none",
     "How many customers have paid?",
     "[\"customer\",\"invoice\",\"payment\"]",
     {"invoice those of customer, payment those of invoice"},
     "each other"},
    {"each of them",
     "How many payments were there for each customer?",
     "[\"payment\",\"customer\"]",
     {"FROM customer\nLEFT JOIN invoice ON ", "\nLEFT JOIN payment ON "},
     "\nJOIN"},
    {"roles",
     "Which employees inspect?",
     "[\"inspection\",\"employee\"]",
     {"inspection and employee are related in other roles, too: inspection.reviewerId = "
      "employee.id. For two roles at once join the table twice",
      "A table refers to itself: employee.managerId = employee.id."},
     NULL},
    {"a self reference alone",
     "Who is whose manager?",
     "[\"employee\"]",
     {"One table", "A table refers to itself: employee.managerId = employee.id."},
     "FROM"},
    {"a key of two columns",
     "Readings of units",
     "[\"reading\",\"unit\"]",
     {"JOIN unit ON reading.plant = unit.plant AND reading.line = unit.line   (one"},
     NULL},
    {"apart",
     "Islands of customers",
     "[\"island\",\"customer\"]",
     {"These tables do not join: "},
     "FROM"},
};

TEST(what_the_prompt_says)
{
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {{"table_selection", c->tables},
                                             {"sql_generation", "CANNOT: not the point"}};
        struct graph_rig rig;
        struct err err = {0};
        graph_rig_init(&rig, replies, countof(replies), NULL, 0);
        catalog_destroy(rig.catalog);
        join_graph_destroy(rig.joins);
        assert_int_equal(catalog_from_join_graph(str_of(world), &rig.catalog, &err), ERR_OK);
        assert_int_equal(join_graph_from_json(str_of(world), &rig.joins, &err), ERR_OK);
        rig.knows.catalog = rig.catalog;
        rig.knows.joins = rig.joins;
        graph_rig_go(&rig, "sql_agent", c->question);
        struct str plan = state_str(run_state(rig.run), SQL_AGENT_JOIN_PLAN);
        for (size_t i = 0; i < countof(c->want) && c->want[i] != NULL; i++)
            if (str_find(plan, str_of(c->want[i])) == STR_NONE)
                fail_msg("%s: '%s' is not in: %.*s", c->name, c->want[i], STR_ARG(plan));
        if (c->never != NULL && str_find(plan, str_of(c->never)) != STR_NONE)
            fail_msg("%s: '%s' is in: %.*s", c->name, c->never, STR_ARG(plan));
        graph_rig_fini(&rig);
    }
}

/* What may be NULL is known of a table that has a NOT NULL column. */
TEST(optional_keys)
{
    static const struct fake_reply replies[] = {{"table_selection", "[\"workOrder\",\"customer\"]"},
                                                {"sql_generation", "CANNOT: not the point"}};
    for (int known = 0; known <= 1; known++) {
        struct graph_rig rig;
        struct err err = {0};
        graph_rig_init(&rig, replies, countof(replies), NULL, 0);
        catalog_destroy(rig.catalog);
        join_graph_destroy(rig.joins);
        assert_int_equal(join_graph_from_json(str_of(world), &rig.joins, &err), ERR_OK);
        struct catalog_builder *builder = catalog_builder_create();
        const struct catalog_table tables[] = {{.name = STR("workOrder")},
                                               {.name = STR("customer")}};
        const struct catalog_column columns[] = {{.name = STR("customerId")},
                                                 {.name = STR("number"), .not_null = known},
                                                 {.name = STR("id")}};
        assert_int_equal(catalog_add_table(builder, &tables[0], &err), ERR_OK);
        assert_int_equal(catalog_add_column(builder, &columns[0], &err), ERR_OK);
        assert_int_equal(catalog_add_column(builder, &columns[1], &err), ERR_OK);
        assert_int_equal(catalog_add_table(builder, &tables[1], &err), ERR_OK);
        assert_int_equal(catalog_add_column(builder, &columns[2], &err), ERR_OK);
        assert_int_equal(catalog_freeze(builder, &rig.catalog, &err), ERR_OK);
        catalog_builder_destroy(builder);
        rig.knows.catalog = rig.catalog;
        rig.knows.joins = rig.joins;
        graph_rig_go(&rig, "sql_agent", "Work orders and customers");
        struct str plan = state_str(run_state(rig.run), SQL_AGENT_JOIN_PLAN);
        EXPECT_INT("optional",
                   str_find(plan, STR("or none: LEFT JOIN where it is no filter")) != STR_NONE,
                   known);
        graph_rig_fini(&rig);
    }
}

TEST(without_memory_the_first_table_is_the_root)
{
    struct err err = {0};
    struct catalog *catalog;
    struct arena arena;
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    const int tables[] = {catalog_find_dotted(catalog, STR("customer")),
                          catalog_find_dotted(catalog, STR("invoice"))};
    for (size_t bytes = 0; bytes < 4096; bytes += 16) {
        arena_init(&arena, bytes);
        EXPECT_TRUE("some table",
                    sql_agent_root_of(catalog, STR("the total amount"), tables, 2, &arena).index <
                        2);
        arena_fini(&arena);
    }
    arena_init(&arena, 1 << 16);
    EXPECT_INT("with it",
               sql_agent_root_of(catalog, STR("the total amount"), tables, 2, &arena).index, 1);
    arena_fini(&arena);
    catalog_destroy(catalog);
}

RUN_TESTS(T(what_the_prompt_says), T(optional_keys), T(without_memory_the_first_table_is_the_root))
