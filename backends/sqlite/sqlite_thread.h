/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_thread.h - one thread per connection: jobs in, results out as operations.
 *
 * The only module that opens SQLite. A job runs on the thread with the connection to itself, in
 * the order of starting; it is interrupted when its operation is cancelled or its deadline passes
 * (progress handler). Not a place for SQL: jobs bring theirs. Started and told on one loop. */
#ifndef BACKENDS_SQLITE_SQLITE_THREAD_H
#define BACKENDS_SQLITE_SQLITE_THREAD_H

#include <stdatomic.h>

#include "core/loop/op.h"

struct sqlite_thread;
struct sqlite3;
struct sqlite_job;

/* Runs on the database's thread with an open connection. err is zeroed before. */
typedef enum err_code sqlite_job_fn(struct sqlite_job *job, struct sqlite3 *db, struct err *err);
/* Prepares a connection just opened, on the database's thread: functions, authorizer. */
typedef enum err_code sqlite_open_fn(void *owner, struct sqlite3 *db, struct err *err);

struct sqlite_job {
    struct op op; /* "sqlite.job" */
    void *arg;    /* the caller's; only the job touches what it points at until done */
    /* private */
    struct sqlite_thread *thread;
    sqlite_job_fn *run;
    struct list link;
    uint64_t deadline_ns;  /* 0: none */
    _Atomic int stop;      /* an enum err_code: ERR_OK goes on, else why to give up */
    int64_t memory_before; /* SQLite's, when it began */
    bool waiting;          /* in the queue; under the thread's lock */
    struct err result;
};

struct sqlite_thread_options {
    const char *path;        /* copied */
    bool read_only;          /* SQLITE_OPEN_READONLY, query_only, DEFENSIVE; else WAL, created if
                                absent */
    uint64_t busy_ms;        /* how long to wait for another writer's lock; 0: 5000 */
    size_t queue_limit;      /* 0: 1024; more is ERR_BUSY */
    size_t memory_bytes;     /* a job that takes more, all in SQLite counted, is ended with
                                ERR_TOO_LARGE; then nothing goes to temporary files. 0: any */
    bool make_folder;        /* make the folder of path, and those above it, when absent */
    sqlite_open_fn *on_open; /* may be NULL */
    void (*on_close)(struct sqlite3 *db); /* before each connection is closed; may be NULL */
    void *owner;                          /* on_open's; borrowed until closed */
};

/* Start the thread; the database is opened by the first job and again after it was unusable or
 * its file was replaced, so a file that appears later works. NULL: no memory or no thread. */
struct sqlite_thread *sqlite_thread_create(struct loop *loop,
                                           const struct sqlite_thread_options *options);
/* Finish all jobs with ERR_CANCELLED, end the thread, free it, then call on_closed(owner) once,
 * later. on_closed may be NULL. */
void sqlite_thread_close(struct sqlite_thread *thread, void (*on_closed)(void *owner), void *owner);

/* Start run(job) with job->arg = arg. timeout_ms counts from now, queueing included; 0: none.
 * ERR_BUSY: the queue is full; ERR_UNAVAILABLE: no usable database, with what to do about it. */
void sqlite_job_start(struct sqlite_job *job, struct sqlite_thread *thread, sqlite_job_fn *run,
                      void *arg, uint64_t timeout_ms, struct op_waiter waiter);

/* What SQLite's result code (extended or not) means to us. */
enum err_code sqlite_thread_error(int sqlite_code);
/* For jobs: set err to what sqlite_code means, with a sentence, and return its code. */
enum err_code sqlite_thread_fail(struct sqlite3 *db, int sqlite_code, struct err *err);

#endif
