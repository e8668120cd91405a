/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/test_scope.c - which table a name belongs to, and what is marked when the
 * database might see more than the catalog. */
#include "agents/sql/parse/scope.h"

#include "core/base/buf.h"
#include "tests/unit/agents/sql_rig.h"

enum { SHOWN_BYTES = 8 * 1024 };

/* "c.id=customers.id" for what resolved; "?" unknown, "~" ambiguous, "alias" for output aliases,
 * a leading "!" when it slipped past a table, "*" and "+" before star and USING references. */
static void show(const struct rig *rig, struct buf *out)
{
    const struct sql_parse *parse = rig->parse;
    buf_clear(out);
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        buf_printf(out, "%s%s%s%s%.*s%s%.*s=", i == 0 ? "" : " ", ref->past_table ? "!" : "",
                   ref->use == SQL_COLUMN_STAR ? "*" : "", ref->use == SQL_COLUMN_USING ? "+" : "",
                   STR_ARG(ref->qualifier), str_is_absent(ref->qualifier) ? "" : ".",
                   STR_ARG(ref->name));
        if (ref->unknown)
            buf_push(out, STR("?"));
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
} cases[] = {
    {"SELECT id FROM customers", "id=customers"},
    {"SELECT c.id FROM customers c", "c.id=customers"},
    {"SELECT customers.id FROM customers c", "customers.id=?"},
    {"SELECT main.customers.id FROM customers", "customers.id=customers"},
    {"SELECT temp.customers.id FROM customers", "customers.id=?"},
    {"SELECT zzz FROM customers", "zzz=?"},
    {"SELECT \"no_such\" FROM customers", "no_such=?"},
    {"SELECT rowid, oid FROM customers", "rowid=customers oid=customers"},
    {"SELECT customers FROM customers", "customers=?"},
    {"SELECT ssn FROM customers", "ssn=customers"},
    {"SELECT id FROM customers, accounts", "id=customers~"},
    {"SELECT true, false FROM customers", ""},
    {"SELECT key FROM api_keys", "key=api_keys"},
    {"SELECT c.key FROM api_keys AS c", "c.key=api_keys"},
    {"SELECT * FROM api_keys", "*key=api_keys"},
    {"SELECT k.* FROM api_keys k, customers", "*k.key=api_keys"},
    {"SELECT z.* FROM api_keys k", "*z.*=?"},
    {"SELECT api_keys.* FROM api_keys k", "*api_keys.*=?"},
    {"SELECT count(*) FROM customers", ""},
    {"SELECT a.id, b.id FROM api_keys b JOIN accounts a ON a.status = b.key",
     "a.id=accounts b.id=? a.status=accounts b.key=api_keys"},
    /* aliases of the select list */
    {"SELECT name n FROM customers ORDER BY n", "name=customers n=alias"},
    {"SELECT name n FROM customers ORDER BY n COLLATE nocase", "name=customers n=alias"},
    {"SELECT name n FROM customers ORDER BY n || ''", "name=customers !n=alias"},
    {"SELECT name n FROM customers GROUP BY n", "name=customers !n=alias"},
    {"SELECT name n FROM customers WHERE n = 1", "name=customers !n=alias"},
    {"SELECT city AS name FROM customers GROUP BY name", "city=customers name=customers"},
    {"SELECT city AS name FROM customers ORDER BY name", "city=customers name=alias"},
    {"SELECT name n, n FROM customers", "name=customers n=?"},
    {"SELECT count(*) n FROM api_keys HAVING n > 1", "!n=alias"},
    {"SELECT id FROM api_keys UNION SELECT id FROM customers ORDER BY id",
     "id=? id=customers id=customers"},
    /* derived tables */
    {"SELECT k FROM (SELECT key AS k FROM api_keys)", "key=api_keys k=()"},
    {"SELECT d.k FROM (SELECT key AS k FROM api_keys) d", "key=api_keys d.k=(d)"},
    {"SELECT d.key FROM (SELECT key AS k FROM api_keys) d", "key=api_keys d.key=?"},
    {"SELECT key FROM (SELECT * FROM api_keys)", "*key=api_keys key=()"},
    {"SELECT * FROM (SELECT 1 AS x) d", "*x=(d)"},
    {"SELECT \"count(*)\" FROM (SELECT count(*) FROM api_keys)", "count(*)=()"},
    {"SELECT column1, v.column2, column3 FROM (VALUES (1, 2)) v",
     "column1=(v) v.column2=(v) column3=?"},
    {"SELECT 1 FROM customers c, (SELECT c.id)", "c.id=?"},
    /* CTEs */
    {"WITH w AS (SELECT key k FROM api_keys) SELECT k FROM w", "key=api_keys k=(w)"},
    {"WITH w(a) AS (SELECT key FROM api_keys) SELECT a, key FROM w", "key=api_keys a=(w) key=?"},
    {"WITH w AS (SELECT 1 a) SELECT main.w.a FROM w", "w.a=?"},
    {"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "i=(n) i=(n)"},
    {"WITH w AS (SELECT 1 a) SELECT (SELECT a FROM w) FROM customers", "a=(w)"},
    {"SELECT (WITH w AS (SELECT 1 a) SELECT a FROM w) FROM w", "a=(w)"},
    /* outwards */
    {"SELECT 1 FROM customers c WHERE EXISTS (SELECT 1 FROM accounts WHERE customer_id = c.id)",
     "customer_id=accounts c.id=customers"},
    {"SELECT 1 FROM customers WHERE EXISTS (SELECT 1 FROM accounts WHERE customer_id = name)",
     "customer_id=accounts !name=customers"},
    {"SELECT 1 FROM customers WHERE EXISTS (SELECT 1 FROM api_keys WHERE key = customers.zz)",
     "key=api_keys customers.zz=?"},
    {"SELECT 1 FROM (SELECT 1 AS ssn) d WHERE EXISTS (SELECT 1 FROM accounts WHERE ssn = 1)",
     "!ssn=(d)"},
    {"SELECT 1 FROM accounts a WHERE EXISTS (SELECT 1 FROM api_keys a WHERE a.balance = 1)",
     "a.balance=?"},
    /* USING and NATURAL */
    {"SELECT id FROM accounts JOIN transactions USING (id)",
     "+id=accounts +id=transactions id=accounts"},
    {"SELECT 1 FROM accounts JOIN transactions USING (balance)", "+balance=accounts +balance=?"},
    {"SELECT * FROM secure_customers JOIN (SELECT 1 AS id, 2 AS z) d USING (id)",
     "+id=secure_customers +id=(d) *id=secure_customers *name=secure_customers "
     "*city=secure_customers *z=(d)"},
    {"SELECT 1 FROM secure_customers NATURAL JOIN customers",
     "+id=secure_customers +id=customers +name=secure_customers +name=customers "
     "+city=secure_customers +city=customers"},
    {"SELECT 1 FROM (SELECT 1 AS ssn) d NATURAL JOIN customers", "+ssn=(d) +ssn=customers"},
    {"SELECT 1 FROM api_keys, (SELECT 1 AS q) d JOIN (SELECT 2 AS q) e USING (q)",
     "!+q=(d) +q=(e)"},
    {"SELECT id FROM customers a JOIN customers b USING (id) JOIN customers c USING (id)",
     "+id=customers +id=customers +id=customers +id=customers id=customers"},
    /* functions in FROM */
    {"SELECT j.value, key, nope FROM json_each('[]') j", "j.value=(j) key=(j) nope=?"},
    {"SELECT value FROM customers c, json_each(c.name)", "value=(json_each) c.name=customers"},
    {"SELECT f.x, x FROM unheard_of(1) f", "f.x=(f) x=?"},
    /* elsewhere */
    {"SELECT sum(id) OVER (PARTITION BY city ORDER BY name) FROM customers",
     "id=customers city=customers name=customers"},
    {"SELECT sum(id) FILTER (WHERE ssn > 1) FROM customers", "id=customers ssn=customers"},
    {"SELECT sum(id) OVER w FROM customers WINDOW w AS (ORDER BY ssn)",
     "id=customers ssn=customers"},
    {"SELECT 1 FROM customers LIMIT id", "id=?"},
    {"SELECT CASE id WHEN 1 THEN name ELSE city END, CAST(ssn AS text) FROM customers",
     "id=customers name=customers city=customers ssn=customers"},
};

TEST(scope_columns)
{
    struct rig rig;
    struct buf out;
    rig_init(&rig);
    buf_init(&out, SHOWN_BYTES);
    TEST_EACH(c, cases) {
        if (rig_parse(&rig, SQL_SQLITE, str_of(c->sql)) != ERR_OK)
            fail_msg("%s: %s", c->sql, rig.err.text);
        show(&rig, &out);
        EXPECT_STR(c->sql, buf_str(&out), str_of(c->want));
    }
    buf_fini(&out);
    rig_fini(&rig);
}

static const struct {
    const char *sql, *want; /* name, '?' unknown, '-' null-supplied, '!' unconnected, '@' IN */
} tables[] = {
    {"SELECT 1 FROM customers", "customers"},
    {"SELECT 1 FROM Customers", "Customers"},
    {"SELECT 1 FROM nowhere", "nowhere?"},
    {"SELECT 1 FROM main.customers", "customers"},
    {"SELECT 1 FROM temp.customers", "customers?"},
    {"SELECT 1 FROM sqlite_master", "sqlite_master?"},
    {"SELECT 1 FROM customers, accounts", "customers accounts!"},
    {"SELECT 1 FROM customers c, accounts a WHERE a.customer_id = c.id", "customers accounts"},
    {"SELECT 1 FROM customers c, accounts a WHERE (a.customer_id = c.id) AND 1",
     "customers accounts"},
    {"SELECT 1 FROM customers c, accounts a WHERE a.customer_id = c.id OR 1",
     "customers accounts!"},
    {"SELECT 1 FROM customers c, accounts a WHERE a.customer_id > c.id", "customers accounts"},
    {"SELECT 1 FROM customers c, accounts a WHERE a.customer_id <> c.id", "customers accounts!"},
    {"SELECT 1 FROM customers c, accounts a WHERE NOT a.customer_id > c.id", "customers accounts!"},
    {"SELECT 1 FROM customers c, accounts a WHERE a.customer_id > 1", "customers accounts!"},
    {"SELECT 1 FROM customers c, accounts a WHERE a.id = a.customer_id", "customers accounts!"},
    {"SELECT 1 FROM customers c JOIN accounts a ON 1 = 1", "customers accounts!"},
    {"SELECT 1 FROM customers c JOIN accounts a ON a.customer_id > c.id", "customers accounts"},
    {"SELECT 1 FROM customers JOIN accounts USING (id)", "customers accounts"},
    {"SELECT 1 FROM customers NATURAL JOIN accounts", "customers accounts"},
    {"SELECT 1 FROM customers CROSS JOIN accounts", "customers accounts!"},
    {"SELECT 1 FROM customers c JOIN accounts a ON a.customer_id = c.id, transactions t "
     "JOIN api_keys k ON k.key = t.id",
     "customers accounts transactions! api_keys!"},
    {"SELECT 1 FROM (SELECT 1 x) d, customers", "customers"},
    {"SELECT 1 FROM customers c, (SELECT 1 x) d, accounts a WHERE c.id = d.x AND d.x = a.id",
     "customers accounts"},
    {"SELECT 1 FROM customers c LEFT JOIN accounts a ON a.id = c.id", "customers accounts-"},
    {"SELECT 1 FROM customers c RIGHT JOIN accounts a ON a.id = c.id", "customers- accounts"},
    {"SELECT 1 FROM customers c FULL JOIN accounts a ON a.id = c.id", "customers- accounts-"},
    {"SELECT 1 FROM customers c LEFT JOIN (accounts a JOIN transactions t ON t.id = a.id) "
     "ON a.id = c.id",
     "customers accounts- transactions-"},
    {"SELECT 1 FROM customers WHERE id IN api_keys", "customers api_keys@"},
    {"WITH w AS (SELECT 1) SELECT 1 FROM customers WHERE id IN w", "customers"},
    {"WITH customers AS (SELECT * FROM accounts) SELECT 1 FROM customers", "accounts"},
    {"WITH w AS (SELECT 1 FROM customers) SELECT 1", "customers"},
    {"SELECT (SELECT 1 FROM accounts) FROM customers", "customers accounts"},
    {"SELECT 1 FROM customers WHERE EXISTS (SELECT 1 FROM accounts) UNION SELECT 1 FROM api_keys",
     "customers accounts api_keys"},
};

TEST(scope_tables)
{
    struct rig rig;
    struct buf out;
    rig_init(&rig);
    buf_init(&out, SHOWN_BYTES);
    TEST_EACH(c, tables) {
        if (rig_parse(&rig, SQL_SQLITE, str_of(c->sql)) != ERR_OK)
            fail_msg("%s: %s", c->sql, rig.err.text);
        buf_clear(&out);
        for (size_t i = 0; i < rig.parse->table_count; i++) {
            const struct sql_table_ref *ref = &rig.parse->tables[i];
            buf_printf(&out, "%s%.*s%s%s%s%s", i == 0 ? "" : " ", STR_ARG(ref->name),
                       ref->table == CATALOG_NONE ? "?" : "", ref->inner ? "" : "-",
                       ref->connected ? "" : "!", ref->use == SQL_USE_IN ? "@" : "");
            EXPECT_STR(c->sql,
                       str_slice(rig.parse->text, ref->span.end - ref->name.len, ref->span.end),
                       ref->name);
        }
        EXPECT_STR(c->sql, buf_str(&out), str_of(c->want));
    }
    buf_fini(&out);
    rig_fini(&rig);
}

TEST(scope_outputs)
{
    static const struct {
        const char *sql, *want;
    } table[] = {
        {"SELECT id, name n, c.city, count(*) FROM customers c", "id n city count(*)"},
        {"SELECT * FROM api_keys, secure_customers", "key id name city"},
        {"SELECT * FROM secure_customers a JOIN secure_customers b USING (id, name)",
         "id name city city"},
        {"SELECT b.* FROM secure_customers a JOIN secure_customers b USING (id)", "id name city"},
        {"SELECT 1 AS a UNION SELECT 2 AS b", "a"},
        {"WITH w(x, y) AS (SELECT 1, 2) SELECT * FROM w", "x y"},
        {"SELECT * FROM (VALUES (1, 2))", "column1 column2"},
    };
    struct rig rig;
    struct buf out;
    rig_init(&rig);
    buf_init(&out, SHOWN_BYTES);
    TEST_EACH(c, table) {
        EXPECT_INT(c->sql, rig_parse(&rig, SQL_SQLITE, str_of(c->sql)), ERR_OK);
        buf_clear(&out);
        for (size_t i = 0; i < rig.parse->output_count; i++)
            buf_printf(&out, "%s%.*s", i == 0 ? "" : " ", STR_ARG(rig.parse->outputs[i]));
        EXPECT_STR(c->sql, buf_str(&out), str_of(c->want));
    }
    buf_fini(&out);
    rig_fini(&rig);
}

TEST(scope_functions)
{
    static const struct {
        const char *sql, *name;
        size_t arguments;
        bool aggregate, windowed, in_from, has_aggregate;
    } table[] = {
        {"SELECT COUNT(*) FROM customers", "count", 0, true, false, false, true},
        {"SELECT max(id) FROM customers", "max", 1, true, false, false, true},
        {"SELECT max(id, 2) FROM customers", "max", 2, false, false, false, false},
        {"SELECT sum(id) OVER () FROM customers", "sum", 1, false, true, false, false},
        {"SELECT \"Load_Extension\"('x')", "load_extension", 1, false, false, false, false},
        {"SELECT 1 FROM pragma_table_info('x')", "pragma_table_info", 1, false, false, true, false},
        {"SELECT 1 FROM customers ORDER BY random()", "random", 0, false, false, false, false},
        {"SELECT 1 FROM customers LIMIT abs(1)", "abs", 1, false, false, false, false},
        {"VALUES (1) UNION SELECT 1", NULL, 0, false, false, false, false},
    };
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, table) {
        if (c->name == NULL)
            continue;
        EXPECT_INT(c->sql, rig_parse(&rig, SQL_SQLITE, str_of(c->sql)), ERR_OK);
        EXPECT_INT(c->sql, rig.parse->function_count, 1);
        const struct sql_function_ref *ref = &rig.parse->functions[0];
        EXPECT_STR(c->sql, ref->name, str_of(c->name));
        EXPECT_INT(c->sql, ref->argument_count, c->arguments);
        EXPECT_INT(c->sql, ref->aggregate, c->aggregate);
        EXPECT_INT(c->sql, ref->windowed, c->windowed);
        EXPECT_INT(c->sql, ref->in_from, c->in_from);
        EXPECT_INT(c->sql, rig.parse->has_aggregate, c->has_aggregate);
    }
    rig_fini(&rig);
}

