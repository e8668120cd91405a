/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_pair.h - a file of a store with two threads: one searches, one writes, so
 * that a long change does not hold searches up.
 *
 * Counts the store's operations and remembers what the file said last. Happy path: open, begin and
 * end around each operation, close. Not a place for jobs: those are started on reads and writes.
 * One loop. */
#ifndef BACKENDS_SQLITE_SQLITE_PAIR_H
#define BACKENDS_SQLITE_SQLITE_PAIR_H

#include "backends/sqlite/sqlite_thread.h"
#include "core/loop/closing.h"

struct sqlite_pair { /* zeroed */
    struct sqlite_thread *reads, *writes;
    struct closing closing; /* out: operations and threads */
    /* private */
    struct err last;
};

/* steps: as of core/closing; the last one frees the owner, also of a pair that was not opened.
 * False: no memory or no thread; the steps run on a later turn. */
MUST_USE bool sqlite_pair_open(struct sqlite_pair *pair, struct loop *loop,
                               const struct sqlite_thread_options *reads,
                               const struct sqlite_thread_options *writes,
                               closing_fn *const *steps);
/* Finish all jobs with ERR_CANCELLED and close, once: the steps, then on_closed(owner), run when
 * the last operation was ended. */
void sqlite_pair_close(struct sqlite_pair *pair, void (*on_closed)(void *owner), void *owner);

/* Count an operation that began; count it out when it was finished, and note err
 * (sqlite_pair_note). */
void sqlite_pair_begin(struct sqlite_pair *pair);
void sqlite_pair_end(struct sqlite_pair *pair, const struct err *err);

/* A change of the store: one job on writes, whose arg is this struct. */
struct sqlite_pair_change {
    const void *change; /* kept until done, by whoever asked */
    void *owner;
    /* private */
    struct sqlite_job job;
    struct sqlite_pair *pair;
    struct op *op;
};
/* Run it for op, which has begun; op ends as the job does. timeout_ms 0: a minute. NULL: op is
 * finished already, as there is no memory or the pair is being closed. */
struct sqlite_pair_change *sqlite_pair_change_start(struct sqlite_pair *pair, struct op *op,
                                                    sqlite_job_fn *run, const void *change,
                                                    uint64_t timeout_ms, void *owner);
/* For op's cancel; NULL is fine. The change is freed (mem_free) at op's release. */
void sqlite_pair_change_cancel(struct sqlite_pair_change *change);

/* What a job ended with: ERR_UNAVAILABLE is the file's state until something succeeds. */
void sqlite_pair_note(struct sqlite_pair *pair, const struct err *err);
/* The state of the file: ERR_OK, or what was noted last, with err. */
MUST_USE enum err_code sqlite_pair_ready(const struct sqlite_pair *pair, struct err *err);

#endif
