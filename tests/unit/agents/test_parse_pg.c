/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/test_parse_pg.c - PostgreSQL's tree becomes ours: parts, places, names, and
 * which table a name belongs to. */
#include "agents/sql/postgres/parse_pg_lexer.h"

#include "agents/sql/postgres/parse_pg.h"

#include <stdio.h>

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/grammar/lexer.h"
#include "agents/sql/catalog/policy_functions_pg.h"
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tests/unit/agents/sql_rig.h"

enum { SHOWN_BYTES = 64 * 1024 };

static const struct {
    const char *sql, *rule, *place; /* place: how the reason begins; "" for any */
} refused[] = {
    {"", "select_only", ""},
    {" ; ; ", "select_only", ""},
    {"DELETE FROM customers", "select_only", "line 1, column 1"},
    {"WITH a AS (DELETE FROM customers RETURNING 1) SELECT 1", "select_only", "line 1, column 6"},
    {"SELECT 1;\nSELECT 2", "multiple_statements", ""},
    {"SELECT id INTO x FROM customers", "into", ""},
    {"SELECT id FROM customers FOR UPDATE", "locking", ""},
    {"SELECT 1 FROM\n  customers x y", "syntax", "line 2, column 15: syntax error"},
    {"SELECT '\xc3\xa9\xc3\xa9', 1 1", "syntax", "line 1, column 18: syntax error"},
    {"SELECT 'a", "syntax", "line 1, column 8"},
    {"SELECT /* /* */ 1", "syntax", "line 1, column 8"},
    {"SELECT (1", "syntax", "line 1, column 8"},
    {"SELECT 1)", "syntax", "line 1, column 9"},
    {"SELECT (1]", "syntax", "line 1, column 10"},
    {"SELECT $a$ $b$", "syntax", "line 1, column 8"},
    {"SELECT 1\x01", "syntax", "line 1, column 9"},
    {"SELECT 12ab", "syntax", "line 1, column 8"},
    {"SELECT '\xff'", "encoding", ""},
    {"SELECT 'x'::regclass", "type", "line 1, column 13"},
    {"SELECT 1 OPERATOR(x.+) 2", "function", "line 1, column 10"},
    {"SELECT x.f(1)", "function", "line 1, column 8"},
    {"SELECT xmlelement(name a)", "syntax", "line 1, column 8: this part (XmlExpr)"},
    {"SELECT (name).f FROM customers", "whole_row", "'(name).f' takes a row apart"},
    {"SELECT id FROM customers TABLESAMPLE other (1)", "syntax", "line 1, column 38"},
    {"SELECT id FROM customers TABLESAMPLE system (random())", "syntax", "line 1, column 38"},
    {"SELECT id FROM d.public.customers", "catalog", ""},
    {"SELECT 1 UNION SELECT 2 ORDER BY 1 + 1", "syntax", ""},
    {"WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT 1", "cte_self_reference", ""},
    {"SELECT * FROM (SELECT 1, 2) AS t (a, b, c)", "column_list", ""},
};

TEST(pg_refuses)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, refused) {
        EXPECT_INT(c->sql, rig_parse(&rig, SQL_POSTGRES, str_of(c->sql)), ERR_REJECTED);
        EXPECT_STR(c->sql, str_of(rig.rule), str_of(c->rule));
        if (!str_starts_with(str_of(rig.err.text), str_of(c->place)))
            EXPECT_STR(c->sql, str_of(rig.err.text), str_of(c->place));
        EXPECT_TRUE(c->sql, rig.parse == NULL);
    }
    EXPECT_INT("a NUL", rig_parse(&rig, SQL_POSTGRES, str_make("SELECT 1\0 x", 11)), ERR_REJECTED);
    EXPECT_STR("a NUL", str_of(rig.rule), STR("encoding"));
    rig_fini(&rig);
}

/* head, then part over and over, then middle, then tail as often, up to the longest text. */
static const struct {
    const char *head, *part, *middle, *tail, *rule;
} deep[] = {
    {"SELECT ", "(", "1", ")", "nesting"},
    {"SELECT ", "ARRAY[", "1", "]", "nesting"},
    {"SELECT ", "NOT ", "true", "", "nesting"},
    {"SELECT ", "- ", "id", "", "nesting"},
    {"SELECT ", "1+", "1", "", "nesting"},
    {"SELECT ", "CASE WHEN ", "true", " THEN true END", "nesting"},
    {"SELECT 1", "", "", "::int", "nesting"},
    {"SELECT 1", "", "", " UNION SELECT 1", "nesting"},
    {"SELECT 1", "", "", " IS NULL", "nesting"},
    {"SELECT ", "(SELECT ", "1", ")", "nesting"},
    {"SELECT ", "/*", "", "*/ ", "select_only"},
    {"SELECT 1 FROM ", "(", "customers", " JOIN accounts ON true)", "nesting"},
};

