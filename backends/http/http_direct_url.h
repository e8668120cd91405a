/* SPDX-License-Identifier: MIT */
/* backends/http/http_direct_url.h - an http:// address, cut into what a connection and a request
 * need.
 *
 * Only what is plain: no user, no password, no escapes in the host. Any thread. */
#ifndef BACKENDS_HTTP_HTTP_DIRECT_URL_H
#define BACKENDS_HTTP_HTTP_DIRECT_URL_H

#include "core/base/str.h"

struct http_direct_url {
    struct str authority; /* "host:8000", "[::1]": for the header Host, and as the origin's name */
    struct str host;      /* without brackets */
    uint16_t port;
    struct str target; /* "/v1/x?y"; empty: "/" */
};

/* Cut url, which the parts borrow. False: it is none of these. */
MUST_USE bool http_direct_url_read(const char *url, struct http_direct_url *parts);

#endif
