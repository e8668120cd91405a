/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_sqlite.h - SQLite through sqlite_thread, read-only, with an authorizer that lets
 * reads and known functions through and nothing else.
 *
 * Session variables are what the SQL function session_var('name') gives: NULL when the statement
 * brings none of that name. Views and tenant predicates use it; model SQL may not (the policy's
 * affair: SQLite cannot tell who calls). */
#ifndef BACKENDS_SQL_SQL_SQLITE_H
#define BACKENDS_SQL_SQL_SQLITE_H

#include "backends/sql.h"

/* path is copied. Several threads serve one database (each its own connection); 0: 2.
 * max_queued: waiting statements past it end with ERR_BUSY. NULL: no memory. */
struct sql *sql_sqlite_create(struct loop *loop, const char *path, unsigned threads,
                              size_t max_queued);

#endif
