/* SPDX-License-Identifier: MIT */
/* What PostgreSQL and MySQL are sent, byte for byte: names, views, company filters, LIMIT. */
#include "tests/unit/agents/guard_world.h"

enum { ARENA_BYTES = 16 << 20 };

#define PG_COMPANY_ "nullif(current_setting('app.company_id', true), '')"
#define PG_ORDERS_                                                                                 \
    "(SELECT \"id\", \"company_id\", \"customer_id\", \"total\", \"note\" FROM \"orders\" WHERE "  \
    "\"orders\".\"company_id\"::text = " PG_COMPANY_ ")"
#define MY_ORDERS_                                                                                 \
    "(SELECT `id`, `company_id`, `customer_id`, `total`, `note` FROM `orders` WHERE "              \
    "(`orders`.`company_id` = JSON_UNQUOTE(JSON_QUOTE(@company_id)) AND "                          \
    "CAST(CONVERT(`orders`.`company_id` USING utf8mb4) AS BINARY) = CAST(@company_id AS BINARY)))"
#define WRAPPED_(text, n) "SELECT * FROM (\n" text "\n) AS limited LIMIT " n

static const struct {
    enum sql_dialect dialect;
    const char *policy, *sql, *sent; /* sent: NULL when refused */
} cases[] = {
    /* limits of PostgreSQL */
    {SQL_POSTGRES, "bank", "SELECT name FROM customers;", "SELECT name FROM customers\nLIMIT 100"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers LIMIT ALL",
     "SELECT name FROM customers LIMIT 1000"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers LIMIT NULL OFFSET 2",
     "SELECT name FROM customers LIMIT 1000 OFFSET 2"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers OFFSET 2",
     "SELECT name FROM customers OFFSET 2\nLIMIT 100"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers OFFSET 2 LIMIT 5000",
     "SELECT name FROM customers OFFSET 2 LIMIT 1000"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers FETCH FIRST 5000 ROWS ONLY",
     "SELECT name FROM customers FETCH FIRST 1000 ROWS ONLY"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers FETCH FIRST ROW ONLY",
     "SELECT name FROM customers FETCH FIRST ROW ONLY"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers ORDER BY id FETCH FIRST 5 ROWS WITH TIES",
     WRAPPED_("SELECT name FROM customers ORDER BY id FETCH FIRST 5 ROWS WITH TIES", "1000")},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers LIMIT 2 * 3",
     WRAPPED_("SELECT name FROM customers LIMIT 2 * 3", "1000")},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers /* LIMIT 1 */ -- LIMIT 2",
     "SELECT name FROM customers\nLIMIT 100"},
    {SQL_POSTGRES, "open",
     "(SELECT name FROM customers LIMIT 5000) UNION SELECT name FROM branches",
     "(SELECT name FROM customers LIMIT 5000) UNION SELECT name FROM branches\nLIMIT 100"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers FOR UPDATE", NULL},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers LIMIT $1", NULL},
    /* limits of MySQL */
    {SQL_MYSQL, "bank", "SELECT name FROM customers LIMIT 5, 5000",
     "SELECT name FROM customers LIMIT 5, 1000"},
    {SQL_MYSQL, "bank", "SELECT name FROM customers LIMIT 18446744073709551615",
     "SELECT name FROM customers LIMIT 1000"},
    {SQL_MYSQL, "bank", "SELECT name FROM customers # LIMIT 1\n",
     "SELECT name FROM customers\nLIMIT 100"},
    {SQL_MYSQL, "bank", "SELECT name FROM customers ORDER BY id FETCH FIRST 5000 ROWS ONLY",
     "SELECT name FROM customers ORDER BY id FETCH FIRST 1000 ROWS ONLY"},
    /* names */
    {SQL_POSTGRES, "bank", "SELECT * FROM branches",
     "SELECT * FROM (SELECT \"id\", \"name\", \"city\", \"drop_box_count\" FROM \"branches\") AS "
     "\"branches\"\nLIMIT 100"},
    {SQL_POSTGRES, "bank", "SELECT public.branches.* FROM public.branches",
     "SELECT \"branches\".* FROM (SELECT \"id\", \"name\", \"city\", \"drop_box_count\" FROM "
     "\"branches\") AS \"branches\"\nLIMIT 100"},
    {SQL_POSTGRES, "rewrite", "SELECT e.\"firstName\" FROM Employee e",
     "SELECT e.\"firstName\" FROM \"secure_employee\" e\nLIMIT 100"},
    {SQL_POSTGRES, "rewrite", "SELECT login FROM \"user\"",
     "SELECT login FROM \"secure_user\" AS \"user\"\nLIMIT 100"},
    {SQL_MYSQL, "rewrite", "SELECT `user`.login FROM `user`",
     "SELECT `user`.login FROM `secure_user` AS `user`\nLIMIT 100"},
    {SQL_MYSQL, "rewrite", "SELECT title FROM WORKORDER",
     "SELECT title FROM `secure_workorder` AS `WORKORDER`\nLIMIT 100"},
    /* companies */
    {SQL_POSTGRES, "tenant", "SELECT o.id FROM orders o LEFT JOIN orders p ON p.id = o.id",
     "SELECT o.id FROM " PG_ORDERS_ " o LEFT JOIN " PG_ORDERS_ " p ON p.id = o.id\nLIMIT 100"},
    {SQL_POSTGRES, "tenant",
     "SELECT o.id, o.note FROM orders o WHERE o.id = 1 OR true GROUP BY o.id",
     "SELECT o.id, o.note FROM orders o WHERE ( o.id = 1 OR true) AND \"o\".\"company_id\"::text "
     "= " PG_COMPANY_ " GROUP BY o.id\nLIMIT 100"},
    {SQL_POSTGRES, "tenant", "SELECT id, note FROM orders GROUP BY id",
     "SELECT id, note FROM orders WHERE \"orders\".\"company_id\"::text = " PG_COMPANY_
     " GROUP BY id\nLIMIT 100"},
    {SQL_POSTGRES, "tenant",
     "SELECT p.id, count(o.id) FROM products p LEFT JOIN orders o ON "
     "o.id = p.id GROUP BY p.id",
     "SELECT p.id, count(o.id) FROM products p LEFT JOIN " PG_ORDERS_ " o ON o.id = p.id GROUP BY "
     "p.id\nLIMIT 100"},
    {SQL_POSTGRES, "tenant", "SELECT current_setting('app.company_id', true) FROM orders", NULL},
    {SQL_POSTGRES, "tenant", "SELECT id FROM all_orders", NULL},
    {SQL_MYSQL, "tenant", "SELECT id FROM orders",
     "SELECT id FROM " MY_ORDERS_ " AS `orders`\nLIMIT 100"},
    {SQL_MYSQL, "tenant", "SELECT id FROM orders WHERE company_id = @company_id", NULL},
    {SQL_MYSQL, "tenant", "SELECT label FROM products", "SELECT label FROM products\nLIMIT 100"},
};