TEST(scope_flags)
{
    struct rig rig;
    rig_init(&rig);
    EXPECT_INT("parse", rig_parse(&rig, SQL_SQLITE, STR("WITH customers AS (SELECT 1) SELECT 1")),
               ERR_OK);
    EXPECT_TRUE("main.customers is meant", !rig.parse->cte_shadows_table && rig.parse->has_with);
    EXPECT_INT("a later one",
               rig_parse(&rig, SQL_SQLITE,
                         STR("WITH b AS (SELECT * FROM c), c AS (SELECT 1) SELECT 1 FROM b")),
               ERR_REJECTED);
    EXPECT_INT("parse", rig_parse(&rig, SQL_SQLITE, STR("WITH customers AS (SELECT 1) SELECT 1")),
               ERR_OK);
    EXPECT_TRUE("not recursive", !rig.parse->has_recursive && !rig.parse->has_subquery);
    EXPECT_INT("parse",
               rig_parse(&rig, SQL_SQLITE,
                         STR("WITH n AS (SELECT 1 i UNION SELECT i FROM n) SELECT i FROM n "
                             "WHERE i IN (SELECT ?) GROUP BY 1 ORDER BY 1")),
               ERR_OK);
    EXPECT_TRUE("recursive", rig.parse->has_recursive && rig.parse->has_set_operation);
    EXPECT_TRUE("placeholder", rig.parse->has_placeholder && rig.parse->has_subquery);
    EXPECT_TRUE("order", rig.parse->has_group_by && rig.parse->has_order_by);
    EXPECT_TRUE("no shadow", !rig.parse->cte_shadows_table && !rig.parse->has_comment);
    EXPECT_INT("parse",
               rig_parse(&rig, SQL_SQLITE,
                         STR("SELECT 1 FROM customers NATURAL JOIN "
                             "accounts -- x")),
               ERR_OK);
    EXPECT_TRUE("natural", rig.parse->has_natural && rig.parse->has_comment);
    rig_fini(&rig);
}

