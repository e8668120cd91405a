/* SPDX-License-Identifier: MIT */
/* backends/vec.h - the vector store interface: passages with vectors, found by nearness.
 *
 * A collection holds vectors of one model and one number of dimensions, both fixed by its first
 * write. One loop, one thread per vec. */
#ifndef BACKENDS_VEC_H
#define BACKENDS_VEC_H

#include "backends/passage.h"
#include "core/loop/op.h"

struct vec_query {
    struct str collection;
    struct str model;    /* embed_model() of what made vector */
    const float *vector; /* unit length */
    size_t dimensions;
    size_t top_k; /* 1..1000 */
    const struct passage_filter *filters;
    size_t filter_count;
    uint64_t timeout_ms; /* 0: the backend's default */
};

struct vec_point {
    struct passage passage;
    const float *vector; /* unit length */
};

/* A change to one collection: points to add or replace (by id), or passages to remove. The whole
 * change holds or none of it, where the store can promise so, removals first; a repeated change is
 * harmless. */
struct vec_change {
    struct str collection;
    struct str model; /* model and dimensions only matter where there are points to add */
    size_t dimensions;
    const struct vec_point *upsert; /* NULL: none; at most VEC_MAX_POINTS */
    size_t upsert_count;
    const struct str *remove_ids; /* ids that are not there are fine */
    size_t remove_count;
    const struct passage_filter *remove_filters; /* remove all that pass, too; 0 filters: none */
    size_t remove_filter_count;
    uint64_t timeout_ms; /* 0: the backend's default */
};

enum { VEC_MAX_POINTS = 1024, VEC_MAX_DIMENSIONS = 4096 };

struct vec;
struct vec_search {
    struct op op; /* kinds are named "vec.*" */
    /* result, valid in done with ERR_OK until release */
    const struct passage_hit *hits; /* best first; score: cosine, -1..1; ties by id */
    size_t hit_count;
    /* private */
    struct vec *vec;
    const struct vec_query *query;
    op_fn *done; /* the waiter's done, kept while calls are observed */
    uint64_t began_ns;
    void *impl;
};

struct vec_write {
    struct op op; /* kinds are named "vec.*" */
    /* private */
    struct vec *vec;
    const struct vec_change *change;
    void *impl;
};

struct vec_vtable {
    const char *name; /* "local", "chroma", "qdrant", "pgvector" */
    /* A collection that is not there has no hits (ERR_OK). ERR_INVALID: it holds vectors of another
     * model or number of dimensions (says both, and what to do); ERR_UNAVAILABLE: the store cannot
     * be reached; ERR_TIMEOUT; ERR_REJECTED: the store's own words; ERR_PROTOCOL; ERR_CANCELLED. */
    void (*search_start)(struct vec *vec, struct vec_search *search, struct op_waiter waiter);
    /* Errors: those of search_start. After done a search on the same vec sees the change. */
    void (*write_start)(struct vec *vec, struct vec_write *write, struct op_waiter waiter);
    /* Whether the store could be reached, as last known: ERR_OK, or why not, with err. No I/O. */
    enum err_code (*ready)(struct vec *vec, struct err *err);
    /* Finish all with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct vec *vec, void (*on_closed)(void *owner), void *owner);
};

typedef void vec_observe_fn(void *owner, const struct vec_search *search, uint64_t took_ns);

/* First member of every implementation. */
struct vec {
    const struct vec_vtable *vtable;
    struct loop *loop;
    vec_observe_fn *observe; /* of searches, for metrics; set before the first one */
    void *observer;
};

/* The done of searches that are observed. */
static inline void vec_on_observed(struct op *op)
{
    struct vec_search *search = container_of(op, struct vec_search, op);
    search->vec->observe(search->vec->observer, search, loop_precise_ns() - search->began_ns);
    search->done(op);
}

/* search is zeroed before its first start; query and what it points at are kept until done. */
static inline void vec_search_start(struct vec_search *search, struct vec *vec,
                                    const struct vec_query *query, struct op_waiter waiter)
{
    search->hits = NULL;
    search->hit_count = 0;
    search->vec = vec;
    search->query = query;
    if (vec->observe != NULL) {
        search->began_ns = loop_precise_ns();
        search->done = waiter.done;
        waiter.done = vec_on_observed;
    }
    vec->vtable->search_start(vec, search, waiter);
}

/* write is zeroed before its first start; change and what it points at are kept until done. A
 * change that was cancelled may have happened all the same. */
static inline void vec_write_start(struct vec_write *write, struct vec *vec,
                                   const struct vec_change *change, struct op_waiter waiter)
{
    write->vec = vec;
    write->change = change;
    vec->vtable->write_start(vec, write, waiter);
}

static inline MUST_USE enum err_code vec_ready(struct vec *vec, struct err *err)
{
    return vec->vtable->ready(vec, err);
}

static inline void vec_close(struct vec *vec, void (*on_closed)(void *owner), void *owner)
{
    vec->vtable->close(vec, on_closed, owner);
}

#endif
