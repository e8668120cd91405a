/* SPDX-License-Identifier: MIT */
/* proto/models/openai_embeddings.c - a cut at the items of "data", and strict JSON on either side
 * of it.
 *
 * Happy path: bytes are followed only as far as needed to see strings and nesting; what lies in an
 * item of data is gathered and read by json_read when it is whole, what lies around goes to rest,
 * which is read by openai_answer at the end.
 * Failure paths: an item or a rest over its limit, an item without numbers, a number that is not
 * finite, another number of bytes than floats have, broken JSON; the first one stays. */
#include "proto/models/openai_embeddings.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "core/base/base64.h"
#include "proto/json_read.h"

enum {
    NUMBER_BYTES = 32, /* of one number as text, with its comma */
    ITEM_BYTES = OPENAI_EMBEDDINGS_DIMENSIONS * NUMBER_BYTES + 1024,
    REST_BYTES = 64 << 10,
};

struct item { /* being read */
    bool has_index;
    uint64_t index;
    size_t dimensions; /* 0: no embedding yet */
};

static enum err_code refuse(struct err *err, const char *problem)
{
    return err_set(err, ERR_PROTOCOL, "an embeddings server's answer: %s", problem);
}

/* ---- one item ---- */

static enum err_code read_numbers(struct openai_embeddings *reader, struct json_read *json,
                                  size_t *dimensions, struct err *err)
{
    enum json_token token;
    *dimensions = 0;
    while ((token = json_read_next(json)) == JSON_TOKEN_NUMBER) {
        double value;
        if (*dimensions == OPENAI_EMBEDDINGS_DIMENSIONS)
            return refuse(err, "a vector of more than 4096 numbers");
        if (!json_read_double(json, &value) || !isfinite((float)value))
            return refuse(err, "a number that no vector has");
        reader->vector[(*dimensions)++] = (float)value;
    }
    return token == JSON_TOKEN_ARRAY_END ? ERR_OK : refuse(err, "expected a vector of numbers");
}

static enum err_code read_base64(struct openai_embeddings *reader, struct str text,
                                 size_t *dimensions, struct err *err)
{
    size_t len;
    if (base64_decoded_bytes(text) > sizeof reader->vector)
        return refuse(err, "a vector of more than 4096 numbers");
    if (!base64_decode(text, reader->vector, &len) || len % sizeof *reader->vector != 0)
        return refuse(err, "a vector that is not base64 of floats");
    *dimensions = len / sizeof *reader->vector;
    for (size_t i = 0; i < *dimensions; i++) {
        uint32_t bits;
        memcpy(&bits, &reader->vector[i], sizeof bits);
        bits = le32toh(bits);
        memcpy(&reader->vector[i], &bits, sizeof bits);
        if (!isfinite(reader->vector[i]))
            return refuse(err, "a number that no vector has");
    }
    return ERR_OK;
}

static enum err_code read_embedding(struct openai_embeddings *reader, struct json_read *json,
                                    size_t *dimensions, struct err *err)
{
    enum json_token token = json_read_next(json);
    if (token == JSON_TOKEN_ARRAY)
        return read_numbers(reader, json, dimensions, err);
    if (token != JSON_TOKEN_STRING)
        return refuse(err, "expected a vector");
    buf_clear(&reader->scratch);
    struct str text = json_read_unescape(json, &reader->scratch);
    if (str_is_absent(text))
        return err_set(err, ERR_NO_MEMORY, "no memory for a vector");
    return read_base64(reader, text, dimensions, err);
}

static enum err_code read_member(struct openai_embeddings *reader, struct json_read *json,
                                 struct item *item, struct err *err)
{
    int64_t index;
    if (json_read_is(json, STR("embedding")))
        return read_embedding(reader, json, &item->dimensions, err);
    if (!json_read_is(json, STR("index")))
        return json_read_skip(json, JSON_TOKEN_KEY) ? ERR_OK : refuse(err, "not JSON");
    if (json_read_next(json) != JSON_TOKEN_NUMBER || !json_read_i64(json, &index) || index < 0)
        return refuse(err, "expected an index");
    item->has_index = true;
    item->index = (uint64_t)index;
    return ERR_OK;
}

