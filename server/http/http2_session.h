/* SPDX-License-Identifier: MIT */
/* server/http/http2_session.h - one HTTP/2 connection (RFC 9113): each stream is a channel.
 *
 * Bytes go in by feed and come out in the connection's output; nghttp2 knows frames, this module
 * knows limits and lives. What many streams say within a millisecond leaves in one write. A stream
 * whose window or whose connection is full is high, and so holds its run. Bounded: streams at once,
 * the fields of a request, its body, unsent bytes of a stream and of all of them, frames that are
 * no work, resets. Deadlines: the greeting, a head, a body, write progress, idleness. Knows no
 * socket. Hooks of the site are called from inside feed and from the loop. One loop, one thread. */
#ifndef SERVER_HTTP_HTTP2_SESSION_H
#define SERVER_HTTP_HTTP2_SESSION_H

#include "server/http/channel_site.h"

struct http2_session;

enum {
    HTTP2_SESSION_STREAMS = 1024,        /* at once, on one connection */
    HTTP2_SESSION_HIGH = 4 * 1024 * 1024 /* unsent bytes of all of them at which writers stop */
};

/* What a client's first bytes are (RFC 9113, 3.4); ended by NUL. */
extern const char http2_session_preface[25];

struct http2_session_options {
    struct channel_site *site;
    const struct peer *peer;
    struct buf *out; /* where frames are appended */
    void *owner;
    void (*flush)(void *owner);   /* send what is in out */
    bool (*is_full)(void *owner); /* out is high: http2_session_go is called when it no longer is */
    /* All has been said, or nothing more can be: send what is in out and close. Once, from the
     * loop; no stream is left. */
    void (*on_over)(void *owner);
};

/* The preface is still to be fed. NULL: no memory. */
struct http2_session *http2_session_create(const struct http2_session_options *options);
/* Take bytes of the client; how many were taken: the others are fed on a later turn. */
MUST_USE size_t http2_session_feed(struct http2_session *session, struct str bytes);
/* There is room in out again. */
void http2_session_go(struct http2_session *session);
/* Take no new requests, and be over when those that run are answered. */
void http2_session_drain(struct http2_session *session);
/* The client left: on_gone is called for each stream that is being answered; on_over is not.
 * Idempotent. */
void http2_session_close(struct http2_session *session);
/* Only after on_over or close. NULL is fine. */
void http2_session_destroy(struct http2_session *session);

#endif
