/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_guard.c - any bytes before the guard, with a database that has more than the
 * catalog says.
 *
 * What is accepted must have a LIMIT, must not change when judged again, and, compiled against the
 * real tables, must read only columns of the catalog. */
#include <sqlite3.h>

#include "tests/fuzz/judge.h"

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

/* Compiled against the real tables. */
static void look(struct catalog *catalog, const struct sql_verdict *again,
                 struct arena *arena UNUSED)
{
    sqlite3 *db = NULL;
    CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
          sqlite3_exec(db, ddl, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_set_authorizer(db, watch, catalog);
    compile(db, again->sql);
    sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return judge_try(SQL_SQLITE, join_graph, str_make((const char *)data, size), look);
}
