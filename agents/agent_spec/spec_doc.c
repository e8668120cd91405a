/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_doc.c - members and references of a document; where a mistake is.
 *
 * Failure: "FILE: /nodes/2/tool: what is wrong"; a reference that names nothing, or another
 * reference that leads back. */
#include "agents/agent_spec/spec_doc.h"

#include <stdarg.h>
#include <stdio.h>

#include "agents/agent_spec/spec_text.h"
#include "core/base/buf.h"

enum { POINTER_BYTES = 200, MAX_STEPS = 8 };

/* As RFC 6901 has it. */
static void push_key(struct buf *out, struct str key)
{
    buf_push_char(out, '/');
    for (size_t i = 0; i < key.len; i++)
        if (key.at[i] == '~' || key.at[i] == '/')
            buf_push(out, key.at[i] == '~' ? STR("~0") : STR("~1"));
        else
            buf_push_char(out, key.at[i]);
}

/* Append the pointer from value to target; false: it is not below value. */
static bool find_pointer(const struct json_value *value, const struct json_value *target,
                         struct buf *out)
{
    size_t i = 0, mark = buf_str(out).len;
    if (value == target)
        return true;
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
        return false;
    JSON_EACH(item, value) {
        if (value->type == JSON_OBJECT)
            push_key(out, item->key);
        else
            buf_printf(out, "/%zu", i++);
        if (find_pointer(item, target, out))
            return true;
        buf_truncate(out, mark);
    }
    return false;
}

bool spec_doc_fail(struct spec_doc *doc, const struct json_value *at, const char *fmt, ...)
{
    char text[ERR_TEXT_BYTES];
    struct buf pointer;
    va_list args;
    if (doc->failed)
        return false;
    doc->failed = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buf_init(&pointer, doc->root == NULL ? 0 : 64 * 1024);
    if (doc->root != NULL && at != NULL)
        (void)find_pointer(doc->root, at, &pointer);
    struct str where = buf_str(&pointer);
    err_set(doc->err, ERR_INVALID, "%s: %.*s: %s", doc->path,
            (int)size_min(where.len, POINTER_BYTES), where.at == NULL ? "" : where.at, text);
    buf_fini(&pointer);
    return false;
}

bool spec_doc_no_memory(struct spec_doc *doc)
{
    if (!doc->failed)
        err_set(doc->err, ERR_NO_MEMORY, "%s: no memory", doc->path);
    doc->failed = true;
    return false;
}

static bool find_tables(struct spec_doc *doc, const struct json_value *value)
{
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
        return true;
    JSON_EACH(item, value) {
        bool is_table = value->type == JSON_OBJECT && item->type == JSON_OBJECT &&
                        str_equal(item->key, STR("$referenced_components"));
        if (is_table && doc->table_count == SPEC_DOC_TABLES)
            return spec_doc_fail(doc, item, "more than %d tables of components", SPEC_DOC_TABLES);
        if (is_table)
            doc->tables[doc->table_count++] = item;
        if (!find_tables(doc, item))
            return false;
    }
    return true;
}

bool spec_doc_index(struct spec_doc *doc)
{
    doc->table_count = 0;
    return find_tables(doc, doc->root);
}

/* What the reference in value names: a component of one of the tables, or the document itself.
 * NULL: a mistake was noted. */
static const struct json_value *find_named(struct spec_doc *doc, const struct json_value *value,
                                           const struct json_value *ref)
{
    const struct json_value *found = NULL, *own = json_value_member(doc->root, STR("id"));
    struct str name = ref->type == JSON_STRING ? ref->text : STR("");
    for (size_t i = 0; i < doc->table_count; i++) {
        const struct json_value *one = json_value_member(doc->tables[i], name);
        if (one != NULL && found != NULL)
            spec_doc_fail(doc, one, "two components are called '%.*s'", STR_ARG(name));
        found = one == NULL ? found : one;
    }
    if (found == NULL && own != NULL && own->type == JSON_STRING && str_equal(own->text, name))
        found = doc->root;
    if (found == NULL)
        spec_doc_fail(doc, value, "there is no component '%.*s' in $referenced_components",
                      STR_ARG(name));
    return doc->failed ? NULL : found;
}

