/* SPDX-License-Identifier: MIT */
/* agents/search/schema_index.c - look; then embed and write, batch by batch from the end.
 *
 * Happy path: the first passage is embedded and looked for under this catalog and version; where it
 * is not, all are embedded and written, the first one in the last write, so that half a write is no
 * index; the first write removes the source's older ones. Failure paths: no memory; the
 * embeddings' or the store's error ends the run. */
#include "agents/search/schema_index.h"

#include "agents/search/hybrid.h"
#include "agents/search/rank.h"
#include "core/base/mem.h"

enum { ARENA_BYTES = 16 << 20, BATCH = 64 };

enum { FIELD_CATALOG, FIELD_SOURCE, FIELD_VERSION, FIELD_TABLE, FIELDS };

struct schema_index {
    struct schema_index_run *run;
    const struct services *has;
    const struct schema_passages *passages;
    struct str source;
    struct arena arena; /* of one batch */
    struct str texts[BATCH];
    struct vec_point points[BATCH];
    struct passage_field fields[BATCH][FIELDS];
    size_t count, left; /* left: to write, from the end; count: of all */
    size_t batch;       /* passages of the batch under way, those from left on */
    struct embed_texts embedding;
    struct embed_request to_embed;
    struct vec_search search;
    struct vec_query query;
    struct vec_write write;
    struct vec_change change;
    struct passage_filter filters[FIELD_TABLE];
    bool is_cancelled;
};

/* ---- a batch ---- */

/* Passages [from, from + count) as points, but for their vectors. False: no memory. */
static bool make_points(struct schema_index *index, size_t from, size_t count)
{
    arena_fini(&index->arena);
    index->batch = count;
    for (size_t i = 0; i < count; i++) {
        const struct schema_passage *passage = schema_passages_get(index->passages, from + i);
        struct passage_field *fields = index->fields[i];
        fields[FIELD_CATALOG] =
            (struct passage_field){SCHEMA_INDEX_CATALOG, schema_passages_id(index->passages)};
        fields[FIELD_SOURCE] = (struct passage_field){STR("source"), index->source};
        fields[FIELD_VERSION] =
            (struct passage_field){STR("version"), schema_passages_version(index->passages)};
        fields[FIELD_TABLE] = (struct passage_field){SCHEMA_INDEX_TABLE, passage->table};
        index->texts[i] = passage->text;
        index->points[i].passage = (struct passage){
            .id = arena_printf(&index->arena, "%.*s/%.*s", STR_ARG(index->source),
                               STR_ARG(passage->key)),
            .text = passage->text,
            .fields = fields,
            .field_count = FIELDS,
        };
    }
    return arena_ok(&index->arena);
}

/* ---- the end ---- */

static void finish(struct schema_index *index, const struct err *err)
{
    struct schema_index_run *run = index->run;
    op_release(&index->embedding.op);
    op_release(&index->search.op);
    op_release(&index->write.op);
    arena_fini(&index->arena);
    mem_free(index);
    run->impl = NULL;
    op_finish_err(&run->op, err);
}

/* Whether op failed or the run was cancelled meanwhile; then the run is over. */
static bool is_over(struct schema_index *index, const struct op *op)
{
    struct err err = op->err;
    if (err.code == ERR_OK && index->is_cancelled)
        err_set(&err, ERR_CANCELLED, "indexing the schema was cancelled");
    if (err.code == ERR_OK)
        return false;
    finish(index, &err);
    return true;
}

/* ---- look, embed, write ---- */

static op_fn on_first, on_looked, on_embedded, on_written; /* in running order */

static void embed(struct schema_index *index, op_fn *done)
{
    index->to_embed = (struct embed_request){.texts = index->texts, .count = index->batch};
    op_release(&index->embedding.op);
    embed_texts_start(&index->embedding, index->has->embed, &index->to_embed,
                      (struct op_waiter){.done = done, .owner = index});
}

static void on_first(struct op *op)
{
    struct schema_index *index = op_owner(op);
    if (is_over(index, op))
        return;
    for (size_t i = 0; i < countof(index->filters); i++)
        index->filters[i] =
            (struct passage_filter){index->fields[0][i].name, &index->fields[0][i].value, 1};
    index->query = (struct vec_query){
        .collection = HYBRID_SCHEMA,
        .model = embed_model(index->has->embed),
        .vector = index->embedding.vectors,
        .dimensions = index->embedding.dimensions,
        .top_k = 1,
        .filters = index->filters,
        .filter_count = countof(index->filters),
    };
    vec_search_start(&index->search, index->has->vec, &index->query,
                     (struct op_waiter){.done = on_looked, .owner = index});
}

