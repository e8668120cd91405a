/* SPDX-License-Identifier: MIT */
/* What PostgreSQL and MySQL are sent, byte for byte: names, views, company filters, LIMIT. */
#include "tests/unit/agents/guard_world.h"

enum { ARENA_BYTES = 16 << 20 };

#define PG_COMPANY_ "nullif(current_setting('app.company_id', true), '')"
#define PG_ORDERS_OPEN_                                                                            \
    "(SELECT \"id\", \"company_id\", \"customer_id\", \"total\", \"note\" FROM \"orders\" WHERE "  \
    "\"orders\".\"company_id\"::text = " PG_COMPANY_
#define PG_ORDERS_        PG_ORDERS_OPEN_ ")"
#define PG_FENCED_ORDERS_ PG_ORDERS_OPEN_ " OFFSET 0)"
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
     "SELECT o.id FROM " PG_FENCED_ORDERS_ " o LEFT JOIN " PG_FENCED_ORDERS_
     " p ON p.id = o.id\nLIMIT 100"}, /* the world does not say of which types they are */
    {SQL_POSTGRES, "tenant",
     "SELECT o.id, o.note FROM orders o WHERE o.id IS NULL OR true GROUP BY o.id",
     "SELECT o.id, o.note FROM orders o WHERE ( o.id IS NULL OR true) AND "
     "\"o\".\"company_id\"::text "
     "= " PG_COMPANY_ " GROUP BY o.id\nLIMIT 100"},
    {SQL_POSTGRES, "tenant",
     "SELECT o.id, o.note, sum(total) FROM orders o WHERE length(o.note) = 1 GROUP BY 1 ORDER BY "
     "o.customer_id",
     "SELECT o.id, o.note, sum(total) FROM " PG_FENCED_ORDERS_ " o WHERE length(o.note) = 1 GROUP "
     "BY \"o\".\"note\", \"o\".\"total\", \"o\".\"customer_id\", 1 ORDER BY o.customer_id\nLIMIT "
     "100"},
    {SQL_POSTGRES, "tenant", "SELECT o.note FROM orders o WHERE length(o.note) = 1 GROUP BY o.note",
     "SELECT o.note FROM " PG_FENCED_ORDERS_ " o WHERE length(o.note) = 1 GROUP BY o.note\nLIMIT "
     "100"},
    {SQL_POSTGRES, "tenant", "SELECT id, note FROM orders GROUP BY id",
     "SELECT id, note FROM orders WHERE \"orders\".\"company_id\"::text = " PG_COMPANY_
     " GROUP BY id\nLIMIT 100"},
    {SQL_POSTGRES, "tenant",
     "SELECT p.id, count(o.id) FROM products p LEFT JOIN orders o ON "
     "o.id = p.id GROUP BY p.id",
     "SELECT p.id, count(o.id) FROM products p LEFT JOIN " PG_FENCED_ORDERS_
     " o ON o.id = p.id GROUP BY "
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

/* In PostgreSQL a row may be a value, and columns may be renamed by place, where all is known and
 * nothing hidden; (x).c is a column of x only when no column is called x. */
static const struct {
    const char *sql, *want; /* what is sent, the rule, or NULL: sent as it is */
} rows[] = {
    {"SELECT l FROM links l", NULL},
    {"SELECT row_to_json(l), count(l.*) FROM links l GROUP BY l", NULL},
    {"SELECT ROW(l.*), (l).since FROM links l", NULL},
    {"SELECT (l).* FROM links l", NULL},
    {"SELECT l, p.name FROM links l JOIN people p ON p.id = l.a",
     "SELECT l, p.name FROM links l JOIN (SELECT \"id\", \"name\" FROM \"people\") p ON p.id = "
     "l.a"},
    {"SELECT ((l)).*, (l).a FROM links l", NULL},
    {"SELECT x.p, x.since FROM links AS x (p, q)", NULL},
    {"SELECT * FROM links x (p, q) NATURAL JOIN (SELECT 1 AS p) y", NULL},
    {"SELECT x FROM links AS x (p)", NULL},
    {"SELECT p, count(*) FROM links AS x (p) GROUP BY p", NULL},
    {"SELECT 'x'::mood, NULL::public.mood, 'y'::mood[], '{}'::pair FROM links", NULL},
    {"SELECT 'x'::sadness FROM links", "type"},
    {"SELECT 'x'::a.b.mood FROM links", "type"},
    {"SELECT 'links'::regclass FROM links", "type"},
    {"SELECT (p).name FROM people p", "SELECT (p).name FROM (SELECT \"id\", \"name\" FROM "
                                      "\"people\") p"},
    {"SELECT (p).* FROM people p", "whole_row"},
    {"SELECT l.* FROM people p CROSS JOIN LATERAL (SELECT p.*) l",
     "SELECT l.* FROM (SELECT \"id\", \"name\" FROM \"people\") p CROSS JOIN LATERAL (SELECT p.*) "
     "l"},
    {"SELECT (SELECT a FROM links ORDER BY a LIMIT 1 OFFSET p.id) FROM people p", NULL},
    {"SELECT (d).a FROM (SELECT a FROM links) d", NULL},
    {"SELECT x.q, y.p FROM links AS x (p, q), links AS y (p)", "unconnected"},
    {"SELECT x.a FROM links AS x (p)", "unknown_column"},
    {"SELECT * FROM links AS x (p, q, r, s)", "column_list"},
    {"SELECT p FROM people p", "whole_row"},
    {"SELECT ROW(p.*) FROM people p", "whole_row"},
    {"SELECT x.a FROM people AS x (a)", "column_list"},
    {"SELECT (p).pin FROM people p", "hidden_column"},
    {"SELECT (pin).a FROM (SELECT 1 AS a) pin, people", "whole_row"},
    {"SELECT (pin).* FROM (SELECT 1 AS a) pin, people", "whole_row"},
    {"SELECT (a).a FROM (SELECT 'x' AS a) a", "whole_row"},
    {"SELECT (c).pg_sleep FROM (SELECT 9 AS c, 1 AS pg_sleep) c", "whole_row"},
    {"SELECT l.row_to_json FROM links l", "unknown_column"},
    {"SELECT (l).row_to_json FROM links l", "unknown_column"},
    {"SELECT (l).ctid FROM links l", "unknown_column"},
};

static struct catalog *make_complete(void)
{
    static const struct catalog_column columns[] = {
        {.name = STR("a"), .declared_type = STR("mood enum('x','y')")},
        {.name = STR("b"), .declared_type = STR("crm.pair[]")},
        {.name = STR("since"), .declared_type = STR("regclass")},
        {.name = STR("id")},
        {.name = STR("name")},
        {.name = STR("pin"), .hidden = true}};
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    struct err err = {0};
    assert_non_null(builder);
    for (size_t i = 0; i < countof(columns); i++) {
        if (i % 3 == 0)
            EXPECT_INT("table",
                       catalog_add_table(
                           builder,
                           &(struct catalog_table){.name = i == 0 ? STR("links") : STR("people")},
                           &err),
                       ERR_OK);
        EXPECT_INT("column", catalog_add_column(builder, &columns[i], &err), ERR_OK);
    }
    catalog_set_complete(builder, true);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

TEST(rows_where_nothing_is_hidden)
{
    const struct sql_tenant nobody = {.on = false};
    struct catalog *catalog = make_complete();
    struct sql_policy policy = sql_policy_default;
    policy.default_limit = policy.max_limit = 0;
    TEST_EACH(c, rows) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&policy, SQL_POSTGRES, str_of(c->sql), catalog, nobody, &arena, &verdict);
        const char *want = c->want == NULL ? c->sql : c->want;
        EXPECT_STR(c->sql, verdict.code == ERR_OK ? verdict.sql : str_of(verdict.rule),
                   str_of(want));
        arena_fini(&arena);
    }
    struct arena arena;
    struct sql_verdict verdict;
    arena_init(&arena, ARENA_BYTES);
    policy.whole_rows = false;
    sql_policy_judge(&policy, SQL_POSTGRES, STR("SELECT l FROM links l"), catalog, nobody, &arena,
                     &verdict);
    EXPECT_STR("none wanted", str_of(verdict.rule), STR("whole_row"));
    arena_fini(&arena);
    catalog_destroy(catalog);
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

RUN_TESTS(T(sent_byte_for_byte), T(session_info_is_not_the_session),
          T(rows_where_nothing_is_hidden))
