/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite.h - core/store in one SQLite file, which several processes may
 * share.
 *
 * One connection on a thread of its own, WAL, 5 s of patience with other writers within the
 * deadline of a call; what is erased is overwritten. One loop, one thread per store. */
#ifndef BACKENDS_STORES_STORE_SQLITE_H
#define BACKENDS_STORES_STORE_SQLITE_H

#include "core/store/store.h"

struct store_sqlite_options {
    const char *path;    /* copied; made, with its folder, when first used */
    uint64_t timeout_ms; /* of a call, retries included; 0: STORE_TIMEOUT_MS */
    unsigned attempts;   /* at a file that is locked or gone; 0: 3 */
    uint64_t retry_ms;   /* before the second one, doubled from then on; 0: 100 */
    size_t queue_limit;  /* calls that may wait; 0: 1024, more is ERR_BUSY */
};

/* NULL: no memory or no thread. The file is opened by the first call. */
struct store *store_sqlite_create(struct loop *loop, const struct store_sqlite_options *options);

#endif
