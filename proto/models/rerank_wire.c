/* SPDX-License-Identifier: MIT */
/* proto/models/rerank_wire.c - the request written, the answer's items put at their places.
 *
 * Failure: what the answer lacks or has too much of is named. */
#include "proto/models/rerank_wire.h"

#include <math.h>

#include "proto/json_value.h"
#include "proto/json_write.h"

void rerank_wire_write_url(struct buf *buf, const struct model_endpoint *endpoint)
{
    const struct str path = STR("/rerank"), base = model_wire_base(endpoint->base_url);
    buf_push(buf, base);
    if (!str_ends_with(base, path))
        buf_push(buf, path);
}

void rerank_wire_write(struct buf *buf, const struct rerank_wire_request *request)
{
    const bool has_name = request->model.len > 0;
    struct json_write writer;
    json_write_init(&writer, buf);
    json_write_object(&writer);
    if (has_name)
        json_write_member_str(&writer, STR("model"), request->model);
    json_write_member_str(&writer, STR("query"), request->query);
    json_write_key(&writer, has_name ? STR("documents") : STR("texts"));
    json_write_array(&writer);
    for (size_t i = 0; i < request->count; i++)
        json_write_str(&writer, str_utf8_prefix(request->texts[i], request->text_bytes));
    json_write_array_end(&writer);
    if (has_name)
        json_write_member_u64(&writer, STR("top_n"), request->count);
    else
        json_write_member_bool(&writer, STR("truncate"), true);
    json_write_object_end(&writer);
}

static enum err_code read_item(const struct json_value *item, double *scores, size_t count,
                               struct err *err)
{
    const struct json_value *index = json_value_member(item, STR("index"));
    const struct json_value *score = json_value_member(item, STR("relevance_score"));
    if (score == NULL)
        score = json_value_member(item, STR("score"));
    if (index == NULL || index->type != JSON_INT || score == NULL ||
        (score->type != JSON_INT && score->type != JSON_DOUBLE) || !isfinite(score->number))
        return err_set(err, ERR_PROTOCOL, "an item has no index, or no number for a score");
    if (index->integer < 0 || (uint64_t)index->integer >= count)
        return err_set(err, ERR_PROTOCOL, "a score for text %.*s, but %zu texts were sent",
                       STR_ARG(index->text), count);
    if (!isnan(scores[index->integer]))
        return err_set(err, ERR_PROTOCOL, "two scores for text %.*s", STR_ARG(index->text));
    scores[index->integer] = score->number;
    return ERR_OK;
}

enum err_code rerank_wire_read(struct arena *arena, struct str answer, double *scores, size_t count,
                               struct err *err)
{
    const struct json_value *root = json_value_parse(arena, answer, NULL, err);
    if (root == NULL)
        return err->code == ERR_NO_MEMORY ? err->code : (err->code = ERR_PROTOCOL);
    const struct json_value *items =
        root->type == JSON_ARRAY ? root : json_value_member(root, STR("results"));
    if (items == NULL || items->type != JSON_ARRAY)
        return err_set(err, ERR_PROTOCOL, "expected an array, or an object with \"results\"");
    for (size_t i = 0; i < count; i++)
        scores[i] = NAN;
    JSON_EACH(item, items) {
        if (read_item(item, scores, count, err) != ERR_OK)
            return err->code;
    }
    for (size_t i = 0; i < count; i++)
        if (isnan(scores[i]))
            return err_set(err, ERR_PROTOCOL, "no score for text %zu of %zu", i, count);
    return ERR_OK;
}
