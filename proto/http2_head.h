/* SPDX-License-Identifier: MIT */
/* proto/http2_head.h - the fields of one HTTP/2 request -> the same http_request as of HTTP/1,
 * strictly and within limits (RFC 9113, 8.2 and 8.3).
 *
 * The second reader of every field, after nghttp2, as http_head is beside llhttp. Fields come one
 * by one, in order; what was wrong first is told at the end. Never sees frames or a socket. The
 * bytes of the request are owned here and live until http2_head_fini. One thread. */
#ifndef PROTO_HTTP2_HEAD_H
#define PROTO_HTTP2_HEAD_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "proto/http_request.h"

/* What a field takes of the limit beside its name and value (RFC 9113, 6.5.2). */
enum { HTTP2_HEAD_FIELD_BYTES = 32 };

struct http2_head {
    struct http_request request; /* the result; body is its user's */
    uint64_t length;             /* Content-Length; UINT64_MAX: none was given */
    /* private */
    struct http_limits limits;
    struct buf pseudo, fields;
    struct http2_head_span {
        size_t at, len;
        bool is_given;
    } method, scheme, target, authority;
    size_t size, count;
    bool has_host, is_late; /* is_late: a field that is no pseudo-header has come */
    int status;
    const char *problem;
};

/* limits are copied; 0 means http_request's default. No allocation. */
void http2_head_init(struct http2_head *head, const struct http_limits *limits);
/* Free its memory. Idempotent. */
void http2_head_fini(struct http2_head *head);
/* Take a field; name and value are copied as far as the limits allow. */
void http2_head_take(struct http2_head *head, struct str name, struct str value);
/* Bytes of the fields so far as RFC 9113 counts them, those beyond the limit among them. */
size_t http2_head_size(const struct http2_head *head);
/* All fields have come; is_whole: no body follows. On ERR_OK request is set, but for its body.
 * Else ERR_INVALID, ERR_TOO_LARGE, ERR_REJECTED or ERR_NO_MEMORY, and http2_head_status. */
MUST_USE enum err_code http2_head_end(struct http2_head *head, bool is_whole, struct err *err);
/* The HTTP status to answer a failure with: 400, 413, 414, 417, 431, 501 or 503. 0: none. */
int http2_head_status(const struct http2_head *head);

#endif
