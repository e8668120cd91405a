/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_rows.h - rows of a prepared MySQL statement as typed values, within caps.
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
#ifndef BACKENDS_SQL_MYSQL_ROWS_H
#define BACKENDS_SQL_MYSQL_ROWS_H

#include "backends/sql/sql_rows.h"

struct st_mysql_stmt; /* Connector/C's MYSQL_STMT */

/* Take the names of the columns. ERR_NO_MEMORY. */
MUST_USE enum err_code mysql_rows_name(struct sql_rows *rows, struct st_mysql_stmt *stmt,
                                       struct err *err);
/* Keep the row just fetched. Errors and truncation of sql_rows_next. */
MUST_USE enum err_code mysql_rows_keep(struct sql_rows *rows, struct st_mysql_stmt *stmt,
                                       struct err *err);

#endif
