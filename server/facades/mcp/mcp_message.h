/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_message.h - one JSON-RPC message of the Model Context Protocol, read and
 * checked.
 *
 * Both families of revisions: those that begin with "initialize" (2025-03-26 to 2025-11-25) and the
 * stateless one (2026-07-28), whose requests carry their revision in params._meta and repeat it,
 * the method and the tool's name in headers. Pure; everything lives as long as the arena and the
 * body. */
#ifndef SERVER_FACADES_MCP_MCP_MESSAGE_H
#define SERVER_FACADES_MCP_MCP_MESSAGE_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "proto/json_value.h"

enum mcp_code { /* of JSON-RPC, and two of the protocol's own */
                MCP_PARSE_ERROR = -32700,
                MCP_INVALID_REQUEST = -32600,
                MCP_METHOD_NOT_FOUND = -32601,
                MCP_INVALID_PARAMS = -32602,
                MCP_INTERNAL_ERROR = -32603,
                MCP_HEADER_MISMATCH = -32020,
                MCP_UNSUPPORTED_VERSION = -32022,
};

struct mcp_headers { /* absent where there were none */
    struct str version, method, name;
};

struct mcp_message {
    const struct json_value *id;     /* a string or a number; NULL: a notification or an answer */
    struct str method;               /* absent: an answer, to a question we never ask */
    const struct json_value *params; /* an object; NULL: none */
    struct str version;              /* the revision it is written in; absent: not said */
    bool is_stateless;               /* 2026-07-28 */
};

struct mcp_problem {
    int status; /* of HTTP */
    enum mcp_code code;
    const struct json_value *id; /* NULL: not known */
    struct str requested;        /* with MCP_UNSUPPORTED_VERSION */
    struct err err;
};

/* Read body. False: problem. */
MUST_USE bool mcp_message_read(struct arena *arena, struct str body,
                               const struct mcp_headers *headers, struct mcp_message *message,
                               struct mcp_problem *problem);
/* Fill problem for message, and return false. */
bool mcp_message_refuse(struct mcp_problem *problem, const struct mcp_message *message, int status,
                        enum mcp_code code, const char *fmt, ...) PRINTF(5, 6);

/* The revisions there are, newest first; a NULL ends them. */
extern const char *const mcp_message_versions[];
/* What "initialize" is answered with: the revision it names, or the newest that has it. Static. */
struct str mcp_message_choose_version(struct str requested);

#endif
