/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_rows.h - the rows of an answer as a table for people, or as CSV for programs.
 *
 * data is the "data" of an answer: {"columns":[...],"rows":[[...]]}. Any thread. */
#ifndef SERVER_CLI_CMD_ROWS_H
#define SERVER_CLI_CMD_ROWS_H

#include "core/base/buf.h"
#include "proto/json_value.h"

/* Whether data has columns and at least one row; NULL has none. */
bool cmd_rows_any(const struct json_value *data);
/* Append a table: columns of numbers are right-aligned, cells of more than 60 characters are cut,
 * and characters that control a terminal are blanks. bold: the names of the columns stand out.
 * Below it: how many rows there are beyond those shown, when data says so. */
void cmd_rows_table(const struct json_value *data, bool bold, struct buf *out);
/* Append RFC 4180: a line of names, a line for each row, CRLF; null is an empty field. */
void cmd_rows_csv(const struct json_value *data, struct buf *out);

/* Append text with a blank for each character that controls a terminal. */
void cmd_rows_plain(struct str text, struct buf *out);

#endif
