/* SPDX-License-Identifier: MIT */
/* server/http/cors.h - which pages of other origins may read answers (Fetch standard, CORS).
 *
 * Only origins that ASKD_CORS_ORIGINS names, letter by letter; without them nothing is said of
 * origins at all. Cookies mean nothing here, so credentials are never allowed. Pure. */
#ifndef SERVER_HTTP_CORS_H
#define SERVER_HTTP_CORS_H

#include "core/base/buf.h"
#include "proto/http_request.h"

/* Whether origins, separated by commas, has the request's Origin. */
bool cors_allows(const char *origins, const struct http_request *request);
/* Whether request is a browser's question whether it may send another request, which of the method
 * *wanted is. */
bool cors_is_preflight(const struct http_request *request, enum http_method *wanted);
/* Append the headers of an answer, none where origins is "". */
void cors_write(const char *origins, const struct http_request *request, struct buf *out);
/* Append the headers of the answer to a preflight, beside those of cors_write. */
void cors_write_preflight(const struct http_request *request, struct buf *out);

#endif
