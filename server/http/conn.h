/* SPDX-License-Identifier: MIT */
/* server/http/conn.h - one TCP connection as a reactor: read a request, let it be answered, again.
 *
 *   idle -> head -> body -> answering -> (streaming) -> flushing -> idle | lingering -> closing
 *                                 answering -> leaving -> away -> answering (another loop)
 * One request at a time; bytes of the next one wait. A body is read only when the site, which has
 * seen the head, wants it. Deadlines: header, whole body, idle, write progress. EOF while answering
 * or streaming is a disconnect. Knows bytes and HTTP, not who answers: that is the site, which sees
 * a channel. One loop, one thread; only a channel that left crosses to another. */
#ifndef SERVER_HTTP_CONN_H
#define SERVER_HTTP_CONN_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/loop/loop.h"
#include "proto/http_request.h"
#include "server/http/channel.h"

struct conn;
struct uv_stream_s;

enum { CONN_SCRATCH_BYTES = 64 * 1024 }; /* most that one read brings */

struct conn_limits {
    struct http_limits http;
    uint64_t header_ms, body_ms, idle_ms, write_ms;
    size_t high_bytes;   /* unsent output at which writers stop */
    size_t limit_bytes;  /* unsent output that breaks the connection */
    size_t bodies_bytes; /* memory of the bodies of all requests of the site; 0: no limit */
};

/* All connections of one loop and who answers them. owner is passed to every hook. Hooks are called
 * from the loop, on_request also from inside channel_arrive. */
struct conn_site {
    struct loop *loop;
    const struct log *log;
    struct conn_limits limits;
    void *owner;
    /* A request is complete: answer now or later, once. */
    void (*on_request)(struct channel *channel, void *owner);
    /* The head of a request is complete, and its body is not. Whether the body is wanted; if not,
     * channel_turn_away was called and the answer is written. */
    bool (*on_head)(struct channel *channel, void *owner);
    /* The bytes that came are no request we take: write the answer to them; channel_done closes
     * then. */
    void (*on_refused)(struct channel *channel, int status, const struct err *err, void *owner);
    /* After channel_is_high there is room again: writers may go on. */
    void (*on_drained)(struct channel *channel, void *owner);
    /* The client left before channel_done: drop what answers; the channel is closing. */
    void (*on_gone)(struct channel *channel, void *owner);
    /* A connection's memory is freed: for counting places, and the end of a drain. */
    void (*on_closed)(void *owner);
    /* private */
    struct list conns;
    size_t body_bytes; /* memory of bodies now */
    size_t shed_count; /* connections told that the server is full, not closed yet */
    size_t count;
    char *scratch; /* what one read brings */
    bool draining;
};

/* The fields above private are the caller's. ERR_NO_MEMORY. */
MUST_USE enum err_code conn_site_open(struct conn_site *site);
/* Close idle connections now and the others after their answer. */
void conn_site_drain(struct conn_site *site);
/* Close all of them now; on_closed comes for each. */
void conn_site_cut(struct conn_site *site);
/* Only when no connection is left. Idempotent. */
void conn_site_close(struct conn_site *site);

/* Accept the connection that waits at server. */
MUST_USE enum err_code conn_accept(struct conn_site *site, struct uv_stream_s *server);

/* For conn_site.c: a site's link as its connection; close it if it is idle; close it. */
struct conn *conn_of_link(struct list *link);
void conn_close_idle(struct conn *conn);
void conn_cut(struct conn *conn);

#endif
