/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_reply.h - what Redis answered, as a tree of views.
 *
 * Views live as long as whoever holds the reply says. Any thread. */
#ifndef BACKENDS_REDIS_REDIS_REPLY_H
#define BACKENDS_REDIS_REDIS_REPLY_H

#include "core/base/str.h"

enum redis_reply_kind {
    REDIS_REPLY_IS_NIL,
    REDIS_REPLY_IS_INTEGER,
    REDIS_REPLY_IS_TEXT,    /* a bulk string or a status: bytes, with NUL perhaps */
    REDIS_REPLY_IS_REFUSAL, /* "-ERR ..." without the dash */
    REDIS_REPLY_IS_ARRAY
};

struct redis_reply {
    enum redis_reply_kind kind;
    int64_t integer;
    struct str text;
    struct redis_reply *items;
    size_t count; /* of items */
};

/* Item i of an array; NULL: not an array, or it has fewer. */
static inline const struct redis_reply *redis_reply_find(const struct redis_reply *reply, size_t i)
{
    return reply->kind == REDIS_REPLY_IS_ARRAY && i < reply->count ? &reply->items[i] : NULL;
}

/* The text of item i; absent when there is none or it is something else. */
static inline struct str redis_reply_text(const struct redis_reply *reply, size_t i)
{
    const struct redis_reply *item = redis_reply_find(reply, i);
    return item != NULL && item->kind == REDIS_REPLY_IS_TEXT ? item->text : (struct str){0};
}

/* The number of item i, an integer or digits; false when it is something else. */
static inline bool redis_reply_number(const struct redis_reply *reply, size_t i, int64_t *number)
{
    const struct redis_reply *item = redis_reply_find(reply, i);
    if (item == NULL || item->kind != REDIS_REPLY_IS_INTEGER)
        return str_to_i64(redis_reply_text(reply, i), number);
    *number = item->integer;
    return true;
}

#endif
