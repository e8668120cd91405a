/* SPDX-License-Identifier: MIT */
/* server/http/peer.h - who is at the other end of a socket. */
#ifndef SERVER_HTTP_PEER_H
#define SERVER_HTTP_PEER_H

#include "core/base/defs.h"

enum { PEER_TEXT_BYTES = 64 };

struct peer {
    char text[PEER_TEXT_BYTES]; /* its address; "?" when unknown */
    bool is_loopback;           /* it is on this machine */
};

void peer_read(int fd, struct peer *peer);

#endif
