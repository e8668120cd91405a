/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp.h - the Model Context Protocol at /mcp, streamable HTTP: docs/facades.md.
 */
#ifndef SERVER_FACADES_MCP_MCP_H
#define SERVER_FACADES_MCP_MCP_H

#include "server/http/route.h"

/* One JSON-RPC message: a request gets its response, a notification 202. */
route_fn mcp_post;

#endif
