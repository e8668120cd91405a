/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_node.c - one pass over the JSON, nodes in chunks, parents by
 * pointer.
 *
 * Happy path: a value opens, closes or stands alone; it is hung under the node that is open.
 * Failure: a byte that cannot stand there (another version of the library), no memory. */
#include "agents/sql/postgres/parse_pg_node.h"

#include <endian.h>
#include <string.h>

#define BOXED "{\"sval\":\""

enum { CHUNK_NODES = 64 };

struct sql_parse_pg_chunk {
    struct sql_parse_pg_chunk *before;
    size_t count;
    struct sql_parse_pg_node nodes[CHUNK_NODES];
};

enum found { FOUND_NONSENSE, FOUND_KEY, FOUND_MEMBERS, FOUND_WHOLE };

struct reader {
    const char *at, *end;
    struct arena *arena;
    struct sql_parse_pg_chunk *chunk;
    struct sql_parse_pg_node *open, *last; /* the innermost open one, and its last child or NULL */
    struct sql_parse_pg_node *root;
    struct str key; /* of the value that comes, or absent */
    bool memory;
};

static bool add_chunk(struct reader *r)
{
    struct sql_parse_pg_chunk *chunk = arena_raw(r->arena, sizeof *chunk);
    if (chunk == NULL) {
        r->memory = false;
        return false;
    }
    chunk->before = r->chunk;
    chunk->count = 0;
    r->chunk = chunk;
    return true;
}

static inline struct sql_parse_pg_node *add_node(struct reader *r, enum sql_parse_pg_kind kind,
                                                 struct str text)
{
    if ((r->chunk == NULL || r->chunk->count == CHUNK_NODES) && !add_chunk(r))
        return NULL;
    struct sql_parse_pg_node *node = &r->chunk->nodes[r->chunk->count++];
    *node = (struct sql_parse_pg_node){
        .key = r->key, .text = text, .kind = (uint8_t)kind, .parent = r->open};
    r->key = (struct str){NULL, 0};
    *(r->last != NULL ? &r->last->next : r->open != NULL ? &r->open->first : &r->root) = node;
    r->last = node;
    return node;
}

static inline bool takes(struct reader *r, char byte)
{
    if (r->at == r->end || *r->at != byte)
        return false;
    r->at++;
    return true;
}

/* A high bit in each byte of eight that is the one sought, and perhaps in some above it: a borrow
 * of the subtraction sets bits wrongly only above the first byte that is right. */
static inline uint64_t bytes_like(uint64_t eight, char byte)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    return ((eight ^ (ones * (unsigned char)byte)) - ones) & ~eight & highs;
}

/* The first quote, or backslash where escapes may stand, from at on; or end. */
static inline const char *find_quote(const char *at, const char *end, bool escapes)
{
    for (; end - at >= 8; at += 8) {
        uint64_t eight;
        memcpy(&eight, at, sizeof eight);
        eight = le64toh(eight); /* the first byte is the lowest */
        uint64_t found = bytes_like(eight, '"') | (escapes ? bytes_like(eight, '\\') : 0);
        if (found != 0)
            return at + (__builtin_ctzll(found) >> 3);
    }
    while (at < end && *at != '"' && !(escapes && *at == '\\'))
        at++;
    return at;
}

/* The number that "location": of the open object is followed by. */
static inline bool take_location(struct reader *r)
{
    int32_t value = 0;
    bool negative = takes(r, '-');
    const char *start = r->at;
    for (; r->at < r->end && str_is_digit(*r->at) && value < INT32_MAX / 10; r->at++)
        value = value * 10 + (*r->at - '0');
    r->open->location = negative ? -value : value;
    return r->at > start && r->at < r->end && !str_is_digit(*r->at);
}

