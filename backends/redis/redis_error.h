/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_error.h - a refusal of Redis as an error of ours. Any thread. */
#ifndef BACKENDS_REDIS_REDIS_ERROR_H
#define BACKENDS_REDIS_REDIS_ERROR_H

#include "core/base/err.h"
#include "core/base/str.h"

/* Fill err from the words of the refusal ("WRONGTYPE Operation against..."). */
void redis_error_of(struct str text, struct err *err);

#endif
