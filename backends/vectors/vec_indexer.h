/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_indexer.h - the loop's side of building an index: slices of work in the
 * pool.
 *
 * One per vec; of all vecs over one vec_shared only one builds at a time. One loop, one thread. */
#ifndef BACKENDS_VECTORS_VEC_INDEXER_H
#define BACKENDS_VECTORS_VEC_INDEXER_H

#include "backends/vectors/vec_shared.h"
#include "core/loop/work.h"

struct vec_indexer { /* zeroed, then initialised */
    struct loop *loop;
    struct vec_shared *shared;
    /* private */
    struct work work;
    struct hnsw *building; /* a slice's while one runs */
    atomic_bool stop;
    bool running, more; /* more: set by a slice */
    void (*on_idle)(struct vec_indexer *indexer);
};

/* on_idle is called whenever the last slice has ended. */
void vec_indexer_init(struct vec_indexer *indexer, struct loop *loop, struct vec_shared *shared,
                      void (*on_idle)(struct vec_indexer *indexer));
/* Begin to build if an index is wanted, nobody builds one and the indexer was not stopped. */
void vec_indexer_consider(struct vec_indexer *indexer);
/* Stop building for good; on_idle comes if a slice was running. */
void vec_indexer_stop(struct vec_indexer *indexer);
static inline bool vec_indexer_is_running(const struct vec_indexer *indexer)
{
    return indexer->running;
}

#endif
