/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_introspect.h - "askd joins introspect": a database's tables and foreign keys
 * as a join-graph file. Private to cmd_joins; blocks. */
#ifndef SERVER_CLI_CMD_JOINS_INTROSPECT_H
#define SERVER_CLI_CMD_JOINS_INTROSPECT_H

#include "core/base/buf.h"
#include "core/base/err.h"

/* Introspect the database at url and append the file's text to out; on stderr say what was found:
 * a sentence on a terminal, else a JSON line. Errors: as cmd_input_catalog. */
MUST_USE enum err_code cmd_joins_introspect(const char *url, struct buf *out, struct err *err);

#endif
