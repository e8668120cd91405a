/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_rows.h - whether two results say the same.
 *
 * Names and order of columns, and columns that the answer has besides, do not matter; nor does the
 * order of rows unless it was asked for. Numbers are equal to six digits behind the point. Pure. */
#ifndef SERVER_CLI_CMD_EVAL_ROWS_H
#define SERVER_CLI_CMD_EVAL_ROWS_H

#include "backends/sql.h"
#include "core/base/arena.h"

struct json_value;

struct cmd_eval_rows {
    const struct str *cells; /* row-major, as text that is equal when the values are */
    size_t row_count, column_count;
    bool truncated;
};

/* The rows of an answer: {"rows":[[...]],"truncated":...}. False: it is none, or no memory. */
MUST_USE bool cmd_eval_rows_read(struct arena *arena, const struct json_value *data,
                                 struct cmd_eval_rows *rows);
/* The rows of a statement. False: no memory. */
MUST_USE bool cmd_eval_rows_of(struct arena *arena, const struct sql_result *result,
                               struct cmd_eval_rows *rows);
/* Whether answer has the rows of gold, in their order when ordered. Of a truncated answer: whether
 * all it shows are among gold's, which has more. */
bool cmd_eval_rows_same(struct arena *arena, const struct cmd_eval_rows *gold,
                        const struct cmd_eval_rows *answer, bool ordered);
/* Whether the statement's outermost query says ORDER BY. */
bool cmd_eval_rows_ordered(struct arena *arena, enum sql_dialect dialect, struct str sql);

#endif
