/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_rows.h - what PostgreSQL sends as typed values.
 *
 *   boolean                        SQL_BOOL
 *   smallint, integer, bigint, oid SQL_INT
 *   real, double precision         SQL_REAL; NaN and the infinities SQL_TEXT
 *   numeric                        SQL_DECIMAL, digits as sent; NaN and the infinities SQL_TEXT
 *   bytea                          SQL_BLOB
 *   all else (dates, json, uuid,
 *   arrays, enums, ...)            SQL_TEXT as PostgreSQL writes it
 * Text that is not UTF-8 (a SQL_ASCII server converts nothing) is SQL_BLOB, as in SQLite; such
 * bytes in a column's name become '?'. */
#ifndef BACKENDS_SQL_PG_ROWS_H
#define BACKENDS_SQL_PG_ROWS_H

#include "backends/sql/sql_rows.h"

struct pg_result; /* libpq's PGresult */

enum pg_rows_kind {
    PG_ROWS_SOME,    /* rows, or the end of rows */
    PG_ROWS_NONE,    /* of a command, which gives no rows */
    PG_ROWS_SKIPPED, /* not executed, since one before it failed */
    PG_ROWS_FAILED,
};

/* The kind of a result. */
enum pg_rows_kind pg_rows_kind(const struct pg_result *result);

/* Keep the columns' names (once) and the rows result holds. ERR_TOO_LARGE, ERR_NO_MEMORY as
 * sql_rows_next; a cap reached is no error: rows->result.truncated. */
MUST_USE enum err_code pg_rows_keep(struct sql_rows *rows, const struct pg_result *result,
                                    struct err *err);

/* Bytes as PostgreSQL writes a bytea in hex, or text as it is: a copy in arena. Absent: no memory.
 */
struct str pg_rows_bytea(struct arena *arena, struct str text);

#endif
