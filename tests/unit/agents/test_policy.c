/* SPDX-License-Identifier: MIT */
/* What a refusal says, in each dialect: rule, place, and what to do instead. Which statements are
 * refused is tests/guard's affair. */
#include "tests/unit/agents/guard_world.h"

enum { ARENA_BYTES = 32 << 20 };

static const struct {
    enum sql_dialect dialect;
    const char *policy, *sql, *rule;
    size_t line, column;
    const char *says;
} refusals[] = {
    {SQL_SQLITE, "bank", "DROP TABLE customers", "select_only", 0, 0, "SELECT"},
    {SQL_POSTGRES, "bank", "DELETE FROM customers", "select_only", 0, 0, "SELECT"},
    {SQL_MYSQL, "bank", "CALL x()", "select_only", 0, 0, "SELECT"},
    {SQL_POSTGRES, "bank", "SELECT 1; SELECT 2", "multiple_statements", 0, 0, "one at a time"},
    {SQL_SQLITE, "strict", "WITH a AS (SELECT 1) SELECT * FROM a", "with", 0, 0, "subquery"},
    {SQL_MYSQL, "strict", "SELECT 1 UNION SELECT 2", "set_operation", 0, 0, "one SELECT"},
    {SQL_SQLITE, "bank", "SELECT name\nFROM customer", "unknown_table", 2, 6, "Did you mean: "},
    {SQL_SQLITE, "bank", "SELECT 1 FROM employe", "unknown_table", 1, 15, "There are: "},
    {SQL_SQLITE, "rewrite", "SELECT 1 FROM employe", "unknown_table", 1, 15, "employee"},
    {SQL_POSTGRES, "bank", "SELECT name\nFROM customer", "unknown_table", 2, 6, "customers"},
    {SQL_MYSQL, "bank", "SELECT name\nFROM customer", "unknown_table", 2, 6, "customers"},
    {SQL_POSTGRES, "bank", "SELECT 1 FROM other.customers", "unknown_table", 1, 15,
     "not among those that may be read"},
    {SQL_MYSQL, "bank", "SELECT 1 FROM other.customers", "unknown_table", 1, 15,
     "not among those that may be read"},
    {SQL_SQLITE, "bank", "SELECT c.nam FROM customers c", "unknown_column", 1, 8,
     "Column 'customers.nam' does NOT exist in table 'customers'."},
    {SQL_POSTGRES, "bank", "SELECT c.nam FROM customers c", "unknown_column", 1, 8,
     "Did you mean 'customers.name'?"},
    {SQL_MYSQL, "bank", "SELECT c.balance FROM customers c", "unknown_column", 1, 8,
     "Found in: accounts."},
    {SQL_POSTGRES, "bank", "SELECT id FROM customers, accounts", "ambiguous_column", 1, 8,
     "customers, accounts"},
    {SQL_POSTGRES, "bank", "SELECT c FROM customers c", "whole_row", 1, 8, "Name the columns"},
    {SQL_SQLITE, "bank", "SELECT load_extension('x')", "function", 1, 8, "load_extension"},
    {SQL_POSTGRES, "rewrite", "SELECT 1 FROM user", "function", 1, 15,
     "write the table as \"user\""},
    {SQL_POSTGRES, "bank", "SELECT pg_sleep(1)", "function", 1, 8, "pg_sleep"},
    {SQL_MYSQL, "bank", "SELECT sleep(1)", "function", 1, 8, "sleep"},
    {SQL_MYSQL, "bank", "SELECT 1 + @aesKey", "session_variable", 1, 12, "literal"},
    {SQL_MYSQL, "bank", "SELECT 1 /*! , 2 */", "executable_comment", 0, 0, "comment"},
    {SQL_POSTGRES, "bank", "SELECT a.id FROM accounts a, loans l", "unconnected", 1, 30, "add ON"},
    {SQL_SQLITE, "deny", "SELECT 1 FROM secure_employee e, employee f WHERE e.id = f.id",
     "base_table", 1, 34, "write secure_employee"},
    {SQL_POSTGRES, "tenant", "SELECT id FROM all_orders", "tenant", 1, 16, "not tied to a company"},
    {SQL_SQLITE, "open",
     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "recursive",
     1, 16, "WHERE n < 100"},
};

TEST(refusals_say_what_to_do)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, refusals) {
        struct arena arena;
        struct sql_verdict verdict;
        const struct sql_tenant tenant = {.on = strcmp(c->policy, "tenant") == 0};
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(guard_policy(&world, c->policy), c->dialect, str_of(c->sql), world.catalog,
                         tenant, &arena, &verdict);
        EXPECT_INT(c->sql, verdict.code, ERR_REJECTED);
        EXPECT_TRUE(c->sql, str_is_absent(verdict.sql));
        EXPECT_STR(c->sql, str_of(verdict.rule), str_of(c->rule));
        if (str_find(str_of(verdict.err.text), str_of(c->says)) == STR_NONE)
            fail_msg("%s: %s", c->sql, verdict.err.text);
        if (c->line > 0) {
            EXPECT_INT(c->sql, verdict.line, c->line);
            EXPECT_INT(c->sql, verdict.column, c->column);
        }
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

/* What is read once and what is read twice must not differ in what is sent. */
TEST(a_second_opinion_changes_nothing)
{
    static const char *const texts[] = {
        "SELECT name FROM customers",
        "SELECT name /* x */ FROM customers LIMIT 5000 -- y",
        "SELECT name FROM customers LIMIT -1",
        "SELECT count(*) FROM branches LIMIT 0",
        "SELECT * FROM branches",
    };
    struct guard_world world;
    const struct sql_tenant nobody = {.on = false};
    guard_world_make(&world);
    TEST_EACH(text, texts) {
        struct arena arena;
        struct sql_verdict once, twice;
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(guard_policy(&world, "bank"), SQL_SQLITE, str_of(*text), world.catalog,
                         nobody, &arena, &once);
        guard_judge(&world, "bank", str_of(*text), &arena, &twice);
        EXPECT_INT(*text, once.code, ERR_OK);
        EXPECT_STR(*text, once.sql, twice.sql);
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

RUN_TESTS(T(refusals_say_what_to_do), T(a_second_opinion_changes_nothing))
