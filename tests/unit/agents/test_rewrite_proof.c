/* SPDX-License-Identifier: MIT */
/* What is proved needs no second reading; so no other text may be proved: each byte of what is sent
 * is changed, left out, doubled, and each time the proof must fail. */
#include "tests/unit/agents/guard_world.h"

#include <string.h>

#include "agents/sql/parse_sqlite.h"
#include "agents/sql/rewrite_proof.h"
#include "tests/guard/read_again.h"

enum { ARENA_BYTES = 16 << 20, TEXT_BYTES = 8192 };

static const struct {
    enum sql_dialect dialect;
    const char *policy, *sql;
} proved[] = {
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
};

/* Changed so that the proof does not reach it, and then read again. */
static const struct {
    enum sql_dialect dialect;
    const char *policy, *sql;
} not_proved[] = {
    {SQL_SQLITE, "tenant", "SELECT label FROM products WHERE 1 IN orders"},
    {SQL_SQLITE, "rewrite", "SELECT firstName FROM employee NATURAL JOIN crew"},
    {SQL_POSTGRES, "bank", "SELECT name FROM customers TABLESAMPLE SYSTEM (/* all */ 100)"},
};

struct guarded { /* one statement, judged */
    struct sql_visible sees;
    struct sql_tenant tenant;
    struct sql_verdict verdict;
    struct arena arena;
};

static void judge(const struct guard_world *world, enum sql_dialect dialect, const char *policy,
                  const char *sql, struct guarded *at)
{
    struct sql_finding finding;
    at->sees = (struct sql_visible){guard_policy(world, policy), world->catalog};
    at->tenant.on = strcmp(policy, "tenant") == 0;
    arena_init(&at->arena, ARENA_BYTES);
    sql_policy_judge(at->sees.policy, dialect, str_of(sql), world->catalog, at->tenant, &at->arena,
                     &at->verdict);
    if (at->verdict.code != ERR_OK)
        fail_msg("%s: %s: %s", sql, at->verdict.rule, at->verdict.err.text);
    if (!read_again(at->sees, at->tenant, &at->verdict, &at->arena, &finding))
        fail_msg("%s: read again: %s: %s", sql, finding.rule, finding.err.text);
}

static bool holds(const struct guarded *at, struct str sql)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    bool held = sql_rewrite_proof_holds(at->sees, at->verdict.parse, at->tenant, &arena, sql);
    arena_fini(&arena);
    return held;
}

/* Other counts of rows are as good, as long as they are within the policy. */
static bool is_count(struct str sql, size_t i)
{
    ptrdiff_t limit = str_find(sql, STR("LIMIT "));
    return limit != STR_NONE && i >= (size_t)limit + 6 &&
           (str_is_digit(sql.at[i]) || str_is_blank(sql.at[i]));
}

static void expect_not(const struct guarded *at, const char *what, struct str text)
{
    if (holds(at, text))
        fail_msg("%s is proved: %.*s", what, STR_ARG(text));
}

/* Each byte another, left out, and doubled; all after it gone. */
static void corrupt(const struct guarded *at)
{
    static const char others[] = "a0_ \n'\"`(),.*;-=/\x80";
    char text[TEXT_BYTES];
    struct str sql = at->verdict.sql;
    assert_true(sql.len + 1 < sizeof text);
    for (size_t i = 0; i < sql.len; i++) {
        if (is_count(sql, i))
            continue;
        for (size_t k = 0; k < countof(others) - 1; k++) {
            memcpy(text, sql.at, sql.len);
            text[i] = others[k];
            if (others[k] != sql.at[i])
                expect_not(at, "another byte", str_make(text, sql.len));
        }
        memmove(text + i, sql.at + i + 1, sql.len - i - 1);
        memcpy(text, sql.at, i);
        expect_not(at, "a byte less", str_make(text, sql.len - 1));
        memcpy(text, sql.at, i + 1);
        memcpy(text + i + 1, sql.at + i, sql.len - i);
        expect_not(at, "a byte twice", str_make(text, sql.len + 1));
        expect_not(at, "a part", str_slice(sql, 0, i));
    }
}

TEST(no_other_text)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, proved) {
        struct guarded at;
        judge(&world, c->dialect, c->policy, c->sql, &at);
        EXPECT_TRUE(c->sql, holds(&at, at.verdict.sql));
        corrupt(&at);
        arena_fini(&at.arena);
    }
    guard_world_lose(&world);
}

TEST(left_to_the_second_reading)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, not_proved) {
        struct guarded at;
        judge(&world, c->dialect, c->policy, c->sql, &at);
        EXPECT_TRUE(c->sql, !holds(&at, at.verdict.sql));
        arena_fini(&at.arena);
    }
    guard_world_lose(&world);
}

/* What is right for one table, caller or policy is wrong for another. */
TEST(other_demands)
{
    struct guard_world world;
    struct guarded at, other;
    guard_world_make(&world);
    judge(&world, SQL_POSTGRES, "tenant", "SELECT id FROM orders", &at);
    judge(&world, SQL_POSTGRES, "tenant", "SELECT id FROM invoices", &other);
    expect_not(&at, "another table", other.verdict.sql);
    expect_not(&at, "no filter", STR("SELECT id FROM orders\nLIMIT 100"));
    expect_not(&at, "no limit", STR("SELECT id FROM orders"));
    expect_not(&at, "too many rows", arena_printf(&at.arena, "%.*s0000", STR_ARG(at.verdict.sql)));
    at.tenant.on = false;
    expect_not(&at, "a filter nobody asked for", at.verdict.sql);
    arena_fini(&at.arena);
    arena_fini(&other.arena);
    guard_world_lose(&world);
}

/* A name that only a hidden column had would reach outside once the column is gone. */
TEST(names_of_lost_columns)
{
    struct guard_world world;
    struct err err = {0};
    struct arena arena;
    struct sql_verdict verdict;
    const struct sql_tenant nobody = {.on = false};
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    const struct catalog_column id = {.name = STR("id")},
                                token = {.name = STR("t"), .hidden = true};
    guard_world_make(&world);
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
    guard_world_lose(&world);
}

RUN_TESTS(T(no_other_text), T(left_to_the_second_reading), T(other_demands),
          T(names_of_lost_columns))
