/* SPDX-License-Identifier: MIT */
/* Mechanical repairs: what becomes of a statement, dialect by dialect, and what is left alone. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/sql/repair/repair.h"
#include "agents/sql/repair/repair_day.h"
#include "agents/sql/repair/repair_hints.h"

struct repair_case {
    const char *name;
    enum sql_dialect dialect;
    const char *sql, *error, *want; /* want NULL: nothing mechanical */
    const char *kinds;
};

static const struct repair_case text_cases[] = {
    {"backticks", SQL_POSTGRES, "SELECT `name` FROM `customers` AS `c`", "",
     "SELECT name FROM customers AS c", "quotes"},
    {"backticks around capitals", SQL_POSTGRES, "SELECT `firstName` FROM employee", "",
     "SELECT \"firstName\" FROM employee", "quotes"},
    {"backticks are SQLite's, too", SQL_SQLITE, "SELECT `name` FROM `customers`", "", NULL, ""},
    {"brackets", SQL_MYSQL, "SELECT [name] FROM [customers]", "", "SELECT name FROM customers",
     "quotes"},
    {"an index is no name", SQL_POSTGRES, "SELECT a[1] FROM customers", "", NULL, ""},
    {"double quotes around names", SQL_MYSQL, "SELECT \"c\".\"name\" FROM \"customers\" \"c\"", "",
     "SELECT c.name FROM customers \"c\"", "quotes"},
    {"double quotes around a text", SQL_MYSQL, "SELECT id FROM customers WHERE name = \"Lyon\"", "",
     NULL, ""},
    {"a quote in a text", SQL_POSTGRES, "SELECT '`a`' AS x FROM customers", "", NULL, ""},
    {"TOP", SQL_SQLITE, "SELECT TOP 5 name FROM customers ORDER BY name", "",
     "SELECT name FROM customers ORDER BY name\nLIMIT 5", "limit"},
    {"TOP with parentheses", SQL_MYSQL, "SELECT DISTINCT TOP (3) name FROM customers", "",
     "SELECT DISTINCT name FROM customers\nLIMIT 3", "limit"},
    {"TOP WITH TIES", SQL_SQLITE, "SELECT TOP 5 WITH TIES name FROM customers ORDER BY name", "",
     NULL, ""},
    {"FETCH", SQL_SQLITE, "SELECT name FROM customers FETCH FIRST 5 ROWS ONLY", "",
     "SELECT name FROM customers LIMIT 5", "limit"},
    {"OFFSET FETCH", SQL_MYSQL,
     "SELECT name FROM customers ORDER BY id OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY", "",
     "SELECT name FROM customers ORDER BY id LIMIT 5 OFFSET 10", "limit"},
    {"FETCH is PostgreSQL's", SQL_POSTGRES, "SELECT name FROM customers FETCH FIRST 5 ROWS ONLY",
     "", NULL, ""},
    {"LIMIT with a comma", SQL_POSTGRES, "SELECT name FROM customers LIMIT 10, 5", "",
     "SELECT name FROM customers LIMIT 5 OFFSET 10", "limit"},
    {"ILIKE", SQL_SQLITE, "SELECT id FROM customers WHERE name NOT ILIKE 'a%'", "",
     "SELECT id FROM customers WHERE name NOT LIKE 'a%'", "operators"},
    {"ILIKE in a text", SQL_SQLITE, "SELECT id FROM customers WHERE name = 'ILIKE'", "", NULL, ""},
    {"casts", SQL_SQLITE, "SELECT c.created_at::date, '5'::int FROM customers c", "",
     "SELECT date(c.created_at), CAST('5' AS INTEGER) FROM customers c", "operators"},
    {"a cast of a call", SQL_MYSQL, "SELECT SUM(balance)::text FROM accounts", "",
     "SELECT CAST(SUM(balance) AS CHAR) FROM accounts", "operators"},
    {"a cast to what is not known", SQL_SQLITE, "SELECT name::citext FROM customers", "", NULL, ""},
    {"functions", SQL_SQLITE,
     "SELECT YEAR(created_at) AS y, COUNT(*) FROM customers WHERE created_at < NOW() GROUP BY "
     "EXTRACT(YEAR FROM created_at)",
     "",
     "SELECT CAST(strftime('%Y', created_at) AS INTEGER) AS y, COUNT(*) FROM customers WHERE "
     "created_at < CURRENT_TIMESTAMP GROUP BY CAST(strftime('%Y', created_at) AS INTEGER)",
     "functions"},
    {"calls in calls", SQL_POSTGRES, "SELECT IFNULL(YEAR(CURDATE()), 0)", "",
     "SELECT COALESCE(EXTRACT(YEAR FROM CURRENT_DATE), 0)", "functions"},
    {"a format", SQL_POSTGRES, "SELECT strftime('%Y-%m', created_at) FROM customers", "",
     "SELECT TO_CHAR(created_at, 'YYYY-MM') FROM customers", "functions"},
    {"the other way", SQL_MYSQL, "SELECT TO_CHAR(created_at, 'YYYY-MM') FROM customers", "",
     "SELECT DATE_FORMAT(created_at, '%Y-%m') FROM customers", "functions"},
    {"a format with no equal", SQL_POSTGRES, "SELECT strftime('%W', created_at) FROM customers", "",
     NULL, ""},
    {"IF", SQL_POSTGRES, "SELECT IF(balance > 0, 'a', 'b') FROM accounts", "",
     "SELECT CASE WHEN balance > 0 THEN 'a' ELSE 'b' END FROM accounts", "functions"},
    {"days between", SQL_SQLITE, "SELECT DATEDIFF(c.created_at, '2025-01-01') FROM customers c", "",
     "SELECT CAST(julianday(date(c.created_at)) - julianday(date('2025-01-01')) AS INTEGER) FROM "
     "customers c",
     "functions"},
    {"days between with a unit", SQL_MYSQL,
     "SELECT DATEDIFF(day, created_at, '2025-06-30') FROM customers", "",
     "SELECT DATEDIFF('2025-06-30', created_at) FROM customers", "functions"},
    {"the days between there", SQL_POSTGRES,
     "SELECT DATEDIFF('2025-06-30', created_at) FROM accounts", "",
     "SELECT (CAST('2025-06-30' AS date) - CAST(created_at AS date)) FROM accounts", "functions"},
    {"hours between are not days", SQL_SQLITE,
     "SELECT DATEDIFF(hour, created_at, '2025-06-30') FROM customers", "", NULL, ""},
    {"the start of a month", SQL_SQLITE, "SELECT DATE_TRUNC('month', created_at) FROM customers",
     "", "SELECT date(created_at, 'start of month') FROM customers", "functions"},
    {"of a week", SQL_SQLITE, "SELECT DATE_TRUNC('week', created_at) FROM customers", "", NULL, ""},
    {"a quarter", SQL_SQLITE,
     "SELECT QUARTER(created_at), EXTRACT(QUARTER FROM created_at) FROM customers", "",
     "SELECT ((CAST(strftime('%m', created_at) AS INTEGER) + 2) / 3), ((CAST(strftime('%m', "
     "created_at) AS INTEGER) + 2) / 3) FROM customers",
     "functions"},
    {"CONCAT that is not there", SQL_SQLITE, "SELECT CONCAT(name, ' ', email) FROM customers",
     "no such function: CONCAT", "SELECT (name || ' ' || email) FROM customers", "functions"},
    {"CONCAT that nobody has run yet", SQL_SQLITE, "SELECT CONCAT(name, ' ', email) FROM customers",
     "", "SELECT (name || ' ' || email) FROM customers", "functions"},
    {"CONCAT that is", SQL_SQLITE, "SELECT CONCAT(name, ' ', email) FROM customers",
     "no such function: OTHER", NULL, ""},
    {"compared with NULL", SQL_POSTGRES,
     "SELECT id FROM customers WHERE email = NULL OR name != NULL OR name<>NULL", "",
     "SELECT id FROM customers WHERE email IS NULL OR name IS NOT NULL OR name IS NOT NULL",
     "operators"},
    {"NULL that is no comparison", SQL_POSTGRES,
     "SELECT COALESCE(email, NULL) AS e FROM customers WHERE email >= NULL", "", NULL, ""},
    {"those without any", SQL_SQLITE,
     "SELECT c.name FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE a.id IS NULL",
     "",
     "SELECT c.name FROM customers c LEFT JOIN accounts a ON a.customer_id = c.id WHERE a.id IS "
     "NULL",
     "outer"},
    {"those without any, of something else", SQL_SQLITE,
     "SELECT c.name FROM customers c JOIN accounts a ON a.customer_id = c.id WHERE a.id IS NULL "
     "AND a.balance > 5",
     "", NULL, ""},
    {"pipes of MySQL", SQL_MYSQL, "SELECT c.name || ' ' || UPPER(c.email) FROM customers c", "",
     "SELECT CONCAT(c.name, ' ', UPPER(c.email)) FROM customers c", "operators"},
    {"pipes of MySQL behind a comparison", SQL_MYSQL,
     "SELECT id FROM customers WHERE name = email || '!'", "",
     "SELECT id FROM customers WHERE name = CONCAT(email, '!')", "operators"},
    {"pipes of MySQL that are OR", SQL_MYSQL,
     "SELECT id FROM customers WHERE name = 'x' || email = 'y'", "", NULL, ""},
    {"an interval", SQL_SQLITE,
     "SELECT id FROM customers WHERE created_at >= CURRENT_DATE - INTERVAL '30 days'", "",
     "SELECT id FROM customers WHERE created_at >= date(CURRENT_DATE, '-30 day')", "dates"},
    {"weeks", SQL_SQLITE,
     "SELECT id FROM customers WHERE created_at >= date('2025-06-30') - INTERVAL 2 WEEK", "",
     "SELECT id FROM customers WHERE created_at >= date(date('2025-06-30'), '-14 day')", "dates"},
    {"from a column, which may hold times", SQL_SQLITE,
     "SELECT id FROM customers WHERE created_at - INTERVAL '1 day' < '2025-06-30'", "", NULL, ""},
    {"an interval there", SQL_POSTGRES,
     "SELECT id FROM customers WHERE created_at >= CURRENT_DATE - INTERVAL 30 DAY", "",
     "SELECT id FROM customers WHERE created_at >= CURRENT_DATE - INTERVAL '30 day'", "dates"},
    {"and the other way", SQL_MYSQL,
     "SELECT id FROM customers WHERE created_at >= CURRENT_DATE - INTERVAL '30 days'", "",
     "SELECT id FROM customers WHERE created_at >= CURRENT_DATE - INTERVAL 30 day", "dates"},
    {"DATE_SUB", SQL_SQLITE,
     "SELECT id FROM customers WHERE created_at >= DATE_SUB(CURDATE(), INTERVAL 3 MONTH)", "",
     "SELECT id FROM customers WHERE created_at >= date(CURRENT_DATE, '-3 month')",
     "functions dates"},
    {"DATE_ADD there", SQL_POSTGRES,
     "SELECT id FROM customers WHERE created_at < DATE_ADD('2025-01-01', INTERVAL 1 YEAR)", "",
     "SELECT id FROM customers WHERE created_at < (DATE '2025-01-01' + INTERVAL '1 year')",
     "dates"},
    {"a date with its type", SQL_SQLITE,
     "SELECT id FROM customers WHERE created_at < DATE '2025-01-01'", "",
     "SELECT id FROM customers WHERE created_at < '2025-01-01'", "dates"},
    {"an interval without a number", SQL_SQLITE, "SELECT CURRENT_DATE - INTERVAL n DAY", "", NULL,
     ""},
    {"a column called year", SQL_SQLITE, "SELECT year FROM customers WHERE a.month (1)", "", NULL,
     ""},
};

