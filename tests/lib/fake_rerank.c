/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_rerank.c - finishes at once (which is the next turn), or when cancelled. */
#include "tests/lib/fake_rerank.h"

static struct fake_rerank *fake_of(struct rerank *rerank)
{
    return container_of(rerank, struct fake_rerank, rerank);
}

static void on_cancel(struct op *op)
{
    struct rerank_texts *texts = container_of(op, struct rerank_texts, op);
    fake_of(texts->rerank)->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static const struct op_kind kind = {.name = "rerank.fake", .cancel = on_cancel};

static void start(struct rerank *rerank, struct rerank_texts *texts, struct op_waiter waiter)
{
    struct fake_rerank *fake = fake_of(rerank);
    op_begin(&texts->op, &kind, rerank->loop, waiter);
    fake->calls++;
    fake->text_count = texts->request->count;
    if (fake->stall) {
        fake->pending++;
        return;
    }
    for (size_t i = 0; i < texts->request->count; i++)
        texts->scores[i] = 0.125 * (double)i;
    op_finish(&texts->op, fake->failure, "the reranker is down");
}

static enum err_code ready(struct rerank *rerank, struct err *err)
{
    enum err_code failure = fake_of(rerank)->failure;
    return failure == ERR_OK ? ERR_OK : err_set(err, failure, "the reranker is down");
}

static void close_rerank(struct rerank *rerank UNUSED, void (*on_closed)(void *owner), void *owner)
{
    on_closed(owner);
}

static const struct rerank_vtable vtable = {"fake", start, ready, close_rerank};

void fake_rerank_init(struct fake_rerank *fake, struct loop *loop)
{
    *fake = (struct fake_rerank){.rerank = {&vtable, loop, NULL, NULL}};
}
