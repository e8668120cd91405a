/* SPDX-License-Identifier: MIT */
/* server/http/conn.h - one TCP connection as a reactor: read a request, let it be answered, again.
 *
 *   idle -> head -> body -> answering -> (streaming) -> flushing -> idle | lingering -> closing
 *                                 answering -> leaving -> away -> answering (another loop)
 * One request at a time; bytes of the next one wait. A body is read only when the site, which has
 * seen the head, wants it. Deadlines: header, whole body, idle, write progress. EOF while answering
 * or streaming is a disconnect. Knows bytes and HTTP, not who answers: that is the site. One loop,
 * one thread; only conn_leave's result crosses to another. */
#ifndef SERVER_HTTP_CONN_H
#define SERVER_HTTP_CONN_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/loop/loop.h"
#include "proto/http_request.h"
#include "server/http/conn_out.h"
#include "server/http/conn_state.h"
#include "server/http/peer.h"

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
 * from the loop, on_request also from inside conn_arrive. */
struct conn_site {
    struct loop *loop;
    const struct log *log;
    struct conn_limits limits;
    void *owner;
    /* A request is complete (conn_request): answer now or later, once. */
    void (*on_request)(struct conn *conn, void *owner);
    /* The head of a request is complete (conn_request), and its body is not. Whether the body is
     * wanted; if not, conn_turn_away was called and the answer is written. */
    bool (*on_head)(struct conn *conn, void *owner);
    /* The bytes that came are no request we take: write the answer to them; conn_done closes then.
     */
    void (*on_refused)(struct conn *conn, int status, const struct err *err, void *owner);
    /* After unsent output was above high_bytes there is room again: writers may go on. */
    void (*on_drained)(struct conn *conn, void *owner);
    /* The client left before conn_done: drop what answers; the conn is closing. */
    void (*on_gone)(struct conn *conn, void *owner);
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

const struct http_request *conn_request(const struct conn *conn);
const struct peer *conn_peer(const struct conn *conn);
/* The caller's own object that answers the current request. */
void conn_set_user(struct conn *conn, void *user);
void *conn_user(const struct conn *conn);

/* From on_head only: answer the request without its body, and close after that. */
void conn_turn_away(struct conn *conn);
/* Whether another request may follow this answer: decides Connection: and framing. */
bool conn_keeps_alive(const struct conn *conn);
/* From now on conn_keeps_alive is false. */
void conn_close_after(struct conn *conn);
/* Where the answer is appended and flushed. */
struct conn_out *conn_out(const struct conn *conn);
/* The answer will take long: EOF means that the client left. */
void conn_stream(struct conn *conn);
/* The answer is complete in the output. */
void conn_done(struct conn *conn);
/* Close without completing the answer: the client sees a cut. on_gone does not come. */
void conn_abort(struct conn *conn);

/* Give a connection away that is answering and has written nothing: on_left is called once, later,
 * with a connection that belongs to no loop. False: it cannot be given away, answer its request
 * here. */
typedef void conn_left_fn(struct conn *conn, void *owner);
MUST_USE bool conn_leave(struct conn *conn, conn_left_fn *on_left, void *owner);
/* Take a connection that left another loop into site: on_request is called from inside.
 * ERR_UNAVAILABLE: the connection is gone. */
enum err_code conn_arrive(struct conn *conn, struct conn_site *site);
/* Close a connection that left its loop and that nobody can take. */
void conn_discard(struct conn *conn);

/* For conn_site.c: a site's link as its connection; close it if it is idle; close it. */
struct conn *conn_of_link(struct list *link);
void conn_close_idle(struct conn *conn);
void conn_cut(struct conn *conn);

#endif