/* The next batch from the end. */
static void embed_batch(struct schema_index *index)
{
    size_t count = size_min(index->left, BATCH);
    index->left -= count;
    if (make_points(index, index->left, count))
        embed(index, on_embedded);
    else
        finish(index, &(struct err){ERR_NO_MEMORY, "no memory to index the schema"});
}

static void on_looked(struct op *op)
{
    struct schema_index *index = op_owner(op);
    if (is_over(index, op))
        return;
    if (index->search.hit_count > 0 &&
        str_equal(index->search.hits[0].passage.id, index->points[0].passage.id)) {
        finish(index, &(struct err){0});
        return;
    }
    index->left = index->count;
    embed_batch(index);
}

/* The first write of all removes what was there. */
static void on_embedded(struct op *op)
{
    struct schema_index *index = op_owner(op);
    if (is_over(index, op))
        return;
    bool is_first = index->left + index->batch == index->count;
    for (size_t i = 0; i < index->batch; i++)
        index->points[i].vector = index->embedding.vectors + i * index->embedding.dimensions;
    index->change = (struct vec_change){
        .collection = HYBRID_SCHEMA,
        .model = embed_model(index->has->embed),
        .dimensions = index->embedding.dimensions,
        .upsert = index->points,
        .upsert_count = index->batch,
        .remove_filters = is_first ? &index->filters[FIELD_SOURCE] : NULL,
        .remove_filter_count = is_first,
    };
    op_release(&index->write.op);
    vec_write_start(&index->write, index->has->vec, &index->change,
                    (struct op_waiter){.done = on_written, .owner = index});
}

static void on_written(struct op *op)
{
    struct schema_index *index = op_owner(op);
    if (is_over(index, op))
        return;
    if (index->left > 0) {
        embed_batch(index);
        return;
    }
    index->run->passage_count = index->count;
    finish(index, &(struct err){0});
}

/* ---- the start ---- */

static void cancel(struct op *op)
{
    struct schema_index *index = container_of(op, struct schema_index_run, op)->impl;
    if (index == NULL)
        return;
    index->is_cancelled = true;
    op_cancel(&index->embedding.op);
    op_cancel(&index->search.op);
    op_cancel(&index->write.op);
}

static const struct op_kind kind = {.name = "search.schema_index", .cancel = cancel};

void schema_index_start(struct schema_index_run *run, const struct services *has,
                        const struct schema_index_of *of, struct op_waiter waiter)
{
    op_begin(&run->op, &kind, has->loop, waiter);
    run->passage_count = 0;
    run->impl = NULL;
    if (has->embed == NULL || has->vec == NULL) {
        op_finish(&run->op, ERR_UNAVAILABLE, "there is no store of documents by meaning");
        return;
    }
    struct schema_index *index = mem_zalloc(1, sizeof *index);
    if (index == NULL) {
        op_finish(&run->op, ERR_NO_MEMORY, "no memory to index the schema");
        return;
    }
    index->run = run;
    index->has = has;
    index->passages = of->passages;
    index->source = of->source;
    index->count = schema_passages_count(of->passages);
    run->impl = index;
    arena_init(&index->arena, ARENA_BYTES);
    if (index->count == 0)
        finish(index, &(struct err){0});
    else if (!make_points(index, 0, 1))
        finish(index, &(struct err){ERR_NO_MEMORY, "no memory to index the schema"});
    else
        embed(index, on_first);
}

size_t schema_index_tables(const struct catalog *catalog, const struct passage_hit *hits,
                           size_t hit_count, int *tables, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < hit_count && count < max; i++) {
        int table = catalog_find_dotted(catalog, passage_get(&hits[i].passage, SCHEMA_INDEX_TABLE));
        bool is_known = table == CATALOG_NONE || !search_rank_is_visible(&catalog->tables[table]);
        for (size_t j = 0; j < count; j++)
            is_known = is_known || tables[j] == table;
        if (!is_known)
            tables[count++] = table;
    }
    return count;
}
