/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_row.c - SQLite's result code is kept until somebody asks. Statements stay
 * with their connection when they have ended: the next one of the same text needs no parsing. Texts
 * are literals, so where a text is says which statement was made of it last.
 *
 * Failure: after the first all calls do nothing; end says what it was. */
#include "backends/sqlite/sqlite_row.h"

#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "backends/sqlite/sqlite_thread.h"

static bool is_idle(sqlite3_stmt *stmt, const char *sql)
{
    return !sqlite3_stmt_busy(stmt) && strcmp(sqlite3_sql(stmt), sql) == 0;
}

/* A statement of this text that nobody uses now; NULL: none. */
static sqlite3_stmt *find_idle(struct sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    while ((stmt = sqlite3_next_stmt(db, stmt)) != NULL)
        if (is_idle(stmt, sql))
            return stmt;
    return NULL;
}

struct sqlite_row sqlite_row_make(struct sqlite3 *db, const char *sql)
{
    struct sqlite_row row = {.db = db, .stmt = find_idle(db, sql)};
    if (row.stmt == NULL)
        row.code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &row.stmt, NULL);
    return row;
}

struct sqlite_row sqlite_row_again(struct sqlite_row_places *places, struct sqlite3 *db,
                                   const char *sql)
{
    struct sqlite3_stmt **made =
        &places->made[(uintptr_t)sql / sizeof(uint64_t) % countof(places->made)];
    if (*made != NULL && is_idle(*made, sql))
        return (struct sqlite_row){.db = db, .stmt = *made};
    struct sqlite_row row = sqlite_row_make(db, sql);
    if (row.stmt != NULL)
        *made = row.stmt;
    return row;
}

static bool goes_on(const struct sqlite_row *row)
{
    return row->code == SQLITE_OK || row->code == SQLITE_ROW;
}

void sqlite_row_text(struct sqlite_row *row, struct str value)
{
    if (goes_on(row))
        row->code = sqlite3_bind_text64(row->stmt, ++row->bound, value.at == NULL ? "" : value.at,
                                        value.len, SQLITE_STATIC, SQLITE_UTF8);
}

void sqlite_row_bytes(struct sqlite_row *row, struct str value)
{
    if (goes_on(row))
        row->code = sqlite3_bind_blob64(row->stmt, ++row->bound, value.at == NULL ? "" : value.at,
                                        value.len, SQLITE_STATIC);
}

void sqlite_row_number(struct sqlite_row *row, uint64_t value)
{
    if (goes_on(row))
        row->code = sqlite3_bind_int64(row->stmt, ++row->bound, (sqlite3_int64)value);
}

bool sqlite_row_next(struct sqlite_row *row)
{
    if (goes_on(row))
        row->code = sqlite3_step(row->stmt);
    return row->code == SQLITE_ROW;
}

struct str sqlite_row_text_at(struct sqlite_row *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row->stmt, column);
    return text == NULL ? STR("") : str_make(text, (size_t)sqlite3_column_bytes(row->stmt, column));
}

struct str sqlite_row_bytes_at(struct sqlite_row *row, int column)
{
    const char *bytes = sqlite3_column_blob(row->stmt, column);
    return bytes == NULL ? STR("")
                         : str_make(bytes, (size_t)sqlite3_column_bytes(row->stmt, column));
}

uint64_t sqlite_row_number_at(struct sqlite_row *row, int column)
{
    return (uint64_t)sqlite3_column_int64(row->stmt, column);
}

enum err_code sqlite_row_end(struct sqlite_row *row, struct err *err)
{
    bool fine = goes_on(row) || row->code == SQLITE_DONE;
    enum err_code code = fine ? ERR_OK : sqlite_thread_fail(row->db, row->code, err);
    if (row->stmt != NULL) {            /* NULL: it did not compile, or was interrupted there */
        (void)sqlite3_reset(row->stmt); /* its code is known */
        (void)sqlite3_clear_bindings(row->stmt);
    }
    row->stmt = NULL;
    return code;
}

enum err_code sqlite_row_run(struct sqlite_row *row, struct err *err)
{
    (void)sqlite_row_next(row);
    return sqlite_row_end(row, err);
}

enum err_code sqlite_row_exec(struct sqlite3 *db, const char *sql, struct err *err)
{
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

void sqlite_row_forget(struct sqlite3 *db)
{
    sqlite3_stmt *kept;
    while ((kept = sqlite3_next_stmt(db, NULL)) != NULL)
        sqlite3_finalize(kept);
}
