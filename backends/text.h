/* SPDX-License-Identifier: MIT */
/* backends/text.h - the keyword store interface: passages found by the words they hold.
 *
 * Ranked by BM25 or what the store has of that kind. One loop, one thread per text. */
#ifndef BACKENDS_TEXT_H
#define BACKENDS_TEXT_H

#include "backends/passage.h"
#include "core/loop/op.h"

struct text_query {
    struct str collection;
    struct str words; /* what somebody typed: any bytes, no query language; a passage need not hold
                         all of them. No word at all: no hits */
    size_t top_k;     /* 1..1000 */
    const struct passage_filter *filters;
    size_t filter_count;
    uint64_t timeout_ms; /* 0: the backend's default */
};

/* A change to one collection: passages to add or replace (by id), or to remove; a vec_change
 * (backends/vec.h) without vectors. */
struct text_change {
    struct str collection;
    const struct passage *upsert; /* at most TEXT_MAX_PASSAGES */
    size_t upsert_count;
    const struct str *remove_ids;
    size_t remove_count;
    const struct passage_filter *remove_filters;
    size_t remove_filter_count;
    uint64_t timeout_ms; /* 0: the backend's default */
};

enum { TEXT_MAX_PASSAGES = 1024 };

struct text;
struct text_search {
    struct op op; /* kinds are named "text.*" */
    /* result, valid in done with ERR_OK until release */
    const struct passage_hit *hits; /* best first; score: the store's, comparable within one
                                       result; ties by id */
    size_t hit_count;
    /* private */
    struct text *text;
    const struct text_query *query;
    op_fn *done; /* the waiter's done, kept while calls are observed */
    uint64_t began_ns;
    void *impl;
};

struct text_write {
    struct op op; /* kinds are named "text.*" */
    /* private */
    struct text *text;
    const struct text_change *change;
    void *impl;
};

struct text_vtable {
    const char *name; /* "fts5", "postgresql" */
    /* Errors as in backends/vec.h. A collection that is not there has no hits (ERR_OK). */
    void (*search_start)(struct text *text, struct text_search *search, struct op_waiter waiter);
    void (*write_start)(struct text *text, struct text_write *write, struct op_waiter waiter);
    enum err_code (*ready)(struct text *text, struct err *err);
    void (*close)(struct text *text, void (*on_closed)(void *owner), void *owner);
};

typedef void text_observe_fn(void *owner, const struct text_search *search, uint64_t took_ns);

/* First member of every implementation. */
struct text {
    const struct text_vtable *vtable;
    struct loop *loop;
    text_observe_fn *observe; /* of searches, for metrics; set before the first one */
    void *observer;
};

/* The done of searches that are observed. */
static inline void text_on_observed(struct op *op)
{
    struct text_search *search = container_of(op, struct text_search, op);
    search->text->observe(search->text->observer, search, loop_precise_ns() - search->began_ns);
    search->done(op);
}

/* search is zeroed before its first start; query and what it points at are kept until done. */
static inline void text_search_start(struct text_search *search, struct text *text,
                                     const struct text_query *query, struct op_waiter waiter)
{
    search->hits = NULL;
    search->hit_count = 0;
    search->text = text;
    search->query = query;
    if (text->observe != NULL) {
        search->began_ns = loop_precise_ns();
        search->done = waiter.done;
        waiter.done = text_on_observed;
    }
    text->vtable->search_start(text, search, waiter);
}

/* write is zeroed before its first start; change and what it points at are kept until done. A
 * change that was cancelled may have happened all the same. */
static inline void text_write_start(struct text_write *write, struct text *text,
                                    const struct text_change *change, struct op_waiter waiter)
{
    write->text = text;
    write->change = change;
    text->vtable->write_start(text, write, waiter);
}

static inline MUST_USE enum err_code text_ready(struct text *text, struct err *err)
{
    return text->vtable->ready(text, err);
}

static inline void text_close(struct text *text, void (*on_closed)(void *owner), void *owner)
{
    text->vtable->close(text, on_closed, owner);
}

#endif
