/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_embed.c - finishes at once (which is the next turn), or when cancelled. */
#include "tests/lib/fake_embed.h"

#include <math.h>

#include "backends/models/embed_features.h"
#include "core/base/mem.h"

static struct fake_embed *fake_of(struct embed *embed)
{
    return container_of(embed, struct fake_embed, embed);
}

static void on_cancel(struct op *op)
{
    struct embed_texts *texts = container_of(op, struct embed_texts, op);
    fake_of(texts->embed)->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static void on_release(struct op *op)
{
    struct embed_texts *texts = container_of(op, struct embed_texts, op);
    mem_free(texts->impl);
    texts->impl = NULL;
    texts->vectors = NULL;
}

static const struct op_kind kind = {
    .name = "embed.fake", .cancel = on_cancel, .release = on_release};

/* The first so many features, of length 1. */
static void put_row(struct str text, float *row, size_t dimensions)
{
    float all[EMBED_FEATURES_DIMENSIONS], sum = 0;
    embed_features_of(text, all);
    for (size_t i = 0; i < dimensions; i++)
        sum += all[i] * all[i];
    for (size_t i = 0; i < dimensions; i++)
        row[i] = sum > 0 ? all[i] / sqrtf(sum) : 0;
}

static void start(struct embed *embed, struct embed_texts *texts, struct op_waiter waiter)
{
    struct fake_embed *fake = fake_of(embed);
    const struct embed_request *request = texts->request;
    op_begin(&texts->op, &kind, embed->loop, waiter);
    fake->calls++;
    fake->text_count += request->count;
    if (fake->stall) {
        fake->pending++;
        return;
    }
    if (fake->failure != ERR_OK) {
        op_finish(&texts->op, fake->failure, "the embeddings are down");
        return;
    }
    size_t dimensions = fake->dimensions == 0 ? EMBED_FEATURES_DIMENSIONS : fake->dimensions;
    float *vectors = mem_zalloc(request->count, dimensions * sizeof *vectors);
    texts->impl = vectors;
    for (size_t i = 0; vectors != NULL && i < request->count; i++)
        put_row(request->texts[i], vectors + i * dimensions, dimensions);
    texts->vectors = vectors;
    texts->dimensions = dimensions;
    texts->tokens = request->count;
    op_finish(&texts->op, vectors == NULL ? ERR_NO_MEMORY : ERR_OK, "no memory");
}

static enum err_code ready(struct embed *embed, struct err *err)
{
    enum err_code failure = fake_of(embed)->failure;
    return failure == ERR_OK ? ERR_OK : err_set(err, failure, "the embeddings are down");
}

static void close_embed(struct embed *embed, void (*on_closed)(void *owner), void *owner)
{
    (void)embed;
    on_closed(owner);
}

static const struct embed_vtable vtable = {"fake", start, ready, close_embed};

void fake_embed_init(struct fake_embed *fake, struct loop *loop)
{
    *fake = (struct fake_embed){.embed = {&vtable, loop, STR("fake-1")}};
}
