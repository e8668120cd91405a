/* SPDX-License-Identifier: MIT */
/* backends/store_memory.h - core/store in memory, for tests and as the shortest statement of what a
 * store does. Nothing outlives it; its clock is the loop's. One loop, one thread. */
#ifndef BACKENDS_STORE_MEMORY_H
#define BACKENDS_STORE_MEMORY_H

#include "core/store.h"

/* NULL: no memory. */
struct store *store_memory_create(struct loop *loop);

#endif