const struct json_value *spec_doc_component(struct spec_doc *doc, const struct json_value *value)
{
    for (unsigned i = 0; value != NULL && i < MAX_STEPS; i++) {
        const struct json_value *ref = json_value_member(value, STR("$component_ref"));
        if (ref == NULL)
            break;
        value = find_named(doc, value, ref);
        if (value == NULL)
            return NULL;
    }
    if (value == NULL || value->type != JSON_OBJECT ||
        json_value_member(value, STR("$component_ref")) != NULL) {
        spec_doc_fail(doc, value, "expected a component");
        return NULL;
    }
    return value;
}

struct str spec_doc_type(const struct json_value *component)
{
    const struct json_value *type = json_value_member(component, STR("component_type"));
    return type != NULL && type->type == JSON_STRING ? type->text : STR("");
}

bool spec_doc_is_same(const struct json_value *a, const struct json_value *b)
{
    const struct json_value *one = json_value_member(a, STR("id"));
    const struct json_value *other = json_value_member(b, STR("id"));
    return a == b || (one != NULL && other != NULL && one->type == JSON_STRING &&
                      other->type == JSON_STRING && str_equal(one->text, other->text));
}

bool spec_doc_known(struct spec_doc *doc, const struct json_value *object, const char *const *names)
{
    if (object->type != JSON_OBJECT)
        return spec_doc_fail(doc, object, "expected an object, got %s",
                             json_value_type_name(object));
    JSON_EACH(item, object) {
        bool is_known = item->type == JSON_NULL;
        for (size_t i = 0; !is_known && names[i] != NULL; i++)
            is_known = str_equal(item->key, str_of(names[i]));
        if (!is_known)
            return spec_doc_fail(doc, item, "'%.*s' cannot be mapped", STR_ARG(item->key));
    }
    return true;
}

const struct json_value *spec_doc_member(struct spec_doc *doc, const struct json_value *object,
                                         const char *member, enum json_type type, bool required)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    if (value == NULL || value->type == JSON_NULL) {
        if (required)
            spec_doc_fail(doc, object, "expected a member '%s'", member);
        return NULL;
    }
    if (value->type == type)
        return value;
    spec_doc_fail(doc, value, "expected %s, got %s",
                  type == JSON_STRING   ? "a text"
                  : type == JSON_OBJECT ? "an object"
                  : type == JSON_ARRAY  ? "an array"
                                        : "another value",
                  json_value_type_name(value));
    return NULL;
}

struct str spec_doc_text(struct spec_doc *doc, const struct json_value *object, const char *member,
                         bool required)
{
    const struct json_value *value = spec_doc_member(doc, object, member, JSON_STRING, required);
    return value == NULL ? str_make(NULL, 0) : value->text;
}

struct str spec_doc_pointer(struct spec_doc *doc, struct str name)
{
    struct buf out;
    buf_init(&out, 64 * 1024);
    push_key(&out, name);
    struct str pointer =
        buf_ok(&out) ? arena_str(doc->arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    if (str_is_absent(pointer))
        spec_doc_no_memory(doc);
    return pointer;
}

bool spec_doc_places(const struct json_value *value, bool (*told)(void *owner, struct str name),
                     void *owner)
{
    size_t at = 0;
    if (value != NULL && (value->type == JSON_OBJECT || value->type == JSON_ARRAY))
        JSON_EACH(item, value)
            if (!spec_doc_places(item, told, owner))
                return false;
    while (value != NULL && value->type == JSON_STRING) {
        struct str name = spec_text_place(value->text, &at);
        if (str_is_absent(name))
            break;
        if (!told(owner, name))
            return false;
    }
    return true;
}
