/* SPDX-License-Identifier: MIT */
/* proto/http_response.h - a response into a buf: head, body framing, chunks.
 *
 * Only bytes: who sends them, and when, is the connection's affair. Ask buf_ok at the end; a full
 * buf makes every call a no-op. One thread. */
#ifndef PROTO_HTTP_RESPONSE_H
#define PROTO_HTTP_RESPONSE_H

#include "core/base/buf.h"
#include "core/base/err.h"

/* Status line: "HTTP/1.<version_minor> 200 OK". status is 100 to 599. */
void http_response_begin(struct buf *buf, int status, int version_minor);
/* One header. name is ours (CHECKed to be a token); a value with CR, LF, NUL or another control
 * byte is refused with ERR_INVALID and nothing is written. */
enum err_code http_response_header(struct buf *buf, struct str name, struct str value);
void http_response_header_u64(struct buf *buf, struct str name, uint64_t value);
/* "Date: Sun, 06 Nov 1994 08:49:37 GMT". unix_seconds up to the year 9999. */
void http_response_date(struct buf *buf, uint64_t unix_seconds);
/* The empty line after the headers. */
void http_response_end_head(struct buf *buf);

/* Begin a chunk whose size is not known yet; append its bytes to buf, then commit. Returns the
 * mark to commit with. Between the two nothing may be consumed from buf. */
MUST_USE size_t http_response_chunk_begin(struct buf *buf);
/* End it: writes the size in front. Nothing appended since begin: no chunk. */
void http_response_chunk_commit(struct buf *buf, size_t mark);
/* The end of a chunked body, without trailers. */
void http_response_last_chunk(struct buf *buf);

/* "Not Found"; "Unknown" for a status without one. Static. */
const char *http_response_reason(int status);
/* "HTTP/1.1 100 Continue" and the empty line. */
void http_response_continue(struct buf *buf);

#endif
