/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_row.h - one statement of a job, from its text to its rows, with a sticky
 * failure.
 *
 *   struct sqlite_row row = sqlite_row_make(db, "SELECT a FROM t WHERE b = ?1 AND c = ?2");
 *   sqlite_row_text(&row, b);
 *   sqlite_row_number(&row, c);
 *   while (sqlite_row_next(&row))
 *       ... sqlite_row_number_at(&row, 0) ...
 *   return sqlite_row_end(&row, err);
 * Values are bound in order and kept until end. Texts are few and fixed: each stays prepared.
 * On the database's thread only. */
#ifndef BACKENDS_SQLITE_SQLITE_ROW_H
#define BACKENDS_SQLITE_SQLITE_ROW_H

#include "core/base/err.h"
#include "core/base/str.h"

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_row {
    /* private */
    struct sqlite3 *db;
    struct sqlite3_stmt *stmt;
    int code, bound;
};

/* What was made last of the text at a place, of one connection; zeroed when that is opened. */
struct sqlite_row_places {
    struct sqlite3_stmt *made[256]; /* private */
};

struct sqlite_row sqlite_row_make(struct sqlite3 *db, const char *sql);
/* The same, but sooner found, since sql is where it was the last time. */
struct sqlite_row sqlite_row_again(struct sqlite_row_places *places, struct sqlite3 *db,
                                   const char *sql);
void sqlite_row_text(struct sqlite_row *row, struct str value);
void sqlite_row_bytes(struct sqlite_row *row, struct str value);
void sqlite_row_number(struct sqlite_row *row, uint64_t value);
/* The next row, whose values are borrowed until then. False: no more, or it failed. */
bool sqlite_row_next(struct sqlite_row *row);
struct str sqlite_row_text_at(struct sqlite_row *row, int column);
struct str sqlite_row_bytes_at(struct sqlite_row *row, int column);
uint64_t sqlite_row_number_at(struct sqlite_row *row, int column);
/* Let the statement go, and return how it went. */
MUST_USE enum err_code sqlite_row_end(struct sqlite_row *row, struct err *err);
/* For statements without rows: next, then end. */
MUST_USE enum err_code sqlite_row_run(struct sqlite_row *row, struct err *err);
/* Text without parameters: BEGIN, CREATE; several statements are fine. */
enum err_code sqlite_row_exec(struct sqlite3 *db, const char *sql, struct err *err);
/* Drop what stays prepared, before db is closed (sqlite_thread_options.on_close). Not for databases
 * with virtual tables: their modules own statements, too. */
void sqlite_row_forget(struct sqlite3 *db);

#endif
