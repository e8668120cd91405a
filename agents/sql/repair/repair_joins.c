/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_joins.c - join conditions whose columns are in the wrong tables (R151).
 *
 * Happy path: a = b between two tables, where a column is not in its table and the join graph has
 * exactly one relationship between the two, becomes that relationship's columns.
 * Failure: two relationships, or none, and the condition is left alone. */
#include "agents/sql/joins/join_graph_seen.h"
#include "agents/sql/grammar/tree_walk.h"
#include "agents/sql/repair/repair_case.h"

struct joins_walk {
    struct sql_tree_walk walk;
    struct sql_repair_case *at;
    const struct sql_parse *read;
};

/* The reference that expr is, or NULL. */
static const struct sql_column_ref *reference_at(const struct sql_parse *read,
                                                 const struct sql_expr *expr)
{
    for (size_t i = 0; expr->kind == SQL_EXPR_NAME && i < read->column_count; i++)
        if (read->columns[i].span.start == expr->span.start &&
            read->columns[i].span.end == expr->span.end)
            return &read->columns[i];
    return NULL;
}

/* The table a reference names, whether it has the column or not. */
static const struct sql_table_ref *table_named(const struct sql_parse *read,
                                               const struct sql_column_ref *ref)
{
    if (ref->table_ref >= 0)
        return &read->tables[ref->table_ref];
    for (size_t i = 0; i < read->table_count && ref->qualifier.len > 0; i++) {
        const struct sql_table_ref *table = &read->tables[i];
        struct str name = table->alias.len > 0 ? table->alias : table->name;
        if (table->scope == ref->scope && str_equal_nocase(name, ref->qualifier))
            return table;
    }
    return NULL;
}

/* The one trusted relationship of one column between two tables; those of who wrote a row only when
 * there is no other. */
static const struct join_edge *only_edge(const struct sql_repair_case *at, int one, int two)
{
    const struct join_graph *joins = at->knows->joins;
    const struct join_edge *found[2] = {NULL, NULL};
    size_t counts[2] = {0, 0}, count = 0;
    const int *edges = join_graph_edges_of(joins, one, &count);
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *edge = join_graph_edge(joins, (size_t)edges[i]);
        bool between = (edge->from_table == one && edge->to_table == two) ||
                       (edge->from_table == two && edge->to_table == one);
        if (!between || edge->column_count != 1 || edge->tenant ||
            edge->confidence < at->confidence)
            continue;
        found[edge->audit] = edge;
        counts[edge->audit]++;
    }
    if (counts[0] > 0)
        return counts[0] == 1 ? found[0] : NULL;
    return counts[1] == 1 ? found[1] : NULL;
}

static int graph_table(const struct sql_repair_case *at, const struct sql_table_ref *ref)
{
    if (ref == NULL || ref->table == CATALOG_NONE || at->knows->joins == NULL)
        return CATALOG_NONE;
    return join_graph_seen_table(at->knows->joins, at->knows->catalog, ref->table);
}

static struct str side_of(struct sql_repair_case *at, const struct sql_table_ref *ref,
                          const struct join_edge *edge, int table)
{
    struct str column = edge->from_table == table ? edge->from_columns[0] : edge->to_columns[0];
    struct str of = ref->alias.len > 0 ? ref->alias : ref->name;
    return arena_printf(at->arena, "%.*s.%.*s", STR_ARG(sql_repair_case_name(at, of)),
                        STR_ARG(sql_repair_case_name(at, column)));
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct joins_walk *joins = container_of(walk, struct joins_walk, walk);
    if (expr->kind != SQL_EXPR_EQUAL)
        return;
    const struct sql_column_ref *left = reference_at(joins->read, expr->children);
    const struct sql_column_ref *right = reference_at(joins->read, expr->children->next);
    if (left == NULL || right == NULL || (!left->unknown && !right->unknown))
        return;
    const struct sql_table_ref *one = table_named(joins->read, left);
    const struct sql_table_ref *two = table_named(joins->read, right);
    int from = graph_table(joins->at, one), to = graph_table(joins->at, two);
    if (from == CATALOG_NONE || to == CATALOG_NONE || from == to)
        return;
    const struct join_edge *edge = only_edge(joins->at, from, to);
    if (edge == NULL)
        return;
    struct str text =
        arena_printf(joins->at->arena, "%.*s = %.*s", STR_ARG(side_of(joins->at, one, edge, from)),
                     STR_ARG(side_of(joins->at, two, edge, to)));
    sql_repair_case_edit(joins->at, expr->span.start, expr->span.end, text, true);
}

void sql_repair_joins_turn(struct sql_repair_case *at)
{
    struct joins_walk joins = {.walk = {.on_expr = on_expr}, .at = at};
    const char *rule;
    struct err err;
    if (at->knows->catalog == NULL ||
        sql_parse_statement(at->knows->dialect, at->sql, at->knows->catalog, at->arena, &joins.read,
                            &rule, &err) == ERR_OK)
        sql_tree_walk_select(&joins.walk, joins.read->tree);
}
