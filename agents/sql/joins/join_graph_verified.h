/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_verified.h - which relationships statements that were found right
 * use.
 *
 * Only for graphs that nobody searches yet: marking is the last change to a graph. One thread. */
#ifndef AGENTS_SQL_JOINS_JOIN_GRAPH_VERIFIED_H
#define AGENTS_SQL_JOINS_JOIN_GRAPH_VERIFIED_H

#include "agents/sql/joins/join_graph.h"
#include "agents/sql/parse/parse.h"

/* Mark the relationships whose columns sql compares, all of a composite one. What does not parse
 * marks none. Returns how many were marked for the first time. */
size_t join_graph_verified_mark(struct join_graph *graph, const struct catalog *catalog,
                                enum sql_dialect dialect, struct str sql);

#endif
