/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_verified.c - the joins of a statement, as relationships of a graph.
 *
 * Happy path: parse; every a.x = b.y of columns of two tables, in ON, WHERE or wherever, is a pair;
 * a relationship all of whose columns are paired is verified.
 * Failure paths: no statement, no memory, more pairs than MAX_PAIRS: fewer are marked, or none. */
#include "agents/sql/joins/join_graph_verified.h"

#include "agents/sql/joins/join_graph_internal.h"
#include "agents/sql/joins/join_graph_seen.h"
#include "agents/sql/grammar/tree_walk.h"

enum { MAX_PAIRS = 64, ARENA_BYTES = 16 << 20 };

struct side {
    int table; /* of the graph */
    struct str column;
};

struct pair {
    struct side one, two;
};

struct pairs_walk {
    struct sql_tree_walk walk;
    const struct sql_parse *parse;
    const struct catalog *catalog;
    const struct join_graph *graph;
    struct pair pairs[MAX_PAIRS];
    size_t count;
};

/* The column that expr is; its table is CATALOG_NONE when it is none of the graph's. */
static struct side side_of(const struct pairs_walk *pairs, const struct sql_expr *expr)
{
    const struct sql_parse *parse = pairs->parse;
    for (size_t i = 0; expr->kind == SQL_EXPR_NAME && i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (ref->span.start != expr->span.start || ref->span.end != expr->span.end ||
            ref->table_ref < 0)
            continue;
        int table = parse->tables[ref->table_ref].table;
        if (table != CATALOG_NONE)
            return (struct side){join_graph_seen_table(pairs->graph, pairs->catalog, table),
                                 ref->name};
    }
    return (struct side){.table = CATALOG_NONE};
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct pairs_walk *pairs = container_of(walk, struct pairs_walk, walk);
    if (expr->kind != SQL_EXPR_EQUAL || pairs->count == MAX_PAIRS)
        return;
    struct side one = side_of(pairs, expr->children), two = side_of(pairs, expr->children->next);
    if (one.table != CATALOG_NONE && two.table != CATALOG_NONE)
        pairs->pairs[pairs->count++] = (struct pair){one, two};
}

static bool is_side(const struct side *side, int table, struct str column)
{
    return side->table == table && str_equal_nocase(side->column, column);
}

static bool is_used(const struct pairs_walk *pairs, const struct join_edge *edge)
{
    size_t used = 0;
    for (size_t i = 0; i < edge->column_count; i++) {
        struct str from = edge->from_columns[i], to = edge->to_columns[i];
        bool found = false;
        for (size_t k = 0; k < pairs->count && !found; k++) {
            const struct side *one = &pairs->pairs[k].one, *two = &pairs->pairs[k].two;
            found = (is_side(one, edge->from_table, from) && is_side(two, edge->to_table, to)) ||
                    (is_side(two, edge->from_table, from) && is_side(one, edge->to_table, to));
        }
        used += found;
    }
    return used == edge->column_count;
}

size_t join_graph_verified_mark(struct join_graph *graph, const struct catalog *catalog,
                                enum sql_dialect dialect, struct str sql)
{
    struct pairs_walk pairs = {.walk = {.on_expr = on_expr}, .catalog = catalog, .graph = graph};
    struct arena arena;
    const char *rule;
    struct err err;
    size_t marked = 0;
    arena_init(&arena, ARENA_BYTES);
    if (sql_parse_statement(dialect, sql, catalog, &arena, &pairs.parse, &rule, &err) == ERR_OK)
        sql_tree_walk_select(&pairs.walk, pairs.parse->tree);
    for (size_t i = 0; pairs.count > 0 && i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        if (edge->verified || !is_used(&pairs, edge))
            continue;
        edge->verified = true;
        marked++;
    }
    arena_fini(&arena);
    return marked;
}
