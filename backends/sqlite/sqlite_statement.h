/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_statement.h - statements that are bound, stepped and reset many times, and
 * the transaction around them. For one that runs once: sqlite_row.h. For jobs of sqlite_thread. */
#ifndef BACKENDS_SQLITE_SQLITE_STATEMENT_H
#define BACKENDS_SQLITE_SQLITE_STATEMENT_H

#include "core/base/err.h"
#include "core/base/str.h"

struct sqlite3;
struct sqlite3_stmt;

/* Prepare sql as a statement, which the caller steps and finalizes; NULL with err when sql is no
 * statement. */
struct sqlite3_stmt *sqlite_statement_make(struct sqlite3 *db, const char *sql, struct err *err);
void sqlite_statement_bind_str(struct sqlite3_stmt *statement, int index, struct str value);
void sqlite_statement_bind_blob(struct sqlite3_stmt *statement, int index, struct str value);
struct str sqlite_statement_column(struct sqlite3_stmt *statement, int index);
/* One step of a statement that gives no rows, and back to its start. */
MUST_USE enum err_code sqlite_statement_run(struct sqlite3 *db, struct sqlite3_stmt *statement,
                                            struct err *err);
/* COMMIT when code is ERR_OK, else ROLLBACK; returns what became of it. */
MUST_USE enum err_code sqlite_statement_end_transaction(struct sqlite3 *db, enum err_code code,
                                                        struct err *err);

/* Run schema unless table or trigger marker is there already: a file that cannot be written can be
 * read all the same. */
MUST_USE enum err_code sqlite_statement_make_tables(struct sqlite3 *db, const char *marker,
                                                    const char *schema, struct err *err);

#endif
