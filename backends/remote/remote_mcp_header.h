/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp_header.h - arguments of an MCP tool that a server of 2026-07-28 wants
 * as headers of the call, too ("x-mcp-header" in the tool's schema), and how a text becomes a
 * header.
 *
 * Pure; any thread. */
#ifndef BACKENDS_REMOTE_REMOTE_MCP_HEADER_H
#define BACKENDS_REMOTE_REMOTE_MCP_HEADER_H

#include "proto/json_value.h"

enum { REMOTE_MCP_HEADER_MOST = 16 }; /* of one tool */

struct remote_mcp_header {
    const char *name;    /* "Mcp-Param-Region" */
    const char *pointer; /* where its value is in the arguments: a JSON pointer */
};

/* The headers that schema wants, in arena. NULL: fine; else why the tool is not to be offered, as
 * the protocol has it, a text without end of life. */
MUST_USE const char *remote_mcp_header_read(const struct json_value *schema, struct arena *arena,
                                            const struct remote_mcp_header **list, size_t *count);
/* The header's value for a call with arguments, in arena; absent: the call has none. ERR_INVALID:
 * its argument is no text, no truth value and no whole number that a double holds; ERR_NO_MEMORY.
 */
MUST_USE enum err_code remote_mcp_header_value(const struct remote_mcp_header *header,
                                               const struct json_value *arguments,
                                               struct arena *arena, struct str *value);
/* text as a header's value: itself, or "=?base64?...?=" where a header could not hold it. Absent:
 * no memory. */
struct str remote_mcp_header_encode(struct str text, struct arena *arena);

#endif
