/* SPDX-License-Identifier: MIT */
/* core/base/pool.h - objects of one size, kept for reuse, counted while they are out.
 *
 * One per loop and kind of object. Idle objects beyond keep_idle go back to mem; a pool with
 * objects out may not be destroyed (CHECK): that is how tests find leaks. One thread. */
#ifndef CORE_BASE_POOL_H
#define CORE_BASE_POOL_H

#include "core/base/defs.h"

struct pool;

/* A pool of object_bytes objects that keeps at most keep_idle unused. NULL: no memory. */
struct pool *pool_create(size_t object_bytes, size_t keep_idle);
/* NULL is fine; every object must be back. */
void pool_destroy(struct pool *pool);

/* One zeroed object. NULL: no memory. */
MUST_USE void *pool_take(struct pool *pool);
/* Return an object of this pool. NULL is fine. */
void pool_give(struct pool *pool, void *object);
/* Objects out now. */
size_t pool_out(const struct pool *pool);

#endif