TEST(pg_takes_what_is_long_but_flat)
{
    struct rig rig;
    struct buf sql;
    rig_init(&rig);
    buf_init(&sql, SHOWN_BYTES);
    buf_push(&sql, STR("SELECT id FROM customers WHERE id = 1"));
    while (buf_len(&sql) + 16 < SQL_LEXER_MAX_BYTES)
        buf_push(&sql, STR(" AND id < 2"));
    EXPECT_INT("conjuncts", rig_parse(&rig, SQL_POSTGRES, buf_str(&sql)), ERR_OK);
    buf_clear(&sql);
    buf_push(&sql, STR("SELECT id FROM customers WHERE id IN (1"));
    while (buf_len(&sql) + 16 < SQL_LEXER_MAX_BYTES)
        buf_push(&sql, STR(", -2"));
    buf_push(&sql, STR(")"));
    EXPECT_INT("a list", rig_parse(&rig, SQL_POSTGRES, buf_str(&sql)), ERR_OK);
    buf_fini(&sql);
    rig_fini(&rig);
}

TEST(pg_is_bounded)
{
    struct rig rig;
    struct buf sql;
    rig_init(&rig);
    buf_init(&sql, SHOWN_BYTES);
    TEST_EACH(c, deep) {
        size_t times = (SQL_LEXER_MAX_BYTES - 100) / (strlen(c->part) + strlen(c->tail));
        buf_clear(&sql);
        buf_push(&sql, str_of(c->head));
        for (size_t i = 0; i < times; i++)
            buf_push(&sql, str_of(c->part));
        buf_push(&sql, str_of(c->middle));
        for (size_t i = 0; i < times; i++)
            buf_push(&sql, str_of(c->tail));
        enum err_code code = rig_parse(&rig, SQL_POSTGRES, buf_str(&sql));
        if (code != ERR_OK) {
            EXPECT_INT(c->part, code, ERR_REJECTED);
            bool known = str_equal(str_of(rig.rule), str_of(c->rule)) ||
                         str_equal(str_of(rig.rule), STR("syntax"));
            EXPECT_TRUE(c->part, known);
        }
    }
    buf_fini(&sql);
    rig_fini(&rig);
}

static void expect_span(const char *name, const struct sql_parse *parse, struct sql_span span,
                        const char *want)
{
    EXPECT_STR(name, str_slice(parse->text, span.start, span.end), str_of(want));
}

/* Each is the one item of a SELECT: the whole of it must be the item's place. */
static const char *const expressions[] = {
    "id",
    "c.id",
    "\"id\"",
    "U&\"i!0064\" UESCAPE '!'",
    "1",
    "-1",
    "- (2)",
    "- - 3",
    "'a'",
    "E'a\\''",
    "$$a'b$$",
    "B'01'",
    "N'x'",
    "true",
    "null",
    "(1)",
    "((id))",
    "id + 1",
    "id + 1 * 2 - 3",
    "(id + 1) * 2",
    "((id + 1) * (2))",
    "- id",
    "id || name || 'x'",
    "id OPERATOR(pg_catalog.+) 1",
    "id = 1 AND (name = 'x' OR NOT status = 'y')",
    "(((id = 1) AND id = 2) AND id = 3)",
    "id IS NOT NULL",
    "id ISNULL",
    "(id = 1) IS NOT TRUE",
    "id IN (1, (2), 3)",
    "id NOT IN (SELECT 1)",
    "id = ANY (ARRAY[1, 2])",
    "id > ALL (SELECT 1)",
    "id BETWEEN 1 AND (2)",
    "id NOT BETWEEN SYMMETRIC 1 AND 2",
    "name LIKE 'x'",
    "name NOT ILIKE 'x' ESCAPE ('!')",
    "name SIMILAR TO 'x' ESCAPE '!'",
    "id IS DISTINCT FROM (1)",
    "id::text",
    "(id)::numeric(3, 1)[]",
    "CAST(id AS double precision)",
    "id::double precision",
    "id::timestamp(3) with time zone",
    "date '2024-01-01'",
    "interval '1' day",
    "interval(3) '1 s'",
    "interval '1-2' year to month",
    "name COLLATE \"C\"",
    "CASE WHEN id = 1 THEN 2 END",
    "CASE id WHEN 1 THEN (2) ELSE (3) END",
    "coalesce(id, (1))",
    "nullif(id, 1)",
    "greatest(1, 2)",
    "current_date",
    "current_timestamp(3)",
    "count(*)",
    "pg_catalog.count(DISTINCT id)",
    "string_agg(name, ',' ORDER BY id DESC)",
    "count(*) FILTER (WHERE id > 1)",
    "sum(id) OVER (PARTITION BY name ORDER BY (id))",
    "sum(id) FILTER (WHERE true) OVER w",
    "mode() WITHIN GROUP (ORDER BY id)",
    "extract(year FROM created_at)",
    "trim(BOTH 'x' FROM name)",
    "position('a' IN name)",
    "created_at AT TIME ZONE 'utc'",
    "(created_at AT TIME ZONE ('utc'))",
    "(created_at, created_at) OVERLAPS (created_at, now())",
    "ARRAY[1, 2]",
    "ARRAY[[1], [2]]",
    "ARRAY(SELECT 1)",
    "(ARRAY[1, 2])[1]",
    "(ARRAY[1, 2])[1:(2)]",
    "ROW(1, 2)",
    "(1, 2)",
    "EXISTS (SELECT 1)",
    "(SELECT 1)",
    "((SELECT 1))",
    "(jsonb_each('{}')).key",
    "'{}'::jsonb -> 'a' ->> 'b'",
    "make_interval(days => (1))",
    "grouping(id)",
};

