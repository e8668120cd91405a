/* SPDX-License-Identifier: MIT */
/* server/http/conn_out.h - what a connection still has to send: bounded, one write per turn.
 *
 * Bytes are appended to conn_out_buf and leave by conn_out_flush: one attempt to write at once, the
 * rest by one queued write while new bytes gather behind it. Above high_bytes the writer is asked
 * to stop (conn_out_is_high) and told when half of that is left. A peer that takes no byte for
 * write_ms is broken. Never calls back from inside a call. One thread. */
#ifndef SERVER_HTTP_CONN_OUT_H
#define SERVER_HTTP_CONN_OUT_H

#include "core/base/buf.h"
#include "core/loop/loop.h"

struct conn_out;
struct uv_stream_s;

struct conn_out_options {
    struct loop *loop;
    struct uv_stream_s *stream; /* open; borrowed until stop */
    size_t high_bytes;          /* see above */
    size_t limit_bytes;         /* a hard stop: the buf refuses more */
    uint64_t write_ms;
    void *owner;
    void (*on_sent)(void *owner);    /* nothing is left to send */
    void (*on_drained)(void *owner); /* after conn_out_is_high: there is room again */
    void (*on_broken)(void *owner);  /* nothing can be sent any more; once */
};

/* NULL: no memory. */
struct conn_out *conn_out_create(const struct conn_out_options *options);
/* No more callbacks and no new writes; the stream may be closed then. Idempotent. */
void conn_out_stop(struct conn_out *out);
/* After the stream's close callback. NULL is fine. */
void conn_out_destroy(struct conn_out *out);

/* Where to append, until the next flush. */
struct buf *conn_out_buf(struct conn_out *out);
void conn_out_flush(struct conn_out *out);
/* Bytes not yet with the kernel. */
size_t conn_out_pending(const struct conn_out *out);
/* Whether the writer should stop; if so, on_drained comes. */
bool conn_out_is_high(struct conn_out *out);
/* Bytes given to the kernel so far. */
uint64_t conn_out_total(const struct conn_out *out);

#endif
