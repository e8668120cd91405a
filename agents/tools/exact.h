/* SPDX-License-Identifier: MIT */
/* agents/tools/exact.h - arithmetic without rounding: an expression over decimal numbers and values
 * of earlier results, calculated in fractions.
 *
 *   (s3[1].total - s2[1].total) / s2[1].total * 100       round(avg(s4[*].hours), 2)
 * Operators + - * / and parentheses; sum, avg, min, max, count of several values; abs; round with
 * digits. s3[1].total is the value of the column total in the first row of statement s3, s3[1][2]
 * that of its second column; s3[*].total all of its values. Pure; any thread. */
#ifndef AGENTS_TOOLS_EXACT_H
#define AGENTS_TOOLS_EXACT_H

#include "core/base/buf.h"
#include "core/base/err.h"

enum { TOOLS_EXACT_MOST_VALUES = 1000 }; /* of a column, or of a function's arguments */

/* Finds a value of an earlier result. row and column count from 1; name instead of column where it
 * is not absent. ERR_NOT_FOUND past the last row; any other error says why there is no value.
 * *value is as the result has it: text of a number; absent: NULL, which is passed over in a column.
 */
typedef enum err_code tools_exact_find_fn(void *owner, struct str statement, size_t row,
                                          size_t column, struct str name, struct str *value,
                                          struct err *err);

/* Calculate expression and append the result to out: as a decimal where that is exact within 12
 * digits behind the point, else rounded to them, and *is_rounded. ERR_INVALID: what is wrong with
 * the expression, and where; ERR_TOO_LARGE: the numbers do not fit into 127 bits. */
MUST_USE enum err_code tools_exact_calculate(struct str expression, tools_exact_find_fn *find,
                                             void *owner, struct buf *out, bool *is_rounded,
                                             struct err *err);

#endif
