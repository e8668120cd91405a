/* SPDX-License-Identifier: MIT */
/* Which statements may be tried on any row, in each dialect. */
#include "agents/sql/guard/plain.h"

#include "agents/sql/parse/parse.h"
#include "tests/lib/test.h"

enum { ARENA_BYTES = 4 << 20 };

static const char world[] =
    "{\"version\":1,\"tables\":{\"t\":{\"columns\":["
    "{\"name\":\"id\",\"type\":\"integer\"},{\"name\":\"big\",\"type\":\"bigint\"},"
    "{\"name\":\"price\",\"type\":\"numeric(12,2)\"},{\"name\":\"cost\",\"type\":\"numeric\"},"
    "{\"name\":\"ratio\",\"type\":\"double precision\"},{\"name\":\"name\",\"type\":\"text\"},"
    "{\"name\":\"city\",\"type\":\"text\"},{\"name\":\"made\",\"type\":\"date\"},"
    "{\"name\":\"open\",\"type\":\"boolean\"},{\"name\":\"shape\",\"type\":\"polygon\"},"
    "{\"name\":\"code\",\"type\":\"uuid\"}]},"
    "\"u\":{\"columns\":[{\"name\":\"id\",\"type\":\"integer\"},"
    "{\"name\":\"name\",\"type\":\"text\"},{\"name\":\"ratio\",\"type\":\"numeric\"},"
    "{\"name\":\"code\",\"type\":\"uuid\"}]}},\"relationships\":[]}";

static const struct {
    const char *sql;
    bool sqlite, postgres, mysql;
} cases[] = {
    /* conditions of columns and constants */
    {"SELECT id FROM t", true, true, true},
    {"SELECT id FROM t WHERE id = 7", true, true, true},
    {"SELECT id FROM t WHERE 7 < id AND name <> 'x' OR NOT (price >= -1.5)", true, true, true},
    {"SELECT id FROM t WHERE id IN (1, 2, 3) AND name NOT IN ('a', 'b')", true, true, true},
    {"SELECT id FROM t WHERE made BETWEEN '2024-01-01' AND '2024-02-01'", true, true, true},
    {"SELECT id FROM t WHERE name IS NULL OR name IS NOT NULL", true, true, true},
    {"SELECT id FROM t WHERE open", true, true, true},
    {"SELECT id FROM t WHERE open = TRUE", true, true, true},
    {"SELECT id FROM t WHERE shape = 'x'", true, false, true},
    {"SELECT id FROM t WHERE name = 1", true, true, false},
    {"SELECT id FROM t WHERE absent = 1", false, false, false},
    /* columns with columns */
    {"SELECT t.id FROM t JOIN u ON u.id = t.big", true, true, true},
    {"SELECT t.id FROM t JOIN u USING (id)", true, true, true},
    {"SELECT t.id FROM t WHERE price = cost", true, true, true},
    {"SELECT t.id FROM t WHERE price = ratio", true, false, true},
    {"SELECT t.id FROM t JOIN u USING (ratio)", true, false, true},
    {"SELECT t.id FROM t JOIN u ON u.code = t.code", true, true, true},
    {"SELECT t.id FROM t JOIN u ON u.name = t.name", true, false, true},
    {"SELECT t.id FROM t WHERE t.name = t.made", true, false, false},
    {"SELECT t.id FROM t WHERE t.shape = t.shape", true, false, false},
    {"SELECT id FROM t NATURAL JOIN u", true, false, true},
    /* what may fail, or take long */
    {"SELECT id FROM t WHERE id + 1 = 2", false, false, false},
    {"SELECT id FROM t WHERE - id = 2", false, false, false},
    {"SELECT id FROM t WHERE abs(id) = 2", false, false, false},
    {"SELECT id FROM t WHERE CAST(name AS char) = 'x'", false, false, false},
    {"SELECT id FROM t WHERE name LIKE 'x%'", false, false, false},
    {"SELECT id FROM t WHERE name NOT LIKE '%x'", false, false, false},
    {"SELECT id FROM t WHERE CASE WHEN id = 1 THEN open END", false, false, false},
    {"SELECT id FROM t WHERE id = (SELECT 1)", false, false, false},
    {"SELECT id FROM t WHERE id IN (SELECT id FROM u)", false, false, false},
    {"SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u)", false, false, false},
    {"SELECT t.id FROM t JOIN u ON u.id / t.id = 1", false, false, false},
    {"SELECT id FROM t WHERE (id, big) = (1, 2)", false, false, false},
    {"SELECT id FROM t WHERE id = 1 OR 1 / id = 1", false, false, false},
    {"SELECT id FROM t WHERE id IN (1, big / 0)", false, false, false},
    {"SELECT id FROM t WHERE id BETWEEN 1 AND 1 / id", false, false, false},
    /* what the outermost SELECT gives comes last, but for its queries */
    {"SELECT 1 / id FROM t ORDER BY abs(id)", true, true, true},
    {"SELECT max(1 / id) FROM t GROUP BY abs(big)", true, true, true},
    {"SELECT (SELECT max(u.id) FROM u WHERE u.id = t.id) FROM t", true, true, true},
    {"SELECT (SELECT max(1 / u.id) FROM u) FROM t", false, false, false},
    {"SELECT 1 / id FROM t UNION SELECT abs(id) FROM u", true, true, true},
    {"SELECT id FROM t ORDER BY (SELECT 1)", false, false, false},
    {"SELECT name, count(*) FROM t GROUP BY name HAVING count(*) > 1 AND max(id) <> min(id)", true,
     true, true},
    {"SELECT name FROM t GROUP BY name HAVING max(1 / id) > 1", false, false, false},
    {"SELECT name FROM t GROUP BY name HAVING lower(name) = 'x'", false, false, false},
    /* queries within may become part of a condition */
    {"SELECT x.id FROM (SELECT id, name FROM t WHERE id = 1) x WHERE x.name = 'a'", true, true,
     true},
    {"SELECT x.id FROM (SELECT 1 / id AS id FROM t) x WHERE x.id = 1", false, false, false},
    {"WITH x AS (SELECT abs(id) AS id FROM t) SELECT id FROM x", false, false, false},
    {"WITH x AS (SELECT name, count(*) AS n FROM t GROUP BY name) SELECT n FROM x WHERE n > 3",
     true, true, true},
    {"WITH x AS (SELECT id FROM t GROUP BY id, abs(id)) SELECT id FROM x", false, false, false},
    {"SELECT x.id FROM (SELECT id FROM t ORDER BY abs(id) LIMIT 3) x", false, false, false},
    {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT id FROM t "
     "JOIN n ON n.i = t.id",
     false, false, false},
};