TEST(scope_alias_text)
{
    struct rig rig;
    rig_init(&rig);
    EXPECT_INT("parse",
               rig_parse(&rig, SQL_SQLITE,
                         STR("SELECT substr(name, 1) AS m FROM customers "
                             "GROUP BY m")),
               ERR_OK);
    const struct sql_column_ref *ref = &rig.parse->columns[1];
    EXPECT_STR("text", str_slice(rig.parse->text, ref->alias_of.start, ref->alias_of.end),
               STR("substr(name, 1)"));
    rig_fini(&rig);
}

/* Star on star on star grows by the width each time; it is stopped. */
TEST(scope_is_bounded)
{
    static char sql[16 * 1024];
    struct rig rig;
    rig_init(&rig);
    size_t len = 0;
    for (size_t i = 0; i < 20; i++, len += 17)
        memcpy(sql + len, "SELECT *,* FROM (", 17);
    memcpy(sql + len, "SELECT * FROM customers", 23);
    len += 23;
    memset(sql + len, ')', 20);
    EXPECT_INT("stars", rig_parse(&rig, SQL_SQLITE, str_make(sql, len + 20)), ERR_REJECTED);
    EXPECT_STR("stars", str_of(rig.rule), STR("columns"));
    memcpy(sql, "SELECT 1 FROM api_keys", 22);
    for (len = 22; len + 9 < sizeof sql; len += 9)
        memcpy(sql + len, ",api_keys", 9);
    EXPECT_INT("tables", rig_parse(&rig, SQL_SQLITE, str_make(sql, len)), ERR_REJECTED);
    EXPECT_STR("tables", str_of(rig.rule), STR("relations"));
    rig_fini(&rig);
}