/* The bytes up to the closing quote, from after the opening one. */
static inline bool take_quoted(struct reader *r, struct str *text, bool *escaped)
{
    const char *start = r->at, *at = find_quote(start, r->end, true);
    *escaped = false;
    while (at < r->end && *at == '\\') {
        *escaped = true;
        at = r->end - at < 2 ? r->end : find_quote(at + 2, r->end, true);
    }
    *text = str_make(start, (size_t)(at - start));
    r->at = at + 1;
    return at < r->end;
}

static inline bool take_string(struct reader *r)
{
    struct str text;
    bool escaped;
    struct sql_parse_pg_node *node =
        take_quoted(r, &text, &escaped) ? add_node(r, SQL_PARSE_PG_STRING, text) : NULL;
    if (node == NULL)
        return false;
    node->escaped = escaped;
    return true;
}

/* A number, true or false: up to what ends a value. */
static inline bool take_word(struct reader *r)
{
    const char *start = r->at, *at = start, *end = r->end;
    while (at < end && *at != ',' && *at != '}' && *at != ']')
        at++;
    r->at = at;
    return at > start &&
           add_node(r, SQL_PARSE_PG_WORD, str_make(start, (size_t)(at - start))) != NULL;
}

static inline bool open_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    r->open = add_node(r, kind, (struct str){NULL, 0});
    r->last = NULL;
    return r->open != NULL;
}

static inline bool close_node(struct reader *r)
{
    r->last = r->open;
    r->open = r->open->parent;
    return true;
}

/* Both braces of an object with a type. */
static inline bool close_object(struct reader *r)
{
    return takes(r, '}') && (str_is_absent(r->open->text) || takes(r, '}')) && close_node(r);
}

/* {"String":{"sval":"x"}}, of which the key String was read, is one node. */
static inline bool take_boxed(struct reader *r)
{
    struct sql_parse_pg_node *node = r->open;
    bool escaped;
    r->at += STR(BOXED).len;
    if (!take_quoted(r, &node->text, &escaped) || !takes(r, '}') || !takes(r, '}'))
        return false;
    node->kind = SQL_PARSE_PG_STRING;
    node->boxed = true;
    node->escaped = escaped;
    return close_node(r);
}

static inline bool is_boxed(const struct reader *r, struct str key)
{
    return str_equal(key, STR("String")) && (size_t)(r->end - r->at) > STR(BOXED).len &&
           memcmp(r->at, BOXED, STR(BOXED).len) == 0;
}

static inline enum found found_if(bool fine)
{
    return fine ? FOUND_WHOLE : FOUND_NONSENSE;
}

/* A member's key and colon; all of a location or a boxed string; {"Type":{ up to its members. */
static inline enum found take_key(struct reader *r)
{
    if (!takes(r, '"'))
        return FOUND_NONSENSE;
    const char *end = find_quote(r->at, r->end, false);
    struct str key = str_make(r->at, (size_t)(end - r->at));
    r->at = end;
    if (!takes(r, '"') || !takes(r, ':') || key.len == 0 || r->at == r->end)
        return FOUND_NONSENSE;
    if (str_equal(key, STR("location")))
        return found_if(take_location(r));
    bool type = key.at[0] <= 'Z' && r->last == NULL && str_is_absent(r->open->text);
    if (type && is_boxed(r, key))
        return found_if(take_boxed(r));
    if (type && takes(r, '{')) {
        r->open->text = key;
        return r->at < r->end && *r->at == '}' ? found_if(close_object(r)) : FOUND_MEMBERS;
    }
    r->key = key;
    return FOUND_KEY;
}

static inline enum found take_value(struct reader *r)
{
    switch (*r->at) {
    case '{':
        r->at++;
        if (!open_node(r, SQL_PARSE_PG_OBJECT))
            return FOUND_NONSENSE;
        return r->at < r->end && *r->at == '}' ? found_if(close_object(r)) : FOUND_MEMBERS;
    case '[':
        r->at++;
        if (!open_node(r, SQL_PARSE_PG_ARRAY))
            return FOUND_NONSENSE;
        return takes(r, ']') ? found_if(close_node(r)) : FOUND_MEMBERS;
    case '"':
        r->at++;
        return found_if(take_string(r));
    default:
        return found_if(take_word(r));
    }
}

