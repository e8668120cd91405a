/* SPDX-License-Identifier: MIT */
/* core/base/pool.c - a free list threaded through the idle objects themselves. */
#include "core/base/pool.h"

#include <string.h>

#include "core/base/mem.h"

struct idle {
    struct idle *next;
};

struct pool {
    size_t object_bytes, keep_idle;
    size_t out, idle_count;
    struct idle *idle;
};

struct pool *pool_create(size_t object_bytes, size_t keep_idle)
{
    struct pool *pool = mem_zalloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->object_bytes = size_max(object_bytes, sizeof(struct idle));
    pool->keep_idle = keep_idle;
    return pool;
}

void pool_destroy(struct pool *pool)
{
    if (pool == NULL)
        return;
    CHECK(pool->out == 0);
    while (pool->idle != NULL) {
        struct idle *next = pool->idle->next;
        mem_free(pool->idle);
        pool->idle = next;
    }
    mem_free(pool);
}

void *pool_take(struct pool *pool)
{
    void *object = pool->idle;
    if (object != NULL) {
        pool->idle = pool->idle->next;
        pool->idle_count--;
        memset(object, 0, pool->object_bytes);
    } else {
        object = mem_zalloc(1, pool->object_bytes);
        if (object == NULL)
            return NULL;
    }
    pool->out++;
    return object;
}

void pool_give(struct pool *pool, void *object)
{
    if (object == NULL)
        return;
    CHECK(pool->out > 0);
    pool->out--;
    if (pool->idle_count >= pool->keep_idle) {
        mem_free(object);
        return;
    }
    struct idle *idle = object;
    idle->next = pool->idle;
    pool->idle = idle;
    pool->idle_count++;
}

size_t pool_out(const struct pool *pool)
{
    return pool->out;
}
