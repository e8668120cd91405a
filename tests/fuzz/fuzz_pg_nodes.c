/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_pg_nodes.c - whatever bytes stand where libpg_query's JSON should: the reader of
 * nodes stays within them, and a tree that comes out hangs together. */
#include <stdint.h>

#include "agents/sql/postgres/parse_pg_node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(struct str part, struct str whole)
{
    return part.at == NULL || (part.at >= whole.at && part.len <= whole.len &&
                               part.at <= whole.at + whole.len - part.len);
}

/* Every node once, without recursion: down, else on, else up. */
static void check_tree(struct sql_parse_pg_node *root, struct str json, struct arena *arena)
{
    for (struct sql_parse_pg_node *node = root; node != NULL;) {
        CHECK(is_within(node->key, json) && is_within(node->text, json));
        if (node->kind == SQL_PARSE_PG_STRING)
            CHECK(sql_parse_pg_node_string(node, arena).len <= node->text.len);
        else if (node->kind == SQL_PARSE_PG_WORD)
            CHECK(node->text.len > 0 && node->first == NULL);
        if (node->key.len > 0 && node->parent != NULL)
            CHECK(sql_parse_pg_node_get(node->parent, node->key) != NULL);
        if (node->first != NULL) {
            CHECK(node->first->parent == node);
            node = node->first;
            continue;
        }
        while (node != NULL && node->next == NULL)
            node = node->parent;
        node = node == NULL ? NULL : node->next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct err err = {0};
    struct sql_parse_pg_nodes nodes;
    struct str json;
    arena_init(&arena, 64 << 20);
    json = arena_str(&arena, str_make((const char *)data, size)); /* its end is watched */
    if (size > 0 && sql_parse_pg_node_read(json, &arena, &nodes, &err) == ERR_OK) {
        CHECK(nodes.root != NULL);
        check_tree(nodes.root, json, &arena);
        (void)sql_parse_pg_node_unseen(&nodes);
    }
    arena_fini(&arena);
    return 0;
}