/* Each CTE reads the one before twice: SQLite would copy the first 2^20 times. */
TEST(scope_refuses_explosions)
{
    struct rig rig;
    struct buf sql;
    rig_init(&rig);
    buf_init(&sql, SHOWN_BYTES);
    for (int levels = 5; levels <= 20; levels += 15) {
        buf_clear(&sql);
        buf_printf(&sql, "WITH c0 AS (SELECT 1 x)");
        for (int i = 1; i <= levels; i++)
            buf_printf(&sql, ", c%d AS (SELECT 1 x FROM c%d a, c%d b)", i, i - 1, i - 1);
        buf_printf(&sql, " SELECT 1 FROM c%d", levels);
        EXPECT_INT("chain", rig_parse(&rig, SQL_SQLITE, buf_str(&sql)),
                   levels == 5 ? ERR_OK : ERR_REJECTED);
    }
    EXPECT_STR("chain", str_of(rig.rule), STR("expansion"));
    buf_fini(&sql);
    rig_fini(&rig);
}

/* MySQL reads what WITH names inside itself as the table, unless it says RECURSIVE. */
TEST(scope_mysql)
{
    struct rig rig;
    rig_init(&rig);
    EXPECT_INT("parse",
               rig_parse(&rig, SQL_MYSQL,
                         STR("WITH customers AS (SELECT id FROM customers) "
                             "SELECT id FROM customers")),
               ERR_OK);
    EXPECT_INT("the table", rig.parse->table_count, 1);
    EXPECT_TRUE("flag", rig.parse->cte_shadows_table);
    EXPECT_INT("parse", rig_parse(&rig, SQL_MYSQL, STR("SELECT name n FROM customers WHERE n = 1")),
               ERR_OK);
    EXPECT_TRUE("no alias in WHERE", rig.parse->columns[1].unknown);
    rig_fini(&rig);
}

