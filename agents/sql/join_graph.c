/* SPDX-License-Identifier: MIT */
/* agents/sql/join_graph.c - building from a catalog, merging, and reading a finished graph.
 *
 * Happy path: count, make room, put tables and edges, finish (normalise, mark, index).
 * Failure paths: no memory: ERR_NO_MEMORY and nothing is left behind. */
#include "agents/sql/join_graph_build.h"

#include "core/base/mem.h"

enum { ARENA_BYTES = 256 << 20 };

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the join graph");
}

struct join_graph *join_graph_make(size_t table_cap, size_t edge_cap)
{
    struct join_graph *graph = mem_zalloc(1, sizeof *graph);
    if (graph == NULL)
        return NULL;
    arena_init(&graph->arena, ARENA_BYTES);
    map_init(&graph->by_name);
    graph->table_cap = table_cap;
    graph->edge_cap = edge_cap;
    graph->tables = arena_array(&graph->arena, table_cap, sizeof *graph->tables);
    graph->edges = arena_array(&graph->arena, edge_cap, sizeof *graph->edges);
    if (arena_ok(&graph->arena))
        return graph;
    join_graph_destroy(graph);
    return NULL;
}

void join_graph_destroy(struct join_graph *graph)
{
    if (graph == NULL)
        return;
    map_fini(&graph->by_name);
    arena_fini(&graph->arena);
    mem_free(graph);
}

static int find_exactly(const struct join_graph *graph, struct str name)
{
    return (int)(uintptr_t)map_find(&graph->by_name, name) - 1;
}

int join_graph_put_table(struct join_graph *graph, struct str name)
{
    int found = find_exactly(graph, name);
    if (found != CATALOG_NONE)
        return found;
    CHECK(graph->table_count < graph->table_cap);
    struct join_table *table = &graph->tables[graph->table_count];
    *table = (struct join_table){.name = arena_str(&graph->arena, name), .row_count = -1};
    if (!arena_ok(&graph->arena) ||
        !map_put(&graph->by_name, table->name, (void *)(uintptr_t)(graph->table_count + 1)))
        return CATALOG_NONE;
    return (int)graph->table_count++;
}

const struct str *join_graph_copy_names(struct join_graph *graph, const struct str *names,
                                        size_t count)
{
    struct str *copy = arena_array(&graph->arena, size_max(count, 1), sizeof *copy);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        copy[i] = arena_str(&graph->arena, names[i]);
    return arena_ok(&graph->arena) ? copy : NULL;
}

enum err_code join_graph_put_edge(struct join_graph *graph, const struct join_edge *edge,
                                  struct err *err)
{
    CHECK(graph->edge_count < graph->edge_cap);
    struct join_edge *copy = &graph->edges[graph->edge_count];
    *copy = *edge;
    copy->from_columns = join_graph_copy_names(graph, edge->from_columns, edge->column_count);
    copy->to_columns = join_graph_copy_names(graph, edge->to_columns, edge->column_count);
    if (copy->from_columns == NULL || copy->to_columns == NULL)
        return no_memory(err);
    graph->edge_count++;
    return ERR_OK;
}

enum err_code join_graph_finish(struct join_graph *graph, struct join_graph **out, struct err *err)
{
    enum err_code code = join_graph_normalise(graph, err);
    if (code == ERR_OK)
        code = join_graph_index(graph, err);
    if (code != ERR_OK) {
        join_graph_destroy(graph);
        return code;
    }
    join_graph_mark(graph);
    graph->counts.left = graph->edge_count;
    *out = graph;
    return ERR_OK;
}

static bool is_joinable(const struct catalog_table *table)
{
    return !table->is_view && (!table->hidden || table->secure_view != CATALOG_NONE);
}

static enum err_code put_catalog_table(struct join_graph *graph, const struct catalog_table *table,
                                       struct err *err)
{
    struct str name = table->name;
    if (table->schema.len > 0)
        name = arena_printf(&graph->arena, "%.*s.%.*s", STR_ARG(table->schema), STR_ARG(name));
    int index = join_graph_put_table(graph, name);
    struct str *names =
        arena_array(&graph->arena, size_max(table->column_count, 1) * 3, sizeof *names);
    if (index == CATALOG_NONE || names == NULL)
        return no_memory(err);
    struct join_table *to = &graph->tables[index];
    struct str *unique = names + table->column_count, *primary = unique + table->column_count;
    to->columns = names;
    to->unique_columns = unique;
    to->primary_key = primary;
    to->row_count = table->row_count;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct catalog_column *column = &table->columns[i];
        struct str copy = arena_str(&graph->arena, column->name);
        names[to->column_count++] = copy;
        if (column->unique)
            unique[to->unique_count++] = copy;
        if (column->primary_key)
            primary[to->primary_count++] = copy;
        if ((int)i == table->tenant_column)
            to->tenant_column = copy;
    }
    return arena_ok(&graph->arena) ? ERR_OK : no_memory(err);
}

