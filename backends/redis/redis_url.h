/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_url.h - redis://[[user]:password@]host[:port][/db] to its parts.
 *
 * TLS (rediss://) is refused: hiredis 0.14 has none. No parameters. Any thread. */
#ifndef BACKENDS_REDIS_REDIS_URL_H
#define BACKENDS_REDIS_REDIS_URL_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct redis_url {
    struct str host;
    unsigned port;             /* 6379 when the url has none */
    struct str user, password; /* absent: none */
    unsigned database;         /* 0 when the url has none */
    /* private */
    struct arena arena; /* the parts */
};

/* Fill url, which needs redis_url_fini either way. ERR_INVALID: the text says which part is wrong,
 * not what stands there. ERR_NO_MEMORY. */
MUST_USE enum err_code redis_url_parse(struct redis_url *url, struct str text, struct err *err);
/* Idempotent; fine on a zeroed url. */
void redis_url_fini(struct redis_url *url);

#endif
