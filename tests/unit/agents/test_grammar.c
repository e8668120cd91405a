/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/test_grammar.c - what is accepted, under which rule what is not, and the spans
 * a rewriter lives on. */
#include "agents/sql/grammar/grammar.h"

#include "tests/unit/agents/sql_rig.h"

static const char *const accepted[] = {
    "SELECT 1",
    "SELECT 1;",
    " SELECT 1 ; ; -- done",
    "select distinct city from customers order by city collate nocase desc nulls last limit 10",
    "select -id, +id, ~id, - - id, not id from customers",
    "select 1 = not 0, not not 1",
    "select id from customers where id in (1,2,3) and id not in (select customer_id from accounts)",
    "select id from customers where id in ()",
    "select id from customers where id between 1 and 5 and name not between 'a' and 'b'",
    "select id from customers where name like 'a%' escape '\\' or name glob 'x*'",
    "select sum(status in ('a', 'b') * id), name isnull || 'x' from customers",
    "select id not null collate nocase + 1 from customers",
    "select id between id = 1 and 2, 1 between 1 between 0 and 1 and 2 from customers",
    "select id from customers where name isnull or name notnull or name not null",
    "select id from customers where name is distinct from 'x' or name is not distinct from 'y'",
    "select case when id>1 then 'a' else 'b' end, case id when 1 then 2 end from customers",
    "select cast(id as decimal(10,2)), cast(id as double precision) from customers",
    "select count(*), count(distinct city), sum(id) filter (where id > 2) from customers",
    "select lag(id,1,0) over w from customers window w as (partition by city order by id)",
    "select sum(id) over (order by id rows between 2 preceding and current row) from customers",
    "select sum(id) over (order by id groups unbounded preceding exclude ties) from customers",
    "select name from customers limit 5, 10",
    "select name from customers limit 5 offset 10",
    "select \"count(*)\" from (select count(*) from customers)",
    "select * from (values (1,2),(3,4)) v where column1 > 1",
    "with recursive n(i) as (select 1 union all select i+1 from n where i<10) select i from n",
    "with a as materialized (select 1 x), b as not materialized (select x from a) select x from b",
    "with a as (with b as (select 1 q) select q from b) select q from a",
    "select key, value from customers, json_each(customers.name) j where j.value > 1",
    "select name -> '$.a', name ->> '$.b', id & 1 | 2 << 3, id || name from customers",
    "select id from customers where (id, name) in (values (1,'a'),(2,'b'))",
    "select id from customers where not exists (select 1 from accounts)",
    "select id from customers union select id from accounts except select 1 order by 1 limit 3",
    "select main.customers.id from main.customers",
    "select \"id\", `name`, [city] from \"customers\" as \"c x\"",
    "select id as 'Total ID', name \"N\" from customers",
    "select c.id from (customers c join accounts a on a.customer_id=c.id) left join api_keys on 1",
    "select c.id from customers c natural left outer join accounts",
    "select id from customers where id = ?1 and name = :n or name = @x or name = $y",
    "select replace(name,'a','b'), like('a','b'), glob('a','b') from customers",
    "select id as key, city as first from customers order by key",
    "select end from (select 1 as end)",
    "select left from (select 1 as left)",
    "select window from (select 1 as window)",
    "select count(*) over from customers",
    "select id from customers where id in api_keys",
    "select 'please DROP me a note', 'a; b' from customers",
    "select 1 -- /* c",
    "select /* a */ 1 /* b */",
};

TEST(grammar_accepts)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(sql, accepted) {
        enum err_code code = rig_parse(&rig, SQL_SQLITE, str_of(*sql));
        if (code != ERR_OK)
            fail_msg("%s: %s", *sql, rig.err.text);
        EXPECT_TRUE(*sql, rig.parse->tree != NULL);
    }
    rig_fini(&rig);
}

