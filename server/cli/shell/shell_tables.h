/* SPDX-License-Identifier: MIT */
/* server/cli/shell/shell_tables.h - what a person may ask about, as text: the tables, or the
 * columns of one. Only what the policy lets statements read is shown. */
#ifndef SERVER_CLI_SHELL_SHELL_TABLES_H
#define SERVER_CLI_SHELL_SHELL_TABLES_H

#include "agents/services/services.h"

/* Append the tables of what is known to out. */
void shell_tables_list(const struct knowledge *knows, bool bold, struct buf *out);
/* Append the columns of the table of this name ("name" or "schema.name"). ERR_NOT_FOUND: there is
 * none; err names the nearest. */
MUST_USE enum err_code shell_tables_describe(const struct knowledge *knows, struct str name,
                                             bool bold, struct buf *out, struct err *err);

#endif
