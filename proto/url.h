/* SPDX-License-Identifier: MIT */
/* proto/url.h - paths, queries and percent-encoding.
 *
 * Split first, decode after: an encoded slash stays inside its segment. Decoding is strict: a
 * broken escape, a NUL or bytes that are not UTF-8 are refused, never passed on. Any thread. */
#ifndef PROTO_URL_H
#define PROTO_URL_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

/* Split a path at its slashes, the leading one dropped: "/a//b" gives "a", "", "b"; "/" gives one
 * empty segment. Segments stay escaped. ERR_TOO_LARGE: more than max. ERR_INVALID: no slash. */
MUST_USE enum err_code url_split_path(struct str path, struct str *segments, size_t max,
                                      size_t *count);

/* Decode %XX. *decoded is text itself when it has no escapes, else a copy in arena.
 * ERR_INVALID: bad escape, NUL or not UTF-8. ERR_NO_MEMORY. */
MUST_USE enum err_code url_decode(struct arena *arena, struct str text, struct str *decoded,
                                  struct err *err);
/* url_decode with '+' as a blank: for names and values of queries and forms. */
MUST_USE enum err_code url_decode_form(struct arena *arena, struct str text, struct str *decoded,
                                       struct err *err);

/* The first parameter called name (compared after decoding) in "a=b&c=d"; *value is absent when
 * there is none and empty for "a" and "a=". Errors of url_decode_form. */
MUST_USE enum err_code url_find_param(struct arena *arena, struct str query, struct str name,
                                      struct str *value, struct err *err);
/* Walk the parameters in order; *rest starts as the query. *name is absent: no more. */
MUST_USE enum err_code url_next_param(struct arena *arena, struct str *rest, struct str *name,
                                      struct str *value, struct err *err);

/* Append text with everything but RFC 3986 unreserved characters as %XX. */
void url_encode(struct buf *buf, struct str text);

#endif