static const struct {
    const char *sql, *rule;
} refused[] = {
    {"", "syntax"},
    {" -- nothing", "syntax"},
    {";", "syntax"},
    {"SELECT", "syntax"},
    {"SELECT FROM customers", "syntax"},
    {"SELECT id, FROM customers", "syntax"},
    {"SELECT * FROM", "syntax"},
    {"SELECT id FROM customers WHERE", "syntax"},
    {"SELECT id FROM customers LIMIT ALL", "syntax"},
    {"SELECT TOP 5 id FROM customers", "syntax"},
    {"SELECT id FROM customers FETCH FIRST 5 ROWS ONLY", "syntax"},
    {"SELECT id FROM customers AS c(a, b)", "syntax"},
    {"SELECT id FROM (SELECT 1) AS c(a)", "syntax"},
    {"SELECT id FROM customers FOR UPDATE", "syntax"},
    {"SELECT DISTINCT ON (id) id FROM customers", "syntax"},
    {"SELECT * FROM 'api_keys'", "syntax"},
    {"SELECT * FROM main.'api_keys'", "syntax"},
    {"SELECT 1 IN 'api_keys'", "syntax"},
    {"SELECT * FROM main.json_each('[]')", "syntax"},
    {"SELECT a.b.c.d FROM customers", "syntax"},
    {"SELECT $a(b) FROM customers", "syntax"}, /* one token to SQLite */
    {"SELECT $a::b FROM customers", "syntax"},
    {"SELECT id \xef\xbb\xbf FROM customers", "syntax"},
    {"SELECT (SELECT 1", "syntax"},
    {"SELECT 1)", "syntax"},
    {"SELECT ()", "syntax"},
    {"(SELECT 1)", "syntax"},
    {"SELECT raise(ignore)", "syntax"},
    {"SELECT case when 1 then 2", "syntax"},
    {"SELECT cast(1 as", "syntax"},
    {"SELECT id FROM customers ORDER BY id UNION SELECT 1", "syntax"},
    {"SELECT c.id FROM customers c OUTER JOIN accounts", "syntax"},
    {"SELECT c.id FROM customers c NATURAL JOIN accounts ON 1", "syntax"},
    {"SELECT 1 /* open", "syntax"},
    {"SELECT id FROM customers NOT INDEXED", "hint"},
    {"SELECT id FROM customers c INDEXED BY i", "hint"},
    {"SELECT id INTO x FROM customers", "into"},
    {"SELECT 1; DROP TABLE customers", "multiple_statements"},
    {"SELECT 1; SELECT 2", "multiple_statements"},
    {"SELECT 1; /* a */ x", "multiple_statements"},
    {"EXPLAIN SELECT 1", "select_only"},
    {"PRAGMA table_info(customers)", "select_only"},
    {"INSERT INTO customers VALUES (1)", "select_only"},
    {"DROP TABLE customers; SELECT 1", "select_only"},
    {"ATTACH 'x' AS y", "select_only"},
    {"WITH a AS (SELECT 1) DELETE FROM customers", "select_only"},
    {"WITH a AS (DELETE FROM customers RETURNING *) SELECT * FROM a", "select_only"},
    {"WITH a AS (SELECT * FROM a) SELECT * FROM a", "cte_self_reference"},
    {"WITH a(x, y) AS (SELECT 1) SELECT * FROM a", "column_list"},
};

TEST(grammar_refuses)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, refused) {
        EXPECT_INT(c->sql, rig_parse(&rig, SQL_SQLITE, str_of(c->sql)), ERR_REJECTED);
        EXPECT_STR(c->sql, str_of(rig.rule), str_of(c->rule));
        EXPECT_TRUE(c->sql, rig.parse == NULL && rig.err.text[0] != '\0');
    }
    rig_fini(&rig);
}

TEST(grammar_error_names_the_place)
{
    struct rig rig;
    rig_init(&rig);
    (void)rig_parse(&rig, SQL_SQLITE, STR("SELECT id\nFROM customers WHERE"));
    EXPECT_TRUE(rig.err.text, str_find(str_of(rig.err.text), STR("line 2, column 21")) >= 0);
    (void)rig_parse(&rig, SQL_SQLITE, STR("SELECT id\nFROM customers GROUP id"));
    EXPECT_TRUE(rig.err.text, str_find(str_of(rig.err.text), STR("found 'id'")) >= 0);
    rig_fini(&rig);
}

