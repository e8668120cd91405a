/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_encoder.h - a run as the answer to a tool's call: one JSON-RPC response;
 * in a stream, after notifications of how far the run is. */
#ifndef SERVER_FACADES_MCP_MCP_ENCODER_H
#define SERVER_FACADES_MCP_MCP_ENCODER_H

#include "server/http/encoder.h"
#include "server/facades/mcp/mcp_message.h"
#include "server/facades/mcp/mcp_tools.h"

/* The message with which a client's cancel ends a run: such an end is not answered. */
#define MCP_ENCODER_CANCELLED "the client cancelled its request"

struct mcp_encoder_options { /* views live as long as exchange */
    struct exchange *exchange;
    const struct mcp_message *message; /* copied */
    enum mcp_tool tool;
    const struct json_value *progress; /* the caller's token for progress; NULL: no stream */
};

/* Make it the exchange's; what is refused from then on is a tool's error. False: no memory. */
MUST_USE bool mcp_encoder_make(const struct mcp_encoder_options *options);

#endif
