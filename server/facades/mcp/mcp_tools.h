/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_tools.h - what a client of the Model Context Protocol may call, and with
 * what.
 *
 * ask runs a graph, run_sql and search_docs the two graphs made for programs, list_tables reads the
 * catalog at once (mcp_tables.h). Who calls is never an argument: a model fills those in. Pure. */
#ifndef SERVER_FACADES_MCP_MCP_TOOLS_H
#define SERVER_FACADES_MCP_MCP_TOOLS_H

#include "proto/json_value.h"

struct json_write;
struct shard;

enum mcp_tool { MCP_ASK, MCP_RUN_SQL, MCP_SEARCH_DOCS, MCP_LIST_TABLES, MCP_TOOL_COUNT };

struct mcp_arguments {  /* views of the call; absent where not given */
    struct str message; /* what the graph is asked */
    struct str graph;   /* its name */
    struct str conversation_id;
    struct str table; /* list_tables */
};

/* False: there is no such tool. */
MUST_USE bool mcp_tools_find(struct str name, enum mcp_tool *tool);
/* Read arguments (an object, or NULL). ERR_INVALID names the one that is wrong. */
MUST_USE enum err_code mcp_tools_read(enum mcp_tool tool, const struct json_value *arguments,
                                      size_t max_message_bytes, struct mcp_arguments *read,
                                      struct err *err);
/* The array of all tools with their schemas; ask may name the graphs that shard offers.
 */
void mcp_tools_write(const struct shard *shard, struct json_write *json);

#endif