static const struct {
    const char *name, *sql, *rule; /* NULL: accepted */
} mysql[] = {
    {"strings", "SELECT name FROM customers WHERE city = \"x\" AND name = 'it\\'s' # c", NULL},
    {"variable", "SELECT @aesKey, @@version", NULL},
    {"functions", "SELECT LEFT(name,1), IF(id,1,2), MOD(id,2), id DIV 2 FROM customers", NULL},
    {"operators", "SELECT !id, id <=> 1, id || 2 && 3 XOR 4 FROM customers", NULL},
    {"interval", "SELECT DATE '2024-01-01' + INTERVAL 1 DAY", NULL},
    {"concat", "SELECT GROUP_CONCAT(DISTINCT name ORDER BY id SEPARATOR ',') FROM customers", NULL},
    {"introducer", "SELECT _utf8mb4'x', N'x', 'a' 'b', b'01'", NULL},
    {"extract", "SELECT EXTRACT(YEAR FROM created_at), TRIM(LEADING '0' FROM name) FROM customers",
     NULL},
    {"difference", "SELECT TIMESTAMPDIFF(DAY, created_at, NOW()) FROM customers", NULL},
    {"words", "SELECT SUBSTRING(name FROM 2 FOR 3), CONVERT(name USING utf8mb4) FROM customers",
     NULL},
    {"rollup", "SELECT city, COUNT(*) FROM customers GROUP BY city WITH ROLLUP", NULL},
    {"update lock", "SELECT id FROM customers FOR UPDATE", "locking"},
    {"share lock", "SELECT id FROM customers LOCK IN SHARE MODE", "locking"},
    {"outfile", "SELECT id INTO OUTFILE '/x' FROM customers", "into"},
    {"straight join", "SELECT 1 FROM customers STRAIGHT_JOIN accounts", "hint"},
    {"index hint", "SELECT id FROM customers USE INDEX (x)", "hint"},
    {"assignment", "SELECT @a := 1", "syntax"},
    {"second", "SELECT 1; SELECT 2", "multiple_statements"},
    {"dash dash is arithmetic", "SELECT 1--1", NULL},
    {"dual", "SELECT 1 FROM DUAL WHERE 1", NULL},
    {"modifiers", "SELECT ALL DISTINCTROW city FROM customers", NULL},
    {"modifier hint", "SELECT SQL_CALC_FOUND_ROWS id FROM customers", "hint"},
    {"parentheses", "(SELECT id FROM customers ORDER BY id LIMIT 3) LIMIT 2", NULL},
    {"parenthesised union", "(SELECT id FROM customers) UNION (SELECT id FROM accounts LIMIT 1)",
     NULL},
    {"union in FROM", "SELECT d.a FROM ((SELECT 1 AS a) UNION (SELECT 2)) d", NULL},
    {"parentheses in FROM", "SELECT d.id FROM ((SELECT id FROM customers)) d", NULL},
    {"union in IN", "SELECT id FROM customers WHERE id IN ((SELECT 1) UNION (SELECT 2))", NULL},
    {"EXCEPT ALL", "SELECT id FROM customers EXCEPT ALL SELECT 1 INTERSECT DISTINCT SELECT 2",
     NULL},
    {"late ON",
     "SELECT c.id FROM customers c JOIN accounts a JOIN transactions t ON t.account_id = a.id ON "
     "a.customer_id = c.id",
     NULL},
    {"late USING",
     "SELECT c.name FROM customers c LEFT JOIN accounts a JOIN transactions t ON t.account_id = "
     "a.id USING (created_at)",
     NULL},
    {"fetch", "SELECT id FROM customers OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY", NULL},
    {"fetch row", "SELECT id FROM customers FETCH FIRST ROW ONLY", NULL},
    {"offset alone", "SELECT id FROM customers OFFSET 2 ROWS", NULL},
    {"offset of nothing", "SELECT id FROM customers OFFSET ROWS", "syntax"},
    {"huge limit", "SELECT id FROM customers LIMIT 18446744073709551615", NULL},
    {"limit expression", "SELECT id FROM customers LIMIT 1 + 1", "syntax"},
    {"limit of none", "SELECT id FROM customers LIMIT -1", "syntax"},
    {"into at the end", "SELECT id FROM customers LIMIT 1 INTO @x", "into"},
    {"procedure", "SELECT id FROM customers PROCEDURE ANALYSE()", "syntax"},
    {"rows examined", "SELECT id FROM customers LIMIT 1 ROWS EXAMINED 5", "syntax"},
    {"partition", "SELECT id FROM customers PARTITION (p0)", NULL},
    {"full join", "SELECT 1 FROM customers c FULL JOIN accounts a ON a.id = c.id", "syntax"},
    {"filter", "SELECT COUNT(*) FILTER (WHERE id > 1) FROM customers", "syntax"},
    {"nulls last", "SELECT id FROM customers ORDER BY id NULLS LAST", "syntax"},
    {"materialized", "WITH a AS MATERIALIZED (SELECT 1) SELECT 1", "syntax"},
    {"is", "SELECT id IS UNKNOWN, id IS NOT TRUE, id IS NULL FROM customers", NULL},
    {"is a value", "SELECT id IS 1 FROM customers", "syntax"},
    {"matches",
     "SELECT name SOUNDS LIKE 'x', name NOT RLIKE 'y', 1 MEMBER OF ('[1]') FROM customers", NULL},
    {"against", "SELECT MATCH (name, city) AGAINST ('x' IN BOOLEAN MODE) FROM customers", NULL},
    {"quantified", "SELECT id > ALL (SELECT id FROM accounts), id = ANY (SELECT 1) FROM customers",
     NULL},
    {"row", "SELECT ROW(id, name) IN (ROW(1, 'a')) FROM customers", NULL},
    {"casts",
     "SELECT CAST(id AS DECIMAL(10,2)), CONVERT(id, CHAR(3)), CAST(id AS UNSIGNED INT) "
     "FROM customers",
     NULL},
    {"no type", "SELECT CAST(id AS ssn) FROM customers", "syntax"},
    {"position", "SELECT POSITION('a' IN name), CHAR(65 USING utf8mb4) FROM customers", NULL},
    {"interval function", "SELECT INTERVAL(id, 1, 2) FROM customers", NULL},
    {"no unit", "SELECT NOW() + INTERVAL 1 LIGHTYEAR", "syntax"},
    {"a unit in a string's place", "SELECT EXTRACT(ssn FROM created_at) FROM customers", "syntax"},
    {"median", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) OVER () FROM customers",
     NULL},
    {"bare times", "SELECT UTC_DATE, LOCALTIME, TRUE, CURRENT_TIMESTAMP(6)", NULL},
    {"values", "SELECT * FROM (VALUES ROW(1, 2), ROW(3, 4)) v", NULL},
    {"names", "SELECT t.select, t.1e5, $x FROM (SELECT 1 `select`, 2 `1e5`, 3 $x) t", NULL},
    {"reserved", "SELECT id AS sql FROM customers", "syntax"},
    {"braces", "SELECT {fn NOW()}, {d '2024-01-31'}", NULL},
    {"braces of another kind", "SELECT {x NOW()}", "syntax"},
    {"star first", "SELECT *, id FROM customers", NULL},
    {"star second", "SELECT id, * FROM customers", "syntax"},
};

