/* SPDX-License-Identifier: MIT */
/* backends/store_redis_wire.h - asks of core/store as words for the script, and its answers back.
 * The order of both is that of backends/store_redis/common.lua and its verbs. Any thread. */
#ifndef BACKENDS_STORE_REDIS_WIRE_H
#define BACKENDS_STORE_REDIS_WIRE_H

#include "backends/redis_reply.h"
#include "core/store.h"

struct store_redis_words {
    struct arena *arena; /* of the words' array and numbers; texts are the ask's own */
    struct str *at;
    size_t count, room;
};

/* The key prefix, the verb and its ask. token: marks this call when it is sent twice. False: no
 * memory. */
MUST_USE bool store_redis_ask(struct store_redis_words *words, const struct store_call *call,
                              struct str prefix, struct str token);
/* Fill the call's answers. The code that the script gave, or ERR_PROTOCOL, ERR_TOO_LARGE. */
MUST_USE enum err_code store_redis_answer(struct store_call *call, const struct redis_reply *reply,
                                          struct err *err);

#endif
