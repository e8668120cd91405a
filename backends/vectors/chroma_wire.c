/* SPDX-License-Identifier: MIT */
/* backends/vectors/chroma_wire.c - JSON of records, filters and results.
 *
 * Happy path: lists that go side by side (ids, documents, metadatas, distances) are written and
 * walked together. Failure: an answer without a list, with lists that do not match or with another
 * type in them is ERR_PROTOCOL; no memory. */
#include "backends/vectors/chroma_wire.h"

#include <stdio.h>

#include "backends/passages/passage_json.h"

enum { KEY_BYTES = 80 }; /* a field's name with what is before it */

static const char product[] = "Chroma";
static const struct str value_mark = {"f_", 2}, filled_mark = {"h_", 2};

/* ---- writing ---- */

void chroma_wire_write_collection(struct buf *out, struct str name, struct str model,
                                  size_t dimensions)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("name"), name);
    json_write_member_bool(&json, STR("get_or_create"), true);
    json_write_key(&json, STR("metadata"));
    json_write_object(&json);
    json_write_member_str(&json, STR("hnsw:space"), STR("cosine"));
    json_write_member_str(&json, STR("model"), model);
    json_write_member_u64(&json, STR("dimensions"), dimensions);
    json_write_object_end(&json);
    json_write_object_end(&json);
}

static void write_key(struct json_write *json, struct str mark, struct str name)
{
    char key[KEY_BYTES]; /* names are checked */
    int len = snprintf(key, sizeof key, "%.*s%.*s", STR_ARG(mark), STR_ARG(name));
    json_write_key(json, str_make(key, (size_t)len));
}

static void write_metadata(struct json_write *json, const struct passage *passage)
{
    if (passage->field_count == 0) {
        json_write_null(json); /* it refuses an empty one */
        return;
    }
    json_write_object(json);
    for (size_t i = 0; i < passage->field_count; i++) {
        write_key(json, value_mark, passage->fields[i].name);
        json_write_str(json, passage->fields[i].value);
        if (passage->fields[i].value.len == 0)
            continue;
        write_key(json, filled_mark, passage->fields[i].name);
        json_write_bool(json, true);
    }
    json_write_object_end(json);
}

static void begin_list(struct json_write *json, struct str name)
{
    json_write_key(json, name);
    json_write_array(json);
}

void chroma_wire_write_upsert(struct buf *out, const struct vec_point *const *points, size_t count,
                              size_t dimensions)
{
    struct json_write json;
    struct buf vector;
    json_write_init(&json, out);
    json_write_object(&json);
    begin_list(&json, STR("ids"));
    for (size_t i = 0; i < count; i++)
        json_write_str(&json, points[i]->passage.id);
    json_write_array_end(&json);
    begin_list(&json, STR("documents"));
    for (size_t i = 0; i < count; i++)
        json_write_str(&json, points[i]->passage.text);
    json_write_array_end(&json);
    begin_list(&json, STR("metadatas"));
    for (size_t i = 0; i < count; i++)
        write_metadata(&json, &points[i]->passage);
    json_write_array_end(&json);
    begin_list(&json, STR("embeddings"));
    buf_init(&vector, PASSAGE_JSON_VECTOR_BYTES);
    for (size_t i = 0; i < count && buf_ok(out); i++) {
        buf_clear(&vector);
        passage_json_push_vector(&vector, points[i]->vector, dimensions);
        json_write_raw(&json, buf_str(&vector));
        out->failed = out->failed || !buf_ok(&vector);
    }
    buf_fini(&vector);
    json_write_array_end(&json);
    json_write_object_end(&json);
}

/* {"f_NAME":{"$in":[values that are not empty]}}, {"h_NAME":{"$ne":true}} for the empty one. */
static void write_filter(struct json_write *json, const struct passage_filter *filter)
{
    size_t empty = 0;
    for (size_t i = 0; i < filter->value_count; i++)
        empty += filter->values[i].len == 0;
    bool is_either = empty > 0 && empty < filter->value_count;
    if (is_either) {
        json_write_object(json);
        begin_list(json, STR("$or"));
    }
    if (empty > 0) {
        json_write_object(json);
        write_key(json, filled_mark, filter->name);
        json_write_object(json);
        json_write_member_bool(json, STR("$ne"), true);
        json_write_object_end(json);
        json_write_object_end(json);
    }
    if (empty < filter->value_count) {
        json_write_object(json);
        write_key(json, value_mark, filter->name);
        json_write_object(json);
        begin_list(json, STR("$in"));
        for (size_t i = 0; i < filter->value_count; i++)
            if (filter->values[i].len > 0)
                json_write_str(json, filter->values[i]);
        json_write_array_end(json);
        json_write_object_end(json);
        json_write_object_end(json);
    }
    if (is_either) {
        json_write_array_end(json);
        json_write_object_end(json);
    }
}

static void write_where(struct json_write *json, const struct passage_filter *filters, size_t count)
{
    json_write_key(json, STR("where"));
    if (count == 1) {
        write_filter(json, filters); /* $and wants two */
        return;
    }
    json_write_object(json);
    begin_list(json, STR("$and"));
    for (size_t i = 0; i < count; i++)
        write_filter(json, &filters[i]);
    json_write_array_end(json);
    json_write_object_end(json);
}

