/* SPDX-License-Identifier: MIT */
/* server/wiring/checkpoint_stores.h - ASKD_CHECKPOINT_URL -> the store of conversations,
 * ASKD_EVENTS_URL -> that of runs and what they say. The one place that names implementations of
 * core/store. */
#ifndef SERVER_WIRING_CHECKPOINT_STORES_H
#define SERVER_WIRING_CHECKPOINT_STORES_H

#include "core/store/store.h"
#include "server/config/config.h"

/* An empty ASKD_CHECKPOINT_URL: the SQLite file CONVERSATION_DB_PATH; else as store_urls_check_runs
 * takes them. Set *store to the store of conversations and *events to that of runs, the same unless
 * another is configured; NULL: none. Nothing is reached yet. ERR_INVALID, ERR_NO_MEMORY: what is
 * open is the caller's to close all the same. */
MUST_USE enum err_code checkpoint_stores_open(struct loop *loop, const struct config *config,
                                              struct store **store, struct store **events,
                                              struct err *err);
/* At the start of the program: reach what is configured once, and wait for it. */
MUST_USE enum err_code checkpoint_stores_try(const struct config *config, struct err *err);

#endif
