/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp.h - a client of one MCP server: its session, its tools, calls of them.
 *
 *   unknown -open-> opening -> ready, or failed (asked again after a while)
 * The session and the list of tools are opened when they are first needed; a session that the
 * server has forgotten is opened anew. No key or token of askd's callers is ever passed on. One
 * loop, one thread. */
#ifndef BACKENDS_REMOTE_REMOTE_MCP_H
#define BACKENDS_REMOTE_REMOTE_MCP_H

#include "backends/http/http_client.h"
#include "backends/remote/remote_file.h"
#include "core/base/log.h"

struct remote_mcp;

struct remote_mcp_options { /* all outlive it */
    struct loop *loop;
    struct http_client *client;
    const struct remote_file *file;
    const struct remote_file_server *server; /* of file */
    const struct log *log;
    void (*on_settled)(void *owner); /* opening ended, well or badly; from the loop */
    void *owner;
};

struct remote_mcp *remote_mcp_create(const struct remote_mcp_options *options); /* NULL: memory */
/* Open what is unknown, forgotten, stale, or failed a while ago. False: there is nothing to wait
 * for. */
bool remote_mcp_open(struct remote_mcp *mcp);
/* Tools as the file lets them through, named SERVER_TOOL; valid until the loop's next turn. */
const struct remote_tool *remote_mcp_tools(const struct remote_mcp *mcp, size_t *count);
/* Start a call of one of its tools. */
void remote_mcp_call(struct remote_mcp *mcp, struct remote_call *call, struct op_waiter waiter);
/* Begin nothing more, let what is under way end, end the session, then call on_closed(owner),
 * later, once. */
void remote_mcp_close(struct remote_mcp *mcp, void (*on_closed)(void *owner), void *owner);
/* End with ERR_CANCELLED what is under way. */
void remote_mcp_cancel(struct remote_mcp *mcp);

#endif
