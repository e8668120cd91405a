/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/test_parse_sqlite.c - the compiler agrees on honest statements, and a parse
 * that lacks what it reads is caught. */
#include "agents/sql/parse/parse_sqlite.h"

#include "tests/unit/agents/sql_rig.h"

/* Accepted by the grammar, fully resolved, and compiled by SQLite with the same reads. */
static const char *const honest[] = {
    "SELECT 1",
    "SELECT count(*) FROM customers",
    "SELECT * FROM customers",
    "SELECT c.*, a.balance FROM customers c LEFT JOIN accounts a ON a.customer_id = c.id",
    "SELECT id FROM accounts JOIN transactions USING (id)",
    "SELECT * FROM secure_customers NATURAL JOIN customers",
    "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM accounts WHERE balance > 9)",
    "SELECT name FROM customers c WHERE NOT EXISTS (SELECT * FROM accounts WHERE customer_id=c.id)",
    "SELECT substr(created_at,1,7) m, count(*) n FROM customers GROUP BY m HAVING n>1 ORDER BY n",
    "WITH t AS (SELECT customer_id, sum(balance) b FROM accounts GROUP BY 1) "
    "SELECT name, b FROM customers JOIN t ON t.customer_id = customers.id ORDER BY b DESC LIMIT 5",
    "WITH unused AS (SELECT key FROM api_keys) SELECT 1",
    "WITH w AS (SELECT 1) SELECT count(*) FROM w",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n",
    "SELECT id FROM customers UNION SELECT id FROM accounts ORDER BY id",
    "SELECT id AS k FROM customers UNION ALL SELECT balance FROM accounts ORDER BY k",
    "SELECT j.value FROM customers c, json_each(c.name) j",
    "SELECT row_number() OVER (PARTITION BY city ORDER BY id), sum(id) OVER w FROM customers "
    "WINDOW w AS (ORDER BY created_at)",
    "SELECT count(*) FILTER (WHERE status = 'x') FROM customers",
    "SELECT x FROM (SELECT id AS x FROM customers LIMIT 3) ORDER BY x",
    "SELECT \"count(*)\" FROM (SELECT count(*) FROM customers)",
    "SELECT id FROM customers WHERE id IN api_keys",
    "SELECT t.id FROM customers c LEFT JOIN (accounts a JOIN transactions t ON t.account_id=a.id) "
    "ON a.customer_id = c.id",
    "SELECT v.column2 FROM (VALUES (1, 2), (3, 4)) v",
    "SELECT id FROM accounts WHERE customer_id = session_var('company_id')",
    "SELECT (SELECT max(balance) FROM accounts a WHERE a.customer_id = c.id) FROM customers c",
    "SELECT main.customers.id, \"name\", [city], `email` FROM main.customers",
    "WITH w AS (SELECT * FROM accounts LIMIT 3) SELECT max(p.balance) FROM w AS p WHERE p.id > 0",
    "SELECT * FROM customers JOIN (SELECT id, status, id FROM accounts) d USING (id)",
    "SELECT max(id, 2), min(name), iif(id > 1, 'a', 'b'), name ->> '$.a' FROM customers",
};

TEST(oracle_agrees)
{
    struct rig rig;
    rig_init(&rig);
    struct sql_oracle *oracle = sql_oracle_create(rig.catalog, &rig.err);
    assert_non_null(oracle);
    TEST_EACH(sql, honest) {
        if (rig_parse(&rig, SQL_SQLITE, str_of(*sql)) != ERR_OK)
            fail_msg("%s: %s", *sql, rig.err.text);
        for (size_t i = 0; i < rig.parse->column_count; i++)
            EXPECT_TRUE(*sql, !rig.parse->columns[i].unknown && !rig.parse->columns[i].ambiguous);
        if (sql_oracle_check(oracle, rig.parse, &rig.err) != ERR_OK)
            fail_msg("%s: %s", *sql, rig.err.text);
    }
    sql_oracle_destroy(oracle);
    rig_fini(&rig);
}

TEST(oracle_refuses)
{
    static const struct {
        const char *sql, *says;
    } table[] = {
        {"SELECT zzz FROM customers", "no such column"},
        {"SELECT 1 FROM nowhere", "no such table"},
        {"SELECT name, count(*) FROM customers WHERE count(*) > 1", "misuse of aggregate"},
        {"SELECT no_such_function(1)", "no such function"},
        {"SELECT 1 UNION SELECT 1, 2", "same number of result columns"},
        {"SELECT * FROM pragma_table_info('customers')", "other than reading"},
        {"SELECT name FROM sqlite_master", "sqlite_master"},
    };
    struct rig rig;
    rig_init(&rig);
    struct sql_oracle *oracle = sql_oracle_create(rig.catalog, &rig.err);
    assert_non_null(oracle);
    TEST_EACH(c, table) {
        EXPECT_INT(c->sql, rig_parse(&rig, SQL_SQLITE, str_of(c->sql)), ERR_OK);
        EXPECT_INT(c->sql, sql_oracle_check(oracle, rig.parse, &rig.err), ERR_REJECTED);
        if (str_find(str_of(rig.err.text), str_of(c->says)) < 0)
            fail_msg("%s: %s", c->sql, rig.err.text);
    }
    sql_oracle_destroy(oracle);
    rig_fini(&rig);
}

/* A parse that lost a reference: the compiler still sees it. */
TEST(oracle_catches_what_a_parse_lacks)
{
    struct rig rig;
    rig_init(&rig);
    struct sql_oracle *oracle = sql_oracle_create(rig.catalog, &rig.err);
    assert_non_null(oracle);
    struct str sql = STR("SELECT name FROM customers WHERE ssn = 1");
    EXPECT_INT("parse", rig_parse(&rig, SQL_SQLITE, sql), ERR_OK);
    EXPECT_INT("whole", sql_oracle_check(oracle, rig.parse, &rig.err), ERR_OK);
    struct sql_parse blind = *rig.parse;
    blind.column_count = 1;
    EXPECT_INT("column", sql_oracle_check(oracle, &blind, &rig.err), ERR_REJECTED);
    EXPECT_TRUE(rig.err.text, str_find(str_of(rig.err.text), STR("customers.ssn")) >= 0);
    EXPECT_INT("parse", rig_parse(&rig, SQL_SQLITE, STR("SELECT count(*) FROM customers")), ERR_OK);
    blind = *rig.parse;
    blind.table_count = 0;
    EXPECT_INT("table", sql_oracle_check(oracle, &blind, &rig.err), ERR_REJECTED);
    blind = *rig.parse;
    blind.output_count = 2;
    EXPECT_INT("width", sql_oracle_check(oracle, &blind, &rig.err), ERR_REJECTED);
    sql_oracle_destroy(oracle);
    rig_fini(&rig);
}

TEST(oracle_without_memory)
{
    struct rig rig;
    rig_init(&rig);
    struct sql_oracle *oracle = NULL;
    for (uint64_t n = 1; oracle == NULL; n++) {
        mem_fail_nth(n);
        oracle = sql_oracle_create(rig.catalog, &rig.err);
        mem_fail_nth(0);
        EXPECT_TRUE("says so", oracle != NULL || rig.err.code == ERR_NO_MEMORY);
    }
    sql_oracle_destroy(oracle);
    sql_oracle_destroy(NULL);
    rig_fini(&rig);
}

RUN_TESTS(T(oracle_agrees), T(oracle_refuses), T(oracle_catches_what_a_parse_lacks),
          T(oracle_without_memory))