TEST(pg_items_have_their_place)
{
    struct rig rig;
    rig_init(&rig);
    for (size_t i = 0; i < countof(expressions); i++) {
        char sql[512];
        for (int form = 0; form < 2; form++) {
            snprintf(sql, sizeof sql,
                     form == 0 ? "SELECT %s FROM customers c"
                               : "SELECT 7, %s AS x, (8) FROM customers c",
                     expressions[i]);
            if (rig_parse(&rig, SQL_POSTGRES, str_of(sql)) != ERR_OK) {
                print_error("%s: %s\n", sql, rig.err.text);
                EXPECT_TRUE(sql, false);
                continue;
            }
            const struct sql_item *item = rig.parse->tree->branches->items;
            item = form == 0 ? item : item->next;
            expect_span(sql, rig.parse, item->expr->span, expressions[i]);
        }
    }
    rig_fini(&rig);
}

TEST(pg_clauses_have_their_place)
{
    struct rig rig;
    rig_init(&rig);
    struct str sql = STR("  /* a */ WITH w (x) AS MATERIALIZED (SELECT 1 a) SELECT c.*, c.id AS k "
                         "FROM public.customers AS c LEFT JOIN LATERAL (SELECT customer_id FROM "
                         "accounts) d ON (d.customer_id) = c.id WHERE c.id > 1 GROUP BY c.id "
                         "UNION ALL (SELECT 1, 2) ORDER BY k DESC OFFSET 5 ROWS FETCH NEXT 10 ROWS "
                         "ONLY ; -- x");
    EXPECT_INT("parse", rig_parse(&rig, SQL_POSTGRES, sql), ERR_OK);
    const struct sql_parse *parse = rig.parse;
    const struct sql_select *tree = parse->tree;
    const struct sql_branch *first = tree->branches, *second = first->next;
    expect_span("with", parse, tree->with_span, "WITH w (x) AS MATERIALIZED (SELECT 1 a)");
    expect_span("cte name", parse, tree->ctes->name_span, "w");
    expect_span("star", parse, first->items->span, "c.*");
    expect_span("item", parse, first->items->next->span, "c.id AS k");
    expect_span("item alias", parse, first->items->next->alias_span, "k");
    expect_span("table", parse, first->from->name_span, "public.customers");
    expect_span("table with alias", parse, first->from->span, "public.customers AS c");
    expect_span("alias", parse, first->from->alias_span, "c");
    expect_span("derived", parse, first->from->next->select->span,
                "SELECT customer_id FROM accounts");
    expect_span("on", parse, first->from->next->on_span, "ON (d.customer_id) = c.id");
    EXPECT_TRUE("lateral", first->from->next->lateral);
    expect_span("second", parse, second->span, "SELECT 1, 2");
    EXPECT_INT("set", second->set, SQL_SET_UNION_ALL);
    expect_span("order", parse, tree->order_span, "ORDER BY k");
    expect_span("limit", parse, parse->limit.clause_span, "OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY");
    expect_span("count", parse, parse->limit.count_span, "10");
    EXPECT_TRUE("fetch", parse->limit.fetch && parse->limit.has_skip && parse->limit.is_number);
    EXPECT_INT("number", parse->limit.number, 10);
    EXPECT_INT("start", parse->statement.start, str_find(sql, STR("WITH")));
    EXPECT_INT("end", parse->statement.end, str_find(sql, STR(" ; --")));
    EXPECT_TRUE("comment", parse->has_comment && parse->has_with && parse->has_set_operation);
    rig_fini(&rig);
}

