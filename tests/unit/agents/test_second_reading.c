/* SPDX-License-Identifier: MIT */
/* The second reading: every statement that is sent passes all rules as text, and what a rewriter
 * that errs might have made of one does not. */
#include "tests/unit/agents/guard_world.h"

#include <string.h>

#include "agents/sql/guard/rewrite.h"
#include "tests/guard/read_again.h"

enum { ARENA_BYTES = 16 << 20 };

/* Each kind of change the rewriter makes. */
static const struct {
    enum sql_dialect dialect;
    const char *policy, *sql;
} passing[] = {
    {SQL_SQLITE, "bank", "SELECT name FROM customers WHERE city = 'Oslo'"},
    {SQL_SQLITE, "bank", "SELECT name FROM customers LIMIT 5 -- five\n OFFSET 1"},
    {SQL_SQLITE, "bank", "SELECT/* a */b.* FROM main.branches /* b */ b WHERE b.id/* c */= 1"},
    {SQL_SQLITE, "bank", "SELECT name AS ssn FROM branches WHERE ssn = 'x'"},
    {SQL_SQLITE, "rewrite", "SELECT main.employee.firstName FROM main . employee"},
    {SQL_SQLITE, "tenant", "SELECT a.id FROM orders a LEFT JOIN orders b ON b.id = a.id"},
    {SQL_SQLITE, "tenant",
     "WITH w AS (SELECT id FROM orders) SELECT * FROM w, invoices i "
     "WHERE i.id = w.id"},
    {SQL_POSTGRES, "bank", "SELECT * FROM branches ORDER BY 1 OFFSET 2"},
    {SQL_POSTGRES, "rewrite",
     "SELECT e.id, \"firstName\" FROM employee e JOIN \"user\" ON e.id="
     "\"user\".id"},
    {SQL_POSTGRES, "rewrite", "SELECT firstName, public.employee.lastname FROM public.employee"},
    {SQL_POSTGRES, "tenant", "SELECT id FROM orders UNION ALL SELECT id FROM invoices"},
    {SQL_POSTGRES, "tenant",
     "SELECT o.id, count(*) FROM orders o LEFT JOIN invoices i ON "
     "i.order_id = o.id WHERE o.total > 1 OR i.id = 2 GROUP BY o.id"},
    {SQL_POSTGRES, "tenant",
     "SELECT orders.id FROM orders JOIN invoices i ON i.order_id = "
     "orders.id GROUP BY orders.id HAVING count(*) > 1"},
    {SQL_SQLITE, "bank", "SELECT name FROM customers LIMIT 2 * 3"},
    {SQL_SQLITE, "bank", "SELECT id FROM branches NATURAL JOIN customers"},
    {SQL_SQLITE, "bank", "SELECT name FROM customers WHERE city <> \"it's\""},
    {SQL_SQLITE, "open", "SELECT 1 UNION VALUES (2), (3)"},
    {SQL_SQLITE, "tenant", "SELECT orders.* FROM main.orders"},
    {SQL_POSTGRES, "bank", "TABLE branches"},
    {SQL_POSTGRES, "tenant", "SELECT t.id FROM (TABLE orders LIMIT 2) t"},
    {SQL_POSTGRES, "tenant", "SELECT orders.*, 1 FROM orders FETCH FIRST 2 ROWS ONLY"},
    {SQL_POSTGRES, "tenant", "SELECT id FROM orders LIMIT (SELECT count(*) FROM invoices)"},
    {SQL_POSTGRES, "tenant", "SELECT id FROM orders ORDER BY 1 FETCH FIRST 2 ROWS WITH TIES"},
    {SQL_POSTGRES, "tenant", "SELECT o.id FROM ONLY orders o, ONLY (invoices) i WHERE o.id = i.id"},
    {SQL_POSTGRES, "tenant",
     "SELECT o.id FROM orders AS o TABLESAMPLE BERNOULLI (9) REPEATABLE (1) WHERE o.id > 0"},
    {SQL_POSTGRES, "tenant",
     "SELECT total, count(*) FROM orders TABLESAMPLE SYSTEM (50) GROUP BY total"},
    {SQL_POSTGRES, "tenant",
     "SELECT o.* FROM (orders o JOIN products p USING (id)) GROUP BY 1, 2, 3, 4, 5"},
    {SQL_POSTGRES, "tenant", "SELECT o.*, 1 FROM orders o GROUP BY o.id"},
    {SQL_POSTGRES, "tenant",
     "SELECT *, count(*) FROM orders LEFT JOIN invoices i ON i.id = orders.id GROUP BY orders.id, "
     "i.id"},
    {SQL_POSTGRES, "tenant", "SELECT total FROM orders NATURAL JOIN invoices"},
    {SQL_MYSQL, "tenant", "SELECT o.id FROM orders PARTITION (p0) o"},
    {SQL_MYSQL, "bank", "SELECT name FROM customers # one\n LIMIT 7"},
    {SQL_MYSQL, "rewrite", "SELECT `Employee`.firstName FROM `Employee`"},
    {SQL_MYSQL, "tenant", "SELECT i.* FROM invoices AS i INNER JOIN orders USING (id)"},
    {SQL_SQLITE, "tenant", "SELECT label FROM products WHERE 1 IN orders"},
    {SQL_SQLITE, "rewrite", "SELECT firstName FROM employee NATURAL JOIN crew"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers TABLESAMPLE SYSTEM (/* all */ 100)"},
};

TEST(what_is_sent_was_read_again)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, passing) {
        struct arena arena;
        struct sql_finding finding;
        struct sql_verdict verdict;
        const struct sql_visible sees = {guard_policy(&world, c->policy), world.catalog};
        const struct sql_tenant tenant = {.on = strcmp(c->policy, "tenant") == 0};
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(sees.policy, c->dialect, str_of(c->sql), world.catalog, tenant, &arena,
                         &verdict);
        if (verdict.code != ERR_OK)
            fail_msg("%s: %s: %s", c->sql, verdict.rule, verdict.err.text);
        if (!read_again(sees, tenant, &verdict, &arena, &finding))
            fail_msg("%s: read again: %s: %s", c->sql, finding.rule, finding.err.text);
        EXPECT_STR(c->sql, verdict.sent->text, verdict.sql);
        EXPECT_STR(c->sql, verdict.parse->text, str_of(c->sql));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

/* ---- a rewriter that errs ---- */

#define FILTER_                                                                                    \
    "orders.company_id = session_var('company_id') COLLATE BINARY AND "                            \
    "CAST(orders.company_id AS TEXT) = session_var('company_id')"

#define FROM_ "(SELECT id, company_id, customer_id, total, note FROM orders"

/* written passes; sent is what is read again, with a company filter around where it stands. */
static const struct {
    const char *name, *policy, *written, *sent, *rule; /* rule NULL: it passes */
} wrong[] = {
    {"right", "tenant", "SELECT id FROM orders",
     "SELECT id FROM " FROM_ " WHERE " FILTER_ ") AS orders LIMIT 100", NULL},
    {"no filter", "tenant", "SELECT id FROM orders", "SELECT id FROM orders LIMIT 100", "tenant"},
    {"the filter at another table", "tenant", "SELECT id FROM orders",
     "SELECT orders.id FROM orders JOIN " FROM_ " WHERE " FILTER_
     ") x ON x.id = orders.id LIMIT 100",
     "tenant"},
    {"half of a filter", "tenant", "SELECT id FROM orders",
     "SELECT id FROM " FROM_ " WHERE " FILTER_ " OR 1) AS orders LIMIT 100", "tenant"},
    {"no limit", "tenant", "SELECT id FROM orders",
     "SELECT id FROM " FROM_ " WHERE " FILTER_ ") AS orders", "limit"},
    {"too many rows", "bank", "SELECT name FROM customers",
     "SELECT name FROM customers LIMIT 1000000", "limit"},
    {"the table behind the view", "rewrite", "SELECT firstName FROM employee",
     "SELECT firstName FROM employee LIMIT 100", "base_table"},
    {"a star that shows what is hidden", "bank", "SELECT * FROM branches",
     "SELECT * FROM branches LIMIT 100", "hidden_column"},
    {"a column nobody may read", "bank", "SELECT * FROM branches",
     "SELECT vault_code FROM branches LIMIT 1", "unknown_column"},
    {"what the session was given", "bank", "SELECT name FROM customers",
     "SELECT session_var('company_id') FROM customers LIMIT 100", "function"},
    {"two statements", "bank", "SELECT name FROM customers",
     "SELECT name FROM customers LIMIT 100; SELECT 1", "multiple_statements"},
    {"no SELECT", "bank", "SELECT name FROM customers", "DELETE FROM customers", "select_only"},
    {"nothing", "bank", "SELECT name FROM customers", "", "syntax"},
};

/* The first filter in sql, as the rewriter would tell. */
static size_t find_filter(struct str sql, struct sql_rewrite_filter *filter)
{
    ptrdiff_t at = str_find(sql, STR(FILTER_)), around = str_find(sql, STR(FROM_));
    if (at == STR_NONE || around == STR_NONE)
        return 0;
    size_t end = (size_t)at + STR(FILTER_).len;
    *filter = (struct sql_rewrite_filter){.predicate = {(size_t)at, end},
                                          .around = {(size_t)around, end + 1}};
    return 1;
}

TEST(what_the_rewriter_owes)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, wrong) {
        struct arena arena;
        struct sql_verdict verdict;
        struct sql_rewrite_filter filter;
        const struct sql_policy *policy = guard_policy(&world, c->policy);
        const struct sql_tenant tenant = {.on = strcmp(c->policy, "tenant") == 0};
        arena_init(&arena, ARENA_BYTES);
        sql_policy_read_written(policy, SQL_SQLITE, str_of(c->written), world.catalog, tenant,
                                &arena, &verdict);
        EXPECT_INT(c->name, verdict.code, ERR_OK);
        EXPECT_TRUE(c->name, str_is_absent(verdict.sql) && verdict.sent == NULL);
        const struct sql_rewrite made = {.sql = str_of(c->sent),
                                         .filters = &filter,
                                         .filter_count = find_filter(str_of(c->sent), &filter)};
        verdict.rewrite = &made;
        sql_policy_read_sent(policy, world.catalog, tenant, &arena, &verdict);
        if (verdict.code != (c->rule == NULL ? ERR_OK : ERR_REJECTED))
            fail_msg("%s: %s: %s", c->name, verdict.rule, verdict.err.text);
        EXPECT_TRUE(c->name, (verdict.code == ERR_OK) == (verdict.sent != NULL) &&
                                 (verdict.code == ERR_OK) == !str_is_absent(verdict.sql));
        if (c->rule != NULL)
            EXPECT_STR(c->name, str_of(verdict.rule), str_of(c->rule));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

/* A refused statement is not read again. */
TEST(refused_once_is_refused)
{
    struct guard_world world;
    struct arena arena;
    struct sql_verdict verdict;
    const struct sql_tenant nobody = {.on = false};
    guard_world_make(&world);
    const struct sql_policy *policy = guard_policy(&world, "bank");
    arena_init(&arena, ARENA_BYTES);
    sql_policy_read_written(policy, SQL_SQLITE, STR("DELETE FROM customers"), world.catalog, nobody,
                            &arena, &verdict);
    sql_policy_read_sent(policy, world.catalog, nobody, &arena, &verdict);
    EXPECT_INT("verdict", verdict.code, ERR_REJECTED);
    EXPECT_STR("rule", str_of(verdict.rule), STR("select_only"));
    EXPECT_TRUE("nothing", str_is_absent(verdict.sql) && verdict.sent == NULL);
    arena_fini(&arena);
    guard_world_lose(&world);
}

/* A name that only a hidden column had would reach outside once the column is gone. */
TEST(names_of_lost_columns)
{
    struct err err = {0};
    struct arena arena;
    struct sql_verdict verdict;
    const struct sql_tenant nobody = {.on = false};
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    const struct catalog_column id = {.name = STR("id")},
                                token = {.name = STR("t"), .hidden = true};
    assert_non_null(builder);
    for (int i = 0; i < 2; i++) {
        const struct catalog_table table = {.name = i == 0 ? STR("a") : STR("b")};
        EXPECT_INT("table", catalog_add_table(builder, &table, &err), ERR_OK);
        EXPECT_INT("id", catalog_add_column(builder, &id, &err), ERR_OK);
        EXPECT_INT("t", catalog_add_column(builder, &token, &err), ERR_OK);
    }
    catalog_set_complete(builder, true);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    arena_init(&arena, ARENA_BYTES);
    sql_policy_judge(&sql_policy_default, SQL_SQLITE,
                     STR("SELECT (SELECT t FROM (SELECT * FROM a)) FROM b"), catalog, nobody,
                     &arena, &verdict);
    EXPECT_INT("refused", verdict.code, ERR_REJECTED);
    arena_fini(&arena);
    catalog_destroy(catalog);
}

RUN_TESTS(T(what_is_sent_was_read_again), T(what_the_rewriter_owes), T(refused_once_is_refused),
          T(names_of_lost_columns))