static const struct repair_case name_cases[] = {
    {"plural", SQL_SQLITE, "SELECT employees.id FROM employees", "",
     "SELECT employees.id FROM employee AS employees", "tables"},
    {"singular and case", SQL_SQLITE, "SELECT COUNT(*) FROM Customer", "",
     "SELECT COUNT(*) FROM customers", "tables"},
    {"signs", SQL_SQLITE, "SELECT w.hours FROM work_times w", "", "SELECT w.hours FROM workTime w",
     "tables"},
    {"a slip", SQL_SQLITE, "SELECT COUNT(*) FROM custmers", "", "SELECT COUNT(*) FROM customers",
     "tables"},
    {"nothing near", SQL_SQLITE, "SELECT COUNT(*) FROM weather", "", NULL, ""},
    {"the column of the other table", SQL_SQLITE,
     "SELECT COUNT(*) FROM crew c JOIN employeeCrew ec ON ec.crewId = c.id WHERE c.isLead = 1", "",
     "SELECT COUNT(*) FROM crew c JOIN employeeCrew ec ON ec.crewId = c.id WHERE ec.isLead = 1",
     "columns"},
    {"no other table is there", SQL_SQLITE, "SELECT COUNT(*) FROM crew WHERE crew.isLead = 1", "",
     NULL, ""},
    {"two other tables have it", SQL_SQLITE,
     "SELECT c.hours FROM crew c JOIN workTime a ON a.id = c.id JOIN workTime b ON b.id = c.id", "",
     NULL, ""},
    {"snake for camel", SQL_SQLITE, "SELECT e.first_name FROM employee e", "",
     "SELECT e.firstName FROM employee e", "columns"},
    {"a slip in a column", SQL_SQLITE, "SELECT acount_number FROM accounts", "",
     "SELECT account_number FROM accounts", "columns"},
    {"a text in double quotes", SQL_SQLITE, "SELECT id FROM employee WHERE role = \"it's\"", "",
     "SELECT id FROM employee WHERE role = 'it''s'", "columns"},
    {"a column in double quotes", SQL_SQLITE, "SELECT \"first_name\" FROM employee", "",
     "SELECT firstName FROM employee", "columns"},
    {"wrong direction", SQL_SQLITE,
     "SELECT e.id FROM employee e JOIN workTime w ON e.employeeId = w.id", "",
     "SELECT e.id FROM employee e JOIN workTime w ON e.id = w.employeeId", "joins"},
    {"wrong column", SQL_SQLITE, "SELECT e.id FROM employee e JOIN workTime w ON e.id = w.staffId",
     "", "SELECT e.id FROM employee e JOIN workTime w ON e.id = w.employeeId", "joins"},
    {"no relationship", SQL_SQLITE,
     "SELECT c.id FROM customers c JOIN workTime w ON c.zip = w.area", "", NULL, ""},
    {"tables, then their columns", SQL_MYSQL,
     "SELECT `employees`.`first_name` FROM `employees` LIMIT 3", "",
     "SELECT employees.firstName FROM employee AS employees LIMIT 3", "tables columns"},
    {"everything at once", SQL_SQLITE,
     "SELECT TOP 3 e.first_name FROM employees e WHERE e.role ILIKE 'tech%'", "",
     "SELECT e.firstName FROM employee e WHERE e.role LIKE 'tech%'\nLIMIT 3",
     "limit operators tables columns"},
    {"a join to turn there", SQL_POSTGRES,
     "SELECT e.id FROM employee e JOIN \"workTime\" w ON e.\"employeeId\" = w.id", "",
     "SELECT e.id FROM employee e JOIN \"workTime\" w ON e.id = w.\"employeeId\"", "joins"},
    {"a text in double quotes there", SQL_POSTGRES,
     "SELECT id FROM employee WHERE role = \"technician\"", "",
     "SELECT id FROM employee WHERE role = 'technician'", "columns"},
    {"no GROUP BY", SQL_MYSQL,
     "SELECT role, isActive, COUNT(*) FROM employee WHERE id > 1 ORDER BY role",
     "In aggregated query without GROUP BY, expression #1 of SELECT list contains nonaggregated",
     "SELECT role, isActive, COUNT(*) FROM employee WHERE id > 1 GROUP BY role, isActive ORDER BY "
     "role",
     "group_by"},
    {"a column lacks", SQL_MYSQL, "SELECT role, isActive, COUNT(*) FROM employee GROUP BY role",
     "must appear in the GROUP BY clause",
     "SELECT role, isActive, COUNT(*) FROM employee GROUP BY role, isActive", "group_by"},
    {"nobody complains", SQL_MYSQL, "SELECT role, COUNT(*) FROM employee", "timeout", NULL, ""},
    {"an expression is not that simple", SQL_MYSQL, "SELECT id + 1, COUNT(*) FROM employee",
     "must appear in the GROUP BY clause", NULL, ""},
};

