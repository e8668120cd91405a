/* SPDX-License-Identifier: MIT */
/* backends/embed.h - the embeddings interface: texts in, one vector of unit length each out.
 *
 * Vectors of different models say nothing about each other: whoever stores them stores
 * embed_model() beside them and compares it before searching. One loop, one thread per embed. */
#ifndef BACKENDS_EMBED_H
#define BACKENDS_EMBED_H

#include "core/base/str.h"
#include "core/loop/op.h"

enum { EMBED_MAX_TEXTS = 4096, EMBED_MAX_DIMENSIONS = 4096 };

struct embed_request {
    const struct str *texts; /* UTF-8; an empty one gets the zero vector */
    size_t count;            /* 1..EMBED_MAX_TEXTS; backends batch by themselves */
    uint64_t timeout_ms;     /* whole call with retries; 0: the backend's default */
};

struct embed;
struct embed_texts {
    struct op op; /* kinds are named "embed.*" */
    /* result, valid in done with ERR_OK until release */
    const float *vectors; /* count * dimensions, row by row; each of length 1 or all zero */
    size_t dimensions;
    uint64_t tokens; /* what the provider billed; 0: nothing, or all from the cache */
    size_t cached;   /* texts whose vector was kept from before */
    /* private */
    struct embed *embed;
    const struct embed_request *request;
    op_fn *done; /* the waiter's done, kept while calls are observed */
    uint64_t began_ns;
    void *impl;
};

struct embed_vtable {
    const char *name; /* "hash", "openai", "azure", "cache" */
    /* Errors, as for a chat of backends/llm.h: ERR_NOT_CONFIGURED, ERR_UNAVAILABLE, ERR_TIMEOUT,
     * ERR_REJECTED, ERR_PROTOCOL, ERR_TOO_LARGE: a text is longer than the model takes (err says
     * which), ERR_CANCELLED. */
    void (*texts_start)(struct embed *embed, struct embed_texts *texts, struct op_waiter waiter);
    /* Whether texts can be embedded: ERR_OK, or ERR_NOT_CONFIGURED naming the variable. No I/O. */
    enum err_code (*ready)(struct embed *embed, struct err *err);
    /* Finish all with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct embed *embed, void (*on_closed)(void *owner), void *owner);
};

typedef void embed_observe_fn(void *owner, const struct embed_texts *texts, uint64_t took_ns);

/* First member of every implementation. */
struct embed {
    const struct embed_vtable *vtable;
    struct loop *loop;
    struct str model; /* "hash-1", "text-embedding-3-small": what made a vector, version and all */
    embed_observe_fn *observe; /* of calls, for metrics; set before the first one */
    void *observer;
};

/* The done of calls that are observed. */
static inline void embed_on_observed(struct op *op)
{
    struct embed_texts *texts = container_of(op, struct embed_texts, op);
    texts->embed->observe(texts->embed->observer, texts, loop_precise_ns() - texts->began_ns);
    texts->done(op);
}

/* texts is zeroed before its first start; request and what it points at are kept until done. */
static inline void embed_texts_start(struct embed_texts *texts, struct embed *embed,
                                     const struct embed_request *request, struct op_waiter waiter)
{
    texts->vectors = NULL;
    texts->dimensions = 0;
    texts->tokens = 0;
    texts->cached = 0;
    texts->embed = embed;
    texts->request = request;
    if (embed->observe != NULL) {
        texts->began_ns = loop_precise_ns();
        texts->done = waiter.done;
        waiter.done = embed_on_observed;
    }
    embed->vtable->texts_start(embed, texts, waiter);
}

static inline struct str embed_model(const struct embed *embed)
{
    return embed->model;
}

static inline MUST_USE enum err_code embed_ready(struct embed *embed, struct err *err)
{
    return embed->vtable->ready(embed, err);
}

static inline void embed_close(struct embed *embed, void (*on_closed)(void *owner), void *owner)
{
    embed->vtable->close(embed, on_closed, owner);
}

#endif