static void check(const struct catalog *catalog, enum sql_dialect dialect, const char *sql,
                  bool want)
{
    struct arena arena;
    struct err err = {0};
    const struct sql_parse *parse;
    const char *rule;
    arena_init(&arena, ARENA_BYTES);
    if (sql_parse_statement(dialect, str_of(sql), catalog, &arena, &parse, &rule, &err) != ERR_OK)
        fail_msg("%s: %s", sql, err.text);
    if (sql_plain_is(parse, catalog, &arena) != want)
        fail_msg("dialect %d: %s: %s", (int)dialect, sql, want ? "is plain" : "is not plain");
    arena_fini(&arena);
}

TEST(what_is_plain)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    EXPECT_INT("catalog", catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    TEST_EACH(c, cases) {
        check(catalog, SQL_SQLITE, c->sql, c->sqlite);
        check(catalog, SQL_POSTGRES, c->sql, c->postgres);
        check(catalog, SQL_MYSQL, c->sql, c->mysql);
    }
    check(catalog, SQL_POSTGRES, "SELECT id FROM t WHERE made >= date '2024-01-31'", true);
    check(catalog, SQL_POSTGRES, "SELECT id FROM t WHERE made >= '2024-01-31'::date", true);
    check(catalog, SQL_POSTGRES, "SELECT id FROM t WHERE id = 1::text::int", false);
    check(catalog, SQL_POSTGRES, "SELECT id FROM t WHERE id = ANY (ARRAY[1])", false);
    check(catalog, SQL_POSTGRES, "SELECT id FROM t WHERE id IS DISTINCT FROM 3", true);
    check(catalog, SQL_POSTGRES, "SELECT x.id FROM t, LATERAL (SELECT t.id) x", false);
    check(catalog, SQL_POSTGRES, "SELECT id FROM t LIMIT 2 + 3", false);
    check(catalog, SQL_SQLITE, "SELECT 1 / id AS x FROM t WHERE x = 1", false);
    check(catalog, SQL_SQLITE, "SELECT id FROM t WHERE name = \"5%\"", true);
    check(catalog, SQL_MYSQL, "SELECT 1 / id AS x FROM t HAVING x = 1", false);
    check(catalog, SQL_MYSQL, "SELECT id FROM t WHERE name SOUNDS LIKE 'x'", false);
    catalog_destroy(catalog);
}

TEST(memory_that_is_short_is_not_plain)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    struct arena arena;
    const struct sql_parse *parse;
    const char *rule;
    EXPECT_INT("catalog", catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    arena_init(&arena, ARENA_BYTES);
    EXPECT_INT("parse",
               sql_parse_statement(SQL_SQLITE, STR("SELECT id FROM t WHERE id = 7"), catalog,
                                   &arena, &parse, &rule, &err),
               ERR_OK);
    struct arena none;
    arena_init(&none, 1);
    EXPECT_TRUE("none", !sql_plain_is(parse, catalog, &none));
    arena_fini(&none);
    arena_fini(&arena);
    catalog_destroy(catalog);
}

RUN_TESTS(T(what_is_plain), T(memory_that_is_short_is_not_plain))
