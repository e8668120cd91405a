/* SPDX-License-Identifier: MIT */
/* proto/json_schema.c - one walk over schema and value together.
 *
 * Happy path: each keyword of the schema is checked against the value, then members and items with
 * their own schemas.
 * Failure: the first keyword that does not hold, with the place in the value. Depth is bounded by
 * that of JSON, since each step down goes down in the value or in the schema. */
#include "proto/json_schema.h"

#include <stdio.h>

#include "core/base/buf.h"

enum { PLACE_BYTES = 160 };

struct place { /* in the value, as a JSON pointer */
    char text[PLACE_BYTES];
    size_t len;
};

static enum err_code check(const struct json_value *schema, const struct json_value *value,
                           const struct place *place, struct err *err);

static enum err_code refuse(const struct place *place, struct err *err, const char *expected,
                            struct str got)
{
    return err_set(err, ERR_INVALID, "%.*s: expected %s, got %.*s",
                   (int)(place->len == 0 ? 1 : place->len), place->len == 0 ? "/" : place->text,
                   expected, STR_ARG(str_utf8_prefix(got, 80)));
}

static struct place step_into(const struct place *place, struct str name)
{
    struct place next = *place;
    struct buf text = {.at = next.text, .cap = sizeof next.text, .limit = sizeof next.text};
    text.end = place->len;
    buf_push_char(&text, '/');
    buf_push(&text, str_utf8_prefix(name, 64));
    next.len = buf_len(&text);
    return next;
}

/* ---- types ---- */

static bool is_whole(const struct json_value *value)
{
    return value->type == JSON_INT ||
           (value->type == JSON_DOUBLE && value->number >= -9e15 && value->number <= 9e15 &&
            value->number == (double)(int64_t)value->number);
}

static bool is_of(const struct json_value *value, struct str type)
{
    static const struct {
        struct str name;
        enum json_type type;
    } names[] = {
        {STR("null"), JSON_NULL},     {STR("boolean"), JSON_BOOL},  {STR("string"), JSON_STRING},
        {STR("array"), JSON_ARRAY},   {STR("object"), JSON_OBJECT}, {STR("number"), JSON_INT},
        {STR("number"), JSON_DOUBLE},
    };
    if (str_equal(type, STR("integer")))
        return is_whole(value);
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(type, names[i].name) && value->type == names[i].type)
            return true;
    return false;
}

static enum err_code check_type(const struct json_value *type, const struct json_value *value,
                                const struct place *place, struct err *err)
{
    char expected[64];
    bool fits = type->type == JSON_STRING && is_of(value, type->text);
    if (type->type == JSON_ARRAY)
        JSON_EACH(one, type)
            fits |= one->type == JSON_STRING && is_of(value, one->text);
    if (fits)
        return ERR_OK;
    struct str name = type->type == JSON_STRING ? type->text
                      : type->first != NULL     ? type->first->text
                                                : STR("another type");
    bool is_vowel = name.len > 0 && (name.at[0] == 'a' || name.at[0] == 'i' || name.at[0] == 'o');
    snprintf(expected, sizeof expected, "%s %.*s", is_vowel ? "an" : "a",
             STR_ARG(str_slice(name, 0, 40)));
    return refuse(place, err, expected, str_of(json_value_type_name(value)));
}

/* ---- values ---- */

static bool is_same(const struct json_value *a, const struct json_value *b)
{
    if ((a->type == JSON_INT || a->type == JSON_DOUBLE) &&
        (b->type == JSON_INT || b->type == JSON_DOUBLE))
        return a->number == b->number;
    if (a->type != b->type)
        return false;
    return a->type == JSON_NULL || (a->type == JSON_BOOL && a->boolean == b->boolean) ||
           (a->type == JSON_STRING && str_equal(a->text, b->text));
}

