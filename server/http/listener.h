/* SPDX-License-Identifier: MIT */
/* server/http/listener.h - a listening socket of one worker; accept, or shed when full.
 *
 * Several workers listen on one address by SO_REUSEPORT. Whether the server is full is the caller's
 * word. One loop, one thread. */
#ifndef SERVER_HTTP_LISTENER_H
#define SERVER_HTTP_LISTENER_H

#include "server/http/conn.h"

struct listener;

struct listener_options {
    struct channel_site *site;
    const char *host; /* an address, or "localhost" */
    unsigned port;    /* 0: a free one */
    bool shared;      /* SO_REUSEPORT: others listen here too */
    int backlog;
    bool (*is_full)(void *owner); /* if so, a connection gets 503 and is closed */
    void *owner;
};

/* Whether the address could be bound now by nobody but us: before the first of several shared
 * listeners, which would otherwise share with a stranger. err names address and reason. */
MUST_USE enum err_code listener_probe(const char *host, unsigned port, struct err *err);
/* Bind and listen. NULL: err says why. */
struct listener *listener_open(const struct listener_options *options, struct err *err);
unsigned listener_port(const struct listener *listener);
/* Accept no more; frees itself later. NULL is fine. */
void listener_close(struct listener *listener);

#endif
