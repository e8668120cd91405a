/* SPDX-License-Identifier: MIT */
/* backends/passages/pg_passages.h - a store of passages in PostgreSQL: an operation is one task
 * over a pool.
 *
 * What text_pg.c and vec_pg.c have in common: runs, deadlines, cancel, close. A store says which
 * statements an operation is and what its rows and failures mean. One loop, one thread, but for
 * prepare. */
#ifndef BACKENDS_PASSAGES_PG_PASSAGES_H
#define BACKENDS_PASSAGES_PG_PASSAGES_H

#include "backends/passage.h"
#include "backends/sql/pg_task.h"
#include "core/base/arena.h"
#include "core/loop/work.h"

struct pg_passages;
struct pg_passages_run;

struct pg_passages_kind { /* of an operation; a const table */
    /* Give run->task its statements, and on_rows where rows matter; none: nothing is to be done.
     * On the thread pool, since texts may be long; touches its run only. */
    enum err_code (*prepare)(struct pg_passages_run *run, struct err *err);
    /* The operation is over, and was not cancelled: put the result in its place; err may be
     * changed. */
    void (*end)(struct pg_passages_run *run, struct err *err);
    bool writes;
};

struct pg_passages_run { /* of one operation, from start to release; its task's arg */
    struct arena arena;  /* until release */
    struct pg_task task;
    const void *request; /* the store's */
    struct op *op;
    struct passage_hit *hits; /* the store's, in arena */
    size_t hit_count;
    size_t kind_step; /* the store's: the statement that says which vectors are held */
    bool is_empty;    /* the store's: no vectors are held, and the collection is for others */
    /* private */
    const struct pg_passages_kind *kind;
    struct pg_passages *store;
    struct list link;
    uint64_t deadline_ms;
    bool is_cancelled;
    struct work work;
};

/* url: postgresql://..., all that libpq knows; copied. Opens nothing yet. NULL with err:
 * ERR_INVALID, naming the part that is wrong, or ERR_NO_MEMORY. */
struct pg_passages *pg_passages_create(struct loop *loop, const char *url, struct err *err);
/* Finish all with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. on_closed
 * may be NULL. */
void pg_passages_close(struct pg_passages *store, void (*on_closed)(void *owner), void *owner);

/* Begin the run of op, which has begun; timeout_ms 0: the default. NULL: op is finished already, as
 * it is when the store is being closed or there is no memory. */
struct pg_passages_run *pg_passages_start(struct pg_passages *store, struct op *op,
                                          const struct pg_passages_kind *kind, const void *request,
                                          uint64_t timeout_ms);
/* NULL is fine for both. */
void pg_passages_cancel(struct pg_passages_run *run);
void pg_passages_release(struct pg_passages_run *run);

/* Whether what the run asked for is not there: a table, as nothing was ever added. */
bool pg_passages_lacks_table(const struct pg_passages_run *run);
MUST_USE enum err_code pg_passages_ready(const struct pg_passages *store, struct err *err);

#endif
