/* SPDX-License-Identifier: MIT */
/* Real servers, and a role that may read only parts: whatever it may not read, no statement shows
 * it another company's rows. */
#include "tests/lib/test.h"

#include <stdio.h>
#include <string.h>

#include "agents/sql/catalog/introspect.h"
#include "agents/sql/guard/policy.h"
#include "agents/sql/guard/tenancy_report.h"
#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"

enum { URL_BYTES = 512, LONG_MS = 120000, ARENA_BYTES = 16 << 20 };

static const struct {
    const char *table;
    bool served[2]; /* PostgreSQL; MariaDB, which shows a role with column rights no foreign keys */
} cases[] = {
    {"invoices", {true, true}},        /* has the column */
    {"invoice_lines", {true, true}},   /* by a foreign key */
    {"declared_lines", {true, true}},  /* by a relationship that a file declares */
    {"rates", {true, true}},           /* said to be everybody's */
    {"orders", {false, false}},        /* the role may not read the tenant column */
    {"order_lines", {false, false}},   /* nor through the key that leads there */
    {"keyless_lines", {false, false}}, /* the role may not read the foreign key */
    {"box_lines", {false, false}},     /* the role may not read the table it leads to */
    {"habit_lines", {false, false}},   /* tied by habit, without a key */
    {"misspelt", {false, false}},      /* company_id where the others have companyId */
    {"notes", {false, false}},         /* a reference to one table or another */
    {"all_notes", {false, false}},     /* a view that does not show the company */
};

static const char declared[] =
    "{\"version\":1,\"relationships\":[{\"type\":\"manual\",\"from_table\":\"declared_lines\","
    "\"from_column\":\"invoice_ref\",\"to_table\":\"invoices\",\"to_column\":\"id\"},"
    "{\"type\":\"name_match\",\"from_table\":\"habit_lines\",\"from_column\":\"invoice_ref\","
    "\"to_table\":\"invoices\",\"to_column\":\"id\"}]}";

static struct sql *open_engine(struct rig *rig, bool pg, const char *admin)
{
    char url[URL_BYTES];
    struct err err = {0};
    const char *place = strchr(admin, '@'), *scheme = strstr(admin, "://");
    snprintf(url, sizeof url, "%.*s://%s%s", (int)(scheme - admin), admin,
             pg ? "rights_reader" : "rights_reader:reader", place);
    struct sql *sql =
        pg ? sql_pg_create(
                 rig->loop,
                 &(struct sql_pg_options){.url = url, .connect_ms = LONG_MS, .queue_ms = LONG_MS},
                 &err)
           : sql_mysql_create(rig->loop,
                              &(struct sql_mysql_options){
                                  .url = url, .connect_ms = LONG_MS, .queue_ms = LONG_MS},
                              &err);
    EXPECT_STR("open", str_of(err.text), STR(""));
    return sql;
}

/* Run what the guard lets pass, for acme: acme's row and no other. */
static void run(struct rig *rig, struct sql *sql, const char *table, struct str text)
{
    const struct sql_variable company = {STR("company_id"), STR("acme")};
    const struct sql_statement statement = {.text = text,
                                            .variables = &company,
                                            .variable_count = 1,
                                            .max_rows = 100,
                                            .max_bytes = 1 << 20,
                                            .timeout_ms = LONG_MS};
    struct sql_query query = {0};
    rig->done_calls = 0;
    sql_query_start(&query, sql, &statement, rig_waiter(rig));
    rig_wait(table, rig, 1);
    EXPECT_STR(table, str_of(rig->err.text), STR(""));
    EXPECT_INT(table, query.result.row_count, 1);
    EXPECT_STR(table, sql_result_at(&query.result, 0, 0)->text, STR("mine"));
    op_release(&query.op);
}

static void judge(struct rig *rig, struct sql *sql, const struct catalog *catalog, size_t engine)
{
    static const struct str shared[] = {{"rates", 5}};
    struct sql_policy policy = sql_policy_default;
    policy.shared_tables = shared;
    policy.shared_table_count = countof(shared);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_verdict verdict;
        char text[128];
        snprintf(text, sizeof text, "SELECT note FROM %s", c->table);
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&policy, sql->dialect, str_of(text), catalog,
                         (struct sql_tenant){.on = true}, &arena, &verdict);
        EXPECT_INT(c->table, verdict.code, c->served[engine] ? ERR_OK : ERR_REJECTED);
        if (verdict.code == ERR_OK)
            run(rig, sql, c->table, verdict.sql);
        else
            EXPECT_STR(c->table, str_of(verdict.rule), STR("tenant"));
        arena_fini(&arena);
    }
    struct buf line;
    buf_init(&line, 4096);
    sql_tenancy_report_write((struct sql_visible){&policy, catalog}, &line);
    EXPECT_TRUE("the line",
                str_find(buf_str(&line), STR("everybody's: 1 (rates); refused: 8 (")) != STR_NONE);
    buf_fini(&line);
}

static void on_engine(const char *engine, size_t index)
{
    const struct introspect_options options = {.tenant_column = STR("companyId"),
                                               .declared = {{declared, sizeof declared - 1}}};
    char admin[URL_BYTES], setup[URL_BYTES];
    struct introspect introspect;
    struct rig rig;
    snprintf(setup, sizeof setup, "%s/tenancy_rights_%s.sql", INTROSPECT_FOLDER, engine);
    test_server_create(engine, "tenancy_rights", setup, admin, sizeof admin);
    rig_begin(&rig);
    struct sql *sql = open_engine(&rig, index == 0, admin);
    introspect_start(&introspect, sql, &options, rig_waiter(&rig));
    rig_wait("introspected", &rig, 1);
    EXPECT_STR("introspected", str_of(rig.err.text), STR(""));
    op_release(&introspect.op);
    judge(&rig, sql, introspect.catalog, index);
    catalog_destroy(introspect.catalog);
    sql_close(sql, rig_on_closed, &rig);
    rig_end(&rig);
    test_server_drop(engine, "tenancy_rights");
}

TEST(postgresql)
{
    on_engine("postgres", 0);
}

TEST(mysql)
{
    on_engine("mysql", 1);
}

int main(void)
{
    const struct CMUnitTest all[] = {T(postgresql), T(mysql)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
