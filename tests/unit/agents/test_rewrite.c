/* SPDX-License-Identifier: MIT */
/* What is sent, byte for byte: views, filters, narrowed tables, comments, LIMIT (R65, C8, C40). */
#include "tests/unit/agents/guard_world.h"

enum { ARENA_BYTES = 16 << 20 };

#define BRANCHES_ "(SELECT id, name, city, drop_box_count FROM branches)"
#define ORDERS_OPEN_                                                                               \
    "(SELECT id, company_id, customer_id, total, note FROM orders WHERE orders.company_id = "      \
    "session_var('company_id') COLLATE BINARY AND CAST(orders.company_id AS TEXT) = "              \
    "session_var('company_id')"
#define ORDERS_ ORDERS_OPEN_ ")"
#define MAIN_ORDERS_                                                                               \
    "(SELECT id, company_id, customer_id, total, note FROM main.orders WHERE orders.company_id = " \
    "session_var('company_id') COLLATE BINARY AND CAST(orders.company_id AS TEXT) = "              \
    "session_var('company_id'))"
#define FENCED_ORDERS_ ORDERS_OPEN_ " LIMIT -1)"

static const struct {
    const char *policy, *sql, *sent;
} cases[] = {
    /* what needs nothing is left alone */
    {"bank", "SELECT name FROM customers", "SELECT name FROM customers\nLIMIT 100"},
    {"bank", "  SELECT  name\nFROM customers ;", "SELECT  name\nFROM customers\nLIMIT 100"},
    {"bank", "SELECT count(*) FROM branches", "SELECT count(*) FROM branches\nLIMIT 100"},
    /* comments */
    {"bank", "SELECT/* a */name--b\nFROM customers", "SELECT name FROM customers\nLIMIT 100"},
    {"bank", "SELECT name FROM customers -- LIMIT 5", "SELECT name FROM customers\nLIMIT 100"},
    {"bank", "/* x */ SELECT name FROM customers /* y */", "SELECT name FROM customers\nLIMIT 100"},
    {"bank", "SELECT '--', '/* */' FROM customers LIMIT 1",
     "SELECT '--', '/* */' FROM customers LIMIT 1"},
    /* limits */
    {"bank", "SELECT name FROM customers LIMIT 5", "SELECT name FROM customers LIMIT 5"},
    {"bank", "SELECT name FROM customers LIMIT 1000", "SELECT name FROM customers LIMIT 1000"},
    {"bank", "SELECT name FROM customers LIMIT 1001", "SELECT name FROM customers LIMIT 1000"},
    {"bank", "SELECT name FROM customers LIMIT 9999 OFFSET 5",
     "SELECT name FROM customers LIMIT 1000 OFFSET 5"},
    {"bank", "SELECT name FROM customers LIMIT 5, 9999",
     "SELECT name FROM customers LIMIT 5, 1000"},
    {"bank", "SELECT name FROM customers LIMIT 9999, 5",
     "SELECT name FROM customers LIMIT 9999, 5"},
    {"bank", "SELECT name FROM customers LIMIT -1", "SELECT name FROM customers LIMIT 1000"},
    {"bank", "SELECT name FROM customers LIMIT - 1 OFFSET 2",
     "SELECT name FROM customers LIMIT 1000 OFFSET 2"},
    {"bank", "SELECT name FROM customers LIMIT 2 * 3",
     "SELECT * FROM (\nSELECT name FROM customers LIMIT 2 * 3\n) AS limited LIMIT 1000"},
    {"bank", "SELECT name FROM customers LIMIT 99999999999999999999",
     "SELECT name FROM customers LIMIT 1000"},
    {"bank", "SELECT avg(b) FROM (SELECT balance AS b FROM accounts)",
     "SELECT avg(b) FROM (SELECT balance AS b FROM accounts)\nLIMIT 100"},
    {"bank", "SELECT b FROM (SELECT balance AS b FROM accounts LIMIT 5000)",
     "SELECT b FROM (SELECT balance AS b FROM accounts LIMIT 5000)\nLIMIT 100"},
    {"open", "SELECT name FROM customers UNION SELECT name FROM branches ORDER BY 1",
     "SELECT name FROM customers UNION SELECT name FROM branches ORDER BY 1\nLIMIT 100"},
    {"rewrite", "SELECT name FROM crew LIMIT 500", "SELECT name FROM crew LIMIT 100"},
    /* secure views */
    {"rewrite", "SELECT firstName FROM employee",
     "SELECT firstName FROM secure_employee AS employee\nLIMIT 100"},
    {"rewrite", "SELECT e.firstName FROM employee e",
     "SELECT e.firstName FROM secure_employee e\nLIMIT 100"},
    {"rewrite", "SELECT e.firstName FROM \"employee\" AS e",
     "SELECT e.firstName FROM secure_employee AS e\nLIMIT 100"},
    {"rewrite", "SELECT employee.firstName FROM main.employee",
     "SELECT employee.firstName FROM secure_employee AS employee\nLIMIT 100"},
    {"rewrite", "SELECT main.employee.firstName FROM main . employee",
     "SELECT employee.firstName FROM secure_employee AS employee\nLIMIT 100"},
    {"rewrite", "SELECT login FROM user, crew WHERE crew.createdBy = user.id",
     "SELECT login FROM secure_user AS user, crew WHERE crew.createdBy = user.id\nLIMIT 100"},
    {"rewrite", "SELECT firstName FROM secure_employee",
     "SELECT firstName FROM secure_employee\nLIMIT 100"},
    /* narrowed */
    {"bank", "SELECT * FROM branches", "SELECT * FROM " BRANCHES_ " AS branches\nLIMIT 100"},
    {"bank", "SELECT b.* FROM branches b", "SELECT b.* FROM " BRANCHES_ " b\nLIMIT 100"},
    {"bank", "SELECT b.*, c.name FROM branches b JOIN customers c ON c.city = b.city",
     "SELECT b.*, c.name FROM " BRANCHES_ " b JOIN customers c ON c.city = b.city\nLIMIT 100"},
    {"bank", "SELECT name AS ssn FROM branches WHERE ssn = 'x'",
     "SELECT name AS ssn FROM " BRANCHES_ " AS branches WHERE ssn = 'x'\nLIMIT 100"},
    /* tenants */
    {"tenant", "SELECT id FROM orders", "SELECT id FROM " ORDERS_ " AS orders\nLIMIT 100"},
    {"tenant", "SELECT a.id FROM orders a LEFT JOIN orders b ON b.id = a.id",
     "SELECT a.id FROM " ORDERS_ " a LEFT JOIN " ORDERS_ " b ON b.id = a.id\nLIMIT 100"},
    {"tenant", "SELECT label FROM products WHERE id IN (SELECT id FROM orders)",
     "SELECT label FROM products WHERE id IN (SELECT id FROM " FENCED_ORDERS_
     " AS orders)\nLIMIT 100"},
    /* conditions that may fail stay behind the filter */
    {"tenant", "SELECT 1 / id FROM orders", "SELECT 1 / id FROM " ORDERS_ " AS orders\nLIMIT 100"},
    {"tenant", "SELECT id FROM orders WHERE 1 / id = 1",
     "SELECT id FROM " FENCED_ORDERS_ " AS orders WHERE 1 / id = 1\nLIMIT 100"},
    {"tenant", "SELECT id FROM orders GROUP BY id HAVING max(id) > 1 AND abs(id) = 1",
     "SELECT id FROM " FENCED_ORDERS_
     " AS orders GROUP BY id HAVING max(id) > 1 AND abs(id) = 1\nLIMIT 100"},
    {"rewrite", "SELECT firstName FROM employee WHERE lower(firstName) = 'a'",
     "SELECT firstName FROM (SELECT id, firstName, lastName, department, hourlyRate, managerId "
     "FROM "
     "secure_employee LIMIT -1) AS employee WHERE lower(firstName) = 'a'\nLIMIT 100"},
    /* a query of WITH never takes the table's place */
    {"tenant", "WITH products AS (SELECT id FROM orders) SELECT id FROM products",
     "WITH products AS (SELECT id FROM " ORDERS_ " AS orders) SELECT id FROM products\nLIMIT 100"},
    {"tenant", "WITH Orders AS (SELECT id FROM products) SELECT id FROM main.orders",
     "WITH Orders AS (SELECT id FROM products) SELECT id FROM " MAIN_ORDERS_
     " AS orders\nLIMIT 100"},
    {"tenant", "SELECT label FROM products", "SELECT label FROM products\nLIMIT 100"},
};

