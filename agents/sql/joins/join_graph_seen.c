/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_seen.c - a join graph cut down to what a statement may read.
 *
 * Happy path: every table is looked up in the catalog and copied under its name there; of the
 * relationships those whose ends and columns were found are copied; normalised again, for two names
 * may have become one. Failure paths: no memory. */
#include "agents/sql/joins/join_graph_seen.h"

#include "agents/sql/joins/join_graph_internal.h"
#include "core/base/mem.h"

enum { NAME_BYTES = 4096 };

int join_graph_seen_origin(const struct join_graph *graph, const struct catalog *catalog, int table)
{
    return catalog_find_dotted(catalog, join_graph_table_name(graph, table));
}

int join_graph_seen_table(const struct join_graph *graph, const struct catalog *catalog, int table)
{
    struct buf name;
    buf_init(&name, NAME_BYTES);
    catalog_push_name(catalog, table, &name);
    int found = buf_ok(&name) ? join_graph_table(graph, buf_str(&name)) : CATALOG_NONE;
    buf_fini(&name);
    return found;
}

/* The table of the catalog that may be joined for table, or CATALOG_NONE. */
static int find_seen(const struct join_graph *graph, struct sql_visible sees, int table)
{
    int found = join_graph_seen_origin(graph, sees.catalog, table);
    if (found == CATALOG_NONE)
        return CATALOG_NONE;
    if (sees.catalog->tables[found].secures != CATALOG_NONE)
        found = sees.catalog->tables[found].secures;
    return sql_visible_table(sees, found) ? found : CATALOG_NONE;
}

static bool sees_columns(struct sql_visible sees, int table, const struct str *columns,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!sql_visible_column(sees, table, columns[i]))
            return false;
    }
    return true;
}

/* Where a table of the graph is in the catalog and in the copy. */
struct place {
    int origin, copy;
};

static enum err_code copy_tables(const struct join_graph *graph, struct sql_visible sees,
                                 struct place *places, struct join_graph *to, struct err *err)
{
    for (size_t t = 0; t < graph->table_count; t++) {
        struct buf name;
        places[t].origin = find_seen(graph, sees, (int)t);
        if (places[t].origin == CATALOG_NONE)
            continue;
        buf_init(&name, NAME_BYTES);
        catalog_push_name(sees.catalog, places[t].origin, &name);
        places[t].copy = buf_ok(&name) ? join_graph_put_copy(to, buf_str(&name), &graph->tables[t])
                                       : CATALOG_NONE;
        buf_fini(&name);
        if (places[t].copy == CATALOG_NONE)
            return err_set(err, ERR_NO_MEMORY, "no memory for the join graph");
    }
    return ERR_OK;
}

static bool is_seen(struct sql_visible sees, const struct join_edge *edge, int from, int to)
{
    return from != CATALOG_NONE && to != CATALOG_NONE &&
           sees_columns(sees, from, edge->from_columns, edge->column_count) &&
           sees_columns(sees, to, edge->to_columns, edge->column_count);
}

static enum err_code copy_edges(const struct join_graph *graph, struct sql_visible sees,
                                const struct place *places, struct join_graph *to, struct err *err)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge edge = graph->edges[i];
        const struct place *from = &places[edge.from_table], *parent = &places[edge.to_table];
        if (!is_seen(sees, &edge, from->origin, parent->origin))
            continue;
        edge.from_table = from->copy;
        edge.to_table = parent->copy;
        enum err_code code = join_graph_put_edge(to, &edge, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

enum err_code join_graph_seen_copy(const struct join_graph *graph, struct sql_visible sees,
                                   struct join_graph **out, size_t *left_out, struct err *err)
{
    struct join_graph *to = join_graph_make(graph->table_count, graph->edge_count);
    struct place *places = mem_zalloc(size_max(graph->table_count, 1), sizeof *places);
    enum err_code code = ERR_OK;
    if (to == NULL || places == NULL)
        code = err_set(err, ERR_NO_MEMORY, "no memory for the join graph");
    if (code == ERR_OK)
        code = copy_tables(graph, sees, places, to, err);
    if (code == ERR_OK)
        code = copy_edges(graph, sees, places, to, err);
    mem_free(places);
    if (code != ERR_OK) {
        join_graph_destroy(to);
        return code;
    }
    *left_out = graph->edge_count - to->edge_count;
    to->counts = graph->counts;
    return join_graph_finish(to, out, err);
}
