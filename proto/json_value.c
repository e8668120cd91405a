/* SPDX-License-Identifier: MIT */
/* proto/json_value.c - tokens -> linked values, with a stack of open ones and no recursion.
 *
 * Happy path: each token becomes a value at the end of the innermost open one; when an object
 * closes its names are compared, a large one's by sorting (which lookups then use), so that no
 * input costs more than n log n.
 * Failure paths:
 * - not JSON, or too deep: the reader's text and offset;
 * - a name twice: refused, or both stay and lookups find the last;
 * - the text is too long: ERR_TOO_LARGE; the arena is spent: ERR_NO_MEMORY. */
#include "proto/json_value.h"

#include <string.h>

#include "proto/json_read.h"
#include "proto/json_write.h"

enum { FEW_MEMBERS = 8 };

struct builder {
    struct arena *arena;
    struct json_read reader;
    struct json_limits limits;
    struct err *err;
    struct json_value *root;
    struct json_value *open[JSON_READ_MAX_DEPTH];
    struct json_value *last[JSON_READ_MAX_DEPTH]; /* child of open[], NULL: none yet */
    unsigned depth;
    struct str key; /* of the value that comes next */
};

static bool no_memory(struct builder *b)
{
    err_set(b->err, ERR_NO_MEMORY, "no memory for the JSON text, %zu bytes allowed",
            b->arena->budget);
    return false;
}

/* The reader's last string, unescaped, into *text. */
static bool read_text(struct builder *b, struct str *text)
{
    *text = b->reader.text;
    if (!b->reader.has_escapes)
        return true;
    char *to = arena_alloc(b->arena, b->reader.text.len);
    if (to == NULL)
        return no_memory(b);
    *text = str_make(to, json_read_unescape_to(&b->reader, to));
    return true;
}

static bool read_number(struct builder *b, struct json_value *value)
{
    value->text = b->reader.text;
    if (json_read_i64(&b->reader, &value->integer)) {
        value->type = JSON_INT;
        value->number = (double)value->integer;
        return true;
    }
    value->type = JSON_DOUBLE;
    if (json_read_double(&b->reader, &value->number))
        return true;
    err_set(b->err, ERR_INVALID, "a number out of range ends at byte %zu",
            json_read_offset(&b->reader));
    return false;
}

static bool fill_value(struct builder *b, struct json_value *value, enum json_token token)
{
    switch (token) {
    case JSON_TOKEN_TRUE:
    case JSON_TOKEN_FALSE:
        value->type = JSON_BOOL;
        value->boolean = token == JSON_TOKEN_TRUE;
        return true;
    case JSON_TOKEN_NUMBER:
        return read_number(b, value);
    case JSON_TOKEN_STRING:
        value->type = JSON_STRING;
        return read_text(b, &value->text);
    case JSON_TOKEN_OBJECT:
        value->type = JSON_OBJECT;
        return true;
    case JSON_TOKEN_ARRAY:
        value->type = JSON_ARRAY;
        return true;
    default:
        return true; /* null */
    }
}

static bool add_value(struct builder *b, enum json_token token)
{
    struct json_value *value = arena_alloc(b->arena, sizeof *value);
    if (value == NULL)
        return no_memory(b);
    value->key = b->key;
    b->key = (struct str){NULL, 0};
    if (!fill_value(b, value, token))
        return false;
    if (b->depth == 0) {
        b->root = value;
    } else {
        struct json_value *parent = b->open[b->depth - 1], *last = b->last[b->depth - 1];
        *(last == NULL ? &parent->first : &last->next) = value;
        b->last[b->depth - 1] = value;
        parent->count++;
    }
    if (token != JSON_TOKEN_OBJECT && token != JSON_TOKEN_ARRAY)
        return true;
    unsigned most = b->limits.depth == 0 ? JSON_READ_MAX_DEPTH : b->limits.depth;
    if (b->depth >= most) {
        err_set(b->err, ERR_INVALID, "nested deeper than %u levels at byte %zu", most,
                json_read_offset(&b->reader));
        return false;
    }
    b->open[b->depth] = value;
    b->last[b->depth++] = NULL;
    return true;
}