static struct str kinds_text(struct arena *arena, unsigned kinds)
{
    struct buf out;
    buf_init(&out, 256);
    for (unsigned i = 0; sql_repair_kind(i) != NULL; i++)
        if ((kinds >> i & 1) != 0)
            buf_printf(&out, "%s%s", buf_len(&out) > 0 ? " " : "", sql_repair_kind(i));
    struct str text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

static void check(const struct repair_case *cases, size_t count)
{
    struct graph_rig rig;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        const struct repair_case *c = &cases[i];
        struct sql_repair repair = {0};
        struct arena arena;
        arena_init(&arena, 16 << 20);
        rig.knows.dialect = c->dialect;
        bool mended =
            sql_repair_try(&rig.knows, 0.7, str_of(c->sql), str_of(c->error), 0, &arena, &repair);
        EXPECT_STR(c->name, repair.sql, str_of(c->want != NULL ? c->want : c->sql));
        EXPECT_INT(c->name, mended, c->want != NULL);
        EXPECT_STR(c->name, kinds_text(&arena, repair.kinds), str_of(c->kinds));
        if (mended && sql_repair_try(&rig.knows, 0.7, str_of(c->sql), str_of(c->error),
                                     repair.kinds, &arena, &repair))
            fail_msg("%s: mended again: %.*s", c->name, STR_ARG(repair.sql));
        arena_fini(&arena);
    }
    graph_rig_fini(&rig);
}

