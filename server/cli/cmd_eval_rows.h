/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_rows.h - compares the rows of an answer with the rows that were expected.
 *
 * Names and order of columns do not matter, nor columns that the answer has besides, nor the order
 * of rows unless the statement asked for one. Numbers are equal to six digits behind the point.
 * Pure. */
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

/* Read the rows of an answer: {"rows":[[...]],"truncated":...}. False: data is no such object, or
 * no memory. */
MUST_USE bool cmd_eval_rows_read(struct arena *arena, const struct json_value *data,
                                 struct cmd_eval_rows *rows);
/* Take the rows of the result of a statement. False: no memory. */
MUST_USE bool cmd_eval_rows_of(struct arena *arena, const struct sql_result *result,
                               struct cmd_eval_rows *rows);
/* Whether answer has the rows of gold, which are those expected; in their order when ordered. With
 * a truncated answer: whether all its rows are among those of gold, which has more. */
bool cmd_eval_rows_same(struct arena *arena, const struct cmd_eval_rows *gold,
                        const struct cmd_eval_rows *answer, bool ordered);
/* Whether the outermost query of the statement says ORDER BY. */
bool cmd_eval_rows_ordered(struct arena *arena, enum sql_dialect dialect, struct str sql);

#endif
