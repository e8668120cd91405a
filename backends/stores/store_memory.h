/* SPDX-License-Identifier: MIT */
/* backends/stores/store_memory.h - core/store in memory, for tests and as the shortest statement of
 * what a store does. Nothing outlives it; its clock is the loop's. One loop, one thread. */
#ifndef BACKENDS_STORES_STORE_MEMORY_H
#define BACKENDS_STORES_STORE_MEMORY_H

#include "core/store/store.h"

/* NULL: no memory. */
struct store *store_memory_create(struct loop *loop);

#endif
