/* SPDX-License-Identifier: MIT */
/* Introspection of real PostgreSQL and MySQL servers, as a role that may read only a part. */
#include "tests/lib/test.h"

#include "agents/sql/catalog/introspect.h"
#include "agents/sql/guard/policy.h"
#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "core/base/mem.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"

enum { URL_BYTES = 512 };

static const struct introspect_options whole = {
    .secure_views = STR("{\"customer\":\"secure_customer\"}"),
    .tenant_column = STR("company_id"),
    .count_rows = true,
};

enum { LONG_MS = 120000 }; /* however slow the machine is */

struct found {
    struct rig rig;
    struct sql *sql;
    struct introspect introspect;
};

/* The administrator's url with another login. */
static void log_in_as(const char *login, const char *url, char to[static URL_BYTES])
{
    const char *place = strchr(url, '@'), *scheme = strstr(url, "://");
    assert_true(place != NULL && scheme != NULL);
    snprintf(to, URL_BYTES, "%.*s://%s%s", (int)(scheme - url), url, login, place);
}

static void open_engine(struct found *found, const char *engine, const char *database)
{
    char admin[URL_BYTES], url[URL_BYTES], setup[URL_BYTES];
    struct err err = {0};
    bool pg = strcmp(engine, "postgres") == 0;
    snprintf(setup, sizeof setup, "%s/introspect_%s.sql", INTROSPECT_FOLDER, engine);
    test_server_create(engine, database, setup, admin, sizeof admin);
    log_in_as(pg ? "introspect_reader" : "introspect_reader:reader", admin, url);
    *found = (struct found){.sql = NULL};
    rig_begin(&found->rig);
    found->sql = pg ? sql_pg_create(found->rig.loop,
                                    &(struct sql_pg_options){
                                        .url = url, .connect_ms = LONG_MS, .queue_ms = LONG_MS},
                                    &err)
                    : sql_mysql_create(found->rig.loop,
                                       &(struct sql_mysql_options){
                                           .url = url, .connect_ms = LONG_MS, .queue_ms = LONG_MS},
                                       &err);
    EXPECT_STR("open", str_of(err.text), STR(""));
}

static const struct catalog *look(struct found *found, const struct introspect_options *options)
{
    catalog_destroy(found->introspect.catalog);
    found->rig.done_calls = 0;
    introspect_start(&found->introspect, found->sql, options, rig_waiter(&found->rig));
    rig_wait("found", &found->rig, 1);
    op_release(&found->introspect.op);
    return found->introspect.catalog;
}

static void lose(struct found *found, const char *engine, const char *database)
{
    catalog_destroy(found->introspect.catalog);
    sql_close(found->sql, rig_on_closed, &found->rig);
    rig_end(&found->rig);
    EXPECT_INT("closed", found->rig.closed_calls, 1);
    test_server_drop(engine, database);
}

static const struct catalog_column *column_of(const struct catalog *catalog, const char *table,
                                              const char *name)
{
    int at = catalog_find_dotted(catalog, str_of(table));
    int column = at == CATALOG_NONE ? CATALOG_NONE : catalog_find_column(catalog, at, str_of(name));
    if (column == CATALOG_NONE)
        fail_msg("no column %s of %s", name, table);
    return &catalog->tables[at].columns[column];
}

static const struct catalog_table *table_of(const struct catalog *catalog, const char *name)
{
    int at = catalog_find_dotted(catalog, str_of(name));
    if (at == CATALOG_NONE)
        fail_msg("no table %s", name);
    return &catalog->tables[at];
}

/* What both engines' customer table must be. */
static void check_customer(const struct catalog *catalog)
{
    const struct catalog_table *customer = table_of(catalog, "customer");
    int view = catalog_find_dotted(catalog, STR("secure_customer"));
    EXPECT_TRUE("the view is there", view != CATALOG_NONE && catalog->tables[view].is_view);
    EXPECT_TRUE("hidden behind it", customer->hidden && customer->secure_view == view);
    EXPECT_STR("comment", customer->comment, STR("Who buys"));
    EXPECT_INT("counted", customer->row_count, 7);
    EXPECT_TRUE("tenant", customer->tenant_column != CATALOG_NONE);
    const struct catalog_column *name = column_of(catalog, "customer", "name");
    EXPECT_TRUE("unique and not null", name->unique && name->not_null && !name->primary_key);
    EXPECT_STR("comment", name->comment, STR("As on the invoice"));
    EXPECT_TRUE("key", column_of(catalog, "customer", "id")->primary_key);
    EXPECT_TRUE("secret", column_of(catalog, "customer", "password_hash")->hidden);
    const struct catalog_column *feeling = column_of(catalog, "customer", "feeling");
    EXPECT_INT("an enumeration is text", feeling->type, CATALOG_TEXT);
    EXPECT_TRUE("its values", str_find(feeling->declared_type, STR("enum('sad','int''l')")) >= 0);
    EXPECT_TRUE("complete", catalog->complete);
    EXPECT_INT("not readable", catalog_find_dotted(catalog, STR("forbidden")), CATALOG_NONE);
}

