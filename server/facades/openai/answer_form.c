/* SPDX-License-Identifier: MIT */
/* server/facades/openai/answer_form.c - one walk down the schema, which says at each place whether
 * rows, a row or a value is wanted.
 *
 * Happy path: the walk writes; what it wrote is then held against the schema.
 * Failure: the first place that the data cannot fill ends it, with its name. */
#include "server/facades/openai/answer_form.h"

#include <string.h>

#include "proto/json_schema.h"
#include "proto/json_write.h"

enum { MOST_DEPTH = 8, MOST_WORDS = 16, FORMED_BYTES = 16 << 20, TREE_BYTES = 64 << 20 };

struct walk {
    const struct answer_form *form;
    const struct json_value *columns, *rows;
    struct json_write json;
    struct err *err;
};

struct place { /* in the schema, and what of the data is there */
    const struct json_value *schema;
    const struct json_value *row; /* NULL: all of them */
    struct str name;              /* of the property; absent: none */
    bool is_alone;                /* the only property: it may be the only column, too */
    unsigned depth;
};

static bool write_place(struct walk *walk, const struct place *place);

static bool fail(struct walk *walk, struct str name, const char *why)
{
    err_set(walk->err, ERR_INVALID, "%.*s: %s",
            STR_ARG(name.len == 0 ? STR("the answer") : str_utf8_prefix(name, 64)), why);
    return false;
}

/* ---- the schema ---- */

static bool is_type(const struct json_value *type, struct str name)
{
    if (type != NULL && type->type == JSON_STRING)
        return str_equal(type->text, name);
    if (type != NULL && type->type == JSON_ARRAY)
        JSON_EACH(one, type)
            if (one->type == JSON_STRING && str_equal(one->text, name))
                return true;
    return false;
}

/* What schema refers to, within the whole one; schema itself where it refers to nothing. */
static const struct json_value *follow(const struct walk *walk, const struct json_value *schema)
{
    struct str to = {NULL, 0};
    if (json_value_str(schema, "/$ref", &to, NULL) != ERR_OK || !str_starts_with(to, STR("#")))
        return schema;
    const char *pointer = arena_cstr(walk->form->arena, str_from(to, 1));
    return pointer == NULL ? NULL : json_value_find(walk->form->schema, pointer);
}

/* The schema that says what a value is, and whether it may be null beside that. */
static const struct json_value *settle(const struct walk *walk, const struct json_value *schema,
                                       bool *may_be_null)
{
    *may_be_null = false;
    for (unsigned i = 0; schema != NULL && i < MOST_DEPTH; i++) {
        const struct json_value *to = follow(walk, schema);
        const struct json_value *any = json_value_member(to, STR("anyOf"));
        if (any == NULL)
            any = json_value_member(to, STR("oneOf"));
        if (any == NULL)
            any = json_value_member(to, STR("allOf"));
        if (to == schema && (any == NULL || any->type != JSON_ARRAY))
            return schema;
        schema = to;
        if (any == NULL || any->type != JSON_ARRAY)
            continue;
        schema = NULL;
        JSON_EACH(one, any) {
            bool is_null = is_type(json_value_member(one, STR("type")), STR("null"));
            *may_be_null |= is_null;
            if (schema == NULL && !is_null)
                schema = one;
        }
    }
    return schema;
}

static bool is_required(const struct json_value *object, struct str name)
{
    const struct json_value *required = json_value_member(object, STR("required"));
    if (required != NULL && required->type == JSON_ARRAY)
        JSON_EACH(one, required)
            if (one->type == JSON_STRING && str_equal(one->text, name))
                return true;
    return false;
}

/* ---- columns ---- */

/* The words of a name: "workOrder_count" has work, order and count. Returns how many. */
static size_t split_words(struct str name, struct str words[MOST_WORDS])
{
    size_t count = 0, began = 0;
    for (size_t i = 0; i <= name.len && count < MOST_WORDS; i++) {
        const bool is_end = i == name.len;
        const bool is_letter = !is_end && (str_is_alpha(name.at[i]) || str_is_digit(name.at[i]) ||
                                           (unsigned char)name.at[i] >= 0x80);
        const bool begins = is_letter && i > began && str_is_alpha(name.at[i]) &&
                            str_lower(name.at[i]) != name.at[i] &&
                            str_lower(name.at[i - 1]) == name.at[i - 1];
        if ((!is_letter || begins) && i > began)
            words[count++] = str_slice(name, began, i);
        if (!is_letter || begins)
            began = begins ? i : i + 1;
    }
    return count;
}

