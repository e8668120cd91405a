/* SPDX-License-Identifier: MIT */
/* backends/stores/store_redis.h - core/store in Redis: each call one script, so all or nothing.
 *
 * One connection per store. A call whose answer was lost is sent again within the deadline: the
 * script knows its own changes. Redis keeps what its own configuration says (appendonly); askd does
 * not change that. Needs Redis 5 (streams) and no cluster. One loop, one thread. */
#ifndef BACKENDS_STORES_STORE_REDIS_H
#define BACKENDS_STORES_STORE_REDIS_H

#include "core/store/store.h"

struct store_redis_options {
    struct str url;      /* backends/redis/redis_url.h; copied */
    struct str prefix;   /* of all keys, at most 64 bytes; copied. Empty: "askd:" */
    uint64_t timeout_ms; /* of a call, retries included. 0: STORE_TIMEOUT_MS */
};

/* Connects nothing yet. NULL with ERR_INVALID (the url) or ERR_NO_MEMORY in err. */
struct store *store_redis_create(struct loop *loop, const struct store_redis_options *options,
                                 struct err *err);

#endif
