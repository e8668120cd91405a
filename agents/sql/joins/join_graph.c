/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph.c - building from a catalog, merging, and reading a finished graph.
 *
 * Happy path: count, make room, put tables and edges, finish (normalise, index, mark).
 * Failure paths: no memory: ERR_NO_MEMORY and nothing is left behind. */
#include "agents/sql/joins/join_graph.h"

#include <stdlib.h>

#include "agents/sql/joins/join_graph_internal.h"
#include "agents/sql/catalog/naming.h"
#include "core/base/mem.h"

enum { ARENA_BYTES = 256 << 20 };

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the join graph");
}

/* ---- from what was given to what is meant (C48) ----
 *
 * A 1:N edge is turned round to its N:1; of edges over the same columns the best is kept (manual
 * over foreign key over association over inferred, then the more confident); edges that join two
 * children of one parent column by that column are dropped, for the parent implies them; what is
 * left is sorted by names, so that an edge's index is its place in every tie-break. Many-to-many
 * edges were split into the junction's two when they were put. */

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

static enum err_code index_edges(struct join_graph *graph, struct err *err)
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

static enum err_code normalise(struct join_graph *graph, struct err *err)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].cardinality == JOIN_1_TO_N)
            turn_round(&graph->edges[i]);
    }
    enum err_code code = fold_equal(graph, err);
    if (code == ERR_OK)
        code = index_edges(graph, err);
    return code == ERR_OK ? drop_siblings(graph, err) : code;
}

/* ---- what names give away: audit columns, the tenant column, lookup tables ----
 *
 * These decide which short path means nothing (of the pairs of tables in OpenMRS, a medical
 * database, 90 % have a shortest path through users). */

/* A tenant column is in this share of all tables, and in so many at least. */
enum { TENANT_PERCENT = 30, TENANT_TABLES = 3 };
/* A table is small beside its children at one row per hundred of theirs, and at most so many. */
enum { LOOKUP_RATIO = 100, LOOKUP_ROWS = 20 };

/* companyId, tenant_id, organisation: by name. */
static bool is_tenant_name(struct str column)
{
    static const char *const owners[] = {"company",      "tenant",       "org",
                                         "organization", "organisation", "workspace"};
    struct str rest = column, first = sql_naming_next_word(&rest);
    struct str second = sql_naming_next_word(&rest);
    return str_is_absent(sql_naming_next_word(&rest)) &&
           sql_naming_is_one_of(first, owners, countof(owners)) &&
           (str_is_absent(second) || str_equal_nocase(second, STR("id")));
}

static bool is_tenant_edge(const struct join_graph *graph, const struct join_edge *edge)
{
    if (edge->column_count != 1)
        return false;
    struct str given = graph->tables[edge->from_table].tenant_column;
    if (!str_is_absent(given) && str_equal(given, edge->from_columns[0]))
        return true;
    return is_tenant_name(edge->from_columns[0]);
}

/* A company in a few tables of a sales database is business, not tenancy. */
static void mark_tenants(struct join_graph *graph)
{
    size_t marked = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        edge->tenant = edge->cardinality != JOIN_N_TO_N && is_tenant_edge(graph, edge);
        marked += edge->tenant;
    }
    if (marked >= TENANT_TABLES && marked * 100 >= graph->table_count * TENANT_PERCENT)
        return;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        edge->tenant =
            edge->tenant && !str_is_absent(graph->tables[edge->from_table].tenant_column);
    }
}

static void mark_audit(struct join_graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        edge->audit = false;
        for (size_t c = 0; c < edge->column_count; c++)
            edge->audit = edge->audit || sql_naming_is_audit(edge->from_columns[c]) ||
                          sql_naming_is_audit(edge->to_columns[c]);
    }
}

static bool is_lookup(const struct join_graph *graph, int table)
{
    const struct join_table *this = &graph->tables[table];
    int64_t most_children = 0;
    bool has_parent = false;
    for (size_t i = graph->edge_starts[table]; i < graph->edge_starts[table + 1]; i++) {
        const struct join_edge *edge = &graph->edges[graph->edge_ids[i]];
        if (edge->from_table == edge->to_table || edge->cardinality == JOIN_N_TO_N)
            continue;
        if (edge->from_table == table)
            has_parent = has_parent || (!edge->audit && !edge->tenant);
        else if (graph->tables[edge->from_table].row_count > most_children)
            most_children = graph->tables[edge->from_table].row_count;
    }
    if (this->row_count > 0 && this->row_count <= LOOKUP_ROWS &&
        this->row_count * LOOKUP_RATIO <= most_children)
        return true;
    return this->flagged_lookup || !has_parent;
}

static void mark(struct join_graph *graph)
{
    mark_audit(graph);
    mark_tenants(graph);
    for (size_t t = 0; t < graph->table_count; t++)
        graph->tables[t].lookup = is_lookup(graph, (int)t);
}

/* ---- building ---- */

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
    enum err_code code = normalise(graph, err);
    if (code == ERR_OK)
        code = index_edges(graph, err);
    if (code != ERR_OK) {
        join_graph_destroy(graph);
        return code;
    }
    mark(graph);
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
                                                    .type = reference->implied > 0
                                                                ? JOIN_INFERRED
                                                                : JOIN_FOREIGN_KEY,
                                                    .cardinality = one ? JOIN_1_TO_1 : JOIN_N_TO_1,
                                                    .confidence = reference->implied > 0
                                                                      ? reference->implied / 100.0
                                                                      : 1.0},
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

bool join_graph_is_lookup(const struct join_graph *graph, int table)
{
    return graph->tables[table].lookup;
}
