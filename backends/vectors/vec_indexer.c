/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_indexer.c - one slice after another until there is no more.
 *
 * Happy path: a slice adds rows for some milliseconds, the next one is queued behind whatever else
 * waits for the pool. Failure: no memory: given up until considered again; stopped: the slice ends
 * after the row it is at, what was built is dropped. */
#include "backends/vectors/vec_indexer.h"

static enum err_code run_slice(struct work *work, struct err *err)
{
    struct vec_indexer *indexer = work->arg;
    return vec_shared_index(indexer->shared, &indexer->stop, &indexer->building, &indexer->more,
                            err);
}

static void on_slice(struct op *op);

static void start_slice(struct vec_indexer *indexer)
{
    indexer->running = true;
    indexer->more = false;
    work_start(&indexer->work, indexer->loop, run_slice, indexer,
               (struct op_waiter){.done = on_slice, .owner = indexer});
}

static void on_slice(struct op *op)
{
    struct vec_indexer *indexer = op_owner(op);
    bool more = op->err.code == ERR_OK && indexer->more && !atomic_load(&indexer->stop);
    op_release(op);
    indexer->running = false;
    if (more) {
        start_slice(indexer);
        return;
    }
    vec_shared_index_end(indexer->shared, &indexer->building);
    indexer->on_idle(indexer);
}

void vec_indexer_init(struct vec_indexer *indexer, struct loop *loop, struct vec_shared *shared,
                      void (*on_idle)(struct vec_indexer *indexer))
{
    indexer->loop = loop;
    indexer->shared = shared;
    indexer->on_idle = on_idle;
    atomic_init(&indexer->stop, false);
}

void vec_indexer_consider(struct vec_indexer *indexer)
{
    if (!indexer->running && !atomic_load(&indexer->stop) &&
        vec_shared_wants_index(indexer->shared))
        start_slice(indexer);
}

void vec_indexer_stop(struct vec_indexer *indexer)
{
    atomic_store(&indexer->stop, true);
    if (indexer->running)
        op_cancel(&indexer->work.op);
}