static enum err_code read_item(struct openai_embeddings *reader, struct err *err)
{
    struct json_read json;
    struct item item = {0};
    enum json_token token;
    json_read_init(&json, buf_str(&reader->item));
    if (json_read_next(&json) != JSON_TOKEN_OBJECT)
        return refuse(err, "expected an object with a vector");
    while ((token = json_read_next(&json)) == JSON_TOKEN_KEY)
        if (read_member(reader, &json, &item, err) != ERR_OK)
            return err->code;
    if (token != JSON_TOKEN_OBJECT_END || json_read_next(&json) != JSON_TOKEN_END)
        return refuse(err, "not JSON");
    if (item.dimensions == 0)
        return refuse(err, "an item without a vector");
    uint64_t index = item.has_index ? item.index : reader->count;
    reader->count++;
    return reader->on_vector(reader->owner, index, reader->vector, item.dimensions, err);
}

/* ---- the cut ---- */

/* An item is whole: read it, and leave a 0 in its place. */
static enum err_code end_item(struct openai_embeddings *reader, struct err *err)
{
    if (!buf_ok(&reader->item))
        return refuse(err, "an item that is too long, or no memory for it");
    enum err_code code = read_item(reader, err);
    buf_clear(&reader->item);
    buf_push_char(&reader->rest, '0');
    return code;
}

/* A byte of a string; strings directly in the answer are remembered, for data's name. */
static void take_string_byte(struct openai_embeddings *reader, char c)
{
    if (reader->is_escaped) {
        reader->is_escaped = false;
    } else if (c == '\\') {
        reader->is_escaped = true;
    } else if (c == '"') {
        reader->in_string = false;
        return;
    }
    if (reader->depth == 1 && reader->key.len < sizeof reader->key_bytes)
        reader->key_bytes[reader->key.len++] = c;
}

/* A byte outside strings. *is_end: with it an item of data is whole. */
static void take_byte(struct openai_embeddings *reader, char c, bool *is_end)
{
    switch (c) {
    case '"':
        reader->in_string = true;
        if (reader->depth == 1)
            reader->key = str_make(reader->key_bytes, 0);
        break;
    case '{':
    case '[':
        if (c == '[' && reader->depth == 1)
            reader->in_data = str_equal(reader->key, STR("data"));
        reader->depth++;
        break;
    case '}':
    case ']':
        if (reader->depth > 0)
            reader->depth--;
        *is_end = reader->in_data && reader->depth == 2;
        if (reader->depth < 2)
            reader->in_data = false;
        break;
    default:
        break;
    }
}

static enum err_code take(struct openai_embeddings *reader, struct str bytes, struct err *err)
{
    for (size_t i = 0; i < bytes.len; i++) {
        bool was_item = reader->in_data && reader->depth > 2, is_end = false;
        if (reader->in_string)
            take_string_byte(reader, bytes.at[i]);
        else
            take_byte(reader, bytes.at[i], &is_end);
        bool is_item = was_item || (reader->in_data && reader->depth > 2);
        buf_push_char(is_item ? &reader->item : &reader->rest, bytes.at[i]);
        if (is_end && end_item(reader, err) != ERR_OK)
            return err->code;
    }
    if (!buf_ok(&reader->item) || !buf_ok(&reader->rest))
        return refuse(err, "it is too long, or there is no memory for it");
    return ERR_OK;
}

void openai_embeddings_init(struct openai_embeddings *reader, openai_embeddings_fn *on_vector,
                            void *owner)
{
    memset(reader, 0, offsetof(struct openai_embeddings, vector));
    reader->on_vector = on_vector;
    reader->owner = owner;
    buf_init(&reader->item, ITEM_BYTES);
    buf_init(&reader->rest, REST_BYTES);
    buf_init(&reader->scratch, ITEM_BYTES);
}

void openai_embeddings_fini(struct openai_embeddings *reader)
{
    buf_fini(&reader->item);
    buf_fini(&reader->rest);
    buf_fini(&reader->scratch);
}

enum err_code openai_embeddings_feed(struct openai_embeddings *reader, struct str bytes,
                                     struct err *err)
{
    if (reader->err.code == ERR_OK)
        (void)!take(reader, bytes, &reader->err);
    *err = reader->err;
    return err->code;
}

enum err_code openai_embeddings_end(struct openai_embeddings *reader, struct model_answer *answer,
                                    struct err *err)
{
    *answer = (struct model_answer){0};
    *err = reader->err;
    if (err->code != ERR_OK)
        return err->code;
    return openai_answer_whole(buf_str(&reader->rest), &reader->scratch, answer, err);
}
