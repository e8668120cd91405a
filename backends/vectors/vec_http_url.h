/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_http_url.h - where a store of vectors is:
 * NAME:http[s]://[:KEY@]HOST[:PORT][/A/B].
 */
#ifndef BACKENDS_VECTORS_VEC_HTTP_URL_H
#define BACKENDS_VECTORS_VEC_HTTP_URL_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct vec_http_place {
    struct str base; /* scheme, host and port */
    struct str key;  /* absent: none */
    struct str path; /* "/A/B"; empty: none */
};

/* Take url, which begins with "NAME:", apart: key and base into arena, path a view of url. Without
 * has_path a path is refused. ERR_INVALID: what is expected; ERR_NO_MEMORY. Any thread. */
MUST_USE enum err_code vec_http_url_read(struct arena *arena, struct str url, const char *name,
                                         bool has_path, struct vec_http_place *place,
                                         struct err *err);

#endif
