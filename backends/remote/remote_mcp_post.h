/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp_post.h - one message to an MCP server over streamable HTTP, and its
 * answer, which comes as JSON or in a stream of events.
 *
 * A stream that breaks before the answer is joined again from its last event, as the server allows.
 * A message that is refused for want of a token, or of rights of the token, was not taken: it is
 * sent again with another token.
 * One loop, one thread. */
#ifndef BACKENDS_REMOTE_REMOTE_MCP_POST_H
#define BACKENDS_REMOTE_REMOTE_MCP_POST_H

#include "backends/http/http_client.h"
#include "backends/remote/remote_oauth.h"
#include "core/loop/delay.h"
#include "proto/sse_read.h"

enum {
    REMOTE_MCP_POST_SESSION = 256,
    REMOTE_MCP_POST_HEADERS = 64,
    REMOTE_MCP_POST_CHALLENGE = 2048,
};

struct remote_mcp_place { /* where messages go, and how */
    struct http_client *client;
    const struct remote_file_server *server;
    const char *version; /* for MCP-Protocol-Version; "": not settled */
    const char *session; /* "": none */
    bool is_stateless;
    struct remote_oauth *oauth; /* NULL: the file's headers say who asks */
};

struct remote_mcp_post {
    struct op op; /* "mcp.post": ERR_OK: there is an answer, be it an error of the protocol's */
    /* in, kept until done */
    const struct remote_mcp_place *place;
    const char *method, *name;      /* for headers of the stateless revision; name may be NULL */
    const struct http_header *more; /* more headers of this message */
    size_t more_count;
    uint64_t id; /* of the request; 0: a notification, or an answer */
    struct str body;
    bool ends_session; /* instead of a message */
    /* Any other message in the stream, borrowed; or NULL. */
    void (*on_message)(struct remote_mcp_post *post, const struct json_value *message);
    void *owner;
    /* out, until release */
    const struct json_value *result; /* NULL: error */
    const struct json_value *error;  /* {"code","message"}; NULL where there is a result */
    int status;                      /* of HTTP; 0: there was none */
    char session[REMOTE_MCP_POST_SESSION], said_session[REMOTE_MCP_POST_SESSION];
    struct arena arena; /* of result and error */
    /* private */
    struct http_call http;
    struct delay delay;
    struct remote_oauth_get token;
    char challenge[REMOTE_MCP_POST_CHALLENGE];
    unsigned refusals, number;
    struct sse_read sse;
    struct http_header headers[REMOTE_MCP_POST_HEADERS];
    struct buf text, last_id;
    uint64_t began_ms;
    unsigned joins;
    bool is_stream, is_cancelled, has_answer;
};

/* Start on zeroed storage with its in-fields set. ERR_UNAVAILABLE, ERR_TIMEOUT, ERR_PROTOCOL,
 * ERR_TOO_LARGE, ERR_DENIED, ERR_CANCELLED. */
void remote_mcp_post_start(struct remote_mcp_post *post, struct loop *loop,
                           struct op_waiter waiter);

#endif