static enum err_code check_enum(const struct json_value *choices, const struct json_value *value,
                                const struct place *place, struct err *err)
{
    char expected[200];
    struct buf text = {.at = expected, .cap = sizeof expected - 1, .limit = sizeof expected - 1};
    JSON_EACH(choice, choices) {
        if (is_same(choice, value))
            return ERR_OK;
        struct str name =
            choice->type == JSON_STRING || choice->text.len > 0 ? choice->text : STR("null");
        if (buf_len(&text) + name.len + 8 < text.limit)
            buf_printf(&text, "%s%.*s", buf_len(&text) == 0 ? "one of " : ", ", STR_ARG(name));
    }
    expected[buf_len(&text)] = '\0';
    struct str got = value->type == JSON_STRING || value->text.len > 0
                         ? value->text
                         : str_of(json_value_type_name(value));
    return refuse(place, err, expected, got);
}

static size_t length_of(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return count;
}

/* What a limit is about. */
enum measure { MEASURE_NUMBER, MEASURE_LENGTH, MEASURE_ITEMS, MEASURE_MEMBERS };

static bool measure_of(const struct json_value *value, enum measure kind, double *measure)
{
    bool is_number = value->type == JSON_INT || value->type == JSON_DOUBLE;
    *measure = value->type == JSON_STRING ? (double)length_of(value->text)
               : is_number                ? value->number
                                          : (double)value->count;
    return (kind == MEASURE_NUMBER && is_number) ||
           (kind == MEASURE_LENGTH && value->type == JSON_STRING) ||
           (kind == MEASURE_ITEMS && value->type == JSON_ARRAY) ||
           (kind == MEASURE_MEMBERS && value->type == JSON_OBJECT);
}

static enum err_code check_limits(const struct json_value *schema, const struct json_value *value,
                                  const struct place *place, struct err *err)
{
    static const struct {
        const char *keyword;
        const char *before, *after; /* the number, in words */
        enum measure kind;
        bool is_least, is_exclusive;
    } limits[] = {
        {"minimum", "at least ", "", MEASURE_NUMBER, true, false},
        {"maximum", "at most ", "", MEASURE_NUMBER, false, false},
        {"exclusiveMinimum", "more than ", "", MEASURE_NUMBER, true, true},
        {"exclusiveMaximum", "less than ", "", MEASURE_NUMBER, false, true},
        {"minLength", "at least ", " characters", MEASURE_LENGTH, true, false},
        {"maxLength", "at most ", " characters", MEASURE_LENGTH, false, false},
        {"minItems", "at least ", " items", MEASURE_ITEMS, true, false},
        {"maxItems", "at most ", " items", MEASURE_ITEMS, false, false},
        {"minProperties", "at least ", " members", MEASURE_MEMBERS, true, false},
        {"maxProperties", "at most ", " members", MEASURE_MEMBERS, false, false},
    };
    for (size_t i = 0; i < countof(limits); i++) {
        const struct json_value *limit = json_value_member(schema, str_of(limits[i].keyword));
        double measure;
        char expected[64], got[32];
        if (limit == NULL || (limit->type != JSON_INT && limit->type != JSON_DOUBLE) ||
            !measure_of(value, limits[i].kind, &measure))
            continue;
        bool fits = limits[i].is_least ? measure >= limit->number : measure <= limit->number;
        if (fits && !(limits[i].is_exclusive && measure == limit->number))
            continue;
        snprintf(expected, sizeof expected, "%s%.*s%s", limits[i].before,
                 STR_ARG(str_slice(limit->text, 0, 20)), limits[i].after);
        snprintf(got, sizeof got, "%.15g", measure);
        return refuse(place, err, expected, str_of(got));
    }
    return ERR_OK;
}

/* ---- members and items ---- */

static enum err_code check_required(const struct json_value *required,
                                    const struct json_value *value, const struct place *place,
                                    struct err *err)
{
    if (required == NULL || required->type != JSON_ARRAY || value->type != JSON_OBJECT)
        return ERR_OK;
    JSON_EACH(name, required) {
        if (name->type == JSON_STRING && json_value_member(value, name->text) == NULL) {
            struct place missing = step_into(place, name->text);
            return refuse(&missing, err, "a value", STR("nothing"));
        }
    }
    return ERR_OK;
}

