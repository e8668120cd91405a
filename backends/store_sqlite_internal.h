/* SPDX-License-Identifier: MIT */
/* backends/store_sqlite_internal.h - the jobs of store_sqlite, one per verb, in files of their own.
 *
 * Each runs in a transaction on the database's thread and touches nothing but its call. */
#ifndef BACKENDS_STORE_SQLITE_INTERNAL_H
#define BACKENDS_STORE_SQLITE_INTERNAL_H

#include "backends/sqlite_row.h"
#include "core/store.h"

struct store_sqlite_job {
    struct sqlite3 *db;
    struct store_call *call;
    uint64_t now_ms; /* wall clock, when the call began */
};

/* Make the tables, or see that they are of a version this program knows. */
enum err_code store_sqlite_prepare(void *owner, struct sqlite3 *db, struct err *err);

enum err_code store_sqlite_load(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_restore(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_save(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_keep(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_checkpoints(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_list(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_search(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_erase(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_prune(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_begin(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_resume(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_claim(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_renew(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_finish(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_find(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_runs(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_stop(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_append(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_write(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_read(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_mark(const struct store_sqlite_job *job, struct err *err);
enum err_code store_sqlite_marks(const struct store_sqlite_job *job, struct err *err);

/* The row of a conversation: 0 with ERR_OK when there is none; ERR_NOT_FOUND: another's. */
enum err_code store_sqlite_find_conversation(const struct store_sqlite_job *job,
                                             const struct identity *key, uint64_t *row,
                                             uint64_t *version, uint64_t *turns, struct err *err);

#endif
