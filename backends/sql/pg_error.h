/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_error.h - what PostgreSQL says went wrong, as a code and a sentence of ours.
 *
 * The sentence is the server's message and hint: what a correction needs (which column, what it
 * might mean). Its detail and context, which may quote rows, are left out, and so is what a message
 * quotes of data that could not be converted. Any thread. */
#ifndef BACKENDS_SQL_PG_ERROR_H
#define BACKENDS_SQL_PG_ERROR_H

#include "core/base/err.h"
#include "core/base/str.h"

struct pg_result; /* libpq's PGresult */

enum { PG_ERROR_STATE_BYTES = 6 };

/* What a SQLSTATE means here: ERR_UNAVAILABLE (the connection, the server or its resources),
 * ERR_DENIED (the login), ERR_TIMEOUT (57014: cancelled, by whom is for the caller to know), else
 * ERR_REJECTED (the statement). */
enum err_code pg_error_code(struct str sqlstate);

/* Fill err and sqlstate from a result that failed; returns the code. */
enum err_code pg_error_take(const struct pg_result *result, char sqlstate[PG_ERROR_STATE_BYTES],
                            struct err *err);

/* Fill err from libpq's text on a failed connection, whose server messages are verbose ("FATAL:
 * 28P01: ..."), saying where ("host:port"). ERR_DENIED, else ERR_UNAVAILABLE. */
enum err_code pg_error_connect(const char *text, const char *where, struct err *err);

#endif