/* What MySQL resolves otherwise than its text seems to say: the first column reference's marks. */
TEST(scope_mysql_names)
{
    static const struct {
        const char *name, *sql;
        size_t at; /* which column reference */
        bool unknown, past_table, derived;
    } table[] = {
        {"a name in HAVING may be an outer one",
         "SELECT (SELECT 1 FROM accounts HAVING balance > 1) FROM customers", 0, false, true,
         false},
        {"so may a qualified one",
         "SELECT (SELECT 1 FROM accounts c HAVING c.balance > 1) FROM customers c", 0, false, true,
         false},
        {"not where nothing is outside", "SELECT 1 FROM accounts HAVING balance > 1", 0, false,
         false, false},
        {"an alias in another case", "SELECT C.name FROM customers c", 0, true, false, false},
        {"the one of two that is spelt so",
         "SELECT c.ssn FROM (SELECT 1 AS ssn) C JOIN customers c ON c.id = C.ssn", 0, false, false,
         false},
        {"and not an outer one", "SELECT (SELECT C.ssn FROM customers c) FROM (SELECT 1 AS ssn) C",
         0, true, false, false},
        {"a union is ordered by what it gives",
         "SELECT id FROM customers UNION SELECT id FROM accounts ORDER BY id", 2, false, false,
         true},
        {"and by nothing else",
         "SELECT id FROM customers UNION SELECT id FROM accounts ORDER BY name", 2, true, false,
         true},
        {"parentheses keep a column's name", "SELECT name FROM (SELECT (name) FROM customers) d", 1,
         false, false, true},
        {"a string names its column", "SELECT x FROM (SELECT 'x') d", 0, false, false, true},
        {"an alias loses its blanks", "SELECT x FROM (SELECT 1 AS ' x') d", 0, false, false, true},
        {"an alias keeps its newline", "SELECT xn FROM (SELECT 1 AS 'x\\n') d", 0, true, false,
         true},
        {"an unknown introducer is a column", "SELECT _ssn 'x' FROM customers", 0, true, false,
         true},
    };
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, table) {
        if (rig_parse(&rig, SQL_MYSQL, str_of(c->sql)) != ERR_OK)
            fail_msg("%s: %s", c->name, rig.err.text);
        EXPECT_TRUE(c->name, rig.parse->column_count > c->at);
        const struct sql_column_ref *ref = &rig.parse->columns[c->at];
        EXPECT_INT(c->name, ref->unknown, c->unknown);
        EXPECT_INT(c->name, ref->past_table, c->past_table);
        EXPECT_INT(c->name, ref->table_ref < 0, c->derived);
    }
    EXPECT_INT("a WITH in another case",
               rig_parse(&rig, SQL_MYSQL, STR("WITH Foo AS (SELECT 1) SELECT * FROM foo")),
               ERR_REJECTED);
    EXPECT_STR("a WITH in another case", str_of(rig.rule), STR("cte_case"));
    rig_fini(&rig);
}

RUN_TESTS(T(scope_columns), T(scope_tables), T(scope_outputs), T(scope_functions), T(scope_flags),
          T(scope_alias_text), T(scope_is_bounded), T(scope_refuses_explosions), T(scope_mysql),
          T(scope_mysql_names))
