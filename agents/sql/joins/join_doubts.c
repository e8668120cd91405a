/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_doubts.c - looks each equality of two columns up in the graph.
 * Happy path: an equality is one pair of columns of a relationship, or of two relationships to the
 * same column (siblings); or neither column is a key. Failure: a table or column that catalog or
 * graph does not know is not doubted. */
#include "agents/sql/joins/join_doubts.h"

#include "agents/sql/grammar/tree_walk.h"
#include "agents/sql/joins/join_graph_seen.h"

enum { MAX_KNOWN = 3 };

struct doubts {
    struct sql_tree_walk walk;
    const struct sql_parse *parse;
    const struct catalog *catalog;
    const struct join_graph *graph;
    join_doubts_fn *say;
    void *owner;
    bool seeks_nulls;
    /* columns that joins need a value of; the first ones */
    const struct sql_column_ref *joined[SQL_GRAMMAR_MAX_RELATIONS];
    size_t joined_count;
};

/* The logical table of the catalog that the column is of; CATALOG_NONE: unknown. */
static int table_of(const struct doubts *d, const struct sql_column_ref *ref)
{
    int table = ref->table_ref < 0 ? CATALOG_NONE : d->parse->tables[ref->table_ref].table;
    if (table == CATALOG_NONE || d->catalog->tables[table].secures == CATALOG_NONE)
        return table;
    return d->catalog->tables[table].secures;
}

/* ---- what the graph knows ---- */

struct side {  /* a column as the graph has it */
    int table; /* of the graph */
    struct str column;
};

/* The index of the column pair of edge that begins or ends at side; -1: none. *forward: side is its
 * child's. */
static int pair_at(const struct join_edge *edge, struct side side, bool *forward)
{
    for (size_t i = 0; i < edge->column_count; i++) {
        *forward = true;
        if (edge->from_table == side.table && str_equal_nocase(edge->from_columns[i], side.column))
            return (int)i;
        *forward = false;
        if (edge->to_table == side.table && str_equal_nocase(edge->to_columns[i], side.column))
            return (int)i;
    }
    return -1;
}

/* The edge that joins the two columns; NULL: none. */
static const struct join_edge *edge_between(const struct join_graph *graph, struct side one,
                                            struct side two)
{
    size_t count;
    const int *edges = join_graph_edges_of(graph, one.table, &count);
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *edge = join_graph_edge(graph, (size_t)edges[i]);
        for (size_t k = 0; k < edge->column_count; k++) {
            bool along = edge->from_table == one.table && edge->to_table == two.table &&
                         str_equal_nocase(edge->from_columns[k], one.column) &&
                         str_equal_nocase(edge->to_columns[k], two.column);
            bool back = edge->from_table == two.table && edge->to_table == one.table &&
                        str_equal_nocase(edge->from_columns[k], two.column) &&
                        str_equal_nocase(edge->to_columns[k], one.column);
            if (along || back)
                return edge;
        }
    }
    return NULL;
}

/* Whether both columns refer to the same column of a third table. */
static bool are_siblings(const struct join_graph *graph, struct side one, struct side two)
{
    size_t count;
    const int *edges = join_graph_edges_of(graph, one.table, &count);
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *edge = join_graph_edge(graph, (size_t)edges[i]);
        bool forward;
        int pair = pair_at(edge, one, &forward);
        if (pair < 0 || !forward)
            continue;
        struct side parent = {edge->to_table, edge->to_columns[pair]};
        const struct join_edge *other = edge_between(graph, two, parent);
        if (other != NULL)
            return true;
    }
    return false;
}

static bool refers(const struct join_graph *graph, struct side side)
{
    size_t count;
    const int *edges = join_graph_edges_of(graph, side.table, &count);
    for (size_t i = 0; i < count; i++) {
        bool forward;
        if (pair_at(join_graph_edge(graph, (size_t)edges[i]), side, &forward) >= 0 && forward)
            return true;
    }
    return false;
}

static bool is_own_key(const struct catalog *catalog, int table, int column)
{
    const struct catalog_column *at =
        column == CATALOG_NONE ? NULL : &catalog->tables[table].columns[column];
    return at != NULL && (at->primary_key || at->unique);
}

static bool is_company(const struct catalog *catalog, int table, int column)
{
    const struct catalog_table *at = &catalog->tables[table];
    return column != CATALOG_NONE && (at->tenant_column == column || at->tenant_key == column);
}

static void look_up(struct doubts *d, const struct sql_expr *expr, const struct sql_column_ref *one,
                    const struct sql_column_ref *two)
{
    const int table = table_of(d, one), other = table_of(d, two);
    if (table == CATALOG_NONE || other == CATALOG_NONE)
        return;
    struct side a = {join_graph_seen_table(d->graph, d->catalog, table), one->name};
    struct side b = {join_graph_seen_table(d->graph, d->catalog, other), two->name};
    if (a.table == CATALOG_NONE || b.table == CATALOG_NONE)
        return;
    struct join_doubt doubt = {
        JOIN_DOUBT_AUDIT, str_slice(d->parse->text, expr->span.start, expr->span.end), one, two};
    const struct join_edge *edge = edge_between(d->graph, a, b);
    if (edge != NULL) {
        if (edge->audit)
            d->say(d->owner, &doubt);
        return;
    }
    const bool same = table == other && str_equal_nocase(one->name, two->name);
    const bool one_key =
        is_own_key(d->catalog, table, catalog_find_column(d->catalog, table, one->name)) ||
        refers(d->graph, a);
    const bool two_key =
        is_own_key(d->catalog, other, catalog_find_column(d->catalog, other, two->name)) ||
        refers(d->graph, b);
    const bool of_company =
        is_company(d->catalog, table, catalog_find_column(d->catalog, table, one->name)) &&
        is_company(d->catalog, other, catalog_find_column(d->catalog, other, two->name));
    if (same || of_company || !one_key || !two_key || are_siblings(d->graph, a, b))
        return;
    doubt.kind = JOIN_DOUBT_UNKNOWN;
    d->say(d->owner, &doubt);
}