TEST(postgresql)
{
    struct found found;
    open_engine(&found, "postgres", "introspect_engines");
    const struct catalog *catalog = look(&found, &whole);
    EXPECT_STR("err", str_of(found.rig.err.text), STR(""));
    check_customer(catalog);
    EXPECT_INT("tables", catalog->table_count, 9);
    EXPECT_TRUE("inherits what a view stands for", table_of(catalog, "old_customer")->hidden);
    EXPECT_TRUE("from its parent", table_of(catalog, "older_customer")->hidden);
    EXPECT_TRUE("inherits what all may read", !table_of(catalog, "old_note")->hidden);
    EXPECT_TRUE("case", catalog->case_sensitive && catalog->case_sensitive_columns);
    EXPECT_INT("two columns", column_of(catalog, "customer", "Id")->type, CATALOG_TEXT);
    EXPECT_STR("bare", table_of(catalog, "customer")->schema, STR(""));
    EXPECT_STR("home", table_of(catalog, "public.customer")->home, STR("public"));
    const struct catalog_table *other = table_of(catalog, "crm.customer");
    EXPECT_TRUE("another", other != table_of(catalog, "customer"));
    EXPECT_STR("schema", other->schema, STR("crm"));
    EXPECT_INT("a domain is its type", column_of(catalog, "crm.customer", "paid")->type,
               CATALOG_NUMBER);
    EXPECT_STR("declared", column_of(catalog, "crm.customer", "paid")->declared_type,
               STR("numeric(12,2)"));
    EXPECT_INT("an array is no date", column_of(catalog, "crm.customer", "days")->type,
               CATALOG_UNKNOWN);
    EXPECT_INT("to itself, two columns", other->references[0].column_count, 2);
    EXPECT_INT("in order", other->references[0].to_columns[1], 1);
    const struct catalog_table *note = table_of(catalog, "crm.note");
    size_t granted = 0;
    for (size_t i = 0; i < note->column_count; i++) {
        granted += !note->columns[i].unreadable;
        EXPECT_TRUE("what is not granted is hidden",
                    !note->columns[i].unreadable || note->columns[i].hidden);
    }
    EXPECT_INT("granted columns", granted, 4);
    EXPECT_INT("all columns", note->column_count, 5);
    EXPECT_INT("references", note->reference_count, 2);
    EXPECT_INT("a partial index is no key", note->key_count, 2);
    EXPECT_TRUE("across schemas",
                &catalog->tables[note->references[1].to_table] == table_of(catalog, "customer"));
    const struct catalog_table *sale = table_of(catalog, "sale");
    EXPECT_INT("partitions count", sale->row_count, 5);
    EXPECT_INT("once", sale->reference_count, 1);
    EXPECT_TRUE("materialized", table_of(catalog, "totals")->is_view);
    EXPECT_INT("no partition", catalog_find_dotted(catalog, STR("sale_2024")), CATALOG_NONE);
    EXPECT_INT("no schema", catalog_find_dotted(catalog, STR("secret.plan")), CATALOG_NONE);
    lose(&found, "postgres", "introspect_engines");
}