/* What ends behind a value, and the comma before the next one. */
static inline bool leave_value(struct reader *r)
{
    while (r->open != NULL && r->at < r->end) {
        bool closes = r->open->kind == SQL_PARSE_PG_OBJECT ? *r->at == '}' : *r->at == ']';
        if (!closes)
            return takes(r, ',');
        if (r->open->kind == SQL_PARSE_PG_OBJECT ? !close_object(r)
                                                 : !takes(r, ']') || !close_node(r))
            return false;
    }
    return true;
}

static inline bool take_member(struct reader *r)
{
    bool in_object = r->open != NULL && r->open->kind == SQL_PARSE_PG_OBJECT;
    enum found found = in_object ? take_key(r) : FOUND_KEY;
    if (found == FOUND_KEY)
        found = take_value(r);
    return found == FOUND_WHOLE ? leave_value(r) : found == FOUND_MEMBERS;
}

enum err_code sql_parse_pg_node_read(struct str json, struct arena *arena,
                                     struct sql_parse_pg_nodes *nodes, struct err *err)
{
    struct reader r = {.at = json.at, .end = json.at + json.len, .arena = arena, .memory = true};
    bool fine = true;
    while (fine && r.at < r.end && (r.root == NULL || r.open != NULL))
        fine = take_member(&r);
    *nodes = (struct sql_parse_pg_nodes){.root = r.root, .chunks = r.chunk};
    if (!r.memory)
        return err_set(err, ERR_NO_MEMORY, "no memory for the statement's tree");
    if (!fine || r.at != r.end || r.open != NULL || r.root == NULL)
        return err_set(err, ERR_INTERNAL, "PostgreSQL's parser wrote a tree that cannot be read");
    return ERR_OK;
}

static bool is_unseen(const struct sql_parse_pg_node *node)
{
    bool holds = node->first != NULL || node->location != 0;
    bool typed = node->kind == SQL_PARSE_PG_OBJECT && !str_is_absent(node->text);
    return typed ? !node->seen || (holds && !node->entered) : !node->seen && (holds || node->boxed);
}

const struct sql_parse_pg_node *sql_parse_pg_node_unseen(const struct sql_parse_pg_nodes *nodes)
{
    for (const struct sql_parse_pg_chunk *chunk = nodes->chunks; chunk != NULL;
         chunk = chunk->before)
        for (size_t i = 0; i < chunk->count; i++)
            if (is_unseen(&chunk->nodes[i]))
                return &chunk->nodes[i];
    return NULL;
}

static size_t put_unicode(const char *at, char *to)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        char c = str_lower(at[i]);
        code = code * 16 + (unsigned)(str_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    to[0] = (char)(code & 0x7fu); /* only control characters are written so */
    return 1;
}

struct str sql_parse_pg_node_string(const struct sql_parse_pg_node *node, struct arena *arena)
{
    if (node == NULL || !node->escaped)
        return node == NULL ? STR("") : arena_str(arena, node->text);
    char *bytes = arena_alloc(arena, node->text.len + 1);
    size_t len = 0;
    if (bytes == NULL)
        return str_make(NULL, 0);
    for (size_t i = 0; i < node->text.len; i++) {
        char c = node->text.at[i];
        if (c != '\\' || i + 1 == node->text.len) {
            bytes[len++] = c;
            continue;
        }
        c = node->text.at[++i];
        if (c == 'u' && i + 4 < node->text.len) {
            len += put_unicode(node->text.at + i + 1, bytes + len);
            i += 4;
        } else {
            bytes[len++] = c == 'n'   ? '\n'
                           : c == 't' ? '\t'
                           : c == 'r' ? '\r'
                           : c == 'b' ? '\b'
                           : c == 'f' ? '\f'
                                      : c;
        }
    }
    return str_make(bytes, len);
}
