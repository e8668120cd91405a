/* SPDX-License-Identifier: MIT */
/* Real engines, and statements that try to see more of a masked column than its mask leaves: in
 * conditions, groups, orders, joins, stars, whole rows, windows, views and the texts of errors. */
#include "tests/lib/test.h"

#include <stdio.h>
#include <string.h>

#include "agents/sql/catalog/catalog_narrow.h"
#include "agents/sql/catalog/introspect.h"
#include "agents/sql/guard/policy.h"
#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "backends/sql/sql_sqlite.h"
#include "core/base/file.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { URL_BYTES = 512, LONG_MS = 120000, ARENA_BYTES = 16 << 20 };

static const char policies[] =
    "{\"policies\":{\"clerk\":{\"allow_with\":true,\"allow_set_operations\":true,"
    "\"whole_row_reference\":\"visible\",\"allow_unconnected_base_tables\":true,\"columns\":{"
    "\"people\":{\"email\":\"domain\",\"phone\":\"last4\",\"ssn\":\"hash\",\"salary\":\"null\"},"
    "\"leads\":{\"email\":\"clear\"}}}}}";

/* What each gives, its cells one after the other; of those that engines differ in, nothing is
 * expected but that no canary is in it. NULL: the guard may refuse it. */
static const struct {
    const char *sql, *cells;
} cases[] = {
    {"SELECT email FROM people ORDER BY id", "***@example.com|***@example.com|*|***"},
    {"SELECT phone FROM people ORDER BY id", "****1234|****|NULL|****1234"},
    {"SELECT salary FROM people ORDER BY id", "NULL|NULL|NULL|NULL"},
    {"SELECT count(DISTINCT ssn) FROM people", "2"},
    {"SELECT count(*) FROM people a JOIN people b ON a.ssn = b.ssn", "5"},
    /* the name of a column says nothing outside of the mask */
    {"SELECT count(*) FROM people WHERE email = 'canary.anna@example.com'", "0"},
    {"SELECT count(*) FROM people WHERE email LIKE 'canary%'", "0"},
    {"SELECT count(*) FROM people WHERE phone LIKE 'canary%'", "0"},
    {"SELECT count(*) FROM people WHERE phone = 'canary-5551234' OR ssn = 'canary-111'", "0"},
    {"SELECT count(*) FROM people WHERE salary > 77000", "0"},
    {"SELECT count(*) FROM people WHERE salary BETWEEN 1 AND 99999999", "0"},
    {"SELECT count(*) FROM people WHERE substr(email, 1, 1) = 'c'", "0"},
    {"SELECT count(*) FROM people WHERE length(ssn) = 10", "0"},
    {"SELECT max(salary) FROM people", "NULL"},
    {"SELECT count(*) FROM people p JOIN leads l ON l.email = p.email", "0"},
    {"SELECT count(*) FROM people p JOIN leads l USING (email)", "0"},
    {"SELECT count(*) FROM leads l WHERE EXISTS (SELECT 1 FROM people p WHERE p.phone = l.phone)",
     "0"},
    {"SELECT count(*) FROM leads WHERE email IN (SELECT email FROM people)", "0"},
    {"SELECT count(*) FROM leads l WHERE l.salary = (SELECT max(p.salary) FROM people p)", "0"},
    {"SELECT min(id) FROM people GROUP BY email HAVING email LIKE 'canary%'", ""},
    {"SELECT email FROM people GROUP BY email ORDER BY count(*) DESC, email LIMIT 1", "*"},
    {"SELECT CASE WHEN email LIKE 'canary%' THEN 'yes' ELSE 'no' END FROM people WHERE id = 1",
     "no"},
    {"WITH x AS (SELECT email AS e FROM people) SELECT count(*) FROM x WHERE e LIKE 'canary%'",
     "0"},
    {"SELECT name FROM people WHERE id = 1 UNION SELECT email FROM people WHERE id = 1", "*|*"},
    {"SELECT count(*) FROM (SELECT * FROM people) AS x WHERE x.phone LIKE 'canary%'", "0"},
    {"SELECT count(*) FROM directory WHERE email LIKE 'canary%'", "0"},
    {"SELECT email FROM directory WHERE id = 1", "***@example.com"},
    {"SELECT phone FROM directory WHERE id = 1", "****1234"},
    /* no canary, whatever comes */
    {"SELECT * FROM people", NULL},
    {"SELECT p.* FROM people p", NULL},
    {"SELECT p FROM people p", NULL},
    {"SELECT row_to_json(p) FROM people p", NULL},
    {"SELECT * FROM people NATURAL JOIN leads", NULL},
    {"SELECT * FROM directory", NULL},
    {"TABLE people", NULL},
    {"SELECT email FROM people ORDER BY email, phone, ssn, salary", NULL},
    {"SELECT id FROM people WHERE CAST(email AS int) = 1", NULL},
    {"SELECT CAST(email AS int) FROM people", NULL},
    {"SELECT 1 / (salary - 77001) FROM people", NULL},
    {"SELECT string_agg(email, ',') FROM people", NULL},
    {"SELECT group_concat(ssn) FROM people", NULL},
    {"SELECT email, row_number() OVER (PARTITION BY phone ORDER BY ssn) FROM people", NULL},
    {"SELECT first_value(email) OVER (ORDER BY salary) FROM people", NULL},
    {"SELECT people.email || phone FROM people", NULL},
    {"SELECT upper(email), lower(phone), trim(ssn) FROM people", NULL},
    {"SELECT coalesce(email, phone, ssn) FROM people", NULL},
    {"SELECT id, email FROM people GROUP BY id", NULL},
    {"SELECT (SELECT p.email FROM people p WHERE p.id = l.id) FROM leads l WHERE l.id > 0", NULL},
    {"SELECT mask_hash('k', email) FROM people", NULL},
    {"SELECT session_var('mask_key')", NULL},
    {"SELECT current_setting('app.mask_key')", NULL},
    {"SELECT @mask_key", NULL},
};