TEST(other_dialects)
{
    check(text_cases, countof(text_cases));
}

TEST(names)
{
    check(name_cases, countof(name_cases));
}

TEST(today_is_the_day_that_is_set)
{
    static const struct {
        const char *name;
        enum sql_dialect dialect;
        const char *sql, *want; /* want NULL: nothing asks for the day */
    } days[] = {
        {"SQLite's now", SQL_SQLITE, "SELECT date('now', '-1 day'), julianday('now')",
         "SELECT date('2025-06-30', '-1 day'), julianday('2025-06-30')"},
        {"a text", SQL_SQLITE, "SELECT id FROM t WHERE name = 'now' AND a IN ('now')", NULL},
        {"a format before it", SQL_SQLITE, "SELECT strftime('%Y', 'now')",
         "SELECT strftime('%Y', '2025-06-30')"},
        {"CURRENT_DATE", SQL_POSTGRES, "SELECT CURRENT_DATE - 7, now()",
         "SELECT DATE '2025-06-30' - 7, TIMESTAMP '2025-06-30 00:00:00'"},
        {"CURDATE", SQL_MYSQL, "SELECT CURDATE() - INTERVAL 1 DAY, CURRENT_DATE()",
         "SELECT '2025-06-30' - INTERVAL 1 DAY, '2025-06-30'"},
        {"a column", SQL_MYSQL, "SELECT t.current_date, now FROM t", NULL},
        {"an alias", SQL_MYSQL, "SELECT 1 AS now", NULL},
        {"no end", SQL_MYSQL, "SELECT CURDATE(), 'x", NULL},
    };
    TEST_EACH(c, days) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct str got = sql_repair_day(c->dialect, str_of(c->sql), STR("2025-06-30"), &arena);
        EXPECT_TRUE(c->name, str_is_absent(got) == (c->want == NULL));
        if (c->want != NULL)
            EXPECT_STR(c->name, got, str_of(c->want));
        arena_fini(&arena);
    }
}