/* Names that the server does not know itself, or not so, reach the stored function. */
static void check_stored_functions(struct found *found, const struct catalog *catalog)
{
    static const struct {
        const char *sql;
        bool accepted;
        const char *answer; /* of the engine; NULL: not asked */
    } cases[] = {
        {"SELECT point('1') FROM customer WHERE id = 1", false, "stored"},
        {"SELECT any_value('1') FROM customer WHERE id = 1", false, NULL},
        {"SELECT upper('a') FROM customer WHERE id = 1", true, "A"}, /* there is one, too */
        {"SELECT nvl('a', 'b') FROM customer WHERE id = 1", true, "a"},
        {"SELECT unseen('1') FROM customer WHERE id = 1", false, NULL},
    };
    static const struct sql_tenant nobody = {.on = false};
    struct arena arena;
    arena_init(&arena, 16 << 20);
    TEST_EACH(c, cases) {
        struct sql_verdict verdict = {0};
        sql_policy_judge(&sql_policy_default, SQL_MYSQL, str_of(c->sql), catalog, nobody, &arena,
                         &verdict);
        EXPECT_STR(c->sql, str_of(verdict.code == ERR_OK ? "" : verdict.rule),
                   str_of(c->accepted ? "" : "function"));
        if (c->answer == NULL)
            continue;
        struct sql_query query = {0};
        struct sql_statement statement = {.text = str_of(c->sql)};
        found->rig.done_calls = 0;
        sql_query_start(&query, found->sql, &statement, rig_waiter(&found->rig));
        rig_wait(c->sql, &found->rig, 1);
        EXPECT_INT(c->sql, query.result.row_count, 1);
        EXPECT_STR(c->sql, sql_result_at(&query.result, 0, 0)->text, str_of(c->answer));
        op_release(&query.op);
    }
    arena_fini(&arena);
}

TEST(mysql)
{
    struct found found;
    open_engine(&found, "mysql", "introspect_engines");
    const struct catalog *catalog = look(&found, &whole);
    EXPECT_STR("err", str_of(found.rig.err.text), STR(""));
    check_customer(catalog);
    EXPECT_INT("tables", catalog->table_count, 4);
    EXPECT_TRUE("columns in any case", !catalog->case_sensitive_columns);
    EXPECT_INT("boolean", column_of(catalog, "customer", "ACTIVE")->type, CATALOG_BOOLEAN);
    EXPECT_STR("home", table_of(catalog, "introspect_engines.customer")->schema, STR(""));
    const struct catalog_table *pair = table_of(catalog, "pair");
    EXPECT_INT("to itself, two columns", pair->references[0].column_count, 2);
    EXPECT_INT("in order", pair->references[0].to_columns[1], 1);
    EXPECT_INT("without invisible ones", pair->column_count, 5);
    EXPECT_INT("granted columns", table_of(catalog, "note")->column_count, 4);
    EXPECT_INT("keys", table_of(catalog, "note")->key_count, 2);
    check_stored_functions(&found, catalog);
    lose(&found, "mysql", "introspect_engines");
}

static const char *const engines[] = {"postgres", "mysql"};

TEST(missing_secure_views_are_named)
{
    const struct introspect_options options = {
        .secure_views = STR("{\"customer\":\"secure_customr\",\"note\":\"secure_note\"}")};
    TEST_EACH(engine, engines) {
        struct found found;
        open_engine(&found, *engine, "introspect_missing");
        EXPECT_TRUE(*engine, look(&found, &options) == NULL);
        EXPECT_INT(*engine, found.rig.err.code, ERR_INVALID);
        EXPECT_TRUE(*engine, strstr(found.rig.err.text, "secure_customr, secure_note") != NULL);
        lose(&found, *engine, "introspect_missing");
    }
}

TEST(private_names_for_files)
{
    const struct introspect_options options = {.show_private = true};
    TEST_EACH(engine, engines) {
        struct found found;
        open_engine(&found, *engine, "introspect_private");
        const struct catalog *catalog = look(&found, &options);
        EXPECT_TRUE(*engine, !column_of(catalog, "customer", "password_hash")->hidden);
        lose(&found, *engine, "introspect_private");
    }
}

TEST(cancelled_at_every_turn)
{
    TEST_EACH(engine, engines) {
        struct found found;
        open_engine(&found, *engine, "introspect_cancelled");
        look(&found, &whole);
        bool ended = false;
        for (unsigned turns = 0; !ended; turns = rig_after(turns) + turns / 4) {
            catalog_destroy(found.introspect.catalog);
            found.rig.done_calls = 0;
            introspect_start(&found.introspect, found.sql, &whole, rig_waiter(&found.rig));
            ended = rig_turn(&found.rig, turns, 1);
            op_cancel(&found.introspect.op);
            rig_wait(*engine, &found.rig, 1);
            bool done = found.rig.err.code == ERR_OK;
            if (!done && (ended || found.rig.err.code != ERR_CANCELLED))
                fail_msg("%s after %u turns: %s", *engine, turns, found.rig.err.text);
            EXPECT_TRUE(*engine, done == (found.introspect.catalog != NULL));
            op_release(&found.introspect.op);
        }
        lose(&found, *engine, "introspect_cancelled");
    }
}

RUN_TESTS(T(postgresql), T(mysql), T(missing_secure_views_are_named), T(private_names_for_files),
          T(cancelled_at_every_turn))
