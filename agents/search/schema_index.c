/* SPDX-License-Identifier: MIT */
/* agents/search/schema_index.c - texts made at once, then: look, embed, write.
 *
 * Happy path: every table's text is made into memory of the run's own; the first is embedded and
 * looked for under this catalog; where it is not, all are embedded and written, the first one in
 * the last write, so that half a write is no index; the first write removes the source's older
 * ones. Failure paths: no memory; the embeddings' or the store's error ends the run. */
#include "agents/search/schema_index.h"

#include <inttypes.h>
#include <stdio.h>

#include "agents/search/hybrid.h"
#include "agents/sql_agent/rank.h"
#include "core/base/mem.h"
#include "core/base/stem.h"

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 8 << 10, FIELDS = 4, NAME_WORDS = 16 };
enum { BATCH = 512 };

struct schema_index {
    struct schema_index_run *run;
    const struct services *has;
    struct arena arena;
    struct str source, id;
    struct str *texts;
    struct vec_point *points;
    size_t count, left; /* left: to write, from the end */
    struct embed_texts embedding;
    struct embed_request to_embed;
    struct vec_search search;
    struct vec_query query;
    struct vec_write write;
    struct vec_change change;
    struct passage_filter filters[2];
    bool is_cancelled;
};

/* ---- texts ---- */

/* A name as words: "workOrder" is asked for as a work order. */
static void push_words(struct buf *out, struct arena *arena, struct str name)
{
    struct str words[NAME_WORDS];
    size_t count = stem_split(arena, name, words, NAME_WORDS);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%.*s", i > 0 ? " " : "", STR_ARG(words[i]));
}

static void push_comment(struct buf *out, struct str comment)
{
    if (!str_is_empty(comment))
        buf_printf(out, " (%.*s)", STR_ARG(comment));
}

/* The name twice: it says most. */
static void write_text(const struct catalog *catalog, size_t index, struct arena *arena,
                       struct buf *out)
{
    const struct catalog_table *named = &catalog->tables[index], *read = named;
    size_t shown = 0;
    if (named->secure_view != CATALOG_NONE)
        read = &catalog->tables[named->secure_view];
    catalog_push_name(catalog, (int)index, out);
    buf_push(out, STR(": "));
    push_words(out, arena, named->name);
    push_comment(out, named->comment);
    buf_push(out, STR(". Columns: "));
    for (size_t i = 0; i < read->column_count && buf_len(out) < TEXT_BYTES; i++) {
        if (read->columns[i].hidden)
            continue;
        buf_push(out, shown++ > 0 ? STR(", ") : STR(""));
        push_words(out, arena, read->columns[i].name);
        push_comment(out, read->columns[i].comment);
    }
}

static uint64_t hash_table(const struct catalog *catalog, size_t index, struct arena *arena,
                           struct buf *text)
{
    buf_clear(text);
    write_text(catalog, index, arena, text);
    return str_hash(buf_str(text));
}

struct str schema_index_id(const struct catalog *catalog, char to[SCHEMA_INDEX_ID_BYTES])
{
    char digits[SCHEMA_INDEX_ID_BYTES + 1];
    struct arena arena;
    struct buf text;
    uint64_t hash = catalog->table_count;
    arena_init(&arena, ARENA_BYTES);
    buf_init(&text, 1 << 20);
    for (size_t i = 0; i < catalog->table_count; i++)
        if (sql_agent_rank_is_visible(&catalog->tables[i]))
            hash = (hash ^ hash_table(catalog, i, &arena, &text)) * UINT64_C(0x100000001B3);
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    for (size_t i = 0; i < SCHEMA_INDEX_ID_BYTES; i++)
        to[i] = digits[i];
    buf_fini(&text);
    arena_fini(&arena);
    return str_make(to, SCHEMA_INDEX_ID_BYTES);
}