static bool has_words(struct str name, const struct str *wanted, size_t count)
{
    struct str words[MOST_WORDS];
    const size_t word_count = split_words(name, words);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t j = 0; j < word_count && !found; j++)
            found = str_equal_nocase(words[j], wanted[i]);
        if (!found)
            return false;
    }
    return count > 0;
}

/* The place of the column that name means; none, or more than one that it might: SIZE_MAX. */
static size_t find_column(const struct walk *walk, struct str name)
{
    struct str words[MOST_WORDS];
    const size_t count = split_words(name, words);
    size_t at = 0, found = SIZE_MAX, matches = 0;
    JSON_EACH(column, walk->columns) {
        if (column->type == JSON_STRING && str_equal_nocase(column->text, name))
            return at;
        if (column->type == JSON_STRING && has_words(column->text, words, count)) {
            found = at;
            matches++;
        }
        at++;
    }
    return matches == 1 ? found : SIZE_MAX;
}

/* The row that a place is about: the only one there is, where it is about all. NULL: none, or
 * several. */
static const struct json_value *row_of(const struct walk *walk, const struct place *place)
{
    return place->row != NULL ? place->row : walk->rows->count == 1 ? walk->rows->first : NULL;
}

/* The value that a place stands for; NULL: the data has none. */
static const struct json_value *value_of(const struct walk *walk, const struct place *place)
{
    const struct json_value *row = row_of(walk, place);
    bool is_only = place->is_alone && walk->columns->count == 1;
    size_t column = is_only ? 0 : find_column(walk, place->name);
    if (row == NULL || row->type != JSON_ARRAY || column >= row->count)
        return NULL;
    const struct json_value *value = row->first;
    for (size_t i = 0; i < column; i++)
        value = value->next;
    return value;
}

/* ---- values ---- */

static bool is_number(const struct json_value *value)
{
    double number;
    return value->type == JSON_INT || value->type == JSON_DOUBLE ||
           (value->type == JSON_STRING && str_to_double(value->text, &number));
}

static bool write_value(struct walk *walk, const struct place *place, const struct json_value *type,
                        const struct json_value *value)
{
    if ((is_type(type, STR("number")) || is_type(type, STR("integer"))) && is_number(value)) {
        json_write_raw(&walk->json, value->text); /* as the database wrote it */
    } else if (is_type(type, STR("string")) && value->type == JSON_STRING) {
        json_write_str(&walk->json, value->text);
    } else if (is_type(type, STR("string")) && is_number(value)) {
        json_write_str(&walk->json, value->text);
    } else if (is_type(type, STR("boolean")) &&
               (value->type == JSON_BOOL ||
                (value->type == JSON_INT && value->integer >> 1 == 0))) {
        json_write_bool(&walk->json,
                        value->type == JSON_BOOL ? value->boolean : value->integer == 1);
    } else if (type == NULL) {
        json_value_write(value, &walk->json);
    } else {
        return fail(walk, place->name, "the data has a value of another type");
    }
    return true;
}

static bool write_scalar(struct walk *walk, const struct place *place,
                         const struct json_value *schema, bool may_be_null)
{
    const struct json_value *type = json_value_member(schema, STR("type"));
    const struct json_value *value = value_of(walk, place);
    if (value != NULL && value->type != JSON_NULL)
        return write_value(walk, place, type, value);
    if (value == NULL && place->row == NULL && is_type(type, STR("string"))) {
        json_write_str(&walk->json, walk->form->text);
        return true;
    }
    if (!may_be_null && !is_type(type, STR("null")))
        return fail(walk, place->name,
                    value == NULL ? "the data has no such column, or several rows"
                                  : "the data has no value");
    json_write_null(&walk->json);
    return true;
}

/* ---- objects and arrays ---- */

static bool is_filled(const struct walk *walk, const struct place *place)
{
    bool may_be_null;
    const struct json_value *schema = settle(walk, place->schema, &may_be_null);
    const struct json_value *type = json_value_member(schema, STR("type"));
    return is_type(type, STR("array")) || is_type(type, STR("object")) ||
           value_of(walk, place) != NULL || (place->row == NULL && is_type(type, STR("string")));
}

