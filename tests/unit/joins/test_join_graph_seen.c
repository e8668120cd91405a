/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/join_graph_seen: no path through what a statement may not read. */
#include "tests/unit/joins/rig.h"

#include "agents/sql/joins/join_graph_seen.h"
#include "core/base/mem.h"

#define KEY(from, column, to)                                                                      \
    "{\"from_table\":\"" from "\",\"from_column\":\"" column "\",\"to_table\":\"" to               \
    "\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"}"

/* order -> customer; crew is hidden, staff behind a view that shows no code, pay in a schema. */
static const char world[] =
    "{\"tables\":{"
    "\"customer\":{\"columns\":[\"id\",\"crewId\"]},"
    "\"order\":{\"columns\":[\"id\",\"customerId\",\"crewId\",\"staffId\","
    "{\"name\":\"keyId\",\"hidden\":true}]},"
    "\"crew\":{\"columns\":[\"id\",\"staffId\"],\"hidden\":true},"
    "\"staff\":{\"columns\":[\"id\",\"code\"]},"
    "\"secure_staff\":{\"columns\":[\"id\"],\"is_view\":true},"
    "\"key\":{\"columns\":[\"id\"]},"
    "\"hr.pay\":{\"columns\":[\"id\",\"staffId\"]},"
    "\"hr.grade\":{\"columns\":[\"id\"]},\"old.grade\":{\"columns\":[\"id\",\"payId\"]}},"
    "\"secure_view_map\":{\"staff\":\"secure_staff\"},"
    "\"relationships\":[" KEY("customer", "crewId", "crew") "," KEY(
        "order", "crewId", "crew") "," KEY("order", "keyId", "key") "," KEY("crew", "staffId",
                                                                            "staff") "]}";

static struct catalog *world_catalog(void)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    if (catalog_from_join_graph(str_of(world), &catalog, &err) != ERR_OK)
        fail_msg("%s", err.text);
    return catalog;
}

static struct join_graph *seen(const struct join_graph *graph, const struct catalog *catalog,
                               size_t *left_out)
{
    struct join_graph *copy = NULL;
    struct err err = {0};
    const struct sql_visible sees = {&sql_policy_default, catalog};
    assert_int_equal(join_graph_seen_copy(graph, sees, &copy, left_out, &err), ERR_OK);
    return copy;
}

static const struct {
    const char *name, *edges, *want; /* relationships of a file, and what is left of them */
    size_t left_out;
} files[] = {
    {"as it is", "order.customerId>customer.id", "order.customerId = customer.id (N:1)\n", 0},
    {"in other letters", "ORDER.CustomerID>Customer.ID", "order.CustomerID = customer.ID (N:1)\n",
     0},
    {"twice under two names", "order.customerId>customer.id Order.customerId>CUSTOMER.id",
     "order.customerId = customer.id (N:1)\n", 0},
    {"a hidden table is no bridge", "order.crewId>crew.id customer.crewId>crew.id", "", 2},
    {"nor is one that is not there", "order.x>nowhere.id customer.x>nowhere.id", "", 2},
    {"nor a column", "order.nope>customer.id", "", 1},
    {"nor one that is hidden", "order.keyId>key.id", "", 1},
    {"a table behind a view, by its name", "order.staffId>staff.id",
     "order.staffId = staff.id (N:1)\n", 0},
    {"by its view's name", "order.staffId>secure_staff.id", "order.staffId = staff.id (N:1)\n", 0},
    {"but not over what the view keeps back", "order.staffId>staff.code", "", 1},
    {"a table of a schema by its bare name", "pay.staffId>staff.id",
     "hr.pay.staffId = staff.id (N:1)\n", 0},
    {"one of two of that name", "grade.payId>pay.id", "", 1},
};

TEST(a_file_joins_what_may_be_read)
{
    struct catalog *catalog = world_catalog();
    TEST_EACH(c, files) {
        struct join_graph *graph = rig_edges(c->edges);
        size_t left_out = 99;
        struct join_graph *copy = seen(graph, catalog, &left_out);
        struct buf got;
        buf_init(&got, RIG_TEXT);
        for (size_t i = 0; i < join_graph_edge_count(copy); i++) {
            join_graph_write_edge(copy, join_graph_edge(copy, i), &got);
            buf_push_char(&got, '\n');
        }
        EXPECT_STR(c->name, buf_str(&got), str_of(c->want));
        EXPECT_INT(c->name, left_out, c->left_out);
        buf_fini(&got);
        join_graph_destroy(copy);
        join_graph_destroy(graph);
    }
    catalog_destroy(catalog);
}

TEST(foreign_keys_join_what_may_be_read)
{
    struct catalog *catalog = world_catalog();
    struct join_graph *keys = NULL;
    struct err err = {0};
    size_t left_out;
    assert_int_equal(join_graph_from_catalog(catalog, &keys, &err), ERR_OK);
    struct join_graph *copy = seen(keys, catalog, &left_out);
    EXPECT_INT("none of them", join_graph_edge_count(copy), 0);
    EXPECT_INT("no table", join_graph_table(copy, STR("crew")), CATALOG_NONE);
    join_graph_destroy(copy);
    join_graph_destroy(keys);
    catalog_destroy(catalog);
}

TEST(tables_of_both)
{
    struct catalog *catalog = world_catalog();
    struct join_graph *keys = NULL;
    struct err err = {0};
    size_t left_out;
    assert_int_equal(join_graph_from_catalog(catalog, &keys, &err), ERR_OK);
    struct join_graph *copy = seen(keys, catalog, &left_out);
    for (size_t t = 0; t < join_graph_table_count(copy); t++) {
        int origin = join_graph_seen_origin(copy, catalog, (int)t);
        EXPECT_TRUE("is there", origin != CATALOG_NONE);
        EXPECT_INT("and back", join_graph_seen_table(copy, catalog, origin), t);
    }
    int view = catalog_find_table(catalog, STR(""), STR("secure_staff"));
    EXPECT_INT("the view's is its table's", join_graph_seen_table(copy, catalog, view),
               join_graph_table(copy, STR("staff")));
    EXPECT_TRUE("with its schema", join_graph_table(copy, STR("hr.pay")) != CATALOG_NONE &&
                                       join_graph_table(copy, STR("pay")) == CATALOG_NONE);
    join_graph_destroy(copy);
    join_graph_destroy(keys);
    catalog_destroy(catalog);
}

TEST(every_allocation_may_fail)
{
    struct catalog *catalog = world_catalog();
    struct join_graph *graph = rig_edges("order.customerId>customer.id pay.staffId>staff.id");
    const struct sql_visible sees = {&sql_policy_default, catalog};
    for (uint64_t n = 1;; n++) {
        struct join_graph *copy = NULL;
        struct err err = {0};
        size_t left_out;
        mem_fail_nth(n);
        enum err_code code = join_graph_seen_copy(graph, sees, &copy, &left_out, &err);
        mem_fail_nth(0);
        join_graph_destroy(copy);
        if (code == ERR_OK)
            break;
        EXPECT_INT("no memory", code, ERR_NO_MEMORY);
        assert_true(n < 1000);
    }
    join_graph_destroy(graph);
    catalog_destroy(catalog);
}

RUN_TESTS(T(a_file_joins_what_may_be_read), T(foreign_keys_join_what_may_be_read),
          T(tables_of_both), T(every_allocation_may_fail))
