/* SPDX-License-Identifier: MIT */
/* agents/sql/join_graph_normal.c - from what was given to what is meant (C48).
 *
 * Happy path: a 1:N edge is turned round to its N:1; of edges over the same columns the best is
 * kept (manual over foreign key over association over inferred, then the more confident); edges
 * that join two children of one parent column by that column are dropped, for the parent implies
 * them; what is left is sorted by names, so that an edge's index is its place in every tie-break.
 * Many-to-many edges were split into the junction's two when they were put.
 * Failure paths: no memory. */
#include "agents/sql/join_graph_build.h"

#include <stdlib.h>

#include "core/base/mem.h"

/* An edge with its ends in an order that does not depend on how it was written. */
struct keyed {
    const struct join_edge *edge;
    int low_table, high_table; /* ranks of names */
    const struct str *low_columns, *high_columns;
    size_t order; /* as given */
};

static void turn_round(struct join_edge *edge)
{
    const struct str *columns = edge->from_columns;
    int table = edge->from_table;
    edge->from_columns = edge->to_columns;
    edge->to_columns = columns;
    edge->from_table = edge->to_table;
    edge->to_table = table;
    edge->cardinality = JOIN_N_TO_1;
    edge->inverse = true;
}

static int compare_names(const struct str *a, const struct str *b, size_t count)
{
    int order = 0;
    for (size_t i = 0; i < count && order == 0; i++)
        order = str_compare(a[i], b[i]);
    return order;
}

static int compare_keys(const struct keyed *a, const struct keyed *b)
{
    if (a->low_table != b->low_table)
        return a->low_table < b->low_table ? -1 : 1;
    if (a->edge->column_count != b->edge->column_count)
        return a->edge->column_count < b->edge->column_count ? -1 : 1;
    int order = compare_names(a->low_columns, b->low_columns, a->edge->column_count);
    if (order != 0)
        return order;
    if (a->high_table != b->high_table)
        return a->high_table < b->high_table ? -1 : 1;
    return compare_names(a->high_columns, b->high_columns, a->edge->column_count);
}

/* Lower is better. */
static int type_rank(enum join_type type)
{
    static const int ranks[] = {
        [JOIN_MANUAL] = 0, [JOIN_FOREIGN_KEY] = 1, [JOIN_ASSOCIATION] = 2, [JOIN_INFERRED] = 3};
    return ranks[type];
}

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    int order = compare_keys(a, b);
    if (order != 0)
        return order;
    if (a->edge->type != b->edge->type)
        return type_rank(a->edge->type) - type_rank(b->edge->type);
    if ((a->edge->verdict == JOIN_UNJUDGED) != (b->edge->verdict == JOIN_UNJUDGED))
        return a->edge->verdict == JOIN_UNJUDGED ? 1 : -1;
    if (a->edge->confidence > b->edge->confidence || a->edge->confidence < b->edge->confidence)
        return a->edge->confidence > b->edge->confidence ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

struct named {
    struct str name;
    size_t table;
};

static int compare_named(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    return str_compare(a->name, b->name);
}

/* ranks[t]: the place of table t among all names. */
static bool rank_tables(const struct join_graph *graph, int *ranks)
{
    struct named *named = mem_zalloc(graph->table_count, sizeof *named);
    if (named == NULL)
        return false;
    for (size_t t = 0; t < graph->table_count; t++)
        named[t] = (struct named){graph->tables[t].name, t};
    qsort(named, graph->table_count, sizeof *named, compare_named);
    for (size_t i = 0; i < graph->table_count; i++)
        ranks[named[i].table] = (int)i;
    mem_free(named);
    return true;
}

static struct keyed key_of(const struct join_edge *edge, const int *ranks, size_t order)
{
    int from = ranks[edge->from_table], to = ranks[edge->to_table];
    bool swap = from != to
                    ? to < from
                    : compare_names(edge->to_columns, edge->from_columns, edge->column_count) < 0;
    return (struct keyed){
        .edge = edge,
        .low_table = swap ? to : from,
        .high_table = swap ? from : to,
        .low_columns = swap ? edge->to_columns : edge->from_columns,
        .high_columns = swap ? edge->from_columns : edge->to_columns,
        .order = order,
    };
}