static bool write_object(struct walk *walk, const struct place *place,
                         const struct json_value *schema)
{
    const struct json_value *properties = json_value_member(schema, STR("properties"));
    bool is_fine = true;
    if (properties == NULL || properties->type != JSON_OBJECT)
        return fail(walk, place->name, "the schema names no properties");
    json_write_object(&walk->json);
    JSON_EACH(property, properties) {
        const struct place member = {property, place->row, property->key, properties->count == 1,
                                     place->depth + 1};
        if (!is_fine || (!is_required(schema, property->key) && !is_filled(walk, &member)))
            continue;
        json_write_key(&walk->json, property->key);
        is_fine = write_place(walk, &member);
    }
    if (is_fine)
        json_write_object_end(&walk->json);
    return is_fine;
}

static bool write_array(struct walk *walk, const struct place *place,
                        const struct json_value *schema)
{
    const struct json_value *items = json_value_member(schema, STR("items"));
    bool is_fine = true;
    if (place->row != NULL)
        return fail(walk, place->name, "a row has no rows in it");
    json_write_array(&walk->json);
    JSON_EACH(row, walk->rows) {
        const struct place item = {items, row, place->name, true, place->depth + 1};
        if (is_fine)
            is_fine = write_place(walk, &item);
    }
    if (is_fine)
        json_write_array_end(&walk->json);
    return is_fine;
}

static bool write_place(struct walk *walk, const struct place *place)
{
    bool may_be_null;
    const struct json_value *schema = settle(walk, place->schema, &may_be_null);
    const struct json_value *type = json_value_member(schema, STR("type"));
    if (schema == NULL || place->depth > MOST_DEPTH)
        return fail(walk, place->name, "the schema says nothing, or goes too deep");
    if (is_type(type, STR("object")))
        return write_object(walk, place, schema);
    if (is_type(type, STR("array")))
        return write_array(walk, place, schema);
    return write_scalar(walk, place, schema, may_be_null);
}

/* ---- the whole ---- */

/* Hold what was written against the schema. */
static bool check(const struct answer_form *form, struct str text, struct err *err)
{
    const struct json_value *value = json_value_parse(form->arena, text, NULL, err);
    return value != NULL && json_schema_check(form->schema, value, err) == ERR_OK;
}

bool answer_form_write(const struct answer_form *form, struct buf *out, struct err *err)
{
    struct walk walk = {.form = form, .err = err};
    const struct json_value *complete = json_value_parse(form->arena, form->complete, NULL, err);
    const struct json_value *data = json_value_member(complete, STR("data"));
    const struct place whole = {form->schema, NULL, {NULL, 0}, true, 0};
    struct buf formed;
    walk.columns = json_value_member(data, STR("columns"));
    walk.rows = json_value_member(data, STR("rows"));
    if (walk.columns == NULL || walk.rows == NULL || walk.columns->type != JSON_ARRAY ||
        walk.rows->type != JSON_ARRAY)
        return fail(&walk, STR(""), "it is no data");
    buf_init(&formed, FORMED_BYTES);
    json_write_init(&walk.json, &formed);
    bool is_fine = write_place(&walk, &whole);
    if (is_fine && !buf_ok(&formed))
        is_fine = fail(&walk, STR(""), "it is too large");
    is_fine = is_fine && check(form, buf_str(&formed), err);
    if (is_fine)
        buf_push(out, buf_str(&formed));
    buf_fini(&formed);
    return is_fine;
}

bool answer_text_init(struct answer_text *held, struct arena *arena)
{
    *held = (struct answer_text){.at = arena_raw(arena, ANSWER_TEXT_BYTES), .attempt = 1};
    return held->at != NULL;
}

void answer_text_add(struct answer_text *held, struct str text, int64_t attempt)
{
    if (attempt != held->attempt)
        held->len = 0;
    held->attempt = attempt;
    text = str_utf8_prefix(text, ANSWER_TEXT_BYTES - held->len);
    memcpy(held->at + held->len, text.at, text.len);
    held->len += text.len;
}

bool answer_form_say(const struct json_value *schema, struct str complete, struct str text,
                     struct buf *out)
{
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, TREE_BYTES);
    const struct answer_form form = {schema, arena_printf(&arena, "{%.*s}", STR_ARG(complete)),
                                     text, &arena};
    const bool is_formed = answer_form_write(&form, out, &err);
    if (!is_formed)
        buf_printf(out, "The answer cannot be given in the form that was asked for (%s): %.*s",
                   err.text, STR_ARG(str_utf8_prefix(text, ANSWER_TEXT_BYTES)));
    arena_fini(&arena);
    return is_formed;
}
