/* SPDX-License-Identifier: MIT */
/* agents/sql/parse_pg_node.c - one pass over the JSON, nodes in chunks, parents by pointer.
 *
 * Happy path: a value opens, closes or stands alone; it is hung under the node that is open.
 * Failure: a byte that cannot stand there (another version of the library), no memory. */
#include "agents/sql/parse_pg_node.h"

#include <string.h>

enum { CHUNK_NODES = 64 };

struct sql_parse_pg_chunk {
    struct sql_parse_pg_chunk *before;
    size_t count;
    struct sql_parse_pg_node nodes[CHUNK_NODES];
};

struct reader {
    const char *at, *end;
    struct arena *arena;
    struct sql_parse_pg_nodes *nodes;
    struct sql_parse_pg_node *open;
    struct str key;
    bool memory;
};

static bool add_chunk(struct reader *r)
{
    struct sql_parse_pg_chunk *chunk = arena_alloc(r->arena, sizeof *chunk);
    if (chunk == NULL) {
        r->memory = false;
        return false;
    }
    chunk->before = r->nodes->chunks;
    r->nodes->chunks = chunk;
    return true;
}

static struct sql_parse_pg_node *add_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    struct sql_parse_pg_chunk *chunk = r->nodes->chunks;
    if ((chunk == NULL || chunk->count == CHUNK_NODES) && !add_chunk(r))
        return NULL;
    chunk = r->nodes->chunks;
    struct sql_parse_pg_node *node = &chunk->nodes[chunk->count++], *open = r->open;
    node->kind = kind;
    node->key = r->key;
    node->parent = open;
    r->key.at = NULL;
    if (open == NULL) {
        r->nodes->root = node;
        return node;
    }
    *(open->last == NULL ? &open->first : &open->last->next) = node;
    open->last = node;
    return node;
}

/* From after an opening quote to after the closing one. */
static bool take_quoted(struct reader *r, struct str *text, bool *escaped)
{
    const char *start = r->at, *at = start, *end = r->end;
    *escaped = false;
    for (; at < end && *at != '"'; at++) {
        if (*at == '\\') {
            *escaped = true;
            at++;
        }
    }
    if (at >= end)
        return false;
    *text = str_make(start, (size_t)(at - start));
    r->at = at + 1;
    return true;
}

static bool take_string(struct reader *r)
{
    struct str text;
    bool escaped;
    r->at++;
    if (!take_quoted(r, &text, &escaped))
        return false;
    if (r->at < r->end && *r->at == ':' && r->open != NULL &&
        r->open->kind == SQL_PARSE_PG_OBJECT && str_is_absent(r->key)) {
        r->key = text;
        r->at++;
        return !escaped;
    }
    struct sql_parse_pg_node *node = add_node(r, SQL_PARSE_PG_STRING);
    if (node == NULL)
        return false;
    node->text = text;
    node->escaped = escaped;
    return true;
}

/* A number, true or false: up to what ends a value. */
static bool take_word(struct reader *r)
{
    const char *start = r->at, *at = start, *end = r->end;
    while (at < end && *at != ',' && *at != '}' && *at != ']')
        at++;
    struct sql_parse_pg_node *node = at == start ? NULL : add_node(r, SQL_PARSE_PG_WORD);
    if (node != NULL)
        node->text = str_make(start, (size_t)(at - start));
    r->at = at;
    return node != NULL;
}

static bool close_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    if (r->open == NULL || r->open->kind != kind || !str_is_absent(r->key))
        return false;
    r->open = r->open->parent;
    r->at++;
    return true;
}

static bool open_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    struct sql_parse_pg_node *node = add_node(r, kind);
    if (node == NULL)
        return false;
    r->open = node;
    r->at++;
    return true;
}

static bool take_value(struct reader *r)
{
    switch (*r->at) {
    case '{':
        return open_node(r, SQL_PARSE_PG_OBJECT);
    case '[':
        return open_node(r, SQL_PARSE_PG_ARRAY);
    case '}':
        return close_node(r, SQL_PARSE_PG_OBJECT);
    case ']':
        return close_node(r, SQL_PARSE_PG_ARRAY);
    case '"':
        return take_string(r);
    case ',':
        r->at++;
        return r->open != NULL;
    default:
        return take_word(r);
    }
}

enum err_code sql_parse_pg_node_read(struct str json, struct arena *arena,
                                     struct sql_parse_pg_nodes *nodes, struct err *err)
{
    struct reader r = {
        .at = json.at, .end = json.at + json.len, .arena = arena, .nodes = nodes, .memory = true};
    *nodes = (struct sql_parse_pg_nodes){.root = NULL};
    bool fine = true;
    while (fine && r.at < r.end && (nodes->root == NULL || r.open != NULL))
        fine = take_value(&r);
    if (!r.memory)
        return err_set(err, ERR_NO_MEMORY, "no memory for the statement's tree");
    if (!fine || r.at != r.end || r.open != NULL || nodes->root == NULL)
        return err_set(err, ERR_INTERNAL, "PostgreSQL's parser wrote a tree that cannot be read");
    return ERR_OK;
}

const struct sql_parse_pg_node *sql_parse_pg_node_unseen(const struct sql_parse_pg_nodes *nodes)
{
    for (const struct sql_parse_pg_chunk *chunk = nodes->chunks; chunk != NULL;
         chunk = chunk->before)
        for (size_t i = 0; i < chunk->count; i++) {
            const struct sql_parse_pg_node *node = &chunk->nodes[i];
            if (!node->seen && node->first != NULL)
                return node;
        }
    return NULL;
}

/* Few keys of one object agree in length and last letter, so that nearly all are told apart by
 * those. */
static struct sql_parse_pg_node *find_member(const struct sql_parse_pg_node *node, struct str key)
{
    struct sql_parse_pg_node *member = node == NULL ? NULL : node->first;
    char last = key.at[key.len - 1];
    while (member != NULL && !(member->key.len == key.len && member->key.at[key.len - 1] == last &&
                               memcmp(member->key.at, key.at, key.len) == 0))
        member = member->next;
    return member;
}

struct sql_parse_pg_node *sql_parse_pg_node_get(struct sql_parse_pg_node *node, struct str key)
{
    struct sql_parse_pg_node *member = find_member(node, key);
    if (member != NULL)
        member->seen = true;
    return member;
}

bool sql_parse_pg_node_is(const struct sql_parse_pg_node *node, struct str key)
{
    const struct sql_parse_pg_node *member = find_member(node, key);
    return member != NULL && str_equal(member->text, STR("true"));
}

struct str sql_parse_pg_node_text(const struct sql_parse_pg_node *node, struct str key)
{
    const struct sql_parse_pg_node *member = find_member(node, key);
    return member == NULL ? STR("") : member->text;
}

int64_t sql_parse_pg_node_number(const struct sql_parse_pg_node *node, struct str key)
{
    const struct sql_parse_pg_node *member = find_member(node, key);
    int64_t value;
    return member != NULL && str_to_i64(member->text, &value) ? value : 0;
}

struct sql_parse_pg_node *sql_parse_pg_node_inner(struct sql_parse_pg_node *node)
{
    if (node == NULL)
        return NULL;
    node->seen = true;
    if (node->first == NULL || node->first->next != NULL)
        return NULL;
    node->first->seen = true;
    return node->first;
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
