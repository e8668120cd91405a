/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_doubts.h - joins of a statement that the join graph does not know, and
 * conditions that a join makes impossible.
 * A statement with such a join is valid and may be meant; whoever wrote it is told. Only equalities
 * of two columns of one SELECT are looked at; where the graph has no relationship at all nothing is
 * doubted. Pure. */
#ifndef AGENTS_SQL_JOINS_JOIN_DOUBTS_H
#define AGENTS_SQL_JOINS_JOIN_DOUBTS_H

#include "agents/sql/joins/join_graph.h"
#include "agents/sql/parse/parse.h"

enum join_doubt_kind {
    JOIN_DOUBT_UNKNOWN, /* keys of two tables that no relationship ties: a.id = c.id */
    JOIN_DOUBT_AUDIT,   /* who wrote the row down, and not what it is about: a.createdBy = u.id */
    JOIN_DOUBT_NULL,    /* IS NULL of a column that no joined row has NULL in */
};

struct join_doubt {
    enum join_doubt_kind kind;
    struct str text;                        /* the condition as written */
    const struct sql_column_ref *one, *two; /* its columns; two: NULL for JOIN_DOUBT_NULL */
};

/* Called once for each doubt, which is borrowed for the call. */
typedef void join_doubts_fn(void *owner, const struct join_doubt *doubt);

/* Call say for each doubt about parse. graph: of catalog (join_graph_seen.h), or NULL: only
 * JOIN_DOUBT_NULL is looked for. */
void join_doubts_find(const struct sql_parse *parse, const struct catalog *catalog,
                      const struct join_graph *graph, join_doubts_fn *say, void *owner);
/* Append the relationships between the tables of two columns, at most three, as conditions joined
 * by " or "; nothing when there are none. */
void join_doubts_write_known(const struct join_graph *graph, const struct catalog *catalog,
                             int one_table, int other_table, struct buf *out);

#endif