TEST(grammar_mysql)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, mysql) {
        enum err_code code = rig_parse(&rig, SQL_MYSQL, str_of(c->sql));
        if ((code == ERR_OK) != (c->rule == NULL))
            fail_msg("%s: %d %s", c->name, code, rig.err.text);
        if (code != ERR_OK)
            EXPECT_STR(c->name, str_of(rig.rule), str_of(c->rule));
        for (size_t i = 0; code == ERR_OK && i < rig.parse->column_count; i++)
            EXPECT_TRUE(c->name, !rig.parse->columns[i].unknown);
    }
    (void)rig_parse(&rig, SQL_MYSQL, STR("SELECT @aesKey /*!50000 , 1 */ /*+ x */"));
    EXPECT_TRUE("variable", rig.parse->has_session_variable);
    EXPECT_TRUE("executable", rig.parse->has_executable_comment && rig.parse->has_hint);
    rig_fini(&rig);
}

/* A chain of operators is flat; parentheses are counted. */
TEST(grammar_nesting_and_length)
{
    static const char *const openings[] = {
        "(",         "(SELECT ", "abs(", "case when ", "1=NOT ", "1 in (", "sum(1) over (order by ",
        "1 between "};
    static char sql[64 * 1024];
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(opening, openings) {
        struct str open = str_of(*opening);
        size_t len = 7;
        memcpy(sql, "SELECT ", len);
        for (size_t i = 0; i < 70; i++, len += open.len)
            memcpy(sql + len, open.at, open.len);
        EXPECT_INT(*opening, rig_parse(&rig, SQL_SQLITE, str_make(sql, len)), ERR_REJECTED);
        EXPECT_STR(*opening, str_of(rig.rule), STR("nesting"));
    }
    static const char *const chains[] = {"1+",    "1 and ",  "1 or ",      "- ",
                                         "not ",  "1=",      "1||",        "1,",
                                         "1 is ", "1 like ", "1 ->'$' ->", "1 collate a = "};
    TEST_EACH(chain, chains) {
        struct str step = str_of(*chain);
        size_t len = 7;
        memcpy(sql, "SELECT ", len);
        for (; len + step.len + 1 < 16 * 1024; len += step.len)
            memcpy(sql + len, step.at, step.len);
        sql[len++] = '1';
        if (rig_parse(&rig, SQL_SQLITE, str_make(sql, len)) != ERR_OK)
            EXPECT_STR(*chain, str_of(rig.rule), STR("columns")); /* too many items */
    }
    memset(sql, ' ', sizeof sql);
    memcpy(sql, "SELECT 1", 8);
    EXPECT_INT("long", rig_parse(&rig, SQL_SQLITE, str_make(sql, 16 * 1024 + 1)), ERR_REJECTED);
    EXPECT_STR("long", str_of(rig.rule), STR("length"));
    rig_fini(&rig);
}