static void show_names(const struct rig *rig, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < rig->parse->output_count; i++)
        buf_printf(out, "%s%.*s", i == 0 ? "" : " ", STR_ARG(rig->parse->outputs[i]));
}

static const struct {
    const char *items, *names;
} named[] = {
    {"id, c.name, id AS x, \"id\" \"Y\"", "id name x Y"},
    {"1, 'a', 1 + 1, id IS NULL, NOT true", "?column? ?column? ?column? ?column? ?column?"},
    {"count(*), pg_catalog.upper(name), coalesce(id), greatest(1), least(1), nullif(1, 2)",
     "count upper coalesce greatest least nullif"},
    {"id::text, '1'::int, (1 + 1)::numeric(3), CAST(now() AS date)", "id int4 numeric now"},
    {"CASE WHEN true THEN 1 END, CASE WHEN true THEN 1 ELSE id END, CASE WHEN true THEN 1 "
     "END::text",
     "case id text"},
    {"(SELECT max(id) FROM accounts), (SELECT 1), EXISTS (SELECT 1), ARRAY(SELECT 1), ARRAY[1]",
     "max ?column? exists array array"},
    {"(SELECT 1 AS q UNION SELECT 2), (SELECT id FROM accounts LIMIT 1)::text", "q id"},
    {"current_date, current_timestamp(2), extract(year FROM now()), trim(name), now() AT TIME ZONE "
     "'utc'",
     "current_date current_timestamp extract btrim timezone"},
    {"name COLLATE \"C\", ROW(1, 2), (1, 2), (ARRAY[1])[1], grouping(id)",
     "name row row array grouping"},
    {"c.*, 1 AS one", "id name email city status created_at ssn one"},
};

TEST(pg_columns_are_called_as_postgres_calls_them)
{
    struct rig rig;
    struct buf out;
    rig_init(&rig);
    buf_init(&out, SHOWN_BYTES);
    TEST_EACH(c, named) {
        char sql[1024];
        snprintf(sql, sizeof sql, "SELECT %s FROM customers c", c->items);
        EXPECT_INT(sql, rig_parse(&rig, SQL_POSTGRES, str_of(sql)), ERR_OK);
        if (rig.parse == NULL)
            continue;
        show_names(&rig, &out);
        EXPECT_STR(c->items, buf_str(&out), str_of(c->names));
    }
    buf_fini(&out);
    rig_fini(&rig);
}

/* "c.id=customers" for what resolved, "(d)" for a derived relation, "row" for a row as a value. */
static void show_columns(const struct rig *rig, struct buf *out)
{
    const struct sql_parse *parse = rig->parse;
    buf_clear(out);
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        buf_printf(out, "%s%s%s%.*s=", i == 0 ? "" : " ", ref->past_table ? "!" : "",
                   ref->use == SQL_COLUMN_USING  ? "+"
                   : ref->use == SQL_COLUMN_STAR ? "*"
                                                 : "",
                   STR_ARG(ref->name));
        if (ref->unknown)
            buf_push(out, STR("?"));
        else if (ref->use == SQL_COLUMN_WHOLE_ROW)
            buf_push(out, STR("row"));
        else if (ref->output_alias)
            buf_push(out, STR("alias"));
        else if (ref->table_ref < 0)
            buf_printf(out, "(%.*s)", STR_ARG(ref->relation));
        else
            buf_printf(out, "%.*s", STR_ARG(parse->tables[ref->table_ref].name));
        if (ref->ambiguous)
            buf_push(out, STR("~"));
    }
}

