/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_check.c - limits and shapes of passages, filters and vectors.
 *
 * Happy path: every part of a request is looked at once. Failure: the first part that does not fit
 * is named. */
#include "backends/passages/passage_check.h"

#include <math.h>

static bool is_name(struct str name, size_t max_bytes, const char *marks)
{
    if (name.len == 0 || name.len > max_bytes)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        if (!str_is_digit(c) && !str_is_alpha(c) && str_find_char(str_of(marks), c) == STR_NONE)
            return false;
    }
    return true;
}

static enum err_code check_collection(struct str name, struct err *err)
{
    if (is_name(name, PASSAGE_MAX_ID, "_-."))
        return ERR_OK;
    return err_set(err, ERR_INVALID,
                   "a collection's name is 1 to %d letters, digits, '_', '-' or '.', not '%.*s'",
                   PASSAGE_MAX_ID, STR_ARG(str_utf8_prefix(name, PASSAGE_MAX_ID)));
}

static enum err_code check_field_name(struct str name, struct err *err)
{
    if (is_name(name, PASSAGE_CHECK_MAX_NAME, "_"))
        return ERR_OK;
    return err_set(err, ERR_INVALID, "a field's name is 1 to %d letters, digits or '_', not '%.*s'",
                   PASSAGE_CHECK_MAX_NAME, STR_ARG(str_utf8_prefix(name, PASSAGE_CHECK_MAX_NAME)));
}

static bool is_text(struct str text)
{
    return str_find_char(text, '\0') == STR_NONE && str_is_utf8(text);
}

static enum err_code check_filters(const struct passage_filter *filters, size_t count,
                                   struct err *err)
{
    if (count > PASSAGE_MAX_FILTERS)
        return err_set(err, ERR_INVALID, "%zu filters, at most %d are possible", count,
                       PASSAGE_MAX_FILTERS);
    for (size_t i = 0; i < count; i++) {
        enum err_code code = check_field_name(filters[i].name, err);
        if (code != ERR_OK)
            return code;
        if (filters[i].value_count > PASSAGE_MAX_CHOICES)
            return err_set(err, ERR_INVALID, "%zu values of filter '%.*s', at most %d are possible",
                           filters[i].value_count, STR_ARG(filters[i].name), PASSAGE_MAX_CHOICES);
        for (size_t j = 0; j < filters[i].value_count; j++)
            if (filters[i].values[j].len > PASSAGE_MAX_TEXT || !is_text(filters[i].values[j]))
                return err_set(err, ERR_INVALID,
                               "a value of filter '%.*s' is no text of at most %d bytes",
                               STR_ARG(filters[i].name), PASSAGE_MAX_TEXT);
    }
    return ERR_OK;
}

static enum err_code check_top_k(size_t top_k, struct err *err)
{
    if (top_k >= 1 && top_k <= PASSAGE_CHECK_MAX_TOP_K)
        return ERR_OK;
    return err_set(err, ERR_INVALID, "1 to %d hits can be asked for, not %zu",
                   PASSAGE_CHECK_MAX_TOP_K, top_k);
}

static enum err_code check_model(struct str model, size_t dimensions, struct err *err)
{
    if (model.len == 0 || model.len > PASSAGE_CHECK_MAX_MODEL || !is_text(model))
        return err_set(err, ERR_INVALID, "a model's name is a text of 1 to %d bytes",
                       PASSAGE_CHECK_MAX_MODEL);
    if (dimensions == 0 || dimensions > VEC_MAX_DIMENSIONS)
        return err_set(err, ERR_INVALID, "a vector has 1 to %d numbers, not %zu",
                       VEC_MAX_DIMENSIONS, dimensions);
    return ERR_OK;
}

/* No sum of squares that is finite has a part that is not. */
static bool is_finite(const float *vector, size_t dimensions)
{
    float sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += vector[i] * vector[i];
    return isfinite(sum);
}

static bool has_field_twice(const struct passage *passage, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (str_equal(passage->fields[i].name, passage->fields[index].name))
            return true;
    return false;
}

static enum err_code check_id(struct str id, struct err *err)
{
    if (id.len >= 1 && id.len <= PASSAGE_MAX_ID && is_text(id))
        return ERR_OK;
    return err_set(err, ERR_INVALID, "an id is a text of 1 to %d bytes, this one has %zu",
                   PASSAGE_MAX_ID, id.len);
}

