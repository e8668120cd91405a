/* SPDX-License-Identifier: MIT */
/* proto/http_target.h - what a request is sent to: method, host, path, as both versions of HTTP
 * judge them.
 *
 * For http_request and http2_head, which know where these stand in their bytes. Pure; any thread.
 */
#ifndef PROTO_HTTP_TARGET_H
#define PROTO_HTTP_TARGET_H

#include "core/base/str.h"

enum http_method {
    HTTP_METHOD_GET,
    HTTP_METHOD_HEAD,
    HTTP_METHOD_POST,
    HTTP_METHOD_PUT,
    HTTP_METHOD_DELETE,
    HTTP_METHOD_OPTIONS,
    HTTP_METHOD_PATCH,
    HTTP_METHOD_TRACE,
    HTTP_METHOD_CONNECT,
    HTTP_METHOD_COUNT
};

/* The method that text names. False: HTTP defines none of that name. */
bool http_target_method(struct str text, enum http_method *method);
/* Whether host is a reg-name or an IPv6 literal with an optional port (RFC 9110, 7.2). */
bool http_target_is_host(struct str host);
/* Split a target's path at '?': *path is never empty, *query is absent when there is none. */
void http_target_split(struct str target, struct str *path, struct str *query);

#endif
