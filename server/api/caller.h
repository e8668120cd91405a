/* SPDX-License-Identifier: MIT */
/* server/api/caller.h - the caller of a request that has no place for one in its body.
 *
 * Two headers, X-Askd-Company-Id and X-Askd-User-Id, set by whoever holds the key; never an
 * argument that a model or a page fills in. Pure. */
#ifndef SERVER_API_CALLER_H
#define SERVER_API_CALLER_H

#include "proto/http_request.h"
#include "core/base/err.h"
#include "core/base/identity.h"

/* Put the two headers into caller; both may be missing when caller names no conversation: then the
 * request belongs to nobody. ERR_INVALID names the header. */
MUST_USE enum err_code caller_read(const struct http_request *http, struct identity *caller,
                                   struct err *err);

#endif
