/* SPDX-License-Identifier: MIT */
/* backends/rerank.h - the reranker interface: how well each of a few texts answers a question.
 *
 * A search finds what may be meant; a reranker reads question and text together and says which
 * comes first. One loop, one thread per rerank. */
#ifndef BACKENDS_RERANK_H
#define BACKENDS_RERANK_H

#include "core/base/str.h"
#include "core/loop/op.h"

enum { RERANK_MAX_TEXTS = 32 }; /* as many as TEI takes by default */

struct rerank_request {
    struct str query;        /* UTF-8 */
    const struct str *texts; /* UTF-8; long ones are cut */
    size_t count;            /* 1..RERANK_MAX_TEXTS */
    uint64_t timeout_ms;     /* 0: the backend's default */
};

struct rerank;
struct rerank_texts {
    struct op op; /* kinds are named "rerank.*" */
    /* result, valid in done with ERR_OK */
    double scores[RERANK_MAX_TEXTS]; /* of texts, in their order; higher is better; finite */
    /* private */
    struct rerank *rerank;
    const struct rerank_request *request;
    op_fn *done; /* the waiter's done, kept while calls are observed */
    uint64_t began_ns;
    void *impl;
};

struct rerank_vtable {
    const char *name; /* "http" */
    /* Errors, as for a chat of backends/llm.h: ERR_NOT_CONFIGURED, ERR_UNAVAILABLE, ERR_TIMEOUT,
     * ERR_DENIED, ERR_BUSY, ERR_REJECTED, ERR_PROTOCOL, ERR_CANCELLED. */
    void (*texts_start)(struct rerank *rerank, struct rerank_texts *texts, struct op_waiter waiter);
    /* Whether texts can be ranked, as far as is known without asking: ERR_OK, ERR_NOT_CONFIGURED
     * naming the variable, or ERR_UNAVAILABLE: it failed again and again. */
    enum err_code (*ready)(struct rerank *rerank, struct err *err);
    /* Finish all with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct rerank *rerank, void (*on_closed)(void *owner), void *owner);
};

typedef void rerank_observe_fn(void *owner, const struct rerank_texts *texts, uint64_t took_ns);

/* First member of every implementation. */
struct rerank {
    const struct rerank_vtable *vtable;
    struct loop *loop;
    rerank_observe_fn *observe; /* of calls, for metrics; set before the first one */
    void *observer;
};

/* The done of calls that are observed. */
static inline void rerank_on_observed(struct op *op)
{
    struct rerank_texts *texts = container_of(op, struct rerank_texts, op);
    texts->rerank->observe(texts->rerank->observer, texts, loop_precise_ns() - texts->began_ns);
    texts->done(op);
}

/* texts is zeroed before its first start; request and what it points at are kept until done. */
static inline void rerank_texts_start(struct rerank_texts *texts, struct rerank *rerank,
                                      const struct rerank_request *request, struct op_waiter waiter)
{
    texts->rerank = rerank;
    texts->request = request;
    if (rerank->observe != NULL) {
        texts->began_ns = loop_precise_ns();
        texts->done = waiter.done;
        waiter.done = rerank_on_observed;
    }
    rerank->vtable->texts_start(rerank, texts, waiter);
}

static inline MUST_USE enum err_code rerank_ready(struct rerank *rerank, struct err *err)
{
    return rerank->vtable->ready(rerank, err);
}

static inline void rerank_close(struct rerank *rerank, void (*on_closed)(void *owner), void *owner)
{
    rerank->vtable->close(rerank, on_closed, owner);
}

#endif
