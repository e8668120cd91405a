/* SPDX-License-Identifier: MIT */
/* backends/stores/store_redis_lua.h - the script of store_redis.h, embedded as the files
 * backends/stores/store_redis/common.lua, conversations.lua and runs.lua make it. */
#ifndef BACKENDS_STORES_STORE_REDIS_LUA_H
#define BACKENDS_STORES_STORE_REDIS_LUA_H

#include "core/base/str.h"

extern const struct str store_redis_lua;

#endif