TEST(what_a_dialect_writes_otherwise_is_said)
{
    static const struct {
        const char *name;
        enum sql_dialect dialect;
        const char *sql, *want;
    } said[] = {
        {"a function", SQL_SQLITE, "SELECT DATE_TRUNC('week', x) FROM t",
         " SQLite writes date_trunc as date(x, 'start of month')."},
        {"which it has", SQL_POSTGRES, "SELECT DATE_TRUNC('week', x) FROM t", ""},
        {"a word", SQL_SQLITE, "SELECT a - INTERVAL '1 day'",
         " SQLite writes interval as date(x, '-30 days')."},
        {"in a text", SQL_SQLITE, "SELECT 'interval'", ""},
        {"a column", SQL_SQLITE, "SELECT quarter FROM t", ""},
        {"a sign", SQL_MYSQL, "SELECT a::citext", " MySQL writes :: as CAST(x AS type)."},
    };
    TEST_EACH(c, said) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        EXPECT_STR(c->name, sql_repair_hints(c->dialect, str_of(c->sql), &arena), str_of(c->want));
        arena_fini(&arena);
    }
}

/* Any prefix of any statement, with any memory: no crash, and what comes out is text. */
static void try_prefixes(struct graph_rig *rig, const struct repair_case *c)
{
    struct str sql = str_of(c->sql);
    for (size_t len = 0; len <= sql.len; len++) {
        struct sql_repair repair;
        struct arena arena;
        arena_init(&arena, len % 2 == 0 ? 16 << 20 : len * 600);
        rig->knows.dialect = c->dialect;
        struct str cut = str_slice(sql, 0, len);
        (void)sql_repair_try(&rig->knows, 0.7, cut, STR("GROUP BY"), 0, &arena, &repair);
        EXPECT_TRUE(c->name, str_is_utf8(repair.sql));
        EXPECT_TRUE(c->name, str_is_utf8(sql_repair_hints(c->dialect, cut, &arena)));
        (void)sql_repair_day(c->dialect, cut, STR("2025-06-30"), &arena);
        arena_fini(&arena);
    }
}

TEST(every_prefix_and_little_memory)
{
    struct graph_rig rig;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    TEST_EACH(c, name_cases)
        try_prefixes(&rig, c);
    TEST_EACH(c, text_cases)
        try_prefixes(&rig, c);
    graph_rig_fini(&rig);
}

RUN_TESTS(T(other_dialects), T(names), T(today_is_the_day_that_is_set),
          T(what_a_dialect_writes_otherwise_is_said), T(every_prefix_and_little_memory))
