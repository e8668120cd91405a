/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_write.h - what is said back in the Model Context Protocol, as JSON. Pure.
 */
#ifndef SERVER_FACADES_MCP_MCP_WRITE_H
#define SERVER_FACADES_MCP_MCP_WRITE_H

#include "core/base/buf.h"
#include "core/store/event.h"
#include "server/facades/mcp/mcp_message.h"

struct shard;

/* The answer to a message that is refused. */
void mcp_write_problem(const struct mcp_problem *problem, struct buf *out);
/* The answer to "initialize", which names a revision. */
void mcp_write_initialize(const struct mcp_message *message, struct str requested, struct buf *out);
/* The answer to "server/discover", the stateless revision's first call. */
void mcp_write_discover(const struct mcp_message *message, struct buf *out);
/* The answer to "ping", an empty result. */
void mcp_write_empty(const struct mcp_message *message, struct buf *out);
/* The answer to "tools/list". */
void mcp_write_tools(const struct mcp_message *message, const struct shard *shard, struct buf *out);

/* The answer to "tools/call": text for a model, and a JSON object for programs (absent: none). A
 * call that went wrong is an answer, too: the model reads why. */
struct mcp_result {
    struct str text, structured;
    bool is_error;
};
void mcp_write_result(const struct mcp_message *message, const struct mcp_result *result,
                      struct buf *out);

/* How far a call is: what event says, as the step-th notification for the caller's token; nothing
 * when that is of no interest. Returns whether something was written. */
bool mcp_write_progress(const struct json_value *token, uint64_t step, const struct event *event,
                        struct buf *out);

#endif