void chroma_wire_write_query(struct buf *out, const struct vec_query *query, size_t top_k)
{
    struct json_write json;
    struct buf vector;
    buf_init(&vector, PASSAGE_JSON_VECTOR_BYTES);
    passage_json_push_vector(&vector, query->vector, query->dimensions);
    json_write_init(&json, out);
    json_write_object(&json);
    begin_list(&json, STR("query_embeddings"));
    json_write_raw(&json, buf_str(&vector));
    json_write_array_end(&json);
    out->failed = out->failed || !buf_ok(&vector);
    buf_fini(&vector);
    json_write_member_u64(&json, STR("n_results"), top_k);
    json_write_member_raw(&json, STR("include"),
                          STR("[\"documents\",\"metadatas\",\"distances\"]"));
    if (query->filter_count > 0)
        write_where(&json, query->filters, query->filter_count);
    json_write_object_end(&json);
}

void chroma_wire_write_removal(struct buf *out, const struct str *ids, size_t count)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    begin_list(&json, STR("ids"));
    for (size_t i = 0; i < count; i++)
        json_write_str(&json, ids[i]);
    json_write_array_end(&json);
    json_write_object_end(&json);
}

void chroma_wire_write_filtered_removal(struct buf *out, const struct passage_filter *filters,
                                        size_t count)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    write_where(&json, filters, count);
    json_write_object_end(&json);
}

/* ---- reading ---- */

enum err_code chroma_wire_read_collection(struct arena *arena, struct str answer,
                                          struct chroma_wire_collection *collection,
                                          struct err *err)
{
    const struct json_value *root;
    struct err ignored;
    int64_t dimensions = 0;
    *collection = (struct chroma_wire_collection){.model = STR("")};
    if (passage_json_parse(arena, product, answer, &root, err) != ERR_OK)
        return err->code;
    if (json_value_str(root, "/id", &collection->id, &ignored) != ERR_OK || collection->id.len == 0)
        return passage_json_refuse(err, product, "a collection without an id");
    if (json_value_str(root, "/metadata/model", &collection->model, &ignored) == ERR_OK &&
        json_value_i64(root, "/metadata/dimensions", &dimensions, &ignored) == ERR_OK &&
        dimensions > 0)
        collection->dimensions = (size_t)dimensions;
    collection->id = arena_str(arena, collection->id); /* the answer goes */
    collection->model = arena_str(arena, collection->model);
    return ERR_OK;
}

enum err_code chroma_wire_read_count(struct str answer, uint64_t *count, struct err *err)
{
    return str_to_u64(str_trim(answer), count)
               ? ERR_OK
               : passage_json_refuse(err, product, "expected a count");
}

static struct str text_of(const struct json_value *value)
{
    return value != NULL && value->type == JSON_STRING ? value->text : STR("");
}

static const struct json_value *first_list(const struct json_value *root, const char *pointer,
                                           size_t count)
{
    const struct json_value *list = json_value_find(root, pointer);
    return list != NULL && list->type == JSON_ARRAY && list->count == count ? list->first : NULL;
}

enum err_code chroma_wire_read_hits(struct arena *arena, struct str answer,
                                    struct passage_hit **hits, size_t *count, struct err *err)
{
    const struct json_value *root, *list;
    struct err ignored;
    *count = 0;
    if (passage_json_parse(arena, product, answer, &root, err) != ERR_OK)
        return err->code;
    if (json_value_array(root, "/ids/0", &list, &ignored) != ERR_OK)
        return passage_json_refuse(err, product, "expected ids");
    if (list->count == 0)
        return ERR_OK;
    const struct json_value *id = list->first;
    const struct json_value *document = first_list(root, "/documents/0", list->count);
    const struct json_value *metadata = first_list(root, "/metadatas/0", list->count);
    const struct json_value *distance = first_list(root, "/distances/0", list->count);
    if (document == NULL || metadata == NULL || distance == NULL)
        return passage_json_refuse(err, product,
                                   "expected a document, a metadata and a distance for each id");
    struct passage_hit *found = arena_array(arena, list->count, sizeof *found);
    for (; found != NULL && id != NULL; id = id->next, document = document->next,
                                        metadata = metadata->next, distance = distance->next) {
        struct passage_hit *hit = &found[(*count)++];
        if (id->type != JSON_STRING ||
            (distance->type != JSON_DOUBLE && distance->type != JSON_INT))
            return passage_json_refuse(err, product, "expected an id and a distance");
        hit->passage.id = id->text;
        hit->passage.text = text_of(document);
        hit->score = 1 - distance->number;
        if (!passage_json_read_fields(arena, metadata, value_mark, &hit->passage))
            found = NULL;
    }
    *hits = found;
    return found != NULL ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for Chroma's hits");
}

struct str chroma_wire_read_error(struct arena *arena, struct str answer)
{
    struct err ignored;
    struct str words = answer;
    const struct json_value *root = json_value_parse(arena, answer, NULL, &ignored);
    if (root != NULL)
        (void)!json_value_str(root, "/message", &words, &ignored);
    return words;
}
