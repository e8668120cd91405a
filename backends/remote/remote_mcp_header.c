/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp_header.c - "x-mcp-header" of a schema's properties -> headers.
 *
 * Happy path: the schema is walked along "properties" alone, and each annotation there becomes a
 * header with the way to its value. Failure: an annotation anywhere else, of another type, with a
 * name that is no header's or is there twice makes the whole tool one that is not offered. */
#include "backends/remote/remote_mcp_header.h"

#include <math.h>

#include "core/base/base64.h"
#include "core/base/buf.h"

#define MARK  STR("x-mcp-header")
#define START STR("=?base64?")
#define END   STR("?=")

enum { POINTER_BYTES = 4096 };
#define SAFE_INTEGER 9007199254740991LL /* 2^53 - 1 */

struct walk {
    struct arena *arena;
    struct buf pointer; /* to the property that is looked at */
    struct remote_mcp_header list[REMOTE_MCP_HEADER_MOST];
    size_t count;
    const char *why;
};

/* ---- annotations where none may be ---- */

/* Keywords whose value is data, and those whose value has a schema behind each name. */
static bool is_data(struct str keyword)
{
    static const char *const names[] = {"const", "default", "enum", "examples"};
    return str_is_listed(keyword, names, countof(names));
}

static bool has_names(struct str keyword)
{
    static const char *const names[] = {"$defs", "definitions", "dependentSchemas",
                                        "patternProperties", "properties"};
    return str_is_listed(keyword, names, countof(names));
}

static bool is_marked(const struct json_value *schema);

static bool is_marked_below(const struct json_value *keyword)
{
    if (is_data(keyword->key))
        return false;
    if (keyword->type != JSON_OBJECT || !has_names(keyword->key))
        return is_marked(keyword);
    JSON_EACH(schema, keyword)
        if (is_marked(schema))
            return true;
    return false;
}

/* Whether there is an annotation in schema, or in one of a list of them. */
static bool is_marked(const struct json_value *schema)
{
    if (schema->type == JSON_OBJECT && json_value_member(schema, MARK) != NULL)
        return true;
    if (schema->type == JSON_ARRAY)
        JSON_EACH(item, schema)
            if (is_marked(item))
                return true;
    if (schema->type == JSON_OBJECT)
        JSON_EACH(keyword, schema)
            if (is_marked_below(keyword))
                return true;
    return false;
}

/* ---- annotations of properties ---- */

static bool is_token(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!str_is_alpha(name.at[i]) && !str_is_digit(name.at[i]) &&
            str_find_char(STR("!#$%&'*+-.^_`|~"), name.at[i]) == STR_NONE)
            return false;
    return name.len > 0;
}

static bool is_primitive(const struct json_value *type)
{
    static const char *const names[] = {"boolean", "integer", "string"};
    return type->type == JSON_STRING && str_is_listed(type->text, names, countof(names));
}

/* One of the three types, or a list of them, of which null may be one. */
static bool is_of_primitive(const struct json_value *schema)
{
    const struct json_value *type = json_value_member(schema, STR("type"));
    bool any = false;
    if (type == NULL || type->type != JSON_ARRAY)
        return type != NULL && is_primitive(type);
    JSON_EACH(item, type) {
        bool is_null = item->type == JSON_STRING && str_equal(item->text, STR("null"));
        if (!is_null && !is_primitive(item))
            return false;
        any = any || !is_null;
    }
    return any;
}

static bool is_there(const struct walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->count; i++)
        if (str_equal_nocase(str_of(walk->list[i].name), str_of(name)))
            return true;
    return false;
}

static const char *judge(const struct walk *walk, const struct json_value *property,
                         const struct json_value *mark)
{
    if (mark->type != JSON_STRING || !is_token(mark->text))
        return "its x-mcp-header is no name of a header";
    if (!is_of_primitive(property))
        return "x-mcp-header is of an argument that is no string, integer or boolean";
    if (walk->count == REMOTE_MCP_HEADER_MOST)
        return "it has too many x-mcp-headers";
    return NULL;
}