static void expect_span(const char *name, const struct sql_parse *parse, struct sql_span span,
                        const char *want)
{
    EXPECT_STR(name, str_slice(parse->text, span.start, span.end), str_of(want));
}

TEST(grammar_spans)
{
    struct rig rig;
    rig_init(&rig);
    struct str sql = STR("  WITH w AS (SELECT 1 a) SELECT c.*, c.id AS k FROM main.customers AS c "
                         "LEFT JOIN (SELECT customer_id FROM accounts) d ON d.customer_id = c.id "
                         "WHERE c.id > 1 GROUP BY c.id HAVING count(*) > 1 "
                         "UNION ALL SELECT 1, 2 ORDER BY k DESC LIMIT 5, 10 ; -- x");
    EXPECT_INT("parse", rig_parse(&rig, SQL_SQLITE, sql), ERR_OK);
    const struct sql_parse *parse = rig.parse;
    const struct sql_select *tree = parse->tree;
    const struct sql_branch *first = tree->branches, *second = first->next;
    expect_span("with", parse, tree->with_span, "WITH w AS (SELECT 1 a)");
    expect_span("cte", parse, tree->ctes->span, "w AS (SELECT 1 a)");
    expect_span("cte name", parse, tree->ctes->name_span, "w");
    expect_span("star", parse, first->items->span, "c.*");
    expect_span("item", parse, first->items->next->span, "c.id AS k");
    expect_span("item alias", parse, first->items->next->alias_span, "k");
    expect_span("table", parse, first->from->name_span, "main.customers");
    expect_span("table with alias", parse, first->from->span, "main.customers AS c");
    expect_span("alias", parse, first->from->alias_span, "c");
    expect_span("derived", parse, first->from->next->select->span,
                "SELECT customer_id FROM accounts");
    expect_span("on", parse, first->from->next->on_span, "ON d.customer_id = c.id");
    expect_span("where", parse, first->where_span, "WHERE c.id > 1");
    expect_span("group", parse, first->group_span, "GROUP BY c.id");
    expect_span("having", parse, first->having_span, "HAVING count(*) > 1");
    expect_span("second", parse, second->span, "SELECT 1, 2");
    expect_span("set", parse, second->set_span, "UNION ALL");
    EXPECT_INT("set", second->set, SQL_SET_UNION_ALL);
    EXPECT_INT("where at", second->where_at, second->span.end);
    expect_span("order", parse, tree->order_span, "ORDER BY k DESC");
    expect_span("limit", parse, parse->limit.clause_span, "LIMIT 5, 10");
    expect_span("count", parse, parse->limit.count_span, "10");
    EXPECT_TRUE("comma", parse->limit.comma_form && parse->limit.is_number);
    EXPECT_INT("number", parse->limit.number, 10);
    EXPECT_INT("end", parse->statement.end, str_find(sql, STR(" ; --")));
    EXPECT_INT("start", parse->statement.start, 2);
    rig_fini(&rig);
}

