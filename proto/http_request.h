/* SPDX-License-Identifier: MIT */
/* proto/http_request.h - bytes -> one HTTP/1.x request at a time, strictly and within limits.
 *
 * Incremental: any split of the input gives the same result. Two readers look at every byte, our
 * own scanners (http_head, http_body) and llhttp, and what either refuses is refused, so that a
 * proxy in front and we never disagree about where a request ends.
 * Invariant: the parser owns all bytes of the request; views in it live until http_request_reset.
 * Never sees a socket. One thread. */
#ifndef PROTO_HTTP_REQUEST_H
#define PROTO_HTTP_REQUEST_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "proto/http_body.h"
#include "proto/http_head.h"
#include "proto/http_target.h"

/* Where the parser is; what a deadline depends on. */
enum http_phase {
    HTTP_PHASE_IDLE,  /* no byte of this request has come */
    HTTP_PHASE_HEAD,  /* request line or headers are coming */
    HTTP_PHASE_BODY,  /* the head is complete and readable, the body is coming */
    HTTP_PHASE_DONE,  /* the request is complete; bytes after it are not consumed */
    HTTP_PHASE_FAILED /* answer http_request_status and close */
};

/* In bytes as they come, framing included. 0: the default in brackets. */
struct http_limits {
    size_t target_bytes;   /* request target (8 KiB): 414 */
    size_t head_bytes;     /* request line + headers (32 KiB); trailers have the same: 431 */
    size_t header_count;   /* header lines (100): 431 */
    size_t body_bytes;     /* content (1 MiB): 413 */
    size_t overhead_bytes; /* chunk sizes and line ends (64 KiB): 413 */
};

/* Views into the parser. Head fields are set from HTTP_PHASE_BODY on, body from DONE on. */
struct http_request {
    enum http_method method;
    struct str method_text;
    struct str target; /* as it came */
    struct str path;   /* of it: before '?', without scheme and authority, still escaped */
    struct str query;  /* after '?', still escaped; absent when there is no '?' */
    struct str host;   /* absent only in HTTP/1.0 */
    struct str fields; /* all header lines; read them with the functions below */
    struct str body;
    int version_minor; /* HTTP/1.0 or HTTP/1.1 */
    bool keep_alive;   /* the connection may serve another request */
    bool expect_continue;
    bool has_body; /* there is a body, or may be: a length above 0, or chunks */
};

enum { HTTP_REQUEST_MACHINE_BYTES = 128 };

struct http_request_parser {
    struct http_request request; /* the result */
    enum http_phase phase;
    /* private */
    struct http_limits limits;
    struct http_head head;
    struct http_body framing;
    struct buf head_bytes, body_bytes;
    uint64_t body_length; /* Content-Length */
    size_t body_most;     /* of this request */
    bool is_chunked, is_complete;
    enum err_code code; /* of the failure, with its HTTP status and sentence */
    int status;
    const char *problem;
    _Alignas(max_align_t) unsigned char machine[HTTP_REQUEST_MACHINE_BYTES]; /* llhttp's state */
};

/* Make it ready for the first request. limits are copied, NULL: all defaults. No allocation. */
void http_request_init(struct http_request_parser *parser, const struct http_limits *limits);
/* Free its memory. */
void http_request_fini(struct http_request_parser *parser);
/* Forget the request and be ready for the next one on this connection. Memory beyond a small
 * request's is given back. Not after HTTP_PHASE_FAILED: framing is lost, close. */
void http_request_reset(struct http_request_parser *parser);

/* Take no more than most bytes of body for this request, whose head is complete. False: its
 * Content-Length, or the size of a chunk that has come, says that there are more. */
MUST_USE bool http_request_narrow(struct http_request_parser *parser, size_t most);

/* Free what has come of a body that is not wanted; the head stays. Feed no more. */
void http_request_drop_body(struct http_request_parser *parser);
/* Move the content of a complete request into body, which is uninitialized or empty; the request's
 * is empty then. */
void http_request_take_body(struct http_request_parser *parser, struct buf *body);

/* Take bytes; *consumed says how many, all of them unless the request became complete. Look at
 * parser->phase afterwards. On failure, which is final: ERR_INVALID, ERR_TOO_LARGE,
 * ERR_REJECTED or ERR_NO_MEMORY, a text that says what came, and http_request_status. */
MUST_USE enum err_code http_request_feed(struct http_request_parser *parser, struct str bytes,
                                         size_t *consumed, struct err *err);
/* Bytes of memory that the body's content takes by now. */
size_t http_request_body_room(const struct http_request_parser *parser);
/* The HTTP status to answer a failure with: 400, 413, 414, 417, 431, 501, 503 or 505. 0 before. */
int http_request_status(const struct http_request_parser *parser);

/* The value of the first header of that name (ASCII case ignored), trimmed; absent: none. */
struct str http_request_header(const struct http_request *request, struct str name);
/* Walk the headers in order: *cursor starts at 0. False: no more. */
bool http_request_next_header(const struct http_request *request, size_t *cursor, struct str *name,
                              struct str *value);
/* Whether a comma-separated header (all lines of that name) has the token, case ignored. */
bool http_request_has_token(const struct http_request *request, struct str name, struct str token);

#endif
