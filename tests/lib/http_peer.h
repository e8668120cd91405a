/* SPDX-License-Identifier: MIT */
/* tests/lib/http_peer.h - a blocking HTTP client that sends exactly what it is told.
 *
 * Reads end after PEER_WAIT_SECONDS of silence, so that a broken server fails a test instead of
 * hanging it. */
#ifndef TESTS_LIB_HTTP_PEER_H
#define TESTS_LIB_HTTP_PEER_H

#include "core/base/buf.h"

enum { PEER_WAIT_SECONDS = 180, PEER_BYTES = 128 * 1024 * 1024 };

struct http_peer {
    int fd;
    struct buf in; /* what came and was not taken yet */
};

struct http_answer {
    int status;      /* 0: none came */
    struct str head; /* status line and headers */
    struct buf body; /* without chunk framing */
    bool complete;   /* the framing said that it ended */
};

void http_peer_open(struct http_peer *peer, unsigned port);
void http_peer_close(struct http_peer *peer);
/* Close with RST. */
void http_peer_reset(struct http_peer *peer);
void http_peer_send(struct http_peer *peer, struct str bytes);
/* "POST path" with a JSON body and more headers ("A: b\r\n"). */
void http_peer_post(struct http_peer *peer, const char *path, const char *headers,
                    const char *body);
void http_peer_get(struct http_peer *peer, const char *path, const char *headers);
/* Read until needle came (it stays in peer->in). False: EOF or silence. */
bool http_peer_wait(struct http_peer *peer, const char *needle);
/* Whether the server closed, everything read into peer->in. */
bool http_peer_at_end(struct http_peer *peer);
/* Take one answer. answer->body is to be freed with buf_fini. */
void http_peer_take(struct http_peer *peer, struct http_answer *answer);
/* Take one answer and say only its status. */
int http_peer_status(struct http_peer *peer);

/* A server on a free port in a thread of its own, with the fake registry. */
struct server_rig;
/* settings: "NAME=value", NULL at the end. */
struct server_rig *server_rig_start(const char *const *settings);
unsigned server_rig_port(const struct server_rig *rig);
void server_rig_ask_stop(struct server_rig *rig);
/* Ask, wait, free; whether it ended well. */
bool server_rig_stop(struct server_rig *rig);

#endif