static void push_cells(const struct sql_result *result, struct buf *out)
{
    for (size_t row = 0; row < result->row_count; row++)
        for (size_t column = 0; column < result->column_count; column++) {
            const struct sql_value *value = sql_result_at(result, row, column);
            if (row + column > 0)
                buf_push_char(out, '|');
            if (value->type == SQL_NULL)
                buf_push(out, STR("NULL"));
            else if (value->type == SQL_INT || value->type == SQL_BOOL)
                buf_printf(out, "%lld", (long long)value->integer);
            else if (value->type == SQL_REAL)
                buf_printf(out, "%g", value->real);
            else
                buf_push(out, value->text);
        }
}

/* '*' as a whole cell stands for what engines, or orders, differ in. */
static bool is_like(struct str cells, struct str expected)
{
    while (cells.len > 0 || expected.len > 0) {
        struct str cell = str_split(&cells, '|'), like = str_split(&expected, '|');
        if (!str_equal(cell, like) && !str_equal(like, STR("*")))
            return false;
    }
    return true;
}

static void run(struct rig *rig, struct sql *sql, size_t i, struct str text)
{
    const struct sql_variable key = {STR("mask_key"), STR("a key of sixteen bytes")};
    const struct sql_statement statement = {.text = text,
                                            .variables = &key,
                                            .variable_count = 1,
                                            .max_rows = 100,
                                            .max_bytes = 1 << 20,
                                            .timeout_ms = LONG_MS};
    struct sql_query query = {0};
    struct buf cells;
    buf_init(&cells, 1 << 20);
    rig->done_calls = 0;
    sql_query_start(&query, sql, &statement, rig_waiter(rig));
    rig_wait(cases[i].sql, rig, 1);
    if (rig->err.code == ERR_OK)
        push_cells(&query.result, &cells);
    else
        buf_push(&cells, str_of(rig->err.text));
    EXPECT_TRUE(cases[i].sql, str_find(buf_str(&cells), STR("canary")) == STR_NONE);
    EXPECT_TRUE(cases[i].sql, str_find(buf_str(&cells), STR("7700")) == STR_NONE);
    EXPECT_TRUE(cases[i].sql, str_find(buf_str(&cells), STR("sixteen")) == STR_NONE);
    if (cases[i].cells != NULL && !is_like(buf_str(&cells), str_of(cases[i].cells)))
        EXPECT_STR(cases[i].sql, buf_str(&cells), str_of(cases[i].cells));
    buf_fini(&cells);
    op_release(&query.op);
}

