/* SPDX-License-Identifier: MIT */
/* proto/http_body.h - where a request's body ends: Content-Length or chunked, byte by byte.
 *
 * Strict: hex sizes only, no extensions, CRLF exactly, sizes checked against the limit before
 * their bytes come, framing counted. Keeps no bytes. For http_request. One thread. */
#ifndef PROTO_HTTP_BODY_H
#define PROTO_HTTP_BODY_H

#include "proto/http_head.h"

enum http_body_state {
    HTTP_BODY_SIZE, /* first digit of a chunk size */
    HTTP_BODY_MORE_SIZE,
    HTTP_BODY_SIZE_LF,
    HTTP_BODY_DATA, /* content: of the chunk, or of the whole body */
    HTTP_BODY_DATA_CR,
    HTTP_BODY_DATA_LF,
    HTTP_BODY_TRAILERS,
    HTTP_BODY_DONE,
    HTTP_BODY_FAILED
};

struct http_body_limits {
    size_t body_bytes, overhead_bytes;
    struct http_head_limits trailers;
};

struct http_body {
    enum http_body_state state;
    bool is_chunked;
    uint64_t left;     /* of this chunk, or of the whole body */
    size_t body_bytes; /* content promised so far */
    size_t overhead_bytes;
    struct http_head trailers;
    int status; /* HTTP status of the failure */
    const char *problem;
};

/* A body of length bytes, already checked against the limit. */
void http_body_init_length(struct http_body *body, uint64_t length);
void http_body_init_chunked(struct http_body *body);
/* Scan bytes, return how many belong to the body: all, unless state became DONE or FAILED. */
size_t http_body_feed(struct http_body *body, const struct http_body_limits *limits,
                      struct str bytes);

#endif
