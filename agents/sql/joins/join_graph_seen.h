/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_seen.h - a join graph and a catalog: the same tables, and no others.
 *
 * Files of relationships may name tables that the database lacks, that are hidden, or that go by
 * another name; no path may lead through those, for no statement may read them. One thread; what
 * it makes is a graph like any other. */
#ifndef AGENTS_SQL_JOINS_JOIN_GRAPH_SEEN_H
#define AGENTS_SQL_JOINS_JOIN_GRAPH_SEEN_H

#include "agents/sql/joins/join_graph.h"
#include "agents/sql/catalog/visible.h"

/* A copy of graph with the tables and columns that a statement may read, tables under their names
 * in the catalog (a secure view is the table it stands for); *left_out: how many relationships
 * went. ERR_NO_MEMORY. */
MUST_USE enum err_code join_graph_seen_copy(const struct join_graph *graph, struct sql_visible sees,
                                            struct join_graph **out, size_t *left_out,
                                            struct err *err);
/* The graph's index of a table of the catalog that the copy is of; CATALOG_NONE: it joins none. */
int join_graph_seen_table(const struct join_graph *graph, const struct catalog *catalog, int table);
/* The catalog's index of a table of the graph; CATALOG_NONE: not in the catalog. */
int join_graph_seen_origin(const struct join_graph *graph, const struct catalog *catalog,
                           int table);

#endif