/* ---- what is never NULL ---- */

/* Whether text says IS NULL, with any blanks. */
static bool says_null(struct str text)
{
    text = str_trim(text);
    if (str_equal_nocase(text, STR("isnull")))
        return true;
    struct str is = str_slice(text, 0, size_min(text.len, 2));
    return str_equal_nocase(is, STR("is")) &&
           str_equal_nocase(str_trim(str_from(text, is.len)), STR("null"));
}

static bool is_joined(const struct doubts *d, const struct sql_column_ref *ref)
{
    for (size_t i = 0; i < d->joined_count; i++)
        if (d->joined[i]->table_ref == ref->table_ref && d->joined[i]->scope == ref->scope &&
            str_equal_nocase(d->joined[i]->name, ref->name))
            return true;
    return false;
}

static void look_at_null(struct doubts *d, const struct sql_expr *expr)
{
    const struct sql_expr *left = expr->children;
    const struct sql_column_ref *ref = left == NULL ? NULL : sql_parse_column_at(d->parse, left);
    if (ref == NULL || ref->column == CATALOG_NONE ||
        !says_null(str_slice(d->parse->text, left->span.end, expr->span.end)))
        return;
    const struct sql_table_ref *from = &d->parse->tables[ref->table_ref];
    if (!from->inner || from->table == CATALOG_NONE || from->scope != ref->scope)
        return;
    const struct catalog_column *column = &d->catalog->tables[from->table].columns[ref->column];
    if (!column->primary_key && !is_joined(d, ref))
        return;
    const struct join_doubt doubt = {
        JOIN_DOUBT_NULL, str_slice(d->parse->text, expr->span.start, expr->span.end), ref, NULL};
    d->say(d->owner, &doubt);
}

/* ---- the walk ---- */

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct doubts *d = container_of(walk, struct doubts, walk);
    if (d->seeks_nulls) {
        if (expr->kind == SQL_EXPR_OPERATOR)
            look_at_null(d, expr);
        return;
    }
    if (expr->kind != SQL_EXPR_EQUAL)
        return;
    const struct sql_column_ref *one = sql_parse_column_at(d->parse, expr->children);
    const struct sql_column_ref *two = sql_parse_column_at(d->parse, expr->children->next);
    if (one == NULL || two == NULL || one->table_ref == two->table_ref)
        return;
    if (d->parse->tables[one->table_ref].scope == d->parse->tables[two->table_ref].scope &&
        d->joined_count + 2 <= countof(d->joined)) {
        d->joined[d->joined_count++] = one;
        d->joined[d->joined_count++] = two;
    }
    if (d->graph != NULL && join_graph_edge_count(d->graph) > 0)
        look_up(d, expr, one, two);
}

void join_doubts_find(const struct sql_parse *parse, const struct catalog *catalog,
                      const struct join_graph *graph, join_doubts_fn *say, void *owner)
{
    struct doubts doubts = {.walk = {.on_expr = on_expr},
                            .parse = parse,
                            .catalog = catalog,
                            .graph = graph,
                            .say = say,
                            .owner = owner};
    sql_tree_walk_select(&doubts.walk, parse->tree);
    doubts.seeks_nulls = true;
    sql_tree_walk_select(&doubts.walk, parse->tree);
}

void join_doubts_write_known(const struct join_graph *graph, const struct catalog *catalog,
                             int one_table, int other_table, struct buf *out)
{
    size_t count = 0, written = 0;
    int one = join_graph_seen_table(graph, catalog, one_table);
    int other = join_graph_seen_table(graph, catalog, other_table);
    const int *edges = one == CATALOG_NONE ? NULL : join_graph_edges_of(graph, one, &count);
    for (size_t i = 0; i < count && written < MAX_KNOWN; i++) {
        const struct join_edge *edge = join_graph_edge(graph, (size_t)edges[i]);
        bool between = (edge->from_table == one && edge->to_table == other) ||
                       (edge->from_table == other && edge->to_table == one);
        if (!between || edge->audit || edge->tenant)
            continue;
        buf_push(out, written++ > 0 ? STR(" or ") : STR(""));
        for (size_t k = 0; k < edge->column_count; k++) {
            struct str from = join_graph_table_name(graph, edge->from_table);
            struct str to = join_graph_table_name(graph, edge->to_table);
            buf_printf(out, "%s%.*s.%.*s = %.*s.%.*s", k > 0 ? " AND " : "", STR_ARG(from),
                       STR_ARG(edge->from_columns[k]), STR_ARG(to), STR_ARG(edge->to_columns[k]));
        }
    }
}
