/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_internal.h - the jobs of store_sqlite, one per verb, in files of
 * their own.
 *
 * Each runs in a transaction on the database's thread and touches nothing but its call. */
#ifndef BACKENDS_STORES_STORE_SQLITE_INTERNAL_H
#define BACKENDS_STORES_STORE_SQLITE_INTERNAL_H

#include "backends/sqlite/sqlite_row.h"
#include "core/store/store.h"

struct store_sqlite_job {
    struct sqlite3 *db;
    struct store_call *call;
    uint64_t now_ms;    /* wall clock, when the call began */
    uint64_t steady_ms; /* the machine's clock since its start, which nobody sets: of leases */
};

/* Make the tables, or see that they are of a version this program knows. */
enum err_code store_sqlite_prepare(void *owner, struct sqlite3 *db, struct err *err);

/* store_sqlite_load and so on. */
#define STORE_SQLITE_VERB(verb, name, effect)                                                      \
    enum err_code store_sqlite_##name(const struct store_sqlite_job *job, struct err *err);
STORE_VERBS(STORE_SQLITE_VERB)
#undef STORE_SQLITE_VERB

/* The row of a conversation: 0 with ERR_OK when there is none; ERR_NOT_FOUND: another's. */
enum err_code store_sqlite_find_conversation(const struct store_sqlite_job *job,
                                             const struct identity *key, uint64_t *row,
                                             uint64_t *version, uint64_t *turns, struct err *err);

#endif
