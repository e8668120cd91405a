/* SPDX-License-Identifier: MIT */
/* backends/stores/store_pg.h - core/store in PostgreSQL: each call one function in one transaction.
 *
 * Tables and functions are in the schema askd_store, made by the first call in a database where
 * they are not (the role must be allowed to CREATE there), with the version of their format. A call
 * whose answer was lost is sent again within the deadline: the functions know their own changes.
 * One loop, one thread. */
#ifndef BACKENDS_STORES_STORE_PG_H
#define BACKENDS_STORES_STORE_PG_H

#include "core/store/store.h"

struct store_pg_options {
    const char *url;     /* backends/sql/pg_target.h */
    size_t connections;  /* 0: 4 */
    uint64_t timeout_ms; /* of a call, retries included. 0: STORE_TIMEOUT_MS */
};

/* Connects nothing yet. NULL with ERR_INVALID (the url) or ERR_NO_MEMORY in err. */
struct store *store_pg_create(struct loop *loop, const struct store_pg_options *options,
                              struct err *err);

#endif
