/* SPDX-License-Identifier: MIT */
/* core/base/id.h - unguessable ids, and run ids that name the worker they live on.
 *
 * A run id is "run_" + two hex digits of worker + ten of the time + 22 from the kernel's random
 * source. Ids made later sort later, so that those of an hour lie together in a store's indexes,
 * and many runs that begin or end together change few pages. Versions before this one made ids
 * without the time, which are run ids, too. Any thread. */
#ifndef CORE_BASE_ID_H
#define CORE_BASE_ID_H

#include "core/base/str.h"

enum { ID_RUN_BYTES = 4 + 2 + 10 + 22, ID_RUN_BEFORE_BYTES = 4 + 2 + 24, ID_HEX_BYTES = 32 };

struct id {
    char text[40]; /* NUL-terminated */
};

/* 128 random bits as 32 hex digits. */
struct id id_random(void);
/* A run id for worker (0 to 255). */
struct id id_run(unsigned worker);
/* The worker a run id names; false when text is not a run id. */
MUST_USE bool id_run_worker(struct str text, unsigned *worker);
/* A random number, for jitter and seeds. */
uint64_t id_random_u64(void);

#endif
