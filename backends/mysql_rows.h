/* SPDX-License-Identifier: MIT */
/* backends/mysql_rows.h - rows of a prepared MySQL statement as typed values, within caps.
 *
 *   TINYINT to BIGINT, YEAR, BIT      SQL_INT; TINYINT(1) and BOOLEAN too, as 0 and 1 (the column
 *                                     may hold more than that); above INT64_MAX: SQL_DECIMAL
 *   DECIMAL                           SQL_DECIMAL, digits as the server wrote them
 *   FLOAT, DOUBLE                     SQL_REAL; FLOAT as the shortest number that is that float
 *   DATE, DATETIME, TIMESTAMP, TIME   SQL_TEXT as MySQL writes them, with the column's decimals
 *   CHAR, TEXT, ENUM, SET, JSON       SQL_TEXT
 *   BINARY, BLOB, GEOMETRY, and text
 *   that is not UTF-8                 SQL_BLOB
 * One thread; lives in one query. */
#ifndef BACKENDS_MYSQL_ROWS_H
#define BACKENDS_MYSQL_ROWS_H

#include "backends/sql.h"

struct st_mysql_stmt; /* Connector/C's MYSQL_STMT */

struct mysql_rows {
    struct sql_result result;
    size_t max_rows, max_bytes;
    /* private */
    struct arena arena; /* texts and names */
    struct sql_value *values;
    size_t row_cap, bytes;
};

/* Caps as in struct sql_statement; 0: its defaults. Allocates nothing yet. */
void mysql_rows_init(struct mysql_rows *rows, size_t max_rows, size_t max_bytes);
/* Free all that result points at. */
void mysql_rows_fini(struct mysql_rows *rows);

/* Take the names of the columns. ERR_NO_MEMORY. */
MUST_USE enum err_code mysql_rows_name(struct mysql_rows *rows, struct st_mysql_stmt *stmt,
                                       struct err *err);
/* Keep the row just fetched, or set result.truncated when it is over a cap. ERR_TOO_LARGE: one
 * value, or the first row, is over max_bytes; ERR_NO_MEMORY. */
MUST_USE enum err_code mysql_rows_keep(struct mysql_rows *rows, struct st_mysql_stmt *stmt,
                                       struct err *err);

/* No more rows are wanted. */
static inline bool mysql_rows_is_full(const struct mysql_rows *rows)
{
    return rows->result.truncated;
}

#endif