static const struct {
    const char *sql, *want;
} resolved[] = {
    {"SELECT public.customers.id, ID, \"ID\" FROM customers",
     "id=customers id=customers ID=customers"},
    {"SELECT \"X\" FROM (SELECT 1 AS x) d", "X=?"},
    {"SELECT c FROM customers c", "!c=row"},
    {"SELECT to_json(c.*) FROM customers c", "*=row"},
    {"SELECT d FROM (SELECT key FROM api_keys) d", "key=api_keys d=(d)"},
    {"SELECT zzz FROM customers", "zzz=?"},
    {"SELECT ctid FROM customers", "ctid=?"},
    {"SELECT (SELECT xmin FROM customers) FROM (SELECT 1 AS xmin) d", "!xmin=?"},
    /* what a clause sees of the select list */
    {"SELECT name n FROM customers ORDER BY n", "name=customers n=alias"},
    {"SELECT name n FROM customers ORDER BY (n)", "name=customers n=alias"},
    {"SELECT name n FROM customers ORDER BY n || 'x'", "name=customers n=?"},
    {"SELECT name n FROM customers ORDER BY n COLLATE \"C\"", "name=customers n=?"},
    {"SELECT name n FROM customers WHERE n = 'x'", "name=customers n=?"},
    {"SELECT name n FROM customers GROUP BY n HAVING n > 'x'", "name=customers !n=alias n=?"},
    {"SELECT name n FROM customers GROUP BY ROLLUP (n, (id, n))",
     "name=customers !n=alias id=customers !n=alias"},
    {"SELECT name n FROM customers GROUP BY lower(n)", "name=customers n=?"},
    {"SELECT city AS name FROM customers GROUP BY name", "city=customers name=customers"},
    {"SELECT city AS name FROM customers ORDER BY name", "city=customers name=alias"},
    {"SELECT DISTINCT ON (n) name n FROM customers", "name=customers n=alias"},
    {"SELECT count(*) FROM api_keys ORDER BY count", "count=alias"},
    {"SELECT * FROM api_keys ORDER BY key", "*key=api_keys key=alias"},
    {"SELECT id FROM accounts UNION SELECT id FROM customers ORDER BY id",
     "id=accounts id=customers id=alias"},
    {"SELECT id FROM accounts UNION SELECT id FROM customers ORDER BY name",
     "id=accounts id=customers name=?"},
    /* what ON and LATERAL see */
    {"SELECT 1 FROM customers a WHERE EXISTS (SELECT 1 FROM (SELECT 1 AS ssn) a, api_keys b JOIN "
     "api_keys c ON a.ssn = b.key)",
     "ssn=customers key=api_keys"},
    {"SELECT 1 FROM customers c, (SELECT c.id) d", "id=?"},
    {"SELECT 1 FROM customers c, LATERAL (SELECT c.id) d", "id=customers"},
    {"SELECT e FROM customers c, unnest(ARRAY[c.name]) e", "e=(e) name=customers"},
    {"SELECT 1 FROM unnest(ARRAY[c.name]) e, customers c", "name=?"},
    /* joins */
    {"SELECT k FROM api_keys a JOIN (SELECT 1 AS key) b USING (key) AS u, LATERAL (SELECT u.key AS "
     "k) d",
     "+key=api_keys +key=(b) key=(u) k=(d)"},
    {"SELECT status FROM customers a, accounts b JOIN (SELECT 'x' AS status) c USING (status)",
     "+status=accounts +status=(c) status=customers~"},
    {"SELECT a.key, j.key, j.k FROM (api_keys a JOIN (SELECT 1 AS k) b ON a.key = b.k) AS j",
     "*key=api_keys *k=(b) key=? key=(j) k=(j) key=api_keys k=(b)"},
    {"SELECT x, k FROM (api_keys a CROSS JOIN (SELECT 1 AS k) b) AS j (x)",
     "*key=api_keys *k=(b) x=(j) k=(j)"},
    /* calls in FROM */
    {"SELECT n, g.n, g FROM generate_series(1, 2) AS g (n)", "n=(g) n=(g) g=(g)"},
    {"SELECT g FROM generate_series(1, 2) g", "g=(g)"},
    {"SELECT key, value, e.ordinality FROM jsonb_each('{}') WITH ORDINALITY e",
     "key=(e) value=(e) ordinality=(e)"},
    {"SELECT a, b FROM json_to_record('{}') AS r (a int, b text)", "a=(r) b=(r)"},
    {"SELECT x, y FROM unnest(ARRAY[1], ARRAY[2]) AS t (x, y)", "x=(t) y=(t)"},
    /* WITH */
    {"WITH a AS (SELECT key FROM api_keys) SELECT key FROM a", "key=api_keys key=(a)"},
    {"WITH a (x) AS (SELECT id, name FROM customers) SELECT x, name FROM a",
     "id=customers name=customers x=(a) name=(a)"},
    {"WITH accounts AS (SELECT id FROM accounts) SELECT id FROM accounts",
     "id=accounts id=(accounts)"},
    {"WITH a AS (SELECT 1 AS id) SELECT id FROM public.a", "id=?"},
};

