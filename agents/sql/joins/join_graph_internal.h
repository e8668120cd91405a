/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_internal.h - a join graph while it is being made; for join_graph_*.c
 * only.
 *
 * make, put tables and edges in any order, finish: normalises, marks, sorts and indexes. Room is
 * asked for up front so that nothing moves. One thread. */
#ifndef AGENTS_SQL_JOINS_JOIN_GRAPH_INTERNAL_H
#define AGENTS_SQL_JOINS_JOIN_GRAPH_INTERNAL_H

#include "agents/sql/joins/join_graph.h"

enum { JOIN_GRAPH_MAX_COLUMNS = 16 }; /* of one relationship */

struct join_table {
    struct str name;
    const struct str *columns, *unique_columns, *primary_key;
    size_t column_count, unique_count, primary_count;
    struct str tenant_column; /* absent: not known */
    int64_t row_count;        /* -1: unknown */
    bool flagged_lookup;      /* a file says that it is a lookup table */
    bool lookup;              /* set by finish: children share its rows by chance */
};

struct join_graph {
    struct arena arena; /* everything below lives here, but for the map's slots */
    struct join_table *tables;
    struct join_edge *edges; /* sorted by table and column names once finished */
    int *edge_ids;           /* edges by table ... */
    size_t *edge_starts;     /* ... from edge_starts[t] up to edge_starts[t + 1] */
    struct map by_name;      /* exact name -> index + 1 */
    size_t table_count, table_cap, edge_count, edge_cap;
    struct join_graph_counts counts; /* left: once finished */
};

/* An empty graph with room for so many. NULL: no memory. */
struct join_graph *join_graph_make(size_t table_cap, size_t edge_cap);
/* The table called name, added when new; CATALOG_NONE: no memory. CHECKs the room. */
int join_graph_put_table(struct join_graph *graph, struct str name);
/* join_graph_put_table, then what table says (columns, keys, counts) put over what is known. */
int join_graph_put_copy(struct join_graph *graph, struct str name, const struct join_table *table);
/* A copy of the names. NULL: no memory. */
const struct str *join_graph_copy_names(struct join_graph *graph, const struct str *names,
                                        size_t count);
/* Append a copy, columns included. CHECKs the room. ERR_NO_MEMORY. */
MUST_USE enum err_code join_graph_put_edge(struct join_graph *graph, const struct join_edge *edge,
                                           struct err *err);
/* Normalise and hand over; on failure graph is destroyed and *out untouched. */
MUST_USE enum err_code join_graph_finish(struct join_graph *graph, struct join_graph **out,
                                         struct err *err);

const char *join_graph_type_name(enum join_type type);
/* "confirmed", "refused", "unclear"; NULL: unjudged. */
const char *join_graph_verdict_name(enum join_verdict verdict);
const char *join_graph_cardinality_name(enum join_cardinality cardinality);

#endif
