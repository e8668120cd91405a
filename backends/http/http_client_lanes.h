/* SPDX-License-Identifier: MIT */
/* backends/http/http_client_lanes.h - libcurl's multi handles ("lanes") on the loop: sockets,
 * timers.
 *
 * For every new transfer a multi handle walks all its connections, so many handles share the load;
 * the first ones are filled first, so that few calls still meet their old connections. Sockets are
 * ours: a descriptor is never closed while libuv watches it. Private to http_client; easy handles
 * are void * because no header names libcurl's types. One loop, one thread. */
#ifndef BACKENDS_HTTP_HTTP_CLIENT_LANES_H
#define BACKENDS_HTTP_HTTP_CLIENT_LANES_H

#include "core/base/err.h"
#include "core/loop/loop.h"

struct http_client_lanes;

/* A transfer ended with a CURLcode; never from inside libcurl, so easy may be removed. */
typedef void http_client_ended_fn(void *easy, int curl_code);

/* count lanes on loop, each of which closes its connections when it had no transfer for kept_ms.
 * NULL: no memory. */
struct http_client_lanes *http_client_lanes_create(struct loop *loop, unsigned count,
                                                   uint64_t kept_ms,
                                                   http_client_ended_fn *on_ended);
/* Close all connections (no transfer may be left), free, then call on_closed(owner), later. */
void http_client_lanes_close(struct http_client_lanes *lanes, void (*on_closed)(void *owner),
                             void *owner);

/* How a transfer opens its sockets, and why it could not. */
struct http_client_lanes_sockets {
    struct http_client_lanes *lanes;
    bool only_public; /* at public addresses only (backends/http/public_address.h) */
    bool was_denied;  /* one was no such address */
    bool was_refused; /* the process has no descriptor left */
};
/* Give a new easy handle its socket functions and what the lanes share. sockets is borrowed for as
 * long as easy lives, and filled for each transfer. False: no memory. */
MUST_USE bool http_client_lanes_adopt_sockets(struct http_client_lanes *lanes, void *easy,
                                              struct http_client_lanes_sockets *sockets);
/* Run easy on a lane with room and say which; not from inside libcurl. ERR_NO_MEMORY. */
MUST_USE enum err_code http_client_lanes_add(struct http_client_lanes *lanes, void *easy,
                                             unsigned *lane);
/* Take easy, ended or not, out of its lane; not from inside libcurl. */
void http_client_lanes_remove(struct http_client_lanes *lanes, void *easy, unsigned lane);

/* What a CURLcode says about the peer. is_connected: the connection had been made. */
enum err_code http_client_lanes_error(int curl_code, bool is_connected);

#endif
