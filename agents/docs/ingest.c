/* SPDX-License-Identifier: MIT */
/* agents/docs/ingest.c - embeds a batch, writes it to both stores, then the next batch; then
 * removes stale passages.
 *
 * Happy path: embed_batch -> on_embedded -> on_near -> on_words, until all are stored; then batches
 * without additions remove the stale passages. Failure: the first step that fails ends the ingest,
 * naming the store; a cancel cancels the step that is under way, which then ends the ingest. */
#include "agents/docs/ingest.h"

static op_fn on_embedded, on_near, on_words; /* in running order */
static void keep_count(struct docs_ingest *ingest);

static void cancel(struct op *op)
{
    struct docs_ingest *ingest = container_of(op, struct docs_ingest, op);
    op_cancel(&ingest->embedding.op);
    op_cancel(&ingest->near.op);
    op_cancel(&ingest->words.op);
}

static const struct op_kind kind = {.name = "docs.ingest", .cancel = cancel};

/* The only end. */
static void finish(struct docs_ingest *ingest, const struct err *err, const char *store)
{
    struct err told = *err;
    op_release(&ingest->embedding.op);
    op_release(&ingest->near.op);
    op_release(&ingest->words.op);
    if (told.code != ERR_OK)
        err_prefix(&told, store);
    op_finish_err(&ingest->op, &told);
}

static bool by_meaning(const struct docs_ingest *ingest)
{
    return ingest->has->vec != NULL && ingest->has->embed != NULL;
}

static bool is_removing(const struct docs_ingest *ingest)
{
    return ingest->stored == ingest->request->count;
}

/* ---- the steps of a batch ---- */

static void start_words(struct docs_ingest *ingest)
{
    const struct docs_ingest_request *request = ingest->request;
    bool removing = is_removing(ingest);
    if (ingest->has->text == NULL) {
        keep_count(ingest);
        return;
    }
    for (size_t i = 0; !removing && i < ingest->batch; i++)
        ingest->passages[i] = request->items[ingest->stored + i].passage;
    ingest->words_change = (struct text_change){
        .collection = request->collection,
        .upsert = ingest->passages,
        .upsert_count = removing ? 0 : ingest->batch,
        .remove_ids = removing ? request->stale_ids + ingest->removed : NULL,
        .remove_count = removing ? ingest->batch : 0,
        .timeout_ms = request->timeout_ms,
    };
    text_write_start(&ingest->words, ingest->has->text, &ingest->words_change,
                     (struct op_waiter){on_words, ingest, NULL});
}

static void start_near(struct docs_ingest *ingest)
{
    const struct docs_ingest_request *request = ingest->request;
    bool removing = is_removing(ingest);
    for (size_t i = 0; !removing && i < ingest->batch; i++)
        ingest->points[i] =
            (struct vec_point){request->items[ingest->stored + i].passage,
                               ingest->embedding.vectors + i * ingest->embedding.dimensions};
    if (!removing)
        ingest->dimensions = ingest->embedding.dimensions;
    ingest->near_change = (struct vec_change){
        .collection = request->collection,
        .model = embed_model(ingest->has->embed),
        .dimensions = ingest->dimensions,
        .upsert = ingest->points,
        .upsert_count = removing ? 0 : ingest->batch,
        .remove_ids = removing ? request->stale_ids + ingest->removed : NULL,
        .remove_count = removing ? ingest->batch : 0,
        .timeout_ms = request->timeout_ms,
    };
    vec_write_start(&ingest->near, ingest->has->vec, &ingest->near_change,
                    (struct op_waiter){on_near, ingest, NULL});
}

static void embed_batch(struct docs_ingest *ingest)
{
    const struct docs_ingest_request *request = ingest->request;
    for (size_t i = 0; i < ingest->batch; i++)
        ingest->texts[i] = request->items[ingest->stored + i].embedded;
    ingest->to_embed = (struct embed_request){ingest->texts, ingest->batch, request->timeout_ms};
    embed_texts_start(&ingest->embedding, ingest->has->embed, &ingest->to_embed,
                      (struct op_waiter){on_embedded, ingest, NULL});
}

static void next_batch(struct docs_ingest *ingest)
{
    const struct docs_ingest_request *request = ingest->request;
    const struct err none = {0};
    bool removing = is_removing(ingest);
    size_t left =
        removing ? request->stale_count - ingest->removed : request->count - ingest->stored;
    ingest->batch = size_min(left, DOCS_INGEST_BATCH);
    if (ingest->batch == 0)
        finish(ingest, &none, "");
    else if (!by_meaning(ingest))
        start_words(ingest);
    else if (removing)
        start_near(ingest);
    else
        embed_batch(ingest);
}

/* Whether the step went well and there is to be another; if not, the operation ends here. */
static bool goes_on(struct docs_ingest *ingest, struct err err, const char *store)
{
    if (err.code == ERR_OK && ingest->op.cancel_asked)
        err_set(&err, ERR_CANCELLED, "cancelled");
    if (err.code != ERR_OK)
        finish(ingest, &err, store);
    return err.code == ERR_OK;
}

static void on_embedded(struct op *op)
{
    struct docs_ingest *ingest = op_owner(op);
    ingest->tokens += ingest->embedding.tokens;
    if (goes_on(ingest, op->err, "embeddings"))
        start_near(ingest);
}

static void on_near(struct op *op)
{
    struct docs_ingest *ingest = op_owner(op);
    if (!goes_on(ingest, op->err, "the vector store"))
        return;
    op_release(&ingest->embedding.op);
    op_release(&ingest->near.op);
    start_words(ingest);
}

static void keep_count(struct docs_ingest *ingest)
{
    if (is_removing(ingest))
        ingest->removed += ingest->batch;
    else
        ingest->stored += ingest->batch;
    next_batch(ingest);
}

static void on_words(struct op *op)
{
    struct docs_ingest *ingest = op_owner(op);
    if (!goes_on(ingest, op->err, "the keyword store"))
        return;
    op_release(&ingest->words.op);
    keep_count(ingest);
}

void docs_ingest_start(struct docs_ingest *ingest, const struct services *has,
                       const struct docs_ingest_request *request, struct op_waiter waiter)
{
    ingest->has = has;
    ingest->request = request;
    ingest->stored = ingest->removed = 0;
    ingest->tokens = 0;
    ingest->dimensions = 0;
    op_begin(&ingest->op, &kind, has->loop, waiter);
    if (!by_meaning(ingest) && has->text == NULL) {
        op_finish(&ingest->op, ERR_UNAVAILABLE,
                  "there is no store of documents: set ASKD_VECTOR_URL or ASKD_KEYWORD_URL");
        return;
    }
    next_batch(ingest);
}