static enum err_code check_passage(const struct passage *passage, struct err *err)
{
    enum err_code code = check_id(passage->id, err);
    size_t bytes = passage->text.len;
    if (code != ERR_OK)
        return code;
    if (passage->field_count > PASSAGE_MAX_FIELDS)
        return err_set(err, ERR_INVALID, "passage '%.*s' has %zu fields, at most %d are possible",
                       STR_ARG(passage->id), passage->field_count, PASSAGE_MAX_FIELDS);
    bool texts = bytes <= PASSAGE_MAX_TEXT && is_text(passage->text);
    for (size_t i = 0; i < passage->field_count && texts; i++) {
        const struct passage_field *field = &passage->fields[i];
        code = check_field_name(field->name, err);
        if (code != ERR_OK)
            return code;
        if (has_field_twice(passage, i))
            return err_set(err, ERR_INVALID, "passage '%.*s' has field '%.*s' twice",
                           STR_ARG(passage->id), STR_ARG(field->name));
        bytes += field->value.len;
        texts = bytes <= PASSAGE_MAX_TEXT && is_text(field->value);
    }
    if (!texts)
        return err_set(err, ERR_INVALID,
                       "text and fields of passage '%.*s' must be UTF-8 without NUL, of at most %d "
                       "bytes together",
                       STR_ARG(passage->id), PASSAGE_MAX_TEXT);
    return ERR_OK;
}

static enum err_code check_removal(const struct str *ids, size_t count,
                                   const struct passage_filter *filters, size_t filter_count,
                                   struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        enum err_code code = check_id(ids[i], err);
        if (code != ERR_OK)
            return code;
    }
    return check_filters(filters, filter_count, err);
}

enum err_code passage_check_vec_query(const struct vec_query *query, struct err *err)
{
    enum err_code code = check_collection(query->collection, err);
    if (code == ERR_OK)
        code = check_model(query->model, query->dimensions, err);
    if (code == ERR_OK)
        code = check_top_k(query->top_k, err);
    if (code == ERR_OK)
        code = check_filters(query->filters, query->filter_count, err);
    if (code == ERR_OK && !is_finite(query->vector, query->dimensions))
        code =
            err_set(err, ERR_INVALID, "the vector to look for holds a number that is not finite");
    return code;
}

enum err_code passage_check_text_query(const struct text_query *query, struct err *err)
{
    enum err_code code = check_collection(query->collection, err);
    if (code == ERR_OK)
        code = check_top_k(query->top_k, err);
    if (code == ERR_OK)
        code = check_filters(query->filters, query->filter_count, err);
    return code;
}

enum err_code passage_check_vec_change(const struct vec_change *change, struct err *err)
{
    enum err_code code = check_collection(change->collection, err);
    if (code == ERR_OK)
        code = check_removal(change->remove_ids, change->remove_count, change->remove_filters,
                             change->remove_filter_count, err);
    if (code != ERR_OK || change->upsert_count == 0)
        return code;
    if (change->upsert_count > VEC_MAX_POINTS)
        return err_set(err, ERR_INVALID, "%zu points at once, at most %d are possible",
                       change->upsert_count, VEC_MAX_POINTS);
    code = check_model(change->model, change->dimensions, err);
    for (size_t i = 0; i < change->upsert_count && code == ERR_OK; i++) {
        const struct vec_point *point = &change->upsert[i];
        code = check_passage(&point->passage, err);
        if (code == ERR_OK && !is_finite(point->vector, change->dimensions))
            code =
                err_set(err, ERR_INVALID, "the vector of '%.*s' holds a number that is not finite",
                        STR_ARG(point->passage.id));
    }
    return code;
}

enum err_code passage_check_text_change(const struct text_change *change, struct err *err)
{
    enum err_code code = check_collection(change->collection, err);
    if (code == ERR_OK)
        code = check_removal(change->remove_ids, change->remove_count, change->remove_filters,
                             change->remove_filter_count, err);
    if (code == ERR_OK && change->upsert_count > TEXT_MAX_PASSAGES)
        code = err_set(err, ERR_INVALID, "%zu passages at once, at most %d are possible",
                       change->upsert_count, TEXT_MAX_PASSAGES);
    for (size_t i = 0; i < change->upsert_count && code == ERR_OK; i++)
        code = check_passage(&change->upsert[i], err);
    return code;
}

enum err_code passage_check_kind(struct str collection, struct str held_model,
                                 size_t held_dimensions, struct str model, size_t dimensions,
                                 struct err *err)
{
    if (held_dimensions == dimensions && str_equal(held_model, model))
        return ERR_OK;
    return err_set(err, ERR_INVALID,
                   "collection '%.*s' holds vectors of '%.*s' with %zu numbers, not of '%.*s' with "
                   "%zu: remove its documents (askd docs remove) and add them again, or use the "
                   "model it was made with",
                   STR_ARG(collection), STR_ARG(held_model), held_dimensions, STR_ARG(model),
                   dimensions);
}
