/* SPDX-License-Identifier: MIT */
/* backends/vectors/qdrant_wire.c - JSON of points, conditions and results.
 *
 * Happy path: what is asked is written in one pass; of what is answered only "result" is looked at.
 * Failure: an answer without a result, or with another type in it, is ERR_PROTOCOL; no memory. */
#include "backends/vectors/qdrant_wire.h"

#include <openssl/sha.h>
#include <stdio.h>

#include "backends/passages/passage_json.h"

enum { KEY_BYTES = 80, BODY_BYTES = 8 << 20 }; /* Qdrant takes 32 MB unless told otherwise */

static const char product[] = "Qdrant";
static const char *const indexed[QDRANT_WIRE_INDEXES] = {"company_id", "user_id", "kind",
                                                         "document"};

void qdrant_wire_uuid(struct str id, char uuid[QDRANT_WIRE_UUID_BYTES])
{
    unsigned char hash[SHA256_DIGEST_LENGTH];
    size_t len = 0;
    SHA256((const unsigned char *)id.at, id.len, hash);
    hash[6] = (unsigned char)(0x80 | (hash[6] & 0x0f)); /* version 8: made our own way */
    hash[8] = (unsigned char)(0x80 | (hash[8] & 0x3f));
    for (size_t i = 0; i < 16; i++)
        len += (size_t)snprintf(uuid + len, QDRANT_WIRE_UUID_BYTES - len, "%s%02x",
                                i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", hash[i]);
}

/* ---- writing ---- */

void qdrant_wire_write_collection(struct buf *out, struct str model, size_t dimensions)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("vectors"));
    json_write_object(&json);
    json_write_member_u64(&json, STR("size"), dimensions);
    json_write_member_str(&json, STR("distance"), STR("Cosine"));
    json_write_object_end(&json);
    json_write_key(&json, STR("metadata"));
    json_write_object(&json);
    json_write_member_str(&json, STR("model"), model);
    json_write_object_end(&json);
    json_write_object_end(&json);
}

/* The path of a field in a payload. */
static struct str make_key(char key[KEY_BYTES], struct str name)
{
    int len = snprintf(key, KEY_BYTES, "fields.%.*s", STR_ARG(name)); /* names are checked */
    return str_make(key, (size_t)len);
}

void qdrant_wire_write_index(struct buf *out, size_t index)
{
    struct json_write json;
    char key[KEY_BYTES];
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("field_name"), make_key(key, str_of(indexed[index])));
    json_write_key(&json, STR("field_schema"));
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), STR("keyword"));
    if (index == 0)
        json_write_member_bool(&json, STR("is_tenant"), true);
    json_write_object_end(&json);
    json_write_object_end(&json);
}

static void begin_list(struct json_write *json, struct str name)
{
    json_write_key(json, name);
    json_write_array(json);
}

/* A point passes with one of the values; one that lacks the field, when the empty one is there. */
static void write_condition(struct json_write *json, const struct passage_filter *filter)
{
    char room[KEY_BYTES];
    struct str key = make_key(room, filter->name);
    bool takes_empty = false;
    for (size_t i = 0; i < filter->value_count; i++)
        takes_empty = takes_empty || filter->values[i].len == 0;
    if (takes_empty) {
        json_write_object(json);
        begin_list(json, STR("should"));
        json_write_object(json);
        json_write_key(json, STR("is_empty"));
        json_write_object(json);
        json_write_member_str(json, STR("key"), key);
        json_write_object_end(json);
        json_write_object_end(json);
    }
    json_write_object(json);
    json_write_member_str(json, STR("key"), key);
    json_write_key(json, STR("match"));
    json_write_object(json);
    begin_list(json, STR("any"));
    for (size_t i = 0; i < filter->value_count; i++)
        json_write_str(json, filter->values[i]);
    json_write_array_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
    if (takes_empty) {
        json_write_array_end(json);
        json_write_object_end(json);
    }
}

