/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_conn_link.h - one TCP connection to Redis: bytes both ways until it is cut.
 *
 * Knows nothing of what the bytes mean, and nothing of deadlines. One loop, one thread. */
#ifndef BACKENDS_REDIS_REDIS_CONN_LINK_H
#define BACKENDS_REDIS_REDIS_CONN_LINK_H

#include "core/base/str.h"
#include "core/loop/loop.h"

struct redis_conn_link;

struct redis_conn_link_user { /* all on the loop, never from inside a function below */
    void (*on_open)(void *owner);
    /* Borrowed for the call. The owner may close the link from inside. */
    void (*on_bytes)(void *owner, struct str bytes);
    /* All that was written is with the system. */
    void (*on_written)(void *owner);
    /* The link is not connected, or no longer; why is borrowed. The owner closes the link, nothing
     * else. */
    void (*on_cut)(void *owner, const char *why);
    void *owner;
};

/* Connect to a numeric address. user is copied. NULL: no memory. */
struct redis_conn_link *redis_conn_link_open(struct loop *loop, const char *address, unsigned port,
                                             const struct redis_conn_link_user *user);
/* Drop it and free it when libuv has let go of it; no callback comes after. NULL is fine. */
void redis_conn_link_close(struct redis_conn_link *link);
/* Send a copy after all that was written before. False: no memory, nothing was taken. */
MUST_USE bool redis_conn_link_write(struct redis_conn_link *link, struct str bytes);
/* Bytes taken by write that the system does not have yet. */
size_t redis_conn_link_unsent(const struct redis_conn_link *link);

#endif