static enum err_code put_references(struct join_graph *graph, const struct catalog *catalog,
                                    const int *index_of, size_t from, struct err *err)
{
    const struct catalog_table *table = &catalog->tables[from];
    for (size_t r = 0; r < table->reference_count; r++) {
        const struct catalog_reference *reference = &table->references[r];
        const struct catalog_table *parent = &catalog->tables[reference->to_table];
        struct str child_names[JOIN_GRAPH_MAX_COLUMNS], parent_names[JOIN_GRAPH_MAX_COLUMNS];
        if (index_of[reference->to_table] == CATALOG_NONE ||
            reference->column_count > JOIN_GRAPH_MAX_COLUMNS)
            continue;
        for (size_t i = 0; i < reference->column_count; i++) {
            child_names[i] = table->columns[reference->columns[i]].name;
            parent_names[i] = parent->columns[reference->to_columns[i]].name;
        }
        bool one = catalog_is_key(table, reference->columns, reference->column_count);
        enum err_code code =
            join_graph_put_edge(graph,
                                &(struct join_edge){.from_table = index_of[from],
                                                    .to_table = index_of[reference->to_table],
                                                    .from_columns = child_names,
                                                    .to_columns = parent_names,
                                                    .column_count = reference->column_count,
                                                    .type = JOIN_FOREIGN_KEY,
                                                    .cardinality = one ? JOIN_1_TO_1 : JOIN_N_TO_1,
                                                    .confidence = 1.0},
                                err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

enum err_code join_graph_from_catalog(const struct catalog *catalog, struct join_graph **out,
                                      struct err *err)
{
    size_t edges = 0;
    for (size_t t = 0; t < catalog->table_count; t++)
        edges += catalog->tables[t].reference_count;
    struct join_graph *graph = join_graph_make(catalog->table_count, edges);
    int *index_of = mem_zalloc(catalog->table_count, sizeof *index_of);
    enum err_code code = graph == NULL || index_of == NULL ? no_memory(err) : ERR_OK;
    for (size_t t = 0; code == ERR_OK && t < catalog->table_count; t++) {
        index_of[t] = CATALOG_NONE;
        if (!is_joinable(&catalog->tables[t]))
            continue;
        index_of[t] = (int)graph->table_count;
        code = put_catalog_table(graph, &catalog->tables[t], err);
    }
    for (size_t t = 0; code == ERR_OK && t < catalog->table_count; t++) {
        if (index_of[t] != CATALOG_NONE)
            code = put_references(graph, catalog, index_of, t, err);
    }
    mem_free(index_of);
    if (code != ERR_OK) {
        join_graph_destroy(graph);
        return code;
    }
    graph->counts.given = graph->edge_count;
    return join_graph_finish(graph, out, err);
}

int join_graph_put_copy(struct join_graph *graph, struct str name, const struct join_table *table)
{
    int index = join_graph_put_table(graph, name);
    if (index == CATALOG_NONE)
        return CATALOG_NONE;
    struct join_table *to = &graph->tables[index];
    to->flagged_lookup = to->flagged_lookup || table->flagged_lookup;
    if (table->row_count >= 0)
        to->row_count = table->row_count;
    if (table->column_count == 0)
        return index;
    to->columns = join_graph_copy_names(graph, table->columns, table->column_count);
    to->unique_columns = join_graph_copy_names(graph, table->unique_columns, table->unique_count);
    to->primary_key = join_graph_copy_names(graph, table->primary_key, table->primary_count);
    if (!str_is_absent(table->tenant_column))
        to->tenant_column = arena_str(&graph->arena, table->tenant_column);
    to->column_count = table->column_count;
    to->unique_count = table->unique_count;
    to->primary_count = table->primary_count;
    return arena_ok(&graph->arena) ? index : CATALOG_NONE;
}

static enum err_code put_graph(struct join_graph *graph, const struct join_graph *source,
                               struct err *err)
{
    for (size_t t = 0; t < source->table_count; t++) {
        const struct join_table *table = &source->tables[t];
        if (join_graph_put_copy(graph, table->name, table) == CATALOG_NONE)
            return no_memory(err);
    }
    for (size_t i = 0; i < source->edge_count; i++) {
        struct join_edge edge = source->edges[i];
        edge.from_table = join_graph_put_table(graph, source->tables[edge.from_table].name);
        edge.to_table = join_graph_put_table(graph, source->tables[edge.to_table].name);
        enum err_code code = join_graph_put_edge(graph, &edge, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

enum err_code join_graph_merge(const struct join_graph *base, const struct join_graph *more,
                               struct join_graph **out, struct err *err)
{
    struct join_graph *graph =
        join_graph_make(base->table_count + more->table_count, base->edge_count + more->edge_count);
    if (graph == NULL)
        return no_memory(err);
    enum err_code code = put_graph(graph, base, err);
    if (code == ERR_OK)
        code = put_graph(graph, more, err);
    if (code != ERR_OK) {
        join_graph_destroy(graph);
        return code;
    }
    graph->counts = base->counts;
    graph->counts.given += more->counts.given;
    graph->counts.through += more->counts.through;
    graph->counts.inverses += more->counts.inverses;
    graph->counts.repeated += more->counts.repeated;
    graph->counts.siblings += more->counts.siblings;
    return join_graph_finish(graph, out, err);
}

size_t join_graph_table_count(const struct join_graph *graph)
{
    return graph->table_count;
}

struct str join_graph_table_name(const struct join_graph *graph, int table)
{
    return graph->tables[table].name;
}

int join_graph_table(const struct join_graph *graph, struct str name)
{
    int found = find_exactly(graph, name);
    for (size_t t = 0; found == CATALOG_NONE && t < graph->table_count; t++) {
        if (str_equal_nocase(graph->tables[t].name, name))
            found = (int)t;
    }
    return found;
}

struct join_graph_counts join_graph_counts(const struct join_graph *graph)
{
    return graph->counts;
}

size_t join_graph_given_count(const struct join_graph *graph)
{
    return graph->counts.given;
}

size_t join_graph_edge_count(const struct join_graph *graph)
{
    return graph->edge_count;
}

const struct join_edge *join_graph_edge(const struct join_graph *graph, size_t i)
{
    return &graph->edges[i];
}

const int *join_graph_edges_of(const struct join_graph *graph, int table, size_t *count)
{
    *count = graph->edge_starts[table + 1] - graph->edge_starts[table];
    return graph->edge_ids + graph->edge_starts[table];
}
