/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_tables.h - the tool list_tables: what statements may read, as the guard
 * has it. Pure.
 */
#ifndef SERVER_FACADES_MCP_MCP_TABLES_H
#define SERVER_FACADES_MCP_MCP_TABLES_H

#include "agents/services/services.h"

/* One JSON object: all tables by name, or with table its columns and references. ERR_NOT_FOUND:
 * there is no such table; ERR_UNAVAILABLE: nothing is known about the database. */
MUST_USE enum err_code mcp_tables_write(const struct knowledge *knows, struct str table,
                                        struct buf *out, struct err *err);

#endif