/* Sort, and keep the first of equal keys. */
static enum err_code fold_equal(struct join_graph *graph, struct err *err)
{
    size_t count = graph->edge_count, kept = 0;
    int *ranks = mem_zalloc(graph->table_count, sizeof *ranks);
    struct keyed *keyed = mem_zalloc(count, sizeof *keyed);
    struct join_edge *sorted = arena_array(&graph->arena, size_max(count, 1), sizeof *sorted);
    bool have = ranks != NULL && keyed != NULL && sorted != NULL && rank_tables(graph, ranks);
    for (size_t i = 0; have && i < count; i++)
        keyed[i] = key_of(&graph->edges[i], ranks, i);
    if (have && count > 0)
        qsort(keyed, count, sizeof *keyed, compare_keyed);
    for (size_t i = 0; have && i < count; i++) {
        if (i == 0 || compare_keys(&keyed[i - 1], &keyed[i]) != 0)
            sorted[kept++] = *keyed[i].edge;
        else if (keyed[i].edge->inverse)
            graph->counts.inverses++;
        else
            graph->counts.repeated++;
        sorted[kept - 1].verified = sorted[kept - 1].verified || keyed[i].edge->verified;
    }
    mem_free(ranks);
    mem_free(keyed);
    if (!have)
        return err_set(err, ERR_NO_MEMORY, "no memory to normalise %zu relationships", count);
    graph->edges = sorted;
    graph->edge_count = kept;
    return ERR_OK;
}

enum err_code join_graph_index(struct join_graph *graph, struct err *err)
{
    size_t *starts = arena_array(&graph->arena, graph->table_count + 2, sizeof *starts);
    int *ids = arena_array(&graph->arena, graph->edge_count * 2 + 1, sizeof *ids);
    if (starts == NULL || ids == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to index the join graph");
    /* Count one place further, so that filling moves starts[t + 1] from its begin to its end. */
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct join_edge *edge = &graph->edges[i];
        starts[edge->from_table + 2]++;
        if (edge->to_table != edge->from_table)
            starts[edge->to_table + 2]++;
    }
    for (size_t t = 2; t < graph->table_count + 2; t++)
        starts[t] += starts[t - 1];
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct join_edge *edge = &graph->edges[i];
        ids[starts[edge->from_table + 1]++] = (int)i;
        if (edge->to_table != edge->from_table)
            ids[starts[edge->to_table + 1]++] = (int)i;
    }
    graph->edge_starts = starts;
    graph->edge_ids = ids;
    return ERR_OK;
}

/* Whether child.columns lead to some parent that at_end(parent) also reaches from the other end:
 * both are links as sure as the sibling itself. */
static bool is_link(const struct join_edge *link, int table, const struct str *columns,
                    const struct join_edge *sibling)
{
    return link->from_table == table && link->cardinality != JOIN_N_TO_N &&
           link->column_count == sibling->column_count && link->confidence >= sibling->confidence &&
           compare_names(link->from_columns, columns, sibling->column_count) == 0;
}

static bool share_parent(const struct join_graph *graph, const struct join_edge *sibling)
{
    size_t first = graph->edge_starts[sibling->from_table];
    size_t last = graph->edge_starts[sibling->from_table + 1];
    for (size_t i = first; i < last; i++) {
        const struct join_edge *up = &graph->edges[graph->edge_ids[i]];
        if (!is_link(up, sibling->from_table, sibling->from_columns, sibling))
            continue;
        size_t begin = graph->edge_starts[sibling->to_table];
        size_t end = graph->edge_starts[sibling->to_table + 1];
        for (size_t k = begin; k < end; k++) {
            const struct join_edge *other = &graph->edges[graph->edge_ids[k]];
            if (is_link(other, sibling->to_table, sibling->to_columns, sibling) &&
                other->to_table == up->to_table &&
                compare_names(other->to_columns, up->to_columns, up->column_count) == 0)
                return true;
        }
    }
    return false;
}

static enum err_code drop_siblings(struct join_graph *graph, struct err *err)
{
    bool *implied = mem_zalloc(graph->edge_count, sizeof *implied);
    if (implied == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to normalise the join graph");
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct join_edge *edge = &graph->edges[i];
        implied[i] = (edge->type == JOIN_INFERRED || edge->type == JOIN_ASSOCIATION) &&
                     edge->cardinality == JOIN_N_TO_N && share_parent(graph, edge);
    }
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (!implied[i])
            graph->edges[kept++] = graph->edges[i];
    }
    graph->counts.siblings += graph->edge_count - kept;
    graph->edge_count = kept;
    mem_free(implied);
    return ERR_OK;
}

enum err_code join_graph_normalise(struct join_graph *graph, struct err *err)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].cardinality == JOIN_1_TO_N)
            turn_round(&graph->edges[i]);
    }
    enum err_code code = fold_equal(graph, err);
    if (code == ERR_OK)
        code = join_graph_index(graph, err);
    return code == ERR_OK ? drop_siblings(graph, err) : code;
}
