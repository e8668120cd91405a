/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp_wire.h - messages of the Model Context Protocol as a client writes and
 * reads them, in its four revisions.
 *
 * 2025-03-26, 2025-06-18 and 2025-11-25 begin with "initialize"; 2026-07-28 has no session, every
 * request says its revision, and "server/discover" tells whether a server speaks it. Pure; any
 * thread. */
#ifndef BACKENDS_REMOTE_REMOTE_MCP_WIRE_H
#define BACKENDS_REMOTE_REMOTE_MCP_WIRE_H

#include "core/base/buf.h"
#include "proto/json_value.h"

#define REMOTE_MCP_WIRE_NEWEST    "2025-11-25" /* of those with a session */
#define REMOTE_MCP_WIRE_STATELESS "2026-07-28"

struct remote_mcp_wire_call {
    struct str name, arguments;
    struct str inputs,
        state; /* what the server asked for and its state, as JSON; absent: nothing */
};

/* Append a message. id: of the request, also its progress token. */
void remote_mcp_wire_discover(struct buf *out, uint64_t id);
void remote_mcp_wire_initialize(struct buf *out, uint64_t id);
void remote_mcp_wire_list(struct buf *out, uint64_t id, struct str cursor, bool stateless);
void remote_mcp_wire_call(struct buf *out, uint64_t id, const struct remote_mcp_wire_call *call,
                          bool stateless);
/* A notification; cancelled: the request that is given up, 0: it is about none. */
void remote_mcp_wire_note(struct buf *out, const char *method, uint64_t cancelled);
/* The answer to a question of the server: a ping is answered, what it asks of a model or a user is
 * refused. */
void remote_mcp_wire_answer(struct buf *out, const struct json_value *question);

/* Whether version, which an answer to "initialize" names, is spoken here. */
bool remote_mcp_wire_speaks(struct str version);
enum remote_mcp_wire_era {
    REMOTE_MCP_WIRE_MODERN, /* it speaks the stateless revision */
    REMOTE_MCP_WIRE_LEGACY, /* it speaks one with a session, or may */
    REMOTE_MCP_WIRE_NEITHER,
    REMOTE_MCP_WIRE_REFUSES, /* it speaks a stateless one and refuses this message: error says why
                              */
};
/* What the answer to "server/discover" tells of the server; both NULL: it was no answer. */
enum remote_mcp_wire_era remote_mcp_wire_era(const struct json_value *result,
                                             const struct json_value *error);
/* Whether error says that the message's headers, or its revision, are not (any more) what the
 * server takes, so that the call was not made. */
bool remote_mcp_wire_is_stale(const struct json_value *error, bool *is_header);
/* Whether result asks for something before the call can be made. */
bool remote_mcp_wire_asks(const struct json_value *result);
/* The answers to what result asks for, as JSON in arena: nobody answers a question to a person, and
 * there are no folders to show. Absent: only a model could answer, or no memory. */
struct str remote_mcp_wire_inputs(const struct json_value *result, struct arena *arena,
                                  size_t most);
/* Whether message answers request id. */
bool remote_mcp_wire_is_answer(const struct json_value *message, uint64_t id);
/* Whether message is a question that wants an answer. */
bool remote_mcp_wire_is_question(const struct json_value *message);

struct remote_mcp_wire_tool { /* absent: not said */
    struct str name, description, parameters;
    bool reads; /* it says that it changes nothing */
};
/* Read one item of "tools"; the schema is written into arena. False: it is no tool. */
MUST_USE bool remote_mcp_wire_tool(const struct json_value *item, struct arena *arena,
                                   struct remote_mcp_wire_tool *tool);
/* The text of a tool's result, in arena; parts that are no text are named. Absent: no memory, or
 * longer than most. */
struct str remote_mcp_wire_text(const struct json_value *result, struct arena *arena, size_t most);

#endif
