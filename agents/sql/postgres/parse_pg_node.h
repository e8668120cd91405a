/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_node.h - libpg_query's JSON as nodes, and who has looked at them.
 *
 * Made for its output alone: compact, keys without escapes, any depth without recursion. What it
 * wraps twice is one node: {"ColumnRef":{...}} is an object of that type, {"String":{"sval":"x"}}
 * the boxed string x. Every node remembers whether it was read, so that a part of a statement which
 * nobody looked at is found rather than skipped. Nodes live in the arena and point into the JSON.
 */
#ifndef AGENTS_SQL_POSTGRES_PARSE_PG_NODE_H
#define AGENTS_SQL_POSTGRES_PARSE_PG_NODE_H

#include "core/base/arena.h"
#include "core/base/err.h"

enum sql_parse_pg_kind {
    SQL_PARSE_PG_OBJECT,
    SQL_PARSE_PG_ARRAY,
    SQL_PARSE_PG_STRING,
    SQL_PARSE_PG_WORD
};

struct sql_parse_pg_node {
    struct str key;  /* of a member, else absent */
    struct str text; /* of a string or word (number, true, false) as written; of an object its type,
                        else absent */
    uint8_t kind;    /* enum sql_parse_pg_kind */
    bool boxed, escaped;
    bool seen, entered; /* asked for; and, of an object with a type, its members */
    int32_t location;   /* of an object: its member "location", which is no node; 0: none */
    struct sql_parse_pg_node *first, *next;
    struct sql_parse_pg_node *parent; /* private */
};

struct sql_parse_pg_chunk;
struct sql_parse_pg_nodes {
    struct sql_parse_pg_node *root;
    struct sql_parse_pg_chunk *chunks; /* private */
};

/* ERR_INTERNAL: not the JSON that libpg_query writes; ERR_NO_MEMORY. */
MUST_USE enum err_code sql_parse_pg_node_read(struct str json, struct arena *arena,
                                              struct sql_parse_pg_nodes *nodes, struct err *err);
/* An object or array nobody asked for, or NULL. */
const struct sql_parse_pg_node *sql_parse_pg_node_unseen(const struct sql_parse_pg_nodes *nodes);

/* The member of node (NULL is fine), seen or not; NULL: none. Keys are literals, so that comparing
 * is a few words. */
static inline struct sql_parse_pg_node *sql_parse_pg_node_find(const struct sql_parse_pg_node *node,
                                                               struct str key)
{
    struct sql_parse_pg_node *member = node == NULL ? NULL : node->first;
    while (member != NULL && !str_equal(member->key, key))
        member = member->next;
    return member;
}

/* The member of node, marked as seen; NULL: none. */
static inline struct sql_parse_pg_node *sql_parse_pg_node_get(struct sql_parse_pg_node *node,
                                                              struct str key)
{
    struct sql_parse_pg_node *member = sql_parse_pg_node_find(node, key);
    if (member != NULL)
        member->seen = true;
    return member;
}

/* Whether the member is there and true. */
static inline bool sql_parse_pg_node_is(const struct sql_parse_pg_node *node, struct str key)
{
    const struct sql_parse_pg_node *member = sql_parse_pg_node_find(node, key);
    return member != NULL && str_equal(member->text, STR("true"));
}

/* The member's text; empty when it is not there. Not unescaped. */
static inline struct str sql_parse_pg_node_text(const struct sql_parse_pg_node *node,
                                                struct str key)
{
    const struct sql_parse_pg_node *member = sql_parse_pg_node_find(node, key);
    return member == NULL ? STR("") : member->text;
}

/* The member as a number; 0 when it is not there, as libpg_query leaves zeros out. */
static inline int64_t sql_parse_pg_node_number(const struct sql_parse_pg_node *node, struct str key)
{
    int64_t value;
    return str_to_i64(sql_parse_pg_node_text(node, key), &value) ? value : 0;
}

/* Whether node (NULL is fine) is an object of the type. */
static inline bool sql_parse_pg_node_of(const struct sql_parse_pg_node *node, struct str type)
{
    return node != NULL && node->kind == SQL_PARSE_PG_OBJECT && str_equal(node->text, type);
}

/* node, its members now seen; NULL: it is no object with a type. */
static inline struct sql_parse_pg_node *sql_parse_pg_node_enter(struct sql_parse_pg_node *node)
{
    if (node == NULL || node->kind != SQL_PARSE_PG_OBJECT || str_is_absent(node->text))
        return NULL;
    node->seen = node->entered = true;
    return node;
}

/* A string's bytes with escapes undone; absent: no memory. */
struct str sql_parse_pg_node_string(const struct sql_parse_pg_node *node, struct arena *arena);

#endif
