/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/joins/join_doubts. */
#include "tests/lib/test.h"

#include "agents/sql/joins/join_doubts.h"
#include "agents/sql/joins/join_graph_seen.h"

#define KEY(from, column, to)                                                                      \
    "{\"from_table\":\"" from "\",\"from_column\":\"" column "\",\"to_table\":\"" to               \
    "\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"cardinality\":\"N:1\"}"

static const char world[] =
    "{\"version\":1,\"tables\":{"
    "\"customers\":{\"columns\":[\"id\",\"name\",\"createdBy\"],\"unique_columns\":[\"id\"]},"
    "\"users\":{\"columns\":[\"id\",\"name\"],\"unique_columns\":[\"id\"]},"
    "\"accounts\":{\"columns\":[\"id\",\"customer_id\",\"balance\",\"city\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"cards\":{\"columns\":[\"id\",\"customer_id\",\"city\"],\"unique_columns\":[\"id\"]},"
    "\"transactions\":{\"columns\":[\"id\",\"account_id\",\"amount\"],"
    "\"unique_columns\":[\"id\"]}},"
    "\"relationships\":[" KEY("accounts", "customer_id", "customers") "," KEY(
        "cards", "customer_id", "customers") "," KEY("transactions", "account_id",
                                                     "accounts") "," KEY("customers", "createdBy",
                                                                         "users") "]}";

static struct catalog *make_catalog(void)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    if (catalog_from_join_graph(str_of(world), &catalog, &err) != ERR_OK)
        fail_msg("%s", err.text);
    return catalog;
}

static const struct sql_parse *parse(const struct catalog *catalog, const char *sql,
                                     struct arena *arena)
{
    const struct sql_parse *parsed = NULL;
    const char *rule;
    struct err err = {0};
    if (sql_parse_statement(SQL_SQLITE, str_of(sql), catalog, arena, &parsed, &rule, &err) !=
        ERR_OK)
        fail_msg("%s: %s", sql, err.text);
    return parsed;
}

static void keep(void *owner, const struct join_doubt *doubt)
{
    static const char *const kinds[] = {"unknown", "audit", "null"};
    struct buf *out = owner;
    buf_printf(out, "%s%s: %.*s", buf_len(out) > 0 ? "; " : "", kinds[doubt->kind],
               STR_ARG(doubt->text));
}

static const struct {
    const char *name, *sql, *want;
} cases[] = {
    {"as the graph has it", "SELECT 1 FROM accounts a JOIN customers c ON c.id = a.customer_id",
     ""},
    {"keys that nothing ties", "SELECT 1 FROM accounts a JOIN customers c ON a.id = c.id",
     "unknown: a.id = c.id"},
    {"a key that refers elsewhere",
     "SELECT 1 FROM transactions t JOIN customers c ON c.id = t.account_id",
     "unknown: c.id = t.account_id"},
    {"in WHERE, too", "SELECT 1 FROM accounts a, customers c WHERE a.id = c.id",
     "unknown: a.id = c.id"},
    {"and in a subquery",
     "SELECT 1 FROM customers c WHERE EXISTS (SELECT 1 FROM accounts a WHERE a.id = c.id)",
     "unknown: a.id = c.id"},
    {"siblings", "SELECT 1 FROM accounts a JOIN cards d ON d.customer_id = a.customer_id", ""},
    {"no keys", "SELECT 1 FROM accounts a JOIN cards d ON d.city = a.city", ""},
    {"the same table again", "SELECT 1 FROM accounts a JOIN accounts b ON a.id = b.id", ""},
    {"who wrote it down", "SELECT 1 FROM customers c JOIN users u ON u.id = c.createdBy",
     "audit: u.id = c.createdBy"},
    {"never NULL",
     "SELECT 1 FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE a.id IS NULL",
     "null: a.id IS NULL"},
    {"the column of the join",
     "SELECT 1 FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE a.customer_id  is "
     " null",
     "null: a.customer_id  is  null"},
    {"another column",
     "SELECT 1 FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE "
     "a.balance IS NULL",
     ""},
    {"an outer join",
     "SELECT 1 FROM customers c LEFT JOIN accounts a ON a.customer_id = c.id WHERE a.id IS NULL",
     ""},
    {"is not",
     "SELECT 1 FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE a.id IS "
     "NOT NULL",
     ""},
};

TEST(joins_that_nobody_knows)
{
    struct catalog *catalog = make_catalog();
    struct join_graph *given = NULL, *graph = NULL;
    struct err err = {0};
    size_t left_out;
    assert_int_equal(join_graph_from_json(str_of(world), &given, &err), ERR_OK);
    assert_int_equal(join_graph_seen_copy(given, (struct sql_visible){&sql_policy_default, catalog},
                                          &graph, &left_out, &err),
                     ERR_OK);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, 1 << 20);
        buf_init(&out, 1 << 16);
        join_doubts_find(parse(catalog, c->sql, &arena), catalog, graph, keep, &out);
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
        arena_fini(&arena);
    }
    struct buf known;
    buf_init(&known, 1 << 16);
    join_doubts_write_known(graph, catalog, catalog_find_dotted(catalog, STR("customers")),
                            catalog_find_dotted(catalog, STR("accounts")), &known);
    EXPECT_STR("known", buf_str(&known), STR("accounts.customer_id = customers.id"));
    buf_fini(&known);
    join_graph_destroy(graph);
    join_graph_destroy(given);
    catalog_destroy(catalog);
}

RUN_TESTS(T(joins_that_nobody_knows))