static enum err_code check_members(const struct json_value *schema, const struct json_value *value,
                                   const struct place *place, struct err *err)
{
    const struct json_value *properties = json_value_member(schema, STR("properties"));
    const struct json_value *more = json_value_member(schema, STR("additionalProperties"));
    if (value->type != JSON_OBJECT)
        return ERR_OK;
    JSON_EACH(member, value) {
        const struct json_value *own = json_value_member(properties, member->key);
        struct place at = step_into(place, member->key);
        if (own == NULL && more != NULL && more->type == JSON_BOOL && !more->boolean)
            return err_set(err, ERR_INVALID, "%.*s: there is no such member", (int)at.len, at.text);
        enum err_code code = check(own == NULL ? more : own, member, &at, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static enum err_code check_items(const struct json_value *items, const struct json_value *value,
                                 const struct place *place, struct err *err)
{
    size_t i = 0;
    char number[24];
    if (items == NULL || value->type != JSON_ARRAY)
        return ERR_OK;
    JSON_EACH(item, value) {
        snprintf(number, sizeof number, "%zu", i++);
        struct place at = step_into(place, str_of(number));
        enum err_code code = check(items, item, &at, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

/* ---- schemas of schemas ---- */

/* How many of the alternatives the value fits; err: why not the last one that it does not. */
static size_t count_fitting(const struct json_value *alternatives, const struct json_value *value,
                            const struct place *place, struct err *err)
{
    size_t count = 0;
    JSON_EACH(one, alternatives)
        count += check(one, value, place, err) == ERR_OK;
    return count;
}

static enum err_code check_alternatives(const struct json_value *schema,
                                        const struct json_value *value, const struct place *place,
                                        struct err *err)
{
    static const struct {
        const char *keyword;
        bool is_all, is_one;
    } keywords[] = {{"anyOf", false, false}, {"oneOf", false, true}, {"allOf", true, false}};
    for (size_t i = 0; i < countof(keywords); i++) {
        const struct json_value *all = json_value_member(schema, str_of(keywords[i].keyword));
        if (all == NULL || all->type != JSON_ARRAY)
            continue;
        size_t count = count_fitting(all, value, place, err);
        if (count == 0 || (keywords[i].is_all && count < all->count))
            return ERR_INVALID;
        if (keywords[i].is_one && count > 1)
            return refuse(place, err, "what fits one alternative", STR("what fits several"));
    }
    return ERR_OK;
}

static enum err_code check(const struct json_value *schema, const struct json_value *value,
                           const struct place *place, struct err *err)
{
    enum err_code code = ERR_OK;
    if (schema == NULL || schema->type != JSON_OBJECT)
        return schema == NULL || schema->type != JSON_BOOL || schema->boolean
                   ? ERR_OK
                   : refuse(place, err, "nothing", str_of(json_value_type_name(value)));
    const struct json_value *type = json_value_member(schema, STR("type"));
    const struct json_value *choices = json_value_member(schema, STR("enum"));
    const struct json_value *only = json_value_member(schema, STR("const"));
    if (type != NULL)
        code = check_type(type, value, place, err);
    if (code == ERR_OK && choices != NULL && choices->type == JSON_ARRAY)
        code = check_enum(choices, value, place, err);
    if (code == ERR_OK && only != NULL && !is_same(only, value))
        code = refuse(place, err, "the one value that it may have", STR("another"));
    if (code == ERR_OK)
        code = check_limits(schema, value, place, err);
    if (code == ERR_OK)
        code = check_required(json_value_member(schema, STR("required")), value, place, err);
    if (code == ERR_OK)
        code = check_members(schema, value, place, err);
    if (code == ERR_OK)
        code = check_items(json_value_member(schema, STR("items")), value, place, err);
    if (code == ERR_OK)
        code = check_alternatives(schema, value, place, err);
    return code;
}

enum err_code json_schema_check(const struct json_value *schema, const struct json_value *value,
                                struct err *err)
{
    const struct place root = {.len = 0};
    return check(schema, value, &root, err);
}
