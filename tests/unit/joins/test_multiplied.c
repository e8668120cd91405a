/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/joins/multiplied. */
#include "tests/lib/test.h"

#include "agents/sql/joins/multiplied.h"

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

static void count(void *owner, const struct sql_multiplied_sum *sum)
{
    size_t *said = owner;
    assert_true(sum->of >= 0 && sum->by >= 0 && sum->of != sum->by && sum->text.len > 0);
    (*said)++;
}

TEST(sums_of_rows_that_joins_repeat)
{
    static const struct {
        const char *name, *sql;
        bool said;
    } cases[] = {
        {"from one to many",
         "SELECT SUM(a.balance) AS s FROM accounts a JOIN transactions t ON t.account_id = a.id",
         true},
        {"from many to one",
         "SELECT SUM(t.amount) AS s FROM transactions t JOIN accounts a ON t.account_id = a.id",
         false},
        {"an average, too",
         "SELECT AVG(balance) AS s FROM transactions t JOIN accounts a ON a.id = t.account_id",
         true},
        {"over a table in between",
         "SELECT SUM(t.amount) AS s FROM transactions t JOIN accounts a ON t.account_id = a.id "
         "JOIN "
         "customers c ON c.id = a.customer_id JOIN accounts b ON b.customer_id = c.id",
         true},
        {"distinct is meant",
         "SELECT SUM(DISTINCT a.balance) AS s FROM accounts a JOIN transactions t ON t.account_id "
         "= "
         "a.id",
         false},
        {"MAX does not mind",
         "SELECT MAX(a.balance) AS s FROM accounts a JOIN transactions t ON t.account_id = a.id",
         false},
        {"in a subquery alone",
         "SELECT COUNT(*) AS s FROM transactions t WHERE t.amount > (SELECT AVG(balance) FROM "
         "accounts)",
         false},
        {"EXISTS repeats nothing",
         "SELECT SUM(a.balance) AS s FROM accounts a WHERE EXISTS (SELECT 1 FROM transactions t "
         "WHERE t.account_id = a.id)",
         false},
        {"what WHERE leaves none of repeats nothing",
         "SELECT COUNT(a.id) AS n FROM accounts a LEFT JOIN transactions t ON t.account_id = a.id "
         "AND t.amount > 5 WHERE t.id IS NULL AND a.city = 'Bonn'",
         false},
        {"what it may leave some of repeats",
         "SELECT COUNT(a.id) AS n FROM accounts a LEFT JOIN transactions t ON t.account_id = a.id "
         "WHERE t.amount IS NULL",
         true},
        {"and as an alternative, too",
         "SELECT COUNT(a.id) AS n FROM accounts a LEFT JOIN transactions t ON t.account_id = a.id "
         "WHERE t.id IS NULL OR a.city = 'Bonn'",
         true},
        {"one table", "SELECT SUM(balance) AS s FROM accounts", false},
    };
    struct catalog *catalog = make_catalog();
    TEST_EACH(c, cases) {
        struct arena arena;
        size_t said = 0;
        arena_init(&arena, 1 << 20);
        sql_multiplied_sums(parse(catalog, c->sql, &arena), catalog, count, &said);
        EXPECT_INT(c->name, said, c->said);
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

RUN_TESTS(T(sums_of_rows_that_joins_repeat))