static void judge_all(struct rig *rig, struct sql *sql, const struct catalog *all)
{
    struct arena kept;
    struct sql_policy_set set;
    struct err err = {0};
    arena_init(&kept, ARENA_BYTES);
    EXPECT_INT("policies", sql_policy_read(str_of(policies), &kept, &set, &err), ERR_OK);
    struct catalog *catalog = catalog_narrow_create((struct sql_visible){set.policies, all});
    assert_non_null(catalog);
    for (size_t i = 0; i < countof(cases); i++) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(set.policies, sql->dialect, str_of(cases[i].sql), catalog,
                         (struct sql_tenant){.on = false}, &arena, &verdict);
        if (cases[i].cells != NULL)
            EXPECT_STR(cases[i].sql, str_of(verdict.err.text), STR(""));
        if (verdict.code == ERR_OK)
            run(rig, sql, i, verdict.sql);
        arena_fini(&arena);
    }
    catalog_narrow_destroy(catalog);
    arena_fini(&kept);
}

static void on_engine(struct rig *rig, struct sql *sql)
{
    const struct introspect_options options = {.tenant_column = {NULL, 0}};
    struct introspect introspect = {0};
    introspect_start(&introspect, sql, &options, rig_waiter(rig));
    rig_wait("introspected", rig, 1);
    EXPECT_STR("introspected", str_of(rig->err.text), STR(""));
    op_release(&introspect.op);
    judge_all(rig, sql, introspect.catalog);
    catalog_destroy(introspect.catalog);
    sql_close(sql, rig_on_closed, rig);
    rig_end(rig);
}

static void on_server(const char *engine)
{
    char url[URL_BYTES];
    struct rig rig;
    struct err err = {0};
    test_server_create(engine, "masks", MASKS_SQL, url, sizeof url);
    rig_begin(&rig);
    struct sql *sql =
        strcmp(engine, "postgres") == 0
            ? sql_pg_create(
                  rig.loop,
                  &(struct sql_pg_options){.url = url, .connect_ms = LONG_MS, .queue_ms = LONG_MS},
                  &err)
            : sql_mysql_create(rig.loop,
                               &(struct sql_mysql_options){
                                   .url = url, .connect_ms = LONG_MS, .queue_ms = LONG_MS},
                               &err);
    EXPECT_STR("open", str_of(err.text), STR(""));
    on_engine(&rig, sql);
    test_server_drop(engine, "masks");
}

TEST(sqlite)
{
    struct sqlite_file file;
    struct rig rig;
    struct buf text;
    struct err err = {0};
    buf_init(&text, 1 << 20);
    EXPECT_INT("masks.sql", file_read(MASKS_SQL, &text, &err), ERR_OK);
    buf_push_char(&text, '\0');
    sqlite_file_make(&file, buf_str(&text).at);
    buf_fini(&text);
    rig_begin(&rig);
    on_engine(&rig, sql_sqlite_create(rig.loop, file.path, 1, 0));
    sqlite_file_remove(&file);
}

TEST(postgresql)
{
    on_server("postgres");
}

TEST(mysql)
{
    on_server("mysql");
}

int main(void)
{
    const struct CMUnitTest all[] = {T(sqlite), T(postgresql), T(mysql)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
