/* SPDX-License-Identifier: MIT */
/* core/base/mem.h - the only door to malloc.
 *
 * Everything the program allocates itself comes through here, so a test can make the n-th
 * allocation of its thread fail and demand that the code copes. Any thread; the counters are
 * the calling thread's own. */
#ifndef CORE_BASE_MEM_H
#define CORE_BASE_MEM_H

#include "core/base/defs.h"

/* size bytes, not zeroed. NULL: no memory. size 0 gives a unique pointer. */
MUST_USE void *mem_alloc(size_t size);
/* count * size zeroed bytes. NULL: no memory, or the product does not fit. */
MUST_USE void *mem_zalloc(size_t count, size_t size);
/* Resize; at may be NULL. NULL: no memory, at is untouched and still the caller's. */
MUST_USE void *mem_resize(void *at, size_t size);
/* Free. NULL is fine. */
void mem_free(void *at);

/* For tests: the n-th allocation from now on (1 = the next) fails, once; 0 turns it off. */
void mem_fail_nth(uint64_t n);
/* For tests and benches: allocations (fresh or resized) this thread has made so far. */
uint64_t mem_alloc_count(void);
/* Bytes that were taken through this door and not given back, by all threads, as the allocator
 * rounds them; other threads' are up to 16 KiB each behind. */
int64_t mem_held_bytes(void);

#endif
