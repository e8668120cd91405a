/* SPDX-License-Identifier: MIT */
/* backends/models/embed_hash.c - vectors of hashed features, a slice of texts at a time.
 *
 * Happy path: a few kilobytes are computed at once; more of them slice by slice on the thread pool,
 * so that the loop is free meanwhile and a cancel waits for one slice at most.
 * Failure paths: no memory for the vectors; a cancel or closing, seen between slices. */
#include "backends/models/embed_hash.h"

#include "backends/models/embed_features.h"
#include "core/base/list.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/work.h"

enum { SLICE_BYTES = 4096 }; /* under half a millisecond; on the pool, slices are larger */
enum { POOL_SLICE_BYTES = 64 << 10 };

struct embed_hash {
    struct embed embed;
    struct list calls;
    struct closing closing; /* out: calls */
};

struct hash_call { /* from start to release */
    struct list link;
    struct embed_hash *hash;
    struct embed_texts *texts;
    struct work work;
    const struct embed_request *request;
    size_t done_count;
    float *vectors;
    bool is_cancelled;
};

/* Compute the next texts, of about limit bytes together. */
static void compute_slice(struct hash_call *call, size_t limit)
{
    const struct embed_request *request = call->request;
    for (size_t bytes = 0; call->done_count < request->count && bytes < limit; call->done_count++) {
        struct str text = request->texts[call->done_count];
        embed_features_of(text, call->vectors + call->done_count * EMBED_FEATURES_DIMENSIONS);
        bytes += text.len + sizeof(float) * EMBED_FEATURES_DIMENSIONS / 16;
    }
}

static void finish_call(struct hash_call *call, const struct err *err)
{
    struct embed_texts *texts = call->texts;
    list_remove(&call->link);
    op_release(&call->work.op);
    if (err->code == ERR_OK) {
        texts->vectors = call->vectors;
        texts->dimensions = EMBED_FEATURES_DIMENSIONS;
    }
    op_finish_err(&texts->op, err);
    closing_leave(&call->hash->closing);
}

/* On a thread of the pool. */
static enum err_code run_slice(struct work *work, struct err *err UNUSED)
{
    compute_slice(work->arg, POOL_SLICE_BYTES);
    return ERR_OK;
}

static void on_slice_done(struct op *op)
{
    struct hash_call *call = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_OK && call->is_cancelled)
        err_set(&err, ERR_CANCELLED, "the embedding was cancelled");
    if (err.code == ERR_OK && call->done_count < call->request->count)
        work_start(&call->work, op->loop, run_slice, call,
                   (struct op_waiter){.done = on_slice_done, .owner = call});
    else
        finish_call(call, &err);
}

static void cancel_call(struct hash_call *call)
{
    call->is_cancelled = true;
    op_cancel(&call->work.op);
}

/* ---- the interface ---- */

static struct embed_hash *hash_of(struct embed *embed)
{
    return container_of(embed, struct embed_hash, embed);
}

static void cancel_texts(struct op *op)
{
    cancel_call(container_of(op, struct embed_texts, op)->impl);
}

static void release_texts(struct op *op)
{
    struct embed_texts *texts = container_of(op, struct embed_texts, op);
    struct hash_call *call = texts->impl;
    texts->impl = NULL;
    texts->vectors = NULL;
    if (call != NULL)
        mem_free(call->vectors);
    mem_free(call);
}

static const struct op_kind texts_kind = {
    .name = "embed.hash", .cancel = cancel_texts, .release = release_texts};

static struct hash_call *make_call(struct embed_texts *texts)
{
    struct hash_call *call = mem_zalloc(1, sizeof *call);
    if (call == NULL)
        return NULL;
    call->vectors =
        mem_zalloc(texts->request->count, sizeof *call->vectors * EMBED_FEATURES_DIMENSIONS);
    if (call->vectors != NULL)
        return call;
    mem_free(call);
    return NULL;
}

static void start_texts(struct embed *embed, struct embed_texts *texts, struct op_waiter waiter)
{
    struct embed_hash *hash = hash_of(embed);
    CHECK(texts->request->count >= 1 && texts->request->count <= EMBED_MAX_TEXTS);
    op_begin(&texts->op, &texts_kind, embed->loop, waiter);
    bool is_closing = closing_is_begun(&hash->closing);
    struct hash_call *call = is_closing ? NULL : make_call(texts);
    texts->impl = call;
    if (call == NULL) {
        op_finish(&texts->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the embeddings are being closed" : "no memory for the vectors");
        return;
    }
    call->hash = hash;
    call->texts = texts;
    call->request = texts->request;
    list_push(&hash->calls, &call->link);
    closing_enter(&hash->closing);
    compute_slice(call, SLICE_BYTES);
    if (call->done_count == call->request->count)
        finish_call(call, &(struct err){0});
    else
        work_start(&call->work, embed->loop, run_slice, call,
                   (struct op_waiter){.done = on_slice_done, .owner = call});
}

static enum err_code tell_ready(struct embed *embed UNUSED, struct err *err UNUSED)
{
    return ERR_OK;
}

static void free_hash(struct closing *closing)
{
    mem_free(container_of(closing, struct embed_hash, closing));
}

static void close_hash(struct embed *embed, void (*on_closed)(void *owner), void *owner)
{
    struct embed_hash *hash = hash_of(embed);
    closing_begin(&hash->closing, on_closed, owner);
    LIST_EACH(link, &hash->calls)
        cancel_call(list_item(link, struct hash_call, link));
}

static const struct embed_vtable vtable = {
    .name = "hash", .texts_start = start_texts, .ready = tell_ready, .close = close_hash};

struct embed *embed_hash_create(struct loop *loop)
{
    static closing_fn *const steps[] = {free_hash, NULL};
    struct embed_hash *hash = mem_zalloc(1, sizeof *hash);
    if (hash == NULL)
        return NULL;
    hash->embed = (struct embed){.vtable = &vtable, .loop = loop, .model = STR("hash-1")};
    list_init(&hash->calls);
    closing_init(&hash->closing, loop, steps);
    return &hash->embed;
}