static void take_property(struct walk *walk, const struct json_value *property)
{
    const struct json_value *mark = json_value_member(property, MARK);
    if (mark == NULL)
        return;
    walk->why = judge(walk, property, mark);
    if (walk->why != NULL)
        return;
    struct str made = arena_printf(walk->arena, "Mcp-Param-%.*s", STR_ARG(mark->text));
    struct remote_mcp_header *header = &walk->list[walk->count];
    header->name = arena_cstr(walk->arena, made);
    header->pointer = arena_cstr(walk->arena, buf_str(&walk->pointer));
    if (header->name == NULL || header->pointer == NULL || !buf_ok(&walk->pointer))
        walk->why = "its schema does not fit into memory";
    else if (is_there(walk, header->name))
        walk->why = "two arguments have the same x-mcp-header";
    else
        walk->count++;
}

static void push_key(struct buf *pointer, struct str key)
{
    buf_push_char(pointer, '/');
    for (size_t i = 0; i < key.len; i++) {
        if (key.at[i] == '~')
            buf_push(pointer, STR("~0"));
        else if (key.at[i] == '/')
            buf_push(pointer, STR("~1"));
        else
            buf_push_char(pointer, key.at[i]);
    }
}

static void walk_schema(struct walk *walk, const struct json_value *schema)
{
    if (schema->type != JSON_OBJECT)
        return;
    JSON_EACH(keyword, schema) {
        bool leads_on = keyword->type == JSON_OBJECT && str_equal(keyword->key, STR("properties"));
        if (!leads_on && is_marked_below(keyword))
            walk->why = "x-mcp-header is not reached by properties alone";
        if (!leads_on)
            continue;
        JSON_EACH(property, keyword) {
            size_t mark = buf_len(&walk->pointer);
            push_key(&walk->pointer, property->key);
            if (walk->why == NULL)
                take_property(walk, property);
            if (walk->why == NULL)
                walk_schema(walk, property);
            buf_truncate(&walk->pointer, mark);
        }
    }
}

const char *remote_mcp_header_read(const struct json_value *schema, struct arena *arena,
                                   const struct remote_mcp_header **list, size_t *count)
{
    struct walk walk = {.arena = arena};
    *list = NULL;
    *count = 0;
    if (json_value_member(schema, MARK) != NULL)
        return "x-mcp-header is not of an argument";
    buf_init(&walk.pointer, POINTER_BYTES);
    walk_schema(&walk, schema);
    buf_fini(&walk.pointer);
    if (walk.why != NULL || walk.count == 0)
        return walk.why;
    struct remote_mcp_header *kept = arena_array(arena, walk.count, sizeof *kept);
    if (kept == NULL)
        return "its schema does not fit into memory";
    memcpy(kept, walk.list, walk.count * sizeof *kept);
    *list = kept;
    *count = walk.count;
    return NULL;
}

/* ---- values ---- */

static bool is_plain(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] != '\t' && (text.at[i] < ' ' || text.at[i] > '~'))
            return false;
    return str_trim(text).len == text.len &&
           !(str_starts_with(text, START) && str_ends_with(text, END));
}

struct str remote_mcp_header_encode(struct str text, struct arena *arena)
{
    if (is_plain(text))
        return arena_str(arena, text);
    size_t len = START.len + base64_encoded_bytes(text.len) + END.len;
    char *made = arena_alloc(arena, len);
    if (made == NULL)
        return (struct str){NULL, 0};
    memcpy(made, START.at, START.len);
    base64_encode(text, made + START.len);
    memcpy(made + len - END.len, END.at, END.len);
    return str_make(made, len);
}

static bool is_whole(const struct json_value *value)
{
    return value->number >= -(double)SAFE_INTEGER && value->number <= (double)SAFE_INTEGER &&
           (value->type == JSON_INT || trunc(value->number) == value->number);
}

enum err_code remote_mcp_header_value(const struct remote_mcp_header *header,
                                      const struct json_value *arguments, struct arena *arena,
                                      struct str *value)
{
    const struct json_value *argument = json_value_find(arguments, header->pointer);
    *value = (struct str){NULL, 0};
    if (argument == NULL || argument->type == JSON_NULL)
        return ERR_OK;
    if (argument->type == JSON_STRING)
        *value = remote_mcp_header_encode(argument->text, arena);
    else if (argument->type == JSON_BOOL)
        *value = argument->boolean ? STR("true") : STR("false");
    else if ((argument->type == JSON_INT || argument->type == JSON_DOUBLE) && is_whole(argument))
        *value = arena_printf(arena, "%lld", (long long)argument->number);
    else
        return ERR_INVALID;
    return str_is_absent(*value) ? ERR_NO_MEMORY : ERR_OK;
}
