/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_statement.c - thin around SQLite's own calls.
 *
 * Failure: whatever SQLite says, in sqlite_thread's words; a transaction that failed is rolled
 * back. */
#include "backends/sqlite/sqlite_statement.h"

#include <sqlite3.h>

#include "backends/sqlite/sqlite_row.h"
#include "backends/sqlite/sqlite_thread.h"

struct sqlite3_stmt *sqlite_statement_make(struct sqlite3 *db, const char *sql, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        (void)sqlite_thread_fail(db, code, err);
    return statement;
}

/* Borrowed until the statement's next reset: what is bound lives as long as its job. A bind that
 * finds no memory leaves NULL, which the columns refuse. */
void sqlite_statement_bind_str(struct sqlite3_stmt *statement, int index, struct str value)
{
    sqlite3_bind_text64(statement, index, value.at == NULL ? "" : value.at, value.len,
                        SQLITE_STATIC, SQLITE_UTF8);
}

void sqlite_statement_bind_blob(struct sqlite3_stmt *statement, int index, struct str value)
{
    sqlite3_bind_blob64(statement, index, value.at == NULL ? "" : value.at, value.len,
                        SQLITE_STATIC);
}

struct str sqlite_statement_column(struct sqlite3_stmt *statement, int index)
{
    const char *at = sqlite3_column_blob(statement, index);
    size_t len = (size_t)sqlite3_column_bytes(statement, index);
    return str_make(at == NULL ? "" : at, at == NULL ? 0 : len);
}

enum err_code sqlite_statement_run(struct sqlite3 *db, struct sqlite3_stmt *statement,
                                   struct err *err)
{
    int code = sqlite3_step(statement);
    enum err_code result = ERR_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        result = sqlite_thread_fail(db, code, err);
    sqlite3_reset(statement);
    return result;
}

enum err_code sqlite_statement_end_transaction(struct sqlite3 *db, enum err_code code,
                                               struct err *err)
{
    if (code == ERR_OK)
        code = sqlite_row_exec(db, "COMMIT", err);
    if (code != ERR_OK && !sqlite3_get_autocommit(db)) /* SQLite may have rolled back by itself */
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

enum err_code sqlite_statement_make_tables(struct sqlite3 *db, const char *marker,
                                           const char *schema, struct err *err)
{
    static const char sql[] = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, str_of(marker));
    int step = sqlite3_step(statement);
    enum err_code code = ERR_OK;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        code = sqlite_thread_fail(db, step, err);
    sqlite3_finalize(statement);
    if (code == ERR_OK && step == SQLITE_DONE)
        code = sqlite_statement_end_transaction(db, sqlite_row_exec(db, schema, err), err);
    return code;
}
