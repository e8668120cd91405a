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

#include "server/http/channel_site.h"

struct conn;
struct uv_stream_s;

/* The fields above private are the caller's. ERR_NO_MEMORY. */
MUST_USE enum err_code conn_site_open(struct channel_site *site);
/* Close idle connections now and the others after their answer. */
void conn_site_drain(struct channel_site *site);
/* Close all of them now; on_closed comes for each. */
void conn_site_cut(struct channel_site *site);
/* Only when no connection is left. Idempotent. */
void conn_site_close(struct channel_site *site);

/* Accept the connection that waits at server. */
MUST_USE enum err_code conn_accept(struct channel_site *site, struct uv_stream_s *server);

/* For conn_site.c: a site's link as its connection; close it if it is idle; close it. */
struct conn *conn_of_link(struct list *link);
void conn_close_idle(struct conn *conn);
void conn_cut(struct conn *conn);

#endif