TEST(pg_names_resolve)
{
    struct rig rig;
    struct buf out;
    rig_init(&rig);
    buf_init(&out, SHOWN_BYTES);
    TEST_EACH(c, resolved) {
        if (rig_parse(&rig, SQL_POSTGRES, str_of(c->sql)) != ERR_OK) {
            print_error("%s: %s\n", c->sql, rig.err.text);
            EXPECT_TRUE(c->sql, false);
            continue;
        }
        show_columns(&rig, &out);
        EXPECT_STR(c->sql, buf_str(&out), str_of(c->want));
    }
    buf_fini(&out);
    rig_fini(&rig);
}

/* What PostgreSQL's parser is given has no comments, so it cannot be slow in reading them. */
TEST(pg_comments_are_blank)
{
    static const struct {
        const char *sql, *blank;
    } cases[] = {
        {"SELECT/**//*a/*b*/c*//**/1--x/*\n+/**/2", "SELECT                   1     \n+    2"},
        {"SELECT '/**/' AS \"--\", $$/* */$$", "SELECT '/**/' AS \"--\", $$/* */$$"},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_parse_pg_tokens tokens;
        struct err err = {0};
        const char *rule;
        arena_init(&arena, RIG_ARENA_BYTES);
        EXPECT_INT(c->sql, sql_parse_pg_lexer_scan(str_of(c->sql), &arena, &tokens, &rule, &err),
                   ERR_OK);
        EXPECT_STR(c->sql, str_of(sql_parse_pg_lexer_blank(&tokens, &arena)), str_of(c->blank));
        arena_fini(&arena);
    }
}

TEST(pg_every_allocation_may_fail)
{
    struct rig rig;
    struct str sql =
        STR("WITH a AS (SELECT id, 'x' || name AS n FROM customers WHERE id IN (1, 2)) "
            "SELECT CASE WHEN n IS NULL THEN 1 END, sum(id) OVER (ORDER BY n) FROM a "
            "JOIN accounts b USING (id) GROUP BY n UNION SELECT 1, 2 ORDER BY 1");
    rig_init(&rig);
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t n = 1; code == ERR_NO_MEMORY; n++) {
        arena_fini(&rig.arena);
        arena_init(&rig.arena, RIG_ARENA_BYTES);
        mem_fail_nth(n);
        code = sql_parse_statement(SQL_POSTGRES, sql, rig.catalog, &rig.arena, &rig.parse,
                                   &rig.rule, &rig.err);
        mem_fail_nth(0);
    }
    EXPECT_INT("with memory", code, ERR_OK);
    code = ERR_NO_MEMORY;
    for (size_t budget = 64; code == ERR_NO_MEMORY; budget += 256) {
        arena_fini(&rig.arena);
        arena_init(&rig.arena, budget);
        code = sql_parse_statement(SQL_POSTGRES, sql, rig.catalog, &rig.arena, &rig.parse,
                                   &rig.rule, &rig.err);
        EXPECT_TRUE("a small arena", (code == ERR_OK) == (rig.parse != NULL));
    }
    EXPECT_INT("with room", code, ERR_OK);
    rig_fini(&rig);
}

TEST(pg_function_lists)
{
    static const char *const fine[] = {"abs",     "count",     "width_bucket", "jsonb_path_query",
                                       "extract", "string_agg"};
    for (size_t i = 0; i < countof(fine); i++)
        EXPECT_TRUE(fine[i], sql_policy_functions_pg_has(str_of(fine[i])));
    static const char *const bad[] = {"pg_sleep", "query_to_xml", "nextval", "Abs",
                                      "",         "set_config"};
    for (size_t i = 0; i < countof(bad); i++)
        EXPECT_TRUE(bad[i], !sql_policy_functions_pg_has(str_of(bad[i])));
}

RUN_TESTS(T(pg_refuses), T(pg_takes_what_is_long_but_flat), T(pg_is_bounded),
          T(pg_items_have_their_place), T(pg_clauses_have_their_place),
          T(pg_columns_are_called_as_postgres_calls_them), T(pg_names_resolve),
          T(pg_comments_are_blank), T(pg_every_allocation_may_fail), T(pg_function_lists))