static void write_filter(struct json_write *json, const struct passage_filter *filters,
                         size_t count)
{
    json_write_key(json, STR("filter"));
    json_write_object(json);
    begin_list(json, STR("must"));
    for (size_t i = 0; i < count; i++)
        write_condition(json, &filters[i]);
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_vector(struct json_write *json, struct buf *scratch, const float *vector,
                         size_t dimensions)
{
    buf_clear(scratch);
    passage_json_push_vector(scratch, vector, dimensions);
    json_write_raw(json, buf_str(scratch));
}

void qdrant_wire_write_query(struct buf *out, const struct vec_query *query, size_t top_k)
{
    struct json_write json;
    struct buf scratch;
    buf_init(&scratch, PASSAGE_JSON_VECTOR_BYTES);
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("query"));
    write_vector(&json, &scratch, query->vector, query->dimensions);
    json_write_member_u64(&json, STR("limit"), top_k);
    json_write_member_bool(&json, STR("with_payload"), true);
    if (query->filter_count > 0)
        write_filter(&json, query->filters, query->filter_count);
    json_write_object_end(&json);
    out->failed = out->failed || !buf_ok(&scratch);
    buf_fini(&scratch);
}

static void write_point(struct json_write *json, struct buf *scratch, const struct vec_point *point,
                        size_t dimensions)
{
    const struct passage *passage = &point->passage;
    char uuid[QDRANT_WIRE_UUID_BYTES];
    qdrant_wire_uuid(passage->id, uuid);
    json_write_object(json);
    json_write_member_str(json, STR("id"), str_of(uuid));
    json_write_key(json, STR("vector"));
    write_vector(json, scratch, point->vector, dimensions);
    json_write_key(json, STR("payload"));
    json_write_object(json);
    json_write_member_str(json, STR("id"), passage->id);
    json_write_member_str(json, STR("text"), passage->text);
    json_write_key(json, STR("fields"));
    passage_json_write_fields(json, passage->fields, passage->field_count);
    json_write_object_end(json);
    json_write_object_end(json);
}

/* {"VERB":{...}}, one of the operations; to be ended by end_operation. */
static void begin_operation(struct json_write *json, struct str verb)
{
    json_write_object(json);
    json_write_key(json, verb);
    json_write_object(json);
}

