/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_error.h - what the server's and the client library's error numbers mean here.
 *
 * Numbers and texts only; no connection. Any thread. */
#ifndef BACKENDS_SQL_MYSQL_ERROR_H
#define BACKENDS_SQL_MYSQL_ERROR_H

#include "core/base/err.h"
#include "core/base/str.h"

/* Fill err for a query that failed, and return its code: ERR_REJECTED with the server's text for
 * what is wrong with a statement; ERR_TIMEOUT for the server's time limit; ERR_CANCELLED for KILL
 * QUERY (only the caller knows who sent it); ERR_UNAVAILABLE for the rest, with a text that holds
 * no path or setting of the server's. */
enum err_code mysql_error_of_query(struct err *err, unsigned number, struct str text);
/* Fill err for a login that failed, while connecting to place ("db.example:3306") as user:
 * ERR_DENIED when the login or the database is refused, ERR_UNAVAILABLE else. */
enum err_code mysql_error_of_login(struct err *err, unsigned number, struct str text,
                                   const char *place, const char *user);
/* Whether the number says that the connection itself is gone, whatever it did. */
bool mysql_error_is_loss(unsigned number);

#endif
