/* SPDX-License-Identifier: MIT */
/* backends/http/http_direct.h - HTTP/1.1 over TCP connections of our own, for http:// addresses
 * that are reached without a proxy.
 *
 * Model servers nearby are spoken to like this: a call costs a write and a few reads into a buffer
 * that all calls share, where libcurl takes several times as much. Kept connections are bounded by
 * number and age, and watched: one that the server closes goes at once. A call that meets a kept
 * connection just as the server closes it is sent again, once, over a new one. Private to
 * http_client, which has the deadlines and the limits. One loop, one thread. */
#ifndef BACKENDS_HTTP_HTTP_DIRECT_H
#define BACKENDS_HTTP_HTTP_DIRECT_H

#include "backends/http/http_header.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/list.h"
#include "core/loop/loop.h"

/* What a connection that no descriptor is left for fails with, as ERR_BUSY. */
#define HTTP_DIRECT_NO_DESCRIPTOR                                                                  \
    "no descriptor is left for a connection: raise the limit (LimitNOFILE, ulimit -n), or lower "  \
    "ASKD_MAX_CONNECTIONS"

struct http_direct;

struct http_direct_request {
    const char *url, *method;
    const struct http_header *headers;
    size_t header_count;
    struct str body; /* absent: none; kept until the call is over */
};

struct http_direct_call { /* embedded in whatever the call is for */
    /* private */
    struct list link; /* of its origin, while a name is looked up */
    struct http_direct_origin *origin;
    struct http_direct_conn *conn; /* NULL: it waits, or is over */
    struct buf head;               /* of the request, until the answer begins */
    struct str body;
    bool is_held, has_begun, is_again; /* has_begun: a byte of the answer came */
};

/* Called from the loop, or from inside http_direct_start; none of them may stop the call at once.
 */
struct http_direct_events {
    void (*connected)(struct http_direct_call *call);
    /* A line of the answer's head or a trailer, with its end; a piece of the body. */
    void (*line)(struct http_direct_call *call, struct str line);
    void (*body)(struct http_direct_call *call, struct str bytes);
    /* Over, once; ERR_OK: the answer is complete. */
    void (*ended)(struct http_direct_call *call, const struct err *err);
};

/* kept_ms: how long a connection without a call stays open. NULL: no memory. */
struct http_direct *http_direct_create(struct loop *loop, uint64_t kept_ms,
                                       const struct http_direct_events *events);
/* Close all connections (no call may be left), free, then call on_closed(owner), later. */
void http_direct_close(struct http_direct *direct, void (*on_closed)(void *owner), void *owner);

/* Whether the address can be reached like this. */
bool http_direct_serves(const struct http_direct *direct, const char *url);
/* Write the request of a zeroed call. ERR_INVALID: the address or a header cannot be sent;
 * ERR_NO_MEMORY. To be stopped in any case. */
MUST_USE enum err_code http_direct_prepare(struct http_direct_call *call,
                                           struct http_direct *direct,
                                           const struct http_direct_request *request);
void http_direct_start(struct http_direct_call *call);
/* Stop the flow of the body, and go on: go is called from a task, and may give out what was kept.
 */
void http_direct_hold(struct http_direct_call *call);
void http_direct_go(struct http_direct_call *call);
/* Let go of the call, over or not, started or not. Not from inside its events. */
void http_direct_stop(struct http_direct_call *call);

#endif
