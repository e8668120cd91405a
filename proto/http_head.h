/* SPDX-License-Identifier: MIT */
/* proto/http_head.h - the strict grammar of a request's head and of trailers, byte by byte.
 *
 * Finds the end of the head and refuses what lenient parsers forgive: LF without CR, bare CR,
 * NUL and controls, folded lines, blanks around names, other versions. Keeps no bytes: it counts,
 * and reports offsets into the head as fed. For http_request; llhttp reads the same bytes after.
 * One thread. */
#ifndef PROTO_HTTP_HEAD_H
#define PROTO_HTTP_HEAD_H

#include "core/base/str.h"

enum http_head_state {
    HTTP_HEAD_START, /* empty lines before the request line are skipped */
    HTTP_HEAD_START_LF,
    HTTP_HEAD_METHOD,
    HTTP_HEAD_TARGET,
    HTTP_HEAD_VERSION,
    HTTP_HEAD_LINE_LF,
    HTTP_HEAD_FIELD, /* first byte of a line: name, or the end */
    HTTP_HEAD_NAME,
    HTTP_HEAD_VALUE,
    HTTP_HEAD_VALUE_LF,
    HTTP_HEAD_END_LF,
    HTTP_HEAD_DONE,
    HTTP_HEAD_FAILED
};

struct http_head_limits {
    size_t target_bytes, head_bytes, header_count;
};

struct http_head {
    enum http_head_state state;
    size_t start;      /* offset of the request line */
    size_t method_len; /* it begins at start */
    size_t target, target_len;
    size_t version; /* "HTTP/1.x" */
    int major, minor;
    size_t fields; /* offset of the first header line */
    size_t header_count;
    size_t len;          /* bytes taken so far */
    int status;          /* HTTP status of the failure */
    const char *problem; /* what was wrong; static */
};

/* Begin a request's head. */
void http_head_init(struct http_head *head);
/* Begin with the first header line: trailers after a chunked body. */
void http_head_init_trailers(struct http_head *head);
/* Scan bytes, return how many belong to the head: all, unless state became DONE or FAILED. The
 * byte that failed is not counted. */
size_t http_head_feed(struct http_head *head, const struct http_head_limits *limits,
                      struct str bytes);

/* Whether s is one or more RFC 9110 token characters. */
bool http_head_is_token(struct str s);
/* Cut the next "name: value CRLF" off a well-formed run of header lines; value is trimmed.
 * False at the end. */
bool http_head_next_field(struct str fields, size_t *cursor, struct str *name, struct str *value);
/* The value of the first field of this name, in whichever case, trimmed; absent: there is none. */
struct str http_head_find(struct str fields, struct str name);

#endif
