/* SPDX-License-Identifier: MIT */
/* agents/sql/parse_pg_node.h - libpg_query's JSON as nodes, and who has looked at them.
 *
 * Made for its output alone: compact, keys without escapes, any depth without recursion. Every
 * object and array remembers whether it was read, so that a part of a statement which nobody looked
 * at is found rather than skipped. Nodes live in the arena and point into the JSON. */
#ifndef AGENTS_SQL_PARSE_PG_NODE_H
#define AGENTS_SQL_PARSE_PG_NODE_H

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
    struct str text; /* of a string or word (number, true, false) as written */
    uint8_t kind;    /* enum sql_parse_pg_kind */
    bool escaped, seen;
    int32_t location; /* of an object: that member, which is no node; 0 when it is not there */
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

/* The member of node (NULL is fine), now seen; NULL: none. */
struct sql_parse_pg_node *sql_parse_pg_node_get(struct sql_parse_pg_node *node, struct str key);
/* Whether the member is there and true. */
bool sql_parse_pg_node_is(const struct sql_parse_pg_node *node, struct str key);
/* The member's text; empty when it is not there. Not unescaped. */
struct str sql_parse_pg_node_text(const struct sql_parse_pg_node *node, struct str key);
/* The member as a number; 0 when it is not there, as libpg_query leaves zeros out. */
int64_t sql_parse_pg_node_number(const struct sql_parse_pg_node *node, struct str key);
/* The one member of {"ColumnRef":{...}}, its key the type; NULL for {} and NULL. Both are seen. */
struct sql_parse_pg_node *sql_parse_pg_node_inner(struct sql_parse_pg_node *node);
/* A string's bytes with escapes undone; absent: no memory. */
struct str sql_parse_pg_node_string(const struct sql_parse_pg_node *node, struct arena *arena);

#endif