static void end_operation(struct json_write *json)
{
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_removal(struct json_write *json, const struct str *ids, size_t count)
{
    char uuid[QDRANT_WIRE_UUID_BYTES];
    begin_operation(json, STR("delete"));
    begin_list(json, STR("points"));
    for (size_t i = 0; i < count; i++) {
        qdrant_wire_uuid(ids[i], uuid);
        json_write_str(json, str_of(uuid));
    }
    json_write_array_end(json);
    end_operation(json);
}

static size_t write_upsert(struct json_write *json, struct buf *out,
                           const struct qdrant_wire_change *change)
{
    size_t written = 0;
    struct buf scratch;
    buf_init(&scratch, PASSAGE_JSON_VECTOR_BYTES);
    begin_operation(json, STR("upsert"));
    begin_list(json, STR("points"));
    for (bool has_room = true; written < change->point_count && has_room; written++) {
        write_point(json, &scratch, change->points[written], change->dimensions);
        has_room = buf_ok(out) && buf_len(out) < BODY_BYTES;
    }
    json_write_array_end(json);
    end_operation(json);
    out->failed = out->failed || !buf_ok(&scratch);
    buf_fini(&scratch);
    return written;
}

size_t qdrant_wire_write_change(struct buf *out, const struct qdrant_wire_change *change)
{
    struct json_write json;
    size_t written = 0;
    json_write_init(&json, out);
    json_write_object(&json);
    begin_list(&json, STR("operations"));
    if (change->id_count > 0)
        write_removal(&json, change->ids, change->id_count);
    if (change->filter_count > 0) {
        begin_operation(&json, STR("delete"));
        write_filter(&json, change->filters, change->filter_count);
        end_operation(&json);
    }
    if (change->point_count > 0)
        written = write_upsert(&json, out, change);
    json_write_array_end(&json);
    json_write_object_end(&json);
    return written;
}

/* ---- reading ---- */

enum err_code qdrant_wire_read_collection(struct arena *arena, struct str answer,
                                          struct qdrant_wire_collection *collection,
                                          struct err *err)
{
    const struct json_value *root, *schema;
    struct err ignored;
    int64_t dimensions = 0;
    *collection = (struct qdrant_wire_collection){.model = STR("")};
    if (passage_json_parse(arena, product, answer, &root, err) != ERR_OK)
        return err->code;
    if (json_value_object(root, "/result/payload_schema", &schema, &ignored) != ERR_OK)
        return passage_json_refuse(err, product, "expected a collection");
    for (size_t i = 0; i < QDRANT_WIRE_INDEXES; i++) {
        char key[KEY_BYTES];
        if (json_value_member(schema, make_key(key, str_of(indexed[i]))) == NULL)
            collection->missing |= 1U << i;
    }
    /* A collection that is not ours may lack both. */
    (void)!json_value_str(root, "/result/config/metadata/model", &collection->model, &ignored);
    (void)!json_value_i64(root, "/result/config/params/vectors/size", &dimensions, &ignored);
    collection->dimensions = dimensions > 0 ? (size_t)dimensions : 0;
    collection->model = arena_str(arena, collection->model); /* the answer goes */
    return arena_ok(arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for Qdrant's answer");
}

enum err_code qdrant_wire_read_count(struct arena *arena, struct str answer, uint64_t *count,
                                     struct err *err)
{
    const struct json_value *root;
    struct err ignored;
    int64_t number = -1;
    if (passage_json_parse(arena, product, answer, &root, err) != ERR_OK)
        return err->code;
    if (json_value_i64(root, "/result/count", &number, &ignored) != ERR_OK || number < 0)
        return passage_json_refuse(err, product, "expected a count");
    *count = (uint64_t)number;
    return ERR_OK;
}

static enum err_code read_hit(struct arena *arena, const struct json_value *point,
                              struct passage_hit *hit, struct err *err)
{
    const struct json_value *fields = json_value_find(point, "/payload/fields");
    struct err ignored;
    if (json_value_double(point, "/score", &hit->score, &ignored) != ERR_OK ||
        json_value_str(point, "/payload/id", &hit->passage.id, &ignored) != ERR_OK ||
        json_value_str(point, "/payload/text", &hit->passage.text, &ignored) != ERR_OK)
        return passage_json_refuse(err, product, "expected points with a score, an id and a text");
    return passage_json_read_fields(arena, fields, STR(""), &hit->passage)
               ? ERR_OK
               : err_set(err, ERR_NO_MEMORY, "no memory for Qdrant's hits");
}

enum err_code qdrant_wire_read_hits(struct arena *arena, struct str answer,
                                    struct passage_hit **hits, size_t *count, struct err *err)
{
    const struct json_value *root, *list;
    struct err ignored;
    *count = 0;
    if (passage_json_parse(arena, product, answer, &root, err) != ERR_OK)
        return err->code;
    if (json_value_array(root, "/result/points", &list, &ignored) != ERR_OK)
        return passage_json_refuse(err, product, "expected points");
    *hits = arena_array(arena, size_max(1, list->count), sizeof **hits);
    if (*hits == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for Qdrant's hits");
    JSON_EACH(point, list) {
        if (read_hit(arena, point, &(*hits)[*count], err) != ERR_OK)
            return err->code;
        ++*count;
    }
    return ERR_OK;
}

struct str qdrant_wire_read_error(struct arena *arena, struct str answer)
{
    struct err ignored;
    struct str words = answer;
    const struct json_value *root = json_value_parse(arena, answer, NULL, &ignored);
    if (root != NULL)
        (void)!json_value_str(root, "/status/error", &words, &ignored);
    return words;
}
