/* SPDX-License-Identifier: MIT */
/* agents/sql/parse_pg_node.c - one pass over the JSON, nodes in chunks, parents by pointer.
 *
 * Happy path: a value opens, closes or stands alone; it is hung under the node that is open.
 * Failure: a byte that cannot stand there (another version of the library), no memory. */
#include "agents/sql/parse_pg_node.h"

#include <endian.h>
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

static inline struct sql_parse_pg_node *add_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    if ((r->chunk == NULL || r->chunk->count == CHUNK_NODES) && !add_chunk(r))
        return NULL;
    struct sql_parse_pg_node *node = &r->chunk->nodes[r->chunk->count++];
    *node = (struct sql_parse_pg_node){.key = r->key, .kind = (uint8_t)kind, .parent = r->open};
    r->key = (struct str){NULL, 0};
    *(r->last != NULL ? &r->last->next : r->open != NULL ? &r->open->first : &r->root) = node;
    r->last = node;
    return node;
}

/* The first quote or backslash from at on, or end; eight bytes at a time. Subtracting sets the high
 * bit of a byte that is below; a borrow can only set it wrongly above the first byte that is right,
 * so the lowest one is exact. */
static inline const char *find_quote(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word = le64toh(word); /* the first byte is the lowest */
        uint64_t stop = ((word ^ (ones * '"')) - ones) | ((word ^ (ones * '\\')) - ones);
        stop &= ~word & highs;
        if (stop != 0)
            return at + (__builtin_ctzll(stop) >> 3);
    }
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* The number that "location": of the open object is followed by. */
static inline bool take_location(struct reader *r)
{
    int32_t value = 0;
    bool negative = r->at < r->end && *r->at == '-';
    const char *start = r->at += negative;
    for (; r->at < r->end && str_is_digit(*r->at) && value < INT32_MAX / 10; r->at++)
        value = value * 10 + (*r->at - '0');
    r->open->location = negative ? -value : value;
    r->key = (struct str){NULL, 0};
    return r->at > start && r->at < r->end && !str_is_digit(*r->at);
}

/* A key or a string, from after its opening quote. */
static inline bool take_quoted(struct reader *r)
{
    const char *start = r->at, *at = find_quote(start, r->end);
    bool escaped = false;
    while (at < r->end && *at == '\\') {
        escaped = true;
        at = r->end - at < 2 ? r->end : find_quote(at + 2, r->end);
    }
    if (at >= r->end)
        return false;
    struct str text = str_make(start, (size_t)(at - start));
    r->at = at + 1;
    if (r->at < r->end && *r->at == ':' && r->open != NULL &&
        r->open->kind == SQL_PARSE_PG_OBJECT && r->key.at == NULL) {
        r->key = text;
        r->at++;
        return str_equal(text, STR("location")) ? take_location(r) : !escaped;
    }
    struct sql_parse_pg_node *node = add_node(r, SQL_PARSE_PG_STRING);
    if (node == NULL)
        return false;
    node->text = text;
    node->escaped = escaped;
    return true;
}

/* A number, true or false: up to what ends a value. */
static inline bool take_word(struct reader *r)
{
    const char *start = r->at, *at = start, *end = r->end;
    while (at < end && *at != ',' && *at != '}' && *at != ']')
        at++;
    struct sql_parse_pg_node *node = at == start ? NULL : add_node(r, SQL_PARSE_PG_WORD);
    if (node == NULL)
        return false;
    node->text = str_make(start, (size_t)(at - start));
    r->at = at;
    return true;
}

static inline bool open_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    r->open = add_node(r, kind);
    r->last = NULL;
    return r->open != NULL;
}

static inline bool close_node(struct reader *r, enum sql_parse_pg_kind kind)
{
    if (r->open == NULL || r->open->kind != kind || r->key.at != NULL)
        return false;
    r->last = r->open;
    r->open = r->open->parent;
    return true;
}

static inline bool take_value(struct reader *r)
{
    switch (*r->at++) {
    case '{':
        return open_node(r, SQL_PARSE_PG_OBJECT);
    case '[':
        return open_node(r, SQL_PARSE_PG_ARRAY);
    case '}':
        return close_node(r, SQL_PARSE_PG_OBJECT);
    case ']':
        return close_node(r, SQL_PARSE_PG_ARRAY);
    case '"':
        return take_quoted(r);
    case ',':
        return r->open != NULL;
    default:
        r->at--;
        return take_word(r);
    }
}

enum err_code sql_parse_pg_node_read(struct str json, struct arena *arena,
                                     struct sql_parse_pg_nodes *nodes, struct err *err)
{
    struct reader r = {.at = json.at, .end = json.at + json.len, .arena = arena, .memory = true};
    bool fine = true;
    while (fine && r.at < r.end && (r.root == NULL || r.open != NULL))
        fine = take_value(&r);
    *nodes = (struct sql_parse_pg_nodes){.root = r.root, .chunks = r.chunk};
    if (!r.memory)
        return err_set(err, ERR_NO_MEMORY, "no memory for the statement's tree");
    if (!fine || r.at != r.end || r.open != NULL || r.root == NULL)
        return err_set(err, ERR_INTERNAL, "PostgreSQL's parser wrote a tree that cannot be read");
    return ERR_OK;
}

const struct sql_parse_pg_node *sql_parse_pg_node_unseen(const struct sql_parse_pg_nodes *nodes)
{
    for (const struct sql_parse_pg_chunk *chunk = nodes->chunks; chunk != NULL;
         chunk = chunk->before)
        for (size_t i = 0; i < chunk->count; i++) {
            const struct sql_parse_pg_node *node = &chunk->nodes[i];
            if (!node->seen && (node->first != NULL || node->location != 0))
                return node;
        }
    return NULL;
}

/* Keys of 8 to 16 bytes, which most are, as two words. */
static inline bool is_same(const char *a, const char *b, size_t len)
{
    uint64_t first[2], last[2];
    if (len < sizeof *first || len > 2 * sizeof *first)
        return memcmp(a, b, len) == 0;
    memcpy(&first[0], a, sizeof *first);
    memcpy(&first[1], b, sizeof *first);
    memcpy(&last[0], a + len - sizeof *last, sizeof *last);
    memcpy(&last[1], b + len - sizeof *last, sizeof *last);
    return first[0] == first[1] && last[0] == last[1];
}

/* Few keys of one object agree in length and last letter, so that nearly all are told apart by
 * those. */
static struct sql_parse_pg_node *find_member(const struct sql_parse_pg_node *node, struct str key)
{
    struct sql_parse_pg_node *member = node == NULL ? NULL : node->first;
    char last = key.at[key.len - 1];
    while (member != NULL && !(member->key.len == key.len && member->key.at[key.len - 1] == last &&
                               is_same(member->key.at, key.at, key.len)))
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