TEST(sent_byte_for_byte)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, c->policy, str_of(c->sql), &arena, &verdict);
        if (verdict.code != ERR_OK)
            fail_msg("%s: %s: %s", c->sql, verdict.rule, verdict.err.text);
        EXPECT_STR(c->sql, verdict.sql, str_of(c->sent));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

/* What a database that is known whole needs: only hidden columns are kept out, and quoted names
 * are qualified. */
TEST(complete_catalog)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    struct err err = {0};
    struct arena arena;
    struct sql_verdict verdict;
    const struct sql_tenant nobody = {.on = false};
    const struct catalog_column columns[] = {
        {.name = STR("id")}, {.name = STR("order")}, {.name = STR("token"), .hidden = true}};
    assert_non_null(builder);
    EXPECT_INT("a", catalog_add_table(builder, &(struct catalog_table){.name = STR("a")}, &err), 0);
    EXPECT_INT("id", catalog_add_column(builder, &columns[0], &err), 0);
    EXPECT_INT("b", catalog_add_table(builder, &(struct catalog_table){.name = STR("b c")}, &err),
               0);
    for (size_t i = 0; i < countof(columns); i++)
        EXPECT_INT("column", catalog_add_column(builder, &columns[i], &err), 0);
    catalog_set_complete(builder, true);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    arena_init(&arena, ARENA_BYTES);
    sql_policy_judge(&sql_policy_default, SQL_SQLITE, STR("SELECT * FROM a"), catalog, nobody,
                     &arena, &verdict);
    EXPECT_STR("nothing hidden", verdict.sql, STR("SELECT * FROM a\nLIMIT 100"));
    sql_policy_judge(&sql_policy_default, SQL_SQLITE, STR("SELECT * FROM \"b c\""), catalog, nobody,
                     &arena, &verdict);
    EXPECT_STR("something hidden", verdict.sql,
               STR("SELECT * FROM (SELECT id, \"b c\".\"order\" FROM \"b c\") AS \"b c\""
                   "\nLIMIT 100"));
    sql_policy_judge(&sql_policy_default, SQL_SQLITE, STR("SELECT token FROM \"b c\""), catalog,
                     nobody, &arena, &verdict);
    EXPECT_STR("hidden", str_of(verdict.rule), STR("hidden_column"));
    struct sql_policy no_star = sql_policy_default;
    no_star.expand_star = false;
    sql_policy_judge(&no_star, SQL_SQLITE, STR("SELECT * FROM \"b c\""), catalog, nobody, &arena,
                     &verdict);
    EXPECT_STR("no star", str_of(verdict.rule), STR("hidden_column"));
    arena_fini(&arena);
    catalog_destroy(catalog);
}

