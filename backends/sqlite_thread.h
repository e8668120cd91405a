/* SPDX-License-Identifier: MIT */
/* backends/sqlite_thread.h - one thread per database: jobs in, results out as operations.
 *
 * The only file that opens SQLite. A job runs on the thread with the connection to itself; it is
 * interrupted when its operation is cancelled or its deadline passes (progress handler). */
#ifndef BACKENDS_SQLITE_THREAD_H
#define BACKENDS_SQLITE_THREAD_H

#include "core/op.h"

struct sqlite_thread;
struct sqlite3;
struct sqlite_job;

/* Runs on the database's thread with an open connection. err is zeroed before. */
typedef enum err_code sqlite_job_fn(struct sqlite_job *job, struct sqlite3 *db, struct err *err);

struct sqlite_job {
    struct op op;
    void *arg; /* the caller's; only the job touches what it points at until done */
    /* private */
    struct sqlite_thread *thread;
    sqlite_job_fn *run;
    uint64_t timeout_ms;
    struct list link;
    void *impl;
};

struct sqlite_thread_options {
    const char *path; /* copied */
    bool read_only;   /* SQLITE_OPEN_READONLY + query_only + DEFENSIVE; else WAL, created if absent */
    uint64_t busy_ms; /* busy timeout; 0: 5000 */
    size_t queue_limit; /* 0: 1024; more is ERR_BUSY */
};

/* Start the thread; the database is opened by the first job and again after it was unusable, so a
 * file that appears later works. NULL: no memory or no thread. */
struct sqlite_thread *sqlite_thread_create(struct loop *loop,
                                           const struct sqlite_thread_options *options);
void sqlite_thread_close(struct sqlite_thread *thread, void (*on_closed)(void *owner), void *owner);
void sqlite_job_start(struct sqlite_job *job, struct sqlite_thread *thread, sqlite_job_fn *run,
                      void *arg, uint64_t timeout_ms, struct op_waiter waiter);
/* What SQLite's result code means to us. */
enum err_code sqlite_thread_error(int sqlite_code);

#endif
