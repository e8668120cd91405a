/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_guard.c - any bytes before the guard, with a database that has more than the
 * catalog says.
 *
 * What is accepted must have a LIMIT, must not change when judged again, and, compiled against the
 * real tables, must read only columns of the catalog. */
#include <sqlite3.h>
#include <stdint.h>

#include "agents/sql/policy.h"
#include "tests/guard/read_again.h"

enum { FUZZ_ARENA_BYTES = 32 << 20 };

static const char join_graph[] =
    "{\"version\":1,\"tables\":{\"t\":{\"columns\":[\"id\",\"a\"]},"
    "\"u\":{\"columns\":[\"id\",\"t_id\",\"b\"]},\"v\":{\"columns\":[\"id\",\"a\"]}},"
    "\"secure_view_map\":{\"u\":\"v\"},\"relationships\":[]}";
static const char ddl[] = "CREATE TABLE t(id, a, b, secret); CREATE TABLE u(id, t_id, a, b, s);"
                          "CREATE TABLE v(id, a, secret, b); CREATE TABLE k(key)";

static int watch(void *owner, int action, const char *table, const char *column,
                 const char *database, const char *view)
{
    const struct catalog *catalog = owner;
    (void)database;
    (void)view;
    if (action != SQLITE_READ || column == NULL || column[0] == '\0')
        return SQLITE_OK;
    int found = catalog_find_table(catalog, (struct str){NULL, 0}, str_of(table));
    CHECK(found != CATALOG_NONE && catalog->tables[found].secure_view == CATALOG_NONE);
    CHECK(catalog_find_column(catalog, found, str_of(column)) != CATALOG_NONE);
    return SQLITE_OK;
}

static void compile(sqlite3 *db, struct str sql)
{
    sqlite3_stmt *stmt = NULL;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(db, sql.at, (int)sql.len, &stmt, &tail) == SQLITE_OK) {
        CHECK(stmt != NULL && tail == sql.at + sql.len && sqlite3_stmt_readonly(stmt));
    }
    sqlite3_finalize(stmt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct catalog *catalog;
    struct err err;
    struct arena arena;
    struct sql_verdict verdict, again;
    const struct sql_tenant nobody = {.on = false};
    sqlite3 *db = NULL;
    struct str text = str_make((const char *)data, size);
    if (catalog_from_join_graph(str_of(join_graph), &catalog, &err) != ERR_OK)
        return 0;
    arena_init(&arena, FUZZ_ARENA_BYTES);
    sql_policy_judge(&sql_policy_default, SQL_SQLITE, text, catalog, nobody, &arena, &verdict);
    if (verdict.code == ERR_OK) {
        struct sql_finding finding;
        CHECK(read_again((struct sql_visible){&sql_policy_default, catalog}, nobody, &verdict,
                         &arena, &finding));
        sql_policy_judge(&sql_policy_default, SQL_SQLITE, verdict.sql, catalog, nobody, &arena,
                         &again);
        CHECK(again.code == ERR_OK && str_equal(again.sql, verdict.sql));
        CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
              sqlite3_exec(db, ddl, NULL, NULL, NULL) == SQLITE_OK);
        sqlite3_set_authorizer(db, watch, catalog);
        compile(db, verdict.sql);
        sqlite3_close(db);
    } else {
        CHECK(str_is_absent(verdict.sql) && verdict.err.text[0] != '\0');
    }
    arena_fini(&arena);
    catalog_destroy(catalog);
    return 0;
}
