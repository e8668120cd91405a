/* SPDX-License-Identifier: MIT */
/* proto/json_members.c - typed members, and the pointer to where the reading is.
 *
 * Happy path: each reader looks a member up and gives its value. Failure: the first mistake is kept
 * as "FILE: /nodes/write/type: expected ..., got ...". */
#include "proto/json_members.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"

enum { TEXT_BYTES = ERR_TEXT_BYTES };

bool json_members_fail(struct json_members *r, const char *member, const char *fmt, ...)
{
    char text[TEXT_BYTES];
    va_list args;
    if (r->failed)
        return false;
    r->failed = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    err_set(r->err, ERR_INVALID, "%s: %.*s%s%s: %s", r->path, (int)r->pointer_len, r->pointer,
            member == NULL ? "" : "/", member == NULL ? "" : member, text);
    return false;
}

bool json_members_no_memory(struct json_members *r)
{
    if (!r->failed)
        err_set(r->err, ERR_NO_MEMORY, "%s: no memory", r->path);
    r->failed = true;
    return false;
}

size_t json_members_enter(struct json_members *r, struct str member)
{
    size_t mark = r->pointer_len, room = sizeof r->pointer - r->pointer_len;
    int len = snprintf(r->pointer + mark, room, "/%.*s", STR_ARG(member));
    r->pointer_len += len < 0 ? 0 : (size_t)len < room ? (size_t)len : room - 1;
    return mark;
}

size_t json_members_enter_item(struct json_members *r, size_t i)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", i);
    return json_members_enter(r, str_of(number));
}

void json_members_leave(struct json_members *r, size_t mark)
{
    r->pointer_len = mark;
}

static bool is_among(struct str key, const char *const *names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        if (str_equal(key, str_of(names[i])))
            return true;
    return false;
}

static void write_names(const char *const *names, struct buf *out)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        buf_printf(out, "%s%s", buf_len(out) > 0 ? ", " : "", names[i]);
}

bool json_members_known(struct json_members *r, const struct json_value *object,
                          const char *const *names, const char *const *more)
{
    if (r->failed)
        return false;
    if (object == NULL || object->type != JSON_OBJECT)
        return json_members_fail(r, NULL, "expected an object, got %s",
                                 json_value_type_name(object));
    JSON_EACH(item, object) {
        struct buf known;
        if (is_among(item->key, names) || is_among(item->key, more))
            continue;
        buf_init(&known, TEXT_BYTES);
        write_names(names, &known);
        write_names(more, &known);
        json_members_fail(r, NULL, "there is no member '%.*s'; there are: %.*s", STR_ARG(item->key),
                          STR_ARG(buf_str(&known)));
        buf_fini(&known);
        return false;
    }
    return true;
}

/* The member, where it is of the type; NULL: it is not there, or a mistake was noted. */
static const struct json_value *take(struct json_members *r, const struct json_value *object,
                                     const char *member, enum json_type type, const char *wanted,
                                     bool required)
{
    const struct json_value *value = r->failed ? NULL : json_value_member(object, str_of(member));
    if (value != NULL && value->type == type)
        return value;
    if (!r->failed && (value != NULL || required))
        json_members_fail(r, member, "expected %s, got %s", wanted, json_value_type_name(value));
    return NULL;
}

struct str json_members_text(struct json_members *r, const struct json_value *object,
                             const char *member, bool required)
{
    const struct json_value *value = take(r, object, member, JSON_STRING, "a text", required);
    return value == NULL ? str_make(NULL, 0) : value->text;
}

const char *json_members_name(struct json_members *r, const struct json_value *object,
                              const char *member, bool required)
{
    struct str text = json_members_text(r, object, member, required);
    if (str_is_absent(text))
        return NULL;
    char *name = arena_cstr(r->arena, text);
    if (name == NULL && arena_ok(r->arena))
        json_members_fail(r, member, "a name without NUL was expected");
    else if (name == NULL)
        json_members_no_memory(r);
    return name;
}

int64_t json_members_int(struct json_members *r, const struct json_value *object,
                         const char *member, int64_t lowest, int64_t highest, int64_t fallback)
{
    const struct json_value *value = take(r, object, member, JSON_INT, "a whole number", false);
    if (value == NULL)
        return fallback;
    if (value->integer < lowest || value->integer > highest)
        json_members_fail(r, member,
                          "expected a number from %" PRId64 " to %" PRId64 ", got %" PRId64, lowest,
                          highest, value->integer);
    return value->integer;
}

bool json_members_flag(struct json_members *r, const struct json_value *object, const char *member)
{
    const struct json_value *value = take(r, object, member, JSON_BOOL, "true or false", false);
    return value != NULL && value->boolean;
}

const struct json_value *json_members_object(struct json_members *r,
                                             const struct json_value *object, const char *member,
                                             bool required)
{
    return take(r, object, member, JSON_OBJECT, "an object", required);
}

const struct json_value *json_members_array(struct json_members *r, const struct json_value *object,
                                            const char *member, bool required)
{
    return take(r, object, member, JSON_ARRAY, "an array", required);
}