/* Merge the sorted runs from[a..mid) and from[mid..end) into to[a..end); equal keys keep order. */
static void merge_runs(const struct json_value **from, const struct json_value **to, size_t a,
                       size_t mid, size_t end)
{
    size_t left = a, right = mid;
    for (size_t i = a; i < end; i++) {
        bool take_left =
            left < mid && (right >= end || str_compare(from[left]->key, from[right]->key) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

/* The members of object sorted by key, stable; NULL: no memory. */
static const struct json_value **sort_members(struct arena *arena, const struct json_value *object)
{
    size_t count = object->count, i = 0;
    const struct json_value **from = arena_array(arena, count, sizeof *from);
    const struct json_value **to = arena_array(arena, count, sizeof *to);
    if (from == NULL || to == NULL)
        return NULL;
    JSON_EACH(member, object) {
        from[i++] = member;
    }
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t a = 0; a < count; a += 2 * run)
            merge_runs(from, to, a, size_min(a + run, count), size_min(a + 2 * run, count));
        const struct json_value **swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static bool refuse_duplicate(struct builder *b, struct str key)
{
    err_set(b->err, ERR_INVALID, "the name '%.*s' comes twice in the object that ends at byte %zu",
            STR_ARG(str_utf8_prefix(key, 100)), json_read_offset(&b->reader));
    return false;
}

static bool check_few(struct builder *b, const struct json_value *object)
{
    JSON_EACH(member, object) {
        for (const struct json_value *other = member->next; other != NULL; other = other->next)
            if (str_equal(member->key, other->key))
                return refuse_duplicate(b, member->key);
    }
    return true;
}

static bool check_many(struct builder *b, struct json_value *object)
{
    object->by_key = sort_members(b->arena, object);
    if (object->by_key == NULL)
        return no_memory(b);
    for (size_t i = 1; i < object->count && !b->limits.allow_duplicates; i++)
        if (str_equal(object->by_key[i - 1]->key, object->by_key[i]->key))
            return refuse_duplicate(b, object->by_key[i]->key);
    return true;
}

static bool close_value(struct builder *b)
{
    struct json_value *value = b->open[--b->depth];
    if (value->type != JSON_OBJECT)
        return true;
    if (value->count > FEW_MEMBERS)
        return check_many(b, value);
    return b->limits.allow_duplicates || check_few(b, value);
}

/* One token into the tree. False: err is set. */
static bool build(struct builder *b, enum json_token token)
{
    switch (token) {
    case JSON_TOKEN_ERROR:
        json_read_error(&b->reader, b->err);
        return false;
    case JSON_TOKEN_KEY:
        return read_text(b, &b->key);
    case JSON_TOKEN_OBJECT_END:
    case JSON_TOKEN_ARRAY_END:
        return close_value(b);
    default:
        return add_value(b, token);
    }
}

const struct json_value *json_value_parse(struct arena *arena, struct str text,
                                          const struct json_limits *limits, struct err *err)
{
    struct builder b = {.arena = arena, .err = err};
    if (limits != NULL)
        b.limits = *limits;
    if (b.limits.text_bytes != 0 && text.len > b.limits.text_bytes) {
        err_set(err, ERR_TOO_LARGE, "expected at most %zu bytes of JSON, %zu came",
                b.limits.text_bytes, text.len);
        return NULL;
    }
    if (b.limits.refuse_nul)
        json_read_init_no_nul(&b.reader, text);
    else
        json_read_init(&b.reader, text);
    for (;;) {
        enum json_token token = json_read_next(&b.reader);
        if (token == JSON_TOKEN_END)
            return b.root;
        if (!build(&b, token))
            return NULL;
    }
}

/* The last of equal keys in a sorted table. */
static const struct json_value *search(const struct json_value *object, struct str key)
{
    size_t low = 0, high = object->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(object->by_key[middle]->key, key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !str_equal(object->by_key[low - 1]->key, key))
        return NULL;
    return object->by_key[low - 1];
}

const struct json_value *json_value_member(const struct json_value *object, struct str key)
{
    const struct json_value *found = NULL;
    if (object == NULL || object->type != JSON_OBJECT)
        return NULL;
    if (object->by_key != NULL)
        return search(object, key);
    JSON_EACH(member, object) {
        if (str_equal(member->key, key))
            found = member;
    }
    return found;
}

static const struct json_value *item_at(const struct json_value *array, struct str index)
{
    uint64_t wanted, i = 0;
    if (!str_to_u64(index, &wanted) || (index.len > 1 && index.at[0] == '0'))
        return NULL;
    JSON_EACH(item, array) {
        if (i++ == wanted)
            return item;
    }
    return NULL;
}

/* ~1 is '/', ~0 is '~' (RFC 6901); the result is in text. False: it does not fit or is wrong. */
static bool unescape_step(struct str step, char *text, size_t room, struct str *plain)
{
    size_t len = 0;
    for (size_t i = 0; i < step.len; i++) {
        char c = step.at[i];
        if (c == '~') {
            i++;
            if (i == step.len || (step.at[i] != '0' && step.at[i] != '1'))
                return false;
            c = step.at[i] == '0' ? '~' : '/';
        }
        if (len == room)
            return false;
        text[len++] = c;
    }
    *plain = str_make(text, len);
    return true;
}

const struct json_value *json_value_find(const struct json_value *root, const char *pointer)
{
    struct str rest = str_of(pointer);
    if (rest.len == 0)
        return root;
    if (str_split(&rest, '/').len != 0)
        return NULL;
    const struct json_value *value = root;
    while (value != NULL && !str_is_absent(rest)) {
        char text[256];
        struct str step = str_split(&rest, '/');
        if (!unescape_step(step, text, sizeof text, &step))
            return NULL;
        value = value->type == JSON_ARRAY ? item_at(value, step) : json_value_member(value, step);
    }
    return value;
}

const char *json_value_type_name(const struct json_value *value)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",        [JSON_BOOL] = "a boolean",  [JSON_INT] = "an integer",
        [JSON_DOUBLE] = "a number",  [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };
    return value == NULL ? "nothing" : names[value->type];
}

/* The value at pointer for which ok was found, or why it is not what was wanted. */
static enum err_code refuse_type(const struct json_value *value, const char *pointer,
                                 const char *wanted, struct err *err)
{
    bool is_missing = value == NULL || value->type == JSON_NULL;
    return err_set(err, is_missing ? ERR_NOT_FOUND : ERR_INVALID, "%s: expected %s, got %s",
                   pointer[0] == '\0' ? "the whole text" : pointer, wanted,
                   json_value_type_name(value));
}

enum err_code json_value_str(const struct json_value *root, const char *pointer, struct str *value,
                             struct err *err)
{
    const struct json_value *found = json_value_find(root, pointer);
    if (found == NULL || found->type != JSON_STRING)
        return refuse_type(found, pointer, "a string", err);
    *value = found->text;
    return ERR_OK;
}

enum err_code json_value_i64(const struct json_value *root, const char *pointer, int64_t *value,
                             struct err *err)
{
    const struct json_value *found = json_value_find(root, pointer);
    if (found == NULL || found->type != JSON_INT)
        return refuse_type(found, pointer, "an integer of 64 bits", err);
    *value = found->integer;
    return ERR_OK;
}

enum err_code json_value_double(const struct json_value *root, const char *pointer, double *value,
                                struct err *err)
{
    const struct json_value *found = json_value_find(root, pointer);
    if (found == NULL || (found->type != JSON_INT && found->type != JSON_DOUBLE))
        return refuse_type(found, pointer, "a number", err);
    *value = found->number;
    return ERR_OK;
}

enum err_code json_value_bool(const struct json_value *root, const char *pointer, bool *value,
                              struct err *err)
{
    const struct json_value *found = json_value_find(root, pointer);
    if (found == NULL || found->type != JSON_BOOL)
        return refuse_type(found, pointer, "a boolean", err);
    *value = found->boolean;
    return ERR_OK;
}

enum err_code json_value_object(const struct json_value *root, const char *pointer,
                                const struct json_value **value, struct err *err)
{
    const struct json_value *found = json_value_find(root, pointer);
    if (found == NULL || found->type != JSON_OBJECT)
        return refuse_type(found, pointer, "an object", err);
    *value = found;
    return ERR_OK;
}

enum err_code json_value_array(const struct json_value *root, const char *pointer,
                               const struct json_value **value, struct err *err)
{
    const struct json_value *found = json_value_find(root, pointer);
    if (found == NULL || found->type != JSON_ARRAY)
        return refuse_type(found, pointer, "an array", err);
    *value = found;
    return ERR_OK;
}

/* Depth is bounded by JSON_READ_MAX_DEPTH, which the parser enforced. */
void json_value_write(const struct json_value *value, struct json_write *writer)
{
    switch (value->type) {
    case JSON_NULL:
        json_write_null(writer);
        return;
    case JSON_BOOL:
        json_write_bool(writer, value->boolean);
        return;
    case JSON_INT:
    case JSON_DOUBLE:
        json_write_raw(writer, value->text);
        return;
    case JSON_STRING:
        json_write_str(writer, value->text);
        return;
    case JSON_ARRAY:
        json_write_array(writer);
        JSON_EACH(item, value) {
            json_value_write(item, writer);
        }
        json_write_array_end(writer);
        return;
    case JSON_OBJECT:
        json_write_object(writer);
        JSON_EACH(member, value) {
            json_write_key(writer, member->key);
            json_value_write(member, writer);
        }
        json_write_object_end(writer);
        return;
    }
}

struct str json_value_text(const struct json_value *value, struct arena *arena, size_t most)
{
    struct str text = {NULL, 0};
    struct json_write writer;
    struct buf out;
    buf_init(&out, most);
    json_write_init(&writer, &out);
    json_value_write(value, &writer);
    if (buf_ok(&out))
        text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}
