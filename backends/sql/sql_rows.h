/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_rows.h - a sql_result that grows row by row within its statement's caps.
 *
 * Knows nothing of an engine: the reader of rows says how large the next one is, gets room for it
 * or is told that it does not fit, and fills it in. Lives in one query; used by one thread at a
 * time. */
#ifndef BACKENDS_SQL_SQL_ROWS_H
#define BACKENDS_SQL_SQL_ROWS_H

#include "backends/sql.h"

enum { SQL_ROWS_NUMBER_BYTES = 8 }; /* what a value that is not text counts */

struct sql_rows {
    struct sql_result result; /* valid until sql_rows_fini */
    size_t max_rows, max_bytes;
    struct arena arena; /* names and texts */
    /* private */
    struct sql_value *values;
    size_t row_cap, bytes;
};

/* The caps of statement, its defaults applied. Allocates nothing yet. */
void sql_rows_init(struct sql_rows *rows, const struct sql_statement *statement);
/* Free all that result points at. Zeroed storage is fine. */
void sql_rows_fini(struct sql_rows *rows);

/* The columns' names, to be filled in, count of them (0: a result without columns). NULL: no
 * memory. */
struct str *sql_rows_columns(struct sql_rows *rows, size_t count);

/* Room for one more row of so many bytes, whose largest value has so many: *row gets its values,
 * zeroed (NULLs). When it is over a cap, *row is NULL, result.truncated is set and no more rows are
 * wanted. ERR_TOO_LARGE: one value, or the first row, is over max_bytes; ERR_NO_MEMORY. */
MUST_USE enum err_code sql_rows_next(struct sql_rows *rows, size_t row_bytes, size_t largest_bytes,
                                     struct sql_value **row, struct err *err);

#endif
