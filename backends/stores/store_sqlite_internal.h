/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_internal.h - the jobs of store_sqlite, one per verb, in files of
 * their own.
 *
 * Each runs in a transaction on the database's thread and touches nothing but its call. */
#ifndef BACKENDS_STORES_STORE_SQLITE_INTERNAL_H
#define BACKENDS_STORES_STORE_SQLITE_INTERNAL_H

#include "backends/sqlite/sqlite_row.h"
#include "core/store/store.h"

struct store_sqlite_alive;
struct store_sqlite_journal;

struct store_sqlite_parts { /* of a store, used on the thread alone */
    struct store_sqlite_journal *journal;
    struct store_sqlite_alive *alive;
    struct sqlite_row_places places;
};

struct store_sqlite_job {
    struct sqlite3 *db;
    struct store_sqlite_journal *journal;
    struct store_sqlite_alive *alive;
    struct sqlite_row_places *places;
    struct store_call *call;
    uint64_t now_ms;    /* wall clock, when the call began */
    uint64_t steady_ms; /* the machine's clock since its start, which nobody sets: of leases */
};

/* Make the tables, or see that they are of a version this program knows. owner: the parts. */
enum err_code store_sqlite_prepare(void *owner, struct sqlite3 *db, struct err *err);

/* A statement of the job; sql is a literal. */
static inline struct sqlite_row store_sqlite_row(const struct store_sqlite_job *job,
                                                 const char *sql)
{
    return sqlite_row_again(job->places, job->db, sql);
}

/* store_sqlite_load and so on. */
#define STORE_SQLITE_VERB(verb, name, effect)                                                      \
    enum err_code store_sqlite_##name(const struct store_sqlite_job *job, struct err *err);
STORE_VERBS(STORE_SQLITE_VERB)
#undef STORE_SQLITE_VERB

/* The row of a conversation: 0 with ERR_OK when there is none. */
enum err_code store_sqlite_find_conversation(const struct store_sqlite_job *job,
                                             const struct identity *key, uint64_t *row,
                                             uint64_t *version, uint64_t *turns, struct err *err);

/* Remove the jobs of the user, or of the user's conversation, that key names. */
MUST_USE enum err_code store_sqlite_drop_jobs(const struct store_sqlite_job *job,
                                              const struct identity *key, struct err *err);

/* ---- the journal (store_sqlite_journal.c) ---- */

/* NULL: no memory. Made and destroyed on the loop, when no job runs. */
struct store_sqlite_journal *store_sqlite_journal_create(void);
void store_sqlite_journal_destroy(struct store_sqlite_journal *journal);

/* The last event of the run that is in the journal, or in events, where last_id is, as the run's
 * row has just said. */
uint64_t store_sqlite_journal_last(const struct store_sqlite_job *job, struct str run_id,
                                   uint64_t last_id);
/* What the journal knows of a run that fence is for, since it was noted while as many moves of
 * fences had been counted. False: nothing. */
bool store_sqlite_journal_knows(const struct store_sqlite_job *job, const struct store_fence *fence,
                                uint64_t moves, struct store_verdict *verdict);
/* Note what the run's row has said, for a run that has batches in the journal. */
void store_sqlite_journal_note(const struct store_sqlite_job *job, const struct store_fence *fence,
                               uint64_t moves, const struct store_verdict *verdict);
/* Take a batch behind last_id, as store_sqlite_journal_last said, into the row that is put next. */
MUST_USE enum err_code store_sqlite_journal_add(const struct store_sqlite_job *job,
                                                const struct store_append *append, uint64_t last_id,
                                                struct err *err);
/* Put the row, and settle what is due. */
MUST_USE enum err_code store_sqlite_journal_put(const struct store_sqlite_job *job,
                                                struct err *err);
/* Settle the batches of a run that this connection wrote. */
MUST_USE enum err_code store_sqlite_journal_settle(const struct store_sqlite_job *job,
                                                   struct str run_id, struct err *err);
/* The same for a run of which the journal knows (store_sqlite_journal_knows), and whose row has
 * just got the last event that it knew as its own. */
MUST_USE enum err_code store_sqlite_journal_settle_noted(const struct store_sqlite_job *job,
                                                         struct str run_id, struct err *err);
/* Settle everything, and empty the table. */
MUST_USE enum err_code store_sqlite_journal_settle_all(const struct store_sqlite_job *job,
                                                       struct err *err);
/* Whether there is a row that is made and not put. */
bool store_sqlite_journal_is_open(const struct store_sqlite_journal *journal);
/* Forget what the journal holds: from now on begin settles all of it. */
void store_sqlite_journal_forget(struct store_sqlite_journal *journal);
/* After the beginning of a transaction that writes. */
MUST_USE enum err_code store_sqlite_journal_begin(const struct store_sqlite_job *job,
                                                  struct err *err);

/* Put a batch of a run into events by itself. */
MUST_USE enum err_code store_sqlite_journal_insert(const struct store_sqlite_job *job,
                                                   struct str run_id,
                                                   const struct store_batch *batch,
                                                   struct err *err);
/* Add the batches of the call's run, call->runs[0], that end after after_id to its answers, as
 * store_read says; last_id and the run's last_event_id are the journal's, too. */
MUST_USE enum err_code store_sqlite_journal_read(const struct store_sqlite_job *job,
                                                 uint64_t after_id, uint64_t limit_bytes,
                                                 struct err *err);
/* Make the last events of the answer's runs those of the journal, whoever wrote them. */
MUST_USE enum err_code store_sqlite_journal_tell(const struct store_sqlite_job *job,
                                                 struct err *err);

#endif
