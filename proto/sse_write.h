/* SPDX-License-Identifier: MIT */
/* proto/sse_write.h - Server-Sent Events into a buf, in the one form every client decodes.
 *
 * LF only, no event name, one data line per event. Knows nothing of JSON or of sockets. Ask
 * buf_ok at the end. One thread. */
#ifndef PROTO_SSE_WRITE_H
#define PROTO_SSE_WRITE_H

#include "core/base/buf.h"

/* "id: <id>\ndata: <data>\n\n"; no id line when id is empty. Neither may hold CR, LF or NUL. */
void sse_write_event(struct buf *buf, struct str id, struct str data);
/* sse_write_event in two halves, for data that is written straight into buf between them. The mark
 * goes from begin to end, which checks that the data holds no line end. */
MUST_USE size_t sse_write_begin(struct buf *buf, struct str id);
void sse_write_end(struct buf *buf, size_t mark);
/* "retry: <ms>\n": how long a client waits before it connects again. */
void sse_write_retry(struct buf *buf, uint64_t retry_ms);
/* ": ok\n", the first bytes of a stream, and ": hb\n", a sign of life. */
void sse_write_ok(struct buf *buf);
void sse_write_heartbeat(struct buf *buf);

#endif