TEST(sent_byte_for_byte)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_verdict verdict;
        const struct sql_tenant tenant = {.on = strcmp(c->policy, "tenant") == 0};
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(guard_policy(&world, c->policy), c->dialect, str_of(c->sql), world.catalog,
                         tenant, &arena, &verdict);
        if ((verdict.code == ERR_OK) != (c->sent != NULL))
            fail_msg("%s: '%s' %s", c->sql, verdict.rule, verdict.err.text);
        if (c->sent != NULL)
            EXPECT_STR(c->sql, verdict.sql, str_of(c->sent));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

/* What is allowed of the session says nothing about its variables. */
TEST(session_info_is_not_the_session)
{
    static const struct {
        enum sql_dialect dialect;
        const char *sql;
        bool accepted;
    } texts[] = {
        {SQL_MYSQL, "SELECT @@version_comment", true},
        {SQL_MYSQL, "SELECT @aesKey", false},
        {SQL_MYSQL, "SELECT id FROM orders WHERE note = @aesKey", false},
        {SQL_POSTGRES, "SELECT current_setting('app.aes_key', true)", false},
        {SQL_SQLITE, "SELECT session_var('aesKey')", false},
        {SQL_SQLITE, "SELECT sqlite_version()", true},
    };
    struct guard_world world;
    guard_world_make(&world);
    struct sql_policy policy = *guard_policy(&world, "tenant");
    policy.allow_session_info = true;
    TEST_EACH(c, texts) {
        struct arena arena;
        struct sql_verdict verdict;
        const struct sql_tenant tenant = {.on = true};
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&policy, c->dialect, str_of(c->sql), world.catalog, tenant, &arena,
                         &verdict);
        EXPECT_INT(c->sql, verdict.code == ERR_OK, c->accepted);
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

RUN_TESTS(T(sent_byte_for_byte), T(session_info_is_not_the_session))
