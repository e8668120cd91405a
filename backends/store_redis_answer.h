/* SPDX-License-Identifier: MIT */
/* backends/store_redis_answer.h - what the script of backends/store_redis answers. Any thread. */
#ifndef BACKENDS_STORE_REDIS_ANSWER_H
#define BACKENDS_STORE_REDIS_ANSWER_H

#include "backends/redis_reply.h"
#include "core/store.h"

/* Fill the call's answers. The code that the script gave, or ERR_PROTOCOL, ERR_TOO_LARGE. */
MUST_USE enum err_code store_redis_answer(struct store_call *call, const struct redis_reply *reply,
                                          struct err *err);

#endif
