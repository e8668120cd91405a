/* SPDX-License-Identifier: MIT */
/* backends/http/http_client_head.h - what http_client wants to know of an answer's head.
 *
 * Fed line by line as libcurl cuts them, of several heads if there are interim ones; the last one
 * counts. Keeps no bytes but the content type and the headers that are wanted. Private to
 * http_client. */
#ifndef BACKENDS_HTTP_HTTP_CLIENT_HEAD_H
#define BACKENDS_HTTP_HTTP_CLIENT_HEAD_H

#include "backends/http/http_header.h"
#include "backends/http/rate_limit.h"

enum { HTTP_CLIENT_HEAD_BYTES = 64 << 10 }; /* of all lines together */

struct http_client_head {
    int status;
    uint64_t retry_after_ms; /* UINT64_MAX: not said */
    struct rate_limit limit;
    char content_type[64];                       /* lower case, without parameters */
    struct http_wanted wanted[HTTP_WANTED_MOST]; /* set after init */
    size_t bytes;
    bool is_complete; /* the empty line after a final (not 1xx) status came */
};

void http_client_head_init(struct http_client_head *head);
/* Which headers' values go where; their rooms are emptied. */
void http_client_head_want(struct http_client_head *head,
                           const struct http_wanted wanted[HTTP_WANTED_MOST]);
/* Take one line with its line end. wall_ms: now, for dates. False: the head is too large. */
MUST_USE bool http_client_head_feed(struct http_client_head *head, struct str line,
                                    uint64_t wall_ms);

#endif
