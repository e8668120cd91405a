/* SPDX-License-Identifier: MIT */
/* server/wiring/checkpoint_stores.h - ASKD_CHECKPOINT_URL -> the store of conversations,
 * ASKD_EVENTS_URL -> the store of runs and their events. The one place that names implementations
 * of core/store. */
#ifndef SERVER_WIRING_CHECKPOINT_STORES_H
#define SERVER_WIRING_CHECKPOINT_STORES_H

#include "core/store/store.h"
#include "server/config/config.h"

/* Set *store to the store of conversations and *events to that of runs, the same one unless another
 * is configured; NULL: none. An empty ASKD_CHECKPOINT_URL means the SQLite file
 * CONVERSATION_DB_PATH; other urls are those that store_urls_check_runs takes. No connection is
 * made yet. ERR_INVALID, ERR_NO_MEMORY: a store that is not NULL is still the caller's to close. */
MUST_USE enum err_code checkpoint_stores_open(struct loop *loop, const struct config *config,
                                              struct store **store, struct store **events,
                                              struct err *err);
/* At the start of the program: reach the configured stores once, blocking. The error is that of the
 * store that cannot be reached. */
MUST_USE enum err_code checkpoint_stores_try(const struct config *config, struct err *err);

#endif