static void make_point(struct schema_index *index, const struct catalog *catalog, size_t table,
                       struct buf *scratch)
{
    struct arena *arena = &index->arena;
    struct passage_field *fields = arena_array(arena, FIELDS, sizeof *fields);
    buf_clear(scratch);
    catalog_push_name(catalog, (int)table, scratch);
    struct str name = arena_str(arena, buf_str(scratch));
    buf_clear(scratch);
    write_text(catalog, table, arena, scratch);
    struct str text = arena_str(arena, buf_str(scratch));
    if (fields == NULL || str_is_absent(text) || str_is_absent(name))
        return;
    fields[0] = (struct passage_field){SCHEMA_INDEX_CATALOG, index->id};
    fields[1] = (struct passage_field){SCHEMA_INDEX_TABLE, name};
    fields[2] = (struct passage_field){STR("source"), index->source};
    index->texts[index->count] = text;
    index->points[index->count++].passage = (struct passage){
        .id = arena_printf(arena, "%.*s/%zu", STR_ARG(index->source), table),
        .text = text,
        .fields = fields,
        .field_count = FIELDS - 1,
    };
}

static bool make_points(struct schema_index *index, const struct catalog *catalog)
{
    struct buf scratch;
    index->texts = arena_array(&index->arena, catalog->table_count + 1, sizeof *index->texts);
    index->points = arena_array(&index->arena, catalog->table_count + 1, sizeof *index->points);
    buf_init(&scratch, 1 << 20);
    for (size_t i = 0; index->points != NULL && i < catalog->table_count; i++)
        if (index->count < EMBED_MAX_TEXTS && sql_agent_rank_is_visible(&catalog->tables[i]))
            make_point(index, catalog, i, &scratch);
    bool is_made = buf_ok(&scratch) && arena_ok(&index->arena);
    buf_fini(&scratch);
    return is_made;
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

static void embed(struct schema_index *index, size_t count, op_fn *done)
{
    index->to_embed = (struct embed_request){.texts = index->texts, .count = count};
    embed_texts_start(&index->embedding, index->has->embed, &index->to_embed,
                      (struct op_waiter){.done = done, .owner = index});
}

static void on_first(struct op *op)
{
    struct schema_index *index = op_owner(op);
    const struct passage *first = &index->points[0].passage;
    if (is_over(index, op))
        return;
    for (size_t i = 0; i < countof(index->filters); i++)
        index->filters[i] = (struct passage_filter){first->fields[i == 0 ? 0 : 2].name,
                                                    &first->fields[i == 0 ? 0 : 2].value, 1};
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
    op_release(&index->embedding.op);
    embed(index, index->count, on_embedded);
}

/* The next batch from the end; the first of all removes what was there. */
static void write_batch(struct schema_index *index)
{
    size_t count = size_min(index->left, BATCH);
    bool is_first = index->left == index->count;
    index->left -= count;
    index->change = (struct vec_change){
        .collection = HYBRID_SCHEMA,
        .model = embed_model(index->has->embed),
        .dimensions = index->embedding.dimensions,
        .upsert = index->points + index->left,
        .upsert_count = count,
        .remove_filters = is_first ? &index->filters[1] : NULL,
        .remove_filter_count = is_first,
    };
    op_release(&index->write.op);
    vec_write_start(&index->write, index->has->vec, &index->change,
                    (struct op_waiter){.done = on_written, .owner = index});
}

static void on_embedded(struct op *op)
{
    struct schema_index *index = op_owner(op);
    if (is_over(index, op))
        return;
    for (size_t i = 0; i < index->count; i++)
        index->points[i].vector = index->embedding.vectors + i * index->embedding.dimensions;
    write_batch(index);
}

static void on_written(struct op *op)
{
    struct schema_index *index = op_owner(op);
    if (is_over(index, op))
        return;
    if (index->left > 0) {
        write_batch(index);
        return;
    }
    index->run->table_count = index->count;
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
    run->table_count = 0;
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
    run->impl = index;
    arena_init(&index->arena, ARENA_BYTES);
    index->source = arena_str(&index->arena, of->source);
    index->id = arena_str(&index->arena, of->id);
    if (!make_points(index, of->catalog))
        finish(index, &(struct err){ERR_NO_MEMORY, "no memory to index the schema"});
    else if (index->count == 0)
        finish(index, &(struct err){0});
    else
        embed(index, 1, on_first);
}