/* C28: what was rewritten once is left alone, so a corrected statement may go round again. A filter
 * is not: nobody but the rewriter may ask for the company. */
TEST(rewriting_again_changes_nothing)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, c->policy, str_of(c->sent), &arena, &verdict);
        if (strstr(c->sent, "LIMIT -1") != NULL && strstr(c->sent, "session_var") == NULL)
            EXPECT_TRUE(c->sent, verdict.code == ERR_OK); /* a view that is read is fenced anew */
        else if (strstr(c->sent, "session_var") != NULL)
            EXPECT_STR(c->sent, str_of(verdict.rule), STR("function"));
        else
            EXPECT_STR(c->sent, verdict.sql, str_of(c->sent));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

TEST(every_allocation_may_fail)
{
    static const char *const texts[] = {
        "SELECT o.*, i.amount FROM orders o LEFT JOIN main.invoices i ON i.order_id = o.id"
        " WHERE o.total > (SELECT avg(total) FROM orders) -- x",
        "SELECT main.orders.nothing FROM main.orders",
    };
    struct guard_world world;
    const struct sql_tenant tenant = {.on = true};
    guard_world_make(&world);
    TEST_EACH(text, texts) {
        struct sql_verdict verdict = {.code = ERR_NO_MEMORY};
        for (uint64_t n = 1; verdict.code == ERR_NO_MEMORY; n++) {
            struct arena arena;
            arena_init(&arena, ARENA_BYTES);
            mem_fail_nth(n);
            sql_policy_judge(guard_policy(&world, "tenant"), SQL_SQLITE, str_of(*text),
                             world.catalog, tenant, &arena, &verdict);
            mem_fail_nth(0);
            EXPECT_TRUE(*text, n < 1000 && (verdict.code == ERR_OK) == !str_is_absent(verdict.sql));
            arena_fini(&arena);
        }
        EXPECT_INT(*text, verdict.code, text == texts ? ERR_OK : ERR_REJECTED);
    }
    guard_world_lose(&world);
}

RUN_TESTS(T(sent_byte_for_byte), T(complete_catalog), T(rewriting_again_changes_nothing),
          T(every_allocation_may_fail))
