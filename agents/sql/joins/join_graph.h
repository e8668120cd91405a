/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph.h - how tables join: relationships merged from foreign keys,
 * associations and manual overrides; the file format of docs/joins.md; indexed by integers.
 *
 * Built once, normalised (inverses and implied edges folded, C48), then immutable and shared. Its
 * table indices are its own; join_graph_table maps names. Any thread once built. */
#ifndef AGENTS_SQL_JOINS_JOIN_GRAPH_H
#define AGENTS_SQL_JOINS_JOIN_GRAPH_H

#include "agents/sql/catalog/catalog.h"

enum join_type { JOIN_FOREIGN_KEY, JOIN_ASSOCIATION, JOIN_MANUAL, JOIN_INFERRED };
enum join_cardinality { JOIN_N_TO_1, JOIN_1_TO_1, JOIN_1_TO_N, JOIN_N_TO_N };

enum join_verdict { JOIN_UNJUDGED, JOIN_CONFIRMED, JOIN_REFUSED, JOIN_UNCLEAR }; /* of a model */

struct join_edge { /* a relationship; read from -> to */
    int from_table, to_table;
    const struct str *from_columns, *to_columns;
    size_t column_count;
    enum join_type type;
    enum join_cardinality cardinality;
    double confidence;
    bool audit, tenant; /* createdBy and the like; the tenant column */
    bool inverse;       /* was given parent to child */
    bool verified;      /* a statement that was found right joins by it */
    enum join_verdict verdict;
};

struct join_graph_counts { /* what became of the relationships as given (C48) */
    size_t given;          /* of all files and databases */
    size_t through;        /* many-to-many: each became the junction's two */
    size_t inverses;       /* parent to child, of one that is there child to parent */
    size_t repeated;       /* of the same columns as a better one */
    size_t siblings;       /* of two children, implied by their common parent */
    size_t left;           /* given + through - inverses - repeated - siblings */
};

struct join_graph;
struct json_write;

/* From a catalog's references: confidence 1.0, or as sure as one is that nobody declared. */
MUST_USE enum err_code join_graph_from_catalog(const struct catalog *catalog,
                                               struct join_graph **out, struct err *err);
/* From a file as docs/joins.md describes it (join_graph.json, join_graph_validated.json, manual and
 * association files share the relationships member). */
MUST_USE enum err_code join_graph_from_json(struct str json, struct join_graph **out,
                                            struct err *err);
/* Add another's relationships; manual ones override equal pairs. base is unchanged. */
MUST_USE enum err_code join_graph_merge(const struct join_graph *base,
                                        const struct join_graph *more, struct join_graph **out,
                                        struct err *err);
void join_graph_destroy(struct join_graph *graph);

size_t join_graph_table_count(const struct join_graph *graph);
struct str join_graph_table_name(const struct join_graph *graph, int table);
int join_graph_table(const struct join_graph *graph, struct str name); /* CATALOG_NONE: unknown */
struct join_graph_counts join_graph_counts(const struct join_graph *graph);
/* All edges as given, and those left after normalising. */
size_t join_graph_given_count(const struct join_graph *graph);
size_t join_graph_edge_count(const struct join_graph *graph);
const struct join_edge *join_graph_edge(const struct join_graph *graph, size_t i);
/* Edges touching table: indices, borrowed. */
const int *join_graph_edges_of(const struct join_graph *graph, int table, size_t *count);
/* Whether children that share a row of table have little in common. */
bool join_graph_is_lookup(const struct join_graph *graph, int table);
/* In the file's format: the tables, and the relationships left after normalising. */
void join_graph_write(const struct join_graph *graph, struct buf *out);
/* One relationship as the file has it, as the writer's next value. */
void join_graph_write_relationship(const struct join_graph *graph, const struct join_edge *edge,
                                   struct json_write *writer);
/* "workTime.employeeId = employee.id (N:1)" */
void join_graph_write_edge(const struct join_graph *graph, const struct join_edge *edge,
                           struct buf *out);

#endif
