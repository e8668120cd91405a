/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_conn_reader.h - bytes from Redis to replies, as they come.
 *
 * hiredis' parser with replies in arenas of ours. One thread. */
#ifndef BACKENDS_REDIS_REDIS_CONN_READER_H
#define BACKENDS_REDIS_REDIS_CONN_READER_H

#include "backends/redis/redis_reply.h"
#include "core/base/arena.h"
#include "core/base/err.h"

struct redis_conn_reader;

/* For replies of at most reply_bytes each, as they stand on the wire. NULL: no memory. */
struct redis_conn_reader *redis_conn_reader_create(size_t reply_bytes);
/* NULL is fine. */
void redis_conn_reader_destroy(struct redis_conn_reader *reader);
/* Take bytes in (copied). ERR_TOO_LARGE: no reply ended within the limit; ERR_NO_MEMORY. After a
 * failure of feed or next only destroy is left. */
MUST_USE enum err_code redis_conn_reader_feed(struct redis_conn_reader *reader, struct str bytes,
                                              struct err *err);
/* Whether *reply was filled with the next whole one: the views in it are in *arena, the caller's to
 * arena_fini from then on. A failure is in *err (ERR_PROTOCOL, ERR_TOO_LARGE, ERR_NO_MEMORY), whose
 * code is ERR_OK else. */
MUST_USE bool redis_conn_reader_next(struct redis_conn_reader *reader, struct redis_reply *reply,
                                     struct arena *arena, struct err *err);

#endif