static const struct {
    const char *sql;
    bool is_number;
    int64_t number;
} limits[] = {
    {"SELECT 1 LIMIT 5", true, 5},    {"SELECT 1 LIMIT 5 OFFSET 3", true, 5},
    {"SELECT 1 LIMIT -1", false, 0},  {"SELECT 1 LIMIT 0x10", false, 0},
    {"SELECT 1 LIMIT 5+5", false, 0}, {"SELECT 1 LIMIT (SELECT 9)", false, 0},
    {"SELECT 1 LIMIT 1e3", false, 0}, {"SELECT 1 LIMIT 99999999999999999999", true, INT64_MAX},
    {"SELECT 1 LIMIT (5)", false, 0}, {"SELECT 1 LIMIT '5'", false, 0},
};

TEST(grammar_limits)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, limits) {
        EXPECT_INT(c->sql, rig_parse(&rig, SQL_SQLITE, str_of(c->sql)), ERR_OK);
        EXPECT_TRUE(c->sql, rig.parse->limit.present);
        EXPECT_INT(c->sql, rig.parse->limit.is_number, c->is_number);
        if (c->is_number)
            EXPECT_INT(c->sql, rig.parse->limit.number, c->number);
    }
    (void)rig_parse(&rig, SQL_SQLITE, STR("SELECT * FROM (SELECT 1 LIMIT 3)"));
    EXPECT_TRUE("inner only", !rig.parse->limit.present);
    rig_fini(&rig);
}

TEST(grammar_prefixes)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(sql, accepted) {
        struct str text = str_of(*sql);
        for (size_t len = 0; len <= text.len; len++) {
            enum err_code code = rig_parse(&rig, SQL_SQLITE, str_make(text.at, len));
            EXPECT_TRUE(*sql, code == ERR_OK || code == ERR_REJECTED);
            EXPECT_TRUE(*sql, (code == ERR_OK) == (rig.parse != NULL));
            code = rig_parse(&rig, SQL_MYSQL, str_make(text.at, len));
            EXPECT_TRUE(*sql, code == ERR_OK || code == ERR_REJECTED);
        }
    }
    rig_fini(&rig);
}

/* Arenas take few blocks, so their budget is swept too: every size from nothing to enough. */
TEST(grammar_without_memory)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(sql, accepted) {
        enum err_code code = ERR_NO_MEMORY;
        for (uint64_t n = 1; code == ERR_NO_MEMORY; n++) {
            arena_fini(&rig.arena);
            arena_init(&rig.arena, RIG_ARENA_BYTES);
            mem_fail_nth(n);
            code = sql_parse_statement(SQL_SQLITE, str_of(*sql), rig.catalog, &rig.arena,
                                       &rig.parse, &rig.rule, &rig.err);
            mem_fail_nth(0);
        }
        EXPECT_INT(*sql, code, ERR_OK);
        code = ERR_NO_MEMORY;
        for (size_t budget = 64; code == ERR_NO_MEMORY; budget += 64) {
            arena_fini(&rig.arena);
            arena_init(&rig.arena, budget);
            code = sql_parse_statement(SQL_SQLITE, str_of(*sql), rig.catalog, &rig.arena,
                                       &rig.parse, &rig.rule, &rig.err);
            EXPECT_TRUE(*sql, (code == ERR_OK) == (rig.parse != NULL));
        }
        EXPECT_INT(*sql, code, ERR_OK);
    }
    rig_fini(&rig);
}

RUN_TESTS(T(grammar_accepts), T(grammar_refuses), T(grammar_error_names_the_place),
          T(grammar_mysql), T(grammar_nesting_and_length), T(grammar_spans), T(grammar_limits),
          T(grammar_prefixes), T(grammar_without_memory))
